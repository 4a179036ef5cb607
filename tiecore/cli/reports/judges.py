"""Leaderboards under several judges as tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import pandas as pd

from tiecore.cli.load import conventions_of, reading
from tiecore.cli.render.numbers import Write, counts, decimals_for, figures, names, texts
from tiecore.cli.render.tables import Column, Report, Sheet, Table, columns_of, legend_of
from tiecore.comparing.judges import JUDGE_COLUMNS, Judges, judges

if TYPE_CHECKING:
    from tiecore.cli import commands

__all__ = ["PARTS", "report", "report_of"]

_WRITES: dict[str, Write] = {
    "n_documents": counts,
    **dict.fromkeys(("judge", "judge_a", "judge_b", "others"), names),
    **dict.fromkeys(("tau_b", "tau_b_low", "tau_b_high", "kappa"), partial(figures, decimals=2)),
}
_PLACES = "value and place under this judge; in brackets the group"


def report(request: commands.Judges) -> Report:
    """Compare the judges."""
    how = conventions_of(request) | {"draws": request.draws, "seed": request.seed}
    with reading(request, "evaluating"):
        found = judges(request.named, [request.qrels, *request.features], request.measure, **how)
    return report_of(found, parts=request.parts, top=request.top)


def report_of(found: Judges, *, parts: Sequence[str], top: int) -> Report:
    """Return the tables that are asked for, by default all that have rows."""
    tables = {name: PARTS[name](found) for name in parts or PARTS}
    sheets = [
        Sheet(name=name, tables=[table], legend=legend_of([table], partial(_explain, found)))
        for name, table in tables.items()
        if table.n_rows or name in parts
    ]
    return Report(command="judges", sheets=sheets, top=top, remarks=[str(found)])


def _explain(found: Judges, heading: str) -> str:
    if heading in found.studies:
        return _PLACES
    return JUDGE_COLUMNS.get(heading.removesuffix(" 95 %"), "") + (
        ", and its 95 % interval" if "95 %" in heading else ""
    )


def _leaderboards(found: Judges) -> Table:
    first, *_ = found.studies.values()
    order, under = list(first.ranks.index), []
    for judge, study in found.studies.items():
        ranks = study.ranks.loc[order]
        value = study.values.loc[order, "expected"].to_numpy()
        cells = zip(figures(value, decimals_for(value)), ranks["place"], ranks["group"], strict=True)
        under.append(
            Column(heading=judge, values=[f"{text} #{place} ({group})" for text, place, group in cells], write=texts)
        )
    return Table(
        data=found.leaderboards.reset_index(),
        about={"measure": str(found.measure)},
        name="value, place and group under each judge",
        columns=[Column(heading="feature", values=order, key=True), *under],
    )


def _agreement(found: Judges) -> Table:
    shown = "judge_a, judge_b, tau_b, tau_b_low, tau_b_high, tau_ap, kappa, n_queries, n_documents"
    return _table(found, found.agreement.reset_index(), "how far the judges agree", shown)


def _reversed(found: Judges) -> Table:
    shown = "judge_a, judge_b, leader, trailer, difference_a, difference_b"
    return _table(found, found.reversed, "clearly the other way round under another judge", shown)


def _only(found: Judges) -> Table:
    return _table(found, found.only, "clear under one judge alone", "judge, leader, trailer, difference, others")


def _table(found: Judges, frame: pd.DataFrame, name: str, shown: str) -> Table:
    chosen = shown.split(", ")
    columns = columns_of(
        frame, chosen, keys=2, writes={column: _WRITES[column] for column in chosen if column in _WRITES}
    )
    return Table(data=frame, about={"measure": str(found.measure)}, name=name, columns=columns)


PARTS: dict[str, Callable[[Judges], Table]] = {
    "leaderboards": _leaderboards,
    "agreement": _agreement,
    "reversed": _reversed,
    "only": _only,
}
"""The tables of the command, by name."""
