"""The page Ranking: sentence, table, places, filters and exports all say what the board says."""

import io
import json
import re
from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import NamedTuple, cast
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

import tiecore
from tests.dashboard.conftest import TINY_QRELS, Offered, alike, answer_of, html_of, loaded, open_app, plain
from tiecore.board import Board
from tiecore.board import board as board_of
from tiecore.board.marks import MOST_COLOURED
from tiecore.evaluation.result import Evaluation
from tiecore_dashboard.charts.look import DARK, LIGHT, Look, colours_of, gutter
from tiecore_dashboard.files.datasets import Dataset
from tiecore_dashboard.pages.ranking.charts import places_chart
from tiecore_dashboard.pages.ranking.columns import PRESETS, shows_places
from tiecore_dashboard.pages.ranking.leaderboard import Leaderboard
from tiecore_dashboard.pages.ranking.shown import duplicates
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.words import number


class Rows(NamedTuple):
    """A table: the title of each column, and of each row its name, texts and sort keys."""

    titles: list[str]
    names: list[str]
    texts: list[list[str]]
    keys: list[list[str]]


def rows_of(html: str) -> Rows:
    """Read the leaderboard out of HTML; the places under tie-breaks stand in its rows."""
    table = ElementTree.fromstring(html.replace("&nbsp;", "\u00a0")).find("table")
    assert table is not None
    rows = table.findall("tbody/tr")
    return Rows(
        titles=["".join(cell.itertext()) for cell in table.findall("thead/tr/th")],
        names=[row.get("data-feature", "") for row in rows],
        texts=[["".join(cell.itertext()) for cell in row] for row in rows],
        keys=[[cell.get("data-key", "") for cell in row] for row in rows],
    )


def shown(app: AppTest) -> Rows:
    element = next(one for one in app.get("bidi_component") if one.key == "ranking_table")
    return rows_of(json.loads(element.proto.json)["html"])


@cache
def random_board(n_features: int, tie_breaks: tuple[str, ...] = ("docid-desc", "input")) -> Board:
    """Board of features with few distinct scores."""
    rng = np.random.default_rng(3)
    rows = [(f"q{q}", f"d{d}") for q in range(8) for d in range(6)]
    table = pd.DataFrame(rows, columns=["query_id", "doc_id"])
    scores = pd.DataFrame(rng.integers(0, 3, (len(rows), n_features))).add_prefix("f")
    qrels = table.assign(relevance=[d % 2 for _ in range(8) for d in range(6)])
    return tiecore.evaluate(qrels, table.join(scores), ["P@3"], tie_breaks).board()


@pytest.fixture
def board(sample_view: View) -> Board:
    return cached.board(sample_view)


def test_the_page_says_what_the_board_says(board: Board) -> None:
    app = open_app()
    assert "<h1>Ranking</h1>" in html_of(app)
    answer = plain(answer_of(app))
    said = "No clear winner: bm25 is ahead of title_match by 0.0388 in nDCG@10, but 50 queries do not settle it (95 % "
    assert answer.startswith(said)
    assert "Under file order, 7 of 10 features change place, and query_url_clicks comes first" in answer
    assert "under each of trec_eval (ids ↓) and Anserini (ids ↑), 4 do.Do not rank query_url_clicks with file" in answer
    rows = shown(app)
    assert rows.names == list(board.names)
    assert [title for title in rows.titles if not title.startswith("Behind")] == [
        "#", "Feature", *[rows.titles[2]], "Tie risk", "trec_eval (ids\u00a0↓)",
        "Anserini (ids\u00a0↑)", "file order",
    ]  # fmt: skip
    assert [float(keys[2]) for keys in rows.keys] == board.rows["value"].tolist()
    assert [float(keys[3]) for keys in rows.keys] == board.rows["behind"].tolist()
    has_ties = board.rows["tie_low"] < board.rows["tie_high"]
    html = Leaderboard(board).in_html(LIGHT)
    assert 0 < html.count('<i class="ties"') == has_ties.sum()
    for name, texts in zip(rows.names, rows.texts, strict=True):
        verdict = board.rows.loc[name, "verdict"]
        assert texts[3].endswith(str(verdict) or "best")
    newcomers = "Values are averages over all orders of tied documents, whose scores are equal."
    bar = '<div><i class="range">▅▅</i> Bar: 95 % interval over queries.</div>'
    assert f"<div>{newcomers}</div>{bar}" in html_of(app), "a line each"
    assert html_of(app).count("whose scores are equal") == 1
    assert rows_of(f"<div>{html.partition('</h3>')[2]}").titles[:2] == ["#", "Feature"], "of which ▲ and ▼ are counted"
    assert "Holm’s level for all 45 pairs; a difference is clear only where it excludes 0." in plain(html_of(app))
    assert html.count('<i class="line ') == len(board.rows) - 1
    assert "<div>Behind bm25: ● clear, ○ open.</div>" in html_of(app), "as in print"
    kinds = [[*dict.fromkeys(re.findall(r'<i class="(\w+)', bar))] for bar in re.findall("aria-label.*?</span>", html)]
    assert ["range", "line", "zero", "dot"] in kinds, "no bar hides whether it crosses zero"
    numbers = Leaderboard(board, "numbers").in_html(LIGHT)
    assert rows_of(numbers).titles[-1] == "Firstof draws"
    assert re.search(r"\(1,000 draws of all features, combined from \d+ orders of each query\)", numbers)


