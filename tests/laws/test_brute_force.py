"""Expectation, variance, worst and best of every measure equal those of listing all orderings of tied documents."""

import zlib
from functools import cache
from typing import Any

import numpy as np
import pytest

import tiecore
from tests import oracle
from tests.strategies import (
    AWKWARD_SCORES,
    EXTENT,
    FEW_SCORES,
    PRECISIONS,
    Case,
    as_collection,
    instances,
    oracle_parameters,
    random_cases,
)
from tiecore.measures import FAMILIES, Measure

ABSOLUTE = 1e-12
BATCHES = 2 * EXTENT
QUERIES_A_BATCH = 40


def _seed(*words: object) -> int:
    return zlib.crc32(repr(words).encode())


def _chosen(family: str, batch: object, n: int) -> list[Measure]:
    oracle.definition_of(family)
    every = instances(FAMILIES[family])
    rng = np.random.default_rng(_seed(family, batch))
    return [every[i] for i in rng.choice(len(every), size=min(n, len(every)), replace=False)]


def _enumerated(measure: Measure, case: Case, *, precision: str = "float64") -> oracle.Enumerated:
    groups = oracle.tie_groups(case.scores, case.grades, precision=precision)
    return oracle.enumerated(measure.name, groups, case.unretrieved, **oracle_parameters(measure))


@cache
def _batch(number: object, scores: tuple[float, ...]) -> tuple[dict[str, Case], Any, Any]:
    cases = random_cases(np.random.default_rng(_seed("batch", number)), QUERIES_A_BATCH, scores)
    qrels, feature = as_collection(cases)
    by_query = {f"q{q}": case for q, case in enumerate(cases) if f"q{q}" in qrels}
    return by_query, qrels, feature


@pytest.mark.parametrize("batch", [*range(BATCHES), *PRECISIONS])
@pytest.mark.parametrize("family", FAMILIES)
def test_moments_of_a_batch_equal_enumeration_and_precision_decides_what_is_tied(family: str, batch: int | str) -> None:
    precision = batch if isinstance(batch, str) else "float64"
    cases, qrels, feature = _batch(batch, AWKWARD_SCORES if isinstance(batch, str) else FEW_SCORES)
    measures = _chosen(family, batch, 1 if isinstance(batch, str) else 4)
    per_query: Any = tiecore.evaluate(
        qrels, {"f": feature}, measures=[str(measure) for measure in measures], precision=precision
    ).per_query
    for measure in measures:
        found = per_query.xs("f", level="feature").xs(str(measure)).reindex(list(cases))
        known = [_enumerated(measure, case, precision=precision) for case in cases.values()]
        for name in ("expected", "worst", "best"):
            np.testing.assert_allclose(
                found[name], [getattr(k, name) for k in known], rtol=0, atol=ABSOLUTE, err_msg=f"{measure} {name}"
            )
        if measure.has_variance:
            np.testing.assert_allclose(
                found["sd"] ** 2, [k.variance for k in known], rtol=0, atol=ABSOLUTE, err_msg=f"{measure} variance"
            )
        else:
            assert found["sd"].isna().all()
        for case, of_case in list(zip(cases.values(), known, strict=True))[: 10 if precision == "float64" else 0]:
            alone = tiecore.moments(measure, scores=case.scores, grades=case.grades, unretrieved=case.unretrieved)
            of_all = of_case.expected, of_case.variance if measure.has_variance else np.nan, of_case.worst, of_case.best
            np.testing.assert_allclose(alone, of_all, rtol=0, atol=ABSOLUTE)
