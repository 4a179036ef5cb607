"""Values and places of features at every cut-off, and what they say: page, figure and report are made of them."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

import pandas as pd

from tiecore.board.cutoffs import (
    MOST_LEADERS,
    MOST_REIGNS,
    best_of,
    cutoffs_to_draw,
    drawn_at_first,
    leads_to_draw,
    of_ties,
    values_to_draw,
    widest_of,
)
from tiecore.diagnostics import CUTOFFS, Reign, crossings, reigns
from tiecore.evaluation.result import Evaluation
from tiecore.measures import FAMILIES, Measure
from tiecore.stability import clearly_better
from tiecore.stability.sentences import called
from tiecore.threads import Progress
from tiecore_dashboard import words
from tiecore_dashboard.export.figures import Draw, drawn_by
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.words import bold, capitalised, enumerate_names

NEARBY = {
    "Rprec": "P", "Bpref": "AP", "GMAP": "AP", "ESL": "RR", "PRR": "RR", "SetP": "P", "SetR": "R", "SetF": "F1",
    "IPrec": "P",
}  # fmt: skip
"""Families without a cut-off, and one that has it and asks nearly the same."""
MOST_WORK, SLOW = 300_000_000, 10
"""Documents times cut-offs that are counted for all features, beyond that only for those that are drawn; and how much
longer a measure takes whose cut-offs share no work, as ERR's do not."""
_MOST_CUTOFFS = 8
Better = Mapping[int, pd.DataFrame]
"""For each cut-off whether the feature of the row is clearly better than that of the column."""


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
    better: Better
    view: View
    """That of the cut-offs."""
    n_queries: int
    called: str
    """Name of the measure without its cut-off."""
    sentence: str
    """What they say, and what follows from it; HTML."""
    details: list[str]

    def against(self, reference: str) -> pd.DataFrame:
        """Return what is drawn with ``open``: where a feature is not clearly better or worse than one of them."""
        is_clear = pd.DataFrame({k: one.loc[reference] | one[reference] for k, one in self.better.items()}).stack()
        is_other = self.drawn.index.get_level_values(0) != reference
        return self.drawn.assign(open=is_other & ~is_clear.reindex(self.drawn.index).to_numpy(dtype=bool))

    def lead(self, banded: Sequence[str]) -> tuple[str, pd.DataFrame]:
        """Return the second of some features, or that which most often is ahead of the first, and the lead over it."""
        one, *others = dict.fromkeys([*banded, *self.drawn.index.unique(0)])
        ahead = self.placed.lt(self.placed.loc[one]).sum(axis=1)
        other = others[0] if len(banded) > 1 else max(others, key=ahead.__getitem__)
        leads = cached.study(self.view, leads_to_draw, one, other, measures=self.measures)
        return other, leads.assign(open=self.against(one).loc[other, "open"])

    def figures(self, colours: Mapping[str, str] | None, banded: Sequence[str], own: int | None) -> dict[str, Draw]:
        """Return what draws the curves for print, and the lead; ``own``: the cut-off that was chosen."""
        shared = {"measure": self.called, "n_queries": self.n_queries, "own": own}
        texts = {"answer": words.plain(self.sentence), "ties": of_ties(self.measures[0])}
        values = self.against(banded[0]).rename_axis(["feature", "cutoff"])
        found = {"Curves": drawn_by("curves", values, colours, banded=banded, **texts, **shared)}
        if len(self.drawn.index.unique(0)) > 1:
            other, leads = self.lead(banded)
            ends = dict.fromkeys(["expected", "tie_low", "tie_high"], leads["difference"])
            values = pd.concat({banded[0]: leads.assign(**ends)}, names=["feature", "cutoff"])
            both = [words.cut(name) for name in (banded[0], other)]
            texts = {"answer": f"{' and '.join(both)} {clear_at(leads)}.", "lead": " over ".join(both)}
            found["Lead"] = drawn_by("curves", values, colours, **texts, **shared)
        return found


