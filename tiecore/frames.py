"""Frames of pandas, told from other things without importing pandas: whoever made one has imported it already."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TypeGuard

if TYPE_CHECKING:
    import pandas as pd


def is_frame(table: object) -> TypeGuard[pd.DataFrame]:
    """Return whether something is a frame of pandas."""
    return isinstance(table, getattr(sys.modules.get("pandas"), "DataFrame", ()))


def is_null(cell: object) -> bool:
    """Return whether a cell holds nothing: None, or the ``NA`` of pandas."""
    return cell is None or cell is getattr(sys.modules.get("pandas"), "NA", None)
