"""Whether the winner changes from slice to slice of the queries, in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from tiecore.stability import Stability
from tiecore_dashboard.words import bold, capitalised, enumerate_names, in_html, p_is, plural, unbroken

__all__ = ["leaders_of", "pair_in", "slices_answer"]

_MOST = 6


def leaders_of(study: Stability) -> list[str]:
    """Features at place 1 of a slice."""
    place = study.places["place"]
    return [str(name) for name in place.index[place == 1]]


def pair_in(study: Stability, one: str, other: str) -> pd.Series | None:
    """Return the pair of two features in a slice, if they were compared."""
    pairs = study.pairs
    found = pairs[pairs["leader"].isin([one, other]) & pairs["trailer"].isin([one, other])]
    return found.iloc[0] if len(found) else None


def slices_answer(studies: Mapping[str, Stability], *, winners: Sequence[str]) -> tuple[str, list[str]]:
    """Say whether the first feature over all queries is first in every slice, and which leads are clear; HTML.

    ``studies``: name of the slice to what is known of its queries. ``winners``: features that rank first over all
    queries.
    """
    n_slices = len(studies)
    if n_slices == 1:
        name, study = next(iter(studies.items()))
        queries = plural(study.n_queries, "query", "queries")
        return f"There is only one slice: all {queries} are <strong>{in_html(name)}</strong>.", []
    who = enumerate_names([bold(name) for name in winners], most=2)
    firsts = {name: leaders_of(study) for name, study in studies.items()}
    kept = [name for name, leaders in firsts.items() if set(leaders) & set(winners)]
    verb = "ranks" if len(winners) == 1 else "rank"
    if len(kept) == n_slices:
        sentence = f"The winner stays: {who} {verb} first over all queries and <em>in each</em> of {n_slices} slices."
        n_clear = sum(_lead_is_clear(study) for study in studies.values())
        where = (
            "in none of them" if not n_clear else "in all of them" if n_clear == n_slices else f"in {n_clear} of them"
        )
        return sentence, [f"Its lead over the next is clear {where}."]
    also = f", and in {len(kept)} of {n_slices} slices" if kept else f", but in none of {n_slices} slices"
    others = [name for name in firsts if name not in kept]
    leads = {name: _lead_in(studies[name], firsts[name], winners) for name in others}
    n_clear = sum(is_clear for _, is_clear in leads.values())
    doubt = (
        "none of the other leads over it is clear"
        if not n_clear
        else f"{'the' if len(others) == 1 else f'{n_clear} of {len(others)}'} other "
        f"{'lead' if len(others) == 1 else 'leads'} over it {'is' if n_clear == 1 else 'are'} clear"
    )
    sentence = f"The winner <em>changes</em>: {who} {verb} first over all queries{also}; {doubt}."
    details = [f"<strong>{in_html(name)}</strong>: {text}" for name, (text, _) in leads.items()]
    more = len(details) - _MOST
    return sentence, [*details[:_MOST], *([f"{plural(more, 'more slice')} with another winner."] if more > 0 else [])]


def _lead_is_clear(study: Stability) -> bool:
    """Whether the first of a slice leads the second clearly."""
    names = list(study.places.index)
    pair = pair_in(study, names[0], names[1])
    return pair is not None and pair["verdict"] == "clear"


def _lead_in(study: Stability, leaders: Sequence[str], winners: Sequence[str]) -> tuple[str, bool]:
    """Say who leads a slice, and what the verdict is on its lead over the winner of all queries."""
    pair = pair_in(study, leaders[0], winners[0])
    first = f"{capitalised(enumerate_names([bold(name) for name in leaders], most=2))} first"
    if pair is None or not pair["n_queries"] or pair["verdict"] == "equal":
        return f"{first}; no query here separates it from {bold(winners[0])}.", False
    verdict, p = pair["verdict"], "too few queries to tell" if pd.isna(pair["holm"]) else unbroken(p_is(pair["holm"]))
    how = {
        "clear": f"is <em>clear</em> ({p})",
        "open": f"is open ({p})",
    }[verdict]
    return f"{first}; its lead over {bold(winners[0])} {how}.", verdict == "clear"
