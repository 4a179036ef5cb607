"""What a caller can get wrong is a TiecoreError of one bounded line, never an error of Python's own."""

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

import tiecore
from tiecore import diagnostics
from tiecore.errors import listed, shortened
from tiecore.evaluation.intervals import central_interval
from tiecore.evaluation.result import Evaluation

QRELS = {"q": {"a": 1, "b": 0}, "r": {"a": 0, "b": 2}}
FEATURES = {"ab": {"q": {"a": 1.0, "b": 1.0}, "r": {"b": 1.0, "a": 1.0}}, "a": {"q": {"a": 1}}}
LONGEST = 400


def evaluated(**options: Any) -> Evaluation:
    return tiecore.evaluate(QRELS, FEATURES, **({"measures": ["AP", "ERR"], "tie_breaks": ["trec_eval"]} | options))


def moments(**options: Any) -> object:
    given: dict[str, Any] = {"scores": [2.0, 1.0], "grades": [0, 1]}
    return tiecore.moments("AP", **given | options)


def sample(**options: Any) -> object:
    given: dict[str, Any] = {"scores": [1.0], "grades": [1], "draws": 3, "seed": 1}
    return tiecore.sample("AP", **given | options)


REFUSED: dict[str, Callable[[], object]] = {
    "infinite grade": lambda: moments(grades=[math.inf, 1]),
    "grade NaN": lambda: moments(grades=[math.nan, 1]),
    "huge grade": lambda: moments(grades=[10**30, 1]),
    "grade of thousands of digits": lambda: moments(grades=[10**5000, 1]),
    "grade below all": lambda: moments(grades=[-(2**63), 1]),
    "grade that is text": lambda: moments(grades=["1" * 10_000, 1]),
    "complex grade": lambda: moments(grades=[1j, 1]),
    "unretrieved huge grade": lambda: moments(unretrieved=[1e300]),
    "half a grade": lambda: moments(grades=[0.5, 1]),
    "unretrieved nothing": lambda: moments(unretrieved=[None]),
    "more scores than grades": lambda: moments(scores=[3.0, 2.0, 1.0]),
    "score NaN": lambda: moments(scores=[math.nan, 1.0]),
    "ragged scores": lambda: moments(scores=[[1.0], [1.0, 2.0]]),
    "scores that are text": lambda: moments(scores=["a", "b"]),
    "negative seed": lambda: sample(seed=-1),
    "seed that is no number": lambda: sample(seed="x" * 10_000),
    "half a draw": lambda: sample(draws=2.5),
    "no draw": lambda: sample(draws=0),
    "no draw of an evaluation": lambda: evaluated().sample("AP", draws=0),
    "no draw of one order": lambda: diagnostics.drawn_order(evaluated(), "ab", query_id="q", draw=0),
    "less than no draw of one list": lambda: diagnostics.draws(evaluated(), "ab", "AP", query_id="q", draws=-1),
    "unknown orders of ties": lambda: evaluated().sample("AP", tie_orders="none"),  # type: ignore[arg-type]
    "draws NaN": lambda: sample(draws=math.nan),
    "negative seed of an evaluation": lambda: evaluated().sample("AP", draws=3, seed=-1),
    "half a draw of an evaluation": lambda: evaluated().sample("AP", draws=2.5, seed=1),  # type: ignore[arg-type]
    "half a draw of one list": lambda: diagnostics.draws(evaluated(), "ab", "AP", query_id="q", draws=2.5),  # type: ignore[arg-type]
    "cut-off 0": lambda: diagnostics.anatomy(evaluated(), cutoffs=[0]),
    "infinite cut-off": lambda: diagnostics.anatomy(evaluated(), cutoffs=[math.inf]),  # type: ignore[list-item]
    "cut-off NaN": lambda: diagnostics.anatomy(evaluated(), cutoffs=[math.nan]),  # type: ignore[list-item]
    "half a cut-off": lambda: diagnostics.anatomy(evaluated(), cutoffs=[1.5]),  # type: ignore[list-item]
    "cut-off that is text": lambda: diagnostics.anatomy(evaluated(), cutoffs=["10"]),  # type: ignore[list-item]
    "no precision": lambda: evaluated(precision=None),
    "precision that is no text": lambda: evaluated(precision=3),
    "tie-break that is no text": lambda: tiecore.evaluate(QRELS, FEATURES, ["AP"], [5]),  # type: ignore[list-item]
    "tie-break of a long name": lambda: evaluated(tie_breaks=["x" * 100_000]),
    "tie-break of a long seed": lambda: evaluated(tie_breaks=["random:" + "9" * 100_000]),
    "tie-break with a long argument": lambda: evaluated(tie_breaks=["input:" + "x" * 100_000]),
    "tie-break of many blanks": lambda: evaluated(tie_breaks=["random:" + " " * 100_000]),
    "tie-breaks None": lambda: tiecore.evaluate(QRELS, FEATURES, ["AP"], None),  # type: ignore[arg-type]
    "measures None": lambda: tiecore.evaluate(QRELS, FEATURES, None),  # type: ignore[arg-type]
    "measure without a name": lambda: tiecore.evaluate(QRELS, FEATURES, [""]),
    "measures without a name": lambda: tiecore.evaluate(QRELS, FEATURES, ""),
    "statistics None": lambda: evaluated(statistics=None),
    "statistic that is no text": lambda: evaluated(statistics=[["sd"]]),
    "ascending that is no feature": lambda: evaluated(ascending="b"),
    "ascending that is no text": lambda: evaluated(ascending=[[5]]),
    "ascending that is a number": lambda: evaluated(ascending=5),
    "only of no text": lambda: evaluated(only=[["a"]]),
    "only of a long name": lambda: evaluated(only=["x" * 10_000]),
    "blame by nothing": lambda: diagnostics.blame(evaluated(), "ab", "AP", by=None),  # type: ignore[arg-type]
    "blame by a long name": lambda: diagnostics.blame(evaluated(), "ab", "AP", by="x" * 10_000),
    "query of a long name": lambda: diagnostics.listing(evaluated(), "ab", "AP", query_id="x" * 10_000),
    "feature of a long name": lambda: diagnostics.culprits(evaluated(), "x" * 10_000, "AP", query_id="q"),
    "level that is text": lambda: central_interval(evaluated(), "AP", level="x"),  # type: ignore[arg-type]
    "level NaN": lambda: central_interval(evaluated(), "AP", level=math.nan),
    "thousands of signs": lambda: tiecore.measure(f"AP(rel={'-' * 3000}1)"),
    "a hundred thousand signs": lambda: tiecore.measure(f"AP(rel={'-' * 100_000}1)"),
    "thousands of brackets": lambda: tiecore.measure(f"AP(rel={'[' * 3000})"),
    "parameter of a long name": lambda: tiecore.measure(f"AP({'x' * 10_000}=1)"),
    "a gain of a long name": lambda: tiecore.measure(f"nDCG(dcg='{'x' * 10_000}')"),
    "a long p": lambda: tiecore.measure(f"RBP(p='{'x' * 10_000}')"),
    "measure of a long name": lambda: tiecore.measure("x" * 10_000),
    "what is not a parameter": lambda: tiecore.measure(f"AP({'x' * 10_000})"),
    "option of a long name": lambda: evaluated(queries="x" * 10_000),
    "statistic of a long name": lambda: evaluated(statistics=["x" * 10_000]),
}


