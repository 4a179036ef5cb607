"""An evaluation as an object: copied, shown, and with features of any name."""

import copy
import pickle
import re
import sys
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tiecore
from tiecore.diagnostics import blame, culprits
from tiecore.evaluation.intervals import central_interval
from tiecore.evaluation.result import Evaluation

QRELS = {"q1": {"a": 1, "b": 0, "c": 0}, "q2": {"a": 0, "d": 1, "e": 0}, "q3": {"f": 2, "g": 0}}
ONE = {"q1": {"a": 1.0, "b": 1.0, "c": 2.0}, "q2": {"a": 1.0, "d": 1.0}, "q3": {"f": 1.0, "g": 1.0}}
TWO = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"a": 1.0, "d": 3.0}, "q3": {"f": 0.0, "g": 1.0}}
EVIL = '<script>alert("x")</script>'


def evaluated(features: dict[str, Any] | None = None, tie_breaks: tuple[str, ...] = ("trec_eval",)) -> Evaluation:
    return tiecore.evaluate(QRELS, features or {"one": ONE, "two": TWO}, ["AP", "ERR@2"], tie_breaks)


@pytest.mark.parametrize("copied", [lambda e: pickle.loads(pickle.dumps(e)), copy.deepcopy, copy.copy])
def test_a_copy_answers_as_the_original(copied: object) -> None:
    known = evaluated()
    known.coverage  # noqa: B018  # what is remembered comes along
    found = copied(known)  # type: ignore[operator]
    for name in ("summary", "per_query", "coverage"):
        pd.testing.assert_frame_equal(getattr(found, name), getattr(known, name))
    pd.testing.assert_frame_equal(found.sample("AP", draws=5, seed=1), known.sample("AP", draws=5, seed=1))
    pd.testing.assert_frame_equal(found.stability("AP").pairs, known.stability("AP").pairs)
    pd.testing.assert_frame_equal(blame(found, "one", "AP"), blame(known, "one", "AP"))


def test_its_repr_is_one_short_line() -> None:
    assert repr(evaluated()) == "<Evaluation: 2 measures, 2 features, 3 queries, tie-breaks 'trec_eval'>"
    one = tiecore.evaluate({"q": {"a": 1}}, {"f" * 10_000: {"q": {"a": 1}}}, ["AP"])
    assert repr(one) == "<Evaluation: 1 measure, 1 feature, 1 query, no tie-breaks>"


def rows_of(evaluation: Evaluation) -> list[list[str]]:
    return [re.findall(r"<t[hd]\b[^>]*>([^<]+)", row) for row in evaluation._repr_html_().split("<tr")[1:]]


def test_a_notebook_shows_the_leaderboards_with_or_without_the_expectation_and_the_warnings() -> None:
    evaluation = evaluated()
    rows, board = rows_of(evaluation), evaluation.leaderboard("AP")
    assert rows[0] == list(board.columns)
    assert [row[:2] for row in rows[2:4]] == [[name, str(place)] for name, place in board["place"].items()]
    assert rows[2][2] == f"{board['expected'].iloc[0]:.4f}"
    found = tiecore.evaluate(QRELS, {"one": ONE}, ["AP"], ["trec_eval"], statistics=["worst"])
    assert rows_of(found)[0] == ["worst", "trec_eval"]
    page = tiecore.evaluate(QRELS, {"f": {"q1": {"a": 1.0}}}, ["AP"])._repr_html_()
    assert "lists only 1 of the 3 judged queries" in page


def test_names_are_no_markup_in_a_notebook_and_nothing_is_loaded() -> None:
    page = evaluated({EVIL: ONE, "two": TWO}, (f"feature:{EVIL}",))._repr_html_()
    assert not re.search(r"https?:|src=|href=|url\(", page)
    assert {*re.findall(r"<(\w+)", page)} == {"p", "table", "thead", "tbody", "tr", "th", "td"}


def test_long_boards_are_cut_for_a_notebook() -> None:
    many = tiecore.evaluate(QRELS, {f"f{n}": ONE for n in range(40)}, [f"P@{k}" for k in range(1, 9)])
    page = many._repr_html_()
    assert page.count("<tr") < 4 * 40
    assert "4 more measures" in page


