"""What a command has to say: tables of full precision for programs, the same in blocks for people."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import pandas as pd

from tiecore.cli.render.table import Block

__all__ = ["Report", "Sheet"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """One table."""

    name: str
    """By which it is asked for, and its key in JSON."""
    frame: Callable[[], pd.DataFrame]
    """All columns, no index."""
    blocks: Callable[[], Iterable[Block]]
    legend: Mapping[str, str] = field(default_factory=dict)
    """What the headings of the blocks mean."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The tables of one command."""

    command: str
    sheets: tuple[Sheet, ...]
    remarks: tuple[str, ...] = ()
    """What stands below the tables."""
    beside: Mapping[str, Callable[[], pd.DataFrame]] = field(default_factory=dict)
    """Further tables that only JSON holds."""
