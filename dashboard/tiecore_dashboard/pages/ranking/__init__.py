"""The page Ranking."""
