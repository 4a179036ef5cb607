"""The report holds what the view shows, stands alone, and takes no name for markup."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from tiecore.evaluation.values import Options
from tiecore.measures import measure
from tiecore_dashboard.export.report import report
from tiecore_dashboard.files.datasets import Dataset
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.state.sidebar import Settings
from tiecore_dashboard.words import number


def made(view: View) -> str:
    return report(view, intervals=cached.intervals(view), stable=cached.stable(view))


def words_of(page: str) -> str:
    """Text of a report without its scripts."""
    return re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)


@pytest.fixture(scope="module")
def page(sample_data: Dataset) -> str:
    return made(cached.view(sample_data, Settings(measure("nDCG@10"))))


def test_every_value_of_the_leaderboard_is_in_it(page: str, sample_view: View) -> None:
    body = words_of(page)
    for name, row in sample_view.leaderboard.iterrows():
        line = re.search(rf"<tr><td>\d+</td><td class=\"text\">{name}</td>.*?</tr>", body)
        assert line, name
        for column in ("expected", "sd", "worst", "best", *sample_view.tie_breaks):
            assert number(row[column]) in line[0], column


def test_it_tells_answer_data_settings_code_and_versions(page: str) -> None:
    body = words_of(page)
    for part in (
        "is first in",
        "Which differences are clear",
        "correlates with relevance",
        "bm25.run.gz",
        "Score precision: float64",
        "tiecore.evaluate(",
        "tiecore evaluate ",
        "numpy 2",
    ):
        assert part in body, part
    assert not re.search(r"\bnan\b|None|undefined", body)


def test_it_asks_nothing_of_anybody(page: str) -> None:
    assert page.count('id="plotly"') == 1
    assert len(page) < 1_000_000
    assert not re.findall(r'<(?:script|link|img|iframe)[^>]+(?:src|href)=["\']?https?:', page)
    assert '"showSendToCloud": false' in page
    assert "default-src 'none'" in page


def test_names_are_never_markup(tiny_data: Dataset) -> None:
    evil = '<img src=x onerror="alert(1)">'
    body = words_of(made(cached.view(tiny_data.change(0, name=evil), Settings(measure("AP")))))
    assert evil not in body
    assert "&lt;img src=x" in body


@pytest.mark.parametrize("name", ["ESL", "PRR", "GMAP", "ERR@5"])
def test_what_has_no_closed_form_is_left_out_not_shown_as_nan(tiny_data: Dataset, name: str) -> None:
    view = cached.view(tiny_data, Settings(measure(name)))
    body = words_of(report(view))
    assert "Which differences are clear" not in body
    assert not re.search(r"\bnan\b", body, re.IGNORECASE)


def test_one_feature_and_no_tie_break_make_a_short_report(tiny_data: Dataset) -> None:
    alone = tiny_data.change(1, used=False).change(2, used=False)
    settings = replace(Settings(measure("RR")), tie_breaks=(), options=Options(missing="last"))
    body = words_of(made(cached.view(alone, settings)))
    assert "1 feature by RR" in body
    assert "correlates with relevance" not in body
    assert "tied after the scored ones" in body


def test_tie_breaks_are_called_as_on_the_pages(page: str) -> None:
    heads = " ".join(re.findall(r"<th.*?</th>", words_of(page), flags=re.DOTALL))
    assert "▼ trec_eval (ids\u00a0↓)" in heads
    assert "docid-desc" not in heads
    assert "<td>docid-desc" not in words_of(page)


def test_places_begin_with_the_expectation(page: str) -> None:
    titles = re.findall(r'"ticktext":(\["expectation.*?\])', page)
    assert len(titles) == 1
    assert [title[:4] for title in json.loads(titles[0])] == ["expe", "trec", "Anse", "file"]


def test_p_values_are_written_as_on_the_pages(page: str) -> None:
    assert re.search(r"<td>(&lt;)?\.\d+</td>", words_of(page))
    assert not re.search(r"<td>0\.\d{4}</td><td class=\"text wide\">", words_of(page)), "as in any sentence: .75"


def test_no_number_of_the_leaderboard_is_torn_and_its_columns_are_explained(page: str) -> None:
    assert "td { white-space: nowrap; }" in page
    row = re.search(r'<td class="text">bm25</td>.*?</tr>', words_of(page))
    assert row
    assert not re.search(r"\d [–#]|– \d", row[0])
    assert "±: half of the 95\u00a0% confidence interval over the queries" in words_of(page)
