"""What the command `ties` is asked to look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Wanted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What to look at."""

    cutoffs: tuple[int, ...]
    feature: str | None = None
    """The one feature to take apart."""
    query: str | None = None
    """The one query of it to take apart."""
    by: str = "spread"
    """What its queries are ranked by."""
    draws: int = 0
    """Random tie-breaks for the bias of measures without a variance."""
    top: int = 10
    """Rows that a table shows people; 0 for all."""
    parts: Sequence[str] = ()
    """Names of the tables; by default those that fit the rest."""
