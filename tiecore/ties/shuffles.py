"""Random tie-breaks of a whole table of tie groups, independent and uniform."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from tiecore.errors import TiecoreError, shortened
from tiecore.ties.groups import TieGroups
from tiecore.ties.keys import bits_for

__all__ = ["check_draws", "check_seed", "repeated", "shuffles"]

_AT_ONCE = 1 << 15
"""Documents of tables that are shuffled together: small ones would cost little but calls."""


def check_draws(number: object, *, least: int, name: str = "draws") -> None:
    """Refuse what is not a whole number of draws."""
    if not isinstance(number, int | np.integer):
        raise TiecoreError(f"{name} must be a whole number, found {shortened(number)}")
    if number < least:
        raise TiecoreError(f"{name} must be {least} or more, found {shortened(number)}")


def check_seed(seed: object) -> None:
    """Refuse what is not a seed."""
    check_draws(seed, least=0, name="seed")


def shuffles(groups: TieGroups, draws: int, rng: np.random.Generator) -> Iterator[TieGroups]:
    """Yield random tie-breaks of the whole table, several at a time: each as if it had queries of its own.

    Only mixed groups are taken apart: the order inside a group of one grade changes nothing.
    """
    is_mixed = np.zeros(len(groups.size), dtype=bool)
    is_mixed[groups.mixed()] = True
    is_loose = is_mixed[groups.group_of_cell()]  # (n_cells,)
    repeats = np.where(is_loose, groups.cell_count, 1)
    # (n_units,) a unit is one document of a mixed group, or a whole group of one grade
    unit_count = np.repeat(np.where(is_loose, 1, groups.cell_count), repeats)
    unit_group = np.repeat(groups.group_of_cell(), repeats)
    unit_level = np.repeat(groups.cell_level, repeats)
    ordered = TieGroups.from_cells(
        groups.grades,
        groups.n_queries,
        groups.query[unit_group],
        np.arange(len(unit_group)),
        unit_level,
        unit_count,
        ideal=groups._ideal,
    )
    loose = np.flatnonzero(np.repeat(is_loose, repeats))
    level_bits = bits_for(len(groups.grades) - 1)
    random_bits = 64 - level_bits - bits_for(len(groups.size))
    fixed = unit_group[loose].astype(np.uint64) << np.uint64(level_bits + random_bits)
    fixed |= unit_level[loose].astype(np.uint64)
    at_once = max(1, _AT_ONCE // max(1, len(unit_group), len(groups.ideal.cell_level)))
    many, n_copies = ordered, 1
    for begin in range(0, draws, at_once):
        n_drawn = min(at_once, draws - begin)
        if n_drawn != n_copies:
            many, n_copies = repeated(ordered, n_drawn), n_drawn
        packed = rng.integers(0, 1 << random_bits, size=(n_drawn, len(loose)), dtype=np.uint64)
        packed <<= np.uint64(level_bits)
        packed |= fixed
        packed.sort(axis=1)
        level = np.broadcast_to(unit_level, (n_drawn, len(unit_level))).copy()
        level[:, loose] = packed & np.uint64((1 << level_bits) - 1)
        level.flags.writeable = False
        yield replace(many, cell_level=level.reshape(-1))


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
