"""Laws of the named tie-breaks."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tiecore
from tests import oracle
from tests.batches import ABSOLUTE, large_collection, per_query
from tests.strategies import Qrels, Scores, oracle_parameters, random_collection
from tiecore.ties.tie_breaks import TIE_BREAKS, tie_break

ORDERED = ["AP", "RR", "nDCG@3", "P@2", "ERR@5", "Bpref", "Success@1"]


def _values_on_orders(qrels: Qrels, scores: Scores, keys: Callable[[list[str]], list[str]]) -> pd.Series:
    """Return oracle values when `keys` puts the documents of a query in order before a stable sort by score."""
    values = {}
    for query, docs in scores.items():
        order = sorted(keys(list(docs)), key=lambda doc: -docs[doc])
        unretrieved = [grade for doc, grade in qrels[query].items() if doc not in docs]
        for name in ORDERED:
            measure = tiecore.measure(name)
            grades = [qrels[query].get(doc) for doc in order]
            values[name, query] = oracle.value(measure.name, grades, unretrieved, **oracle_parameters(measure))
    return pd.Series(values).sort_index()


def _by_bytes(docs: list[str]) -> list[str]:
    return sorted(docs, key=lambda doc: doc.encode())


ORDERS: dict[str, Callable[[list[str]], list[str]]] = {
    "docid-desc": lambda docs: _by_bytes(docs)[::-1],
    "docid-asc": _by_bytes,
    "input": lambda docs: docs,
    "input-reversed": lambda docs: docs[::-1],
}
ALIASES = {"trec_eval": "docid-desc", "anserini": "docid-asc", "stable": "input"}


@pytest.mark.parametrize("tie_break", [*ORDERS, *ALIASES])
def test_a_tie_break_puts_tied_documents_in_its_order(tie_break: str) -> None:
    qrels, features = large_collection()
    table = per_query(ORDERED, qrels, features, tie_breaks=[tie_break])
    for feature, scores in features.items():
        known = _values_on_orders(qrels, scores, ORDERS[ALIASES.get(tie_break, tie_break)])
        found = table.xs(feature, level="feature")[tie_break]
        assert list(found.index) == list(known.index)
        np.testing.assert_allclose(found, known, rtol=0, atol=ABSOLUTE)


def splitmix(word: int) -> int:
    """Finaliser of SplitMix64 (Steele, Lea & Flood 2014), in whole numbers of any size."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        word = ((word ^ (word >> shift)) * factor) % 2**64
    return word ^ (word >> 31)


def test_the_random_order_of_a_seed_is_the_same_everywhere_and_for_ever() -> None:
    # the first two numbers of that generator from seed 0, as they are published
    steps = [0x9E3779B97F4A7C15 * n % 2**64 for n in (1, 2)]
    assert [splitmix(step) for step in steps] == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4]
    hashes = np.random.default_rng(0).integers(0, 2**64, 50, dtype=np.uint64)
    for seed in (0, 7, 2**64 - 1):
        known = [splitmix(word ^ splitmix(seed)) >> 24 for word in hashes.tolist()]
        rows: Any = SimpleNamespace(id_hash=lambda: hashes)
        assert tie_break(f"random:{seed}").key(rows).tolist() == known


def test_random_tie_breaks_differ_between_queries_with_the_same_documents() -> None:
    docs = [f"d{d}" for d in range(30)]
    qrels = {f"q{q}": {doc: int(doc == "d7") for doc in docs} for q in range(20)}
    scores = {query: dict.fromkeys(docs, 1.0) for query in qrels}
    table = per_query(["RR"], qrels, {"f": scores}, tie_breaks=["random:5"])
    assert table["random:5"].nunique() > 5


def test_another_feature_breaks_ties_and_what_it_leaves_tied_is_averaged() -> None:
    qrels, features = random_collection(np.random.default_rng(8), n_queries=40, n_docs=6)
    measures = [*ORDERED, "nDCG(dcg='exp-log2')", "RBP(rel=1)", "R@2"]
    table = per_query(measures, qrels, features, tie_breaks=["feature:pages"])
    left_tied = 0
    for query, docs in features["clicks"].items():
        both = [10 * score + features["pages"][query][doc] for doc, score in docs.items()]
        groups = oracle.tie_groups(both, [qrels[query].get(doc) for doc in docs])
        left_tied += max(map(len, groups)) > 1
        unretrieved = [grade for doc, grade in qrels[query].items() if doc not in docs]
        for name in measures:
            measure = tiecore.measure(name)
            known = oracle.enumerated(measure.name, groups, unretrieved, **oracle_parameters(measure))
            found = table.loc[(name, "clicks", query), "feature:pages"]
            assert found == pytest.approx(known.expected, rel=0, abs=ABSOLUTE), (name, query)
    assert left_tied > 10


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("docid-dsc", "unknown tie-break 'docid-dsc': did you mean docid-desc or docid-asc?"),
        ("inputs-reverse", "unknown tie-break 'inputs-reverse': did you mean input-reversed or input?"),
        ("random", "tie-break 'random' needs a SEED: write random:SEED"),
        ("feature:", "tie-break 'feature:' needs a NAME: write feature:NAME"),
        ("best:", "tie-break 'best' takes nothing after a colon, found 'best:'"),
        ("trec_eval:3", "tie-break 'trec_eval' takes nothing after a colon, found 'trec_eval:3'"),
        *(
            (
                f"random:{seed}",
                f"the seed of 'random:{seed}' must be a whole number from 0 to 2^64 - 1: for example random:7",
            )
            for seed in ("x", "-1", "1.5", "²", "1e3", str(2**64))
        ),
    ],
)
def test_a_name_that_is_none_is_answered_with_what_to_write(name: str, message: str) -> None:
    with pytest.raises(tiecore.TiecoreError) as caught:
        tie_break(name)
    assert str(caught.value) == message


