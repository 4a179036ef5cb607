"""Values and places of features at every cut-off, and what they say: page, figure and report are made of them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np
import pandas as pd

from tiecore.diagnostics import CUTOFFS, curves
from tiecore.evaluation.result import Evaluation
from tiecore.measures import FAMILIES, Measure
from tiecore.stability import clearly_better
from tiecore.stability.sentences import called
from tiecore.threads import Progress
from tiecore_dashboard import words
from tiecore_dashboard.export.figures import Draw, drawn_by
from tiecore_dashboard.pages.cutoffs.answer import crossings_of, cutoffs_answer, leaders_of
from tiecore_dashboard.pages.cutoffs.charts import MOST_CURVES
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View

NEARBY = {
    "Rprec": "P", "Bpref": "AP", "GMAP": "AP", "ESL": "RR", "PRR": "RR", "SetP": "P", "SetR": "R", "SetF": "F1",
    "IPrec": "P",
}  # fmt: skip
"""Families without a cut-off, and one that has it and asks nearly the same."""
USUAL, FEW = 4, 6
"""Features that are drawn at first, of few all."""
MOST_WORK, SLOW = 300_000_000, 10
"""Documents times cut-offs that are counted for all features, beyond that only for those that are drawn; and how much
longer a measure takes whose cut-offs share no work, as ERR's do not."""
_HALF = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True, slots=True, eq=False)
class Cutoffs:
    """What is known of some features at each cut-off."""

    measures: tuple[Measure, ...]
    drawn: pd.DataFrame
    """Index (feature, k): values with both bands, of the features that are drawn."""
    placed: pd.DataFrame
    """Places at each cut-off, of all features that are compared."""
    passed: pd.DataFrame
    """Crossings of those that are drawn."""
    n_queries: int
    called: str
    """Name of the measure without its cut-off."""
    of_ties: str
    """What the band of ties is."""
    sentence: str
    """What they say, and what follows from it; HTML."""
    details: list[str]

    def figure(self, colours: Mapping[str, str] | None, banded: Sequence[str], own: int | None) -> Draw:
        """Return what draws the curves for print; ``own``: the cut-off that was chosen."""
        return drawn_by(
            "curves",
            self.drawn.rename_axis(["feature", "cutoff"]),
            colours,
            measure=self.called,
            n_queries=self.n_queries,
            answer=words.plain(self.sentence),
            ties=self.of_ties,
            banded=banded,
            own=own,
        )


def best_of(ordered: Sequence[str]) -> Sequence[str]:
    """Return the best few features, of few all."""
    return ordered[: FEW if len(ordered) <= FEW else USUAL]


def cutoffs_of(view: View, names: Sequence[str] = (), *, progress: Progress | None = None) -> Cutoffs:
    """Evaluate all features at every cut-off, or where that takes too long those that are drawn; say who leads.

    ``names``: those that are drawn; else those that lead at some cut-off, and the best.
    """
    data, family, scope = view.dataset, family_of(view.measure), tuple(view.features)
    best = best_of(view.ranked)
    work = view.evaluation.alignment.n_ranked() * len(CUTOFFS) * (1 if family.has_variance else SLOW)
    if work > MOST_WORK and view.settings.options.queries != "common":
        scope = names = tuple(names or best)
        data = replace(data, features=tuple(feature for feature in data.features if feature.name in names))
    rows = [view.evaluation.rows(name) for name in scope]
    longest = max(int(np.bincount(one.query, weights=one.count).max(initial=0)) for one in rows)
    measures = tuple(replace(family, cutoff=k) for k in cutoffs_to(longest, view.measure.cutoff))
    evaluation = cached.evaluation(data, view.settings, measures=measures, tie_breaks=(), progress=progress)
    inner = View(data, view.settings, evaluation)
    values = cached.study(inner, values_at, measures=measures, features=scope)
    better = cached.study(inner, better_at, measures=measures)
    placed = values["place"].unstack("k")
    if not names:
        at_first = list(dict.fromkeys([*leaders_of(placed), *best]))[:MOST_CURVES]
        names = [name for name in view.ranked if name in at_first]
    drawn = values.loc[list(names)]
    passed, of_all = crossings_of(placed.loc[list(names)], better), len(scope) == len(view.features)
    name = re.sub(r"@\d+", "", called(family))
    ties = "about 95\u00a0% of random tie-breaks" if family.has_variance else "from the worst to the best case"
    sentence, details = cutoffs_answer(placed, drawn, better, measure=name, of_all=of_all, ties=ties)
    leads = (placed.loc[:, placed.max() > 1] == 1).any(axis=1).drop(list(names))
    if unseen := [words.bold(str(name)) for name in leads.index[leads]]:
        lead, are = ("leads", "is") if len(unseen) == 1 else ("lead", "are")
        details.append(f"{words.enumerate_names(unseen)} {lead} at some cut-offs and {are} not drawn.")
    n_queries = int(evaluation.counted[0].sum())
    return Cutoffs(measures, drawn, placed, passed, n_queries, name, ties, sentence, details)


def family_of(measure: Measure) -> Measure:
    """Find the measure itself, or one near to it that has a cut-off."""
    if measure.cutoff_rule != "none":
        return measure
    rel = {"rel": measure.threshold}  # a parameter of these families, not of all measures
    return FAMILIES[NEARBY.get(measure.name, "AP")](cutoff=1, **rel)


def cutoffs_to(depth: int, own: int | None) -> list[int]:
    """Cut-offs from 1 to the longest list, close together where it matters; that of the dashboard among them."""
    deepest = max(1, min(depth, CUTOFFS[-1]))
    steps = [k for k in CUTOFFS if k <= 10 or k < 0.9 * deepest]  # none right before the last
    return sorted({k for k in (*steps, deepest, own or 1) if k <= deepest})


def values_at(evaluation: Evaluation, *, measures: tuple[Measure, ...], features: tuple[str, ...]) -> pd.DataFrame:
    """Return values and places at every cut-off with both bands: index (feature, k)."""
    cutoffs = [int(one.cutoff or 1) for one in measures]
    found = curves(evaluation, measures[0], cutoffs=cutoffs, features=features)
    found = found.rename_axis(["feature", "k"])
    ends = found[["worst", "best"]].to_numpy().T
    if measures[0].has_variance:  # of the normal distribution, held inside worst and best case
        sd = evaluation.summary["sd"].reindex([(str(one), name) for one in measures for name in features])
        ends = np.clip(found["expected"].to_numpy() + np.outer([-_HALF, _HALF], sd), *np.sort(ends, axis=0))
    return found.assign(tie_low=ends[0], tie_high=ends[1])


def better_at(evaluation: Evaluation, *, measures: tuple[Measure, ...]) -> dict[int, pd.DataFrame]:
    """Return which features are clearly better than which at every cut-off."""
    return {int(one.cutoff or 1): clearly_better(evaluation, one) for one in measures}
