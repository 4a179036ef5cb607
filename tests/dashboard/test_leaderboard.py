"""The leaderboard: a table with a chart in its rows, its filters, and what is said about the data above it."""

from __future__ import annotations

import html
import io
import re
from collections.abc import Callable
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import tiecore
from tests.dashboard.conftest import OpenApp, answer_of, file_of
from tiecore_dashboard.app.extent import extent, left_out, without_judgments
from tiecore_dashboard.charts.look import DARK, LIGHT
from tiecore_dashboard.files.datasets import Dataset
from tiecore_dashboard.pages.ranking.answer import duplicates, movers
from tiecore_dashboard.pages.ranking.leaderboard import PRESETS, leaderboard_table
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View


class Rows(HTMLParser):
    """Reads a table: the title of each column, and of each row its name, texts and sort keys."""

    def __init__(self) -> None:
        super().__init__()
        self.titles: list[str] = []
        self.names: list[str] = []
        self.texts: list[list[str]] = []
        self.keys: list[list[str]] = []
        self._cell: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        own = dict(attrs)
        if tag == "tr" and "data-feature" in own:
            self.names.append(own["data-feature"] or "")
            self.texts.append([])
            self.keys.append([])
        elif tag in ("td", "th"):
            self._cell = []
            if "data-key" in own:
                self.keys[-1].append(own["data-key"] or "")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th") and self._cell is not None:
            (self.texts[-1] if self.names else self.titles).append("".join(self._cell))
            self._cell = None

    def handle_data(self, data: str) -> None:
        if self._cell is not None:
            self._cell.append(data)


def rows_of(html: str) -> Rows:
    """Read the leaderboard out of HTML."""
    rows = Rows()
    rows.feed(html)
    return rows


def notes_of(app: AppTest) -> str:
    """Small print below the leaderboard, as HTML."""
    bodies = [str(element.proto.body) for element in app.get("html")]
    return next((body for body in bodies if 'class="notes' in body), "")


def shown(app: object) -> Rows:
    """Read the leaderboard that a page shows last."""
    bodies = [element.proto.body for element in app.get("html")]  # type: ignore[attr-defined]
    return rows_of(next(body for body in reversed(bodies) if 'class="leaderboard' in body))


@pytest.fixture
def board(sample_view: View) -> pd.DataFrame:
    """Leaderboard of the sample without what takes drawing."""
    return sample_view.leaderboard


def test_rows_hold_names_places_and_full_values_in_the_order_of_the_frame(board: pd.DataFrame) -> None:
    rows = rows_of(leaderboard_table(board, measure="nDCG@10", look=LIGHT))
    assert rows.names == list(board.index)
    assert rows.titles[:3] == ["Feature", "Place", "nDCG@10"]
    assert [float(keys[2]) for keys in rows.keys] == board["expected"].tolist()
    assert [texts[1] for texts in rows.texts] == board["place"].astype(str).tolist()


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("look", [LIGHT, DARK])
def test_every_preset_shows_what_is_known_and_nothing_else(board: pd.DataFrame, preset: str, look: object) -> None:
    ties = ("docid-desc", "input")
    bare = leaderboard_table(board, measure="AP", look=look, preset=preset, tie_breaks=ties)  # type: ignore[arg-type]
    assert "nan" not in bare.lower()
    full = board.assign(
        low=np.nan, high=np.nan, query_low=0.1, query_high=0.5, se=0.1, place_low=1, place_high=board["place"],
        all_low=1, all_high=10, first=0.25, letters="ab", verdict="clear", tie_risk=0.0, p=0.01,
    )  # fmt: skip
    html = leaderboard_table(full, measure="AP", look=look, preset=preset, tie_breaks=ties)  # type: ignore[arg-type]
    assert "nan" not in html.lower()
    titles = " ".join(rows_of(html).titles)
    assert ("Against the next" in titles) == (preset == "answer")
    assert ("trec_eval (ids ↓)" in titles) == (preset == "tie-breaks")
    assert ("SE" in titles) == (preset == "numbers")


def test_a_name_is_never_markup_and_a_highlighted_row_is_marked(board: pd.DataFrame) -> None:
    name = '<img src=x onerror="alert(1)">'
    renamed = board.rename(index={"bm25": name})
    html = leaderboard_table(renamed, measure="AP", look=LIGHT, highlighted=[name])
    assert "<img" not in html
    assert rows_of(html).names[0] == name
    assert html.count('class="marked"') == 1