def test_a_name_like_no_other_is_answered_with_all_of_them() -> None:
    with pytest.raises(tiecore.TiecoreError) as caught:
        tie_break("xyzzy")
    problem, _, names = str(caught.value).partition(": known are ")
    assert problem == "unknown tie-break 'xyzzy'"
    spelled = {"random": "random:SEED", "feature": "feature:NAME"}
    assert names.split(", ") == [spelled.get(name, name) for name in (*TIE_BREAKS, *ALIASES)]


@pytest.mark.parametrize("name", [*ORDERS, *ALIASES, "random:3", "best", "worst", "feature:full"])
def test_a_feature_without_documents_has_no_ties_to_break(name: str) -> None:
    table = pd.DataFrame({"query_id": "q", "doc_id": ["a", "b"], "full": 1.0, "none": np.nan})
    found = tiecore.evaluate({"q": {"a": 1, "b": 0}}, table, ["RR"], [name]).summary
    assert found[name].tolist()[1] == 0.0


def test_best_and_worst_put_the_grades_in_order() -> None:
    qrels, features = large_collection()
    known = per_query(ORDERED, qrels, features)
    alignment = tiecore.evaluate(qrels, features, measures=ORDERED).values.alignment
    for feature in features:
        rows = alignment.rows(feature)
        for name in ("best", "worst"):
            groups = rows.alignment.sort(rows, tie_break(name).key(rows))
            for measure in ORDERED:
                found = tiecore.measure(measure).expected(groups)
                wanted = known.loc[(measure, feature), name][alignment.query_ids.to_pylist()]
                np.testing.assert_allclose(found, wanted, rtol=0, atol=ABSOLUTE)


def test_the_rank_column_of_a_run_breaks_ties(tmp_path: Path) -> None:
    qrels = {"q": {"a": 1, "b": 0, "c": 0, "d": 1}}
    ranks = {"a": 7, "b": 9, "c": 3}
    run = tmp_path / "some.run"
    run.write_text("".join(f"q Q0 {doc} {rank} 1.0 tag\n" for doc, rank in ranks.items()))
    found = tiecore.evaluate(qrels, run, ["RR", "AP"], ["rank"]).summary
    assert found.loc[("RR", "tag"), "rank"] == 0.5
    # a document that the run does not list comes last, alone here
    last = tiecore.evaluate(qrels, run, ["AP"], ["rank"], missing="last").summary
    assert last.loc[("AP", "tag"), "rank"] == (1 / 2 + 2 / 4) / 2


@pytest.mark.parametrize("missing", ["unranked", "last"])
@pytest.mark.parametrize(
    "ranks",
    [(1, 2, 3), (-7, -6, -5), (2**63 - 3, 2**63 - 2, 2**63 - 1), (-(2**63), 0, 2**63 - 1)],
)
def test_ranks_of_a_run_may_begin_anywhere(tmp_path: Path, ranks: tuple[int, int, int], missing: Any) -> None:
    run = tmp_path / "some.run"
    run.write_text("".join(f"q Q0 {doc} {rank} 1.0 tag\n" for doc, rank in zip("cba", ranks, strict=True)))
    qrels = {"q": {"a": 1, "b": 0, "c": 0, "d": 0}}
    assert tiecore.evaluate(qrels, run, ["RR"], ["rank"], missing=missing).summary["rank"].tolist() == [1 / 3]


@pytest.mark.parametrize(
    ("written", "name"),
    [
        (" docid-asc", "docid-asc"),
        ("random: 7 ", "random:7"),
        (" random :7", "random:7"),
        ("feature: a ", "feature: a "),
        (" feature:a", "feature:a"),
    ],
)
def test_blanks_around_a_name_make_no_second_tie_break(written: str, name: str) -> None:
    assert tie_break(written) == tie_break(name)
    assert tie_break(written).name == name
