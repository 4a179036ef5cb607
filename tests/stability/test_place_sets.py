"""Sets of places against a plain reckoning on the same draws, and the laws that hold for any values."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tiecore.errors import TiecoreError
from tiecore.stability import paired_draws
from tiecore.stability import place_sets as module
from tiecore.stability.place_sets import PlaceSets, place_sets

NOWHERE = np.nan


def some_values(n_features: int, n_queries: int, *, gap: float = 0.1, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng([seed, n_features, n_queries])
    query = rng.uniform(size=n_queries)
    return query + rng.normal(scale=0.3, size=(n_features, n_queries)) - gap * np.arange(n_features)[:, None]


def marginal(sets: PlaceSets) -> list[tuple[int, int]]:
    return list(zip(sets.low.tolist(), sets.high.tolist(), strict=True))


def simultaneous(sets: PlaceSets) -> list[tuple[int, int]]:
    return list(zip(sets.low_all.tolist(), sets.high_all.tolist(), strict=True))


def once(sets: PlaceSets) -> list[tuple[int, int]]:
    return list(zip(sets.low_once.tolist(), sets.high_once.tolist(), strict=True))


def assert_same(one: PlaceSets, other: PlaceSets) -> None:
    for field in dataclasses.fields(PlaceSets):
        np.testing.assert_array_equal(getattr(one, field.name), getattr(other, field.name), err_msg=field.name)


few_values = st.sampled_from([0.0, 0.25, 0.5, 1.0, NOWHERE])
tables = st.tuples(st.integers(1, 5), st.integers(1, 14)).flatmap(
    lambda shape: arrays(float, shape, elements=few_values)
)


# --- a plain reckoning ------------------------------------------------------------------------------------------------


def claims_by_the_book(
    observed: list[np.ndarray], draws: list[np.ndarray], family: list[tuple[int, int]], nth: int
) -> set[tuple[int, int]]:
    """Ordered pairs (a, b) of the family for which a is clearly better, step by step."""
    left = family
    while left:
        bounds: list[float] = []
        for drawn in draws:
            largest = np.sort(np.max([drawn[:, a, b] for a, b in left], axis=0))
            bounds.append(max(largest[-nth] * (1 + 1e-5), *bounds, -np.inf))
        claimed = {(a, b) for a, b in family if all(o[a, b] > bound for o, bound in zip(observed, bounds, strict=True))}
        if not claimed & set(left):
            return claimed
        left = [pair for pair in family if pair not in claimed]
    return set(family)


def skewed_values(n_features: int, n_queries: int, *, seed: int) -> np.ndarray:
    """Some features earn much on few queries, the others a little on all."""
    rng = np.random.default_rng([seed, n_features, n_queries])
    rare = np.where(rng.uniform(size=(n_features, n_queries)) < 0.25, 1.0, 0.0) + rng.uniform(0, 0.05, n_queries)
    return np.where(np.arange(n_features)[:, None] % 2 == seed % 2, rare, rng.uniform(0.2, 0.6, size=rare.shape))


def binary_values(n_features: int, n_queries: int, *, seed: int) -> np.ndarray:
    rng = np.random.default_rng([seed, n_features, n_queries])
    chance = np.linspace(0.85, 0.15, n_features)[:, None]
    return (rng.uniform(size=(n_features, n_queries)) < chance).astype(np.float64)


@pytest.mark.untraced
@pytest.mark.parametrize(
    "values",
    [
        some_values(4, 12, gap=0.15),
        some_values(5, 30, gap=0.1),
        some_values(6, 60, gap=0.2),
        some_values(3, 20, gap=0.0),
        *(skewed_values(5, 16, seed=seed) for seed in range(6)),  # on some of these the drawn queries decide
        *(binary_values(4, 30, seed=seed) for seed in (1, 2, 4, 7)),  # on these the flipped signs
        *(np.floor(4 * some_values(5, 12, gap=0.25, seed=seed)) / 4 for seed in range(6)),
    ],
)
@pytest.mark.parametrize("largest", [0.0, 0.8])
def test_sets_are_those_of_a_plain_reckoning(
    monkeypatch: pytest.MonkeyPatch, values: np.ndarray, largest: float
) -> None:
    kept = []
    original = paired_draws.resample

    def keeping(*args: object, **options: object) -> object:
        kept.append(original(*args, **options))  # type: ignore[arg-type]
        return kept[-1]

    monkeypatch.setattr(module, "resample", keeping)
    n_features, n_queries = values.shape
    sets = place_sets(values, draws=399, seed=3, largest=largest)
    (resampling,) = kept
    difference = values[:, None] - values
    unusual = np.array([n_queries - row.tolist().count(sorted(row.tolist())[n_queries // 2]) for row in values])
    unseen = 2 * (largest / (1 + np.minimum(unusual[:, None], unusual))) ** 2
    signs, weights = resampling.signs.astype(float), resampling.weights.astype(float)
    drawn = []
    with np.errstate(invalid="ignore", divide="ignore"):  # the diagonal, and samples without spread
        observed = [
            difference.sum(axis=2) / np.sqrt((difference**2).sum(axis=2)),
            difference.sum(axis=2)
            / np.sqrt((n_queries * difference.var(axis=2) + unseen) * n_queries / (n_queries - 1)),
        ]
        flipped = [(difference * flips).sum(axis=2) / np.sqrt((difference**2).sum(axis=2)) for flips in signs]
        for times in weights:
            sample = np.repeat(difference, times.astype(int), axis=2)
            error = (sample.mean(axis=2) - difference.mean(axis=2)).round(12)
            t = error / sample.std(axis=2, ddof=1).round(12) * np.sqrt(n_queries)
            drawn.append(np.where(error == 0, 0.0, t))
    draws = [np.array(flipped), np.array(drawn)]
    nth = 20  # 5 % of 400
    differing = np.count_nonzero(difference, axis=2)
    every_pair = [pair for pair in itertools.permutations(range(n_features), 2) if differing[pair] >= 6]
    better = claims_by_the_book(observed, draws, every_pair, nth)
    assert set(zip(*np.nonzero(sets.clearly_better), strict=True)) == better
    for feature in range(n_features):
        family = [pair for pair in every_pair if feature in pair]
        claims = claims_by_the_book(observed, draws, family, nth)
        assert sets.low[feature] == 1 + sum(b == feature for _, b in claims)
        assert sets.high[feature] == n_features - sum(a == feature for a, _ in claims)


@pytest.mark.parametrize(("n_queries", "n_ways", "nth"), [(5, 32, 2), (6, 64, 4), (10, 1024, 52), (11, 1999, 100)])
def test_as_many_draws_may_be_as_extreme_as_the_level_allows(n_queries: int, n_ways: int, nth: int) -> None:
    drawn = paired_draws.draw(2, n_queries, draws=1999, seed=0)
    values = some_values(2, n_queries)
    measured = paired_draws.measure_all(values, None, listed=None, drawn=drawn, unit=1.0, largest=None)
    resampling = paired_draws.resample(measured, drawn, level=0.95)
    assert resampling.signs.shape == (n_ways, n_queries)
    # All ways hold the observed one: 51 of 1,024 are below 5 %. Draws do not: with it 100 of 2,000 are 5 %.
    assert (resampling.nth_sign, resampling.nth_weight) == (nth, 100)
    assert (resampling.weights.sum(axis=1) == n_queries).all()


def test_chances_of_the_top_are_those_of_all_ways_to_draw_queries() -> None:
    values = np.array([[0.9, 0.0, 0.3, 0.2], [0.0, 0.5, 0.3, 0.4], [0.2, 0.2, 0.8, 0.2]])
    top = np.zeros((3, 3))
    for drawn in itertools.product(range(4), repeat=4):
        mean = values[:, drawn].sum(axis=1).round(9)
        place = (mean > mean[:, None]).sum(axis=1)
        top[np.arange(3), place] += 1 / 256
    draws = 20_000
    sets = place_sets(values, draws=draws)
    for k in (1, 2, 3, 9):
        np.testing.assert_allclose(sets.p_top(k), top[:, :k].sum(axis=1), rtol=0, atol=4 * np.sqrt(0.25 / draws))
    assert sets.p_top(3).tolist() == [1.0, 1.0, 1.0]
    assert (sets.place_counts.sum(axis=1) == draws).all()


# --- laws -------------------------------------------------------------------------------------------------------------


@given(tables)
def test_sets_hold_the_place_and_each_other(values: np.ndarray) -> None:
    sets = place_sets(values, np.abs(values) / 10, draws=99)
    assert (sets.low <= sets.place).all()
    assert (sets.place <= sets.high).all()
    for low, high in ((sets.low_all, sets.high_all), (sets.low_once, sets.high_once)):
        assert (low <= sets.low).all()
        assert (high >= sets.high).all()
        assert low.min() >= 1
        assert high.max() <= len(values)
    assert not (sets.clearly_better & sets.clearly_better.T).any()
    assert np.array_equal(sets.clearly_different, sets.clearly_better | sets.clearly_better.T)


@pytest.mark.untraced
@given(tables, st.permutations(range(5)))
def test_features_in_another_order_have_the_same_sets(values: np.ndarray, shuffled: list[int]) -> None:
    order = [feature for feature in shuffled if feature < len(values)]
    sets, other = place_sets(values, draws=99), place_sets(values[order], draws=99)
    assert [marginal(sets)[f] for f in order] == marginal(other)
    assert [simultaneous(sets)[f] for f in order] == simultaneous(other)
    assert np.array_equal(sets.clearly_better[np.ix_(order, order)], other.clearly_better)
    assert np.array_equal(sets.place[order], other.place)
    assert np.array_equal(sets.place_counts[order], other.place_counts)


def test_sets_of_a_single_measurement_do_not_depend_on_the_order_either() -> None:
    values = some_values(6, 60, gap=0.3)
    variances = np.random.default_rng(2).uniform(0, 0.2, size=values.shape)
    order = [3, 1, 5, 0, 2, 4]
    sets, other = place_sets(values, variances), place_sets(values[order], variances[order])
    assert [once(sets)[f] for f in order] == once(other)


def test_equal_features_share_places_and_are_never_told_apart() -> None:
    clear = some_values(3, 40, gap=2.0)
    sets = place_sets(clear[[0, 1, 1, 2]])
    assert sets.place.tolist() == [1, 2, 2, 4]
    assert marginal(sets) == simultaneous(sets) == once(sets) == [(1, 1), (2, 3), (2, 3), (4, 4)]
    assert sets.p_top(2).tolist() == [1.0, 1.0, 1.0, 0.0]
    assert sets.p_top(1).tolist() == [1.0, 0.0, 0.0, 0.0]


def test_what_differs_by_rounding_alone_is_equal() -> None:
    values = some_values(1, 50).repeat(2, axis=0)
    values[1] += 1e-15
    sets = place_sets(values)
    assert sets.place.tolist() == [1, 1]
    assert sets.p_top(1).tolist() == [1.0, 1.0]
    assert marginal(sets) == [(1, 2), (1, 2)]


def test_noise_is_small_beside_the_unit_not_beside_one() -> None:
    values, unit = some_values(5, 30), 2.0**-60
    assert_same(place_sets(values * unit, unit=unit), place_sets(values))


def test_one_feature_has_the_first_place() -> None:
    sets = place_sets(some_values(1, 9))
    assert marginal(sets) == simultaneous(sets) == once(sets) == [(1, 1)]
    assert sets.p_top(1).tolist() == [1.0]


@pytest.mark.parametrize("n_queries", [1, 2, 3, 5])
def test_too_few_queries_leave_every_place_open(n_queries: int) -> None:
    sets = place_sets(np.array([[9.0], [5.0], [0.0]]).repeat(n_queries, axis=1))
    assert sets.place.tolist() == [1, 2, 3]
    assert marginal(sets) == simultaneous(sets) == once(sets) == [(1, 3)] * 3


def test_a_difference_that_is_the_same_on_every_query_is_clear_once_flipped_signs_make_it_so() -> None:
    steady = np.array([[0.9], [0.5]])
    assert marginal(place_sets(steady.repeat(6, axis=1))) == [(1, 1), (2, 2)]  # p = 2/64
    assert marginal(place_sets(steady.repeat(6, axis=1), level=0.99)) == [(1, 2), (1, 2)]
    assert marginal(place_sets(steady.repeat(40, axis=1), level=0.99)) == [(1, 1), (2, 2)]
    assert once(place_sets(steady.repeat(40, axis=1))) == [(1, 1), (2, 2)]


def test_a_difference_on_five_queries_among_many_is_not_clear() -> None:
    values = np.zeros((2, 300))
    values[0, :5] = 1.0
    assert marginal(place_sets(values)) == [(1, 2), (1, 2)]
    values[0, :12] = 1.0
    assert marginal(place_sets(values)) == [(1, 1), (2, 2)]


def test_a_feature_that_differs_on_one_query_does_not_blur_the_others() -> None:
    values = some_values(3, 40, gap=0.4)
    doubled = np.concatenate([values, values[:1]])
    doubled[3, 0] -= 0.5
    assert marginal(place_sets(values)) == [(1, 1), (2, 2), (3, 3)]
    assert marginal(place_sets(doubled)) == [(1, 2), (3, 3), (4, 4), (1, 2)]


def test_a_settled_comparison_makes_the_others_easier() -> None:
    # Alone the two leaders are told apart; beside 30 features far behind they still are, as those leave the family.
    leaders = some_values(2, 50, gap=0.16, seed=4)
    behind = some_values(30, 50, gap=0.0) - 9.0
    assert simultaneous(place_sets(leaders, largest=1.0)) == [(1, 1), (2, 2)]
    assert marginal(place_sets(np.concatenate([leaders, behind]), largest=1.0))[:2] == [(1, 1), (2, 2)]


def test_pairs_are_compared_on_the_queries_that_both_list() -> None:
    values = np.array([[0.9, 0.1] * 40, [0.7, 0.0] * 40])
    half = values.copy()
    half[0, ::2] = NOWHERE  # the easy queries, on which everybody does well
    assert marginal(place_sets(values)) == [(1, 1), (2, 2)]
    sets = place_sets(half)
    assert sets.place.tolist() == [1, 2]
    assert marginal(sets) == [(1, 1), (2, 2)]
    assert sets.p_top(1).tolist() == [1.0, 0.0]


def test_a_query_that_one_of_two_lacks_has_no_weight() -> None:
    values, variances = some_values(4, 30), np.full((4, 30), 0.05)
    listed = np.random.default_rng(8).uniform(size=(4, 30)) < 0.7
    masked = np.where(listed, values, NOWHERE)
    sets = place_sets(masked, variances)
    assert_same(sets, place_sets(values, variances, listed=listed))
    assert_same(sets, place_sets(np.where(listed, values, 77.0), np.where(listed, variances, 99.0), listed=listed))
    mean = [
        [values[a, both].mean() - values[b, both].mean() for b in range(4) for both in [listed[a] & listed[b]]]
        for a in range(4)
    ]
    assert sets.place.tolist() == (1 + (np.array(mean) < 0).sum(axis=1)).tolist()


def test_features_without_a_common_query_cannot_be_compared() -> None:
    values = np.array([[0.9] * 20 + [NOWHERE] * 20, [NOWHERE] * 20 + [0.1] * 20])
    sets = place_sets(values)
    assert sets.place.tolist() == [1, 1]
    assert marginal(sets) == [(1, 2), (1, 2)]
    assert sets.p_top(1).tolist() == [1.0, 1.0]


def test_random_ties_widen_the_sets_of_a_single_measurement_alone() -> None:
    values = some_values(6, 120, gap=0.5)
    without, with_ties = place_sets(values), place_sets(values, np.full(values.shape, 4.0))
    assert_same(without, place_sets(values, np.zeros(values.shape)))
    assert marginal(without) == marginal(with_ties)
    assert simultaneous(without) == simultaneous(with_ties)
    assert once(without) == [(place, place) for place in range(1, 7)]
    assert (with_ties.high_once - with_ties.low_once).min() >= 1


def test_a_single_measurement_is_less_sure_than_the_truth() -> None:
    values = some_values(2, 40, gap=0.24)
    sets = place_sets(values)
    assert marginal(sets) == [(1, 1), (2, 2)]
    assert once(sets) == [(1, 2), (1, 2)]


# --- many queries, threads, seeds, demands ----------------------------------------------------------------------------


@pytest.mark.untraced
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_groups_of_queries_give_the_sets_of_single_queries(monkeypatch: pytest.MonkeyPatch, missing: float) -> None:
    values = some_values(8, 1300, gap=0.015)
    values[np.random.default_rng(6).uniform(size=values.shape) < missing] = NOWHERE
    grouped = place_sets(values, draws=3000)
    monkeypatch.setattr(paired_draws, "_MOST_GROUPS", 1500)
    single = place_sets(values, draws=3000)
    assert np.array_equal(grouped.place, single.place)
    for name in ("low", "high", "low_all", "high_all", "low_once", "high_once"):
        assert np.abs(getattr(grouped, name) - getattr(single, name)).max() <= 1
    np.testing.assert_allclose(grouped.p_top(3), single.p_top(3), rtol=0, atol=0.08)


def test_queries_that_may_have_missed_the_large_differences_settle_nothing() -> None:
    # one feature earns a little on each of twenty queries, the other nothing on them; elsewhere it could earn a whole
    values = np.array([[0.1] * 20, [0.0] * 20])
    assert marginal(place_sets(values, largest=0.1)) == [(1, 1), (2, 2)]
    assert marginal(place_sets(values, largest=1.0)) == [(1, 2), (1, 2)]
    # two hundred would have shown it
    assert marginal(place_sets(values.repeat(10, axis=1), largest=1.0)) == [(1, 1), (2, 2)]


def test_random_numbers_serve_all_studies_of_as_much_unless_they_are_many() -> None:
    few, many = {"draws": 400, "seed": 1}, {"draws": 2500, "seed": 1}
    assert paired_draws.draw(3, 40, **few) is paired_draws.draw(3, 40, **few)
    known, again = paired_draws.draw(3, 999, **many), paired_draws.draw(3, 999, **many)
    assert known is not again
    assert np.array_equal(known.weights, again.weights)
    values = some_values(3, 40)
    first = place_sets(values, seed=1)
    place_sets(some_values(3, 41), seed=1)
    assert_same(first, place_sets(values, seed=1))


@pytest.mark.parametrize("n_queries", [7, 40, 1300])
def test_sums_of_features_give_what_differences_of_pairs_give(n_queries: int) -> None:
    values = np.round(some_values(6, n_queries, gap=0.1), 1)
    values[3], values[4] = values[2], values[2] + 1e-15
    values[5] = values[0] - 1e-3  # a difference without spread
    drawn = paired_draws.draw(6, n_queries, draws=299, seed=2)
    measured = paired_draws.measure_all(values, values**2, listed=None, drawn=drawn, unit=1.0, largest=None)
    resampling = paired_draws.resample(measured, drawn, level=0.95)
    one_by_one = dataclasses.replace(measured, lists_differ=True)
    together = paired_draws.compare(measured, resampling, range(5), least=6)
    for feature, found in enumerate(together):
        (known,) = paired_draws.compare(one_by_one, resampling, [feature], least=6)
        for field in dataclasses.fields(found):
            pair = getattr(found, field.name), getattr(known, field.name)
            np.testing.assert_allclose(*pair, rtol=2e-4, atol=2e-5, err_msg=f"{feature} {field.name}")


@pytest.mark.parametrize("n_features", [1, 2, 5, 14, 15, 20, 43, 143])
def test_every_feature_is_compared_once(n_features: int) -> None:
    assert [feature for some in module._together(n_features) for feature in some] == list(range(n_features))


def test_a_steady_difference_stays_clear_in_groups() -> None:
    sets = place_sets(np.array([[0.9], [0.5]]).repeat(1700, axis=1))
    assert marginal(sets) == once(sets) == [(1, 1), (2, 2)]


def test_the_same_seed_gives_the_same_sets_on_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    values = some_values(6, 40)
    monkeypatch.setattr("tiecore.threads.n_processors", lambda: 1)
    alone = place_sets(values, seed=5)
    monkeypatch.setattr("tiecore.threads.n_processors", lambda: 3)
    assert_same(alone, place_sets(values, seed=5))
    assert not np.array_equal(alone.place_counts, place_sets(values, seed=6).place_counts)


def test_fewer_than_nineteen_draws_claim_nothing() -> None:
    values = some_values(2, 60, gap=5.0)
    assert marginal(place_sets(values, draws=18)) == [(1, 2), (1, 2)]
    assert marginal(place_sets(values, draws=19)) == [(1, 1), (2, 2)]


def test_progress_goes_from_one_to_all_and_may_stop_the_work() -> None:
    seen: list[tuple[int, int]] = []
    place_sets(some_values(4, 20), draws=99, progress=lambda done, total: seen.append((done, total)))
    _, total = seen[-1]
    assert total > 4
    assert seen == [(done, total) for done in range(1, total + 1)]

    def stop(done: int, total: int) -> None:
        raise InterruptedError(f"{done} of {total}")

    with pytest.raises(InterruptedError, match=f"1 of {total}"):
        place_sets(some_values(4, 20), draws=99, progress=stop)


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0])
def test_an_impossible_level_is_named(level: float) -> None:
    with pytest.raises(TiecoreError, match=f"level must lie between 0 and 1, found {level}"):
        place_sets(some_values(2, 9), level=level)


def test_no_draws_no_places_and_no_queries_are_named() -> None:
    with pytest.raises(TiecoreError, match="draws must be at least 1, found 0"):
        place_sets(some_values(2, 9), draws=0)
    with pytest.raises(TiecoreError, match="no query counts"):
        place_sets(np.zeros((2, 0)))
    with pytest.raises(TiecoreError, match="k of at least 1, found 0"):
        place_sets(some_values(2, 9)).p_top(0)


def test_what_memory_cannot_hold_is_refused_with_the_draws_that_fit() -> None:
    with pytest.raises(TiecoreError, match=r"2,000 features need 48\.0 GB for 2,000 draws: take at most draws=83,"):
        place_sets(np.zeros((2000, 11)))
