"""What is shown, and what takes no part, is said above every page."""

from __future__ import annotations

import html
import io
from collections.abc import Callable

import pandas as pd
import pytest

import tiecore
from tests.dashboard.conftest import OpenApp
from tiecore_dashboard.app.extent import extent, left_out, without_judgments
from tiecore_dashboard.files.datasets import Dataset


def test_what_is_compared_is_said_in_brief() -> None:
    facts = extent(name="<q>", n_queries=50, n_documents=1234, n_features=1, settings=["AP"])
    assert facts == ["<strong>&lt;q&gt;</strong>", "50 queries", "1,234 judged documents", "1 feature", "AP"]


def test_who_takes_no_part_is_named() -> None:
    assert left_out([]) == ""
    assert left_out(["a"]) == "a is left out: the page Data says why."
    assert left_out(["a", "b"]) == "a and b are left out: the page Data says why."


def test_many_queries_without_judgments_are_a_warning() -> None:
    def of(**unknown: int) -> str:
        return without_judgments(pd.DataFrame({"queries": 50, "queries_unknown": unknown}, index=list(unknown)))

    assert of(a=5) == ""
    assert of(a=12) == "a: 12 queries without judgments left out."
    assert of(a=12, b=9, c=7) == "3 features: up to 12 queries without judgments left out."


@pytest.mark.parametrize("queries", ["all judged", "common"])
def test_the_warnings_of_the_evaluation_stand_on_every_page(
    open_app: OpenApp, load: Callable[..., Dataset], queries: str
) -> None:
    qrels = "".join(f"q{q} 0 d{d} {d % 2}\n" for q in range(4) for d in range(4))
    some = "".join(f"q{q} Q0 d{d} 1 {d} some\n" for q in range(2) for d in range(4))
    foreign = "".join(f"q{q} Q0 {'x' * (d % 2)}d{d} 1 {d} foreign\n" for q in range(4) for d in range(4))
    data = load(qrels__txt=qrels, some__run=some, foreign__run=foreign)
    kind = "common" if queries == "common" else "qrels"
    texts = [io.BytesIO(text.encode()) for text in (qrels, some, foreign)]
    expected = tiecore.evaluate(texts[0], texts[1:], ["nDCG@10"], queries=kind).warnings  # type: ignore[arg-type]
    assert len(expected) == 2
    for page in ("ranking", "pairs", "cutoffs", "queries", "ties"):
        app = open_app(page, query={"queries": queries}, state={"dataset": data})
        shown = " ".join(html.unescape(element.proto.body) for element in app.get("html"))
        assert expected[0] in shown
        # told of by judged@k, and on one page
        assert ("have a judgment" in shown) == (page == "ranking")
