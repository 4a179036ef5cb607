"""Tables on one feature: its queries, its ties, its precision, and other features as tie-breakers."""

from __future__ import annotations

import numpy as np

from tiecore import diagnostics
from tiecore.cli.options import TiesOptions
from tiecore.cli.render.tables import Table, columns_of
from tiecore.cli.reports.evaluate import queries_counted
from tiecore.evaluation.result import Evaluation
from tiecore.measures import Measure

__all__ = ["advice", "blame", "culprits", "precision"]


def blame(evaluation: Evaluation, request: TiesOptions, measure: Measure) -> Table:
    """Rank the queries by the effect of their ties."""
    frame = diagnostics.blame(evaluation, str(request.feature), measure, by=request.by).reset_index()
    shown = ["query_id", "expected", "sd", "worst", "best", "spread", "share", "cumulative"]
    shifts = [evaluation.derived_column(tie_break.name, "shift") for tie_break in evaluation.tie_breaks]
    columns = columns_of(frame, [*shown, *shifts], keys=1)
    return Table(
        data=frame,
        about={"measure": str(measure)},
        name=f"queries of {request.feature} by {request.by}",
        detail=queries_counted(evaluation, measure),
        columns=columns[: len(shown)],
        further=columns[len(shown) :],
    )


def culprits(evaluation: Evaluation, request: TiesOptions, measure: Measure) -> Table:
    """Show the tie groups of one query."""
    frame = diagnostics.culprits(evaluation, str(request.feature), measure, query_id=str(request.query)).reset_index()
    shown = (
        "group, score, first_rank, last_rank, size, relevant, grades, inside, contribution, to_worst, to_best, share"
    )
    return Table(
        data=frame,
        about={"measure": str(measure)},
        name=f"ties of {request.feature} in query {request.query}",
        columns=columns_of(frame, shown, keys=2, writes={"score": _scores}),
    )


def precision(evaluation: Evaluation, request: TiesOptions, measure: Measure) -> Table:
    """Show how much precision the feature needs."""
    frame = diagnostics.precision_curve(evaluation, str(request.feature), measure).reset_index()
    verdicts = frame[: request.top or None].groupby("verdict", sort=False)["precision"].agg(", ".join)
    return Table(
        data=frame,
        about={"measure": str(measure)},
        name=f"{request.feature} at lower precision",
        detail=queries_counted(evaluation, measure),
        columns=columns_of(frame, "precision, values, tied, expected, sd, worst, best, change, p", keys=1),
        notes=[f"{which}: {verdict}" for verdict, which in verdicts.items()],
    )


def advice(evaluation: Evaluation, request: TiesOptions, measure: Measure) -> Table:
    """Evaluate the other features as tie-breakers."""
    frame = diagnostics.advice(evaluation, request.feature, measure).reset_index()
    of_feature, keys = ("", "feature, other") if request.feature is None else (f" of {request.feature}", "other")
    return Table(
        data=frame,
        about={"measure": str(measure)},
        name=f"which feature breaks the ties{of_feature} best?",
        detail=queries_counted(evaluation, measure),
        columns=columns_of(frame, f"{keys}, expected, gained, sd_removed, spread_removed, z, p", keys=2),
    )


def _scores(values: np.ndarray) -> list[str]:
    return ["none" if np.isnan(value) else f"{value:g}" for value in values]