@pytest.mark.parametrize("higher_is_better", [True, False])
@pytest.mark.parametrize("values", [[0.5, 0.5, 0.5], [0.0, 0.0, 0.0], [1e-9, 2e-9, 4e-9], [10.0, 2000.0, 30000.0]])
def test_better_is_to_the_right_and_the_axis_has_ticks_for_any_values(
    values: list[float], higher_is_better: bool
) -> None:
    frame = pd.DataFrame(dict.fromkeys(("expected", "worst", "best", "sd"), values), index=list("abc"))
    frame.insert(0, "place", [1, 2, 3])
    html = leaderboard_table(frame, measure="ESL", look=LIGHT, shows="worst to best", higher_is_better=higher_is_better)
    dots = [float(at) for at in re.findall(r'class="dot" style="left:([\d.-]+)%"', html)]
    assert len(dots) == 3
    assert all(0 <= at <= 100 for at in dots)
    assert dots == sorted(dots, reverse=not higher_is_better)
    assert re.search(r'class="axis"><span style="left:[\d.]+%">[\d.,−-]+</span>', html)


def test_places_gained_and_lost_are_marked_by_sign(board: pd.DataFrame) -> None:
    rows = rows_of(leaderboard_table(board, measure="AP", look=LIGHT, preset="tie-breaks", tie_breaks=["input"]))
    moved = dict(zip(rows.names, (re.sub(r"^[\d.]+", "", texts[3]) for texts in rows.texts), strict=True))
    for name, shift in board["input shift"].items():
        assert moved[str(name)] == (f"▲{shift}" if shift > 0 else f"▼{-shift}" if shift < 0 else "=")


def test_movers_begin_with_those_that_lead_somewhere(board: pd.DataFrame) -> None:
    moving = movers(board, ["docid-desc", "input"])
    assert moving[:2] == ["bm25", "query_url_clicks"]
    assert set(moving) == set(board.index[(board[["docid-desc shift", "input shift"]] != 0).any(axis=1)])
    assert movers(board, []) == []


def test_duplicates_have_the_same_values_for_every_query() -> None:
    values = np.array([[[1.0, 2.0]], [[1.0, 3.0]], [[1.0 + 1e-15, 2.0]], [[-0.0, 0.0]], [[0.0, -1e-16]]])
    assert duplicates(values, list("abcde")) == [("a", "c"), ("d", "e")]
    # the first values are the same, and those behind them decide
    values = np.zeros((6, 2, 3000))
    values[[1, 3], 1, -1] = 1.0
    values[[2, 4], 0, 0] = 2.0
    assert duplicates(values, list("abcdef")) == [("a", "f"), ("b", "d"), ("c", "e")]


def test_the_page_filters_by_name_places_scores_and_duplicates(open_app: OpenApp) -> None:
    assert shown(open_app(query={"ranking_search": "URL"})).names == [
        "query_url_clicks", "url_length", "url_slashes", "url_clicks",
    ]  # fmt: skip
    assert shown(open_app(query={"ranking_top": "3"})).names == ["bm25", "title_match", "query_url_clicks"]
    few = shown(open_app(query={"ranking_values": "50"})).names
    assert "title_match" in few
    assert "bm25" not in few
    assert "No feature passes the filter." in [info.value for info in open_app(query={"ranking_search": "xyz"}).info]


def test_constant_and_duplicate_features_are_named_and_can_be_hidden(open_app: OpenApp, tiny_data: Dataset) -> None:
    table = "query_id,doc_id,clicks,again,constant\n" + "".join(
        f"q{q},d{d},{(d * q) % 2},{2 * ((d * q) % 2)},1\n" for q in (1, 2, 3) for d in range(4)
    )
    data = Dataset().add([tiny_data.files[0], file_of("doubles.csv", table)])
    app = open_app(state={"dataset": data})
    assert len(shown(app).names) == 3
    assert "clicks = again" in notes_of(app)
    app = open_app(query={"ranking_hide": "true"}, state={"dataset": data})
    assert shown(app).names == ["clicks"]


def test_the_page_shows_place_sets_and_the_verdict_against_the_next_row(open_app: OpenApp, sample_view: View) -> None:
    stable = cached.stable(sample_view)
    assert stable is not None
    rows = shown(open_app())
    ranks = stable.ranks
    for name, texts in zip(rows.names, rows.texts, strict=True):
        low, high = (int(ranks[end][name]) for end in ("low", "high"))
        assert texts[1] == f"{int(ranks['place'][name])}{low}–{high}"
        assert texts[-1] == ranks.loc[name, "letters"]
    for upper, lower, texts in zip(rows.names, rows.names[1:], rows.texts, strict=False):
        assert str(stable.verdicts.loc[upper, lower]) in texts[-2]
    assert rows.texts[-1][-2] == ""


