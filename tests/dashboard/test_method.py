"""The page Method: the example agrees with enumeration whatever is typed, and every formula and setting is told."""

import json
import math
import re
from collections.abc import Sequence
from itertools import cycle
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.dashboard.conftest import answer_of, html_of, open_app
from tests.pages import FORMULAS
from tiecore import Moments, TiecoreError, moments
from tiecore.measures import FAMILIES, measure
from tiecore_dashboard import words
from tiecore_dashboard.charts.look import LIGHT
from tiecore_dashboard.pages.method import texts
from tiecore_dashboard.pages.method.charts import orderings_chart
from tiecore_dashboard.pages.method.worked_example import (
    MOST_DOCUMENTS,
    STARTS,
    Example,
    enumerate_orderings,
    example_of,
    read_written,
)
from tiecore_dashboard.state.conventions import CONVENTIONS

HIGHEST = "(max_rel=10)"
"""Of the grades in the examples."""
MEASURES = [
    name
    + (HIGHEST if "max_rel" in family.__dataclass_fields__ and name != "RBP" else family.usual)
    + ("@3" if family.cutoff_rule == "required" else "")
    for name, family in FAMILIES.items()
]


def table_of(scores: Sequence[float | None], grades: Sequence[int | None]) -> pd.DataFrame:
    return pd.DataFrame({"score": pd.array(scores, dtype="Float64"), "grade": pd.array(grades, dtype="Int64")})


@pytest.mark.parametrize(("name", "start"), [*zip(MEASURES, cycle(STARTS.values()), strict=False)])
def test_closed_form_and_enumeration_agree(name: str, start: str) -> None:
    example = example_of(*read_written(start, ""))
    found = enumerate_orderings(measure(name), example)
    assert found.agree
    assert found.table["orderings"].sum() == example.n_orderings == found.distribution.sum()


@pytest.mark.parametrize(("name", "places"), [("P@10", []), ("P@3", [1]), ("AP", [0, 1]), ("RR", [0])])
def test_a_tie_decides_where_its_own_order_changes_the_value(name: str, places: list[int]) -> None:
    assert enumerate_orderings(measure(name), Example((3, 3, 2, 2, 2, 1, 1), (1, 0, 1, 0, 0, 1, 1))).deciding == places


def test_a_wrong_closed_form_would_be_told(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float] = []

    def wrong(*args: Any, **options: Any) -> Moments:
        found = moments(*args, **options)
        given.append(found.expected)
        return found._replace(expected=found.expected + 1e-9) if len(given) == 1 else found

    monkeypatch.setattr("tiecore_dashboard.pages.method.worked_example.moments", wrong)
    found = enumerate_orderings(measure("RR"), Example((1.0, 1.0), (1, 0)))
    assert given[:3] == [0.75, 1.0, 0.5]
    assert found.under == {"input": 1.0, "input-reversed": 0.5}
    assert not found.agree


def test_documents_are_read_by_score_and_empty_rows_passed_over() -> None:
    found = example_of(table_of([1, None, 3, -0.0, 0.0], [0, None, 2, None, 1]), "1, 0 −1")
    assert list(found.scores) == [3, 1, 0, 0]
    assert list(found.grades) == [2, 0, None, 1]
    assert list(found.groups) == [(2,), (0,), (None, 1)]
    assert list(found.unretrieved) == [1, 0, -1]
    texts = pd.DataFrame({"score": ["2,5", " 0.5", None], "grade": ["−1", "", " "]})
    assert example_of(texts) == Example((2.5, 0.5), (-1, None)), "as it is typed"
    assert example_of(table_of([1] * MOST_DOCUMENTS, range(MOST_DOCUMENTS))).n_orderings == 5040, "the largest"


