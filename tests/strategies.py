"""Small cases in which ties are the norm, for hypothesis and, in large seeded batches, from numpy."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import math
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from tiecore.errors import TiecoreError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from tests.oracle import Grade
    from tiecore.measures import Measure

Qrels = dict[str, dict[str, int]]
Scores = dict[str, dict[str, float]]

EXTENT = 20 if os.environ.get("TIECORE_HYPOTHESIS") == "thorough" else 1
"""How many times as many seeded cases are tried as with each change; see the profiles in tests/conftest.py."""

FEW_SCORES = (0.0, 1.0, 2.0)
# Tied or not by a hair: both zeros, both infinities, neighbours in float64 that float32 or rounding makes one.
AWKWARD_SCORES = (-0.0, 0.0, math.inf, -math.inf, 0.1 + 0.2, 0.3, 0.25, 1e300, 2e300, -1.0, 16777216.0, 16777217.0)
GRADES: tuple[Grade, ...] = (-2, -1, 0, 0, 1, 1, 2, 3, 4, None)
CUTOFFS = (1, 2, 3, 4, 5, 7, 8, 12)
PRECISIONS = ("float64", "float32", "decimals:0", "decimals:1")

# Upper case before lower in bytes though not in most locales; numbers as text; orders that UTF-16 would swap.
AWKWARD_DOCIDS = (
    "doc-1", "Doc-1", "DOC-10", "doc-2", "doc", "7", "07", "007", "10", "9", "1e3", "é", "e", "ü-umlaut", "Zebra", "字",
    "\uff21", "\U0001f600", '"quoted"', "it's", "a,b;c", "a\\b", "clueweb09-en0000-00-00000", "_", "~", "nan", "None",
)  # fmt: skip
AWKWARD_QUERY_IDS = ("q1", "Q1", "01", "1", "10", "9", "été", "q'2\"")


@dataclass(frozen=True, slots=True)
class Case:
    """One query: scores and grades of the listed documents, grades of the judged ones that were not listed."""

    scores: tuple[float, ...]
    grades: tuple[Grade, ...]
    unretrieved: tuple[int, ...]


def random_cases(rng: np.random.Generator, n: int, scores: Sequence[float]) -> list[Case]:
    """Draw n cases, some with few different grades, so that large tie groups stay quick to enumerate."""
    cases = []
    for _ in range(n):
        n_docs = int(rng.integers(0, 8))
        grades = tuple(GRADES[i] for i in rng.choice(len(GRADES), size=int(rng.integers(1, 5))))
        cases.append(
            Case(
                tuple(float(s) for s in rng.choice(scores, size=n_docs)),
                tuple(grades[i] for i in rng.integers(len(grades), size=n_docs)),
                tuple(int(g) for g in rng.integers(-2, 5, size=rng.integers(0, 4))),
            )
        )
    return cases


def as_collection(cases: Sequence[Case]) -> tuple[Qrels, Scores]:
    qrels: Qrels = {}
    scores: Scores = {}
    for q, case in enumerate(cases):
        judged = {f"d{d}": grade for d, grade in enumerate(case.grades) if grade is not None}
        judged |= {f"u{u}": grade for u, grade in enumerate(case.unretrieved)}
        if judged:
            qrels[f"q{q}"] = judged
        if case.scores:
            scores[f"q{q}"] = {f"d{d}": score for d, score in enumerate(case.scores)}
    return qrels, scores


@st.composite
def collections(
    draw: st.DrawFn, *, max_queries: int = 4, max_docs: int = 6, n_features: int = 2
) -> tuple[Qrels, dict[str, Scores]]:
    """Draw small qrels and features with awkward ids; every query has a judged document and is in every feature."""
    queries = draw(st.lists(st.sampled_from(AWKWARD_QUERY_IDS), min_size=1, max_size=max_queries, unique=True))
    qrels: Qrels = {}
    features: dict[str, Scores] = {f"feature {f}": {} for f in range(n_features)}
    for query in queries:
        docs = draw(st.lists(st.sampled_from(AWKWARD_DOCIDS), min_size=1, max_size=max_docs, unique=True))
        graded = draw(st.lists(st.integers(-1, 3), min_size=1, max_size=len(docs)))
        qrels[query] = dict(zip(docs, graded, strict=False))
        for scores in features.values():
            scores[query] = {doc: draw(st.sampled_from(FEW_SCORES)) for doc in draw(st.permutations(docs))}
    return qrels, features


def random_collection(
    rng: np.random.Generator, *, n_queries: int, n_docs: int, max_grade: int = 3
) -> tuple[Qrels, dict[str, Scores]]:
    """Draw qrels and two features over awkward ids; a few documents are unjudged, a few not retrieved."""
    qrels: Qrels = {}
    features: dict[str, Scores] = {"clicks": {}, "pages": {}}
    for q in range(n_queries):
        query = f"{AWKWARD_QUERY_IDS[q % len(AWKWARD_QUERY_IDS)]}-{q}"
        docs = [AWKWARD_DOCIDS[d] for d in rng.permutation(len(AWKWARD_DOCIDS))[: n_docs + 4]]
        qrels[query] = {doc: int(rng.integers(0, max_grade + 1)) for doc in docs[2:]}
        for scores in features.values():
            scores[query] = {docs[d]: float(rng.integers(0, 4)) for d in rng.permutation(n_docs)}
    return qrels, features


VALUES_OF_PARAMETER: dict[str, tuple[Any, ...]] = {
    "rel": (1, 2, 3),
    "dcg": ("log2", "exp-log2"),
    "p": (0.8, 0.5, 0.95),
    "s": (1, 2, 3),
    "max_rel": (4, 5, 6),
    "min_rel": (0, 1),
    "gains": ({2: 5, 3: 5, 4: 9},),
    "judged_only": (False, True),
    "relative": (False, True),
    "normalize": (True, False),
    "beta": (1.0, 0.5, 3.0),
    "T": (1.0, 0.5, 2.5),
    "recall": (0.0, 0.1, 0.5, 1.0),
}


def usual(family: type[Measure]) -> str:
    """Name a measure of a family with what it needs: its usual parameters, and a cut-off where it must have one."""
    return f"{family.name}{family.usual}" + ("@4" if family.cutoff_rule == "required" else "")


def parameters_of(family: type[Measure]) -> list[str]:
    fields = [field.name for field in dataclasses.fields(family)]
    return [name for name in fields if name != "cutoff" or family.cutoff_rule != "none"]


def instances(family: type[Measure]) -> list[Measure]:
    """Return measures of a family for every combination of test values that it accepts."""
    cutoffs = {"none": (), "optional": (None, *CUTOFFS), "required": CUTOFFS}[family.cutoff_rule]
    choices: dict[str, tuple[Any, ...]] = {}
    for name in parameters_of(family):
        if name != "cutoff" and name not in VALUES_OF_PARAMETER:
            raise AssertionError(f"{family.name}: no test values for its parameter {name!r}; add some to strategies.py")
        may_be_left_out = family.__dataclass_fields__[name].default is None and name not in ("cutoff", family.at)
        values = cutoffs if name == "cutoff" else VALUES_OF_PARAMETER[name]
        choices[name] = (None, *values) if may_be_left_out else values
    found = []
    for chosen in itertools.product(*choices.values()):
        with contextlib.suppress(TiecoreError):  # parameters that exclude each other
            found.append(family(**dict(zip(choices, chosen, strict=True))))
    # the bare name of RBP serves judgments of 0 and 1 only; test_measures.py looks at that
    return [measure for measure in found if not _is_bare_rbp(measure)]


def _is_bare_rbp(measure: Measure) -> bool:
    return measure.name == "RBP" and getattr(measure, "rel", 1) is None and getattr(measure, "max_rel", 1) is None


def oracle_parameters(measure: Measure) -> dict[str, Any]:
    return {name: getattr(measure, name) for name in parameters_of(type(measure))}