@pytest.mark.parametrize("mistake", REFUSED)
def test_a_mistake_is_refused_in_one_bounded_line(mistake: str) -> None:
    with pytest.raises(tiecore.TiecoreError) as refused:
        REFUSED[mistake]()
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) <= LONGEST


def test_text_is_one_name_and_not_a_sequence_of_letters_and_a_generator_gives_several() -> None:
    found = evaluated(ascending="ab", only="ab", statistics="expected")
    assert found.features == ("ab",)
    assert found.values.alignment.ascending == {"ab"}
    assert found.values.statistics == ("expected",)
    assert tiecore.evaluate(QRELS, FEATURES, "AP", "trec_eval").values.columns[-1] == "trec_eval"
    several: Any = {"statistics": ["expected", "worst"], "only": ["a", "ab"], "ascending": ["a"]}
    generators: Any = {name: (one for one in own) for name, own in several.items()}
    found = tiecore.evaluate(QRELS, FEATURES, (name for name in ["AP"]), (name for name in ["trec_eval"]), **generators)
    assert list(found.summary.columns) == ["expected", "worst", "trec_eval"]
    assert found.features == ("a", "ab")


def test_numbers_of_numpy_are_numbers() -> None:
    assert moments(grades=np.array([0, 1])) == moments(grades=[np.float64(0), np.int8(1)]) == moments()
    sample(draws=np.int64(3), seed=np.uint8(1))
    assert len(diagnostics.anatomy(evaluated(), cutoffs=np.array([1, 2]))) == 2  # type: ignore[arg-type]


@pytest.mark.parametrize("lacking", ["expected", "sd", "worst", "best"])
def test_an_interval_names_the_statistic_that_it_lacks(lacking: str) -> None:
    qrels = {str(query): {"a": 1, "b": 0} for query in range(30)}
    features = {"f": {query: {"a": 1.0, "b": 1.0} for query in qrels}}
    kept = [name for name in ("expected", "sd", "worst", "best") if name != lacking]
    with pytest.raises(tiecore.TiecoreError, match=f"evaluate with '{lacking}' among the statistics"):
        central_interval(tiecore.evaluate(qrels, features, ["AP"], statistics=kept), "AP")


class Unwritable:
    """An object whose text cannot be made."""

    def __repr__(self) -> str:
        raise RuntimeError("no text")


VALUES: list[object] = [
    *("", "a\nb", "x" * 10**6, b"y" * 10**6, 1, 10**5000, -(10**5000), 1e300, Decimal("1e9"), None, Unwritable()),
    *(np.zeros((50, 50)), {"a": ["b"] * 1000}, "\udc80", "\N{LINE SEPARATOR}" * 9),
]


@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
def test_a_quoted_value_is_one_short_line_that_can_be_printed(value: object) -> None:
    found = shortened(value)
    assert 0 < len(found) <= 240
    assert len(found.splitlines()) == 1
    found.encode()


def test_a_short_value_is_quoted_as_it_is_and_of_many_the_first_are_listed() -> None:
    assert [shortened(value) for value in ("clicks", 12, 0.5, None)] == ["'clicks'", "12", "0.5", "None"]
    assert shortened("x" * 60) == repr("x" * 60)
    assert shortened("x" * 61) == repr("x" * 60 + "…")
    assert shortened(Unwritable()) == "<Unwritable>"
    assert listed({"a": 1, "b": 2}) == "'a', 'b'"
    assert listed(range(100), most=3) == "0, 1, 2, …"
