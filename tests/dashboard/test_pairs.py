"""The page Pairs: its verdicts, its pictures as data, and what it does where there is little to show."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import tiecore
from tests.dashboard.conftest import OpenApp, answer_of, file_of
from tiecore.stability import Stability
from tiecore_dashboard.charts.look import DARK, LIGHT, label, whole_names
from tiecore_dashboard.files.datasets import Dataset
from tiecore_dashboard.pages.pairs.alike_charts import alike_map
from tiecore_dashboard.pages.pairs.answer import most_interesting, pair_sentence, pairs_answer, readings
from tiecore_dashboard.pages.pairs.charts import heat_map, sign, verdict_legend
from tiecore_dashboard.pages.pairs.duel import draw_few
from tiecore_dashboard.pages.pairs.duel_charts import Side, difference_chart, duel_chart
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.words import REVERSED, VERDICTS, badge

EVIL = "<b>x</b>|![y](https://outside.example)"
QRELS = "".join(f"q{q} 0 d{d} {grade}\n" for q in (1, 2, 3) for d, grade in enumerate((0, 1, 0, 2)))


def table(**scores: list[float]) -> str:
    """CSV of features that score the four documents of each query alike."""
    head = ",".join(f'"{name}"' for name in scores)
    rows = (f"q{q},d{d}," + ",".join(str(values[d]) for values in scores.values()) for q in (1, 2, 3) for d in range(4))
    return f"query_id,doc_id,{head}\n" + "\n".join(rows) + "\n"


def with_features(qrels: str, **scores: list[float]) -> dict[str, Any]:
    """Return the entries of a session that has these features loaded."""
    return {"dataset": Dataset().add([file_of("qrels.txt", qrels), file_of("table.csv", table(**scores))])}


def all_text(app: AppTest) -> str:
    """All that the page says in words."""
    html = [str(element.proto.body) for element in app.get("html")]
    return " ".join([*html, *(element.value for element in (*app.markdown, *app.caption, *app.info))])


@pytest.fixture
def stable(sample_view: View) -> Stability:
    found = cached.stable(sample_view)
    assert found is not None
    return found


def pair_of(stable: Stability, one: str, other: str) -> pd.Series:
    return next(row for _, row in stable.pairs.iterrows() if {row["leader"], row["trailer"]} == {one, other})


def test_the_answer_counts_the_verdicts_of_tiecore(sample_view: View, open_app: OpenApp) -> None:
    own = sample_view.evaluation.stability(sample_view.measure)
    count = Counter(own.pairs["verdict"])
    text = re.sub("<[^>]*>", "", answer_of(open_app("pairs")))
    assert text.startswith(f"{count['clear']} of 45 differences are ● clear; ")
    for verdict in count.keys() - {"clear"}:
        assert re.search(rf"\b{count[verdict]} (is|are) {VERDICTS[verdict]}", text), verdict
    assert f"The order of {own.pairs['reversed_by'].map(bool).sum()} pairs is reversed by a tie-break" in text
    assert "The smallest difference that these queries show" in text


def test_cells_of_clear_differences_alone_have_their_colour(stable: Stability) -> None:
    cells = np.array(heat_map(stable.beats, stable.pairs, look=LIGHT).data[0].z)
    real = (stable.verdicts == "clear").to_numpy()
    assert real.any()
    assert ((cells == 0) | (cells == 1))[real].all()
    others = ~real & ~np.eye(len(cells), dtype=bool)
    assert ((cells[others] > 0) & (cells[others] < 1)).all()
    assert np.isnan(np.diag(cells)).all()


def test_every_cell_bears_the_mark_of_its_verdict_and_can_be_clicked(stable: Stability) -> None:
    figure = heat_map(stable.beats, stable.pairs, look=DARK)
    names = list(stable.beats.index)
    texts, targets = np.array(figure.data[0].text), figure.data[-1]
    assert sorted((row, column) for row, column, *_ in targets.customdata) == sorted(
        (one, other) for one in names for other in names if one != other
    )
    for x, y, (row, column, *_, line) in zip(targets.x, targets.y, targets.customdata, strict=True):
        pair = pair_of(stable, row, column)
        is_reversed = bool(pair["reversed_by"])
        assert (names[y], names[x]) == (row, column)
        assert texts[y, x].startswith(sign(stable.verdicts.loc[row, column], is_reversed=is_reversed))
        assert line.startswith(badge(pair["verdict"], tie_risk=pair["tie_risk"]))
        assert (REVERSED in texts[y, x]) == ("reversed by" in line) == is_reversed


def test_with_many_features_marks_give_way_to_what_the_pointer_tells() -> None:
    names = [str(number) for number in range(60)]
    beats = pd.DataFrame(np.triu(np.full((60, 60), 0.9), 1) + np.tril(np.full((60, 60), 0.1), -1), names, names)
    one, other = np.triu_indices(60, 1)
    pairs = pd.DataFrame({"leader": np.array(names)[one], "trailer": np.array(names)[other], "verdict": "open"})
    pairs["tie_risk"], pairs["reversed_by"] = 0.3, [()] * len(pairs)
    figure = heat_map(beats, pairs, look=LIGHT, chosen=("3", "7"))
    assert figure.data[0].text is None
    assert len(figure.data[-1].customdata) == 60 * 59
    assert figure.layout.height < 700
    assert len(figure.layout.xaxis.tickvals) < 10
    assert [shape.type for shape in figure.layout.shapes] == ["path", "rect", "rect"]
    assert "dots" not in verdict_legend(LIGHT, n_features=60, verdicts=VERDICTS, any_reversed=False)


def struck(path: str) -> list[tuple[int, int, str]]:
    """Rows and columns of the cells that strokes cross, and which way."""
    found = []
    for stroke in re.findall(r"M([-\d.]+),([-\d.]+)L([-\d.]+),([-\d.]+)", path):
        left, top, right, bottom = map(float, stroke)
        step, way = (1, "falling") if bottom > top else (-1, "rising")
        cells = (at + 0.5 for at in range(round(right - left)))
        found += [(round(top + step * at), round(left + at), way) for at in cells]
    return found


def test_small_cells_tell_their_verdict_by_strokes_as_well() -> None:
    rng = np.random.default_rng(5)
    names = [str(number) for number in range(30)]
    one, other = np.triu_indices(30, 1)
    pairs = pd.DataFrame({"leader": np.array(names)[one], "trailer": np.array(names)[other]})
    pairs["verdict"] = rng.choice(list(VERDICTS), len(pairs))
    pairs["tie_risk"], pairs["reversed_by"] = 0.0, [()] * len(pairs)
    figure = heat_map(pd.DataFrame(0.5, names, names), pairs, look=DARK)
    crossed = [cell for shape in figure.layout.shapes for cell in struck(shape.path)]
    strokes = {"clear": (), "open": ("rising",), "small": ("falling",), "equal": ()}
    known = [
        (*cell, stroke)
        for a, b, verdict in zip(one.tolist(), other.tolist(), pairs["verdict"], strict=True)
        for stroke in strokes[verdict]
        for cell in ((a, b), (b, a))
    ]
    assert sorted(crossed) == sorted(known)
    legend = verdict_legend(DARK, n_features=30, verdicts=VERDICTS, any_reversed=False)
    assert legend.count("linear-gradient") == 2
    assert "linear-gradient" not in verdict_legend(DARK, n_features=20, verdicts=VERDICTS, any_reversed=False)


def test_names_are_never_markup() -> None:
    beats = pd.DataFrame([[0.5, 0.7], [0.3, 0.5]], [EVIL, "other"], [EVIL, "other"])
    pairs = pd.DataFrame({"leader": [EVIL], "trailer": ["other"], "verdict": ["open"]})
    pairs["tie_risk"], pairs["reversed_by"] = 0.3, [(f"feature:{EVIL}",)]
    target = heat_map(beats, pairs, look=LIGHT).data[-1].customdata[0]
    assert target[0] == EVIL
    assert all("<b>" not in shown for shown in target[2:])


def side(name: str, *, expected: float, sd: float, worst: float, best: float, draws: object = None) -> Side:
    return Side(name, expected, sd, worst, best, {"input": expected}, None if draws is None else np.array(draws))


def test_curves_stay_inside_what_ties_allow_and_peak_at_the_expectation() -> None:
    one = side("a", expected=0.5, sd=0.05, worst=0.45, best=0.9)
    other = side("b", expected=0.4, sd=0.0, worst=0.4, best=0.4)
    figure = duel_chart(one, other, measure="AP", look=LIGHT, tie_breaks=["input"], higher_is_better=True)
    curve, line = figure.data[:2]
    assert min(curve.x) == 0.45
    assert max(curve.x) <= 0.9
    assert abs(curve.x[int(np.argmax(curve.y))] - 0.5) < 0.01
    assert list(line.x) == [0.4, 0.4], "what ties cannot change is a line"
    marks = next(trace for trace in figure.data if trace.name == "file order")
    assert list(marks.x) == [0.5, None], "and has no mark of a tie-break"


def test_names_stand_at_the_bars_that_they_name() -> None:
    one = side("a", expected=0.9, sd=0.01, worst=0.88, best=0.92)
    other = side("b", expected=0.2, sd=0.01, worst=0.18, best=0.22)
    figure = duel_chart(one, other, measure="AP", look=LIGHT, tie_breaks=["input"], higher_is_better=True)
    found = {note.text[-1]: (note.x, note.xanchor) for note in figure.layout.annotations}
    assert found == {"a": (0.92, "right"), "b": (0.18, "left")}


def test_long_names_are_whole_on_paper_in_two_lines() -> None:
    name = "umbrela/gpt-4o-2024-11-20:prompt=basic:temperature=0:shots=3"
    one, other = (side(one, expected=0.5, sd=0.1, worst=0.3, best=0.6) for one in (name, "x" * 60))
    frame = differences(9)
    with whole_names():
        charts = [
            duel_chart(one, other, measure="AP", look=LIGHT, higher_is_better=True),
            difference_chart(frame, leader=name, trailer="x" * 60, look=LIGHT),
        ]
    for figure in charts:
        texts = [note.text.replace("<br>", "") for note in figure.layout.annotations]
        assert sum(name in text for text in texts) == sum("x" * 60 in text for text in texts) == 1
        assert all(note.text.count("<br>") == 1 for note in figure.layout.annotations)


def test_the_name_of_the_leader_hides_no_bar() -> None:
    lead = [0.9, 0.5, 0.4, 0.3, 0.2, 0.1, -0.1, -0.8]
    frame = pd.DataFrame({"leader_expected": lead, "trailer_expected": 0.0, "lead": lead}, range(8))
    frame = frame.assign(worst_lead=lead, best_lead=lead)
    notes = difference_chart(frame, leader="a", trailer="b", look=LIGHT).layout.annotations
    assert [note.x for note in notes if "leads" in note.text] == [0.5, 6.5], "beside the bars that reach it"


def test_tie_breaks_are_told_by_shape_where_the_colours_are_those_of_the_features() -> None:
    one, other = (side(name, expected=0.5, sd=0.1, worst=0.3, best=0.6) for name in "ab")
    figure = duel_chart(one, other, measure="AP", look=LIGHT, tie_breaks=["input"], higher_is_better=True)
    (marks,) = (trace for trace in figure.data if trace.name == "file order")
    assert marks.marker.color == LIGHT.text


def test_what_ties_allow_is_only_shown_where_they_allow_something() -> None:
    with_ties = difference_chart(differences(9), leader="a", trailer="b", look=LIGHT)
    frame = differences(9)
    without = difference_chart(
        frame.assign(worst_lead=frame["lead"], best_lead=frame["lead"]), leader="a", trailer="b", look=LIGHT
    )
    assert "what ties allow" in {trace.name for trace in with_ties.data}
    assert "what ties allow" not in {trace.name for trace in without.data}


def test_no_curve_is_drawn_where_few_queries_carry_the_ties() -> None:
    rng = np.random.default_rng(4)
    qrels = {str(query): {str(d): int(rng.integers(0, 3)) for d in range(12)} for query in range(40)}
    untied = {query: {d: float(rng.normal()) for d in documents} for query, documents in qrels.items()}
    tied = untied | {"7": dict.fromkeys(untied["7"], 1.0)}
    all_tied = {query: dict.fromkeys(documents, 1.0) for query, documents in qrels.items()}
    found = tiecore.evaluate(qrels, {"untied": untied, "tied": tied, "all": all_tied}, ["nDCG@10"])
    (wanted,) = found.measures
    assert draw_few(found, "untied", measure=wanted) is None
    assert draw_few(found, "all", measure=wanted) is None, "the mean of forty queries is nearly normal"
    draws = draw_few(found, "tied", measure=wanted)
    assert draws is not None
    row = found.leaderboard(wanted).to_dict("index")["tied"]
    assert draws.mean() == pytest.approx(row["expected"], abs=4 * row["sd"] / math.sqrt(len(draws)))
    assert draws.std() == pytest.approx(row["sd"], rel=0.2)
    assert row["worst"] <= draws.min() < draws.max() <= row["best"]


def test_queries_that_are_not_drawn_add_their_variance() -> None:
    qrels = {str(query): {f"d{d}": int(d in (3, 15)) for d in range(20)} for query in range(60)}
    scores = {query: {f"d{d}": float(-d // 2 if d > 12 else -d) for d in range(20)} for query in qrels}
    scores["3"] = dict.fromkeys(qrels["3"], 1.0)
    found = tiecore.evaluate(qrels, {"few": scores}, ["nDCG"])
    (wanted,) = found.measures
    assert (found.values[0, 0, found.array_columns.index("variance")] > 0).all()
    draws = draw_few(found, "few", measure=wanted)
    assert draws is not None
    row = found.leaderboard(wanted).to_dict("index")["few"]
    assert draws.mean() == pytest.approx(row["expected"], abs=4 * row["sd"] / math.sqrt(len(draws)))
    assert draws.std() == pytest.approx(row["sd"], rel=0.2)


def test_draws_are_counted_and_fewer_is_better_runs_backwards() -> None:
    one = side("a", expected=2.0, sd=math.nan, worst=3, best=1, draws=[1.5, 2, 2, 2, 2.5])
    other = side("b", expected=5.0, sd=math.nan, worst=9, best=4, draws=[4.5, 5, 6, 6, 6])
    figure = duel_chart(one, other, measure="ESL", look=DARK, higher_is_better=False)
    for trace, usual in zip(figure.data[:2], (2, 6), strict=True):
        assert max(trace.y) == 1
        assert abs(trace.x[int(np.argmax(trace.y))] - usual) < 0.15
    assert figure.layout.xaxis.range[0] > figure.layout.xaxis.range[1]


def differences(n_queries: int) -> pd.DataFrame:
    lead = np.linspace(-1, 1, n_queries)
    index = pd.Index([f"q{query}" for query in range(n_queries)], name="query_id")
    frame = pd.DataFrame(
        {
            "leader_expected": lead,
            "trailer_expected": 0.0,
            "lead": lead,
            "worst_lead": lead - 1,
            "best_lead": lead + 1,
        },
        index,
    )
    return frame.sample(frac=1, random_state=1)


def test_queries_stand_from_the_leaders_best_to_its_worst() -> None:
    figure = difference_chart(differences(9), leader="a", trailer="b", look=LIGHT, chosen="q8")
    targets = next(trace for trace in figure.data if trace.name == "queries")
    assert [data[0] for data in targets.customdata] == [f"q{query}" for query in range(8, -1, -1)]
    assert list(figure.data[-1].x) == [0], "the arrow points at the chosen query"


def test_a_thousand_queries_keep_their_shape_in_fewer_bars() -> None:
    figure = difference_chart(differences(5000), leader="a", trailer="b", look=LIGHT)
    targets = next(trace for trace in figure.data if trace.name == "queries")
    assert len(targets.x) <= 400
    assert (max(targets.y), min(targets.y)) == (1, -1)
    assert "of 5,000 queries" in figure.layout.xaxis.title.text


def test_large_play_of_ties_does_not_make_differences_vanish() -> None:
    frame = differences(5).assign(worst_lead=-1000.0, best_lead=1000.0)
    low, high = difference_chart(frame, leader="a", trailer="b", look=LIGHT).layout.yaxis.range
    assert (low, high) == pytest.approx((-4.4, 4.4))


def test_the_first_pair_shown_is_the_highest_that_ties_decide(stable: Stability) -> None:
    leader, trailer = most_interesting(stable.pairs)
    before = stable.pairs.iloc[
        : list(zip(stable.pairs["leader"], stable.pairs["trailer"], strict=True)).index((leader, trailer))
    ]
    assert before["ties"].isin(["certain", "likely"]).all()
    assert not before["reversed_by"].map(bool).any()


def test_the_sentence_on_a_pair_names_ties_queries_and_the_tie_breaks_that_reverse_it(stable: Stability) -> None:
    pair = pair_of(stable, "outdegree", "url_slashes")
    text = re.sub("<[^>]*>", "", pair_sentence(pair, stable)).replace("\u00a0", " ")
    assert text.startswith("Which of outdegree and url_slashes is better is open over 50 queries: outdegree")
    assert "p = 1 adjusted for 45 pairs" in text
    assert text.endswith("trec_eval (ids ↓) and Anserini (ids ↑) reverse the order.")
    turned = [reading for reading in readings(pair, n_pairs=45) if reading.value == REVERSED]
    assert [reading.quantity for reading in turned] == [r"trec\_eval \(ids ↓\)", r"Anserini \(ids ↑\)"]


@pytest.mark.parametrize("verdict", ["clear", "open"])
def test_pairs_of_one_kind_are_reported_together(stable: Stability, verdict: str) -> None:
    alike = stable.pairs[stable.pairs["verdict"] == verdict]
    text = re.sub("<[^>]*>", "", pairs_answer(replace(stable, pairs=alike))[0])
    assert text.startswith(f"All {len(alike)} pairs: {VERDICTS[verdict]} {verdict}. ")


def test_counts_of_verdicts_make_a_sentence(stable: Stability) -> None:
    def said(pairs: pd.DataFrame) -> str:
        return re.sub("<[^>]*>", "", pairs_answer(replace(stable, pairs=pairs))[0])

    count = Counter(stable.pairs["verdict"])
    assert said(stable.pairs) == f"{count['clear']} of 45 differences are ● clear; {count['open']} are ○ open."
    few = stable.pairs.drop_duplicates("verdict")
    assert said(few) == "1 of 2 differences is ● clear; 1 is ○ open."


def test_the_url_chooses_the_pair_and_the_verdicts_listed(open_app: OpenApp) -> None:
    app = open_app("pairs", query={"pairs_one": "dwell", "pairs_other": "outdegree", "pairs_verdict": ["open"]})
    assert [app.selectbox(key=key).value for key in ("pairs_one", "pairs_other")] == ["dwell", "outdegree"]
    listed = app.dataframe[0].value
    assert set(listed["verdict"].str.split().str[1]) == {"open"}
    spec = json.loads(app.get("plotly_chart")[1].proto.spec)
    assert [trace["name"] for trace in spec["data"][:2]] == ["outdegree", "dwell"]


def test_no_line_ends_inside_a_chance_or_a_p_value(stable: Stability) -> None:
    for _, pair in stable.pairs.iterrows():
        text = pair_sentence(pair, stable)
        assert not re.search(r"\bp (=|<|&lt;)|(=|<|&lt;) \.|\d %", text), text


def offered(app: AppTest) -> list[str]:
    """Verdicts by which the table of pairs can be filtered."""
    groups: list[Any] = list(app.get("button_group"))
    return list(next(one for one in groups if one.key == "pairs_verdict").options)


def test_the_filter_offers_the_verdicts_that_there_are_and_no_others(open_app: OpenApp) -> None:
    app = open_app("pairs")
    assert offered(app) == ["clear", "open", "reversed"]
    state = with_features(QRELS, a=[0, 1, 0, 2], same=[0, 2, 0, 3], worse=[2, 0, 1, 0])
    app = open_app("pairs", query={"pairs_verdict": ["clear", "equal"]}, state=state)
    assert offered(app) == ["open", "equal"]
    assert set(app.dataframe[0].value["verdict"].str.split().str[1]) == {"equal"}


def test_a_verdict_that_another_measure_does_not_give_is_asked_for_no_longer(open_app: OpenApp) -> None:
    app = open_app("pairs", query={"pairs_verdict": ["open"]})
    assert "reversed" in offered(app)
    app.session_state["pairs_verdict"] = ["small", "open"]
    app.run()
    assert not app.exception
    assert list(app.session_state["pairs_verdict"]) == ["open"]


def test_a_query_can_be_chosen_by_name_where_others_click_on_its_bar(open_app: OpenApp) -> None:
    app = open_app("pairs", query={"pairs_one": "dwell", "pairs_other": "outdegree"})
    box = app.selectbox(key="pairs_query")
    assert box.value is None
    assert len(box.options) == 50
    box.select(box.options[0]).run()
    assert any(text.value.startswith(f"Query **{box.options[0]}**: outdegree ") for text in app.markdown)
    app.session_state["pairs_query"] = box.options[-1]  # as a click on the last bar does
    app.run()
    assert app.selectbox(key="pairs_query").value == box.options[-1]
    assert any(text.value.startswith(f"Query **{box.options[-1]}**") for text in app.markdown)
    app.selectbox(key="pairs_one").set_value("bm25").run()
    assert app.selectbox(key="pairs_query").value is None, "of another pair another query is worth a look"


def test_of_very_many_queries_those_can_be_chosen_that_differ_most(open_app: OpenApp) -> None:
    n_queries = 1200
    lines = [f"q{q} 0 d{d} {int(d == 0)}\n" for q in range(n_queries) for d in (0, 1)]
    rows = [f"q{q},d{d},{d if q % 3 else -d},{d}\n" for q in range(n_queries) for d in (0, 1)]
    loaded = Dataset().add(
        [file_of("qrels.txt", "".join(lines)), file_of("t.csv", "query_id,doc_id,a,b\n" + "".join(rows))]
    )
    app = open_app("pairs", query={"measure": "RR"}, state={"dataset": loaded, "pairs_query": "q601"})
    box = app.selectbox(key="pairs_query")
    assert len(box.options) in (1000, 1001)
    assert box.value == "q601"


def test_choosing_the_same_feature_twice_swaps_the_two(open_app: OpenApp) -> None:
    app = open_app("pairs", query={"pairs_one": "dwell", "pairs_other": "bm25"})
    app.selectbox(key="pairs_one").set_value("bm25").run()
    assert [app.selectbox(key=key).value for key in ("pairs_one", "pairs_other")] == ["bm25", "dwell"]
    assert not app.exception


def test_a_link_with_unknown_or_equal_features_still_shows_the_page(open_app: OpenApp) -> None:
    app = open_app("pairs", query={"pairs_one": "gone", "pairs_other": "bm25"})
    assert app.selectbox(key="pairs_one").value in ("bm25", "query_url_clicks")
    app = open_app("pairs", query={"pairs_one": "bm25", "pairs_other": "bm25"})
    assert any("two different features" in info.value for info in app.info)


@pytest.mark.parametrize(
    ("scores", "measure", "said"),
    [
        (
            {"a": [0, 1, 0, 1], "b": [0, 1, 0, 1]},
            "nDCG",
            "the same expectation on each of 3 queries.",
        ),
        ({"a": [3, 1, 2, 0], "b": [3, 1, 2, 0]}, "P", "the same expectation on each of 3 queries."),
        ({"a": [0, 1, 2, 3], "b": [3, 2, 1, 0], "c": [3, 1, 2, 0]}, "ESL", "All 3 pairs: ○ open"),
        ({"a": [1, 1, 1, 1], "b": [0, 1, 0, 1]}, "GMAP", "3 queries are too few to tell"),
        ({EVIL: [0, 1, 0, 1], "b": [2, 2, 2, 2]}, "AP", "&lt;b&gt;x&lt;/b&gt;"),
    ],
)
def test_whatever_is_loaded_the_page_speaks_and_shows_no_nan(
    open_app: OpenApp, scores: dict[str, list[float]], measure: str, said: str
) -> None:
    app = open_app("pairs", query={"measure": measure}, state=with_features(QRELS, **scores))
    assert said in re.sub("<[^>]*>", "", answer_of(app))
    assert not re.search(r"\b(nan|inf)\b", all_text(app).lower())
    assert "<b>x" not in all_text(app)


@pytest.mark.slow
def test_of_very_many_features_map_and_table_show_the_best_and_say_so(open_app: OpenApp) -> None:
    many = {f"f{number:03}": [float(number % modulus) for modulus in (7, 3, 5, 2)] for number in range(201)}
    app = open_app("pairs", state=with_features(QRELS, **many))
    figure = json.loads(app.get("plotly_chart")[0].proto.spec)
    assert figure["layout"]["yaxis"]["range"] == [199.5, -0.5]
    assert len(app.dataframe[0].value) == 200 * 199 // 2
    assert "show the 200 best of 201 features" in all_text(app)
    assert len(app.selectbox(key="pairs_one").options) == 201


def test_one_query_says_nothing_about_others(open_app: OpenApp) -> None:
    one_query = "".join(QRELS.splitlines(keepends=True)[:4])
    app = open_app("pairs", state=with_features(one_query, a=[0, 1, 0, 1], b=[2, 1, 1, 0]))
    assert "1 query is too few to tell" in all_text(app)
    assert not re.search(r"\bnan\b", all_text(app))


def test_a_single_feature_is_asked_for_company(open_app: OpenApp) -> None:
    app = open_app("pairs", state=with_features(QRELS, a=[0, 1, 0, 1]))
    assert any("2 features" in info.value for info in app.info)
    assert not app.get("plotly_chart")


@pytest.mark.parametrize("n_tie_breaks", [1, 2, 3, 6])
def test_marks_of_equal_values_have_lanes_of_their_own_above_the_next_name(n_tie_breaks: int) -> None:
    ties = [f"random:{seed}" for seed in range(n_tie_breaks)]
    one, other = (Side(name, 0.5, 0.1, 0.2, 0.9, dict.fromkeys(ties, 0.5)) for name in "ab")
    figure = duel_chart(one, other, measure="AP", look=LIGHT, tie_breaks=ties, higher_is_better=True)
    lanes = np.array([trace.y for trace in figure.data if trace.name.startswith("random")])
    pixels = (figure.layout.height - figure.layout.margin.t - figure.layout.margin.b) / np.ptp(
        figure.layout.yaxis.range
    )
    assert lanes.shape == (n_tie_breaks, 2)
    assert (np.diff(lanes, axis=0) * -pixels > 4).all(), "none over another"
    names = [note.y for note in figure.layout.annotations]
    assert lanes[:, 0].min() > names[1] + 0.1
    assert lanes.min() > figure.layout.yaxis.range[0] + 0.05


@pytest.mark.parametrize("draw", ["pairs", "alike"])
@pytest.mark.parametrize("length", [3, 10, 40])
def test_no_two_names_above_the_columns_overlap_on_a_phone(draw: str, length: int) -> None:
    phone, seen = 358, set()
    for n in range(2, 30):
        names = [f"{place:0{length}d}" for place in range(n)]
        beats = pd.DataFrame(0.5, index=names, columns=names)
        pair = {"leader": [names[0]], "trailer": [names[1]], "verdict": ["clear"], "tie_risk": [0.0]}
        pairs = pd.DataFrame(pair | {"reversed_by": [()]})
        figure = (
            heat_map(beats, pairs, look=LIGHT) if draw == "pairs" else alike_map(beats, beats, title="τ-b", look=LIGHT)
        )
        layout = figure.layout
        if list(layout.xaxis.ticktext) == [label(name) for name in names]:
            cell = (phone - layout.margin.l - layout.margin.r) / n
            assert cell * math.sin(math.radians(-layout.xaxis.tickangle)) >= layout.xaxis.tickfont.size
        else:
            assert layout.xaxis.tickangle == 0
            assert [text.split()[-1] for text in layout.yaxis.ticktext] == [str(place + 1) for place in range(n)]
        seen.add(layout.xaxis.tickangle)
    assert seen == {0, -65}
