"""The page Pairs: its verdicts, its pictures as data, and what it does where there is little to show."""

import json
import re
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.conftest import EVIL, TINY_QRELS, alike, answer_of, html_of, loaded, open_app, plain
from tests.dashboard.test_charts import contrast
from tiecore.stability import Stability
from tiecore_dashboard.charts.look import DARK, GLYPHS, LIGHT, blend
from tiecore_dashboard.charts.pieces import entries_of
from tiecore_dashboard.pages.pairs.answer import by_need, pair_sentence, pairs_answer
from tiecore_dashboard.pages.pairs.charts import difference_map
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.words import REVERSED, VERDICTS, tie_risk

GRADES = (0, 1, 0, 2)


def all_text(app: AppTest) -> str:
    return " ".join([html_of(app), *(element.value for element in (*app.markdown, *app.caption, *app.info))])


@pytest.fixture
def stable(sample_view: View) -> Stability:
    return cached.board(sample_view).stability


def pair_of(stable: Stability, one: str, other: str) -> pd.Series:
    return next(row for _, row in stable.pairs.iterrows() if {row["leader"], row["trailer"]} == {one, other})


def made_up_pairs(names: list[str], verdict: str = "open") -> pd.DataFrame:
    one, other = np.triu_indices(len(names), 1)
    pairs = pd.DataFrame({"leader": np.array(names)[one], "trailer": np.array(names)[other], "verdict": verdict})
    pairs["reversed_by"] = [("input",) for _ in one]
    return pairs.assign(difference=0.2, low=-0.1, high=0.3, tie_risk=0.3)


@pytest.mark.parametrize("verdict", ["equal", "small", "open", "clear"])
def test_the_legend_of_the_map_has_the_verdict_that_the_sentence_has(verdict: str) -> None:
    figure = difference_map(made_up_pairs(["a", "b"], verdict), ["a", "b"], draws=1000, look=LIGHT)
    assert next(entry.name for entry in entries_of(figure)) == f"{VERDICTS[verdict]} {verdict}"


def test_the_answer_counts_the_verdicts_of_tiecore(sample_view: View) -> None:
    own = sample_view.evaluation.stability(sample_view.measure)
    count = Counter(own.pairs["verdict"])
    text = plain(answer_of(open_app("pairs")))
    assert text.startswith(f"Of 45 differences {count['clear']} are ● clear and {count['open']} are ○ open.")
    few = own.pairs.sort_values("reversed_by", key=lambda names: names.map(len)).iloc[[0, -1]]
    assert pairs_answer(replace(own, pairs=few))[1][1].startswith("1 of the 2 pairs changes order under <")
    changing = f"{own.pairs['reversed_by'].map(bool).sum()} of the 45 pairs change order"
    assert f"{changing} under at least one tie-break: 7 under file order, 2 under Anserini" in text
    notes = " ".join(note.value for note in open_app("pairs").caption).replace("\\", "")
    power = "with 80 % power (level 0.05/45, as 45 pairs are compared)."
    assert f"50 queries would detect a true difference of 0.1510 {power}" in notes, "what an open pair could have shown"
    assert "p = .57, p = 1 adjusted for 45 pairs. Line: the interval at Holm’s level for all 45 pairs; a" in notes
    assert "Intervals are of each pair by itself, not adjusted for all 45; p (Holm) decides." in notes
    app = open_app("pairs", query={"pairs_one": "bm25", "pairs_other": "url_length"})
    assert "true difference" not in " ".join(note.value for note in app.caption), "it would question a clear one"


@pytest.mark.parametrize(
    ("verdicts", "said"),
    [
        ({"clear": 2}, "Both differences are ● clear."),
        ({"open": 2}, "Of 2 differences none is ● clear and 2 are ○ open."),
        ({"clear": 3}, "All 3 differences are ● clear."),
        ({"clear": 1, "open": 1}, "Of 2 differences 1 is ● clear and 1 is ○ open."),
    ],
)
def test_counts_of_verdicts_make_a_sentence(stable: Stability, verdicts: dict[str, int], said: str) -> None:
    pairs = pd.concat([stable.pairs[stable.pairs["verdict"] == name].head(n) for name, n in verdicts.items()])
    assert plain(pairs_answer(replace(stable, pairs=pairs))[0]) == said


