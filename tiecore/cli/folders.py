"""Where the dashboard and the sample data lie; neither is imported."""

from __future__ import annotations

from pathlib import Path

__all__ = ["dashboard_folder", "sample_data"]


# By place, not by name: a folder `dashboard` where the command is given must not be taken for ours.
_BESIDE = Path(__file__).parents[2]


def dashboard_folder() -> Path | None:
    """Find the package of the dashboard, which lies beside this one in a checkout as once installed."""
    folder = _BESIDE / "dashboard"
    return folder if folder.is_dir() else None


def sample_data() -> Path | None:
    """Find the sample data: inside the dashboard once installed, beside it in a checkout."""
    folder = dashboard_folder()
    if folder is None:
        return None
    return next((path for path in (folder / "sample_data", folder.parent / "sample_data") if path.is_dir()), None)
