"""Tables on one feature: its queries, its ties, its precision, and other features as tie-breakers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tiecore import diagnostics
from tiecore.cli.render.numbers import Write, chances, counts, decimals_for, names, shares, to_decimals, to_deviations
from tiecore.cli.render.tables import Table, columns_of
from tiecore.cli.reports.evaluate import queries_counted
from tiecore.evaluation.result import Evaluation
from tiecore.measures import Measure

if TYPE_CHECKING:
    from tiecore.cli.commands import Ties

__all__ = ["advice", "blame", "culprits", "precision"]


def blame(evaluation: Evaluation, request: Ties, measure: Measure) -> Table:
    """Rank the queries by the effect of their ties."""
    frame = diagnostics.blame(evaluation, measure, str(request.feature), by=request.by).reset_index()
    decimals = decimals_for(frame[["expected", "worst", "best"]].to_numpy())
    write = to_decimals(decimals)
    shifts = [evaluation.derived_column(tie_break.name, "shift") for tie_break in evaluation.tie_breaks]
    writes: dict[str, Write] = {
        "query_id": names,
        "expected": write,
        "sd": to_deviations(decimals),
        **dict.fromkeys(("worst", "best", "spread"), write),
        **dict.fromkeys(("share", "cumulative"), shares),
    }
    return Table(
        data=frame,
        about={"measure": str(measure)},
        name=f"queries of {request.feature} by {request.by}",
        detail=queries_counted(evaluation, measure),
        columns=columns_of(frame, writes, keys=("query_id",)),
        further=columns_of(frame, dict.fromkeys(shifts, write)),
    )


def culprits(evaluation: Evaluation, request: Ties, measure: Measure) -> Table:
    """Show the tie groups of one query."""
    frame = diagnostics.culprits(evaluation, measure, str(request.feature), str(request.query)).reset_index()
    write = to_decimals(decimals_for(frame[["contribution", "spread"]].to_numpy()))
    writes: dict[str, Write] = {
        "group": counts,
        "score": _scores,
        **dict.fromkeys(("first_rank", "last_rank", "size", "relevant"), counts),
        "grades": names,
        "inside": counts,
        **dict.fromkeys(("contribution", "to_worst", "to_best"), write),
        "share": shares,
    }
    return Table(
        data=frame,
        about={"measure": str(measure)},
        name=f"ties of {request.feature} in query {request.query}",
        columns=columns_of(frame, writes, keys=("group", "score")),
    )


def precision(evaluation: Evaluation, request: Ties, measure: Measure) -> Table:
    """Show how much precision the feature needs."""
    frame = diagnostics.precision_curve(evaluation, measure, str(request.feature)).reset_index()
    decimals = decimals_for(frame[["expected", "worst", "best"]].to_numpy())
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
    shown = frame[: request.top or None]
    verdicts = shown.groupby("verdict", sort=False)["precision"].agg(", ".join)
    return Table(
        data=frame,
        about={"measure": str(measure)},
        name=f"{request.feature} at lower precision",
        detail=queries_counted(evaluation, measure),
        columns=columns_of(frame, writes, keys=("precision",)),
        notes=[f"{which}: {verdict}" for verdict, which in verdicts.items()],
    )


def advice(evaluation: Evaluation, request: Ties, measure: Measure) -> Table:
    """Evaluate the other features as tie-breakers."""
    frame = diagnostics.advice(evaluation, measure, request.feature).reset_index()
    writes: dict[str, Write] = {
        **dict.fromkeys(("feature", "other") if request.feature is None else ("other",), names),
        **dict.fromkeys(("expected", "gained"), to_decimals(decimals_for(frame[["expected"]].to_numpy()))),
        **dict.fromkeys(("sd_removed", "spread_removed"), shares),
        "z": to_decimals(2),
        "p": chances,
    }
    of_feature = "" if request.feature is None else f" of {request.feature}"
    return Table(
        data=frame,
        about={"measure": str(measure)},
        name=f"which feature breaks the ties{of_feature} best?",
        detail=queries_counted(evaluation, measure),
        columns=columns_of(frame, writes, keys=("feature", "other")),
    )


def _scores(values: np.ndarray) -> list[str]:
    return ["none" if np.isnan(value) else f"{value:g}" for value in values]