def test_only_the_upper_triangle_is_drawn_strong_where_a_difference_is_clear_by_who_leads(stable: Stability) -> None:
    names = list(stable.places.index)
    cells = np.array(difference_map(stable.pairs, names, draws=1000, look=LIGHT).data[0].z, dtype=float)
    upper = np.triu(np.ones((10, 10), dtype=bool), 1)
    assert np.isnan(cells[~upper]).all()
    for _, pair in stable.pairs.iterrows():
        row, column = sorted(names.index(pair[side]) for side in ("leader", "trailer"))
        assert (abs(cells[row, column]) > 0.5) == (pair["verdict"] == "clear")
    largest = stable.pairs.iloc[int(stable.pairs["difference"].to_numpy().argmax())]
    assert abs(cells[names.index(largest["leader"]), names.index(largest["trailer"])]) == np.nanmax(abs(cells))
    assert difference_map(made_up_pairs(["b", "a"]), ["a", "b"], draws=1000, look=LIGHT).data[0].z[0][1] < 0


@pytest.mark.parametrize("look", [LIGHT, DARK])
def test_every_cell_tells_its_pair_with_a_mark_of_its_verdict_and_of_reversal(stable: Stability, look: Any) -> None:
    names = list(stable.places.index)
    figure = difference_map(stable.pairs, names, draws=stable.draws, look=look)
    targets = next(trace for trace in figure.data if trace.name == "pairs")
    assert sorted(tuple(data) for data in targets.customdata) == sorted(
        (one, other) for row, one in enumerate(names) for other in names[row + 1 :]
    )
    marks = next(trace for trace in figure.data if trace.name == "marks")
    assert [text[0] for text in marks.text] == [VERDICTS[verdict] for verdict in stable.pairs["verdict"]]
    assert [text[-3:] for text in marks.text] == [f"{lead:.2f}"[1:] for lead in stable.pairs["difference"]]
    (_, later), (_, pale), (_, earlier) = figure.data[0].colorscale
    for share, ink in zip(np.abs(figure.data[0].z)[marks.y, marks.x], marks.textfont.color, strict=True):
        assert min(contrast(ink, blend(hue, pale, share)) for hue in (later, earlier)) > 4.5
    marked = {(x, y) for x, y, text in zip(marks.x, marks.y, marks.text, strict=True) if f" {REVERSED}<" in text}
    for x, y, (one, other), told in zip(targets.x, targets.y, targets.customdata, targets.hovertext, strict=True):
        pair = pair_of(stable, one, other)
        assert (names[y], names[x]) == (one, other)
        assert f" {pair['verdict']}, tie risk {tie_risk(pair['tie_risk'], stable.draws)}" in told
        assert ("reversed by" in told) == ((x, y) in marked) == bool(pair["reversed_by"])


@pytest.mark.parametrize("n", [2, 20, 40])
def test_names_stand_on_the_diagonal_and_marks_where_they_have_room(n: int) -> None:
    names = [f"{EVIL}{number}" for number in range(n)]
    figure = difference_map(made_up_pairs(names), names, draws=149, look=LIGHT, chosen=(names[1], names[0]))
    notes = figure.layout.annotations
    assert [(round(note.x), note.y) for note in notes] == [(at, at) for at in range(n)]
    assert not any("<b>" in note.text for note in notes)
    assert len(figure.layout.xaxis.tickvals) == n - 1
    entry, mark = entries_of(figure)[-1], figure.data[-1]
    signs = {text.split("<br>")[0][-1] for text in mark.text}
    assert (entry.name, {entry.symbol}) == ("reversed by a tie-break", signs)
    is_marked = VERDICTS["open"] in "".join(entry.name for entry in entries_of(figure))
    assert is_marked == mark.text[0].startswith(VERDICTS["open"])
    assert GLYPHS.get(entry.symbol, entry.symbol) not in VERDICTS.values()
    assert not any("<b>" in head for head in figure.layout.xaxis.ticktext)
    assert figure.layout.height < 800
    (frame,) = figure.layout.shapes
    assert frame.x0 < 1 < frame.x1
    assert frame.y0 < 0 < frame.y1
    targets = next(trace for trace in figure.data if trace.name == "pairs")
    assert list(targets.customdata[0]) == names[:2]
    assert not any("<b>x" in told for told in targets.hovertext)