@pytest.mark.parametrize("look", [LIGHT, DARK])
@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_shows_names_as_text_and_no_nan(board: Board, preset: str, look: Look) -> None:
    marked = replace(board, highlighted=["dwell"])
    html = Leaderboard(marked, preset, {"<i>AP": board}).in_html(look)
    assert "nan" not in html.lower()
    assert "<i>AP" not in html
    assert html.count('class="marked"') == 1 + (preset == "answer")  # places have a table of their own on a phone
    assert ('class="ruled' in html) == (preset != "other measures"), "groups are those of one measure"
    name = '<img src=x onerror="alert(1)">'
    qrels = {q: {d: int(d == "a") for d in "abc"} for q in "123456"}
    ranked = {q: {"a": 1, "b": 1, "c": 0} for q in "123456"}
    named = tiecore.evaluate(qrels, {name: ranked, "other": qrels}, ["RR"], ["docid-asc"]).board()
    html = Leaderboard(named, preset, {name: named}).in_html(look)
    assert "<img" not in html
    assert sorted(rows_of(html).names) == sorted(named.names)


def test_numbers_are_those_of_the_board_of_the_evaluation(board: Board, sample_view: View) -> None:
    rows = shown(open_app(query={"ranking_columns": "numbers"}))
    found = board.rows.to_dict("index")
    for name, texts in zip(rows.names, rows.texts, strict=True):
        row = found[name]
        assert texts[2] == number(row["value"])
        assert texts[3] == f"{number(row['low'])}\u00a0to {number(row['high'])}"
        assert texts[4 : 4 + len(board.tie_breaks)] == [number(row[one]) for one in board.tie_breaks]
        assert row["letters"] in texts
        assert number(row["worst"]) in texts
        assert f"{row['place_low']}–{row['place_high']}" in texts
        assert row["all_low"] <= row["place_low"] <= row["place_high"] <= row["all_high"], "the former by its verdicts"
    said = Leaderboard(board, "numbers").notes()
    assert "adjusted for its own pairs only; verdicts are adjusted for all pairs, and so may leave more open." in said
    assert "line between rows: the feature just below it is clearly worse than the best of the group above;" in said
    direct = board_of(sample_view.evaluation, sample_view.measure)
    pd.testing.assert_frame_equal(board.rows, direct.rows, check_exact=True)
    assert board.headline() == direct.headline()


@pytest.mark.parametrize("values", [[0.5, 0.5, 0.5], [0.0, 0.0, 0.0], [1e-9, 2e-9, 4e-9], [10.0, 2000.0, 30000.0]])
@pytest.mark.parametrize("measure", ["DCG@3", "ESL"])
def test_better_is_to_the_right_and_all_marks_are_inside(measure: str, values: list[float]) -> None:
    found = random_board(3)
    frame = found.rows.assign(value=values, low=values, high=values, worst=values, best=values)
    study = replace(found.stability, measure=tiecore.measure(measure))
    html = Leaderboard(replace(found, rows=frame, stability=study)).in_html(LIGHT)
    cells = re.findall(r'class="bars value".*?</td>', html)
    dots = [float(at) for cell in cells for at in re.findall(r'class="dot" style="left:([\d.-]+)%"', cell)]
    assert len(dots) == 3
    assert all(0 <= at <= 100 for at in dots)
    assert dots == sorted(dots, reverse=measure == "ESL")


