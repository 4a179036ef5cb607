"""The evaluation that the figures are made of."""

from __future__ import annotations

import pytest

import tiecore
from tests.plot.figures import FEATURES, QRELS
from tiecore.board import Board


@pytest.fixture(scope="module")
def evaluation() -> tiecore.Evaluation:
    return tiecore.evaluate(QRELS, FEATURES, ["nDCG@5", "ESL"], ["docid-asc", "input"])


@pytest.fixture(scope="module")
def board(evaluation: tiecore.Evaluation) -> Board:
    return evaluation.board("nDCG@5")
