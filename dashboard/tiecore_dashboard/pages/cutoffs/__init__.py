"""The page Cut-offs."""
