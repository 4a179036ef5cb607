"""Which differences in the leaderboard of one measure are real."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd

from tiecore.errors import TiecoreError, shortened
from tiecore.evaluation.values import Values
from tiecore.measures import Measure
from tiecore.stability import chance
from tiecore.stability.common import apart_on_common, normal_on_common, sampled_on_common
from tiecore.stability.compared import Compared, compared, equalised, oriented
from tiecore.stability.draws import draw_summaries, sd_of_differences, sd_of_draws
from tiecore.stability.pairs import pairs_tested, ties_matrix
from tiecore.stability.result import PlaceMethod, Stability
from tiecore.stability.significance import MANY_QUERIES
from tiecore.threads import Progress
from tiecore.ties.shuffles import check_draws

__all__ = ["stability"]

_ROUGH_BELOW = 3.0
_OPEN = 0.001
_NAMED = 3


def stability(
    evaluation: Values,
    measure: str | Measure,
    *,
    draws: int = 2000,
    seed: int = 0,
    shared_order: bool = False,
    place_method: PlaceMethod | None = None,
    permutations: int | None = None,
    baseline: str | None = None,
    progress: Progress | None = None,
) -> Stability:
    """Return which differences between features are real: settled against ties and significant over the queries.

    Parameters
    ----------
    evaluation
        With all of ``expected``, ``sd``, ``worst``, ``best``.
    draws
        Random tie-breaks, where they are drawn.
    seed
        Of the random tie-breaks and of the randomisation test: the same seed gives the same numbers.
    shared_order
        One random order of documents breaks the ties of all features, as document ids do; by default each feature
        breaks its ties independently.
    place_method
        ``"normal"``: chances from the exact moments, means over queries being nearly normal; ``"sampled"``: from random
        tie-breaks. By default normal from 30 queries on; sampled with fewer, with a shared order and for measures
        without a variance.
    permutations
        Flips of signs in the randomisation test. By default 10,000 where fewer than 30 queries count, where it is the
        test that decides, and none where the t-test does.
    baseline
        Compare every other feature with this one only: fewer tests, so less to adjust for.

    Examples
    --------
    >>> from tiecore import evaluate
    >>> qrels = {"q": {"a": 0, "b": 1, "c": 0}}
    >>> features = {"clicks": {"q": {"a": 2, "b": 1, "c": 1}}, "pages": {"q": {"a": 1, "b": 1, "c": 1}}}
    >>> stability(evaluate(qrels, features, ["RR"], ["trec_eval"]), "RR").places
             place  best_place  worst_place  trec_eval place
    feature
    pages        1           1            2                1
    clicks       2           1            2                2
    """
    check_draws(draws, least=2)
    if permutations is not None:
        check_draws(permutations, least=1, name="permutations")
    boards = compared(evaluation, measure)
    if baseline is not None and baseline not in boards.features:
        raise TiecoreError(f"no feature is named {shortened(baseline)}; there are {', '.join(boards.features)}")
    method, how = _method(boards, shared_order=shared_order, wanted=place_method, draws=draws)
    if method == "normal":
        beats, chances, sd_ties = _normal(boards)
    else:
        drawn = draw_summaries(
            evaluation, boards.measure, draws=draws, seed=seed, shared_order=shared_order, progress=progress
        )
        beats, chances, sd_ties = _sampled(boards, drawn, shared_order=shared_order)
    worst, best = boards.bounds
    apart = chance.intervals_apart(worst, best)
    if boards.lists_differ:
        apart = apart_on_common(boards)
        beats, sd_ties = (
            normal_on_common(boards)
            if method == "normal"
            else sampled_on_common(
                evaluation, boards, draws=draws, seed=seed, shared_order=shared_order, progress=progress
            )
        )
    beats[apart], beats[apart.T] = 1.0, 0.0
    ties = ties_matrix(beats, apart)
    tests = pairs_tested(
        boards,
        beats=beats,
        ties=ties,
        sd_ties=sd_ties,
        permutations=permutations,
        seed=seed,
        baseline=baseline,
        progress=progress,
    )
    places = boards.places
    best_place, worst_place = chance.interval_places(worst, best)
    table = {"place": places[0], "best_place": best_place, "worst_place": worst_place}
    table |= {f"{name} place": places[board] for board, name in enumerate(boards.tie_breaks, start=1)}
    feature = pd.Index(boards.features, name="feature")
    other, place = feature.rename("other"), pd.RangeIndex(1, len(feature) + 1, name="place")
    return Stability(
        measure=boards.measure,
        n_queries=boards.n_queries,
        places=pd.DataFrame(table, index=feature),
        place_probability=pd.DataFrame(chances, index=feature, columns=place),
        place_method=method,
        draws=draws if method == "sampled" else 0,
        shared_order=shared_order,
        beats=pd.DataFrame(beats, index=feature, columns=other),
        ties=pd.DataFrame(ties, index=feature, columns=other, dtype=object),
        tests=tests,
        baseline=baseline,
        values=pd.DataFrame(boards.summary.T, index=feature, columns=list(boards.boards)),
        notes=(how, *_notes(boards, beats, method=method, shared_order=shared_order)),
        board_places=places,
        compared=boards,
        seed=seed,
    )


def _normal(boards: Compared) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Chances to beat, chances of places, and deviation of the difference of each pair, from the exact moments."""
    sd = boards.sd_ties
    beats = chance.normal_beats(boards.expected, sd / boards.unit)
    places = chance.normal_places(boards.expected, sd / boards.unit, *boards.bounds, step=boards.step)
    return beats, places, _of_independent(sd)


