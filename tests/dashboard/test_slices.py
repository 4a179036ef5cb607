"""Slices of the queries: leaderboards and verdicts for each, and whether the winner changes."""

from __future__ import annotations

import re
import shlex

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import tiecore
from tests.cli.running import run
from tests.dashboard.conftest import TINY_QRELS, OpenApp, code_of, codes_of, file_of, plain
from tests.dashboard.test_pairs import EVIL, QRELS, all_text, with_features
from tests.dashboard.test_reproduce import shown_by
from tiecore.errors import FormatError
from tiecore.stability import SliceStability, slice_stability
from tiecore_dashboard.charts.look import LIGHT
from tiecore_dashboard.files.datasets import Dataset
from tiecore_dashboard.files.query_names import read_names
from tiecore_dashboard.pages.ranking.slices import board_of, warnings
from tiecore_dashboard.pages.ranking.slices_answer import slices_answer
from tiecore_dashboard.pages.ranking.slices_charts import slices_table
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View

OPEN = {"ranking_slices": True}
OWN: dict[str, str | list[str]] = {"ranking_slices_by": "own table"}


def studied(by: dict[str, str], wins: dict[str, str], *, n_documents: int = 6) -> SliceStability:
    """Study two features of which one finds the relevant document of each query first, and the other last."""
    qrels = {q: {f"d{d}": int(d == 0) for d in range(n_documents)} for q in by}
    first = {f"d{d}": float(-d) for d in range(n_documents)}
    last = {f"d{d}": float(d) for d in range(n_documents)}
    features = {name: {q: first if wins[by[q]] == name else last for q in by} for name in ("x", "y")}
    return slice_stability(tiecore.evaluate(qrels, features, ["RR"]), "RR", by)


def of(**sizes: int) -> dict[str, str]:
    return {f"{name}{number}": name for name, size in sizes.items() for number in range(size)}


def test_a_winner_that_stays_is_told_with_the_leads_that_are_clear() -> None:
    found = studied(of(one=12, two=12, few=2), {"one": "x", "two": "x", "few": "x"})
    sentence, details = slices_answer(found.parts, winners=["x"])
    assert plain(sentence) == "The winner stays: x ranks first over all queries and in each of 3 slices."
    assert details == ["Its lead over the next is clear in 2 of them."]


@pytest.mark.parametrize(
    ("n_others", "ending", "lead"),
    [
        (14, "the other lead over it is clear.", "is clear (p"),
        (2, "none of the other leads over it is clear.", "is open (too few queries to tell)"),
    ],
)
def test_a_winner_that_changes_is_told_with_the_verdict_on_the_other_lead(
    n_others: int, ending: str, lead: str
) -> None:
    found = studied(of(one=15, two=n_others), {"one": "x", "two": "y"})
    sentence, details = slices_answer(found.parts, winners=["x"])
    assert plain(sentence).startswith("The winner changes: x ranks first over all queries, and in 1 of 2 slices; ")
    assert plain(sentence).endswith(ending)
    (detail,) = details
    assert plain(detail).startswith(f"two: y first; its lead over x {lead}")


def test_many_slices_with_another_winner_are_counted() -> None:
    names = [f"s{number}" for number in range(9)]
    found = studied(of(**dict.fromkeys(names, 2)), dict.fromkeys(names, "y"))
    sentence, details = slices_answer(found.parts, winners=["x"])
    assert "but in none of 9 slices" in plain(sentence)
    assert details[-1] == "3 more slices with another winner."


def test_one_slice_is_nothing_to_compare() -> None:
    found = studied(of(one=3), {"one": "x"})
    sentence, details = slices_answer(found.parts, winners=["x"])
    assert plain(sentence) == "There is only one slice: all 3 queries are one."
    assert not details
    assert not warnings(found)


def test_the_table_has_a_row_a_feature_and_marks_the_first_of_each_slice(tiny_view: View) -> None:
    parts = cached.slices(tiny_view, "relevant")
    assert parts is not None
    boards = {name: board_of(study) for name, study in parts.parts.items()}
    html = slices_table(
        boards,
        queries={name: study.n_queries for name, study in parts.parts.items()},
        verdicts=dict.fromkeys(boards),
        measure="nDCG@10",
        look=LIGHT,
        highlighted=["visits"],
    )
    assert html.count("<tr data-feature=") == len(tiny_view.features)
    assert html.count("var(--chosen)") == sum((board["place"] == 1).sum() for board in boards.values())
    assert html.count('class="marked"') == 1
    for name, board in boards.items():
        assert f"{name}<span" in html
        assert (board["low"] <= board["place"]).all()
        assert (board["place"] <= board["high"]).all()


def test_leaderboards_and_verdicts_are_those_of_tiecore(
    open_app: OpenApp, tiny_view: View, tiny_files: dict[str, str]
) -> None:
    own = slice_stability(tiny_view.evaluation, "nDCG@10", "tied")
    found = cached.slices(tiny_view, "tied")
    assert found is not None
    pd.testing.assert_frame_equal(found.pairs, own.pairs)
    text = all_text(open_app(query={"ranking_slices_by": "share tied"}, state=OPEN))
    for name, part in own.parts.items():
        assert name in text
        for value in part.values["expected"]:
            assert f"{value:.4f}" in text


def test_nothing_is_studied_before_the_box_is_opened(open_app: OpenApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cached, "slices", lambda *_, **__: pytest.fail("nobody asked"))
    open_app()