def clear_at(leads: pd.DataFrame) -> str:
    """Say at which cut-offs two features differ clearly; ``leads``: of :meth:`Cutoffs.lead`."""
    clear = [*leads.index[~leads["open"]]]
    return f"differ clearly at {f'k = {_ranges(clear, [*leads.index])}' if clear else 'no cut-off'}"


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
    evaluation = cached.evaluation(data, replace(view.settings, tie_breaks=()), measures=measures, progress=progress)
    inner = View(data, view.settings, evaluation)
    values = cached.study(inner, values_to_draw, measures=measures, features=scope).rename_axis(["feature", "k"])
    better = cached.study(inner, better_at, measures=measures)
    placed = values["place"].unstack("k")
    names = names or drawn_at_first(placed, ranked)
    drawn = values.loc[list(names)]
    passed, of_all = crossings_of(placed.loc[list(names)], better), len(scope) == len(view.features)
    name = re.sub(r"@\d+", "", called(family))
    said = f"{name} (in place of {view.measure.name}, which takes no cut-off)" * (family.name != view.measure.name)
    sentence, details = cutoffs_answer(placed, drawn, better, measure=said or name, of_all=of_all, ties=of_ties(family))
    leads = (placed.loc[:, placed.max() > 1] == 1).any(axis=1).drop(list(names))
    if unseen := [*map(bold, leads.index[leads])]:
        details.append(f"Not drawn, though in the lead at some cut-offs: {enumerate_names(unseen)}.")
    n_queries = int(evaluation.values.counted[0].sum())
    return Cutoffs(measures, drawn, placed, passed, better, inner, n_queries, name, sentence, details)


def family_of(measure: Measure) -> Measure:
    """Find the measure itself, or one near to it that has a cut-off."""
    if measure.cutoff_rule != "none":
        return measure
    rel = {"rel": measure.threshold}  # a parameter of these families, not of all measures
    return FAMILIES[NEARBY.get(measure.name, "AP")](cutoff=1, **rel)


def better_at(evaluation: Evaluation, *, measures: tuple[Measure, ...]) -> dict[int, pd.DataFrame]:
    """Return which features are clearly better than which at every cut-off."""
    return {int(one.cutoff or 1): clearly_better(evaluation, one) for one in measures}


def _is_clear(
    ahead: Collection[str], behind: Collection[str], better: Better, *, begin: int, change: int, end: int
) -> bool:
    """Whether one is clearly worse at some cut-off from begin to the change, and clearly better at one before the end.

    The second of the two may be at the change itself.
    """
    ones, others = list(ahead), list(behind)
    was_behind = any(better[k].loc[others, ones].any(axis=None) for k in better if begin <= k < change)
    return was_behind and any(better[k].loc[ones, others].any(axis=None) for k in better if change <= k < end)


def crossings_of(placed: pd.DataFrame, better: Better) -> pd.DataFrame:
    """Return the crossings of ``tiecore.diagnostics`` with their ``verdict``.

    A crossing is clear if the order of the two is clear at some cut-off before it and, the other way round, at some
    cut-off after it, up to the crossings of the same two that are next to it.
    """
    passed, verdicts = crossings(placed), []
    own = passed[["cutoff", "ahead", "behind"]].to_numpy().tolist()
    for change, ahead, behind in own:
        same = [0, *(k for k, *two in own if {*two} == {ahead, behind}), max(better) + 1]
        begin, end = max(k for k in same if k < change), min(k for k in same if k > change)
        is_clear = _is_clear([ahead], [behind], better, begin=begin, change=change, end=end)
        verdicts.append("clear" if is_clear else "open")
    return passed.assign(verdict=verdicts)


def cutoffs_answer(
    places: pd.DataFrame, drawn: pd.DataFrame, better: Better, *, measure: str, of_all: bool, ties: str
) -> tuple[str, list[str]]:
    """Answer whether the cut-off decides who leads, and tell what else it changes; HTML.

    ``places``: of each feature (rows) at each cut-off (columns); ``of_all``: whether they are those of all features.
    ``drawn``: ``expected``, ``tie_low`` and ``tie_high`` of the features that are drawn, index (feature, k);
    ``ties``: what these ends are.
    """
    among = "" if of_all else "among the features drawn, "
    if len(places) == 1:
        own = drawn["expected"].loc[places.index[0]]
        ends = " to ".join(f"{words.number(own[k])} at k = {k}" for k in own.index[[0, -1]])
        sentence = f"{bold(str(places.index[0]))} goes from {words.in_html(measure)} {ends}."
    else:
        sentence = among + _succession(places, better, by=f"by {words.in_html(measure)}")
    shown, (name, k) = drawn.index.unique(0), widest_of(drawn)
    low, high = (drawn[end][(name, k)] for end in ("tie_low", "tie_high"))
    who = "Ties" if len(shown) == len(places) else "Among the features drawn, ties"
    whom = f"for {bold(name)} " * (len(shown) > 1)
    detail = f"{who} matter most {whom}at k = {k}: {words.number(low)} to {words.number(high)}, {ties}."
    if low == high:
        detail = f"{who} change nothing at any cut-off."
    return capitalised(sentence).replace("k = ", "k\u00a0=\u00a0"), [detail]


