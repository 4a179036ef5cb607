"""What ties do to features, what tie-breaks know, and what could be done about it."""

import math

import pandas as pd

from tiecore.board import Board
from tiecore.board.sentences import moved
from tiecore.diagnostics.bias import CLEAR
from tiecore.measures import Measure
from tiecore.stability.sentences import probability, tie_break_called
from tiecore_dashboard.charts.pieces import signed
from tiecore_dashboard.pages.pairs.answer import written
from tiecore_dashboard.words import (
    SAME,
    all_of,
    bold,
    capitalised,
    count,
    enumerate_names,
    in_html,
    number,
    percent,
    plural,
    tie_break_in_html,
    unbroken,
)

_MANY = 0.5
_CLEAR, _NEAR = 3.0, 0.2


def mixed_from(measure: Measure) -> int | None:
    """Grade from which a document among others makes a tie mixed; None where each grade counts for itself."""
    return None if measure.counts_grades else measure.threshold


def ties_answer(anatomy: pd.DataFrame, measure: Measure, *, cutoff: int | None) -> tuple[str, list[str]]:
    """Say how tied the features are, how often a cut-off falls into a tie, and which are constant within each query."""
    lines = _alarms(anatomy)
    if not (anatomy["tied"] > 0).any():
        return "No two documents of a query are tied: every way of breaking ties gives the same values.", lines
    if len(anatomy) == 1:
        alone, tied = str(anatomy.index[0]), percent(anatomy["tied"].iloc[0])
        ties = f"{capitalised(bold(alone))} ties <em>{tied}</em> of its documents"
    elif many := (anatomy["tied"] > _MANY).sum():
        some = plural(len(anatomy), "feature")
        some = all_of(many, "feature") if many == len(anatomy) else f"{count(many)} of {some}"
        tie, their = ("ties", "its") if many == 1 else ("tie", "their")
        ties = f"<em>{some}</em> {tie} more than half of {their} documents"
    else:
        most = anatomy["tied"].idxmax()
        ties = f"{capitalised(bold(str(most)))} ties most, {percent(anatomy['tied'].max())} of its documents"
    return f"{ties}{'' if cutoff is None else _cut(anatomy, measure, cutoff)}.", lines


def _cut(anatomy: pd.DataFrame, measure: Measure, cutoff: int) -> str:
    """Say how often a cut-off falls into a mixed tie, behind how tied the features are."""
    cut, link = anatomy[f"cut_in_mixed_tie@{cutoff}"], ", and" if len(anatomy) == 1 else ";"
    kinds = "documents of different grades" if measure.counts_grades else "relevant and non-relevant documents"
    if not cut.max():
        return f"{link} in no query does rank {count(cutoff)} cut through a tie of {kinds}"
    whom = [*map(bold, cut.index[cut == cut.max()])]
    whose, most = "its" if len(whom) == 1 else "their", "more" if len(anatomy) == 2 else "most"
    most = f" {most} often for {enumerate_names(whom)}," * (len(whom) < len(anatomy))
    often = f"in <em>{percent(cut.max())}</em> of {whose} queries"
    return f"{link} rank {count(cutoff)} cuts through a tie of {kinds}{most} {often}"


def _alarms(anatomy: pd.DataFrame) -> list[str]:
    """Features that are constant within each query, and those that are within some, each kind with a line."""
    raised = anatomy[anatomy["alarm"] != ""]
    nowhere = raised[raised["values_per_query"] <= 1]
    alike = nowhere.groupby("alarm", sort=False).groups
    named = {alarm: enumerate_names([*map(bold, names)]) for alarm, names in alike.items()}
    lines = [f"{capitalised(names)}: {in_html(str(alarm))}." for alarm, names in named.items()]
    if partly := [*map(bold, raised.index.difference(nowhere.index, sort=False))]:
        tie = "ties" if len(partly) == 1 else "tie"
        lines.append(f"{capitalised(enumerate_names(partly))} {tie} all documents of some queries.")
    return lines


