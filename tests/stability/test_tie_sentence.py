"""What a sentence says about ties of which little is known."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from tiecore.stability.sentences import tie_sentence


@pytest.mark.parametrize(
    ("ties", "said"), [("", ""), ("likely", "Too many documents are tied to draw random tie-breaks.")]
)
def test_a_risk_that_is_not_known_is_not_said(ties: str, said: str) -> None:
    pair = pd.Series({"leader": "a", "trailer": "b", "ties": ties, "tie_risk": math.nan})
    assert tie_sentence(pair) == said
