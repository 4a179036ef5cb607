"""Measurements against other tools: ``python -m bench`` runs them and writes the table in RESULTS.md.

``python -m bench.soak`` is a measurement of another kind: people use the dashboard for an hour, and it is watched.
"""

QUERIES = 31_531
"""As many as MSLR-WEB30K has."""