def test_names_beside_the_first_rows_leave_the_width_of_a_phone_to_the_cells() -> None:
    names = ["clicks_of_all_sessions", "title_match", "query_url_clicks", *(f"feature_{n}" for n in range(7))]
    figure = difference_map(made_up_pairs(names), names, draws=149, look=LIGHT)
    assert figure.layout.annotations[0].text == "clicks_of_<br>all_sessions"
    assert list(figure.layout.xaxis.ticktext) == names[1:], "above the cells there is room"
    own = ["base.unipd.it", "UIUC_DMG_setrank_ret", "ixa-ir-filter-query", "BERT"]
    few = difference_map(made_up_pairs(own), own, draws=149, look=LIGHT).layout.annotations
    assert [note.text for note in few] == own, "none breaks where there is room"
    margin = figure.layout.margin
    assert (390 - 2 * 16 - margin.l - margin.r) / len(names) > 28


def test_the_list_begins_with_what_needs_a_look_and_so_does_the_page(stable: Stability) -> None:
    listed = by_need(stable.pairs)
    app = open_app("pairs")
    assert any("the number in each cell. Choose a cell to see" in note.value for note in app.caption)
    columns = list(app.dataframe[0].value)
    assert all('"toImage"' in one.proto.config for one in app.get("plotly_chart")), "a picture that lacks the legend"
    assert columns == ["leader", "trailer", "verdict", "difference", "holm", "tie_risk", "interval", "reversed_by"]
    assert app.dataframe[0].value["interval"][0] == "−0.0503 to 0.0904", "with the minus of every sentence"
    assert "Anserini; file order" in set(app.dataframe[0].value["reversed_by"]), "two are read at 1,024 pixels"
    assert {"none", "below 1 %", "6 %"} <= {text.strip() for text in app.dataframe[0].value["tie_risk"]}
    assert "The table scrolls: 45 rows." in {caption.value for caption in app.caption}
    assert app.dataframe[0].value["leader"].tolist() == listed["leader"].tolist()
    chosen = tuple(app.selectbox(key=key).value for key in ("pairs_one", "pairs_other"))
    assert chosen == tuple(listed[["leader", "trailer"]].iloc[0])


def test_the_sentence_on_a_pair_names_ties_queries_and_the_tie_breaks_that_reverse_it(stable: Stability) -> None:
    text = plain(pair_sentence(pair_of(stable, "outdegree", "url_slashes"), stable))
    assert text.startswith("No clear winner: outdegree is ahead of url_slashes by 0.0016 in nDCG@10, ")
    assert "; ties alone could reverse the order (tie risk 40 %). " in text
    assert text.endswith("The order is reversed under trec_eval (ids ↓) and Anserini (ids ↑).")
    for _, pair in stable.pairs.iterrows():
        text = pair_sentence(pair, stable)
        assert not re.search(r"\bp (=|<|&lt;)|(=|<|&lt;) \.|\d %", text), text


def test_a_query_can_be_chosen_by_name_where_others_click_on_its_bar() -> None:
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


