"""Where the dashboard and the sample data lie; neither is imported."""

from __future__ import annotations

from pathlib import Path

__all__ = ["dashboard_folder", "sample_data"]


# By place, not by name: a folder of that name where the command is given must not be taken for ours.
_BESIDE = Path(__file__).parents[2]


def dashboard_folder() -> Path | None:
    """Find the package of the dashboard: beside this one once installed, in the folder ``dashboard`` of a checkout."""
    folders = (_BESIDE / "tiecore_dashboard", _BESIDE / "dashboard" / "tiecore_dashboard")
    return next((folder for folder in folders if folder.is_dir()), None)


def sample_data() -> Path | None:
    """Find the sample data: inside the dashboard once installed, at the top of a checkout."""
    folder = dashboard_folder()
    if folder is None:
        return None
    return next((path for path in (folder / "sample_data", folder.parents[1] / "sample_data") if path.is_dir()), None)
