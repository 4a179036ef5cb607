"""How tied each feature is, and where it hurts, as sheets."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from tiecore import diagnostics
from tiecore.cli.options import TiesRequest
from tiecore.cli.render.numbers import chances, counts, decimals_for, shares
from tiecore.cli.render.sheets import (
    Report,
    Sheet,
    Write,
    columns_of,
    legend_of,
    names,
    shown_rows,
    to_decimals,
    to_deviations,
)
from tiecore.cli.render.table import Block
from tiecore.cli.reports.evaluate import queries_counted
from tiecore.cli.reports.one_feature import advice, blame, by_measure, culprits, precision
from tiecore.errors import TiecoreError
from tiecore.evaluation.result import Evaluation
from tiecore.measures import Measure

__all__ = ["PARTS", "check", "report_of"]


def check(request: TiesRequest, *, has_tie_breaks: bool) -> None:
    """Refuse tables that cannot be shown, before anything is read."""
    unknown = [part for part in request.parts if part not in PARTS]
    if unknown:
        raise TiecoreError(f"there is no part {unknown[0]!r}: there are {', '.join(PARTS)}")
    if request.query is not None and request.feature is None:
        raise TiecoreError("--query analyses the ties of one feature: name it with --feature")
    for part in request.parts:
        if missing := _missing(part, request, has_tie_breaks=has_tie_breaks):
            raise TiecoreError(f"part {part!r} needs {missing}")


def report_of(evaluation: Evaluation, request: TiesRequest) -> Report:
    """Return a report on the ties of all features, or on the queries and ties of one."""
    if request.parts:
        parts = tuple(request.parts)
    else:
        usual = ("anatomy", "cost", "bias", "hidden") if request.feature is None else ("blame", "culprits", "advice")
        has_others, has_tie_breaks = len(evaluation.features) > 1, bool(evaluation.tie_breaks)
        parts = tuple(
            part
            for part in usual
            if not _missing(part, request, has_tie_breaks=has_tie_breaks) and (part != "advice" or has_others)
        )
    return Report(command="ties", sheets=tuple(_sheet(part, evaluation, request) for part in parts))


def _missing(part: str, request: TiesRequest, *, has_tie_breaks: bool) -> str:
    """Return what a table needs that the request lacks; empty if nothing."""
    if part in ("bias", "bias_features") and not has_tie_breaks:
        return "a tie-break: give one with -t"
    if part in ("blame", "culprits", "precision") and request.feature is None:
        return "a feature: name one with --feature"
    if part == "culprits" and request.query is None:
        return "a query: name one with --query"
    return ""


def _sheet(part: str, evaluation: Evaluation, request: TiesRequest) -> Sheet:
    frame, blocks = PARTS[part](evaluation, request)
    return Sheet(name=part, table=lambda: frame, blocks=lambda: blocks, legend=legend_of(blocks, _explain))


def _explain(heading: str) -> str:
    return "" if heading == "feature" else diagnostics.explain(heading)


def _anatomy(evaluation: Evaluation, request: TiesRequest) -> tuple[pd.DataFrame, list[Block]]:
    table = diagnostics.anatomy(evaluation, request.cutoffs, rel=_threshold(evaluation))
    cut = [f"cut_in_mixed_tie@{k}" for k in request.cutoffs]
    table = table.sort_values([*cut, "tied_mixed"], ascending=False, kind="stable").reset_index()
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
    shown, left_out = shown_rows(table, request.top)
    alarms = table[table["alarm"] != ""]
    loudest, quieter = shown_rows(alarms, request.top)
    return table, [
        Block(
            title="ties of each feature",
            detail="most affected first",
            columns=columns_of(shown, writes, keys=("feature",)),
            notes=[
                *left_out,
                *(f"{feature}: {alarm}" for feature, alarm in zip(loudest["feature"], loudest["alarm"], strict=True)),
                *([f"{len(alarms) - len(loudest)} more such features"] if quieter else []),
            ],
        )
    ]


def _threshold(evaluation: Evaluation) -> int:
    """Grade from which a tie counts as mixed: that of the measures, if they agree on one."""
    found = {measure.threshold for measure in evaluation.measures}
    return found.pop() if len(found) == 1 else 1


def _cuts(evaluation: Evaluation, request: TiesRequest) -> tuple[pd.DataFrame, list[Block]]:
    table = diagnostics.cut_curve(evaluation, rel=_threshold(evaluation)).reset_index()
    shown, left_out = shown_rows(table, request.top)
    shares_of = ("cut_in_tie", "cut_in_mixed_tie", "longer")
    writes: dict[str, Write] = {"feature": names, "cutoff": counts, **dict.fromkeys(shares_of, shares)}
    columns = columns_of(shown, writes, keys=("feature", "cutoff"))
    return table, [Block(title="where a cut falls inside a tie", columns=columns, notes=left_out)]


def _cost(evaluation: Evaluation, request: TiesRequest) -> tuple[pd.DataFrame, list[Block]]:
    values = evaluation.summary
    table = diagnostics.random_baseline(evaluation)
    table["sd"], table["spread"] = values["sd"], (values["best"] - values["worst"]).abs()

    def block(measure: Measure, _: pd.DataFrame, rows: pd.DataFrame, notes: list[str]) -> Block:
        decimals = decimals_for(rows[["expected", "spread"]].to_numpy())
        writes: dict[str, Write] = {
            "feature": names,
            **dict.fromkeys(("expected", "random", "gained"), to_decimals(decimals)),
            "sd": to_deviations(decimals),
            "spread": to_decimals(decimals),
        }
        return Block(
            title=f"{measure} · what ties cost",
            detail=f"{queries_counted(evaluation, measure)}, the largest spread first",
            columns=columns_of(rows, writes, keys=("feature",)),
            notes=notes,
        )

    table = table.sort_values("spread", ascending=False, kind="stable")
    return by_measure(evaluation, request, lambda measure: table.loc[[str(measure)]].droplevel("measure"), block)


def _bias(evaluation: Evaluation, request: TiesRequest) -> tuple[pd.DataFrame, list[Block]]:
    table = diagnostics.pooled_bias(evaluation)

    def block(measure: Measure, _: pd.DataFrame, rows: pd.DataFrame, notes: list[str]) -> Block:
        writes: dict[str, Write] = {
            "tie_break": names,
            "features": counts,
            "lifted": counts,
            "strongest": names,
            "z": to_decimals(2),
            "p": chances,
        }
        return Block(
            title=f"{measure} · do tie-breaks correlate with relevance?",
            detail=queries_counted(evaluation, measure),
            columns=columns_of(rows, writes, keys=("tie_break",)),
            notes=[*notes, *_verdicts(rows, "tie_break")],
        )

    return by_measure(evaluation, request, lambda measure: table.loc[[str(measure)]].droplevel("measure"), block)


def _bias_features(evaluation: Evaluation, request: TiesRequest) -> tuple[pd.DataFrame, list[Block]]:
    table = diagnostics.bias(evaluation)

    def block(measure: Measure, _: pd.DataFrame, rows: pd.DataFrame, notes: list[str]) -> Block:
        decimals = decimals_for(rows[["value", "expected"]].to_numpy())
        writes: dict[str, Write] = {
            "tie_break": names,
            "feature": names,
            **dict.fromkeys(("value", "expected", "shift", "chance_sd"), to_decimals(decimals)),
            "z": to_decimals(2),
            **dict.fromkeys(("p", "p_adjusted"), chances),
        }
        return Block(
            title=f"{measure} · tie-breaks and relevance, feature by feature",
            detail=queries_counted(evaluation, measure),
            columns=columns_of(rows, writes, keys=("tie_break", "feature")),
            notes=notes,
        )

    return by_measure(evaluation, request, lambda measure: table.loc[[str(measure)]].droplevel("measure"), block)


def _verdicts(rows: pd.DataFrame, name: str) -> list[str]:
    """Say for each row what its figures mean, those together that say the same."""
    same = rows.groupby("verdict", sort=False)[name].agg(", ".join)
    return [
        str(verdict) if str(verdict).startswith(f"{which} ") else f"{which}: {verdict}"
        for verdict, which in same.items()
    ]


def _hidden(evaluation: Evaluation, request: TiesRequest) -> tuple[pd.DataFrame, list[Block]]:
    table = diagnostics.hidden_ties(evaluation).reset_index()
    found = table[table["note"] != ""]
    shown, left_out = shown_rows(found, request.top)
    tied = [name for name in table.columns if name.startswith("tied")]
    writes: dict[str, Write] = {"feature": names, **dict.fromkeys(tied, shares)}
    nothing = [] if len(found) else ["No feature shows signs of ties hidden by small steps or rounding."]
    return table, [
        Block(
            title="hidden and spurious ties",
            columns=columns_of(shown, writes, keys=("feature",)) if len(found) else (),
            notes=[*left_out, *nothing, *(f"{row.feature}: {row.note}" for row in shown.itertuples())],
        )
    ]


PARTS: dict[str, Callable[[Evaluation, TiesRequest], tuple[pd.DataFrame, list[Block]]]] = {
    "anatomy": _anatomy,
    "cuts": _cuts,
    "cost": _cost,
    "bias": _bias,
    "bias_features": _bias_features,
    "hidden": _hidden,
    "blame": blame,
    "culprits": culprits,
    "precision": precision,
    "advice": advice,
}
"""The tables of the command, by name."""