@pytest.mark.parametrize(
    ("table", "missed", "told"),
    [
        (table_of([], []), "", "no document yet"),
        (table_of([None], [None]), "", "no document yet"),
        (table_of([1, None], [0, 1]), "", "Row 2 has a grade but no score"),
        (table_of([1] * 8, [0] * 8), "", "40,320 ways"),
        (table_of([1], [0]), "1, x", "The grade x in the documents that are not listed"),
        (table_of([1], [0]), "1.5", "not a whole number"),
        (pd.DataFrame({"score": [math.inf], "grade": [1]}), "", "finite number"),
        (pd.DataFrame({"score": [1.0], "grade": [0.5]}), "", "The grade 0.5 in row 1"),
        (pd.DataFrame({"score": ["1", "2"], "grade": ["1", "x"]}), "", "The grade x in row 2 is not a whole number"),
        (pd.DataFrame({"score": ["1.000,5"], "grade": ["1"]}), "", "The score 1.000,5 in row 1 is not a finite number"),
    ],
)
def test_bad_input_is_answered_in_words(table: pd.DataFrame, missed: str, told: str) -> None:
    with pytest.raises(TiecoreError, match=re.escape(told)):
        example_of(table, missed)


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_has_its_formula_its_meaning_and_its_source(name: str) -> None:
    assert f"\n#### {name}\n" in FORMULAS.read_text(encoding="utf-8"), f"write the formula of {name} into {FORMULAS}"
    text = " ".join(texts.formula(name).split())
    lines = [part for _, parts in texts.pieces(texts.formula(name)) for part in parts]
    assert lines
    assert all(line.count("{") == line.count("}") and r"\qquad" not in line for line in lines)
    assert "```" not in "".join(words for words, _ in texts.pieces(texts.formula(name)))
    assert text.startswith(texts.meaning(name))
    assert texts.meaning(name).endswith(".")
    assert text.endswith(")*"), "the source"
    if not FAMILIES[name].has_variance:
        assert re.search("no variance|no closed form for the variance", text, re.IGNORECASE)


def test_what_can_be_chosen_in_the_sidebar_and_what_notes_refer_to_is_explained() -> None:
    titles = ("Tie-breaks and who uses them", "Conventions", "Between features")
    tie_breaks, conventions, tests = (" ".join(texts.sections()[title].split()) for title in titles)
    assert "**The allowance for rare queries** By Success@1 a feature that is right on 1 of 20 queries" in tests
    left_out = "A query that a feature does not list counts 0 in its mean and is left out of its pairs."
    assert left_out in tests, "as the setting says"
    assert all(f"| `{name}` |" in tie_breaks for name in words.TIE_BREAKS)
    for one in CONVENTIONS:
        assert f"**{one.title}.**" in conventions
        assert all(f"**{label}** {meaning}" in conventions for label, meaning in one.meanings.items())


def test_bars_stand_at_the_values_and_the_line_at_the_expectation() -> None:
    found = enumerate_orderings(measure("AP@10"), example_of(*read_written(STARTS["three tied, two relevant"], "")))
    expected = found.closed.expected
    figure = orderings_chart(found.distribution, expected=expected, title="mean", measure=measure("AP@10"), look=LIGHT)
    assert list(figure.data[0].x) == pytest.approx([5 / 12, 1 / 2, 7 / 12], abs=1e-12)
    assert list(figure.data[0].y) == [2, 2, 2]
    assert list(figure.data[1].x) == [expected] * 2
    assert figure.data[1].line.dash is None, "as in the legend"


def test_values_too_many_for_bars_are_counted_in_bins_of_which_none_touch() -> None:
    found = enumerate_orderings(
        measure("nDCG@10"), example_of(*read_written(STARTS["all five tied, several grades"], ""))
    )
    assert len(found.distribution) == 60
    figure = orderings_chart(found.distribution, expected=0.7, title="mean", measure=measure("nDCG@10"), look=LIGHT)
    bars, _ = figure.data
    assert np.diff(bars.x).min() > bars.width
    assert sum(bars.y) == found.table["orderings"].sum()
    assert len(bars.x) < 30


def test_the_first_example_shows_that_the_tie_break_matters() -> None:
    found = enumerate_orderings(measure("nDCG@10"), example_of(*read_written(next(iter(STARTS.values())), "")))
    assert found.under["input"] > found.closed.expected > found.under["input-reversed"]


def test_several_authors_are_several_to_bibtex() -> None:
    assert "author    = {McSherry, Frank and Najork, Marc}," in texts.sections()["How to cite"], (
        "two braces make one name"
    )


