"""How tied each feature is, and where it hurts, as tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from tiecore import diagnostics
from tiecore.cli.load import load_evaluation
from tiecore.cli.render.numbers import Write
from tiecore.cli.render.tables import Report, Sheet, Table, columns_of, legend_of
from tiecore.cli.reports.evaluate import queries_counted
from tiecore.errors import TiecoreError
from tiecore.evaluation.result import Evaluation

if TYPE_CHECKING:
    from tiecore.cli.commands import Ties

__all__ = ["PARTS", "check", "report", "report_of"]

_NEEDS_TIE_BREAK, _NEEDS_FEATURE = ("bias", "bias_features"), ("blame", "culprits", "precision")


def report(request: Ties) -> Report:
    """Analyse the ties."""
    check(request)
    return report_of(load_evaluation(request, measures=[f"nDCG@{request.cutoffs[0]}"]), request)


def check(request: Ties) -> None:
    """Refuse tables that cannot be shown, before anything is read."""
    if request.query is not None and request.feature is None:
        raise TiecoreError("--query analyses the ties of one feature: name it with --feature")
    for part in request.parts:
        if missing := _missing(part, request):
            raise TiecoreError(f"part {part!r} needs {missing}")


def report_of(evaluation: Evaluation, request: Ties) -> Report:
    """Return a report on the ties of all features, or on the queries and ties of one."""
    usual = ["anatomy", "cost", "bias", "hidden"]
    if request.feature is not None:
        usual = ["blame", "culprits", *(["advice"] if len(evaluation.features) > 1 else [])]
    sheets = []
    for part in request.parts or [part for part in usual if not _missing(part, request)]:
        tables = PARTS[part](evaluation, request)
        sheets.append(Sheet(name=part, tables=tables, legend=legend_of(tables, _explain)))
    return Report(command="ties", sheets=sheets, top=request.top)


def _missing(part: str, request: Ties) -> str:
    """Return what a table needs that the request lacks; empty if nothing."""
    if part in _NEEDS_TIE_BREAK and not request.tie_breaks:
        return "a tie-break: give one with -t"
    if part in _NEEDS_FEATURE and request.feature is None:
        return "a feature: name one with --feature"
    return "a query: name one with --query" if part == "culprits" and request.query is None else ""


def _explain(heading: str) -> str:
    return "" if heading == "feature" else diagnostics.column_meaning(heading)


def _anatomy(evaluation: Evaluation, request: Ties) -> list[Table]:
    frame = diagnostics.anatomy(evaluation, cutoffs=request.cutoffs, rel=_threshold(evaluation))
    cut = [f"cut_in_mixed_tie@{k}" for k in request.cutoffs]
    frame = frame.sort_values([*cut, "tied_mixed"], ascending=False, kind="stable").reset_index()
    shown = "feature, documents, tied, tied_mixed, mean_tie, largest_tie, values_per_query, constant_queries"
    alarms = [f"{row.feature}: {row.alarm}" for row in frame[frame["alarm"] != ""].itertuples()]
    told = alarms[: request.top or None]
    if len(told) < len(alarms):
        told.append(f"{len(alarms) - len(told)} more such features")
    columns = columns_of(frame, [*shown.split(", "), *cut], keys=1)
    return [Table(data=frame, name="ties of each feature", detail="most affected first", columns=columns, notes=told)]


def _threshold(evaluation: Evaluation) -> int:
    """Grade from which a tie counts as mixed: that of the measures, if they agree on one."""
    found = {measure.threshold for measure in evaluation.measures}
    return found.pop() if len(found) == 1 else 1


def _cuts(evaluation: Evaluation, request: Ties) -> list[Table]:
    frame = diagnostics.cut_curve(evaluation, rel=_threshold(evaluation)).reset_index()
    columns = columns_of(frame, "feature, cutoff, cut_in_tie, cut_in_mixed_tie, longer", keys=2)
    return [Table(data=frame, name="where a cut falls inside a tie", columns=columns)]


def _hidden(evaluation: Evaluation, request: Ties) -> list[Table]:
    frame = diagnostics.hidden_ties(evaluation).reset_index()
    found = frame[frame["note"] != ""]
    shown = ["feature", *(name for name in frame.columns if name.startswith("tied"))]
    notes = [f"{row.feature}: {row.note}" for row in found[: request.top or None].itertuples()]
    columns = columns_of(found, shown, keys=1) if notes else ()
    notes = notes or ["No feature shows signs of ties hidden by small steps or rounding."]
    return [Table(data=frame, name="hidden and spurious ties", columns=columns, notes=notes)]


def _cost(evaluation: Evaluation, request: Ties) -> list[Table]:
    values, frame = evaluation.summary, diagnostics.random_baseline(evaluation)
    frame["sd"], frame["spread"] = values["sd"], (values["best"] - values["worst"]).abs()
    frame = frame.sort_values("spread", ascending=False, kind="stable")
    shown = "feature, expected, random, gained, sd, spread"
    return _tables(evaluation, _split(evaluation, frame), "what ties cost", shown, order=", the largest spread first")


def _bias(evaluation: Evaluation, request: Ties) -> list[Table]:
    frames = _split(evaluation, diagnostics.pooled_bias(evaluation))
    shown, title = "tie_break, features, lifted, strongest, z, p", "do tie-breaks correlate with relevance?"
    return _tables(evaluation, frames, title, shown, notes=lambda frame: _verdicts(frame, "tie_break", request.top))


def _verdicts(frame: pd.DataFrame, of: str, top: int) -> list[str]:
    """Return what the figures of the rows mean, those of which the same is said together."""
    same = frame[: top or None].groupby("verdict", sort=False)[of].agg(", ".join)
    pairs = [(str(verdict), which) for verdict, which in same.items()]
    return [verdict if verdict.startswith(f"{which} ") else f"{which}: {verdict}" for verdict, which in pairs]


def _bias_features(evaluation: Evaluation, request: Ties) -> list[Table]:
    frames = _split(evaluation, diagnostics.bias(evaluation))
    shown = "tie_break, feature, value, expected, shift, chance_sd, z, p, p_adjusted"
    return _tables(evaluation, frames, "tie-breaks and relevance, feature by feature", shown, keys=2)


def _blame(evaluation: Evaluation, request: Ties) -> list[Table]:
    feature, measures = str(request.feature), evaluation.measures
    frames = [diagnostics.blame(evaluation, feature, measure, by=request.by) for measure in measures]
    shown = "query_id, expected, sd, worst, best, spread, share, cumulative"
    shifts = [evaluation.derived_column(tie_break.name, "shift") for tie_break in evaluation.tie_breaks]
    return _tables(evaluation, frames, f"queries of {feature} by {request.by}", shown, further=shifts)


def _culprits(evaluation: Evaluation, request: Ties) -> list[Table]:
    feature, query = str(request.feature), str(request.query)
    frames = [diagnostics.culprits(evaluation, feature, measure, query_id=query) for measure in evaluation.measures]
    shown = (
        "group, score, first_rank, last_rank, size, relevant, grades, inside, contribution, to_worst, to_best, share"
    )
    name, writes = f"ties of {feature} in query {query}", {"score": _scores}
    return _tables(evaluation, frames, name, shown, keys=2, writes=writes, counts_queries=False)


def _scores(values: np.ndarray) -> list[str]:
    return ["none" if np.isnan(value) else f"{value:g}" for value in values]


def _precision(evaluation: Evaluation, request: Ties) -> list[Table]:
    feature = str(request.feature)
    frames = [diagnostics.precision_curve(evaluation, feature, measure) for measure in evaluation.measures]
    shown, title = "precision, values, tied, expected, sd, worst, best, change, p", f"{feature} at lower precision"
    return _tables(evaluation, frames, title, shown, notes=lambda frame: _verdicts(frame, "precision", request.top))


def _advice(evaluation: Evaluation, request: Ties) -> list[Table]:
    frames = [diagnostics.advice(evaluation, request.feature, measure) for measure in evaluation.measures]
    of_feature, keys = ("", "feature, other") if request.feature is None else (f" of {request.feature}", "other")
    shown = f"{keys}, expected, gained, sd_removed, spread_removed, z, p"
    return _tables(evaluation, frames, f"which feature breaks the ties{of_feature} best?", shown, keys=2)


def _split(evaluation: Evaluation, frame: pd.DataFrame) -> list[pd.DataFrame]:
    """Return the rows of each measure."""
    return [frame.loc[[str(measure)]].droplevel("measure") for measure in evaluation.measures]


def _tables(
    evaluation: Evaluation,
    frames: Iterable[pd.DataFrame],
    name: str,
    shown: str,
    *,
    further: Sequence[str] = (),
    keys: int = 1,
    writes: Mapping[str, Write] | None = None,
    order: str = "",
    counts_queries: bool = True,
    notes: Callable[[pd.DataFrame], list[str]] | None = None,
) -> list[Table]:
    """Make a table of the frame of each measure; ``order``: what is said of the order of the rows."""
    tables = []
    for measure, indexed in zip(evaluation.measures, frames, strict=True):
        frame = indexed.reset_index()
        first = shown.split(", ")
        columns = columns_of(frame, [*first, *further], keys=keys, writes=writes)
        tables.append(
            Table(
                data=frame,
                about={"measure": str(measure)},
                name=name,
                detail=queries_counted(evaluation, measure) + order if counts_queries else "",
                columns=columns[: len(first)],
                further=columns[len(first) :],
                notes=notes(frame) if notes else (),
            )
        )
    return tables


PARTS: dict[str, Callable[[Evaluation, Ties], list[Table]]] = {
    "anatomy": _anatomy,
    "cuts": _cuts,
    "cost": _cost,
    "bias": _bias,
    "bias_features": _bias_features,
    "hidden": _hidden,
    "blame": _blame,
    "culprits": _culprits,
    "precision": _precision,
    "advice": _advice,
}
"""The tables of the command, by name."""
