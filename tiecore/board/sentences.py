"""The headline of a board: who leads, by how much, whether that is clear, and what the tie-breaks in use do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from tiecore.diagnostics.bias import AVOID
from tiecore.evaluation.intervals import FEWEST_QUERIES
from tiecore.stability.sentences import (
    Writing,
    heading_of,
    queries_of,
    row_of,
    scale_of,
    tie_break_called,
    tie_risk,
    tie_sentence,
    unequal_lists,
)
from tiecore.ties.tie_breaks import known_as

if TYPE_CHECKING:
    from tiecore.board.board import Board


def cut(name: str, most: int = 48) -> str:
    """Return a name without its middle where it is longer.

    >>> cut("a_feature_with_a_very_long_name_v2", 24)
    'a_feature_wi…ong_name_v2'
    """
    return name if len(name) <= most else f"{name[: most // 2]}…{name[len(name) - (most - 1) // 2 :]}"


WRITING = Writing(feature=cut, tie_break=known_as, difference=lambda value: f"{value:.4f}".replace("-", "−"))
"""How sentences are written in a figure."""


def headline(board: Board, writing: Writing) -> Iterator[str]:
    """Yield the sentences of :meth:`Board.headline`."""
    yield _lead(board, writing)
    yield from _others(board, writing)
    if not board.is_filtered and (unequal := unequal_lists(board.stability)):
        yield unequal
    if not board.has_ties:
        yield "No tie matters here: every tie-break gives the same values."
    elif len(board.rows) == 1:
        yield from _values(board, writing)
    else:
        of_two = _of_two(board, writing)
        yield from [of_two] if of_two else _places(board, writing)
        yield from _warnings(board, writing)


def _lead(board: Board, writing: Writing) -> str:
    """Return who leads, by how much, and whether that is clear over the queries."""
    first = board.rows.iloc[0]
    leader, value = writing.feature(board.names[0]), writing.number(writing.difference(first["value"]))
    by_value = f"{value} in {heading_of(board.measure)} over {queries_of(board.n_queries, board.stability.unit)}"
    if len(board.rows) == 1:
        return f"{leader} has {by_value}{_interval(first, board, writing)}."
    leaders = board.rows.index[board.rows["place"] == first["place"]]
    if len(leaders) > 1:
        return f"{row_of([writing.feature(name) for name in leaders])} share the first place with {by_value}."
    rival = board.names[1] if board.reference == board.names[0] else board.reference
    both, pairs = (board.names[0], rival), board.pairs
    own = pairs[pairs["leader"].isin(both) & pairs["trailer"].isin(both)]
    if own.empty:  # a baseline that is not on the board
        return f"{leader} is first with {by_value}."
    return _difference(board, own.iloc[0], rival=writing.feature(rival), by_value=by_value, writing=writing)


def _difference(board: Board, pair: pd.Series, *, rival: str, by_value: str, writing: Writing) -> str:
    """Return how far the first feature is ahead of another, and whether that is clear."""
    unit = board.stability.unit
    leader, queries = writing.feature(board.names[0]), queries_of(int(pair["n_queries"]), unit)
    if not pair["n_queries"]:
        return f"{leader} is first with {by_value}; it has no {unit} in common with {rival}."
    if not pair["difference"]:
        return f"{leader} is first with {by_value}; on the {queries} that both list, {rival} is level with it."
    if pair["leader"] != board.names[0]:
        counts = "" if board.stability.tie_orders is None else " (a query that a feature does not list counts 0)"
        return f"{leader} is first with {by_value}; but on the {queries} that both list, {rival} is ahead{counts}."
    by = writing.number(writing.difference(pair["difference"]))
    lead = f"{leader} leads {rival} by {by} in {scale_of(board.measure)}"
    lead += "" if board.measure.higher_is_better else ", where lower is better"
    if pair["n_queries"] < FEWEST_QUERIES:
        return f"{lead}; {queries} {'is' if pair['n_queries'] == 1 else 'are'} too few to tell more."
    lead += _interval(pair, board, writing)
    if pair["verdict"] == "small":
        return f"{lead}, too small to matter over {queries}."
    lead += f": {pair['verdict']} over {queries}"
    if pair["verdict"] == "open" and pair["low"] > 0:
        lead += f" once {board.stability.n_tests:,} pairs are compared"
    if not board.has_ties or _of_two(board, writing):
        return f"{lead}."  # what follows says it
    if pair["ties"] == "certain":
        lead += "; no tie-break reverses it"
    elif not np.isnan(pair["tie_risk"]):
        lead += f"; tie risk {writing.number(tie_risk(pair['tie_risk'], board.stability.draws))}"
    return f"{lead}."


def _interval(row: pd.Series, board: Board, writing: Writing) -> str:
    """Return an interval in brackets; nothing where it is not known."""
    if np.isnan(row["low"]):
        return ""
    ends = (writing.number(writing.difference(row[end])) for end in ("low", "high"))
    return f" ({writing.number(board.stability.words['level'])} interval {' to '.join(ends)})"


def _others(board: Board, writing: Writing) -> Iterator[str]:
    """Yield how many features the first one, or the baseline, is clearly apart from."""
    others = board.rows.drop(board.reference)
    if len(others) < 2 or others["holm"].isna().all():
        return
    is_clear = others["verdict"] == "clear"
    leader = writing.feature(board.names[0])
    better, worse = others[is_clear & (others["behind"] < 0)], others[is_clear & (others["behind"] > 0)]
    if board.reference != board.names[0]:
        yield (
            f"{len(better)} of the {len(others)} others {'is' if len(better) == 1 else 'are'} clearly better than "
            f"{writing.feature(board.reference)}, {len(worse)} clearly worse."
        )
    elif len(worse) == len(others):
        yield f"{leader} is clearly better than each of the {len(others)} others."
    elif worse.empty:
        yield f"{leader} is not clearly better than any of the {len(others)} others."
    else:
        rivals = others.index.difference(worse.index, sort=False)
        names, but = (worse.index, "") if len(worse) < len(rivals) else (rivals, "all but ")
        listed = row_of([writing.feature(name) for name in names])
        yield f"{leader} is clearly better than {len(worse)} of the {len(others)} others: {but}{listed}."


def _values(board: Board, writing: Writing) -> Iterator[str]:
    """Yield what ties make of the only feature."""
    row = board.rows.iloc[0]
    worst, best = (writing.number(writing.difference(row[name])) for name in ("worst", "best"))
    yield f"The order of tied documents can make it anything from {worst} to {best}."
    values = [
        f"{writing.tie_break(name)} gives {writing.number(writing.difference(row[name]))}" for name in board.tie_breaks
    ]
    if values:
        yield f"{', '.join(values)}."


def _of_two(board: Board, writing: Writing) -> str:
    """Return whether ties could have decided between the only two features; empty where one sentence is too little."""
    if len(board.rows) != 2 or board.pairs.empty:
        return ""
    pair = board.pairs.iloc[0]
    is_known = pair["difference"] and pair["leader"] == board.names[0] and not np.isnan(pair["tie_risk"])
    return tie_sentence(pair, board.stability.draws, writing=writing) if is_known else ""


def _places(board: Board, writing: Writing) -> Iterator[str]:
    """Yield what each tie-break does to the order, those first that put another feature first."""
    leaders, changes, still = set(board.rows.index[board.rows["place"] == 1]), [], []
    for name in board.tie_breaks:
        place = board.rows[f"{name} place"]
        n_moved = int((place != board.rows["place"]).sum())
        first = [writing.feature(feature) for feature in place.index[place == 1] if feature not in leaders]
        if n_moved:
            changes.append((not first, n_moved, tie_break_called(name, writing), first))
        else:
            still.append(tie_break_called(name, writing))
    changes.sort(key=lambda change: change[0])
    texts = []
    for number, (_, n_moved, name, first) in enumerate(changes):
        text = f"under {name}, {n_moved} {'does' if n_moved == 1 else 'do'}"
        if not number:
            text = (
                f"Under {name}, {n_moved} of {len(board.rows)} features {'changes' if n_moved == 1 else 'change'} place"
            )
        texts.append(f"{text}, and {row_of(first)} {'comes' if len(first) == 1 else 'come'} first" if first else text)
    if texts:
        stay = (board.courses()[0][: len(leaders)] == 1).all()
        if leaders and stay and not any(first for *_, first in changes):
            verb = "stays" if len(leaders) == 1 else "stay"
            texts.append(f"{row_of([writing.feature(name) for name in board.names[: len(leaders)]])} {verb} first")
        yield f"{'; '.join(texts)}."
    if still:
        yield f"Under {row_of(still)} every feature keeps its place."


def _warnings(board: Board, writing: Writing) -> Iterator[str]:
    """Yield a warning for each tie-break that correlates with relevance."""
    for name, row in board.bias.iterrows() if board.bias is not None else ():
        if row["verdict"].endswith(AVOID):
            lifts = row["z"] > 0 if board.measure.higher_is_better else row["z"] < 0
            yield (
                f"Under {writing.tie_break(str(name))} relevant documents tend to come {'first' if lifts else 'last'} "
                f"among tied ones ({moved(board, str(name), writing)}): {AVOID}."
            )


def moved(board: Board, tie_break: str, writing: Writing) -> str:
    """Return what a tie-break does to the feature that it moves most against chance, and its z."""
    assert board.bias is not None, "else no tie-break was tested"
    strongest = str(board.bias["strongest"][tie_break])
    shown = writing.number(f"z = {board.bias['z'][tie_break]:.1f}".replace("-", "−"))
    if strongest not in board.rows.index:
        return f"{writing.feature(strongest)}, {shown}"
    before, after = (
        writing.number(writing.difference(board.rows[column][strongest])) for column in ("value", tie_break)
    )
    return f"{writing.feature(strongest)} {before} → {after}, {shown}"
