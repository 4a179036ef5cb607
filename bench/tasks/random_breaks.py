"""Random tie-breaks by the hundred, in the two ways that there are."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd

from bench.clock import Outcome, timed
from bench.data import FREQUENT, Columns, columns
from bench.spelling import FOUR
from tiecore.collection.align import Alignment, align
from tiecore.evaluation.engine import evaluate_alignment

__all__ = ["draws", "seeds"]


def draws(*, n_documents: int, n_draws: int) -> Outcome:
    """Drawn from the groups of every feature, one measure after another."""
    source = columns(FREQUENT, n_documents=n_documents)
    evaluation = evaluate_alignment(_aligned(source), FOUR)
    calls: list[int] = []

    def draw(_: None) -> dict[str, pd.DataFrame]:
        return {
            name: evaluation.sample(name, draws=n_draws, seed=7, progress=lambda done, _: calls.append(done))
            for name in FOUR
        }

    times, drawn = timed(draw, given=lambda: None, repeats=1, warm_up=False)
    return {
        "times": {"work": times},
        "values": {"surprise": _surprise(evaluation.summary, drawn)},
        "counts": {**_size(source), "calls of progress": len(calls)},
    }


def seeds(*, n_documents: int, n_draws: int) -> Outcome:
    """By name: all measures at once, with every other column, and the same for each document wherever it stands."""
    source = columns(FREQUENT, n_documents=n_documents)
    names = [f"random:{seed}" for seed in range(n_draws)]
    calls: list[int] = []

    def evaluate(alignment: Alignment) -> pd.DataFrame:
        return evaluate_alignment(alignment, FOUR, names, progress=lambda done, _: calls.append(done)).summary

    times, summary = timed(evaluate, given=lambda: _aligned(source), repeats=1, warm_up=False)
    return {
        "times": {"work": times},
        "values": {"surprise": _surprise(summary, {name: summary.loc[[name], names].T for name in FOUR})},
        "counts": {**_size(source), "calls of progress": len(calls)},
    }


def _aligned(source: Columns) -> Alignment:
    table = source.table()
    return align(source.judgments(), [(name, table, name) for name in FREQUENT])


def _size(source: Columns) -> dict[str, int]:
    return {"documents": len(source.grade), "queries": len(source.query.dictionary), "features": len(source.scores)}


def _surprise(summary: pd.DataFrame, drawn: Mapping[str, pd.DataFrame]) -> dict[str, float]:
    """How many standard errors the mean of the draws is off the expectation, at most over the features."""
    surprise = {}
    for name, table in drawn.items():
        exact = summary.loc[[name]]
        # where nothing is left to chance the error is that of the arithmetic
        error = np.maximum(exact["sd"].to_numpy() / math.sqrt(len(table)), 1e-12)
        surprise[name] = float((np.abs(table.mean().to_numpy() - exact["expected"].to_numpy()) / error).max())
    return surprise