def test_the_page_needs_no_data_and_shows_the_formula_of_the_measure_or_of_any_other() -> None:
    app = open_app("method", query={"measure": "RR"})
    choice = app.selectbox(key="method_family_RR")
    assert set(choice.options) == set(FAMILIES)
    assert any(one.value == "**RR**" for one in app.markdown)
    parts = [part for _, parts in texts.pieces(texts.formula("RR")) for part in parts]
    assert [one.value.strip("$\n ") for one in app.latex] == parts, "the others are typeset once they are chosen"
    choice.set_value("AP").run()
    assert any(one.value == "**AP**" for one in app.markdown)
    example = next(str(one.proto.body) for one in app.get("html") if "orderings of the tied" in str(one.proto.body))
    assert "agree</em> to twelve digits" in example
    assert "exact mean" in answer_of(app)


def test_the_example_travels_in_the_url_and_another_start_begins_anew() -> None:
    app = open_app("method", query={"example": "2:1,2:0,1:;1, 0"})
    assert app.text_input[0].value == "1, 0"
    assert "2 orderings" in html_of(app)
    assert app.selectbox(key="method_start").value == "own list"
    app.text_input[0].set_value("2").run()
    text = "2:1,2:0,1:;2"
    assert app.query_params["example"] in (text, [text])
    assert open_app("method", query={"example": text}).text_input[0].value == "2"
    app.selectbox(key="method_start").set_value("no ties").run()
    for _ in range(2):
        assert "example" not in app.query_params
        assert "Nothing is tied" in html_of(app)
        app.text_input[0].set_value("3").run()
        assert app.selectbox(key="method_start").value == "own list"
        assert app.query_params["example"][-1].endswith("3")
        app.selectbox(key="method_start").set_value("no ties").run()


@pytest.mark.parametrize("text", ["x", "1:1", "1:1:1;", ";"])
def test_an_example_that_a_link_has_garbled_is_passed_over(text: str) -> None:
    app = open_app("method", query={"example": text})
    assert "6 orderings" in html_of(app)
    assert app.selectbox(key="method_start").value == "three tied, two relevant"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("1:x,2:1;", "The grade x in row 1 is not"),
        ("2%2C5:1,a%3Ab:;", "The score a:b in row 2 is not"),
        ("1e400:1,1:99999999999;", "The score 1e400 in row 1"),
        ("1:1e99;", "The grade 1e99 in row 1"),
    ],
)
def test_a_faulty_list_is_kept_with_its_message_when_the_page_is_loaded_anew(text: str, told: str) -> None:
    app = open_app("method", query={"example": text})
    assert told in app.warning[0].value.replace("\\", "")
    assert app.query_params["example"] in (text, [text])
    assert app.selectbox(key="method_start").value == "own list"


def test_prr_is_told_to_be_no_mean() -> None:
    app = open_app("method", query={"measure": "PRR"})
    assert "is another number" in html_of(app)


def test_a_word_for_a_grade_is_answered_in_words_and_without_markup() -> None:
    app = open_app("method")
    app.text_input[0].set_value("![x](http://a.b/c)").run()
    assert not app.exception
    assert len(app.warning) == 1
    assert "\\!\\[x\\]" in app.warning[0].value


def test_one_ordering_is_one_point_on_an_axis_with_few_digits() -> None:
    app = open_app("method", query={"method_start": "no ties"})
    assert "Nothing is tied" in html_of(app)
    (chart,) = app.get("plotly_chart")
    (low, high), ticks = (json.loads(chart.proto.spec)["layout"]["xaxis"][part] for part in ("range", "tickvals"))
    assert high - low > 0.1
    assert all(round(tick, 3) == tick for tick in ticks)


def test_nothing_is_said_to_be_the_same_in_every_ordering_that_is_not() -> None:
    app = open_app("method", query={"measure": "Judged", "k": "1", "example": "1:0,1:,1:;"})
    shown = html_of(app)
    assert "give Judged@1 from 0.0000 to 1.0000; their mean is 0.3333" in shown
    assert "nothing is relevant" not in shown


def test_an_example_in_which_nothing_is_relevant_says_so_and_its_axis_begins_at_0() -> None:
    app = open_app("method", query={"measure": "AP", "rel": "2"})
    shown = html_of(app)
    assert "No document has grade 2 or higher: nothing is relevant, and AP(rel=2) is 0.0000 in every ordering." in shown
    (spec,) = (json.loads(chart.proto.spec) for chart in app.get("plotly_chart"))
    assert min(spec["layout"]["xaxis"]["tickvals"]) == 0