def _sampled(boards: Compared, drawn: np.ndarray, *, shared_order: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the same from summaries under random tie-breaks: (draws, n_features), as the evaluation has them."""
    values = oriented(boards.measure, drawn)[:, boards.order]
    if shared_order:
        sd_ties = sd_of_differences(values)
    elif boards.measure.has_variance:
        sd_ties = _of_independent(boards.sd_ties)
    else:
        sd_ties = _of_independent(sd_of_draws(values))
    values = equalised(values, unit=boards.unit)
    return chance.sampled_beats(values), chance.sampled_places(values), sd_ties


def _of_independent(sd: np.ndarray) -> np.ndarray:
    """(n_pairs,) standard deviation of the difference of each two features that break their own ties."""
    leader, trailer = np.triu_indices(len(sd), 1)
    return np.hypot(sd[leader], sd[trailer])


def _method(boards: Compared, *, shared_order: bool, wanted: PlaceMethod | None, draws: int) -> tuple[PlaceMethod, str]:
    """Where chances come from, and a sentence that says so."""
    if wanted not in (None, "normal", "sampled"):
        raise TiecoreError(f"unknown place_method={wanted!r}: expected 'normal' or 'sampled'")
    impossible = None
    if shared_order:
        impossible = "one order of documents breaks the ties of all features"
    elif not boards.measure.has_variance:
        impossible = f"{boards.measure} has no closed form for the variance"
    if wanted == "normal" and impossible:
        raise TiecoreError(f"place_method='normal' is not available, because {impossible}: leave it out")
    few = f"fewer than {MANY_QUERIES} queries count" if boards.n_queries < MANY_QUERIES else None
    reason = impossible or few
    if wanted == "normal" or (wanted is None and reason is None):
        return "normal", (
            "Chances come from normal distributions with the exact means and variances; the ties of each feature are "
            "broken independently."
        )
    because = "" if reason is None else f", because {reason}"
    return "sampled", f"Chances are shares among {draws:,} random tie-breaks{because}."


def _notes(boards: Compared, beats: np.ndarray, *, method: PlaceMethod, shared_order: bool) -> list[str]:
    """Sentences on what the numbers leave open."""
    notes = []
    if len(boards.features) == 1:
        notes.append("There is one feature, so there are no pairs and leaderboards cannot disagree.")
    elif (np.ptp(boards.places, axis=1) == 0).any():
        notes.append("A leaderboard that holds all features equal has no correlation with another.")
    if boards.n_queries == 1:
        notes.append(
            "One query says nothing about others: tests give p = 1, and there is no standard error over queries."
        )
    if boards.lists_differ:
        common = [int((one & other).sum()) for one, other in combinations(boards.listed, 2)]
        least, most = min(common, default=0), max(common, default=0)
        some = f"{least} to {most}" if least < most else str(most)
        notes.append(
            f"The features do not list the same queries: each pair is compared on those that both list, {some} of "
            f"{boards.n_queries}."
        )
    if shared_order:
        notes.append(
            "Best and worst places let each feature break its own ties; one order for all features may not reach them."
        )
    if not boards.measure.averages_orderings:
        notes.append(
            f"{boards.measure} is defined on expectations: values under random tie-breaks do not average to it."
        )
    if type(boards.measure).averaged is not Measure.averaged:
        notes.append(f"Differences and deviations are those of logarithms, which {boards.measure} averages.")
    if method == "normal":
        notes += _rough_pairs(boards, beats)
    return notes


def _rough_pairs(boards: Compared, beats: np.ndarray) -> list[str]:
    """Name pairs whose noise of ties comes from so few queries that a normal distribution is a rough picture of it."""
    of_query = boards.tie_variance
    total = of_query.sum(axis=1)
    # Effective number of queries (ΣV)²/ΣV² of the summed variances of two features, all pairs by one product.
    products = of_query @ of_query.T
    squares = np.diag(products)
    both = (total[:, None] + total) ** 2
    rough = both < _ROUGH_BELOW * (squares[:, None] + squares + 2 * products)
    open_to_chance = (beats > _OPEN) & (beats < 1 - _OPEN)
    pairs = np.argwhere(np.triu(rough & open_to_chance, 1))
    if not len(pairs):
        return []
    named = "; ".join(f"{boards.features[a]} and {boards.features[b]}" for a, b in pairs[:_NAMED])
    return [
        f"In {len(pairs)} of the open pairs ({named}{'; …' if len(pairs) > _NAMED else ''}) the ties that matter are "
        "those of one or two queries: their chances are rough, and place_method='sampled' finds better ones."
    ]
