"""The ``tiecore`` command."""

from tiecore.cli.main import app, main

__all__ = ["app", "main"]
