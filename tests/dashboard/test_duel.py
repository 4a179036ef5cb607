"""The pictures of one pair: its difference, query by query, and what ties alone do."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import tiecore
from tests.dashboard.conftest import EVIL
from tiecore.board import Duel
from tiecore.evaluation.random_values import random_means
from tiecore.stability.sentences import words_of
from tiecore_dashboard.charts.look import DARK, LIGHT, marks_of
from tiecore_dashboard.pages.pairs.charts import difference_chart, query_chart, tie_chart

COLOURS = {EVIL: "#112233", "b": "#445566"}


def queries(n: int, **more: float) -> pd.DataFrame:
    lead = np.linspace(-1, 1, n)
    columns = {"leader_expected": lead, "trailer_expected": 0.0, "lead": lead}
    frame = pd.DataFrame(columns | {"worst_lead": lead - 1, "best_lead": lead + 1}, [f"q{at}" for at in range(n)])
    return frame.assign(**more).sample(frac=1, random_state=1)


def duel(n: int = 9, **more: Any) -> Duel:
    known: dict[str, Any] = {"difference": 0.1, "low": -0.2, "high": 0.4, "tie_low": 0.05, "tie_high": 0.15}
    known |= {"holm_interval": (-0.3, 0.5), "deciding_line": "Line: …"}
    known |= {"under": {"input": -0.1}, "queries": queries(n), "sentence": ""}
    return Duel(leader=EVIL, trailer="b", measure="AP", words=words_of() | {"scale": "AP"}, **known | more)


def test_the_first_picture_is_the_difference_with_its_interval_and_a_zero_line() -> None:
    figure = difference_chart(duel(), look=LIGHT)
    bars = {trace.name: trace for trace in figure.data if trace.type == "bar"}
    over_queries, ties = bars["95 % interval over queries"], bars["about 95 % of random tie-breaks"]
    assert (over_queries.base[0], over_queries.base[0] + over_queries.x[0]) == pytest.approx((-0.2, 0.4))
    assert (ties.base[0], ties.base[0] + ties.x[0]) == pytest.approx((0.05, 0.15))
    assert ties.width < over_queries.width
    mean, under = (trace for trace in figure.data if trace.type == "scatter" and trace.mode == "markers")
    assert (mean.x[0], under.x[1]) == (0.1, -0.1)
    assert (mean.marker.symbol, under.marker.symbol) == ("circle", marks_of(["input"], LIGHT)["input"].symbol)
    assert [list(trace.x) for trace in figure.data if trace.name == "zero"] == [[0, 0]]
    assert list(figure.layout.yaxis.ticktext) == ["expectation", "file order"]
    assert "<b>" not in figure.layout.xaxis.title.text
    assert [note.text for note in figure.layout.annotations][-2:] == ["+0.1000", "−0.1000"]


def test_too_few_queries_have_no_interval_and_no_nan() -> None:
    figure = difference_chart(duel(low=np.nan, high=np.nan), look=LIGHT)
    assert not any("nan" in text for trace in figure.data for text in trace.hovertext or ())


def test_queries_stand_from_the_leaders_best_to_its_worst_with_wins_and_losses() -> None:
    figure = query_chart(duel(), look=LIGHT, colours=COLOURS, chosen="q8")
    targets = next(trace for trace in figure.data if trace.name == "targets")
    assert [data[0] for data in targets.customdata] == [f"q{query}" for query in range(8, -1, -1)]
    assert (figure.layout.shapes[0].x0, figure.layout.shapes[0].x1) == (-0.5, 0.5), "the chosen query is framed"
    names = [trace.name for trace in figure.data if trace.type == "bar"]
    assert names[0] == "what ties allow"
    assert [name.rpartition(" better: ")[2] for name in names[1:]] == ["4 queries", "4 queries"]
    assert figure.layout.xaxis.title.text == "9 queries, by difference; 1 equal"
    lead = queries(9)["lead"]
    without = query_chart(duel(queries=queries(9).assign(worst_lead=lead, best_lead=lead)), look=LIGHT, colours=COLOURS)
    assert "what ties allow" not in {trace.name for trace in without.data}


def test_a_thousand_queries_keep_their_shape_in_fewer_bars() -> None:
    figure = query_chart(duel(5000), look=LIGHT, colours=COLOURS)
    targets = next(trace for trace in figure.data if trace.name == "targets")
    assert len(targets.x) <= 400
    assert (max(targets.y), min(targets.y)) == (1, -1)
    assert "of 5,000 queries" in figure.layout.xaxis.title.text


def test_large_play_of_ties_does_not_make_differences_vanish() -> None:
    frame = queries(5, worst_lead=-1000.0, best_lead=1000.0)
    low, high = query_chart(duel(queries=frame), look=LIGHT, colours=COLOURS).layout.yaxis.range
    assert (low, high) == pytest.approx((-4.48, 4.48))


@pytest.mark.parametrize("measure", ["nDCG@10", "ESL", "GMAP", "ERR@5"])
def test_what_ties_alone_do_is_drawn_as_wide_as_its_draws_and_better_to_the_right(measure: str) -> None:
    rng = np.random.default_rng(4)
    qrels = {str(query): {str(d): int(rng.integers(0, 3)) for d in range(12)} for query in range(20)}
    scores = {query: {d: float(rng.integers(0, 2)) for d in documents} for query, documents in qrels.items()}
    untied = {query: {d: float(rng.normal()) for d in documents} for query, documents in qrels.items()}
    found = tiecore.evaluate(qrels, {"tied": scores, "untied": untied}, [measure])
    (wanted,) = found.measures
    draws = pd.DataFrame(random_means(found.values, wanted, features=["tied", "untied"]), columns=["tied", "untied"])
    figure = tie_chart(draws, wanted, look=DARK, colours={"tied": "#112233", "untied": "#445566"})
    assert [max(trace.y) for trace in figure.data] == [1, 1]
    spans = {trace.name: float(np.ptp(trace.x)) for trace in figure.data}
    assert spans == {"tied": pytest.approx(np.ptp(draws["tied"])), "untied: no ties that matter": 0}
    assert (figure.layout.xaxis.range[0] < figure.layout.xaxis.range[1]) == wanted.higher_is_better
