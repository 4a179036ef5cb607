"""The page Queries: charts as data, sentences, and the page as a whole."""

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.dashboard.conftest import EVIL, answer_of, html_of, loaded, open_app
from tests.diagnostics.data import diagnostics
from tiecore.board.marks import marks_of
from tiecore.measures import measure
from tiecore_dashboard.charts.look import LIGHT
from tiecore_dashboard.charts.pieces import entries_of
from tiecore_dashboard.charts.tiles import Tile, tiles
from tiecore_dashboard.files.datasets import Dataset
from tiecore_dashboard.pages.queries.answer import queries_answer, query_answer
from tiecore_dashboard.pages.queries.charts import (
    MOST_PARTS,
    MOST_QUERIES,
    draws_chart,
    parts_chart,
    parts_shown,
    query_chart,
)
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.state.sidebar import Settings
from tiecore_dashboard.words import in_markdown

EDGE_QRELS = (
    "".join(f"long 0 d{d:03} {(d % 7) - 1}\n" for d in range(40) if d % 5)
    + f"{EVIL} 0 <b>d1</b> 1\n{EVIL} 0 d2 0\nnothing 0 d1 0\nnothing 0 d2 0\nunlisted 0 d1 1\nunlisted 0 d2 0\n"
)
EDGE_TABLE = (
    "query_id,doc_id,clicks,untied\n"
    + "".join(f"long,d{d:03},{d % 3},{d}\n" for d in range(45))
    + f"{EVIL},<b>d1</b>,1,1\n{EVIL},d2,1,2\nnothing,d1,1,1\nnothing,d2,1,2\n"
)


@pytest.fixture
def edge_data() -> Dataset:
    """A list with unjudged documents and grades below 0, a query without hits, one not listed, ids with markup."""
    return loaded(qrels__txt=EDGE_QRELS, edge__csv=EDGE_TABLE)


def view_of(data: Dataset, name: str = "nDCG@10") -> View:
    return cached.view(data, Settings(measure(name)))


def of_query(view: View, query: str, feature: str = "clicks") -> tuple[Any, Any, dict[str, float]]:
    e, m = view.evaluation, view.measure
    values = diagnostics.blame(e, feature, m).loc[query]
    return (
        diagnostics.culprits(e, feature, m, query_id=query),
        diagnostics.listing(e, feature, m, query_id=query),
        {k: float(v) for k, v in values.items()},
    )


def test_bars_of_the_parts_reach_from_the_worst_to_the_best_of_a_group(edge_data: Dataset) -> None:
    view = view_of(edge_data, "AP")
    groups, _, values = of_query(view, "long")
    figure = parts_chart(groups, measure=measure("AP"), look=LIGHT, tie_breaks=view.tie_breaks)
    bars, rows = figure.data[0], parts_shown(groups)
    base, ends = np.array(bars.base, dtype=float), np.add(bars.base, bars.x).astype(float)
    np.testing.assert_allclose(base, rows["contribution"] + rows["to_worst"], rtol=0, atol=1e-12)
    np.testing.assert_allclose(ends, rows["contribution"] + rows["to_best"], rtol=0, atol=1e-12)
    assert sum(bars.x) == pytest.approx(values["best"] - values["worst"], rel=0, abs=1e-12)
    assert figure.layout.yaxis.ticktext[0] == "1–15"
    is_single = ~(rows["spread"] > 0).to_numpy()
    marks = [trace for trace in figure.data if trace.name in ("file order", "expectation")]
    assert np.isnan(np.array(marks[0].x, dtype=float)[is_single]).all(), "what decides nothing has no marks"
    expectation = marks[-1]
    is_centred = np.equal(expectation.y, np.arange(len(rows)))
    np.testing.assert_array_equal(is_centred, is_single, "a mark that is alone lies in the middle of its row")
    assert sum(expectation.x) == pytest.approx(values["expected"], rel=0, abs=1e-12)


def test_of_many_groups_those_are_drawn_that_decide_most() -> None:
    n = 60
    groups = pd.DataFrame(
        {"contribution": np.linspace(1, 0.01, n), "spread": np.where(np.arange(n) % 2, 0.0, np.arange(n) / n)},
        index=pd.RangeIndex(1, n + 1),
    )
    kept = parts_shown(groups)
    assert len(kept) == MOST_PARTS
    assert kept.index.is_monotonic_increasing
    assert kept["spread"].min() >= groups.drop(kept.index)["spread"].max()


