"""The page Queries."""
