"""The page Ties: charts as data, sentences, and the page as a whole."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.dashboard.conftest import OpenApp, answer_of, file_of
from tests.diagnostics.data import diagnostics
from tiecore.measures import measure
from tiecore_dashboard.charts.columns import shown
from tiecore_dashboard.charts.look import DARK, LIGHT, Look
from tiecore_dashboard.charts.pieces import entries_of, legend_height, padded
from tiecore_dashboard.files.datasets import Dataset
from tiecore_dashboard.pages.ties.answer import (
    advice_answer,
    bias_lines,
    chain_answer,
    hidden_answer,
    precision_answer,
    ties_answer,
)
from tiecore_dashboard.pages.ties.charts import bias_chart, cut_chart, sizes_chart, tied_chart
from tiecore_dashboard.pages.ties.remedies_charts import MOST_TIE_BREAKERS, advice_chart, advice_map, precision_chart
from tiecore_dashboard.pages.ties.tables import (
    advice_columns,
    anatomy_columns,
    bias_columns,
    hidden_columns,
    pooled_columns,
    precision_columns,
)
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.state.sidebar import Settings

EVIL = '<a href="https://outside.example">x</a>'
PARTS = ["anatomy", "cut-off", "tie-breaks", "precision", "tie-breakers"]


def renamed(frame: Any, old: str) -> Any:
    """Frame in which one feature has a name with markup."""
    return frame.rename(index={old: EVIL}, columns={old: EVIL})


def before(view: View, feature: str) -> dict[str, float]:
    return {name: float(view.leaderboard[name].loc[feature]) for name in ("expected", "worst", "best")}


# --- charts -----------------------------------------------------------------------------------------------------------


def test_bars_show_the_shares_of_tied_documents(sample_view: View) -> None:
    table = diagnostics.anatomy(sample_view.evaluation)
    figure = tied_chart(table, look=LIGHT)
    everything, tied, mixed = figure.data[:3]
    assert [entry.is_hatched for entry in entries_of(figure)] == [False, False, True], "as the bars are"
    assert set(everything.x) == {100.0}
    np.testing.assert_allclose(tied.x, 100 * table["tied"], rtol=0, atol=1e-12)
    np.testing.assert_allclose(mixed.x, 100 * table["tied_mixed"], rtol=0, atol=1e-12)
    assert [row[0] for row in tied.customdata] == table.index.tolist()
    faded = tied_chart(table, look=LIGHT, highlighted=["bm25"]).data[1].marker.color
    assert faded[table.index.get_loc("bm25")] == LIGHT.range
    assert sum(colour == LIGHT.range for colour in faded) == 1


def test_no_document_is_lost_between_the_sizes(sample_view: View) -> None:
    sizes = diagnostics.group_sizes(sample_view.evaluation, "url_slashes")
    whole, mixed = sizes_chart(sizes, look=LIGHT).data
    assert sum(whole.y) == sizes["documents"].sum()
    assert sum(mixed.y) == (sizes["mixed_groups"] * sizes.index).sum()
    names = sizes_chart(sizes, look=LIGHT).layout.xaxis.ticktext
    assert list(names[:4]) == ["1", "2", "4", "8"], "the most of each column"
    assert whole.y[3] == sizes.loc[5:8, "documents"].sum()


def test_the_curve_of_a_feature_is_its_share_of_queries_at_every_cut_off(sample_view: View) -> None:
    curve = diagnostics.cut_curve(sample_view.evaluation)
    figure = cut_chart(curve, look=LIGHT, cutoff=10, emphasised=["bm25", "gone"])
    line = next(trace for trace in figure.data if trace.name == "bm25")
    np.testing.assert_allclose(line.y, 100 * curve.loc["bm25", "cut_in_mixed_tie"], rtol=0, atol=1e-12)
    others = next(trace for trace in figure.data if trace.name == "others")
    assert len(others.x) == 9 * 101
    assert {row[0] for row in others.customdata} == {*sample_view.features, ""} - {"bm25"}


def test_marks_of_the_bias_stand_at_z_and_outside_of_chance_where_it_knows(sample_view: View) -> None:
    table = diagnostics.bias(sample_view.evaluation, sample_view.measure).droplevel("measure")
    figure = bias_chart(table, look=LIGHT, tie_breaks=sample_view.tie_breaks)
    knows = next(trace for trace in figure.data if trace.name == "file order")
    assert list(knows.x) == table.loc["input", "z"].tolist()
    reach = figure.layout.xaxis.range
    assert reach[0] == -reach[1]
    assert table["z"].abs().max() < reach[1]
    chance = figure.layout.shapes[0]
    assert chance.x1 == -chance.x0 == pytest.approx(1.96)


def test_what_a_precision_costs_is_told_by_shape_as_well_as_colour(sample_view: View) -> None:
    curve = diagnostics.precision_curve(sample_view.evaluation, "bm25", sample_view.measure)
    figure = precision_chart(curve, measure="nDCG@10", look=LIGHT)
    verdicts = {trace.name: trace for trace in figure.data if trace.name in set(curve["verdict"])}
    assert set(verdicts) == set(curve["verdict"])
    assert sum(len(trace.x) for trace in verdicts.values()) == len(curve)
    assert len({trace.marker.symbol for trace in verdicts.values()}) == len(verdicts)
    bars = next(trace for trace in figure.data if trace.type == "bar")
    np.testing.assert_allclose(bars.y, 100 * curve["tied"], rtol=0, atol=1e-12)
    assert (np.diff(bars.x) > 0).all()


def test_advice_begins_with_the_feature_alone_and_shows_the_best_few(sample_view: View) -> None:
    found = diagnostics.advice(sample_view.evaluation, "title_match", sample_view.measure).droplevel("feature")
    many = pd.concat([found] * 3)
    figure = advice_chart(many, before=before(sample_view, "title_match"), measure="nDCG@10", look=LIGHT)
    dots = next(trace for trace in figure.data if trace.type == "scatter")
    assert len(dots.x) == 1 + MOST_TIE_BREAKERS
    assert dots.x[0] == before(sample_view, "title_match")["expected"]
    assert dots.x[1] == found["expected"].iloc[0]


def test_the_map_shows_every_gain_and_nothing_on_the_diagonal(sample_view: View) -> None:
    names = list(sample_view.features)
    gained = (
        diagnostics.advice(sample_view.evaluation, measure=sample_view.measure)["gained"]
        .unstack("other")
        .loc[names, names]
    )
    (cells,) = advice_map(gained, look=LIGHT).data
    assert cells.zmax == -cells.zmin == np.nanmax(np.abs(gained))
    assert [cells.text[i][i] for i in range(len(names))] == ["–"] * len(names)
    assert cells.customdata[0][1][0] == names[0]


@pytest.mark.parametrize("look", [LIGHT, DARK])
def test_names_are_text_in_every_chart(sample_view: View, look: Look) -> None:
    e, m, old = sample_view.evaluation, sample_view.measure, "title_match"
    found = renamed(diagnostics.advice(e, "bm25", m).droplevel("feature"), old)
    gained = renamed(diagnostics.advice(e, measure=m)["gained"].unstack("other"), old)
    figures = [
        tied_chart(renamed(diagnostics.anatomy(e), old), look=look),
        cut_chart(renamed(diagnostics.cut_curve(e), old), look=look, cutoff=10, emphasised=[EVIL]),
        bias_chart(
            renamed(diagnostics.bias(e, m).droplevel("measure"), old), look=look, tie_breaks=sample_view.tie_breaks
        ),
        precision_chart(diagnostics.precision_curve(e, old, m), measure=EVIL, look=look),
        advice_chart(found, before=before(sample_view, "bm25"), measure=EVIL, look=look, higher_is_better=False),
        advice_map(gained.loc[sorted(gained), sorted(gained)], look=look),
    ]
    for figure in figures:
        parts = json.loads(figure.to_json())
        for trace in parts["data"]:
            rows = trace.pop("customdata", None)
            # the first entry is the raw name, by which clicks are told
            told = [row for row in rows or [] if isinstance(row, list)]
            told = [cell for row in told for cell in row] if told and isinstance(told[0][0], list) else told
            assert "<a href" not in json.dumps([row[1:] for row in told])
        assert "<a href" not in json.dumps(parts)


def test_legends_take_a_line_more_where_a_phone_has_no_room() -> None:
    assert legend_height(4, entrywidth=100, beside=60) == 2 * legend_height(2, entrywidth=100, beside=60)
    assert legend_height(4, entrywidth=100, beside=200) == 2 * legend_height(4, entrywidth=100, beside=60)
    assert legend_height(1, entrywidth=900, beside=200) == legend_height(1, entrywidth=10, beside=0)
    low, high = padded(np.array([np.nan, 2.0]))
    assert low < 2 < high
    assert padded(np.array([np.nan])) == pytest.approx((-0.06, 1.06))


# --- sentences and tables ---------------------------------------------------------------------------------------------


def test_the_answer_counts_features_and_names_the_tie_break_that_knows(sample_view: View) -> None:
    e, m = sample_view.evaluation, sample_view.measure
    sentence, lines = ties_answer(diagnostics.anatomy(e), cutoff=10)
    assert "<em>9 of 10 features</em> tie more than half" in sentence
    assert "most often for <strong>query_url_clicks</strong>, in <em>96 %</em> of its queries" in sentence
    assert lines == [
        "<strong>bm25</strong>, <strong>query_url_clicks</strong> and <strong>title_match</strong> tie all documents "
        "of some queries."
    ]
    knows, clean = bias_lines(diagnostics.pooled_bias(e, m).droplevel("measure"))
    assert ">file order</abbr></strong> correlates with relevance and makes results look better: do not rank" in knows
    assert "z = 11.4" in knows
    assert (
        re.sub("<.*?>", "", clean)
        == "No correlation of trec_eval (ids ↓) and Anserini (ids ↑) with relevance was found."
    )


def test_features_that_are_no_ranking_raise_an_alarm(tiny_view: View) -> None:
    sentence, lines = ties_answer(diagnostics.anatomy(tiny_view.evaluation), cutoff=10)
    assert "in no query rank 10 cuts through a tie" in sentence
    assert "<strong>constant</strong>: constant over all queries" in lines[0]
    many = pd.concat([diagnostics.anatomy(tiny_view.evaluation).loc[["constant"]]] * 7)
    assert ties_answer(many, cutoff=10)[1][-1] == "3 more are constant within each query: see the table."
    one, _ = ties_answer(diagnostics.anatomy(tiny_view.evaluation).loc[["constant"]], cutoff=10)
    assert one.startswith("<strong>constant</strong> ties <em>100 %</em> of its documents")


def test_without_ties_every_answer_says_so() -> None:
    rows = "".join(f"q{q},d{d},{d},{-d}\n" for q in range(3) for d in range(5))
    qrels = "".join(f"q{q} 0 d{d} {d % 2}\n" for q in range(3) for d in range(5))
    data = Dataset().add([file_of("q.txt", qrels), file_of("t.csv", f"query_id,doc_id,up,down\n{rows}")])
    view = cached.view(data, Settings(measure("AP")))
    e = view.evaluation
    assert ties_answer(diagnostics.anatomy(e), cutoff=10) == (
        "No two documents of a query are tied: every way of breaking ties gives the same values.",
        [],
    )
    assert bias_lines(diagnostics.pooled_bias(e, "AP").droplevel("measure")) == []
    found = diagnostics.advice(e, "up", "AP").droplevel("feature")
    assert "nothing to break" in advice_answer(found, feature="up", before=0.5, can_gain=False)
    bias_chart(diagnostics.bias(e, "AP").droplevel("measure"), look=LIGHT, tie_breaks=view.tie_breaks)


@pytest.mark.parametrize(
    ("verdicts", "words"),
    [
        (
            {"float64": "as in float64", "decimals:1": "no more than noise", "decimals:0": "costs", "bits:1": "gains"},
            "<em>1 decimal or 1 significant bit</em> are enough",
        ),
        ({"decimals:1": "costs", "decimals:0": "no more than noise", "levels:8": "costs"}, "must be stored as it is"),
        ({"decimals:0": "as in float64", "levels:8": "too few queries to say"}, "Whole numbers</em> are enough"),
        ({"levels:8": "too few queries to say"}, "too few queries to say what a coarser precision costs"),
    ],
)
def test_a_precision_is_enough_up_to_the_first_that_costs(verdicts: dict[str, str], words: str) -> None:
    curve = pd.DataFrame({"verdict": verdicts})
    assert words in precision_answer(curve, feature="clicks", measure="AP")


@pytest.mark.parametrize(
    ("gained", "z", "words"),
    [
        (0.1, 5.0, "is the best tie-breaker of"),
        (0.1, 1.0, "but chance alone could give as much"),
        (0.1, np.nan, "whether that is more than chance is not known"),
        (-0.1, -4.0, "No other feature breaks the ties of"),
    ],
)
def test_advice_says_what_may_be_luck(gained: float, z: float, words: str) -> None:
    found = pd.DataFrame(
        {"gained": [gained], "expected": [0.5], "spread_removed": [0.25], "z": [z]}, index=pd.Index(["7"], name="other")
    )
    told = advice_answer(found, feature="clicks", before=0.4, can_gain=True)
    assert words in told
    assert not told.startswith("feature")


def test_hidden_ties_are_told_in_words(sample_view: View) -> None:
    hidden = diagnostics.hidden_ties(sample_view.evaluation)
    assert hidden_answer(hidden).startswith("No sign")
    found = hidden.assign(note=["ties are hidden <here>"] + [""] * (len(hidden) - 1))
    assert hidden_answer(found) == "<strong>bm25</strong>: ties are hidden &lt;here&gt;."


def test_every_column_that_is_shown_is_explained(sample_view: View) -> None:
    e, m = sample_view.evaluation, sample_view.measure
    hidden = diagnostics.hidden_ties(e)
    precisions = [column for column in hidden if column.startswith("tied")]
    for frame, columns in (
        (diagnostics.anatomy(e, cutoffs=[5]), anatomy_columns(5)),
        (diagnostics.pooled_bias(e, m).droplevel("measure"), pooled_columns()),
        (diagnostics.bias(e, m).droplevel("measure").reset_index("tie_break"), bias_columns()),
        (diagnostics.precision_curve(e, "dwell", m, precisions=["float64", "bits:1"]), precision_columns()),
        (hidden, hidden_columns(precisions)),
        (diagnostics.advice(e, "dwell", m).reset_index("other"), advice_columns()),
    ):
        table = shown(frame, columns)
        assert {*columns} - {*table.columns} <= {*frame.index.names}
        assert all(column["help"] for name, column in columns.items() if name not in frame.index.names)
    np.testing.assert_allclose(
        shown(diagnostics.anatomy(e, cutoffs=[5]), anatomy_columns(5))["tied"],
        100 * diagnostics.anatomy(e)["tied"],
        rtol=0,
        atol=1e-12,
    )


# --- the page ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", PARTS)
def test_each_part_of_the_page_opens_by_its_link(open_app: OpenApp, part: str) -> None:
    app = open_app("ties", query={"ties_part": part, "ties_feature": "bm25"})
    assert "9 of 10 features" in answer_of(app)
    assert "do not rank with it" in answer_of(app)
    charts = {element.proto.id.rsplit("-", 1)[-1] for element in app.get("plotly_chart")}
    assert any(key.startswith("ties_") for key in charts), charts


def test_measures_without_a_variance_are_tested_when_asked(open_app: OpenApp, tiny_data: Dataset) -> None:
    app = open_app("ties", query={"ties_part": "tie-breaks", "measure": "ERR"}, state={"dataset": tiny_data})
    assert "has no variance in closed form" in app.info[0].value
    assert not app.get("plotly_chart")
    next(button for button in app.button if button.label == "Draw them").click()
    app.run()
    assert not app.exception
    assert app.get("plotly_chart")


def test_one_feature_alone_has_no_tie_breaker(open_app: OpenApp) -> None:
    data = Dataset().add(
        [
            file_of("qrels.txt", "q 0 a 1\nq 0 b 0\nq 0 c 0\n"),
            file_of("table.csv", "query_id,doc_id,clicks\nq,a,1\nq,b,1\nq,c,0\n"),
        ]
    )
    app = open_app("ties", query={"ties_part": "tie-breakers"}, state={"dataset": data})
    assert "none that could break ties" in app.info[0].value
    for part in PARTS[:-1]:
        open_app("ties", query={"ties_part": part}, state={"dataset": data})


def test_the_page_opens_with_advice_that_one_click_takes(open_app: OpenApp) -> None:
    app = open_app("ties")
    advice_shown = [element.value for element in app.markdown if " after **" in element.value]
    assert "Add **bm25** after **query\\_url\\_clicks**" in advice_shown[0]
    assert "+0.1306 [+0.0766, +0.1845], spread −90\u00a0%" in advice_shown[0]
    app.button(key="ties_try_0").click().run()
    assert not app.exception
    assert "feature:bm25" in app.session_state["tie"]
    assert app.session_state["settings"].tie_breaks[-1] == "feature:bm25"
    assert app.button(key="ties_try_0").disabled


def test_advice_is_taken_where_there_is_no_room_for_another_tie_break(open_app: OpenApp) -> None:
    full = ["docid-desc", "docid-asc", "input", "input-reversed", "random:1", "random:2"]
    app = open_app("ties", query={"tie": full})
    app.button(key="ties_try_0").click().run()
    assert app.session_state["settings"].tie_breaks == (*full[:5], "feature:bm25")


def test_one_feature_or_no_ties_bring_no_advice(tiny_files: dict[str, str], open_app: OpenApp) -> None:
    app = open_app("ties")
    rows = {0: {"use": False}, 1: {"use": False}}
    app.session_state["dataset"] = app.session_state["dataset"].edited(rows)[0]
    app.run()
    assert not app.exception
    assert not [button for button in app.button if str(button.key).startswith("ties_try")]


def test_a_chain_is_told_with_what_holds(sample_view: View) -> None:
    links = diagnostics.chain(sample_view.evaluation, "query_url_clicks", "nDCG@10")
    sentence = chain_answer(links, measure="nDCG@10")
    assert sentence.startswith(
        "Rank by <strong>query_url_clicks</strong>, break ties by <strong>bm25</strong>, then by"
    )
    assert sentence.endswith("but only <strong>bm25</strong> is confirmed on held-out queries.")
    alone = chain_answer(links.iloc[:1], measure="nDCG@10")
    assert alone == "No other feature improves nDCG@10 by breaking the ties of <strong>query_url_clicks</strong>."
    assert "no step is more than chance" in chain_answer(links.iloc[[0, 2]], measure="nDCG@10")
    assert "every step is confirmed on held-out queries" in chain_answer(links.iloc[[0, 1]], measure="nDCG@10")


@pytest.mark.parametrize(
    ("levels", "held"), [(2, "grades 0 to 1"), (4, "grades 0 to 3"), (8, "3-bit integers"), (256, "8-bit")]
)
def test_the_precision_that_is_enough_is_told_as_integers(levels: int, held: str) -> None:
    curve = pd.DataFrame({"verdict": ["as in float64"]}, index=[f"levels:{levels}"])
    assert held in precision_answer(curve, feature="f", measure="AP")
