"""Whose number is this: a number that is typed beside a feature, and the conventions that give it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from dataclasses import replace

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import tiecore
from tests.cli.running import run
from tests.dashboard.conftest import TINY_QRELS, TINY_TABLE, OpenApp, code_of, codes_of, file_of
from tests.dashboard.test_pairs import EVIL, with_features
from tiecore.errors import TiecoreError
from tiecore.evaluation.conventions import Conventions, conventions_with
from tiecore_dashboard.files.datasets import Dataset
from tiecore_dashboard.pages.ranking.whose import reported_in
from tiecore_dashboard.pages.ranking.whose_answer import in_words, whose_rows
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View

OPEN = {"ranking_whose": True}


def said(app: AppTest) -> str:
    """What stands in the box, in words."""
    html = [str(element.proto.body) for element in app.get("html") if 'class="answer"' in element.proto.body]
    return re.sub("<[^>]*>", "", html[-1])


def test_a_value_under_another_tie_break_is_told_by_its_name(open_app: OpenApp, sample_view: View) -> None:
    value = sample_view.leaderboard["docid-desc"].loc["title_match"]
    query = {"ranking_whose_feature": "title_match", "ranking_whose_number": f"{value:.6f}"}
    app = open_app(query=query, state=OPEN)
    assert said(app).startswith(f"nDCG@10 = {value:.6f} comes out with ties broken by docid-desc (as trec_eval)")
    rows = app.dataframe[-1].value
    assert rows["conventions"].iloc[0] == "ties broken by docid-desc (as trec_eval)"
    assert rows["nDCG@10"].iloc[0] == pytest.approx(value, rel=0, abs=1e-12)


def test_nothing_is_tried_before_a_number_is_typed(open_app: OpenApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cached, "explanation", lambda *_: pytest.fail("nobody asked"))
    assert not [widget for widget in open_app().text_input if widget.key == "ranking_whose_number"]
    app = open_app(state=OPEN)
    assert any("Type it with its digits" in text.value for text in app.caption)


def test_a_number_that_no_convention_gives_shows_the_nearest(open_app: OpenApp) -> None:
    app = open_app(query={"ranking_whose_feature": "bm25", "ranking_whose_number": "0.9 AP=.99"}, state=OPEN)
    assert said(app).startswith("None of ")
    assert "0.9 lies outside, no order gives it." in said(app)
    assert any(text.value == "**The nearest conventions**" for text in app.markdown)


@pytest.mark.parametrize(
    ("typed", "said_in_the_box"),
    [
        ("abc", "is not a number"),
        ("0,17", "is not a number"),
        ("AP@x=.2", "unknown measure"),
        (".1 .2", "reported twice"),
        (" ".join(f"P@{k}=.1" for k in range(1, 8)), "7 numbers are too many"),
        ("nan", "is not a number"),
    ],
)
def test_what_is_no_number_is_refused_in_one_line(open_app: OpenApp, typed: str, said_in_the_box: str) -> None:
    app = open_app(query={"ranking_whose_number": typed}, state=OPEN)
    (warning,) = app.warning
    assert said_in_the_box in warning.value.replace("\\", "")
    assert "\n" not in warning.value


def test_settings_of_the_page_are_not_what_departures_are_counted_from(open_app: OpenApp) -> None:
    app = open_app(query={"ranking_whose_number": ".4", "precision": "decimals:0"}, state=OPEN)
    assert any("not from the settings on this page" in text.value for text in app.caption)


def test_a_feature_that_is_turned_round_is_refused_in_one_line(tiny_data: Dataset, open_app: OpenApp) -> None:
    turned = tiny_data.change(0, lower_is_better=True)
    app = open_app(
        query={"ranking_whose_feature": "clicks", "ranking_whose_number": ".4"}, state=OPEN | {"dataset": turned}
    )
    assert "lower is better" in app.warning[0].value


def test_names_and_numbers_are_never_markup(open_app: OpenApp) -> None:
    data = with_features(TINY_QRELS, **{EVIL: [0.0, 1, 0, 1], "b": [1.0, 0, 0, 0]})
    app = open_app(query={"ranking_whose_feature": EVIL, "ranking_whose_number": ".4"}, state=OPEN | data)
    assert "<b>x" not in " ".join(element.proto.body for element in app.get("html"))
    assert not app.exception


def test_explanations_are_those_of_tiecore_for_any_column_of_any_file(
    load: Callable[..., Dataset], sample_data: Dataset
) -> None:
    data = load(qrels__txt=TINY_QRELS, table__csv=TINY_TABLE)
    frame = pd.DataFrame([line.split(",") for line in TINY_TABLE.splitlines()[1:]])
    frame.columns = pd.Index(TINY_TABLE.splitlines()[0].split(","))
    scores = frame.astype({"visits": float})[["query_id", "doc_id", "visits"]]
    own = tiecore.explain(data.files[0].records, {"visits": scores}, {"RR": "0.5"})
    found = cached.explanation(data, "visits", (("RR", "0.5"),))
    pd.testing.assert_frame_equal(found.frame, own.frame)
    assert found.sentence == own.sentence
    for feature in sample_data.used:  # each kind of file
        assert cached.explanation(sample_data, feature.name, (("nDCG@10", "0.99"),)).n_tried > 1


def test_a_renamed_feature_is_explained_as_before(load: Callable[..., Dataset]) -> None:
    data = load(qrels__txt=TINY_QRELS, table__csv=TINY_TABLE)
    before = cached.explanation(data, "clicks", (("RR", "0.5"),))
    assert cached.explanation(data.change(0, name="other"), "other", (("RR", "0.5"),)) is before


def test_large_files_are_tried_with_fewer_departures(
    load: Callable[..., Dataset], no_cache: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = load(qrels__txt=TINY_QRELS, table__csv=TINY_TABLE)
    tried: list[int] = []
    for limits in ({3: 12, 1: 100}, {3: 11, 1: 100}):
        monkeypatch.setattr(cached, "_MOST_ROWS", limits)
        other = replace(data, files=tuple(replace(file) for file in data.files))
        tried.append(cached.explanation(other, "clicks", (("nDCG@3", f"0.98765{len(tried)}"),)).n_tried)
    assert tried[0] > tried[1]


def test_all_conventions_of_tiecore_are_put_into_words() -> None:
    choices: dict[str, list[object]] = {
        "order": ["docid-asc"],
        "threshold": [2],
        "depth": [10],
        "short_lists": ["length"],
    }
    for n_departures in range(5):
        for some in conventions_with(choices, n_departures):
            row = {name: getattr(some, name) for name in Conventions.__slots__}
            told = in_words(row | {"departures": n_departures})
            assert told.count(";") == max(0, n_departures - 1)
    explained = tiecore.explain({"q": {"a": 0, "b": 1}}, {"q": {"a": 2, "b": 2}}, {"RR": "0.75", "P@1": "0.5"})
    rows = whose_rows(explained.frame)
    assert rows.columns.tolist() == ["conventions", "RR", "P@1", "departures"]
    assert rows["conventions"].iloc[0] == "the usual ones, ties averaged"


def test_numbers_without_a_name_are_those_of_the_measure_on_the_page() -> None:
    assert reported_in("17.3%  P@5=.4", "AP(rel=2)") == {"AP(rel=2)": "17.3%", "P@5": ".4"}
    with pytest.raises(TiecoreError):
        reported_in("P@5=", "AP")


def test_code_and_command_give_the_same_sentence(
    open_app: OpenApp, tiny_files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    query = {"measure": "RR", "ranking_whose_feature": "visits", "ranking_whose_number": "0.61"}
    app = open_app(query=query, state=OPEN)
    exec(code_of(app, "python"), {})
    assert capsys.readouterr().out.startswith(said(app))
    assert not codes_of(app, "bash"), "a command cannot take one feature of a table"


def test_a_file_with_one_feature_has_a_command(open_app: OpenApp) -> None:
    query = {"ranking_whose_feature": "indegree", "ranking_whose_number": "0.3094"}
    app = open_app(query=query, state=OPEN)
    done = run(*shlex.split(code_of(app, "bash"))[1:])
    assert done.exit_code == 0, done.stderr
    assert said(app).split(";")[0] in done.stdout.replace("\n", " ")


def test_a_table_whose_columns_were_asked_for_has_no_code(open_app: OpenApp, tiny_data: Dataset) -> None:
    asked = file_of("qrels.txt", TINY_QRELS)
    object.__setattr__(asked, "asked", (object(), object()))
    data = replace(tiny_data, files=(asked, *tiny_data.files[1:]))
    app = open_app(query={"ranking_whose_number": ".5"}, state=OPEN | {"dataset": data})
    assert not codes_of(app, "python")
    assert said(app)
