"""Whether the winner is one, and what each tie-break did to the order of the features."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

from tiecore.evaluation.columns import column_of
from tiecore.stability import Stability
from tiecore.stability.agreement import agreement
from tiecore_dashboard.ui.words import begin, bold, chance, enumerate_names, in_html, number, plural, tie_break_in_html

__all__ = ["contenders", "moved", "ranking_answer"]

_MANY = 4
_NOT_CERTAIN, _WORTH = 0.9995, 0.01
"""Highest chance of what is not certain; lowest that is worth a word."""
_HIDDEN = (
    "If a tool has set tied documents apart by tiny steps, the page Ties finds them: look at <em>precision</em> there."
)
_LIKELY = ((0.95, "very likely"), (0.8, "likely"))


def moved(board: pd.DataFrame, tie_break: str) -> list[str]:
    """Features that a tie-break puts at another place than the expectation does."""
    return list(board.index[board[column_of(board, tie_break, "shift")] != 0])


def contenders(board: pd.DataFrame, tie_breaks: Sequence[str]) -> list[str]:
    """Features that lead under the expectation or under one of the tie-breaks."""
    columns = ["place", *(column_of(board, name, "place") for name in tie_breaks)]
    return [str(name) for name in board.index[(board[columns] == 1).any(axis=1)]]


def ranking_answer(
    board: pd.DataFrame, *, tie_breaks: Sequence[str], stable: Stability | None, flat: Sequence[str] = ()
) -> tuple[str, list[str]]:
    """Answer whether the winner is one, and tell what each tie-break did: a sentence, and the rest as a list.

    Parameters
    ----------
    board, stable
        The leaderboard, and its stability if it is known.
    tie_breaks
        To be told about.
    flat
        Features that give all documents of a query one score.
    """
    if (board["worst"] == board["best"]).all():
        order = " and the same order" if len(board) > 1 else ""
        return (
            f"{_leader(board)} No tie matters here: every way of breaking ties gives the same values{order}.",
            [_HIDDEN, *_no_rankings(flat)],
        )
    changes = _changes(board, tie_breaks) if len(board) > 1 else _values(board, tie_breaks)
    return begin(_winner(board, stable)), [*changes, *_no_rankings(flat)]


def _leader(board: pd.DataFrame) -> str:
    """Who has the best value, where ties leave nothing open."""
    leaders, value = list(board.index[board["place"] == 1]), number(board["expected"].iloc[0])
    if len(board) == 1:
        return begin(f"{bold(leaders[0])} has {value}.")
    return begin(f"{enumerate_bold(leaders)} {'leads' if len(leaders) == 1 else 'share the first place'} with {value}.")


def _no_rankings(flat: Sequence[str]) -> list[str]:
    if not flat:
        return []
    what = "is no ranking: it gives" if len(flat) == 1 else "are no rankings: they give"
    return [begin(f"{enumerate_bold(flat)} {what} all documents of a query one score, which ranks them at random.")]


def _winner(board: pd.DataFrame, stable: Stability | None) -> str:
    leaders = list(board.index[board["place"] == 1])
    leader = leaders[0]
    value = number(board["expected"].iloc[0])
    if len(board) == 1:
        return (
            f"{bold(leader)} is expected at {value}; ties can take it from {number(board['worst'].iloc[0])} to "
            f"{number(board['best'].iloc[0])}. Load another feature to compare."
        )
    if len(leaders) > 1:
        return f"{enumerate_bold(leaders)} share the first place with {value}."
    if stable is None:
        return f"{bold(leader)} leads with an expectation of {value}."
    verdicts = stable.verdicts.loc[leader].drop(leader)
    first = stable.place_probability[1].clip(upper=_NOT_CERTAIN)
    if (verdicts == "certain").all():
        return f"{bold(leader)} wins, and that is <em>certain</em>: no way of breaking ties puts another feature first."
    share = f"it comes first in {in_html(chance(first[leader]))} of random tie-breaks"
    for least, word in _LIKELY:
        if first[leader] >= least:
            return f"{bold(leader)} <em>{word}</em> wins: {share}."
    rivals = [name for name in first.sort_values(ascending=False, kind="stable").index if name != leader]
    told = enumerate_names(
        [f"{in_html(name)} in {chance(first[name])}" for name in rivals[:3] if first[name] >= _WORTH]
    )
    return (
        f"The winner is decided by <em>luck</em>: {bold(leader)} leads on average, but comes first in only "
        f"{in_html(chance(first[leader]))} of random tie-breaks, {told}."
    )


def _values(board: pd.DataFrame, tie_breaks: Sequence[str]) -> list[str]:
    """What each tie-break makes of the only feature there is."""
    told = [f"{tie_break_in_html(name)} gives {number(board[name].iloc[0])}" for name in tie_breaks]
    return [f"{', '.join(told)}."] if told else []


def _tau(board: pd.DataFrame, tie_break: str) -> str:
    table = agreement(["expected", tie_break], board[["place", column_of(board, tie_break, "place")]].to_numpy().T)
    value = float(table["kendall_tau"].iloc[0])
    if math.isnan(value):  # an order that holds all features equal has no correlation
        return ""
    meaning = "Kendall’s tau with the order of the expectations: 1 the same order, 0 unrelated, −1 reversed"
    return f' (<abbr title="{meaning}">τ {value:.2f}</abbr>)'.replace("-0.", "−0.")


def enumerate_bold(names: Sequence[str]) -> str:
    """Names in a row, bold."""
    return enumerate_names([bold(name) for name in names], most=_MANY)


def _changes(board: pd.DataFrame, tie_breaks: Sequence[str]) -> list[str]:
    """What each tie-break did to the order; those that did nothing share a line."""
    leaders = set(board.index[board["place"] == 1])
    lines, harmless = [], []
    for name in tie_breaks:
        changed = moved(board, name)
        if not changed:
            harmless.append(name)
            continue
        ahead = [str(feature) for feature in board.index[board[column_of(board, name, "place")] == 1]]
        line = (
            f"Under {tie_break_in_html(name)} {len(changed)} of {plural(len(board), 'feature')} "
            f"{'changes' if len(changed) == 1 else 'change'} place{_tau(board, name)}"
        )
        if set(ahead) != leaders:
            line += f", and {enumerate_bold(ahead)} {'leads' if len(ahead) == 1 else 'lead'}"
        lines.append(f"{line}.")
    if harmless:
        told = enumerate_names([tie_break_in_html(name) for name in harmless], most=_MANY)
        lines.append(f"Under {told} every feature keeps its place.")
    return lines
