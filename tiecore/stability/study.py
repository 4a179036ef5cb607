"""Which differences in the leaderboard of one measure are clear, and what ties could make of its order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import compress
from typing import Any

import numpy as np
import pandas as pd

from tiecore.errors import TiecoreError, listed, shortened
from tiecore.evaluation.intervals import FEWEST_QUERIES, check_level, query_interval
from tiecore.evaluation.random_orders import TOO_MANY, TieOrders
from tiecore.evaluation.random_values import RandomValues, random_values
from tiecore.evaluation.result import Evaluation
from tiecore.measures import Measure
from tiecore.stability.chances import Chances, chances
from tiecore.stability.leaderboards import Leaderboards, leaderboards_of, leaderboards_of_values
from tiecore.stability.paired import LEVEL, Paired, holm, paired
from tiecore.stability.places import MOST_LETTERED, groups, letters, place_sets
from tiecore.stability.result import Stability
from tiecore.stability.sensitivity import smallest_difference
from tiecore.stability.sentences import plural
from tiecore.threads import Progress

_LIKELY = 0.05


def stability(
    evaluation: Evaluation,
    measure: str | Measure | None = None,
    *,
    baseline: str | None = None,
    margin: float | None = None,
    seed: int = 0,
    tie_orders: TieOrders = "shared",
    progress: Progress | None = None,
) -> Stability:
    """Return which differences between features are clear over the queries, and what ties put at risk.

    Parameters
    ----------
    evaluation
        With all of ``expected``, ``sd``, ``worst``, ``best``.
    measure
        One of its measures; may be left out where there is one.
    baseline
        Compare every other feature with this one only: fewer tests, so less to adjust for.
    margin
        Smallest difference that matters: pairs whose interval lies inside it are called small.
    seed
        Of the random tie-breaks: the same seed gives the same numbers.
    tie_orders
        ``"shared"``: a random tie-break is one order of the documents of a query, the same for all features, as
        document ids and files have. ``"independent"``: each feature breaks its ties in its own way, right for systems
        that do so.
    progress
        Called with the features drawn and the features in all; an exception raised in it stops the work.

    Examples
    --------
    >>> from tiecore import evaluate
    >>> qrels = {"q": {"a": 0, "b": 1, "c": 0}}
    >>> features = {"clicks": {"q": {"a": 2, "b": 1, "c": 1}}, "pages": {"q": {"a": 1, "b": 1, "c": 1}}}
    >>> stability(evaluate(qrels, features, ["RR"], ["trec_eval"])).places.drop(columns="first")
             place  best_place  worst_place  trec_eval place
    feature
    pages        1           1            2                1
    clicks       2           1            2                2
    """
    values = evaluation.values
    used = values.measure_or_only(measure)
    boards = leaderboards_of(values, used)
    _check(boards.features, baseline=baseline, margin=margin)
    drawn = random_values(values, used, seed=seed, tie_orders=tie_orders, progress=progress)
    shared = np.array([tie_orders == "shared" and values.alignment.is_joint(feature) for feature in boards.features])
    return _study(
        boards,
        chances(boards, drawn, shared),
        intervals=query_interval(evaluation, used).loc[list(boards.features)],
        draws=0 if drawn is None else int(drawn.weight.min()),
        tie_orders="shared" if shared.any() else "independent",
        baseline=baseline,
        margin=margin,
        notes=(*_on_ties(drawn, shared=shared, asked=tie_orders), *_notes(boards)),
        blanks=values.blanks,
    )


def stability_of_values(
    values: np.ndarray,
    features: Sequence[str],
    measure: Measure,
    *,
    listed: np.ndarray | None = None,
    baseline: str | None = None,
    margin: float | None = None,
    level: float = LEVEL,
    unit: str = "query",
    notes: Iterable[str] = (),
) -> Stability:
    """Return which differences are clear between values of which it is not known what ties could make of them.

    As for the expectations of an evaluation; everything on ties is unknown: NaN, or empty.

    Parameters
    ----------
    values
        (n_features, n_queries) values of the measure, NaN where a feature does not list a query. The mean of a feature
        is that over the queries that it lists.
    features
        Their names.
    measure
        On its scale the values are averaged.
    listed
        (n_features, n_queries) bool: queries that count for a pair; by default those with a value of both.
    baseline, margin
        As for :func:`stability`.
    level
        Of the intervals and sets of places; differences are clear at 1 − level, adjusted by Holm.
    unit
        What the values are of, such as ``"task"``, for the sentences.
    notes
        Sentences on where the values come from.
    """
    check_level(level)
    _check(features, baseline=baseline, margin=margin)
    boards, intervals = leaderboards_of_values(values, features, measure, listed=listed, level=level)
    return _study(
        boards,
        Chances.unknown(len(features)),
        intervals=intervals,
        draws=0,
        tie_orders=None,
        baseline=baseline,
        margin=margin,
        level=level,
        unit=unit,
        notes=(*notes, *_notes(boards, unit)),
    )


def clearly_better(evaluation: Evaluation, measure: str | Measure | None = None) -> pd.DataFrame:
    """Return whether the feature of each row is clearly better than that of each column.

    The verdicts of :func:`stability` on all pairs, without what ties put at risk, and so without a draw.
    """
    values = evaluation.values
    used = values.measure_or_only(measure)
    boards = leaderboards_of(values, used)
    test = paired(boards.per_query[0], span=used.span, listed=boards.listed)
    feature = pd.Index(boards.features, name="feature")
    return pd.DataFrame(_better(test, len(feature)), index=feature, columns=feature.rename("other"))


def _better(test: Paired, n_features: int, is_small: np.ndarray | bool = False) -> np.ndarray:
    """(n_features, n_features) bool: the row is clearly better than the column, by more than is small."""
    is_clear = (holm(test.p) <= test.alpha) & np.logical_not(is_small)
    is_better = np.zeros((n_features, n_features), dtype=bool)
    is_better[test.first, test.second] = is_clear & (test.difference > 0)
    is_better[test.second, test.first] = is_clear & (test.difference < 0)
    return is_better


def _check(features: Sequence[str], *, baseline: str | None, margin: object) -> None:
    if margin is not None and not (isinstance(margin, int | float) and 0 < margin < np.inf):
        raise TiecoreError(f"margin must be a number above 0, found {shortened(margin)}")
    if baseline is not None and baseline not in features:
        raise TiecoreError(f"no feature is named {shortened(baseline)}; there are {listed(list(features))}")


def _study(
    boards: Leaderboards,
    by_chance: Chances,
    *,
    baseline: str | None,
    margin: float | None,
    level: float = LEVEL,
    unit: str = "query",
    **known: Any,
) -> Stability:
    """Test the differences, and put everything together; ``known`` are further fields of the result."""
    used = boards.measure
    test = paired(boards.per_query[0], span=used.span, listed=boards.listed, level=level)
    low, high = test.interval
    is_small = np.zeros(len(low), dtype=bool) if margin is None else (low > -margin) & (high < margin)
    pairs, variances = _pairs(boards, test, by_chance, is_small=is_small, baseline=baseline, unit=unit)
    best_place, worst_place = boards.reachable_places
    feature = pd.Index(boards.features, name="feature")
    place, *places = boards.places
    table = {"place": place, "first": by_chance.first, "best_place": best_place, "worst_place": worst_place}
    table |= {f"{name} place": own for name, own in zip(boards.tie_breaks, places, strict=False)}
    return Stability(
        measure=used,
        n_queries=boards.n_queries,
        pairs=pairs,
        ranks=_ranks(boards, test, is_small),
        places=pd.DataFrame(table, index=feature),
        values=pd.DataFrame(boards.summary.T, index=feature, columns=list(boards.names)),
        baseline=baseline,
        margin=margin,
        level=level,
        unit=unit,
        variances=variances,
        **known,
    )


def _pairs(
    boards: Leaderboards,
    test: Paired,
    by_chance: Chances,
    *,
    is_small: np.ndarray,
    baseline: str | None,
    unit: str,
) -> tuple[pd.DataFrame, np.ndarray]:
    """Return one row for each pair that is compared, and the (2, n_pairs) variances of ``Stability.variances``."""
    kept = np.arange(len(test.first))
    if baseline is not None:
        own = boards.features.index(baseline)
        kept = np.flatnonzero((test.first == own) | (test.second == own))
    p, plain = test.p[kept], test.plain_p[kept]
    adjusted, n_tests = holm(p), int(np.count_nonzero(~np.isnan(p)))
    # on the queries that both list, the feature with the lower place may be the better one
    is_swapped = test.difference[kept] < 0
    first, second = test.first[kept], test.second[kept]
    leader, trailer = np.where(is_swapped, second, first), np.where(is_swapped, first, second)
    n_queries, n_listed = test.n_queries[kept], boards.listed.sum(axis=1)
    # on a query that one of them lists alone, they are not known to be equal
    is_equal = test.is_equal[kept] & (n_listed[first] + n_listed[second] == 2 * n_queries)
    beats = by_chance.beats[leader, trailer]
    leads = [boards.lead(name, name)[leader, trailer] for name in boards.tie_breaks]
    is_reversed = np.array(leads).reshape(len(leads), len(kept)) < 0
    is_reversed &= test.difference[kept] != 0
    # where Holm stops: at this level alone the same pairs are clear
    last_step = test.alpha / max(1, int(np.count_nonzero(adjusted > test.alpha)))
    ends = np.array([test.interval, test.interval_at(last_step)])[:, :, kept]
    # features that are equal on every query have no difference to find, and no order to reverse
    ends = np.where(is_equal, np.nan, np.where(is_swapped, -ends[:, ::-1], ends))
    sensitivity = smallest_difference(test.se[kept], n_queries, n_tests=n_tests, level=test.level)
    known = {"equal": is_equal, "small": is_small[kept], "clear": adjusted <= test.alpha}
    verdict = np.select(list(known.values()), list(known), "open").astype(object)
    notes = {
        f"too few {plural(unit)} to tell": n_queries < FEWEST_QUERIES,
        "clear but for the allowance": (holm(plain) <= test.alpha) & (verdict == "open"),
        TOO_MANY: np.isnan(beats) & boards.knows_ties,
    }
    feature = np.array(boards.features, dtype=object)
    table = pd.DataFrame(
        {
            "leader": feature[leader],
            "trailer": feature[trailer],
            "n_queries": n_queries,
            "difference": np.abs(test.difference[kept]),
            "low": ends[0, 0],
            "high": ends[0, 1],
            "p": p,
            "holm": adjusted,
            "holm_low": ends[1, 0],
            "holm_high": ends[1, 1],
            "verdict": verdict,
            "p_beats": beats,
            "tie_risk": np.where(is_equal, np.nan, 1 - beats),
            "ties": np.select(
                [np.full(len(kept), not boards.knows_ties), beats == 1, 1 - beats <= _LIKELY],
                ["", "certain", "likely"],
                "undecided",
            ).astype(object),
            "reversed_by": [tuple(compress(boards.tie_breaks, own)) for own in is_reversed.T],
            "sensitivity": np.where(is_equal, np.nan, sensitivity),
            "note": ["; ".join(compress(notes, own)) for own in np.array(list(notes.values())).T],
        }
    )
    of_queries = test.se[kept] ** 2 * n_queries
    return table, np.array([of_queries, by_chance.variance[first, second] * n_queries])


def _ranks(boards: Leaderboards, test: Paired, is_small: np.ndarray) -> pd.DataFrame:
    """Places and their sets from the rejections of the tests of all pairs."""
    n_features = len(boards.features)
    p = np.full((n_features, n_features), np.nan)
    leads = np.zeros((n_features, n_features))
    p[test.first, test.second] = p[test.second, test.first] = np.where(is_small, 1.0, test.p)
    leads[test.first, test.second], leads[test.second, test.first] = test.difference, -test.difference
    is_better = _better(test, n_features, is_small)
    # the set of one feature adjusts for its own pairs only
    by_itself = holm(p) <= test.alpha
    low = 1 + (by_itself & (leads < 0)).sum(axis=1)
    high = n_features - (by_itself & (leads > 0)).sum(axis=1)
    low_all, high_all = place_sets(is_better)
    table = {"place": boards.places[0], "low": low, "high": high, "low_all": low_all, "high_all": high_all}
    table["group"] = groups(is_better)
    if n_features <= MOST_LETTERED:
        table["letters"] = np.array(letters(is_better | is_better.T), dtype=object)
    return pd.DataFrame(table, index=pd.Index(boards.features, name="feature"))


def _on_ties(drawn: RandomValues | None, *, shared: np.ndarray, asked: TieOrders) -> Iterator[str]:
    """Yield where the numbers on ties come from."""
    if drawn is None:
        yield f"{TOO_MANY.capitalize()}: how ties could change the order is known only where it is certain."
    else:
        if shared.all():
            how = "one random order of the documents of a query breaks the ties of all features"
        elif asked == "independent":
            how = "each feature breaks its ties by random orders of its own"
        elif shared.any():
            how = "features that are counted together share random orders, the others break their ties independently"
        else:
            how = "the features are counted apart, so each breaks its ties by random orders of its own"
        part = "" if drawn.is_complete else f", of {len(drawn.queries):,} of the queries that ties can change"
        is_mixed = len(drawn.order) > drawn.orders
        each = f", combined from {drawn.orders} orders of each query" if is_mixed else ""
        yield f"Under random tie-breaks {how} ({len(drawn.order):,} draws of all features{part}{each})."


def _notes(boards: Leaderboards, unit: str = "query") -> Iterator[str]:
    """Yield what the numbers leave open."""
    if len(boards.features) == 1:
        yield "There is one feature, so there are no pairs and leaderboards cannot disagree."
    if boards.n_queries < FEWEST_QUERIES:
        yield f"Fewer than {FEWEST_QUERIES} {plural(unit)} are too few to tell whether others would show the same."
    if not boards.measure.averages_orderings:
        yield f"{boards.measure} is defined on expectations: values under random tie-breaks do not average to it."
    if type(boards.measure).averaged is not Measure.averaged:
        yield f"Differences are those of logarithms, which {boards.measure} averages."
