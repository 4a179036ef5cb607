"""Sentences on a study of stability: whether ties, and whether other queries, could reverse an order.

The word *real* is kept for what neither could. A page says how names and numbers are written: ``Writing``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import pandas as pd

__all__ = ["Writing", "leader_sentence", "over_queries", "pair_sentence", "percent", "probability", "unequal_lists"]

_LIKELY, _WORTH, _NOT_CERTAIN = 0.95, 0.01, 0.9995
_NAMED = 4


@dataclass(frozen=True, slots=True)
class Writing:
    """How the parts of a sentence are written: as they are, unless a page escapes and marks them."""

    feature: Callable[[str], str] = str
    tie_break: Callable[[str], str] = str
    number: Callable[[str], str] = str
    """Of chances and p-values, which may begin with a sign such as <."""
    real: str = "real"


PLAIN = Writing()


class Study(Protocol):
    """What is spoken of: a :class:`~tiecore.stability.result.Stability`."""

    @property
    def n_queries(self) -> int: ...
    @property
    def draws(self) -> int: ...
    @property
    def places(self) -> pd.DataFrame: ...
    @property
    def place_probability(self) -> pd.DataFrame: ...
    @property
    def ties(self) -> pd.DataFrame: ...
    @property
    def tests(self) -> pd.DataFrame: ...


def percent(share: float) -> str:
    """Share in percent, never 0 or 100 unless it is exactly that.

    >>> percent(0.674), percent(0.0004), percent(0.9996), percent(1.0)
    ('67 %', '<0.1 %', '>99.9 %', '100 %')
    """
    if 0 < share < 0.001:
        return "<0.1 %"
    if 0.999 < share < 1:
        return ">99.9 %"
    return f"{100 * share:.{1 if 0 < share < 0.01 or 0.99 < share < 1 else 0}f} %"


def probability(p: float) -> str:
    """P-value inside a sentence.

    >>> probability(0.3136), probability(0.03217), probability(1e-9), probability(1.0)
    ('p = .31', 'p = .032', 'p < .0001', 'p = 1')
    """
    if p < 0.0001:
        return "p < .0001"
    if p > 0.995:
        return "p = 1"
    return f"p = {p:.{2 if p >= 0.1 else 3 if p >= 0.01 else 4}f}".replace("0.", ".", 1)


def queries_of(n: int) -> str:
    """Number of queries."""
    return f"{n:,} {'query' if n == 1 else 'queries'}"


def _row(names: Sequence[str]) -> str:
    if len(names) > _NAMED:
        return f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def _in_tie_breaks(chance: float, study: Study, writing: Writing) -> str:
    """Chance under random tie-breaks, with their number if they were drawn."""
    return f"{writing.number(percent(chance))} of {f'{study.draws:,} ' if study.draws else ''}random tie-breaks"


def unequal_lists(study: Study) -> str:
    """Return a sentence if features list different queries; otherwise an empty text."""
    pairs = study.tests
    if not len(pairs) or (pairs["n_queries"] == study.n_queries).all():
        return ""
    least, most = int(pairs["n_queries"].min()), int(pairs["n_queries"].max())
    some = f"{most:,}" if least == most else f"{least:,} to {most:,}"
    return (
        f"Not every feature lists all {queries_of(study.n_queries)}: each pair is compared on the queries that both "
        f"list ({some})."
    )


def pair_sentence(pair: pd.Series, study: Study, *, writing: Writing = PLAIN) -> str:
    """Return whether ties, and whether other queries, could reverse the order of a pair, as a sentence."""
    leader, trailer = writing.feature(pair["leader"]), writing.feature(pair["trailer"])
    queries = queries_of(int(pair["n_queries"]))
    if pair["n_queries"] == 0:
        return f"{leader} and {trailer} have no query in common, so they cannot be compared."
    if pair["verdict"] == "equal":
        apart = " Only the tie-break can set them apart." if pair["sd_ties"] > 0 else ""
        return f"{leader} and {trailer} have the same expectation for each of {queries}.{apart}"
    if pair["difference"] == 0:
        return f"{leader} and {trailer} have the same mean over {queries}."
    chance = _in_tie_breaks(pair["p_beats"], study, writing)
    ties = {
        "certain": f"{leader} ranks above {trailer} however ties are broken.",
        "likely": f"{leader} ranks above {trailer} in {chance}.",
        "undecided": f"Ties decide the order: {leader} ranks above {trailer} in only {chance}.",
    }[pair["ties"]]
    sentence = f"{ties} {_pair_over_queries(pair, n_tests=len(study.tests), writing=writing)}"
    if pair["verdict"] == "real":
        sentence += f" The difference is {writing.real}."
    if pair["reversed_by"]:
        names = _row([writing.tie_break(name) for name in pair["reversed_by"]])
        sentence += f" It is reversed by {names}."
    return sentence


def _pair_over_queries(pair: pd.Series, *, n_tests: int, writing: Writing) -> str:
    if pair["n_queries"] == 1:
        return "One query cannot say what others would show."
    adjusted = f", adjusted for {n_tests:,} pairs" if n_tests > 1 else ""
    found = f"({writing.number(probability(pair['holm']))}{adjusted})"
    start = f"Over {queries_of(int(pair['n_queries']))} the difference is {pair['queries']} {found}"
    return f"{start}." if pair["queries"] == "significant" else f"{start}: other queries could reverse the order."


def leader_sentence(study: Study, *, writing: Writing = PLAIN) -> str:
    """Return which feature ranks first by expectation, and whether ties or other queries could change that."""
    places = study.places["place"]
    leaders = list(places.index[places == 1])
    if len(places) == 1:
        return f"{writing.feature(leaders[0])} has no other feature to be compared with."
    if len(leaders) > 1:
        return f"{_row([writing.feature(name) for name in leaders])} share the first place."
    (leader,) = leaders
    # the leaderboard and its chances count a query that is not listed as 0; pairs leave it out
    counted = "With missing queries counted as 0, " if unequal_lists(study) else ""
    ties = _against_ties(leader, study, writing=writing, is_after_comma=bool(counted))
    return f"{counted}{ties} {over_queries(leader, study, writing=writing)}".rstrip()


def _against_ties(leader: str, study: Study, *, writing: Writing, is_after_comma: bool) -> str:
    if (study.ties.loc[leader].drop(leader) == "certain").all():
        return f"{writing.feature(leader)} ranks first however ties are broken."
    # a chance that was drawn, or is that of a normal distribution, is never quite 1
    most = 1 - 0.5 / study.draws if study.draws else _NOT_CERTAIN
    first = study.place_probability[1].clip(upper=most)
    share = _in_tie_breaks(first[leader], study, writing)
    if first[leader] >= _LIKELY:
        return f"{writing.feature(leader)} ranks first in {share}."
    rivals = [name for name in first.sort_values(ascending=False, kind="stable").index if name != leader]
    others = _row(
        [
            f"{writing.feature(name)} in {writing.number(percent(first[name]))}"
            for name in rivals[:3]
            if first[name] >= _WORTH
        ]
    )
    return (
        f"{'who' if is_after_comma else 'Who'} ranks first depends on how ties are broken: "
        f"{writing.feature(leader)} leads by expectation, but ranks first in only {share}"
        f"{f', {others}' if others else ''}."
    )


def over_queries(leader: str, study: Study, *, writing: Writing = PLAIN) -> str:
    """Return whether other queries could put another feature first, as a sentence."""
    pairs = study.tests
    own = pairs[(pairs["leader"] == leader) | (pairs["trailer"] == leader)]
    if study.n_queries == 1:
        return "One query cannot say what others would show."
    if len(own) == 1:
        return _over_only_rival(leader, own.iloc[0], study, writing=writing)
    open_pairs = own[(own["queries"] == "not significant") | (own["trailer"] == leader)]
    if not len(open_pairs):
        closing = f": its lead is {writing.real}" if (own["verdict"] == "real").all() else ""
        return f"{_over_common(own, study)} it is significantly better than every other feature{closing}."
    rivals = {*open_pairs["leader"], *open_pairs["trailer"]} - {leader}
    names = [writing.feature(name) for name in study.places.index if name in rivals]  # the nearest first
    over = _over_common(open_pairs, study)
    if len(names) == len(own):
        return f"{over} its lead is not significant over any other feature."
    adjusted = f" ({writing.number(probability(float(open_pairs['holm'].iloc[0])))}, adjusted for {len(pairs):,} pairs)"
    return f"{over} its lead over {_row(names)} is not significant{adjusted if len(names) == 1 else ''}."


def _over_common(pairs: pd.DataFrame, study: Study) -> str:
    """Return over how many queries these pairs are compared."""
    least, most = int(pairs["n_queries"].min()), int(pairs["n_queries"].max())
    if least == study.n_queries:
        return f"Over {queries_of(least)}"
    return f"Over the {queries_of(most) if least == most else f'{least:,} to {queries_of(most)}'} that both list"


def _over_only_rival(leader: str, pair: pd.Series, study: Study, *, writing: Writing) -> str:
    queries = queries_of(int(pair["n_queries"]))
    listed = queries if pair["n_queries"] == study.n_queries else f"the {queries} that both list"
    if pair["verdict"] == "equal":
        return f"On {listed} the two have the same expectation."
    if pair["trailer"] == leader:
        return f"On {listed} {writing.feature(pair['leader'])} is better."
    found = f"Over {listed} its lead is {pair['queries']} ({writing.number(probability(pair['holm']))})"
    return f"{found}: it is {writing.real}." if pair["verdict"] == "real" else f"{found}."
