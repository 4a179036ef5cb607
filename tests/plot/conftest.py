"""Small data with ties, and the evaluation that figures are made of."""

from typing import Any

import numpy as np
import pytest

import tiecore
from tiecore.board import Board
from tiecore.plot import Figure
from tiecore.plot.sheet import _settings

N_QUERIES = 12
rng = np.random.default_rng(5)
QRELS = {f"q{q}": {f"d{d}": int(rng.integers(0, 3)) for d in range(12)} for q in range(N_QUERIES)}
FEW = {query: QRELS[query] for query in ("q0", "q1", "q2")}
NAMES = ("clicks", "visits $per$ day", "<b>pages</b>", "grade")
FEATURES = {
    name: {q: {d: float(rng.integers(0, 2 + at)) for d in QRELS[q]} for q in QRELS} for at, name in enumerate(NAMES)
}


def drawn(figure: Figure) -> list[Any]:
    with _settings():
        figure.draw_without_rendering()
    return figure.axes


def axes_of(figure: Figure) -> list[Any]:
    return figure.axes


def made(evaluation: tiecore.Evaluation, **sheet: Any) -> dict[str, Figure]:
    return {
        "board": evaluation.plot.board("nDCG@5", **sheet),
        "difference": evaluation.plot.difference("clicks", "grade", "nDCG@5", **sheet),
        "places": evaluation.plot.places("nDCG@5", **sheet),
        "curves": evaluation.plot.curves("nDCG@5", cutoffs=(1, 2, 5), **sheet),
    }


@pytest.fixture(scope="module")
def evaluation() -> tiecore.Evaluation:
    return tiecore.evaluate(QRELS, FEATURES, ["nDCG@5", "ESL"], ["docid-asc", "input"])


@pytest.fixture(scope="module")
def board(evaluation: tiecore.Evaluation) -> Board:
    return evaluation.board("nDCG@5")
