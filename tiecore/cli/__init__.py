"""The ``tiecore`` command."""

from tiecore.cli.program import app, main

__all__ = ["app", "main"]
