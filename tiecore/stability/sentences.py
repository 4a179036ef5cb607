"""Sentences on a study: which differences are clear over the queries, and what ties put at risk.

A page says how names and numbers are written: ``Writing``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    from tiecore.stability.result import Stability

__all__ = [
    "PLAIN",
    "Writing",
    "leader_sentence",
    "over_queries",
    "pair_sentence",
    "percent",
    "probability",
    "queries_of",
    "row_of",
    "unequal_lists",
]

_NAMED = 4
_WORTH = 0.005


def _three_digits(value: float) -> str:
    """Differences with three significant digits, never in powers of ten.

    >>> _three_digits(0.012345), _three_digits(-0.00012345), _three_digits(12.3456)
    ('0.0123', '−0.000123', '12.3')
    """
    return f"{float(f'{value:.3g}'):.10f}".rstrip("0").rstrip(".").replace("-", "−")


@dataclass(frozen=True, slots=True)
class Writing:
    """How the parts of a sentence are written: as they are, unless a page escapes and marks them."""

    feature: Callable[[str], str] = str
    tie_break: Callable[[str], str] = str
    number: Callable[[str], str] = str
    """Of chances, p-values and differences, which may begin with a sign such as <."""
    difference: Callable[[float], str] = _three_digits


PLAIN = Writing()


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


def _are(n: float) -> str:
    return "is" if n == 1 else "are"


def row_of(names: Sequence[str]) -> str:
    """Return the first names of several in a row."""
    if len(names) > _NAMED:
        return f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def unequal_lists(study: Stability) -> str:
    """Return a sentence if features list different queries; otherwise an empty text."""
    pairs = study.pairs
    if not len(pairs) or (pairs["n_queries"] == study.n_queries).all():
        return ""
    least, most = int(pairs["n_queries"].min()), int(pairs["n_queries"].max())
    some = f"{most:,}" if least == most else f"{least:,} to {most:,}"
    return (
        f"Not every feature lists all {queries_of(study.n_queries)}: each pair is compared on the queries that both "
        f"list ({some})."
    )


def pair_sentence(pair: pd.Series, study: Stability, *, writing: Writing = PLAIN) -> str:
    """Return whether the difference of a pair is clear over the queries, and what ties put at risk."""
    leader, trailer = writing.feature(pair["leader"]), writing.feature(pair["trailer"])
    queries = queries_of(int(pair["n_queries"]))
    if pair["n_queries"] == 0:
        return f"{leader} and {trailer} have no query in common, so they cannot be compared."
    if pair["verdict"] == "equal":
        return f"{leader} and {trailer} have the same expectation on each of {queries}."
    by = f"by {writing.number(writing.difference(pair['difference']))}"
    ahead = f"{leader} is ahead {by}" if pair["difference"] else "neither is ahead"
    if "too few queries" in pair["note"]:
        few = f"{queries} {_are(pair['n_queries'])} too few to tell whether others would agree"
        found = f"{leader} is ahead of {trailer} {by}, but {few}"
    else:
        low, high = (writing.number(writing.difference(pair[end])) for end in ("low", "high"))
        n_tests = int(study.pairs["p"].notna().sum())
        adjusted = f" adjusted for {n_tests:,} pairs" if n_tests > 1 else ""
        interval, p = f"{writing.number('95 %')} interval {low} to {high}", writing.number(probability(pair["holm"]))
        known = f"({interval}, {p}{adjusted})"
        found = {
            "clear": f"{leader} is clearly better than {trailer} over {queries}, {by} {known}",
            "small": f"The difference of {leader} and {trailer} over {queries} is too small to matter, {by} {known}",
            "open": f"Which of {leader} and {trailer} is better is open over {queries}: {ahead} {known}",
        }[pair["verdict"]]
        found += "; the hits are too few to tell more" if "too few hits" in pair["note"] else ""
    return f"{found}. {tie_sentence(pair, writing=writing) if pair['difference'] else ''}".rstrip()


def tie_sentence(pair: pd.Series, *, writing: Writing = PLAIN) -> str:
    """Return how far ties can be trusted to keep the order of a pair; empty where nothing is known of them."""
    leader = writing.feature(pair["leader"])
    if not pair["ties"]:
        return ""
    if pair["ties"] == "certain":
        return f"On these queries no tie-break puts {writing.feature(pair['trailer'])} ahead."
    if pd.isna(pair["tie_risk"]):
        return "Too many documents are tied to draw random tie-breaks."
    found = (
        f"One random tie-break does not keep {leader} ahead in {writing.number(percent(pair['tie_risk']))} of cases."
    )
    if pair["reversed_by"]:
        names = row_of([writing.tie_break(name) for name in pair["reversed_by"]])
        found = f"{found} {names} {'reverses' if len(pair['reversed_by']) == 1 else 'reverse'} the order."
    return found


def leader_sentence(study: Stability, *, writing: Writing = PLAIN) -> str:
    """Return which feature leads by expectation, and whether ties or other queries could change that."""
    places = study.places["place"]
    leaders = list(places.index[places == 1])
    if len(places) == 1:
        return f"{writing.feature(leaders[0])} has no other feature to be compared with."
    if len(leaders) > 1:
        return f"{row_of([writing.feature(name) for name in leaders])} share the first place."
    (leader,) = leaders
    return f"{_against_ties(leader, study, writing=writing)} {over_queries(leader, study, writing=writing)}".rstrip()


def _against_ties(leader: str, study: Stability, *, writing: Writing) -> str:
    name = writing.feature(leader)
    first = study.places["first"]
    if study.tie_orders is None:
        return f"{name} leads."
    # a feature that lacks queries counts 0 there; pairs leave these queries out
    counted = ", with missing queries counted as 0" if unequal_lists(study) else ""
    if study.places.loc[leader, "worst_place"] == 1:
        return f"{name} leads{counted}, however ties are broken."
    if first.isna().any():
        return f"{name} leads by expectation{counted}; too many documents are tied to draw random tie-breaks."
    share = writing.number(percent(min(first[leader], 1 - 0.5 / study.draws)))
    rivals = first.drop(leader).sort_values(ascending=False, kind="stable").head(3)
    others = row_of(
        [
            f"{writing.feature(str(other))} in {writing.number(percent(chance))}"
            for other, chance in rivals.items()
            if chance >= _WORTH
        ]
    )
    return (
        f"{name} leads by expectation{counted}, and is first in {share} of {study.draws:,} random tie-breaks"
        f"{f' ({others})' if others else ''}."
    )


def over_queries(leader: str, study: Stability, *, writing: Writing = PLAIN) -> str:
    """Return from which features the leader is clearly apart over the queries, as a sentence."""
    pairs = study.pairs
    own = pairs[(pairs["leader"] == leader) | (pairs["trailer"] == leader)]
    if study.n_queries < 6:
        return f"{queries_of(study.n_queries)} {_are(study.n_queries)} too few to tell what others would show."
    if not len(own):
        return ""
    if len(own) == 1:
        return pair_sentence(own.iloc[0], study, writing=writing).partition(". ")[0].rstrip(".") + "."
    is_clear = (own["verdict"] == "clear") & (own["leader"] == leader)
    rivals = {*own.loc[~is_clear, "leader"], *own.loc[~is_clear, "trailer"]} - {leader}
    names = [writing.feature(name) for name in study.places.index if name in rivals]  # the nearest first
    least, most = int(own["n_queries"].min()), int(own["n_queries"].max())
    over = f"Over {queries_of(most) if least == most else f'{least:,} to {queries_of(most)}'}"
    if not names:
        return f"{over} it is clearly better than every other feature."
    if len(names) == len(own):
        return f"{over} it is not clearly better than any other feature."
    return f"{over} it is clearly better than all but {row_of(names)}."
