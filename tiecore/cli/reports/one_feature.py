"""Tables on one feature: its queries, its ties, its precision, and other features as tie-breakers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from tiecore import diagnostics
from tiecore.cli.options import TiesRequest
from tiecore.cli.render.numbers import chances, counts, decimals_for, shares
from tiecore.cli.render.sheets import Write, columns_of, names, shown_rows, to_decimals, to_deviations
from tiecore.cli.render.table import Block
from tiecore.cli.reports.evaluate import queries_counted
from tiecore.evaluation.result import Evaluation
from tiecore.measures import Measure

__all__ = ["advice", "blame", "by_measure", "culprits", "precision"]

_BlockOf = Callable[[Measure, pd.DataFrame, pd.DataFrame, list[str]], Block]
"""Block of a measure, given its table, the rows of it that are shown, and a note on the others."""


def by_measure(
    evaluation: Evaluation, request: TiesRequest, table_of: Callable[[Measure], pd.DataFrame], block: _BlockOf
) -> tuple[pd.DataFrame, list[Block]]:
    """Make a table and a block for each measure; the tables become one."""
    frames, blocks = [], []
    for measure in evaluation.measures:
        table = table_of(measure).reset_index()
        table.insert(0, "measure", str(measure))
        frames.append(table)
        blocks.append(block(measure, table, *shown_rows(table, request.top)))
    return pd.concat(frames, ignore_index=True), blocks


def blame(evaluation: Evaluation, request: TiesRequest) -> tuple[pd.DataFrame, list[Block]]:
    """Rank the queries by the effect of their ties."""

    def block(measure: Measure, table: pd.DataFrame, shown: pd.DataFrame, notes: list[str]) -> Block:
        decimals = decimals_for(table[["expected", "worst", "best"]].to_numpy())
        write = to_decimals(decimals)
        shifts = [evaluation.derived_column(tie_break.name, "shift") for tie_break in evaluation.tie_breaks]
        writes: dict[str, Write] = {
            "query_id": names,
            "expected": write,
            "sd": to_deviations(decimals),
            **dict.fromkeys(("worst", "best", "spread"), write),
            **dict.fromkeys(("share", "cumulative"), shares),
        }
        return Block(
            title=f"{measure} · queries of {request.feature} by {request.by}",
            detail=queries_counted(evaluation, measure),
            columns=columns_of(shown, writes, keys=("query_id",)),
            further=columns_of(shown, dict.fromkeys(shifts, write)),
            notes=notes,
        )

    return by_measure(
        evaluation,
        request,
        lambda measure: diagnostics.blame(evaluation, str(request.feature), measure, by=request.by),
        block,
    )


def culprits(evaluation: Evaluation, request: TiesRequest) -> tuple[pd.DataFrame, list[Block]]:
    """Show the tie groups of one query."""

    def block(measure: Measure, table: pd.DataFrame, shown: pd.DataFrame, notes: list[str]) -> Block:
        write = to_decimals(decimals_for(table[["contribution", "spread"]].to_numpy()))
        writes: dict[str, Write] = {
            "group": counts,
            "score": _scores,
            **dict.fromkeys(("first_rank", "last_rank", "size", "relevant"), counts),
            "grades": names,
            "inside": counts,
            **dict.fromkeys(("contribution", "to_worst", "to_best"), write),
            "share": shares,
        }
        return Block(
            title=f"{measure} · ties of {request.feature} in query {request.query}",
            columns=columns_of(shown, writes, keys=("group", "score")),
            notes=notes,
        )

    return by_measure(
        evaluation,
        request,
        lambda measure: diagnostics.culprits(evaluation, str(request.feature), measure, query_id=str(request.query)),
        block,
    )


def precision(evaluation: Evaluation, request: TiesRequest) -> tuple[pd.DataFrame, list[Block]]:
    """Show how much precision the feature needs."""

    def block(measure: Measure, table: pd.DataFrame, shown: pd.DataFrame, notes: list[str]) -> Block:
        decimals = decimals_for(table[["expected", "worst", "best"]].to_numpy())
        write = to_decimals(decimals)
        writes: dict[str, Write] = {
            "precision": names,
            "values": counts,
            "tied": shares,
            "expected": write,
            "sd": to_deviations(decimals),
            **dict.fromkeys(("worst", "best", "change"), write),
            "p": chances,
        }
        verdicts = shown.groupby("verdict", sort=False)["precision"].agg(", ".join)
        return Block(
            title=f"{measure} · {request.feature} at lower precision",
            detail=queries_counted(evaluation, measure),
            columns=columns_of(shown, writes, keys=("precision",)),
            notes=[*notes, *(f"{which}: {verdict}" for verdict, which in verdicts.items())],
        )

    return by_measure(
        evaluation,
        request,
        lambda measure: diagnostics.precision_curve(evaluation, str(request.feature), measure),
        block,
    )


def advice(evaluation: Evaluation, request: TiesRequest) -> tuple[pd.DataFrame, list[Block]]:
    """Evaluate the other features as tie-breakers."""

    def block(measure: Measure, table: pd.DataFrame, shown: pd.DataFrame, notes: list[str]) -> Block:
        write = to_decimals(decimals_for(table[["expected"]].to_numpy()))
        writes: dict[str, Write] = {
            "feature": names,
            "other": names,
            **dict.fromkeys(("expected", "gained"), write),
            **dict.fromkeys(("sd_removed", "spread_removed"), shares),
            "z": to_decimals(2),
            "p": chances,
        }
        if request.feature is not None:
            del writes["feature"]
        of_feature = "" if request.feature is None else f" of {request.feature}"
        return Block(
            title=f"{measure} · which feature breaks the ties{of_feature} best?",
            detail=queries_counted(evaluation, measure),
            columns=columns_of(shown, writes, keys=("feature", "other")),
            notes=notes,
        )

    return by_measure(
        evaluation, request, lambda measure: diagnostics.advice(evaluation, request.feature, measure), block
    )


def _scores(values: np.ndarray) -> list[str]:
    return ["none" if np.isnan(value) else f"{value:g}" for value in values]
