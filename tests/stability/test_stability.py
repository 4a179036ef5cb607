"""What stability says of features, against all joint orderings of tiny sets, drawn tie-breaks and known noise."""

from __future__ import annotations

import itertools
import math
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tiecore
from sample_data import build
from tests import oracle
from tests.stability.synthetic import evaluation_of, only_row_of, row_of
from tiecore.evaluation.result import Evaluation
from tiecore.stability import COLUMNS, Stability, stability
from tiecore.stability.draws import draw_summaries
from tiecore.ties.tie_breaks import tie_break

SAMPLE = Path(build.__file__).parent

# --- tiny sets, every joint ordering ----------------------------------------------------------------------------------

FEATURES = ("a", "b", "c")
MEASURES: dict[str, tuple[str, dict[str, Any]]] = {
    "AP": ("AP", {}),
    "P@2": ("P", {"cutoff": 2}),
    "nDCG@2": ("nDCG", {"cutoff": 2}),
    "ESL": ("ESL", {}),
    "PRR": ("PRR", {}),
    "GMAP": ("GMAP", {}),
}


@dataclass(frozen=True, slots=True)
class Tiny:
    """Grades of the documents of each query, and three features that score all of them 0 or 1."""

    grades: tuple[tuple[int, ...], ...]
    scores: tuple[tuple[tuple[int, ...], ...], ...]

    @classmethod
    def drawn(cls, seed: int) -> Tiny:
        rng = np.random.default_rng(seed)
        size = rng.integers(2, 4, size=2)
        return cls(
            tuple(tuple(rng.integers(0, 3, size=n).tolist()) for n in size),
            tuple(tuple(tuple(rng.integers(0, 2, size=n).tolist()) for n in size) for _ in FEATURES),
        )

    def evaluate(self, measure: str, *, tie_breaks: Sequence[str] = ()) -> Evaluation:
        qrels = {f"q{q}": {f"d{d}": g for d, g in enumerate(grades)} for q, grades in enumerate(self.grades)}
        features: dict[str, dict[str, dict[str, float]]] = {
            name: {f"q{q}": {f"d{d}": float(s) for d, s in enumerate(scores)} for q, scores in enumerate(of_feature)}
            for name, of_feature in zip(FEATURES, self.scores, strict=True)
        }
        return tiecore.evaluate(qrels, features, [measure], tie_breaks)

    def distribution(self, measure: str, feature: int) -> dict[float, float]:
        """Chance of each summary of a feature over all orderings of its ties; more is better."""
        family, parameters = MEASURES[measure]
        of_query = []
        for grades, scores in zip(self.grades, self.scores[feature], strict=True):
            orders = list(oracle.enumerate_orderings(oracle.tie_groups(scores, grades)))
            of_query.append([oracle.value(family, order, **parameters) for order in orders])
        return tally([summary(measure, values) for values in itertools.product(*of_query)])

    def shared(self, measure: str) -> dict[tuple[float, ...], float]:
        """Chance of each (summary of a, of b, of c) when one order of documents breaks all ties."""
        family, parameters = MEASURES[measure]
        of_query: list[list[list[float]]] = []
        for q, grades in enumerate(self.grades):
            of_order = []
            for order in itertools.permutations(range(len(grades))):
                ranked = [sorted(order, key=lambda d: -of_feature[q][d]) for of_feature in self.scores]
                of_order.append([oracle.value(family, [grades[d] for d in docs], **parameters) for docs in ranked])
            of_query.append(of_order)
        chances: dict[tuple[float, ...], float] = defaultdict(float)
        joint = list(itertools.product(*of_query))
        for values in joint:
            key = tuple(summary(measure, [of[f] for of in values]) for f in range(len(FEATURES)))
            chances[key] += 1 / len(joint)
        return chances


TIED = Tiny(((1, 0, 2), (0, 1, 0)), (((1, 0, 0), (0, 0, 0)), ((0, 0, 0), (1, 1, 0)), ((1, 0, 1), (0, 1, 1))))


def summary(measure: str, values: Sequence[float]) -> float:
    value = oracle.geometric_mean(values) if measure == "GMAP" else math.fsum(values) / len(values)
    return round(-value if measure in oracle.LOWER_IS_BETTER else value, 10)


def tally(values: Sequence[float]) -> dict[float, float]:
    chances: dict[float, float] = defaultdict(float)
    for value in values:
        chances[value] += 1 / len(values)
    return chances


