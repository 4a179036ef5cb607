"""Rank by one feature, break its ties by others: chosen greedily, tested on held-out queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from tiecore.diagnostics.shared import counted_queries, interval_of_gain
from tiecore.errors import TiecoreError, check_draws, check_seed
from tiecore.evaluation.result import Evaluation
from tiecore.evaluation.values import Values
from tiecore.measures import Measure
from tiecore.threads import Progress, in_threads
from tiecore.ties.keys import dense_rank

_SAME = 1e-12
_DOUBTFUL = 0.05
_FOLDS = 5
_FLIPS, _AT_ONCE = 10_000, 500
_COLUMNS = (
    "feature", "expected", "gained", "spread", "held_out", "held_out_gain", "low", "high", "p", "agreement", "verdict",
)  # fmt: skip
_Chain = tuple[int, ...]


def chain(
    evaluation: Evaluation,
    feature: str,
    measure: str | Measure | None = None,
    *,
    most: int = 3,
    seed: int = 0,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Build a ranking of several features: each breaks the ties that those before it leave.

    The search is greedy: each step takes the feature that gains most. Choosing the best of many favours it, so every
    step is tested in two ways. The queries are dealt into five folds, the search is made anew without each fold, and
    what it chose is evaluated there. And a randomisation test counts the choice in: it flips the signs of the gains of
    all candidates together, query by query, and compares the gain with the best that any candidate then has. The folds
    alone would not do: a candidate that is lucky over all queries is mostly chosen without a fold too, and its luck
    counts again there.

    Parameters
    ----------
    feature
        Feature to begin with.
    most
        Features of the chain at most; it ends before where no further one gains.

    Returns
    -------
    DataFrame
        Index ``link`` from 1; columns ``feature``, ``expected`` and ``gained`` on all queries, ``spread`` that is left,
        ``held_out`` and ``held_out_gain``: the same on held-out queries, ``low`` and ``high``: an interval of that gain
        by Student's t (NaN for a geometric mean), ``p`` of the randomisation test, ``agreement``: share of the folds
        that chose the same up to this step, and ``verdict``: clear if p is below .05 and held-out queries gain. The
        interval is descriptive: the searches of the folds share most of their queries, so that it is no 95 %
        confidence interval of the gain on new ones.
    """
    values = evaluation.values
    resolved = values.measure_or_only(measure)
    counted = counted_queries(values, resolved)
    n_queries = int(counted.sum())
    check_draws(most, least=1, name="most")
    check_seed(seed)
    if n_queries < 2:
        raise TiecoreError("a chain is tested on held-out queries: evaluate at least two")
    search = _Search(values, resolved, counted, values.feature_position(feature), most)
    n_folds = min(_FOLDS, n_queries)
    fold = np.random.default_rng(seed).permutation(np.arange(n_queries) % n_folds)
    found: list[_Chain] = []
    for left_out in range(-1, n_folds):  # first on all queries
        found.append(search.on(fold != left_out, n_steps=len(found[0]) if found else None))
        if progress is not None:
            progress(left_out + 2, n_folds + 1)
    return _table(search, found[0], found[1:], fold, seed=seed)


