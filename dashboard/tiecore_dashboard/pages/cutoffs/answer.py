"""What the cut-off does to the order of the features."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from tiecore.diagnostics import Reign, reigns
from tiecore_dashboard import words
from tiecore_dashboard.words import bold, capitalised, enumerate_names

__all__ = ["cutoffs_answer"]

_MOST_REIGNS = 4


def cutoffs_answer(
    places: pd.DataFrame, passed: pd.DataFrame, drawn: pd.DataFrame, *, measure: str, of_all: bool
) -> tuple[str, list[str]]:
    """Answer whether the cut-off decides who leads, and tell what else it changes; HTML.

    Parameters
    ----------
    places
        Place of each feature (rows) at each cut-off (columns).
    passed
        Crossings of the features that are drawn.
    drawn
        Their ``worst`` and ``best`` values: index (feature, k).
    of_all
        Whether these are all features that are loaded.
    """
    among = "" if of_all else "among the features drawn, "
    if len(places) == 1:
        sentence = f"{bold(str(places.index[0]))} stands alone: load another feature to see where they cross."
    elif places.shape[1] == 1:
        leaders = reigns(places)[0].leaders
        sentence = f"{among}lists hold one document, so there is one cut-off, and {_lead(leaders)}."
    else:
        sentence = among + _succession(places, measure=measure)
    return capitalised(sentence), [*_told(passed, n_shown=len(places)), _widest(drawn)]


def _lead(leaders: Sequence[str]) -> str:
    verb = "leads" if len(leaders) == 1 else "share the lead"
    return f"{enumerate_names([bold(name) for name in leaders], most=3)} {verb}"


def _succession(places: pd.DataFrame, *, measure: str) -> str:
    """Tell who leads where; cut-offs at which all features are level, as at the end of recall, decide nothing."""
    cutoffs = [int(k) for k in places.columns]
    by = f"by {words.in_html(measure)}"
    deciding = places.loc[:, places.max() > 1]
    if deciding.empty:
        return f"{by} all features are level at <em>every</em> cut-off from {cutoffs[0]} to {cutoffs[-1]}."
    found = reigns(deciding)
    last = int(deciding.columns[-1])
    level = f"; from k = {next(k for k in cutoffs if k > last)} on all are level" if last < cutoffs[-1] else ""
    if len(found) == 1:
        span = f"{cutoffs[0]} to {last}" if last > cutoffs[0] else f"{last}"
        where = f"at k = {span}" if last == cutoffs[0] else f"at <em>every</em> cut-off from {span}"
        return f"{by} {_lead(found[0].leaders)} {where}{level}."
    parts = [f"{_lead(found[0].leaders)} {_span(found[0], is_first=True)}"]
    for reign in found[1:_MOST_REIGNS]:
        names = enumerate_names([bold(name) for name in reign.leaders], most=3)
        shared = " together" if len(reign.leaders) > 1 else ""
        parts.append(f"{names}{shared} {_span(reign, is_last=reign is found[-1] and not level)}")
    more = len(found) - len(parts)
    rest = f", and the lead changes {words.plural(more, 'more time')}" if more > 0 else ""
    listed = ", ".join(parts) if rest else enumerate_names(parts, most=_MOST_REIGNS)
    return f"the cut-off <em>decides</em> who leads {by}: {listed}{rest}{level}."


def _span(reign: Reign, *, is_first: bool = False, is_last: bool = False) -> str:
    if is_last:
        return f"from k = {reign.first} on"
    if reign.first == reign.last:
        return f"at k = {reign.first}"
    return f"up to k = {reign.last}" if is_first else f"from {reign.first} to {reign.last}"


def _told(passed: pd.DataFrame, *, n_shown: int) -> list[str]:
    if n_shown < 2:
        return []
    if passed.empty:
        return ["The features drawn keep their order at every cut-off."]
    top = passed[passed["place"] > 1].head(3)
    lines = [
        f"{bold(ahead)} passes {bold(behind)} at k = {k}"
        for k, ahead, behind in zip(top["cutoff"], top["ahead"], top["behind"], strict=True)
    ]
    more = len(passed) - len(lines)
    if not lines:  # they change the lead alone, which has been told
        return []
    also = f"; {words.plural(more, 'other crossing')} below" if more else ""
    return [capitalised(f"{'; '.join(lines)}{also}.")]


def _widest(drawn: pd.DataFrame) -> str:
    """Where ties leave most open."""
    room = (drawn["best"] - drawn["worst"]).abs().to_numpy()
    at = int(room.argmax())
    if room[at] == 0:
        return "Ties change nothing: worst and best case are equal at every cut-off."
    name, k = drawn.index[at]
    worst, best = drawn["worst"].iloc[at], drawn["best"].iloc[at]
    return f"Ties matter most for {bold(str(name))} at k = {k}: from {words.number(worst)} to {words.number(best)}."
