"""Who ranks first, whether ties or other queries could change that, and what each tie-break does to the order."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from tiecore.evaluation.columns import column_of
from tiecore.stability import Stability
from tiecore.stability.agreement import tau_b
from tiecore.stability.sentences import leader_sentence, over_queries, unequal_lists
from tiecore_dashboard.pages.pairs.alike_answer import coefficient
from tiecore_dashboard.pages.pairs.answer import HTML
from tiecore_dashboard.words import bold, capitalised, enumerate_names, in_html, number, plural, tie_break_in_html

__all__ = ["contenders", "duplicates", "moved", "movers", "ranking_answer"]

_MANY = 4
_FIRST = 1000
_HIDDEN = (
    "Scores that differ only in their last digits can hide ties: the page Ties, under <em>precision</em>, looks "
    "for such features."
)


def moved(board: pd.DataFrame, tie_break: str) -> list[str]:
    """Features that a tie-break puts at another place than the expectation does."""
    return list(board.index[board[column_of(board, tie_break, "shift")] != 0])


def contenders(board: pd.DataFrame, tie_breaks: Sequence[str]) -> list[str]:
    """Features that lead under the expectation or under one of the tie-breaks."""
    columns = ["place", *(column_of(board, name, "place") for name in tie_breaks)]
    return [str(name) for name in board.index[(board[columns] == 1).any(axis=1)]]


def movers(board: pd.DataFrame, tie_breaks: Sequence[str]) -> list[str]:
    """Features that some tie-break moves to another place: those that lead somewhere first, then the most moved."""
    if not tie_breaks:
        return []
    shift = board[[f"{name} shift" for name in tie_breaks]].abs().max(axis=1)
    moving = shift[shift > 0].sort_values(ascending=False, kind="stable")
    first = [name for name in contenders(board, tie_breaks) if name in moving.index]
    return list(dict.fromkeys([*first, *map(str, moving.index)]))


def duplicates(values: np.ndarray, names: Sequence[str]) -> list[tuple[str, ...]]:
    """Group the features that have the same values throughout, in the order of their names.

    ``values``: (n_features, …) values; the last digits, which depend on the order of additions, do not count.
    """
    flat = values.reshape(len(values), -1)
    # the first values tell most features apart
    found = [group for some in _same(flat[:, :_FIRST], range(len(flat))) for group in _same(flat, some)]
    return [tuple(names[place] for place in group) for group in sorted(found)]


def _same(values: np.ndarray, places: Iterable[int]) -> list[list[int]]:
    """Group some rows that are the same."""
    groups: dict[bytes, list[int]] = {}
    for place in places:
        own = np.round(values[place], 12) + 0.0
        groups.setdefault(own.tobytes(), []).append(place)
    return [group for group in groups.values() if len(group) > 1]


def ranking_answer(
    board: pd.DataFrame, *, tie_breaks: Sequence[str], stable: Stability | None, flat: Sequence[str] = ()
) -> tuple[str, list[str]]:
    """Say who ranks first, and whether ties or other queries could change that: a sentence, and more as a list; HTML.

    ``board``, ``stable``: the leaderboard, and its stability if it is known. ``flat``: features that give all documents
    of a query one score.
    """
    constant = _constant(flat)
    unequal = [sentence] if stable is not None and (sentence := unequal_lists(stable)) else []
    if (board["worst"] == board["best"]).all():
        order = " and the same order" if len(board) > 1 else ""
        harmless = f"No tie matters here: every tie-breaking gives the same values{order}."
        return f"{_leader(board, stable)} {harmless}", [*unequal, _HIDDEN, *constant]
    changes = _changes(board, tie_breaks) if len(board) > 1 else _values(board, tie_breaks)
    return capitalised(_winner(board, stable)), [*unequal, *changes, *constant]


def _leader(board: pd.DataFrame, stable: Stability | None) -> str:
    """Say who has the best value, where ties leave nothing open."""
    leaders, value = list(board.index[board["place"] == 1]), number(board["expected"].iloc[0])
    if len(board) == 1:
        return capitalised(f"{bold(leaders[0])} has {value}.")
    sentence = f"{enumerate_bold(leaders)} {'ranks' if len(leaders) == 1 else 'share the'} first with {value}."
    sentence = sentence.replace("share the first", "share the first place")
    queries = over_queries(leaders[0], stable, writing=HTML) if stable is not None and len(leaders) == 1 else ""
    return capitalised(f"{sentence} {queries}".rstrip())


def _constant(flat: Sequence[str]) -> list[str]:
    if not flat:
        return []
    verbs = ("is", "it orders") if len(flat) == 1 else ("are", "they order")
    return [capitalised(f"{enumerate_bold(flat)} {verbs[0]} constant within each query: {verbs[1]} nothing.")]


def _winner(board: pd.DataFrame, stable: Stability | None) -> str:
    leaders = list(board.index[board["place"] == 1])
    leader = leaders[0]
    value = number(board["expected"].iloc[0])
    if len(board) == 1:
        return (
            f"{bold(leader)} is expected at {value}; tie-breaking can move it from {number(board['worst'].iloc[0])} to "
            f"{number(board['best'].iloc[0])}. Load another feature to compare."
        )
    if len(leaders) > 1:
        return f"{enumerate_bold(leaders)} share the first place with {value}."
    if stable is None:
        return f"{bold(leader)} ranks first with an expectation of {value}."
    return leader_sentence(stable, writing=HTML)


def _values(board: pd.DataFrame, tie_breaks: Sequence[str]) -> list[str]:
    """What each tie-break makes of the only feature there is."""
    values = [f"{tie_break_in_html(name)} gives {number(board[name].iloc[0])}" for name in tie_breaks]
    return [f"{', '.join(values)}."] if values else []


def _taus(board: pd.DataFrame, tie_breaks: Sequence[str]) -> dict[str, str]:
    """How far the order under each tie-break is that of the expectations, in brackets."""
    columns = ["place", *(column_of(board, name, "place") for name in tie_breaks)]
    with np.errstate(invalid="ignore"):  # an order that holds all features equal has no correlation
        taus = tau_b(board[columns].to_numpy().T)[0, 1:].tolist()
    meaning = "Kendall’s tau with the order of the expectations: 1 the same order, 0 unrelated, −1 reversed"
    return {
        name: "" if math.isnan(tau) else f' (<abbr title="{meaning}">τ {in_html(coefficient(tau))}</abbr>)'
        for name, tau in zip(tie_breaks, taus, strict=True)
    }


def enumerate_bold(names: Sequence[str]) -> str:
    """Names in a row, bold."""
    return enumerate_names([bold(name) for name in names], most=_MANY)


def _changes(board: pd.DataFrame, tie_breaks: Sequence[str]) -> list[str]:
    """What each tie-break did to the order; those that did nothing share a line."""
    leaders = set(board.index[board["place"] == 1])
    changes: list[str] = []
    harmless: list[str] = []
    taus = _taus(board, tie_breaks) if tie_breaks else {}
    for name in tie_breaks:
        changed = moved(board, name)
        if not changed:
            harmless.append(name)
            continue
        ahead = [str(feature) for feature in board.index[board[column_of(board, name, "place")] == 1]]
        many = (
            ""
            if changes
            else f" of {plural(len(board), 'feature')} {'changes' if len(changed) == 1 else 'change'} place"
        )
        change = f"{tie_break_in_html(name)} {len(changed)}{many}{taus[name]}"
        if set(ahead) != leaders:
            change += f", and {enumerate_bold(ahead)} {'leads' if len(ahead) == 1 else 'lead'}"
        changes.append(change)
    lines = [f"Under {'; under '.join(changes)}."] if changes else []
    if harmless:
        names = enumerate_names([tie_break_in_html(name) for name in harmless], most=_MANY)
        lines.append(f"Under {names} every feature keeps its place.")
    return lines
