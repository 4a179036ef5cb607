"""The report holds what the view shows, stands alone, and takes no name for markup."""

from __future__ import annotations

import re
from base64 import b64decode
from dataclasses import replace

import pytest

from tests.dashboard.conftest import file_of
from tiecore import plot
from tiecore.board import board
from tiecore.evaluation.engine import Options
from tiecore.measures import measure
from tiecore_dashboard.files.datasets import Dataset
from tiecore_dashboard.pages.pairs.answer import by_need
from tiecore_dashboard.pages.ranking.report import report
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.state.sidebar import Settings
from tiecore_dashboard.words import number


def made(view: View) -> str:
    return report(view, cached.study(view, board))


def words_of(page: str) -> str:
    """Text of a report without its pictures."""
    return re.sub(r"<img[^>]*>", "", page)


@pytest.fixture(scope="module")
def page(sample_data: Dataset) -> str:
    return made(cached.view(sample_data, Settings(measure("nDCG@10"))))


def test_every_value_of_the_leaderboard_is_in_it(page: str, sample_view: View) -> None:
    for name, row in cached.study(sample_view, board).rows.iterrows():
        shown, numbers = re.findall(rf'<tr data-feature="{name}".*?</tr>', words_of(page))[::2]
        for column in ("value", "low", "high", "behind", "behind_low", "sd", "worst", "best", *sample_view.tie_breaks):
            assert number(row[column]) in numbers, column
        assert number(row["value"]) in shown
        assert row["verdict"] in shown
        assert all(f"{row[f'{one} place']}</span></td>" in shown for one in sample_view.tie_breaks)


def test_it_tells_answer_data_settings_code_and_versions(page: str) -> None:
    body = words_of(page)
    for part in (
        "<em>No clear winner</em>: <strong>bm25</strong> is ahead of <strong>title_match</strong> by 0.0388",
        "among the tied documents of <strong>query_url_clicks</strong> the relevant ones tend to come first (",
        "(1,000 draws of all features, combined from ",
        "bm25.run.gz",
        "Score precision: float64",
        "tiecore.evaluate(",
        "tiecore evaluate ",
        "numpy 2",
    ):
        assert part in body, part
    assert not re.search(r"\bnan\b|None|undefined", body)


def test_it_asks_nothing_of_anybody_and_runs_nothing(page: str) -> None:
    assert len(page) < 1_000_000
    assert "<script" not in page
    assert not re.findall(r'<(?:link|img|iframe)[^>]+(?:src|href)=["\']?https?:', page)
    assert "default-src 'none'; style-src 'unsafe-inline'; img-src data:" in page


def test_its_pictures_are_the_figures_of_the_board(page: str, sample_view: View) -> None:
    drawn = [b64decode(data) for data in re.findall(r"data:image/svg\+xml;base64,([^\"]+)", page)]
    shown = cached.study(sample_view, board)
    assert drawn == [plot.places(shown).to_bytes("svg")]


@pytest.mark.parametrize("name", ["ESL", "GMAP", "ERR@5"])
def test_what_has_no_closed_form_is_not_shown_as_nan(tiny_data: Dataset, name: str) -> None:
    body = words_of(made(cached.view(tiny_data, Settings(measure(name)))))
    assert not re.search(r"\bnan\b", body, re.IGNORECASE)


def test_one_feature_and_no_tie_break_make_a_short_report(tiny_data: Dataset) -> None:
    alone = tiny_data.change(1, used=False).change(2, used=False)
    settings = replace(Settings(measure("RR")), tie_breaks=(), options=Options(missing="last"))
    body = words_of(made(cached.view(alone, settings)))
    assert "1 feature by RR" in body
    assert "tied after the scored ones" in body


def test_tie_breaks_are_called_as_on_the_pages(page: str) -> None:
    heads = " ".join(re.findall(r"<th.*?</th>", words_of(page), flags=re.DOTALL))
    assert "trec_eval (ids ↓)" in heads
    assert "docid-desc" not in heads


def test_pairs_and_what_tie_breaks_know_are_in_it(page: str, sample_view: View) -> None:
    assert "</strong> 0.3649 → 0.4980, " in words_of(page)
    first = by_need(cached.study(sample_view, board).pairs).iloc[0]
    assert re.search(rf"<td[^>]*>{first['leader']}</td><td[^>]*>{first['trailer']}</td>", page), "it needs a look most"
    assert "The table of the export has 15 further pairs." in words_of(page)


def test_columns_are_explained_and_groups_parted(page: str, sample_view: View) -> None:
    assert 'title="Standard deviation of the value under random tie-breaks."' in words_of(page)
    groups = cached.study(sample_view, board).rows["group"]
    assert page.count('class="ruled"') == 3 * (groups.nunique() - 1) > 0
    assert "<button" not in page, "nothing would answer to it"


def test_a_value_that_looks_as_if_its_order_knew_the_grades_is_named() -> None:
    qrels = "".join(f"q{q} 0 d{d} {int(d < 2)}\n" for q in range(30) for d in range(10))
    run = "".join(f"q{q} Q0 d{d} 1 1 constant\n" for q in range(30) for d in range(10))
    dataset = Dataset().add([file_of("qrels.txt", qrels), file_of("constant.run", run)])
    page = made(cached.view(dataset, Settings(measure("RR"), ("input",))))
    assert "file order gives constant 1.0000 in RR, near the best that ties allow" in words_of(page)


def test_a_report_of_some_features_says_so(sample_view: View) -> None:
    whole = cached.study(sample_view, board)
    page = report(sample_view, whole.only(["bm25", "dwell"]))
    assert f"<h1>2 of {whole.total} features by nDCG@10</h1>" in page
