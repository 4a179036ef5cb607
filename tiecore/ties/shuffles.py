"""Checks of numbers of draws and seeds; copies of tie groups behind each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tiecore.errors import TiecoreError, shortened
from tiecore.ties.groups import TieGroups

__all__ = ["check_draws", "check_seed", "repeated"]


def check_draws(number: object, *, least: int, name: str = "draws") -> None:
    """Refuse what is not a whole number of draws."""
    if not isinstance(number, int | np.integer):
        raise TiecoreError(f"{name} must be a whole number, found {shortened(number)}")
    if number < least:
        raise TiecoreError(f"{name} must be {least} or more, found {shortened(number)}")


def check_seed(seed: object) -> None:
    """Refuse what is not a seed."""
    check_draws(seed, least=0, name="seed")


def repeated(groups: TieGroups, times: int) -> TieGroups:
    """Put copies of all queries behind each other."""
    copy = np.arange(times)[:, None]
    arrays = {
        "query": (groups.query + groups.n_queries * copy).reshape(-1),
        "first_cell": (groups.first_cell + len(groups.cell_level) * copy).reshape(-1),
    } | {name: np.tile(getattr(groups, name), times) for name in ("above", "size", "cell_level", "cell_count")}
    for array in arrays.values():
        array.flags.writeable = False
    ideal = None if groups._ideal is None else repeated(groups._ideal, times)
    return replace(groups, n_queries=times * groups.n_queries, _ideal=ideal, **arrays)