def test_the_chosen_query_is_drawn_even_if_it_is_far_behind_and_a_tie_break_with_its_own_mark() -> None:
    every = [f"q{i}" for i in range(MOST_QUERIES + 50)]
    both = ("random:1", "random:2")
    blamed = pd.DataFrame({"expected": 0.5, "sd": 0.1, "worst": 0.2, "best": 0.9, "random:2": 0.6}, index=every)
    figure = query_chart(blamed, measure=measure("AP"), look=LIGHT, chosen=every[-1], by="random:2", tie_breaks=both)
    names = [row[0] for row in figure.data[-1].customdata]
    assert len(names) == MOST_QUERIES
    assert names[:3] == ["q0", "q1", "q2"]
    assert names[-1] == every[-1]
    (frame,) = figure.layout.shapes
    assert (frame.x0, frame.x1) == (MOST_QUERIES - 1.5, MOST_QUERIES - 0.5)
    assert f"{MOST_QUERIES} of {len(every)} queries" in figure.layout.xaxis.title.text
    (mark,) = [trace.marker.symbol for trace in figure.data if trace.name == "random (seed 2)"]
    assert mark == marks_of(both)["random:2"] != marks_of(both)["random:1"], "the mark that it has everywhere"


@pytest.mark.parametrize(("name", "bars"), [("RBP(rel=1, p=0.8)", [(2, 5), (2, 4.5)]), ("ESL", [(2, 5)])])
def test_bars_are_what_happens_by_chance_inside_what_is_possible(name: str, bars: list[tuple[float, float]]) -> None:
    blamed = pd.DataFrame({"expected": [3.0], "sd": [0.75], "worst": [5.0], "best": [2.0]}, index=["q"])
    figure = query_chart(blamed, measure=measure(name), look=LIGHT)
    assert [(bar.base[0], bar.base[0] + bar.y[0]) for bar in figure.data if bar.type == "bar" and bar.y] == bars
    (low, high), title = figure.layout.yaxis.range, figure.layout.yaxis.title.text
    assert (low > high) == (name == "ESL"), "better is above even where less is better"
    assert title == name + " (lower is better)" * (name == "ESL")


def test_the_answer_names_how_few_queries_make_half_of_the_trouble(sample_view: View) -> None:
    e, m = sample_view.evaluation, sample_view.measure
    table = diagnostics.blame(e, "query_url_clicks", m, by="input")
    told = queries_answer(table, feature="query_url_clicks", by="input", measure=str(m), ends=())
    up, down = (table["blame"] > 0).sum(), (table["blame"] < 0).sum()
    assert f"in {up} queries and lowers it in {down}" in told
    half = int((table["cumulative"] < 0.5).sum()) + 1
    assert f"<em>{half} of 50 queries</em>, such as <strong>{table.index[0]}</strong>, " in told
    by_value = diagnostics.blame(e, "bm25", m).sort_values("expected")
    told = queries_answer(by_value, feature="bm25", by="value", measure=str(m), ends=())
    assert f"<strong>{by_value.index[0]}</strong>" in told


@pytest.mark.parametrize(
    ("first", "high", "words"),
    [
        (0.1, 0.5, "Ties alone move the value of f between 0.4000 and 0.5000 (about 95 % of random tie-breaks); no"),
        (0.1, np.nan, "Ties can change the value of f; no single query is to blame."),
        (0.31, 0.5, "; query q0 has 31 % of the spread between worst and best case, where an equal share would be"),
    ],
)
def test_what_many_queries_share_is_no_concentration(first: float, high: float, words: str) -> None:
    share = np.array([first, *[(1 - first) / 9] * 9])
    columns = {"spread": share, "share": share, "cumulative": share.cumsum()}
    many = pd.DataFrame(columns, index=[f"q{n}" for n in range(10)])
    told = queries_answer(many, feature="f", by="spread", measure="AP", ends=(0.4 * high / 0.5, high))
    assert words in re.sub("<.*?>", "", told).replace("\xa0", " ")


@pytest.mark.parametrize(
    ("by", "words"), [("spread", "; all of the spread between"), ("input", "lowers it in 0; all movement comes from")]
)
def test_what_comes_from_one_query_is_all(by: str, words: str) -> None:
    ends = {"spread": [1.0, 0.0, 0.0, 0.0], "blame": [1.0, 0.0, 0.0, 0.0], "cumulative": 1.0, "share": [1.0, 0, 0, 0]}
    blamed = pd.DataFrame(ends, index=["27", "b", "c", "d"])
    told = re.sub("<.*?>", "", queries_answer(blamed, feature="f", by=by, measure="AP", ends=(0, 1)))
    assert words in told
    assert " one query, number 27" in told
    assert by == "input" or "; in the other 3 ties change nothing." in told
    alone = queries_answer(blamed[:1], feature="f", by="spread", measure="AP", ends=(0, 1))
    assert alone.endswith("random tie-breaks)."), "of one query all comes from it"


