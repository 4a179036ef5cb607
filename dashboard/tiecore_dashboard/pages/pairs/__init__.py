"""The page Pairs."""
