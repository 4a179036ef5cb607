"""Values and places of features at every cut-off, and what they say: page, figure and report are made of them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from tiecore.board.cutoffs import best_of, cutoffs_to_draw, drawn_at_first, of_ties, values_to_draw
from tiecore.diagnostics import CUTOFFS
from tiecore.evaluation.result import Evaluation
from tiecore.measures import FAMILIES, Measure
from tiecore.stability import clearly_better
from tiecore.stability.sentences import called
from tiecore.threads import Progress
from tiecore_dashboard import words
from tiecore_dashboard.export.figures import Draw, drawn_by
from tiecore_dashboard.pages.cutoffs.answer import crossings_of, cutoffs_answer
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View

NEARBY = {
    "Rprec": "P", "Bpref": "AP", "GMAP": "AP", "ESL": "RR", "PRR": "RR", "SetP": "P", "SetR": "R", "SetF": "F1",
    "IPrec": "P",
}  # fmt: skip
"""Families without a cut-off, and one that has it and asks nearly the same."""
MOST_WORK, SLOW = 300_000_000, 10
"""Documents times cut-offs that are counted for all features, beyond that only for those that are drawn; and how much
longer a measure takes whose cut-offs share no work, as ERR's do not."""


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
            ties=of_ties(self.measures[0]),
            banded=banded,
            own=own,
        )


def cutoffs_of(view: View, names: Sequence[str] = (), *, progress: Progress | None = None) -> Cutoffs:
    """Evaluate all features at every cut-off, or where that takes too long those that are drawn; say who leads.

    ``names``: those that are drawn; else those that lead at some cut-off, and the best.
    """
    data, family, scope = view.dataset, family_of(view.measure), view.features
    ranked = tuple(view.leaderboard.index)
    work = view.evaluation.values.alignment.n_ranked() * len(CUTOFFS) * (1 if family.has_variance else SLOW)
    if work > MOST_WORK and view.settings.options.queries != "common":
        scope = names = tuple(names or best_of(ranked))
        data = replace(data, features=tuple(feature for feature in data.features if feature.name in names))
    steps = cutoffs_to_draw(view.evaluation, scope, view.measure.cutoff)
    measures = tuple(replace(family, cutoff=k) for k in steps)
    evaluation = cached.evaluation(data, view.settings, measures=measures, tie_breaks=(), progress=progress)
    inner = View(data, view.settings, evaluation)
    values = cached.study(inner, values_to_draw, measures=measures, features=scope).rename_axis(["feature", "k"])
    better = cached.study(inner, better_at, measures=measures)
    placed = values["place"].unstack("k")
    names = names or drawn_at_first(placed, ranked)
    drawn = values.loc[list(names)]
    passed, of_all = crossings_of(placed.loc[list(names)], better), len(scope) == len(view.features)
    name = re.sub(r"@\d+", "", called(family))
    sentence, details = cutoffs_answer(placed, drawn, better, measure=name, of_all=of_all, ties=of_ties(family))
    leads = (placed.loc[:, placed.max() > 1] == 1).any(axis=1).drop(list(names))
    if unseen := [*map(words.bold, leads.index[leads])]:
        lead, are = ("leads", "is") if len(unseen) == 1 else ("lead", "are")
        details.append(f"{words.enumerate_names(unseen)} {lead} at some cut-offs and {are} not drawn.")
    n_queries = evaluation.values.counted[0].sum()
    return Cutoffs(measures, drawn, placed, passed, n_queries, name, sentence, details)


def family_of(measure: Measure) -> Measure:
    """Find the measure itself, or one near to it that has a cut-off."""
    if measure.cutoff_rule != "none":
        return measure
    rel = {"rel": measure.threshold}  # a parameter of these families, not of all measures
    return FAMILIES[NEARBY.get(measure.name, "AP")](cutoff=1, **rel)


def better_at(evaluation: Evaluation, *, measures: tuple[Measure, ...]) -> dict[int, pd.DataFrame]:
    """Return which features are clearly better than which at every cut-off."""
    return {int(one.cutoff or 1): clearly_better(evaluation, one) for one in measures}