def test_without_ties_the_answers_say_so(edge_data: Dataset) -> None:
    view = view_of(edge_data)
    table = diagnostics.blame(view.evaluation, "untied", view.measure)
    assert "No tie of <strong>untied</strong> changes nDCG@10" in queries_answer(
        table, feature="untied", by="spread", measure="nDCG@10", ends=()
    )
    groups, documents, values = of_query(view, "long", "untied")
    told = query_answer(groups, documents, values, feature="untied", measure="nDCG@10")
    assert "no two of them tied" in told
    assert "Every order gives" in told


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("unlisted", "no document of this query, so it counts 0.0000. 2 documents are judged, 1 of them relevant"),
        ("nothing", "Nothing is judged relevant for this query"),
        ("long", "The cut falls into the tie of ranks 1–15: 10 of its 15 documents count; 7 of the 15 are"),
    ],
)
def test_each_list_is_told_as_it_is(edge_data: Dataset, query: str, words: str) -> None:
    view = view_of(edge_data)
    groups, documents, values = of_query(view, query)
    assert words in query_answer(groups, documents, values, feature="clicks", measure="nDCG@10")


def tiles_of(app: Any) -> tuple[list[str], list[str]]:
    html = html_of(app).partition('<p class="tiles"')[2]
    return re.findall(r"<i class.*?>(.*?)</i>", html), re.findall(r'title="(.*?), score', html)


def texts_of(app: Any) -> str:
    return " ".join([html_of(app), *(str(one.value) for one in app.markdown)])


def test_it_opens_on_the_most_uncertain_feature_and_a_query_that_one_can_take_in(sample_view: View) -> None:
    app = open_app("queries")
    feature = (sample_view.leaderboard["best"] - sample_view.leaderboard["worst"]).idxmax()
    assert app.selectbox(key="queries_feature").value == feature
    low, high = sample_view.evaluation.interval(sample_view.measure).loc[str(feature)]
    assert f"<strong>{feature}</strong> between <em>{low:.4f} and {high:.4f}</em>" in answer_of(app)
    table = diagnostics.blame(sample_view.evaluation, feature, sample_view.measure)
    query = app.selectbox(key="queries_query").value
    assert app.dataframe[0].value["query_id"].tolist() == [*table.index]
    assert app.session_state["queries_table"]["selection"]["rows"] == [table.index.get_loc(query)]
    assert table["cut_tie"][query] in range(5, 16)
    assert not table["cut_tie"].loc[:query].iloc[:-1].isin(range(5, 16)).any(), "the one whose spread is largest"
    assert f"of its {table['cut_tie'][query]} documents" in texts_of(app)
    app.selectbox(key="queries_by").set_value("input").run()
    by_input = diagnostics.blame(sample_view.evaluation, feature, sample_view.measure, by="input")
    assert app.selectbox(key="queries_query").value == by_input.index[0], "a new order begins at its first"


def test_a_measure_of_whole_lists_has_no_tie_at_a_cut() -> None:
    cut, whole = (open_app("queries", query={"measure": name}) for name in ("nDCG", "ESL"))
    assert {*cut.dataframe[0].value} - {*whole.dataframe[0].value} == {"cut_tie", "sd"}
    assert "at worst 112.00, at best 0.00." in html_of(whole), "a number is written like those beside it"


def test_a_tie_break_orders_the_list_and_says_its_value(sample_view: View) -> None:
    query = {"queries_feature": "query_url_clicks", "queries_query": "16"}
    app = open_app("queries", query=query)
    e, m = sample_view.evaluation, sample_view.measure
    row = diagnostics.blame(e, "query_url_clicks", m).loc["16"]
    assert f"averaged over all orders it is **{row['expected']:.4f}**" in texts_of(app)
    assert f"the best case: {in_markdown(str(m))} would be **{row['best']:.4f}**" in texts_of(app)
    listed = diagnostics.listing(e, "query_url_clicks", m, query_id="16").dropna(subset="group")
    app.session_state["queries_order"] = "input"
    app.run()
    told = f"order of **file order** {in_markdown(str(m))} is **{row['input']:.4f}** ({row['input shift']:+.4f});"
    assert told in texts_of(app)
    assert tiles_of(app)[1] == list(listed.sort_values("input rank").index)
    assert told in texts_of(open_app("queries", query=app.query_params)), "the link keeps the order"


