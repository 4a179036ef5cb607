"""How tied each feature is, and where it hurts, as tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pandas as pd

from tiecore import diagnostics
from tiecore.cli.render.numbers import Write, chances, counts, decimals_for, names, shares, to_decimals, to_deviations
from tiecore.cli.render.tables import Report, Sheet, Table, columns_of, legend_of
from tiecore.cli.reports.evaluate import queries_counted
from tiecore.cli.reports.one_feature import advice, blame, culprits, precision
from tiecore.errors import TiecoreError
from tiecore.evaluation.result import Evaluation
from tiecore.measures import Measure

if TYPE_CHECKING:
    from tiecore.cli.commands import Ties

__all__ = ["PARTS", "check", "report_of"]


def check(request: Ties) -> None:
    """Refuse tables that cannot be shown, before anything is read."""
    unknown = [part for part in request.parts if part not in PARTS]
    if unknown:
        raise TiecoreError(f"there is no part {unknown[0]!r}: there are {', '.join(PARTS)}")
    if request.query is not None and request.feature is None:
        raise TiecoreError("--query analyses the ties of one feature: name it with --feature")
    for part in request.parts:
        if missing := _missing(part, request):
            raise TiecoreError(f"part {part!r} needs {missing}")


def report_of(evaluation: Evaluation, request: Ties) -> Report:
    """Return a report on the ties of all features, or on the queries and ties of one."""
    parts = request.parts
    if not parts:
        usual = ("anatomy", "cost", "bias", "hidden") if request.feature is None else ("blame", "culprits", "advice")
        has_others = len(evaluation.features) > 1
        parts = tuple(part for part in usual if not _missing(part, request) and (part != "advice" or has_others))
    sheets = []
    for part in parts:
        tables = PARTS[part](evaluation, request)
        sheets.append(Sheet(name=part, tables=tables, legend=legend_of(tables, _explain)))
    return Report(command="ties", sheets=sheets, top=request.top)


def _missing(part: str, request: Ties) -> str:
    """Return what a table needs that the request lacks; empty if nothing."""
    if part in ("bias", "bias_features") and not request.tie_breaks:
        return "a tie-break: give one with -t"
    if part in ("blame", "culprits", "precision") and request.feature is None:
        return "a feature: name one with --feature"
    if part == "culprits" and request.query is None:
        return "a query: name one with --query"
    return ""


def _explain(heading: str) -> str:
    return "" if heading == "feature" else diagnostics.explain(heading)


def _anatomy(evaluation: Evaluation, request: Ties) -> list[Table]:
    frame = diagnostics.anatomy(evaluation, request.cutoffs, rel=_threshold(evaluation))
    cut = [f"cut_in_mixed_tie@{k}" for k in request.cutoffs]
    frame = frame.sort_values([*cut, "tied_mixed"], ascending=False, kind="stable").reset_index()
    writes: dict[str, Write] = {
        "feature": names,
        "documents": counts,
        **dict.fromkeys(("tied", "tied_mixed"), shares),
        "mean_tie": to_decimals(1),
        "largest_tie": counts,
        "values_per_query": to_decimals(1),
        "constant_queries": shares,
        **dict.fromkeys(cut, shares),
    }
    alarms = [f"{row.feature}: {row.alarm}" for row in frame[frame["alarm"] != ""].itertuples()]
    shown = alarms[: request.top or None]
    quieter = [f"{len(alarms) - len(shown)} more such features"] if len(shown) < len(alarms) else []
    return [
        Table(
            data=frame,
            name="ties of each feature",
            detail="most affected first",
            columns=columns_of(frame, writes, keys=("feature",)),
            notes=[*shown, *quieter],
        )
    ]


def _threshold(evaluation: Evaluation) -> int:
    """Grade from which a tie counts as mixed: that of the measures, if they agree on one."""
    found = {measure.threshold for measure in evaluation.measures}
    return found.pop() if len(found) == 1 else 1


def _cuts(evaluation: Evaluation, request: Ties) -> list[Table]:
    frame = diagnostics.cut_curve(evaluation, rel=_threshold(evaluation)).reset_index()
    shares_of = ("cut_in_tie", "cut_in_mixed_tie", "longer")
    writes: dict[str, Write] = {"feature": names, "cutoff": counts, **dict.fromkeys(shares_of, shares)}
    columns = columns_of(frame, writes, keys=("feature", "cutoff"))
    return [Table(data=frame, name="where a cut falls inside a tie", columns=columns)]


def _cost(evaluation: Evaluation, request: Ties) -> list[Table]:
    values, of_all = evaluation.summary, diagnostics.random_baseline(evaluation)
    of_all["sd"], of_all["spread"] = values["sd"], (values["best"] - values["worst"]).abs()
    of_all = of_all.sort_values("spread", ascending=False, kind="stable")

    def table(measure: Measure) -> Table:
        frame = _rows(of_all, measure)
        decimals = decimals_for(frame[["expected", "spread"]].to_numpy())
        writes: dict[str, Write] = {
            "feature": names,
            **dict.fromkeys(("expected", "random", "gained"), to_decimals(decimals)),
            "sd": to_deviations(decimals),
            "spread": to_decimals(decimals),
        }
        return Table(
            data=frame,
            about={"measure": str(measure)},
            name="what ties cost",
            detail=f"{queries_counted(evaluation, measure)}, the largest spread first",
            columns=columns_of(frame, writes, keys=("feature",)),
        )

    return list(map(table, evaluation.measures))


def _rows(of_all: pd.DataFrame, measure: Measure) -> pd.DataFrame:
    return of_all.loc[[str(measure)]].droplevel("measure").reset_index()


def _bias(evaluation: Evaluation, request: Ties) -> list[Table]:
    of_all = diagnostics.pooled_bias(evaluation, draws=request.draws)
    writes: dict[str, Write] = {
        "tie_break": names,
        "features": counts,
        "lifted": counts,
        "strongest": names,
        "z": to_decimals(2),
        "p": chances,
    }

    def table(measure: Measure) -> Table:
        frame = _rows(of_all, measure)
        # tie-breaks of which the same is said, together
        same = frame[: request.top or None].groupby("verdict", sort=False)["tie_break"].agg(", ".join)
        return Table(
            data=frame,
            about={"measure": str(measure)},
            name="do tie-breaks correlate with relevance?",
            detail=queries_counted(evaluation, measure),
            columns=columns_of(frame, writes, keys=("tie_break",)),
            notes=[
                str(verdict) if str(verdict).startswith(f"{which} ") else f"{which}: {verdict}"
                for verdict, which in same.items()
            ],
        )

    return list(map(table, evaluation.measures))


def _bias_features(evaluation: Evaluation, request: Ties) -> list[Table]:
    of_all = diagnostics.bias(evaluation, draws=request.draws)

    def table(measure: Measure) -> Table:
        frame = _rows(of_all, measure)
        decimals = decimals_for(frame[["value", "expected"]].to_numpy())
        writes: dict[str, Write] = {
            "tie_break": names,
            "feature": names,
            **dict.fromkeys(("value", "expected", "shift", "chance_sd"), to_decimals(decimals)),
            "z": to_decimals(2),
            **dict.fromkeys(("p", "p_adjusted"), chances),
        }
        return Table(
            data=frame,
            about={"measure": str(measure)},
            name="tie-breaks and relevance, feature by feature",
            detail=queries_counted(evaluation, measure),
            columns=columns_of(frame, writes, keys=("tie_break", "feature")),
        )

    return list(map(table, evaluation.measures))


def _hidden(evaluation: Evaluation, request: Ties) -> list[Table]:
    frame = diagnostics.hidden_ties(evaluation).reset_index()
    found = frame[frame["note"] != ""]
    tied = [name for name in frame.columns if name.startswith("tied")]
    writes: dict[str, Write] = {"feature": names, **dict.fromkeys(tied, shares)}
    notes = [f"{row.feature}: {row.note}" for row in found[: request.top or None].itertuples()]
    return [
        Table(
            data=frame,
            name="hidden and spurious ties",
            columns=columns_of(found, writes, keys=("feature",)) if notes else (),
            notes=notes or ["No feature shows signs of ties hidden by small steps or rounding."],
        )
    ]


def _each(table: Callable[[Evaluation, Ties, Measure], Table]) -> Callable[[Evaluation, Ties], list[Table]]:
    """Make one table for each measure."""
    return lambda evaluation, request: [table(evaluation, request, measure) for measure in evaluation.measures]


PARTS: dict[str, Callable[[Evaluation, Ties], list[Table]]] = {
    "anatomy": _anatomy,
    "cuts": _cuts,
    "cost": _cost,
    "bias": _bias,
    "bias_features": _bias_features,
    "hidden": _hidden,
    "blame": _each(blame),
    "culprits": _each(culprits),
    "precision": _each(precision),
    "advice": _each(advice),
}
"""The tables of the command, by name."""