def _throughout(places: pd.DataFrame) -> str:
    """Say at which cut-offs: at every one, or at each of those that were looked at."""
    first, last, n = int(places.columns[0]), int(places.columns[-1]), len(places.columns)
    if n == 1:
        return f"at k = {first}"
    if last - first + 1 == n:
        return f"at <em>every</em> cut-off from {first} to {last}"
    return f"at <em>each</em> of the {n} cut-offs drawn, {first} to {last}"


def _names(leaders: Sequence[str]) -> str:
    return enumerate_names([bold(name) for name in leaders], most=MOST_LEADERS)


def _lead(leaders: Sequence[str]) -> str:
    return f"{_names(leaders)} {'leads' if len(leaders) == 1 else 'share the lead'}"


def _how_clearly(leaders: Sequence[str], places: pd.DataFrame, better: Better) -> str:
    """Say where the leader at all cut-offs is clearly better than the second; nothing where several share the lead."""
    if len(leaders) > 1:
        return ""
    seconds = {int(k): places.index[places[k] == 2].tolist() for k in places.columns}
    clear = [k for k, names in seconds.items() if better[k].loc[list(leaders), names].all(axis=None)]
    second, are_many = "the other" if len(places) == 2 else "the second", len(places.columns) > 1
    if len(clear) == len(places.columns):
        return f", and is clearly better than {second}{' at each' * are_many}"
    if not clear:
        return f", but is {'never' if are_many else 'not'} clearly better than {second}"
    return f", but is clearly better than {second} only at k = {_ranges(clear, [*seconds])}"


def _ranges(found: Collection[int], looked_at: Sequence[int]) -> str:
    """Return cut-offs in a row, of several that follow each other the ends."""
    runs = [[*map(str, run)] for is_found, run in groupby(looked_at, found.__contains__) if is_found]
    ends = [text for run in runs for text in ([f"{run[0]} to {run[-1]}"] if len(run) > 2 else run)]
    return enumerate_names(ends, most=_MOST_CUTOFFS)


def _succession(places: pd.DataFrame, better: Better, *, by: str) -> str:
    """Tell who leads where; cut-offs at which all features are level, as at the end of recall, decide nothing."""
    cutoffs = [*map(int, places.columns)]
    deciding = places.loc[:, places.max() > 1]
    if deciding.empty:
        return f"{by}, all features are level {_throughout(places)}."
    found, last = reigns(deciding), int(deciding.columns[-1])
    level = f"; from k = {next(k for k in cutoffs if k > last)} on all are level" if last < cutoffs[-1] else ""
    if len(found) == 1:
        where = _throughout(deciding)
        lead = f"{_lead(found[0].leaders)} {where}{_how_clearly(found[0].leaders, deciding, better)}"
        return f"{by}, {lead}{level}."
    parts = [f"{_lead(found[0].leaders)} {_span(found[0], is_first=True)}"]
    for reign in found[1:MOST_REIGNS]:
        shared = " together" if len(reign.leaders) > 1 else ""
        parts.append(f"{_names(reign.leaders)}{shared} {_span(reign, is_last=reign is found[-1] and not level)}")
    listed = enumerate_names(parts, most=MOST_REIGNS)
    if len(found) > len(parts):
        listed += f" and so on, {_names(found[-1].leaders)} {_span(found[-1], is_last=not level)}"
    clear = [
        after.first
        for before, after in pairwise(found)
        if _is_clear(after.leaders, before.leaders, better, begin=before.first, change=after.first, end=after.last + 1)
    ]
    if not clear:
        if len(found) > len(parts):
            leaders = dict.fromkeys(bold(name) for reign in found for name in reign.leaders)
            listed = f"{enumerate_names([*leaders], most=MOST_LEADERS)} take turns in the lead"
        return f"{by}, <em>no change of lead is clear</em>: {listed}{level}."
    only, verb = ("that", "is") if len(clear) == 1 else ("those", "are")
    some = f" Of these changes only {only} at k = {_ranges(clear, clear)} {verb} clear."
    return f"the cut-off <em>decides</em> who leads {by}: {listed}{level}.{some * (len(clear) < len(found) - 1)}"


def _span(reign: Reign, *, is_first: bool = False, is_last: bool = False) -> str:
    if is_last:
        return f"from k = {reign.first} on"
    if reign.first == reign.last:
        return f"at k = {reign.first}"
    return f"up to k = {reign.last}" if is_first else f"from {reign.first} to {reign.last}"
