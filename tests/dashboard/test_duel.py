"""The pictures of one pair: its difference, query by query, and what ties alone do."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.dashboard.conftest import EVIL
from tiecore.board import Duel
from tiecore.stability.sentences import words_of
from tiecore_dashboard.charts.look import DARK, LIGHT, label
from tiecore_dashboard.charts.pieces import entries_of
from tiecore_dashboard.pages.pairs.charts import difference_chart, query_chart, tie_chart

COLOURS = {EVIL: "#112233", "b": "#445566"}


def queries(n: int, **more: Any) -> pd.DataFrame:
    lead = np.linspace(-1, 1, n)
    columns = {"leader_expected": lead, "trailer_expected": 0.0, "lead": lead}
    frame = pd.DataFrame(columns | {"worst_lead": lead - 1, "best_lead": lead + 1}, [f"q{at}" for at in range(n)])
    return frame.assign(**more).sample(frac=1, random_state=1)


def duel(n: int = 9, **more: Any) -> Duel:
    known: dict[str, Any] = {"difference": 0.1, "low": -0.2, "high": 0.4, "tie_low": 0.05, "tie_high": 0.15}
    known |= {"holm_interval": (-0.3, 0.5), "deciding_line": "Line: …", "verdict": "open"}
    known |= {"under": {"input": -0.1}, "shares": ("94 %", "6 %"), "queries": queries(n), "sentence": ""}
    return Duel(leader=EVIL, trailer="b", measure="AP", words=words_of() | {"scale": "AP"}, **known | more)


def test_the_first_picture_is_the_difference_with_its_interval_and_a_zero_line() -> None:
    figure = difference_chart(duel(), look=LIGHT)
    bars = {trace.name: trace for trace in figure.data if trace.type == "bar"}
    over_queries, ties = bars["95 % interval over queries"], bars["about 95 % of random tie-breaks"]
    assert (over_queries.base[0], over_queries.base[0] + over_queries.x[0]) == pytest.approx((-0.2, 0.4))
    assert (ties.base[0], ties.base[0] + ties.x[0]) == pytest.approx((0.05, 0.15))
    assert ties.width < over_queries.width
    mean, under = (trace for trace in figure.data if trace.type == "scatter" and trace.mode == "markers")
    assert (mean.x[0], under.x[1], mean.marker.symbol) == (0.1, -0.1, "circle-open")
    assert [entry.name for entry in entries_of(figure)] == [*bars, "mean lead: open"], "rows have the marks"
    assert [list(trace.x) for trace in figure.data if trace.name == "zero"] == [[0, 0]]
    assert list(figure.layout.yaxis.ticktext) == ["expectation", "■ file order"]
    assert "<b>" not in figure.layout.xaxis.title.text
    assert [note.text for note in figure.layout.annotations][-2:] == ["+0.1000", "−0.1000"]
    few = difference_chart(duel(low=np.nan, high=np.nan), look=LIGHT)
    assert not any("nan" in text for trace in few.data for text in trace.hovertext or ()), "too few have no interval"


def test_queries_stand_from_the_leaders_best_to_its_worst_with_wins_and_losses() -> None:
    figure = query_chart(duel(), look=LIGHT, colours=COLOURS, chosen="q8")
    targets = next(trace for trace in figure.data if trace.name == "targets")
    assert [data[0] for data in targets.customdata] == [f"q{query}" for query in range(8, -1, -1)]
    assert (figure.layout.shapes[0].x0, figure.layout.shapes[0].x1) == (-0.5, 0.5), "the chosen query is framed"
    names = [trace.name for trace in figure.data if trace.type == "bar"]
    assert names[-1] == "what ties allow", "over the bars, which would hide it"
    assert 4 * figure.data[2].width < figure.data[1].width, "so thin that leads stand out"
    assert [name.rpartition(" better: ")[2] for name in names[:2]] == ["4 queries", "4 queries"]
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


def test_the_axis_holds_all_that_ties_allow_and_the_legend_counts_the_bars_that_are_too_small_to_be_seen() -> None:
    one = queries(5, lead=[2.0, 2.0, 2.0, 2.0, 0.01], worst_lead=-20.0, best_lead=[3.0, 3.0, 3.0, 10.0, 3.0])
    figure = query_chart(duel(queries=one), look=LIGHT, colours=COLOURS)
    assert figure.layout.yaxis.range[0] < -20
    assert figure.layout.yaxis.range[1] > 10
    told = [entry.name.partition("better: ")[2] or entry.name for entry in entries_of(figure)]
    assert told == ["5 queries (1 by less than 0.1)", "what ties allow"]


def test_what_ties_alone_do_is_one_histogram_of_the_lead_in_the_colours_of_whom_they_put_ahead() -> None:
    leads = np.array([-0.02, 0.0, 0.01, 0.011, 0.05])
    figure = tie_chart(leads, duel(), look=DARK, colours=COLOURS)
    names = [f"{label(EVIL)} ahead: 94 %", "b ahead: 6 %", "level: counts half for each"]
    signs = [*zip(names, [*COLOURS.values(), DARK.quiet], strict=True)]
    assert [entry[:2] for entry in entries_of(figure)] == signs, "shares are those of the sentence"
    assert [round(5 * sum(trace.y)) for trace in figure.data] == [3, 1, 1], "shares of five"
    assert min(figure.data[0].x) > 0 > max(figure.data[1].x)
    assert [shape.x0 for shape in figure.layout.shapes] == [0], "the zero line"
    assert len(tie_chart(leads[2:], duel(), look=DARK, colours=COLOURS).data) == 1