def test_what_a_tie_break_does_stands_in_the_rows_of_few_features_and_below_many() -> None:
    few, many = random_board(4), random_board(33)
    assert shows_places(few)
    assert not shows_places(many)
    assert not shows_places(random_board(4, ("docid-asc", *(f"random:{seed}" for seed in range(5)))))
    equal = replace(few, rows=few.rows.assign(verdict="equal", tie_risk=np.nan))
    signs = [Leaderboard(one).notes() for one in (few, equal)]
    assert [bool(re.search("Line: .*Tie risk: ", told)) for told in signs] == [True, False], "only what is drawn"
    rows = rows_of(Leaderboard(few).in_html(LIGHT))
    for name, texts in zip(rows.names, rows.texts, strict=True):
        for text, tie_break in zip(texts[-2:], few.tie_breaks, strict=True):
            place, shift = (float(few.under(tie_break)[what][name]) for what in ("place", "shift"))
            sign = f"▲{shift:.0f} " if shift > 0 else f"▼{-shift:.0f} " if shift < 0 else ""
            assert text == f"{sign}{place:.0f}"
    movers, which = many.in_colour()
    assert movers == [many.names[0], *(name for name in many.movers if name != many.names[0])][:MOST_COLOURED]
    puts = "features that come first or move at least 9 places under a tie-break"
    assert which == f"the leader by expectation, and 7 of the 8 {puts}"
    assert 'class="leaderboard middle' in Leaderboard(many).in_html(LIGHT), "up to 50 rows are all seen"
    colours = colours_of(movers, LIGHT)
    figure = places_chart(many, look=LIGHT, colours=colours)
    assert figure.layout.margin.l >= gutter(many.names) + 25, "places have room behind the longest name"
    heads = places_chart(random_board(4, ("input", "input-reversed")), look=LIGHT, colours={}).layout.xaxis.ticktext
    assert [*heads] == ["expectation", "file<br>order", "file<br>order<br>reversed"], "none reaches into the next one"
    ends = {len(text.removesuffix("</span>").partition("\u2003")[2]) for text in figure.layout.yaxis.ticktext}
    assert ends == {3}, "places are below each other, one with a sign as others have it, too"
    drawn = places_in(figure)
    assert {name: colour for name, (colour, _) in drawn.items() if colour != LIGHT.quiet} == colours
    slots = np.array([drawn[name][1] for name in many.names])
    assert slots[:, 0].tolist() == list(range(33)), "in order of the expectation"
    assert (np.sort(slots, axis=0) == np.arange(33)[:, None]).all(), "no line hides another"
    assert len(figure.data) == 3 + MOST_COLOURED, "the others are one trace"


def test_many_features_have_places_in_a_picture_below_where_each_keeps_its_colour_and_no_two_share_one() -> None:
    rng = np.random.default_rng(3)
    names = [f"f{n:02}" for n in range(51)]
    data = alike([0, 1] * 3, {name: rng.integers(0, 3, 6).tolist() for name in names}, 8)
    app = open_app(state={"dataset": data})
    assert len(shown(app).names) == 51
    captions = [caption.value for caption in app.caption]
    assert not any("picture scrolls" in caption for caption in captions), "those in colour alone are drawn"
    (told,) = (caption for caption in captions if "Drawn: the leader by expectation" in caption)
    lines = "Heights follow the places among all 51; features that would overlap are moved apart."
    assert told.endswith(f"; all places are in the export. {lines}")
    assert "file order" not in shown(app).titles
    before = coloured(app)
    assert len(before) == len(set(before.values())) == MOST_COLOURED
    kept = list(before)[:2]
    app.session_state["highlighted"] = (*kept, *(name for name in names if name not in before))
    app.run()
    after = coloured(app)
    assert len(after) == len(set(after.values())) == 2 + 51 - MOST_COLOURED
    assert [after[name] for name in kept] == [before[name] for name in kept]


def coloured(app: AppTest) -> dict[str, str]:
    """Colours of the features in the picture of places that do not step back."""
    (chart,) = (one for one in app.get("plotly_chart") if "Places" in one.proto.alt)
    found = places_in(go.Figure(json.loads(chart.proto.spec)))
    return {name: colour for name, (colour, _) in found.items() if colour != LIGHT.quiet}


def places_in(figure: go.Figure) -> dict[str, tuple[str, list[int]]]:
    """Colour and rows of each feature in a picture of places."""
    found: dict[str, tuple[str, list[int]]] = {}
    for trace in figure.data:
        if trace.name == "places":
            continue
        for (name, _), y in zip(trace.customdata if trace.customdata is not None else (), trace.y, strict=False):
            if name:
                found.setdefault(name, (trace.line.color, []))[1].append(y)
    return found