def test_a_link_that_fits_no_longer_opens_what_there_is() -> None:
    link = {"queries_feature": "gone", "queries_query": "gone", "queries_by": "gone", "measure": "ESL"}
    app = open_app("queries", query=link)
    by = app.selectbox(key="queries_by")
    assert by.value == "spread"
    assert "sd" not in by.options
    assert app.selectbox(key="queries_query").value != "gone"


@pytest.mark.parametrize("query", ["nothing", "unlisted", "long"])
def test_lists_of_every_kind_are_shown_without_a_fault(edge_data: Dataset, query: str) -> None:
    app = open_app("queries", query={"queries_query": query, "measure": "AP"}, state={"dataset": edge_data})
    assert app.selectbox(key="queries_query").value == query
    told = [element.proto.body for element in app.get("html") if "<strong>clicks</strong>" in element.proto.body]
    assert len(told) >= 2


def test_random_orders_are_seen_between_worst_and_best_case_beside_the_expectation() -> None:
    drawn = pd.DataFrame({"value": [0.2, 0.6, 0.5], "mean": [0.2, 0.4, 1.3 / 3]})
    values = {"expected": 0.42, "worst": 0.1, "best": 0.9}
    figure = draws_chart(drawn, values, measure=measure("AP"), look=LIGHT)
    bars, expected, last, mean = figure.data
    assert [list(own.x) for own in (bars, expected, last, mean)] == [[0.2, 0.5, 0.6], [0.42] * 2, [0.5], [1.3 / 3]]
    assert list(bars.y) == [1, 1, 1], "the range of single values is not where the mean is"
    assert mean.error_x.array[0] == pytest.approx(np.std([0.2, 0.6, 0.5]) / np.sqrt(2))
    assert "± 0.1202, its standard error" in entries_of(figure)[-1].name
    assert "±" not in entries_of(draws_chart(drawn[:1], values, measure=measure("AP"), look=LIGHT))[-1].name
    assert figure.layout.xaxis.range[0] < 0.1 < 0.9 < figure.layout.xaxis.range[1]


GROUPS = [
    [Tile(2, is_relevant=True, name="<b>d1</b>")],
    [Tile(1, is_relevant=True), Tile(0, is_relevant=False), Tile(None, is_relevant=False)],
    [Tile(0, is_relevant=False)] * 2,
]


def drawn_tiles(cut: int | None = None, deciding: tuple[int, ...] = ()) -> str:
    return tiles(GROUPS, look=LIGHT, deciding=deciding, cut=cut).partition('<p class="tiles"')[2]


def test_a_tile_a_document_says_its_grade_and_names_are_text() -> None:
    html = drawn_tiles()
    assert re.findall(r"<i class=.*?>(.*?)</i>", html) == ["2", "1", "0", "–", "0", "0"]
    assert "&lt;b&gt;d1&lt;/b&gt;, grade 2, relevant, rank 1" in html
    assert "not judged, ranks 2–4" in html
    assert "<b>d1" not in html


def test_bands_hold_the_ties_and_only_what_is_there_stands_in_the_legend() -> None:
    html = drawn_tiles(deciding=(1,)).replace("\u2060", "")
    assert re.findall(r'<span class="(tie.*?)"><span>(\d+–\d+)', html) == [("tie decides", "2–4"), ("tie", "5–6")]
    whole, alone = tiles(GROUPS, look=LIGHT, deciding=[1], cut=1), tiles(GROUPS[:1], look=LIGHT, deciding=[])
    said = ["not relevant", "– not judged", "cut after 1", "tie: its order decides", "tie: its order changes nothing"]
    legend = ["relevant, grade 2", "relevant, beyond the cut", *said]
    assert re.findall("</i>([^<]+)</span>", whole) == legend
    assert re.findall("</i>([^<]+)</span>", alone) == ["relevant, grade 2"]


@pytest.mark.parametrize("cut", [1, 3, 4, 5])
def test_as_many_tiles_as_the_cut_off_says_lie_before_the_line(cut: int) -> None:
    before, _, after = drawn_tiles(cut).partition("<b></b>")
    assert before.count("<i ") == cut
    assert "beyond" not in before
    assert after.count("beyond") == after.count("<i ") == 6 - cut


@pytest.mark.parametrize("cut", [None, 6, 10])
def test_a_list_that_ends_before_the_cut_off_has_no_line(cut: int | None) -> None:
    assert not re.search("<b>|cut after", tiles(GROUPS, look=LIGHT, deciding=(), cut=cut))
