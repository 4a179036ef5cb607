"""Measurements against other tools: ``python -m bench`` runs them and writes the table in RESULTS.md."""

QUERIES = 31_531
"""As many as MSLR-WEB30K has."""