def test_a_link_with_unknown_equal_or_single_features_still_shows_the_page() -> None:
    many = ["docid-asc", "docid-desc", "input", *(f"random:{seed}" for seed in (2, 4, 5))]
    app = open_app("pairs", query={"pairs_one": "gone", "pairs_other": "bm25", "tie": many})
    assert any(text.endswith(" more") for text in app.dataframe[0].value["reversed_by"]), "as many as fit"
    assert app.selectbox(key="pairs_one").value == "title_match", "that which needs a look first"
    assert app.selectbox(key="pairs_one").proto.HasField("default"), "a pair has two features: none can be taken away"
    app = open_app("pairs", query={"pairs_one": "bm25", "pairs_other": "bm25"})
    assert any("two different features" in info.value for info in app.info)
    app = open_app("pairs", state={"dataset": alike(GRADES, {"a": [0, 1, 0, 1]})})
    assert any("2 features" in info.value for info in app.info)
    assert not app.get("plotly_chart")
    app = open_app("pairs", state={"pairs_ties": True})
    assert '"mean lead in nDCG@10"' in app.get("plotly_chart")[2].proto.spec
    assert "1,000 random tie-breaks, each of which breaks the ties of both by one order" in all_text(app)


@pytest.mark.parametrize(
    ("scores", "measure", "said"),
    [
        ({"a": [0, 1, 0, 1], "b": [0, 1, 0, 1]}, "nDCG", "the same expectation on each of 3 queries."),
        ({"a": [3, 1, 2, 0], "b": [3, 1, 2, 0]}, "P", "the same expectation on each of 3 queries."),
        ({"a": [0, 1, 2, 3], "b": [3, 2, 1, 0], "c": [3, 1, 2, 0]}, "ESL", "Too few queries to tell which of 3"),
        ({"a": [1, 1, 1, 1], "b": [0, 1, 0, 1]}, "GMAP", "Too few queries to tell"),
        ({EVIL: [0, 1, 0, 1], "b": [2, 2, 2, 2]}, "AP", "&lt;b&gt;x&lt;/b&gt;"),
    ],
)
def test_whatever_is_loaded_the_page_never_says_nan(scores: dict[str, list[float]], measure: str, said: str) -> None:
    app = open_app("pairs", query={"measure": measure}, state={"dataset": alike(GRADES, scores)})
    assert said in re.sub("<[^>]*>", "", answer_of(app))
    assert not re.search(r"\b(nan|inf)\b", all_text(app).lower())
    listed = {text for one in app.dataframe if "leader" in one.value for text in one.value["verdict"]}
    assert listed <= {"○ open; too few queries to tell"}, "a note stands by its verdict"
    assert "<b>x" not in all_text(app)


@pytest.mark.slow
def test_of_very_many_features_map_and_table_show_the_best_and_say_so() -> None:
    many = {f"f{number:03}": [float(number % modulus) for modulus in (7, 3, 5, 2)] for number in range(201)}
    app = open_app("pairs", state={"dataset": alike(GRADES, many)})
    figure = json.loads(app.get("plotly_chart")[0].proto.spec)
    assert figure["layout"]["yaxis"]["range"] == [39.5, -0.5]
    assert len(app.dataframe[0].value) == 40 * 39 // 2
    assert any("show the 40 best of 201 features" in one.value for one in app.caption), "said above the map"
    assert len(app.selectbox(key="pairs_one").options) == 201


def test_one_common_query_shows_its_difference_and_no_size_of_an_effect() -> None:
    rows = ["q1,d0,1,", "q1,d1,2,", "q2,d0,1,3", "q2,d1,2,1", "q2,d3,2,2", "q3,d1,,1", "q3,d3,,2"]
    data = loaded(qrels__txt=TINY_QRELS, table__csv="\n".join(["query_id,doc_id,a,b", *rows, ""]))
    app = open_app("pairs", state={"dataset": data})
    assert "<em>Too few queries to tell</em>: " in all_text(app)
    assert not re.search(r"\b(nan|effect|large)\b", all_text(app).lower())
    bars = json.loads(app.get("plotly_chart")[1].proto.spec)
    assert [trace["customdata"] for trace in bars["data"] if trace["name"] == "targets"] == [[["q2"]]]
