"""The report holds what the view shows, stands alone, and takes no name for markup."""

import re
from base64 import b64decode
from dataclasses import replace
from functools import partial
from unittest.mock import Mock

import pytest

from tests.dashboard.conftest import TINY_QRELS, TINY_TABLE, alike, loaded
from tiecore import TiecoreError, plot
from tiecore.board import board
from tiecore.diagnostics import anatomy, blame
from tiecore.evaluation.engine import Options
from tiecore.measures import measure
from tiecore.plot import Sheet
from tiecore_dashboard import words
from tiecore_dashboard.files.datasets import Dataset
from tiecore_dashboard.pages.cutoffs.answer import cutoffs_of
from tiecore_dashboard.pages.pairs.answer import listed_pairs, pairs_answer, written
from tiecore_dashboard.pages.queries.answer import queries_answer
from tiecore_dashboard.pages.ranking import report as of_all
from tiecore_dashboard.pages.ranking.report import report
from tiecore_dashboard.pages.ties.answer import mixed_from, ties_answer
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.state.choices import by_spread
from tiecore_dashboard.state.sidebar import Settings
from tiecore_dashboard.words import number


def made(view: View) -> str:
    """Return a report without its pictures, which take longer than all else."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(of_all, "_picture", lambda _: "<picture>")
        return report(view, cached.study(view, board))


def words_of(page: str) -> str:
    return re.sub(r"<img[^>]*>", "", page)


def said(answer: str) -> str:
    """Answer of a part as the pages show it; what follows from it stands below."""
    return words.answer(answer).removesuffix("</div>")


@pytest.fixture(scope="module")
def page(sample_data: Dataset) -> str:
    view = cached.view(sample_data, Settings(measure("nDCG@10")))
    return report(view, cached.study(view, board))


def test_every_value_of_the_leaderboard_is_in_it(page: str, sample_view: View) -> None:
    shown_board = cached.study(sample_view, board)
    may_lead = shown_board.stability.places["best_place"] == 1
    assert {*may_lead[shown_board.rows["first"] == 0]} == {True, False}, "else nothing is seen of the law"
    for name, row in shown_board.rows.iterrows():
        shown, numbers = re.findall(rf'<tr data-feature="{name}".*?</tr>', words_of(page))[::2]
        for column in ("value", "low", "high", "behind", "behind_low", "sd", "worst", "best", *sample_view.tie_breaks):
            assert number(row[column]) in numbers or (column == "behind" and row["place"] == 1), column
        is_in_no_draw = "&lt;0.1\u00a0%" in numbers.replace(" %", "\u00a0%")
        assert is_in_no_draw == (row["first"] == 0 and may_lead[str(name)]), (
            "of 1,000 draws; 0 only where none can lead"
        )
        assert number(row["value"]) in shown
        assert row["verdict"] in shown
        assert all(f"{row[f'{one} place']}</span></td>" in shown for one in sample_view.tie_breaks)


def test_it_tells_answer_data_settings_code_and_versions(page: str) -> None:
    body = words_of(page)
    for part in (
        "<em>No clear winner</em>: <strong>bm25</strong> is ahead of <strong>title_match</strong> by",
        "which is not random: among its ties it puts relevant documents first, beyond chance (",
        "(1,000 draws of all features, combined from ",
        "bm25.run.gz",
        "<li>Gain of a document: the grade itself, divided by log2(rank + 1).</li>",
        "<li>Documents without a judgment: not relevant.</li>",
        "<li>Cut-off: 10.</li>",
        "Score precision: float64",
        "tiecore.evaluate(",
        "tiecore evaluate ",
        "numpy 2",
        'data-of="Coverage"',
    ):
        assert part in body, part
    assert not re.search(r"\bnan\b|None|undefined", body)


def test_it_asks_nothing_runs_nothing_and_explains_its_columns(page: str, sample_view: View) -> None:
    assert len(page) < 1_000_000
    assert "<script" not in page
    assert not re.findall(r'<(?:link|img|iframe)[^>]+(?:src|href)=["\']?https?:', page)
    assert "default-src 'none'; style-src 'unsafe-inline'; img-src data:" in page
    described = cached.study(sample_view, anatomy, cutoffs=(10,), rel=mixed_from(sample_view.measure))
    shown = re.findall(r'<td class="" data-of="In mixed ties">(.*?)</td>', page)
    shares = described.sort_values(["tied_mixed", "tied"], ascending=False)["tied_mixed"]
    assert shown == [f"{100 * share:.1f}\u00a0%" for share in shares]
    assert 'title="Standard deviation of the value under random tie-breaks."' in words_of(page)
    groups = cached.study(sample_view, board).rows["group"]
    assert page.count('class="ruled"') == 3 * (groups.nunique() - 1) > 0
    assert "<button" not in page, "nothing would answer to it"


def test_its_pictures_are_the_figures_of_the_board(page: str, sample_view: View) -> None:
    """Each twice: that of a column for a phone, and that of a page."""
    narrow, wide = [b64decode(data) for data in re.findall(r"data:image/svg\+xml;base64,([^\"]+)", page)][:2]
    shown = cached.study(sample_view, board)
    assert narrow == plot.places(shown, plot.Sheet(width="column", answer="")).to_bytes("svg")
    assert wide == plot.places(shown, plot.Sheet(answer="")).to_bytes("svg")
    assert page.count("<picture>") == 3, "places, curves and queries"


def test_each_page_has_a_part_that_begins_with_what_it_finds(page: str, sample_view: View) -> None:
    shown, cutoff = cached.study(sample_view, board), sample_view.settings.cutoff
    described = cached.study(sample_view, anatomy, cutoffs=(cutoff,), rel=mixed_from(sample_view.measure))
    first = by_spread(sample_view.leaderboard)[0]
    blamed = cached.study(sample_view, blame, feature=first, by="spread")
    ends = [*shown.rows.loc[first, ["tie_low", "tie_high"]]]
    found = {
        "Ranking": shown.headline(written(shown.stability))[0],
        "Pairs": pairs_answer(shown.stability)[0],
        "Cut-offs": cutoffs_of(sample_view).sentence,
        "Queries": queries_answer(blamed, feature=first, by="spread", measure="nDCG@10", ends=ends),
        "Ties": ties_answer(described, sample_view.measure, cutoff=cutoff)[0],
    }
    assert [f"<h2>{part}</h2>{said(answer)}" in page for part, answer in found.items()] == [True] * 5
    texts = re.sub("<(style|pre)>.*?</", "", page, flags=re.DOTALL)
    assert "95\u00a0% interval" in texts
    assert " %" not in texts, "no line of them ends before a percent sign"
    assert page.rindex("<section") == page.index("<section id='the-numbers'>"), "a wide sheet cuts none before it short"


def test_what_other_judges_say_is_in_it_or_why_they_cannot_be_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    other = TINY_QRELS.replace(" 2\n", " 1\n")
    data = loaded(qrels__txt=TINY_QRELS, other__txt=other, table__csv=TINY_TABLE)
    view = cached.view(data.judged_by(data.files[0].digest), Settings(measure("nDCG@10")))
    body = made(view)
    assert f"<h2>Judges</h2>{said(cached.judges(view).sentences[0])}" in body
    assert [f"SHA-256 {digest[:16]}…" in body for digest in data.judges.values()] == [True, True]
    assert "\ntiecore judges table.csv -j qrels=" in body
    assert "found = tiecore.judges(" in body
    alone = made(cached.view(loaded(qrels__txt=TINY_QRELS, other__txt=other), view.settings))
    assert '<td class="" data-of="Same grade">75\u00a0%</td>' in alone, "judges alone are compared by their grades"
    assert "found = nearest(" in alone
    monkeypatch.setattr(cached, "judges", Mock(side_effect=TiecoreError("no judged document of <both>")))
    assert said("no judged document of &lt;both&gt;") in made(view)


@pytest.mark.parametrize("name", ["ESL", "GMAP", "ERR@5"])
def test_what_has_no_closed_form_is_not_shown_as_nan(tiny_data: Dataset, name: str) -> None:
    body = words_of(made(cached.view(tiny_data, Settings(measure(name)))))
    assert not re.search(r"\bnan\b", body, re.IGNORECASE)
    assert (">SD<" in body, "In ESL lower is better" in body) == (False, name == "ESL")


def test_one_feature_and_no_tie_break_make_a_short_report(tiny_data: Dataset) -> None:
    alone = tiny_data.change(1, used=False).change(2, used=False)
    settings = replace(Settings(measure("RR")), tie_breaks=(), options=Options(missing="last"))
    body = words_of(made(cached.view(alone, settings)))
    assert "1 feature by RR" in body
    assert "tied after the scored ones" in body
    assert "<picture>" not in body, "what one query does is said"


def test_pairs_and_what_tie_breaks_know_are_in_it(page: str, sample_view: View) -> None:
    assert "</strong> 0.3649 → 0.4980, " in words_of(page)
    study = cached.study(sample_view, board).stability
    pairs = listed_pairs(study.pairs, study)[0]
    listed = re.findall(r'<td[^>]*data-of="Pair">(.*?)</td>', page)
    assert listed == [" − ".join(pair) for pair in pairs[["leader", "trailer"]].itertuples(index=False)]
    assert "p ≤ 0.05, exactly where this interval excludes 0" in page


def test_of_many_pairs_those_of_the_best_are_listed(sample_view: View, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_all, "listed_pairs", partial(listed_pairs, most=6))
    body = made(sample_view)
    which = "pairs of the 3 best features that need a look, then the nearest that each of them clearly beats"
    assert f"<li>Below, {which}; all 45 are in Pairs (CSV).</li>" in body
    assert len(re.findall('data-of="Pair">', body)) == 1 + 3 + 3


def test_a_value_that_looks_as_if_its_order_knew_the_grades_is_named() -> None:
    data = alike([1, 1, *[0] * 8], {"constant": [1] * 10}, 30)
    page = made(cached.view(data, Settings(measure("RR"), ("input",))))
    assert "file order gives constant 1.0000 in RR, near the best that ties allow" in words_of(page)


def test_a_report_says_of_how_many_features_it_is(sample_view: View, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = cached.study(sample_view, board)
    monkeypatch.setattr(of_all, "_picture", lambda _: "")
    page = report(sample_view, whole.only(["bm25", "dwell", "indegree"]))
    assert f"<h1>3 of {whole.total} features by nDCG@10, judged by qrels.txt<br>No clear winner</h1>" in page
    assert "<li>Below, 3 of these pairs.</li>" in page
    two = cached.study(sample_view, board).only(["bm25", "dwell"])
    monkeypatch.setattr(of_all, "_picture", lambda draw: f"<p>{draw(Sheet()).title}</p>")
    page = report(sample_view, two)
    assert page.index("<p>bm25 − dwell: nDCG@10, 50 queries</p>") < page.index("<h2>Cut-offs</h2>")
    known = {"bm25": "#123456", "dwell": "#654321"}
    monkeypatch.setattr(of_all, "_picture", lambda draw: f"<p>{draw(Sheet()).to_bytes('svg').decode()}</p>")
    pair, _, rest = report(sample_view, two, known).partition("<h2>Cut-offs</h2>")
    assert all(colour in pair and colour in rest for colour in known.values()), "the same in every figure"
