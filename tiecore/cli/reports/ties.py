"""How tied each feature is, and where its ties change values, as tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pandas as pd

from tiecore import diagnostics
from tiecore.cli.commands import Ties
from tiecore.cli.load import known_names, load_evaluation
from tiecore.cli.render.tables import Report, Sheet, Table, columns_of, legend_of, table_of
from tiecore.cli.reports.evaluate import queries_counted
from tiecore.errors import TiecoreError
from tiecore.evaluation.result import Evaluation
from tiecore.measures import Measure


def report(request: Ties) -> Report:
    """Return a report on the ties of all features, or on the queries and ties of one."""
    if request.query is not None and request.feature is None:
        raise TiecoreError("--query analyses the ties of one feature: name it with --feature")
    for part in request.parts:  # before anything is read
        if missing := _missing(part, request):
            raise TiecoreError(f"part {part!r} needs {missing}")
    evaluation = load_evaluation(request, measures=[f"nDCG@{request.cutoffs[0]}"])
    usual = ["anatomy", "cost", "bias", "hidden"]
    if request.feature is not None:
        usual = ["blame", "culprits", *(["advice"] if len(evaluation.features) > 1 else [])]
    sheets = []
    for part in request.parts or [part for part in usual if not _missing(part, request)]:
        tables = PARTS[part](evaluation, request)
        legend = legend_of(tables, lambda name: "" if name == "feature" else diagnostics.column_meaning(name))
        sheets.append(Sheet(name=part, tables=tables, legend=legend))
    return Report(sheets=sheets, remarks=list(known_names(evaluation)))


def _missing(part: str, request: Ties) -> str:
    """Return what a table needs that the request lacks; empty if nothing."""
    if part in ("bias", "bias_features") and not request.tie_breaks:
        return "a tie-break: give one with -t"
    if part in ("blame", "culprits") and request.feature is None:
        return "a feature: name one with --feature"
    return "a query: name one with --query" if part == "culprits" and request.query is None else ""


def _anatomy(evaluation: Evaluation, request: Ties) -> list[Table]:
    thresholds = {None if one.counts_grades else one.threshold for one in evaluation.measures}  # None: grades count
    rel = thresholds.pop() if len(thresholds) == 1 else 1
    frame = diagnostics.anatomy(evaluation, cutoffs=request.cutoffs, rel=rel)
    cut = [f"cut_in_mixed_tie@{k}" for k in request.cutoffs]
    frame = frame.sort_values([*cut, "tied_mixed"], ascending=False, kind="stable").reset_index()
    alarms = [f"{row.feature}: {row.alarm}" for row in frame[frame["alarm"] != ""].itertuples()]
    notes = alarms[: request.top or None]
    if len(notes) < len(alarms):
        notes.append(f"{len(alarms) - len(notes)} more such features")
    shown = "feature, documents, tied, tied_mixed, mean_tie, largest_tie, values_per_query, constant_queries"
    name, detail = "ties of each feature", "most affected first"
    return [table_of(frame, ", ".join([shown, *cut]), name=name, detail=detail, notes=notes)]


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
    shown, order = "feature, expected, random, gained, sd, spread", ", the largest spread first"
    return _tables(evaluation, _rows_of(frame), shown, "what ties cost", order=order)


def _bias(evaluation: Evaluation, request: Ties) -> list[Table]:
    frame_of = _rows_of(diagnostics.pooled_bias(evaluation))
    shown, title = "tie_break, features, lifted, strongest, z, p", "do tie-breaks correlate with relevance?"
    return _tables(evaluation, frame_of, shown, title, notes=lambda frame: _verdicts(frame, request.top))


def _bias_features(evaluation: Evaluation, request: Ties) -> list[Table]:
    shown = "tie_break, feature, value, expected, shift, chance_sd, z, p, p_adjusted"
    return _tables(
        evaluation,
        _rows_of(diagnostics.bias(evaluation)),
        shown,
        "tie-breaks and relevance, feature by feature",
        keys=2,
    )


def _blame(evaluation: Evaluation, request: Ties) -> list[Table]:
    feature, by = str(request.feature), request.by
    frame_of = partial(diagnostics.blame, evaluation, feature, by=by)
    shown = ["query_id", "expected", "sd", "worst", "best", "spread", "share", "cumulative"]
    shown += [f"{tie_break.name} shift" for tie_break in evaluation.tie_breaks]
    return _tables(evaluation, frame_of, shown, f"queries of {feature} by {by}")


def _culprits(evaluation: Evaluation, request: Ties) -> list[Table]:
    feature, query = str(request.feature), str(request.query)
    shown = (
        "group, score, first_rank, last_rank, size, relevant, grades, inside, contribution, to_worst, to_best, share"
    )
    frame_of = partial(diagnostics.culprits, evaluation, feature, query_id=query)
    name = f"ties of {feature} in query {query}"
    return [
        table_of(frame_of(measure).reset_index(), shown, keys=2, about={"measure": str(measure)}, name=name)
        for measure in evaluation.measures
    ]


def _advice(evaluation: Evaluation, request: Ties) -> list[Table]:
    of_feature, keys = ("", "feature, other") if request.feature is None else (f" of {request.feature}", "other")
    shown = f"{keys}, expected, gained, sd_removed, spread_removed, z, p"
    frame_of = partial(diagnostics.advice, evaluation, request.feature)
    return _tables(evaluation, frame_of, shown, f"which feature breaks the ties{of_feature} best?", keys=2)


def _rows_of(frame: pd.DataFrame) -> Callable[[Measure], pd.DataFrame]:
    """Return what takes the rows of a measure."""
    return lambda measure: frame.loc[[str(measure)]].droplevel("measure")


def _tables(
    evaluation: Evaluation,
    frame_of: Callable[[Measure], pd.DataFrame],
    shown: str | Sequence[str],
    name: str,
    *,
    order: str = "",
    notes: Callable[[pd.DataFrame], list[str]] = lambda frame: [],
    **how: Any,
) -> list[Table]:
    """Make a table of the frame of each measure; ``order``: what is said of the order of the rows."""
    tables = []
    for measure in evaluation.measures:
        frame, about = frame_of(measure).reset_index(), {"measure": str(measure)}
        detail = queries_counted(evaluation, measure) + order
        tables.append(table_of(frame, shown, about=about, name=name, detail=detail, notes=notes(frame), **how))
    return tables


def _verdicts(frame: pd.DataFrame, top: int) -> list[str]:
    """Return what the figures of the rows mean, those of which the same is said together."""
    same = frame[: top or None].groupby("verdict", sort=False)["tie_break"].agg(", ".join)
    pairs = [(str(verdict), which) for verdict, which in same.items()]
    return [verdict if verdict.startswith(f"{which} ") else f"{which}: {verdict}" for verdict, which in pairs]


PARTS: dict[str, Callable[[Evaluation, Ties], list[Table]]] = {
    part.__name__.removeprefix("_"): part
    for part in (_anatomy, _cost, _bias, _bias_features, _hidden, _blame, _culprits, _advice)
}
"""The tables of the command, by name."""
