"""Leaderboards under several judges as tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import pandas as pd

from tiecore.cli.render.numbers import counts, decimals_for, figures, names, texts
from tiecore.cli.render.tables import Column, Report, Sheet, Table, columns_of, legend_of
from tiecore.comparing.judges import JUDGE_COLUMNS, Judges

__all__ = ["PARTS", "report_of"]

_NAMES = ("judge", "judge_a", "judge_b", "leader", "trailer", "others")
_PLACES = "value and place under this judge; in brackets the group"


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
    frame = found.agreement.reset_index()
    spans = []
    for name in ("tau_b", "tau_ap"):
        columns = (figures(frame[column].to_numpy(), 2) for column in (name, f"{name}_low", f"{name}_high"))
        cells = [f"{value} ({low} to {high})" for value, low, high in zip(*columns, strict=True)]
        spans.append(Column(heading=f"{name} 95 %", values=cells, write=texts))
    ids, n = (_columns(frame, shown) for shown in ("judge_a, judge_b", "n_queries, n_documents"))
    kappa = Column(heading="kappa", values=frame["kappa"].to_numpy(), write=partial(figures, decimals=2))
    return _table(found, frame, "how far the judges agree", [*ids, *spans, *n, kappa])


def _reversed(found: Judges) -> Table:
    shown = "judge_a, judge_b, leader, trailer, difference_a, difference_b"
    columns = _columns(found.reversed, shown)
    return _table(found, found.reversed, "clearly the other way round under another judge", columns)


def _only(found: Judges) -> Table:
    columns = _columns(found.only, "judge, leader, trailer, difference, others")
    return _table(found, found.only, "clear under one judge alone", columns)


def _columns(frame: pd.DataFrame, shown: str) -> list[Column]:
    own = {"n_documents": counts, **dict.fromkeys(_NAMES, names)}
    keys = sum(name in _NAMES for name in shown.split(", ")) - ("others" in shown)
    return columns_of(frame, shown, keys=keys, writes={name: own[name] for name in shown.split(", ") if name in own})


def _table(found: Judges, frame: pd.DataFrame, name: str, columns: Sequence[Column]) -> Table:
    return Table(data=frame, about={"measure": str(found.measure)}, name=name, columns=columns)


PARTS: dict[str, Callable[[Judges], Table]] = {
    "leaderboards": _leaderboards,
    "agreement": _agreement,
    "reversed": _reversed,
    "only": _only,
}
"""The tables of the command, by name."""
