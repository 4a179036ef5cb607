"""How tied each feature is, and where it hurts, as tables."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from tiecore import diagnostics
from tiecore.cli.options import TiesOptions
from tiecore.cli.render.tables import Report, Sheet, Table, columns_of, legend_of
from tiecore.cli.reports import one_feature
from tiecore.cli.reports.evaluate import queries_counted
from tiecore.errors import TiecoreError
from tiecore.evaluation.result import Evaluation
from tiecore.measures import Measure

__all__ = ["PARTS", "check", "report_of"]

_NEEDS_TIE_BREAK, _NEEDS_FEATURE = ("bias", "bias_features"), ("blame", "culprits", "precision")


def check(request: TiesOptions) -> None:
    """Refuse tables that cannot be shown, before anything is read."""
    unknown = [part for part in request.parts if part not in PARTS]
    if unknown:
        raise TiecoreError(f"there is no part {unknown[0]!r}: there are {', '.join(PARTS)}")
    if request.query is not None and request.feature is None:
        raise TiecoreError("--query analyses the ties of one feature: name it with --feature")
    for part in request.parts:
        if missing := _missing(part, request):
            raise TiecoreError(f"part {part!r} needs {missing}")


def report_of(evaluation: Evaluation, request: TiesOptions) -> Report:
    """Return a report on the ties of all features, or on the queries and ties of one."""
    usual = ["anatomy", "cost", "bias", "hidden"]
    if request.feature is not None:
        usual = ["blame", "culprits", *(["advice"] if len(evaluation.features) > 1 else [])]
    sheets = []
    for part in request.parts or [part for part in usual if not _missing(part, request)]:
        tables = PARTS[part](evaluation, request)
        sheets.append(Sheet(name=part, tables=tables, legend=legend_of(tables, _explain)))
    return Report(command="ties", sheets=sheets, top=request.top)


def _missing(part: str, request: TiesOptions) -> str:
    """Return what a table needs that the request lacks; empty if nothing."""
    if part in _NEEDS_TIE_BREAK and not request.tie_breaks:
        return "a tie-break: give one with -t"
    if part in _NEEDS_FEATURE and request.feature is None:
        return "a feature: name one with --feature"
    return "a query: name one with --query" if part == "culprits" and request.query is None else ""


def _explain(heading: str) -> str:
    return "" if heading == "feature" else diagnostics.column_meaning(heading)


def _anatomy(evaluation: Evaluation, request: TiesOptions) -> list[Table]:
    frame = diagnostics.anatomy(evaluation, cutoffs=request.cutoffs, rel=_threshold(evaluation))
    cut = [f"cut_in_mixed_tie@{k}" for k in request.cutoffs]
    frame = frame.sort_values([*cut, "tied_mixed"], ascending=False, kind="stable").reset_index()
    shown = "feature, documents, tied, tied_mixed, mean_tie, largest_tie, values_per_query, constant_queries"
    alarms = [f"{row.feature}: {row.alarm}" for row in frame[frame["alarm"] != ""].itertuples()]
    told = alarms[: request.top or None]
    return [
        Table(
            data=frame,
            name="ties of each feature",
            detail="most affected first",
            columns=columns_of(frame, [*shown.split(", "), *cut], keys=1),
            notes=told + [f"{len(alarms) - len(told)} more such features"] * (len(told) < len(alarms)),
        )
    ]


def _threshold(evaluation: Evaluation) -> int:
    """Grade from which a tie counts as mixed: that of the measures, if they agree on one."""
    found = {measure.threshold for measure in evaluation.measures}
    return found.pop() if len(found) == 1 else 1


def _cuts(evaluation: Evaluation, request: TiesOptions) -> list[Table]:
    frame = diagnostics.cut_curve(evaluation, rel=_threshold(evaluation)).reset_index()
    columns = columns_of(frame, "feature, cutoff, cut_in_tie, cut_in_mixed_tie, longer", keys=2)
    return [Table(data=frame, name="where a cut falls inside a tie", columns=columns)]


def _hidden(evaluation: Evaluation, request: TiesOptions) -> list[Table]:
    frame = diagnostics.hidden_ties(evaluation).reset_index()
    found = frame[frame["note"] != ""]
    shown = ["feature", *(name for name in frame.columns if name.startswith("tied"))]
    notes = [f"{row.feature}: {row.note}" for row in found[: request.top or None].itertuples()]
    return [
        Table(
            data=frame,
            name="hidden and spurious ties",
            columns=columns_of(found, shown, keys=1) if notes else (),
            notes=notes or ["No feature shows signs of ties hidden by small steps or rounding."],
        )
    ]


def _cost(evaluation: Evaluation, request: TiesOptions) -> list[Table]:
    values, frame = evaluation.summary, diagnostics.random_baseline(evaluation)
    frame["sd"], frame["spread"] = values["sd"], (values["best"] - values["worst"]).abs()
    frame = frame.sort_values("spread", ascending=False, kind="stable")
    return _by_measure(
        evaluation,
        frame,
        "what ties cost",
        "feature, expected, random, gained, sd, spread",
        ", the largest spread first",
    )


def _bias(evaluation: Evaluation, request: TiesOptions) -> list[Table]:
    def verdicts(frame: pd.DataFrame) -> list[str]:
        """Return what the figures of the rows mean, tie-breaks of which the same is said together."""
        same = frame[: request.top or None].groupby("verdict", sort=False)["tie_break"].agg(", ".join)
        pairs = [(str(verdict), which) for verdict, which in same.items()]
        return [verdict if verdict.startswith(f"{which} ") else f"{which}: {verdict}" for verdict, which in pairs]

    return _by_measure(
        evaluation,
        diagnostics.pooled_bias(evaluation),
        "do tie-breaks correlate with relevance?",
        "tie_break, features, lifted, strongest, z, p",
        notes=verdicts,
    )


def _bias_features(evaluation: Evaluation, request: TiesOptions) -> list[Table]:
    frame = diagnostics.bias(evaluation)
    shown = "tie_break, feature, value, expected, shift, chance_sd, z, p, p_adjusted"
    return _by_measure(evaluation, frame, "tie-breaks and relevance, feature by feature", shown, keys=2)


def _by_measure(
    evaluation: Evaluation,
    frame: pd.DataFrame,
    name: str,
    shown: str,
    order: str = "",
    *,
    keys: int = 1,
    notes: Callable[[pd.DataFrame], list[str]] | None = None,
) -> list[Table]:
    """Make a table of the rows of each measure; ``order``: what is said of the order of the rows."""
    rows = {one: frame.loc[[str(one)]].droplevel("measure").reset_index() for one in evaluation.measures}
    return [
        Table(
            data=of_measure,
            about={"measure": str(measure)},
            name=name,
            detail=queries_counted(evaluation, measure) + order,
            columns=columns_of(of_measure, shown, keys=keys),
            notes=notes(of_measure) if notes else (),
        )
        for measure, of_measure in rows.items()
    ]


_Part = Callable[[Evaluation, TiesOptions], list[Table]]


def _each(table: Callable[[Evaluation, TiesOptions, Measure], Table]) -> _Part:
    """Make one table for each measure."""
    return lambda evaluation, request: [table(evaluation, request, measure) for measure in evaluation.measures]


PARTS: dict[str, _Part] = {
    "anatomy": _anatomy,
    "cuts": _cuts,
    "cost": _cost,
    "bias": _bias,
    "bias_features": _bias_features,
    "hidden": _hidden,
    "blame": _each(one_feature.blame),
    "culprits": _each(one_feature.culprits),
    "precision": _each(one_feature.precision),
    "advice": _each(one_feature.advice),
}
"""The tables of the command, by name."""