def uploaded(app: AppTest, text: str | bytes, name: str = "kinds.csv") -> AppTest:
    data = text.encode() if isinstance(text, str) else text
    return app.file_uploader[0].set_value([(name, data, "text/csv")]).run()


def test_a_table_of_ones_own_names_the_slices(open_app: OpenApp, tiny_files: dict[str, str]) -> None:
    app = open_app(query=OWN, state=OPEN)
    assert "The winner" not in plain(all_text(app))
    app = uploaded(app, "query_id,kind\nq1,short\nq2,long\nelsewhere,long\n")
    assert "kinds\\.csv names the slices of 2 of 3 queries" in all_text(app)
    assert ">short<" in all_text(app)
    assert ">long<" in all_text(app)
    assert "elsewhere" not in all_text(app)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("query_id,kind,more\nq1,a,b\n", "expected two columns"),
        ("query_id,kind\nx,a\n", "no query of the judgments"),
        ("query_id,kind\n", "no query of the judgments"),
        ("", "cannot be read as a table"),
        ("query_id,kind\nq1,a\nq1,b\n", "line 3: query q1 has a name already"),
        (b"\xff\xfe\x00q", "is no text"),
        ('query_id,kind\nq1,"a\n', "cannot be read as a table"),
        ("q1,a\nq2,b,c\n", "cannot be read as a table"),
    ],
)
def test_a_table_that_names_no_slices_is_refused_in_one_line(
    open_app: OpenApp, tiny_files: dict[str, str], text: str | bytes, said: str
) -> None:
    app = uploaded(open_app(query=OWN, state=OPEN), text)
    (warning,) = app.warning
    assert said in warning.value.replace("\\", "")
    assert "\n" not in warning.value
    assert "The winner" not in plain(all_text(app))


def test_too_many_names_are_refused() -> None:
    queries = {str(number) for number in range(20)}
    table = "\n".join(["query,kind", *(f"{query},{query}" for query in queries)])
    with pytest.raises(FormatError, match="names 20 slices"):
        read_names(table.encode(), file="t.csv", queries=queries)


@pytest.mark.parametrize(
    ("text", "is_plain"),
    [("query,kind\nq1,a\n007,b,", False), ("\ufeffquery\tkind\nq1\ta\n007\tb\n", False), ("q1,a\n007,b\n", False)],
)
def test_tables_come_with_and_without_titles_and_with_tabs(text: str, is_plain: bool) -> None:
    text = text.removesuffix(",")
    found = read_names(text.encode(), file="t", queries={"q1", "007"})
    assert found.names == (("q1", "a"), ("007", "b"))
    assert found.is_plain == (text.startswith("query,"))
    assert is_plain is False


@pytest.mark.parametrize(
    "measure", ["ERR", "ESL", *(pytest.param(name, marks=pytest.mark.slow) for name in ("AP", "GMAP"))]
)
@pytest.mark.parametrize(
    "scores",
    [
        {"a": [1, 1, 1, 1], "b": [1, 1, 1, 1]},
        {"a": [0, 1, 2, 3], EVIL: [3, 2, 1, 0], "c": [0, 0, 0, 1]},
    ],
)
def test_whatever_is_loaded_the_box_speaks_and_shows_no_nan(
    open_app: OpenApp, measure: str, scores: dict[str, list[float]]
) -> None:
    qrels = QRELS.replace("q2 0 d0 0", "q2 0 d0 1").replace("q3 0 d1 1", "q3 0 d1 0").replace("q3 0 d3 2", "q3 0 d3 0")
    app = open_app(query={"measure": measure}, state=OPEN | with_features(qrels, **scores))
    text = all_text(app)
    assert "The winner" in plain(text) or "only one slice" in plain(text)
    assert not re.search(r"\b(nan|inf)\b", plain(text).lower())
    assert "<b>x" not in text


def test_a_slice_with_the_name_of_the_whole_is_told_from_it(open_app: OpenApp, tiny_files: dict[str, str]) -> None:
    app = uploaded(open_app(query=OWN, state=OPEN), "query,kind\nq1,all queries\nq2,<b>x</b>\n")
    text = all_text(app)
    assert "all queries (slice)" in text
    assert "&lt;b&gt;x&lt;/b&gt;" in text
    assert "<b>x" not in text


def test_code_and_command_give_the_leaderboards_of_the_slices(open_app: OpenApp, tiny_files: dict[str, str]) -> None:
    app = open_app(state=OPEN)
    evaluation, printed = shown_by(code_of(app, "python"))
    pd.testing.assert_frame_equal(printed[0], slice_stability(evaluation, "nDCG@10", "relevant").leaderboards)
    done = run(*shlex.split(code_of(app, "bash"))[1:], "--format", "csv")
    assert done.exit_code == 0, done.stderr
    app = uploaded(open_app(query=OWN, state=OPEN), "q1,short\nq2,long\n")
    _, printed = shown_by(code_of(app, "python"))
    assert set(printed[0].index.get_level_values("slice")) == {"short", "long"}
    assert not codes_of(app, "bash"), "the command takes a table with titles"


def test_two_features_have_slices_too(open_app: OpenApp) -> None:
    data = Dataset().add(
        [
            file_of("qrels.txt", TINY_QRELS),
            file_of("t.csv", "query_id,doc_id,a,b\n" + "".join(f"q{q},d1,{q},1\nq{q},d3,1,2\n" for q in (1, 2, 3))),
        ]
    )
    app = open_app(state=OPEN | {"dataset": data})
    assert "slice" in plain(all_text(app))