def test_each_point_between_the_names_says_its_place_where_there_is_room() -> None:
    for board in (random_board(20), random_board(33)):
        colours = colours_of(board.movers[:2], LIGHT)
        drawn = places_chart(board, look=LIGHT, colours=colours).data
        (written,) = (trace for trace in drawn if trace.name == "places")
        shown = {name: int(text.strip("=")) for (name, _), text in zip(written.customdata, written.text, strict=True)}
        places = board.under(board.tie_breaks[0])["place"]
        assert set(shown) == (set(board.names) if len(board.names) == 20 else set(colours))
        assert shown == places[list(shown)].to_dict()


@pytest.mark.usefixtures("no_preview")
@pytest.mark.parametrize(
    ("columns", "order", "by", "rises"),
    [
        ("answer", "feature", "Feature", True),
        ("answer", "-input place", "file order: place", False),
        ("numbers", "-worst", "Worst", False),
        ("numbers", "-input", "file order", False),
        ("other measures", "-AP: place", "AP: place", False),
        ("answer", "gone", "Place", True),
    ],
)
def test_what_is_sorted_highlighted_or_beside_it_is_so_in_the_link_and_in_exports(
    offered: Offered, monkeypatch: pytest.MonkeyPatch, columns: str, order: str, by: str, rises: bool
) -> None:
    monkeypatch.setattr("tiecore_dashboard.pages.ranking.report._picture", lambda _: "")
    link = {"ranking_columns": columns, "ranking_order": order, "ranking_search": "e,c"}
    app = open_app(query=link | {"highlight": ["dwell", "gone"]}, state={"ranking_exports": True})
    assert app.query_params["ranking_order"] in (order, [order])
    assert app.query_params["highlight"] in ("dwell", ["dwell"])
    tables = {
        label: pd.read_csv(io.BytesIO(offered[f"{label} (CSV)"]()), encoding="utf-8-sig", keep_default_na=False)
        for label in ("Leaderboard", *["Other measures"] * (columns == "other measures"))
    }
    (table,) = [one for one in tables.values() if by in one]
    names = table.sort_values(by, ascending=rises, kind="stable")["Feature"].tolist()
    assert len(names) == 9
    for one in tables.values():
        assert one["Feature"].tolist() == names
        assert one["Feature"][one["Highlighted"] == "yes"].tolist() == ["dwell"]
    for label in ("Tie-breaks", *tables):
        paper = offered[f"{label} (LaTeX)"]().replace("\\_", "_")
        assert re.findall(r"^    (?:\d+ & )?(?:\\textbf\{)?([a-z]\w+)", paper, re.MULTILINE) == names
        assert "\\textbf{dwell} &" in paper
        assert "9 of 10 features. Highlighted: dwell." in paper
    report = offered["Report (HTML)"]()
    assert [*dict.fromkeys(re.findall('data-feature="(.*?)"', report))] == names
    assert {*re.findall('data-feature="([^"]*)" class="marked', report)} == {"dwell"}
    assert ("<h2>Other measures</h2>" in report) == (columns == "other measures")


def test_the_page_filters_by_name_places_scores_and_says_so(board: Board) -> None:
    app = open_app(query={"ranking_search": "URL"})
    assert app.number_input(key="ranking_top").label == "Best n features", "k is the cut-off"
    names = ["query_url_clicks", "url_length", "url_slashes", "url_clicks"]
    assert shown(app).names == names
    part = board.only(names)
    assert plain(answer_of(app)).startswith("4 of 10 features are shown. No clear winner: query_url_clicks is")
    assert [float(keys[3]) for keys in shown(app).keys] == part.rows["behind"].tolist()
    (button,) = (one for one in app.button if one.key == "ranking_filtered")
    assert button.label == "Filtered: 4 of 10 ✕"
    button.click().run()
    assert shown(app).names == list(board.names)
    assert not [one for one in app.button if one.key == "ranking_filtered"]
    assert shown(open_app(query={"ranking_search": " BM25, dwell,"})).names == ["bm25", "dwell"]
    assert shown(open_app(query={"ranking_top": "3"})).names == ["bm25", "title_match", "query_url_clicks"]
    assert "No feature passes the filter." in [info.value for info in open_app(query={"ranking_search": "xyz"}).info]


def test_constant_and_duplicate_features_are_named_and_can_be_hidden() -> None:
    data = alike((0, 1, 0, 2), {"clicks": (0, 1, 0, 1), "again": (0, 2, 0, 2), "constant": [1] * 4})
    said = "clicks and again", "Constant within each query, and so without an order: constant."
    hide, search = {"ranking_hide": "true"}, {"ranking_search": "const"}
    for filters, told in (({}, [True, True]), (hide, [True, False]), (search, [False, True])):
        app = open_app(query=filters, state={"dataset": data})
        assert len(shown(app).names) == (1 if filters else 3)
        assert [one in plain(html_of(app)) for one in said] == told, "nothing of what is not shown"


