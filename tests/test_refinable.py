"""What is added up once for all refinements of a ranking comes to the same as each refinement by itself."""

from __future__ import annotations

import numpy as np
import pytest

from tests.batches import ABSOLUTE
from tests.strategies import instances
from tiecore.measures import FAMILIES, expectations, variances
from tiecore.measures.refinable import Refinable
from tiecore.ties.groups import UNJUDGED, TieGroups

GRADES = np.array([UNJUDGED, -1, 0, 1, 2, 3])
N_QUERIES = 30

pytestmark = pytest.mark.untraced


def collection(rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Return documents of lists of any length, some of them empty; few scores, so many ties."""
    query = np.sort(rng.integers(0, N_QUERIES - 2, 400))
    return {
        "query": query,
        "score": rng.integers(0, 5, len(query)),
        "key": rng.integers(0, 3, len(query)),
        "level": rng.integers(0, len(GRADES), len(query)),
    }


def ranking(documents: dict[str, np.ndarray], *keys: np.ndarray) -> tuple[TieGroups, np.ndarray]:
    query, level = documents["query"], documents["level"]
    judged = level > 0
    ideal = TieGroups.from_grades(query=query[judged], level=level[judged], grades=GRADES, n_queries=N_QUERIES)
    return TieGroups.with_order(keys, query=query, level=level, grades=GRADES, n_queries=N_QUERIES, ideal=ideal)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("is_alone", [True, False])
def test_parts_of_a_ranking_add_up_to_the_whole(family: str, is_alone: bool) -> None:
    every = [one for one in instances(FAMILIES[family]) if str(one) != "IPrec"]
    # beside a measure to which all documents count, those that no gain depends on are kept as well
    measures = every[:: max(1, len(every) // 6)] + ([] if is_alone else [FAMILIES["Bpref"]()])
    documents = collection(np.random.default_rng(5))
    groups, order = ranking(documents, documents["score"])
    refinable = Refinable(measures, groups)
    mixed = refinable.mixed
    members = order[mixed.places()]
    total = np.random.default_rng(6).permutation(len(members))
    place = np.zeros(len(order), dtype=np.int64)
    place[members] = total
    for part, whole in (
        (mixed, groups),
        (mixed.worst(), groups.worst()),
        (mixed.best(), groups.best()),
        (mixed.broken(documents["key"][members], documents["level"][members]), None),
        (mixed.broken(total, documents["level"][members]), ranking(documents, documents["score"], place)[0]),
    ):
        known = ranking(documents, documents["score"], documents["key"])[0] if whole is None else whole
        for found, wanted in (
            (refinable.expectations(part), expectations(measures, known)),
            (refinable.variances(part), variances(measures, known)),
        ):
            np.testing.assert_allclose(found, wanted, rtol=0, atol=ABSOLUTE)


def test_a_part_that_is_put_back_makes_the_ranking_whole() -> None:
    documents = collection(np.random.default_rng(7))
    groups, _ = ranking(documents, documents["score"])
    alike, mixed = groups.split(np.ones(len(GRADES), dtype=bool))
    assert len(alike.size) + len(mixed.size) == len(groups.size)
    assert len(mixed.size) > 10
    for part, known in ((mixed, groups), (mixed.worst(), groups.worst()), (mixed.best(), groups.best())):
        whole = groups.with_part(part)
        for name in ("query", "above", "size", "first_cell", "cell_level", "cell_count", "toward"):
            np.testing.assert_array_equal(getattr(whole, name), getattr(known, name))
    for rel in (0, 1, 3):
        for part in (alike, mixed):
            _, position = part._whole()
            np.testing.assert_array_equal(part.relevant_above(rel), groups.relevant_above(rel)[position])


def test_groups_without_documents_that_count_are_in_no_part() -> None:
    documents = collection(np.random.default_rng(8))
    groups, _ = ranking(documents, documents["score"])
    counts = GRADES >= 2
    parts = groups.split(counts)
    assert all((part.relevant(2) > 0).all() for part in parts)
    assert sum(part.relevant(2).sum() for part in parts) == groups.relevant(2).sum()