def independent(distributions: Sequence[dict[float, float]]) -> dict[tuple[float, ...], float]:
    """Chance of each joint outcome of features that break their own ties."""
    return {
        values: math.prod(chance[value] for chance, value in zip(distributions, values, strict=True))
        for values in itertools.product(*distributions)
    }


def place_chances(joint: dict[tuple[float, ...], float]) -> np.ndarray:
    """(n_features, n_features) chance of each feature (row) to take each place (column)."""
    chances = np.zeros((len(FEATURES), len(FEATURES)))
    for values, chance in joint.items():
        for feature, value in enumerate(values):
            chances[feature, sum(other > value for other in values)] += chance
    return chances


def beat_chances(joint: dict[tuple[float, ...], float]) -> np.ndarray:
    """(n_features, n_features) chance that the row beats the column, a draw being half."""
    chances = np.zeros((len(FEATURES), len(FEATURES)))
    for values, chance in joint.items():
        for a, b in itertools.product(range(len(FEATURES)), repeat=2):
            chances[a, b] += chance * ((values[a] > values[b]) + (values[a] >= values[b])) / 2
    return chances


def in_given_order(table: pd.DataFrame) -> np.ndarray:
    return table.loc[list(FEATURES), list(FEATURES) if "a" in table.columns else table.columns].to_numpy()


@pytest.mark.untraced
@pytest.mark.parametrize("measure", MEASURES)
def test_places_and_certainty_are_those_of_all_joint_orderings(measure: str) -> None:
    n_certain = n_open = 0
    for seed in range(16):
        tiny = Tiny.drawn(seed)
        joint = independent([tiny.distribution(measure, f) for f in range(len(FEATURES))])
        found = stability(tiny.evaluate(measure), measure, draws=2, permutations=1)
        possible = place_chances(joint) > 0
        places = found.places.loc[list(FEATURES)]
        assert places["best_place"].tolist() == [1 + int(np.flatnonzero(row)[0]) for row in possible]
        assert places["worst_place"].tolist() == [1 + int(np.flatnonzero(row)[-1]) for row in possible]
        beats = beat_chances(joint)
        sure = np.isin(np.round(beats, 9), (0, 1))
        assert np.array_equal(in_given_order(found.ties) == "certain", sure)
        assert np.array_equal(np.isin(in_given_order(found.beats), (0, 1)), sure)
        n_certain, n_open = n_certain + int(sure.sum()), n_open + int((~sure).sum())
    assert min(n_certain, n_open) >= 4


@pytest.mark.untraced
@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("shared_order", [False, True], ids=["own order", "shared order"])
def test_sampled_chances_are_those_of_all_joint_orderings(measure: str, shared_order: bool) -> None:
    draws = 600
    found = stability(TIED.evaluate(measure), measure, draws=draws, seed=4, permutations=1, shared_order=shared_order)
    distributions = [TIED.distribution(measure, f) for f in range(len(FEATURES))]
    joint = TIED.shared(measure) if shared_order else independent(distributions)
    assert found.place_method == "sampled"
    tolerance = 4.5 * 0.5 / math.sqrt(draws)
    np.testing.assert_allclose(in_given_order(found.place_probability), place_chances(joint), rtol=0, atol=tolerance)
    np.testing.assert_allclose(in_given_order(found.beats), beat_chances(joint), rtol=0, atol=tolerance)


@pytest.mark.untraced
def test_the_two_ways_to_break_ties_differ_where_features_tie_the_same_documents() -> None:
    tied = {"q1": {"x": 1.0, "y": 1.0}, "q2": {"x": 1.0, "y": 1.0}}
    evaluation = tiecore.evaluate({"q1": {"x": 1, "y": 0}, "q2": {"x": 0, "y": 1}}, {"a": tied, "b": tied}, ["RR"])
    own = evaluation.stability("RR", draws=400, seed=1)
    shared = evaluation.stability("RR", draws=400, seed=1, shared_order=True)
    # each mean is 1/2, 3/4 or 1 with chances 1/4, 1/2, 1/4: its variance is 1/32
    assert only_row_of(own.pairs)["sd_ties"] == pytest.approx(0.25, rel=0, abs=1e-12)
    assert own.place_probability.loc["a", 2] == pytest.approx(5 / 16, rel=0, abs=4.5 * 0.5 / 20)
    assert only_row_of(shared.pairs)["sd_ties"] == 0
    assert shared.place_probability.to_numpy().tolist() == [[1, 0], [1, 0]]
    assert shared.beats.loc["a", "b"] == 0.5


