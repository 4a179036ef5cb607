"""Where the dashboard and the sample data lie; neither is imported."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

__all__ = ["dashboard_folder", "sample_data"]


def dashboard_folder() -> Path | None:
    """Find the package of the dashboard."""
    spec = find_spec("dashboard")
    return Path(spec.origin).parent if spec is not None and spec.origin is not None else None


def sample_data() -> Path | None:
    """Find the sample data: inside the dashboard once installed, beside it in a checkout."""
    folder = dashboard_folder()
    if folder is None:
        return None
    return next((path for path in (folder / "sample_data", folder.parent / "sample_data") if path.is_dir()), None)
