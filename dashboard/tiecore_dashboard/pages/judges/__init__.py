"""The page Judges."""