@dataclass(frozen=True, eq=False)
class _Search:
    """Values per query of every chain that was looked at, and the greedy choice among them."""

    given: Values
    measure: Measure
    counted: np.ndarray
    start: int
    most: int
    known: dict[_Chain, np.ndarray] = field(default_factory=dict)

    @cached_property
    def codes(self) -> dict[int, np.ndarray]:
        """(n_documents,) of each other feature, in the order of its scores."""
        code_of, precision = self.given.alignment.feature_code, self.given.options.precision
        names = enumerate(self.given.features)
        return {f: dense_rank(code_of(name, precision)) for f, name in names if f != self.start}

    def values(self, links: _Chain) -> np.ndarray:
        """(3, n_counted) expectation, worst and best of a chain."""
        if links not in self.known:
            first, *rest = links
            rows = self.given.rows(self.given.features[first])
            groups = rows.alignment.sort(rows, *(self.codes[f][rows.document] for f in rest))
            each = map(groups.case, ("expected", "worst", "best"))
            self.known[links] = np.stack([self.measure.expected(one)[self.counted] for one in each])
        return self.known[links]

    def on(self, queries: np.ndarray, *, n_steps: int | None = None) -> _Chain:
        """Choose a chain by some queries; of a number of steps, or as long as each gains."""
        links: _Chain = (self.start,)
        while len(links) < (self.most if n_steps is None else n_steps):
            _, worst, best = self.values(links)
            further = self.after(links)
            if not further or not (np.abs(best - worst)[queries] > _SAME).any():
                break
            in_threads(self.values, further)
            means = {one: float(self.oriented(one)[queries].mean()) for one in (*further, links)}
            found = max(further, key=means.__getitem__)
            if means[found] <= means[links] + _SAME:
                break
            links = found
        return links

    def after(self, links: _Chain) -> list[_Chain]:
        """Return the chains with one feature more."""
        return [(*links, f) for f in self.codes if f not in links]

    def p(self, links: _Chain, *, seed: int) -> float:
        """Return the share of random flips in which some candidate gains as much as the last link does."""
        before = links[:-1]
        gains = np.stack([self.oriented(one) - self.oriented(before) for one in self.after(before)])
        gain = float((self.oriented(links) - self.oriented(before)).sum())
        rng = np.random.default_rng(seed)
        as_good = 1
        for _ in range(_FLIPS // _AT_ONCE):
            signs = rng.integers(0, 2, size=(_AT_ONCE, gains.shape[1])) * 2.0 - 1.0
            as_good += int(((signs @ gains.T).max(axis=1) >= gain - _SAME).sum())
        return as_good / (_FLIPS + 1)

    def oriented(self, links: _Chain) -> np.ndarray:
        """(n_counted,) expectation on the scale that is averaged, more being better."""
        return self.measure.sign * self.measure.averaged(self.values(links)[0])


def _table(search: _Search, chosen: _Chain, by_fold: Sequence[_Chain], fold: np.ndarray, *, seed: int) -> pd.DataFrame:
    measure = search.measure
    rows: list[dict[str, object]] = []
    before = held_out_before = np.zeros(0)
    for step, link in enumerate(chosen, start=1):
        expected, worst, best = search.values(chosen[:step])
        # a fold whose search ended earlier stays as it is
        of_folds = np.stack([search.values(links[:step])[0] for links in by_fold])
        held_out = of_folds[fold, np.arange(len(fold))]  # (n_counted,)
        gain: dict[str, object] = dict.fromkeys(("gained", "held_out_gain", "low", "high", "p"), np.nan)
        gain["verdict"] = "begins the chain"
        if step > 1:
            gain = _gain(measure, held_out, held_out_before, p=search.p(chosen[:step], seed=seed))
            gain["gained"] = measure.sign * (measure.summarise(expected) - measure.summarise(before))
        row = gain | {
            "feature": search.given.features[link],
            "expected": measure.summarise(expected),
            "spread": abs(measure.summarise(best) - measure.summarise(worst)),
            "held_out": measure.summarise(held_out),
            "agreement": float(np.mean([links[:step] == chosen[:step] for links in by_fold])),
        }
        rows.append({name: row[name] for name in _COLUMNS})
        before, held_out_before = expected, held_out
    return pd.DataFrame(rows, index=pd.RangeIndex(1, len(rows) + 1, name="link"))


def _gain(measure: Measure, after: np.ndarray, before: np.ndarray, *, p: float) -> dict[str, object]:
    """Describe the gain of a step on held-out queries."""
    gain = measure.sign * (measure.summarise(after) - measure.summarise(before))
    low, high = interval_of_gain(measure, after[None], before)[:, 0].tolist()
    if p >= _DOUBTFUL:
        verdict = "no more than chance"
    elif gain <= 0:
        verdict = "does not last: held-out queries gain nothing"
    else:
        verdict = "clear: more than the best of many would gain by chance, and held-out queries gain too"
    return {"held_out_gain": gain, "low": low, "high": high, "p": p, "verdict": verdict}
