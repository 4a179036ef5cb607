"""Which tiecore this is."""

from __future__ import annotations

__all__ = ["version"]


def version() -> str:
    """Return the version that is installed."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed("tiecore")
    except PackageNotFoundError:
        return "not installed"
