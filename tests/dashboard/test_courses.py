"""The courses of the features beside the rows of the leaderboard."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from urllib.parse import unquote
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from tests.dashboard.conftest import OpenApp
from tiecore_dashboard.charts.look import DARK, LIGHT, Look, marks_of
from tiecore_dashboard.pages.ranking.courses import MOST_COLUMNS, course_of, courses_beside
from tiecore_dashboard.pages.ranking.leaderboard import table_row_height

TIES = ["docid-desc", "docid-asc", "input", "input-reversed", "random:7", "feature:<b>x</b>"]
EVIL = "<img src=x onerror=alert(1)>'\" & %{y}"
SVG = "{http://www.w3.org/2000/svg}"


class Parts(HTMLParser):
    """Reads the picture: its tags, the texts of its titles and names, the points that tell, and the image."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.names: dict[str, str] = {}
        self.points: list[tuple[str, str, float, float]] = []
        self.titles: list[str] = []
        self.image = ""
        self._is_title = False
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        own = {name: value or "" for name, value in attrs}
        self.tags.add(tag)
        if tag != "br":
            self._is_title = tag == "span" and "data-feature" not in own
        if tag == "img":
            self.image = unquote(own["src"].partition(",")[2])
        if tag == "i":
            left, top = (float(found) for found in re.findall(r"(?:left|top):(\d+)px", own["style"]))
            self.points.append((own["data-feature"], own["title"], left, top))
        if tag == "span" and "data-feature" in own:
            self.names[own["data-feature"]] = own["class"]

    def handle_data(self, data: str) -> None:
        if self._is_title:
            self.titles.append(data)


def picture(n: int, ties: list[str], *, emphasised: list[str], look: Look = LIGHT) -> tuple[Parts, pd.DataFrame]:
    names = [EVIL, *(f"f{number}" for number in range(1, n))]
    rng = np.random.default_rng(n)
    columns = {"expected": np.arange(1, n + 1)} | {tie: rng.permutation(n) + 1 for tie in ties}
    places = pd.DataFrame(columns, index=names)
    html = courses_beside(places, 1 / places, look=look, emphasised=emphasised, named=["f1"])
    return Parts(html), places


@pytest.mark.parametrize("n", [2, 12, 20])
@pytest.mark.parametrize("look", [LIGHT, DARK])
def test_lines_of_the_picture_run_through_the_places(n: int, look: Look) -> None:
    parts, places = picture(n, TIES[:3], emphasised=[EVIL], look=look)
    image = ElementTree.fromstring(parts.image)
    height = table_row_height(n)
    assert int(image.get("height", "")) == n * height
    wanted = [(place - 0.5) * height for place in places.to_numpy()[0].tolist()]
    told = [(top, title) for name, title, _, top in parts.points if name == EVIL]
    assert [top for top, _ in told] == pytest.approx(wanted, abs=0.5)
    assert [int(re.findall(r"place (\d+)", title)[0]) for _, title in told] == places.to_numpy()[0].tolist()
    lines = [[float(y) for _, y in re.findall(r"([\d.]+) ([\d.]+)", path.get("d", ""))] for path in image]
    assert any(line == pytest.approx(wanted) for line in lines)
    # the others share one line with gaps
    many = next(path for path in image if path.get("stroke") == look.quiet)
    assert many.get("d", "").count("M") == n - 1


def test_names_are_text_and_nothing_else() -> None:
    parts, _ = picture(8, TIES, emphasised=[EVIL, "f2"])
    assert parts.tags <= {"div", "span", "i", "img", "br"}
    assert parts.names[EVIL] == "chosen"
    assert parts.names["f1"] == "named"
    assert parts.names["f3"] == "same"
    assert "alert" not in parts.image


def test_titles_are_words_where_there_is_room_and_else_the_signs_of_the_legend() -> None:
    few, _ = picture(5, TIES[:3], emphasised=[])
    assert few.titles == ["expected", "trec_eval", "(ids ↓)", "Anserini", "(ids ↑)", "file", "order"]
    many, _ = picture(5, TIES, emphasised=[])
    assert len(TIES) + 1 == MOST_COLUMNS
    assert many.titles == ["●", *(mark.glyph for mark in marks_of(TIES, LIGHT).values())]


def test_each_feature_has_a_row_of_its_own_in_every_column_whatever_is_equal() -> None:
    rows = course_of(np.array([[1, 1, 4], [1, 1, 1], [3, 1, 1], [4, 1, 1]]))
    assert np.sort(rows, axis=0).tolist() == [[row] * 3 for row in range(4)]
    assert rows[:, 1].tolist() == [0, 1, 2, 3]
    assert rows[:, 2].tolist() == [3, 0, 1, 2]


def test_a_page_needs_no_chart_for_places_beside_its_table(open_app: OpenApp) -> None:
    app = open_app()
    assert not app.get("plotly_chart")
    bodies = [str(element.proto.body) for element in app.get("html")]
    beside = next(body for body in bodies if 'class="courses"' in body)
    table, courses = beside.split('<div class="courses"')
    assert list(Parts(courses.partition("<p ")[0]).names) == re.findall(r'<tr data-feature="([^"]+)"', table)
