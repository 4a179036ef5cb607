"""The page Ties."""
