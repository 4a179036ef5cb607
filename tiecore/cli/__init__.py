"""The ``tiecore`` command."""

from tiecore.cli.assembly import app, main

__all__ = ["app", "main"]