@pytest.mark.parametrize("measure", ["AP", "nDCG@2"])
def test_a_draw_of_a_shared_order_is_a_random_tie_break_of_every_feature(measure: str) -> None:
    seeds = np.random.SeedSequence(9).generate_state(3, np.uint64)
    evaluation = TIED.evaluate(measure, tie_breaks=[f"random:{seed}" for seed in seeds])
    drawn = draw_summaries(evaluation, evaluation.measures[0], draws=3, seed=9, shared_order=True, progress=None)
    known = evaluation.summary[[tie_break(f"random:{seed}").name for seed in seeds]].to_numpy().T
    assert np.array_equal(drawn, known)


# --- real data --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sample() -> Evaluation:
    files = ("bm25.run.gz", "clicks.csv", "pages.parquet", "title_match.json")
    return tiecore.evaluate(
        str(SAMPLE / "qrels.txt"),
        [str(SAMPLE / name) for name in files],
        ["nDCG@10", "ESL"],
        ["docid-desc", "docid-asc", "input"],
    )


@pytest.mark.slow
def test_normal_chances_are_those_of_8000_drawn_tie_breaks() -> None:
    clicks = pd.read_csv(SAMPLE / "clicks.csv", dtype={"query_id": str})[["query_id", "doc_id", "query_url_clicks"]]
    clicks.columns = pd.Index(["query_id", "doc_id", "score"])
    evaluation = tiecore.evaluate(
        str(SAMPLE / "qrels.txt"),
        {"query_url_clicks": clicks, "title_match": str(SAMPLE / "title_match.json")},
        ["P@5"],
    )
    normal = evaluation.stability("P@5")
    drawn = evaluation.stability("P@5", place_method="sampled", draws=8_000, seed=20)
    assert (normal.place_method, drawn.place_method) == ("normal", "sampled")
    assert 0.6 < only_row_of(normal.pairs)["p_beats"] < 0.95
    deviation = 4 * math.sqrt(0.29 * 0.71 / 8_000)
    np.testing.assert_allclose(normal.beats, drawn.beats, rtol=0, atol=deviation)
    np.testing.assert_allclose(normal.place_probability, drawn.place_probability, rtol=0, atol=deviation)
    assert only_row_of(normal.pairs)["sd_ties"] == only_row_of(drawn.pairs)["sd_ties"]


@pytest.mark.untraced
@pytest.mark.parametrize("shared_order", [False, True], ids=["own order", "shared order"])
@pytest.mark.parametrize("measure", ["nDCG@10", "ESL"])
def test_no_drawn_tie_break_contradicts_the_intervals(sample: Evaluation, measure: str, shared_order: bool) -> None:
    found = sample.stability(measure, place_method="sampled", draws=40, seed=3, shared_order=shared_order)
    place = found.place_probability.columns.to_numpy()
    outside = (place < found.places[["best_place"]].to_numpy()) | (place > found.places[["worst_place"]].to_numpy())
    assert outside.any()
    assert (found.place_probability.to_numpy()[outside] == 0).all()
    for name in ("place", "docid-desc place", "docid-asc place", "input place"):
        assert found.places[name].between(found.places["best_place"], found.places["worst_place"]).all()
    assert (found.beats.to_numpy()[found.ties == "certain"] % 1 == 0).all()


def test_normal_chances_do_not_contradict_the_intervals(sample: Evaluation) -> None:
    found = sample.stability("nDCG@10")
    place = found.place_probability.columns.to_numpy()
    outside = (place < found.places[["best_place"]].to_numpy()) | (place > found.places[["worst_place"]].to_numpy())
    assert outside.any()
    assert (found.place_probability.to_numpy()[outside] == 0).all()
    certain = (found.ties == "certain").to_numpy()
    assert np.array_equal(certain, np.isin(found.beats, (0, 1)))


def test_places_under_tie_breaks_are_those_of_the_leaderboard(sample: Evaluation) -> None:
    for measure in ("nDCG@10", "ESL"):
        found, board = sample.stability(measure, draws=2), sample.leaderboard(measure)
        columns = ["place", *(f"{name} place" for name in ("docid-desc", "docid-asc", "input"))]
        pd.testing.assert_frame_equal(found.places[columns], board[columns])