def bias_answer(board: Board) -> str:
    """Say which tie-breaks clearly correlate with relevance, and which do not; empty where nothing is known."""
    if (pooled := board.bias) is None:
        return ""
    is_found = pooled["verdict"].str.contains(" correlates ")  # others may by chance, as several are looked at
    most, lines = "clearest for " * (len(board.all_names) > 1), list[str]()
    for name, verdict in pooled["verdict"][is_found].items():
        called = tie_break_in_html(str(name)) if verdict.startswith(str(name)) else ""  # else it names the feature
        shifts = " ".join(moved(board, str(name), written(board.stability)))
        lines.append(f"{called}{in_html(verdict.removeprefix(str(name)))} ({most}{shifts}).")
    clean = pooled[pooled["p"].notna() & ~is_found]
    if len(clean):
        names = [tie_break_called(str(name), written(board.stability)) for name in clean.index]
        none = {1: f"{capitalised(names[0])} does not correlate", 2: f"Neither {' nor '.join(names)} correlates"}
        lines.append(f"{none.get(len(names), f'None of {enumerate_names(names)} correlates')} clearly with relevance.")
        near, p = str(clean["p"].idxmin()), clean["p"].min()
        if len(board.all_names) > 1 and p < _NEAR:
            told = f"largest shift: {unbroken(probability(p))}; clear at {CLEAR:g} or less"
            lines.append(f"{capitalised(tie_break_called(near, written(board.stability)))} comes closest ({told}).")
    return " ".join(lines)


def precision_answer(board: pd.DataFrame, *, precision: str, measure: str) -> str:
    """Say what a coarser format does to the leaderboard; ``board``: that of ``tiecore.diagnostics.precision_board``."""
    n_moved = (board["exact_place"] != board["place"]).sum()
    costs = [*map(bold, board.index[board["verdict"] == "costs"])]
    is_first = board["place"] == 1
    leads = ", not the leader"
    if not is_first.equals(board["exact_place"] == 1):
        leads = f"; {enumerate_names([*map(bold, board.index[is_first])])} would lead"
    order = "keeps every place"
    if n_moved:
        order = f"moves <em>{count(n_moved)} of {plural(len(board), 'feature')}</em>{leads}"
    most = board.iloc[board["change"].abs().argmax()]
    is_one = len(board) == 1
    loss = "the value does not change" if is_one else "no value changes"
    if costs:
        loss = f"{enumerate_names(costs)} clearly {'loses' if len(costs) == 1 else 'lose'} {in_html(measure)}"
    elif abs(most["change"]) > SAME:
        told = "" if math.isnan(most["p"]) else f", {unbroken(probability(most['p']))}"
        largest = "change is" if is_one else f"largest change is that of {bold(str(most.name))},"
        loss += f" clearly; the {largest} {number(most['change'])}{told}"
    return f"In {precision} {'' if is_one else f'the leaderboard {order}; '}{loss}."


def hidden_answer(hidden: pd.DataFrame) -> str:
    """Say whether ties seem to have been hidden by small changes of the scores."""
    found = hidden["note"][hidden["note"] != ""]
    if not len(found):
        return "No sign that a tool has hidden ties by changing scores in their last digits."
    return " ".join(f"{capitalised(bold(str(feature)))}: {in_html(note)}." for feature, note in found.items())


def advice_answer(advice: pd.DataFrame, *, feature: str, measure: str, before: float) -> str:
    """Say which other feature breaks the ties best, and whether that is more than chance."""
    best = advice.iloc[0]
    name = bold(str(advice.index[0]))
    if best["gained"] <= SAME:
        return f"No other feature breaks the ties of {bold(feature)} better than chance does."
    change = f"{number(before)} to {number(best['expected'])}"
    if best["low"] == best["low"]:
        ends = f"{signed(best['low'])} to {signed(best['high'])}"
        change += f" (gain {signed(best['gained'])}, 95\u00a0% interval {ends})"
    removed = f"; {percent(best['spread_removed'])} of the spread of {bold(feature)} disappears"
    removed *= bool(best["spread_removed"] > 0)
    luck = "but chance alone could give as much"
    if best["z"] >= _CLEAR:
        luck = "more than chance alone would give"
    elif math.isnan(best["z"]):
        luck = "and how far random orders alone would move it is not known"
    return f"Breaking ties by {name} takes {in_html(measure)} of {bold(feature)} from {change}, {luck}{removed}."