def test_many_features_show_their_leaderboard_and_the_movers_below(open_app: OpenApp) -> None:
    names = [f"f{i:02d}" for i in range(34)]
    rng = np.random.default_rng(3)
    rows = [
        f"q{q},d{d}," + ",".join(str(score) for score in rng.integers(0, 4, size=len(names)))
        for q in range(8)
        for d in range(6)
    ]
    qrels = "".join(f"q{q} 0 d{d} {d % 2}\n" for q in range(8) for d in range(6))
    table = f"query_id,doc_id,{','.join(names)}\n" + "\n".join(rows) + "\n"
    data = Dataset().add([file_of("qrels.txt", qrels), file_of("table.csv", table)])
    app = open_app(state={"dataset": data}, query={"measure": "P", "k": "3"})
    assert len(shown(app).names) == 34
    assert any("features change place under a tie-break" in caption.value for caption in app.caption)


def test_two_features_open_on_the_duel(open_app: OpenApp, sample_data: Dataset) -> None:
    data = sample_data
    for row in range(2, len(data.features)):
        data = data.change(row, used=False)
    app = open_app(state={"dataset": data})
    keys = [chart.proto.id for chart in app.get("plotly_chart")]
    assert len(keys) == 2
    assert "over 50 queries" in answer_of(app).lower()
    assert any('class="verdict"' in element.proto.body for element in app.get("html"))
    assert len(shown(app).names) == 2
    assert not app.selectbox(key="pairs_query").value
    pairs = open_app("pairs", state={"dataset": data})
    assert len(pairs.get("plotly_chart")) == 2


def test_highlights_travel_in_the_link(open_app: OpenApp) -> None:
    app = open_app(query={"highlight": ["bm25", "gone"]})
    assert app.multiselect(key="highlight_choice").value == ["bm25"]
    assert app.query_params["highlight"] in ("bm25", ["bm25"])
    app.multiselect(key="highlight_choice").set_value(["bm25", "dwell"]).run()
    assert app.query_params["highlight"] == ["bm25", "dwell"]


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
        assert all(warning in shown for warning in expected)


def test_tie_breaks_are_not_marked_where_no_tie_matters(board: pd.DataFrame) -> None:
    tied = leaderboard_table(board, measure="nDCG@10", look=LIGHT, tie_breaks=["input"])
    settled = board.assign(worst=board["expected"], best=board["expected"], input=board["expected"])
    assert 'class="mark"' in tied
    assert 'class="mark"' not in leaderboard_table(settled, measure="nDCG@10", look=LIGHT, tie_breaks=["input"])


@pytest.mark.parametrize("n_rows", [2, 20, 136])
def test_marks_of_equal_values_stand_one_below_the_other_within_their_row(n_rows: int) -> None:
    ties = ["docid-desc", "docid-asc", "input"]
    frame = pd.DataFrame(dict.fromkeys(("expected", *ties), 0.5), index=[f"f{row}" for row in range(n_rows)])
    frame = frame.assign(place=1, sd=0.1, worst=0.0, best=1.0)
    frame.loc["f1", ties] = [0.1, 0.1001, 0.9]
    html = leaderboard_table(frame, measure="AP", look=LIGHT, tie_breaks=ties)
    rows = [row.split("</tr>")[0] for row in html.split("<tr data-feature")[1:]]
    tops = [[float(top) for top in re.findall(r'class="mark" style="left:[\d.]+%;top:([\d.]+)%', row)] for row in rows]
    assert all(50 < top < 100 for row in tops for top in row), "below the bar, and inside the row"
    assert tops[0] == sorted(set(tops[0])), "three values that are equal: three marks, none over another"
    assert np.diff(tops[0]).min() >= 12
    assert tops[1][0] == tops[1][2] == tops[0][0], "what is alone stands next to the bar"
    assert tops[1][1] > tops[1][0]


def test_nine_marks_of_one_value_all_stay_in_their_row(board: pd.DataFrame) -> None:
    ties = [f"random:{seed}" for seed in range(9)]
    frame = board.assign(**dict.fromkeys(ties, 0.3))
    html = leaderboard_table(frame, measure="AP", look=LIGHT, tie_breaks=ties)
    tops = [float(top) for top in re.findall(r'class="mark" style="left:[\d.]+%;top:([\d.]+)%', html)]
    assert len(set(tops)) == 9
    assert max(tops) <= 92


@pytest.mark.parametrize("preset", PRESETS)
def test_the_notes_explain_the_columns_that_are_shown_and_no_others(open_app: OpenApp, preset: str) -> None:
    app = open_app(query={"ranking_columns": preset})
    notes = notes_of(app)
    titles = shown(app).titles
    assert ("<em>open</em>" in notes) == ("Against the next" in titles)
    assert ("share a letter" in notes) == ("Letters" in titles)


def test_a_settled_place_stands_there_once(board: pd.DataFrame) -> None:
    sets = board.assign(place_low=board["place"], place_high=[1, *board["place"][1:] + 1])
    texts = [row[1] for row in rows_of(leaderboard_table(sets, measure="AP", look=LIGHT)).texts]
    assert texts[0] == "1"
    assert texts[1] == "22–3"