def test_duplicates_have_the_same_values_for_every_query() -> None:
    values = np.array([[[1.0, 2.0]], [[1.0, 3.0]], [[1.0 + 1e-15, 2.0]], [[-0.0, 0.0]], [[0.0, -1e-16]]])
    own = SimpleNamespace(values=SimpleNamespace(array=values[np.newaxis]), features="abcde")
    assert duplicates(cast("Evaluation", own)) == [("a", "c"), ("d", "e")]


def test_the_same_features_stand_side_by_side_elsewhere(tiny_files: None) -> None:
    app = open_app(query={"ranking_columns": "other measures"})
    rows = shown(app)
    assert rows.names[0] == "clicks"
    assert not any("scrolls" in caption.value for caption in app.caption)
    assert any("** leads " in caption.value for caption in app.caption)
    assert "compared with the best: ○ open" in plain(html_of(app)), "none is clear"
    assert rows.titles[2::2] == ["nDCG@10", "P@10", "AP", "RR"]
    assert rows.texts[0][3] == "1\xa0best"


def test_a_single_feature_is_told_its_values_and_few_queries_none(tiny_data: Dataset) -> None:
    data = tiny_data.change(1, used=False).change(2, used=False)
    app = open_app(query={"measure": "RR", "tie": ["docid-desc"]}, state={"dataset": data})
    answer = plain(answer_of(app))
    assert "anything from" in answer
    assert "trec_eval (ids ↓) gives 1.0000." in answer
    assert not app.get("plotly_chart")
    assert len(shown(app).names) == 1
    assert not any("Behind" in title for title in shown(app).titles)
    app = open_app(state={"dataset": tiny_data})
    answer = plain(answer_of(app))
    assert "Too few queries to tell: " in answer
    assert "interval" not in answer
    assert "○ open" in shown(app).texts[1][3].replace("\xa0", " "), "the verdict of Pairs"
    assert "Bar:" not in plain(html_of(app)), "there are none"


def test_a_common_query_says_what_it_can() -> None:
    runs = {"a": "q1,d0,1\nq1,d1,0\nq2,d0,1\n", "b": "q1,d0,0\nq1,d1,1\nq3,d0,1\n", "c": "q2,d1,1\n"}
    files = {f"{name}__csv": f"query_id,doc_id,{name}\n{text}" for name, text in runs.items()}
    app = open_app(state={"dataset": loaded(qrels__txt=TINY_QRELS, **files)})
    assert "large" not in plain(html_of(app))
    assert "no query in common" in " ".join(cell for texts in shown(app).texts for cell in texts)


def test_two_features_open_on_their_difference_and_a_paper_names_it(sample_data: Dataset, offered: Offered) -> None:
    for row in range(2, len(sample_data.features)):
        sample_data = sample_data.change(row, used=False)
    app = open_app(state={"dataset": sample_data, "ranking_exports": True})
    assert {"Report (HTML)", "Leaderboard (LaTeX)", "Queries of bm25 and indegree (CSV)"} <= {*offered}
    assert app.segmented_control(key="ranking_columns").options == [*PRESETS]
    assert "Pair & Difference" in str(offered["Pairs (LaTeX)"]())
    assert "over 50 queries" in plain(answer_of(app))
    assert app.get("plotly_chart")
    assert len(shown(app).names) == 2
    assert "Tie risk: chance that a random tie-break" in html_of(app), "what a column means is said below it"


def test_axes_hold_all_features_and_without_intervals_the_range_of_ties() -> None:
    far = np.random.default_rng(0).uniform(0, 0.001, (50, 60)) + np.where(np.arange(60) < 50, 0.9, 0.1)
    board = Board.of_stability(tiecore.compare(pd.DataFrame(far).add_prefix("f")))
    at = re.findall(r'<i class="[^"]*" style="left:([^%]+)%', Leaderboard(board).in_html(LIGHT))
    assert len(at) > 4 * 60
    assert all(0 < float(left) < 100 for left in at)
    qrels = {query: {"a": 1, "b": 0} for query in "123"}
    features = {"tied": {q: {"a": 1, "b": 1} for q in "123"}, "not": {q: {"a": 1, "b": 2 * (q == "3")} for q in "123"}}
    html = Leaderboard(tiecore.evaluate(qrels, features, ["RR"]).board()).in_html(LIGHT)
    behind = [float(at) for at in re.findall(r'<i class="dot[^"]*" style="left:([0-9.]+)%', html)]
    assert behind[-1] < 60