def test_a_frame_can_be_changed_without_changing_the_next() -> None:
    e = tiecore.evaluate({"q": {"a": 1, "b": 0}}, {"f": {"q": {"a": 1, "b": 1}}}, ["AP"])
    for frame in (e.summary, e.per_query, e.coverage, e.leaderboard("AP")):
        frame.iloc[:, 0] = 7
    columns = e.values.leaderboard_columns("AP")
    columns["expected"][:] = 7
    assert e.summary["expected"].tolist() == e.per_query["expected"].tolist() == [0.75]
    assert e.leaderboard("AP")["expected"].tolist() == [0.75]
    assert e.coverage["queries"].tolist() == [1]


NASTY = ["x", "shift", "y place", "x best", "feature", "measure", "query_id", "expected", "a b", "place"]


def test_no_two_columns_have_one_name_whatever_features_are_called() -> None:
    rng = np.random.default_rng(2)
    features = {
        name: {query: {doc: float(rng.integers(3)) for doc in docs} for query, docs in QRELS.items()} for name in NASTY
    }
    plain = {f"f{n}": scores for n, scores in enumerate(features.values())}
    nasty = evaluated(features, tuple(f"feature:{name}" for name in NASTY))
    known = evaluated(plain, tuple(f"feature:{name}" for name in plain))
    pairs: list[tuple[pd.DataFrame, pd.DataFrame]] = [
        (nasty.summary, known.summary),
        (nasty.per_query, known.per_query),
        (nasty.leaderboard("AP"), known.leaderboard("AP")),
        (blame(nasty, "x", "AP"), blame(known, "f0", "AP")),
        (culprits(nasty, "x", "AP", query_id="q1"), culprits(known, "f0", "AP", query_id="q1")),
    ]
    for found, same in pairs:
        assert found.columns.is_unique
        pd.testing.assert_frame_equal(
            found.set_axis(same.columns, axis=1).reset_index(drop=True), same.reset_index(drop=True)
        )
        assert len(found.reset_index().columns) == len(found.columns) + found.index.nlevels
    for name, other in zip(NASTY, plain, strict=True):
        blamed = blame(nasty, "x", "AP", by=f"feature:{name}")["blame"]
        assert blamed.tolist() == blame(known, "f0", "AP", by=f"feature:{other}")["blame"].tolist()


@pytest.mark.parametrize("what", ["place", "shift"])
def test_a_tie_break_called_like_a_column_of_another_one_is_refused(what: str) -> None:
    scores = {"q1": {"a": 1.0}}
    with pytest.raises(tiecore.TiecoreError, match=rf"'feature:x {what}' has the name of a column"):
        tiecore.evaluate(QRELS, {"x": scores, f"x {what}": scores}, ["AP"], ["feature:x", f"feature:x {what}"])


def test_intervals_are_those_of_their_module_and_the_measure_is_left_out_only_where_there_is_one() -> None:
    qrels = {"q": {"a": 1, "b": 0}}
    alone = tiecore.evaluate(qrels, {"one": {"q": {"a": 1, "b": 1}}}, ["AP"])
    pd.testing.assert_frame_equal(alone.interval(), alone.interval("AP"))
    several = evaluated()
    for ask in (several.interval, several.plot.board, several.plot.places):
        with pytest.raises(tiecore.TiecoreError, match=r"give one of them as measure=: 'AP', 'ERR@2'"):
            ask()
    intervals = (of("ERR@2", level=0.5, seed=3) for of in (several.interval, partial(central_interval, several)))
    pd.testing.assert_frame_equal(next(intervals), next(intervals))


def test_the_tidy_frame_holds_every_number_once() -> None:
    known = evaluated()
    tidy = known.tidy
    assert tidy.columns.tolist() == ["measure", "feature", "query_id", "statistic", "value"]
    assert len(tidy) == known.per_query.size
    for _, row in tidy.iterrows():
        number = known.per_query.loc[(row["measure"], row["feature"], row["query_id"]), row["statistic"]]
        np.testing.assert_equal(row["value"], number)


def test_without_matplotlib_a_figure_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tiecore.plot", None)
    with pytest.raises(tiecore.TiecoreError, match=r"figures need matplotlib .*: pip install 'tiecore\[plot\]'"):
        evaluated().plot.board("AP")