def test_tables_hold_no_gaps_and_every_column_is_explained(sample: Evaluation) -> None:
    found = sample.stability("nDCG@10")
    for table in (found.places, found.place_probability, found.beats, found.verdicts, found.pairs, found.agreement):
        assert not table.drop(columns=["randomisation_p", "rare_p"], errors="ignore").isna().any(axis=None)
    boards = found.values.columns
    named = [*found.pairs, *found.agreement, *found.agreement.index.names, *found.swapped("expected", "input")]
    named += [str(column).replace(f"{board} place", "… place") for column in found.places for board in boards[1:4:3]]
    assert {name for name in named if not name.startswith("docid") and not name.startswith("input")} <= set(COLUMNS)
    assert {"place_probability", "beats"} <= set(COLUMNS)


def test_the_sample_shows_an_order_that_file_order_makes(sample: Evaluation) -> None:
    found = sample.stability("nDCG@10")
    pair = row_of(found.pairs, "bm25", "query_url_clicks")
    assert pair["reversed_by"] == ("input",)
    swapped = found.swapped("expected", "input")
    assert found.agreement["n_swapped"].loc[("expected", "input")] == len(swapped)
    first = swapped.to_dict("records")[0]
    assert (first["ahead_in_reference"], first["ahead_in_other"]) == ("bm25", "query_url_clicks")
    value = found.values["input"]
    assert first["lead_in_other"] == value["query_url_clicks"] - value["bm25"]


# --- known noise ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_known_parts_of_the_noise_are_recovered() -> None:
    rng = np.random.default_rng(17)
    n_features, n_queries, sd_of_query, sd_of_ties = 30, 50, 0.08, 0.1
    observed, parts = [], []
    for _ in range(10):
        query = rng.normal(0.5, 0.2, n_queries)  # hard and easy queries are so for all features: not noise of pairs
        expected = query + rng.normal(0, sd_of_query, (n_features, n_queries))
        sd = sd_of_ties * rng.uniform(0.5, 1.5, (n_features, n_queries))
        one_tie_break = expected + rng.normal(size=sd.shape) * sd
        found = evaluation_of(
            expected, variance=sd**2, worst=expected - 9, best=expected + 9, tie_breaks={"input": one_tie_break}
        ).stability("AP", permutations=1)
        pairs = found.pairs
        value = found.values["input"]
        observed.append(np.mean((value[pairs["leader"]].to_numpy() - value[pairs["trailer"]].to_numpy()) ** 2))
        parts.append([np.mean(pairs["sd_queries"] ** 2), np.mean(pairs["sd_ties"] ** 2), pairs["tie_share"].mean()])
    of_queries, of_ties, share = np.mean(parts, axis=0)
    known_queries = 2 * sd_of_query**2 / n_queries
    known_ties = 2 * sd_of_ties**2 * (1 + 1 / 12) / n_queries  # the mean square of a uniform number on 0.5 … 1.5
    assert of_queries == pytest.approx(known_queries, rel=0.05)
    assert of_ties == pytest.approx(known_ties, rel=0.03)
    assert share == pytest.approx(known_ties / (known_ties + known_queries), rel=0.05)
    assert np.mean(observed) == pytest.approx(known_queries + known_ties, rel=0.25)


@pytest.mark.slow
def test_136_features_and_1000_queries_take_seconds() -> None:
    rng = np.random.default_rng(2)
    expected = rng.uniform(0.2, 0.8, 1000) + rng.normal(0, 0.1, (136, 1000))
    evaluation = evaluation_of(expected, variance=0.01, worst=expected - 0.3, best=expected + 0.3)
    start = time.process_time()
    found: Stability = evaluation.stability("AP", permutations=1000)
    assert time.process_time() - start < 20  # one by one, the pairs would take minutes
    assert len(found.pairs) == 136 * 135 // 2


def test_features_without_ties_have_no_noise_of_ties() -> None:
    qrels = {f"q{q}": {f"d{d}": (q + d) % 3 for d in range(7)} for q in range(9)}
    scores = {query: {doc: 0.1 * float(doc[1:]) for doc in docs} for query, docs in qrels.items()}
    evaluation = tiecore.evaluate(qrels, {"one": scores, "two": scores}, ["ERR@5", "GMAP"])
    for measure in ("ERR@5", "GMAP"):
        for shared_order in (False, True):
            pairs = evaluation.stability(measure, draws=50, shared_order=shared_order).pairs
            assert pairs["sd_ties"].tolist() == [0.0]
            assert not (pairs["tie_share"] > 0).any()
