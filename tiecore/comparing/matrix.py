"""Values measured elsewhere as a matrix of systems and items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from tiecore.comparing.cells import Cells, cells_of_frame, cells_of_mapping
from tiecore.comparing.files import read_cells
from tiecore.errors import TiecoreError, listed, shortened
from tiecore.formats.source import Source
from tiecore.frames import is_frame
from tiecore.measures import Measure, measure

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Matrix", "ValuesInput", "matrix_of"]

ValuesInput: TypeAlias = "Source | Sequence[Source] | pd.DataFrame | Mapping[str, Any]"


@dataclass(frozen=True, slots=True, eq=False)
class Matrix:
    """The values of one measure."""

    measure: str
    """As the values name it; empty where they do not."""
    systems: tuple[str, ...]
    items: tuple[str, ...]
    values: np.ndarray
    """(n_systems, n_items), NaN where a system lacks an item."""


def matrix_of(values: ValuesInput, wanted: str | Measure | None = None) -> Matrix:
    """Return the values of one measure in any form; ``wanted`` may be left out where there is only one."""
    cells = _cells(values)
    named = dict.fromkeys(name for one in cells for name in one.measure)
    chosen = _chosen(list(named), wanted)
    systems: dict[str, int] = {}
    items: dict[str, int] = {}
    seen: dict[tuple[int, int], float] = {}
    for one in cells:
        rows = zip(one.system, one.item, one.measure, one.value.tolist(), strict=True)
        for cell, (system, item, name, value) in enumerate(rows):
            if name != chosen:
                continue
            at = systems.setdefault(system, len(systems)), items.setdefault(item, len(items))
            if at in seen:
                problem = f"{shortened(system)} has a second value for {shortened(item)}; keep one of the two"
                raise one.fault(cell, problem)
            seen[at] = value
    table = np.full((len(systems), len(items)), np.nan)
    where = np.array(list(seen), dtype=np.int64).reshape(-1, 2)
    table[where[:, 0], where[:, 1]] = list(seen.values())
    is_known = ~np.isnan(table)
    if empty := [system for system, known in zip(systems, is_known.any(axis=1), strict=True) if not known]:
        raise TiecoreError(f"{shortened(empty[0])} has no value at all; leave it out")
    kept = is_known.any(axis=0)
    if len(systems) < 2:
        raise TiecoreError(f"the values are of one system, {listed(list(systems))}; a comparison needs two")
    if kept.sum() < 2:
        raise TiecoreError("there is one item with values; a comparison needs the values of several, six at least")
    return Matrix(
        measure=chosen,
        systems=tuple(systems),
        items=tuple(item for item, is_kept in zip(items, kept, strict=True) if is_kept),
        values=table[:, kept],
    )


def _cells(values: ValuesInput) -> list[Cells]:
    if is_frame(values):
        return [cells_of_frame(values, source="values")]
    if isinstance(values, Mapping):
        return cells_of_mapping(values)
    if hasattr(values, "__arrow_c_stream__"):
        import pyarrow as pa  # only for frames of Polars and tables of Arrow

        return [cells_of_frame(pa.table(values).to_pandas(), source="values")]
    if isinstance(values, str | PathLike | bytes) or hasattr(values, "read"):
        return [read_cells(cast("Source", values))]
    if isinstance(values, list | tuple) and values:
        return [read_cells(file) for file in values]
    raise TiecoreError(f"expected a table of values, files or {{system: values}}, found {shortened(values)}")


def _chosen(named: Sequence[str], wanted: str | Measure | None) -> str:
    """Return the name in the data of the measure that is wanted."""
    if not named:
        raise TiecoreError("there are no values")
    if wanted is None or list(named) == [""]:
        if len(named) > 1:
            raise TiecoreError(f"there are values of several measures; choose one of {listed(named)}")
        return named[0]
    if str(wanted) in named:
        return str(wanted)
    same = [name for name in named if _canonical(name) == _canonical(str(wanted))]
    if not same:
        raise TiecoreError(f"there are no values of {shortened(str(wanted))}; there are {listed(named)}")
    return same[0]


def _canonical(name: str) -> str:
    try:
        return str(measure(name))
    except TiecoreError:
        return name
