"""The headline of a board: who leads, by how much, whether that is clear, and what the tie-breaks in use do."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from tiecore.diagnostics.bias import AVOID
from tiecore.stability.sentences import (
    Writing,
    finding,
    heading_of,
    in_digits,
    queries_of,
    reversal,
    row_of,
    tie_break_called,
    unequal_lists,
)
from tiecore.ties.tie_breaks import known_as

if TYPE_CHECKING:
    from tiecore.board.board import Board
    from tiecore.stability import Stability

REVERSED = "⇅"
"""Mark of a pair whose order a tie-break reverses."""
_MOST_CHANGES = 3
"""Changes of the order that are told one by one; of more the first two."""
_MOST_NAMED = 4
"""Features that are named one by one beside how many the first one is clearly better than."""
_MOST = 0.75
"""Share of the features that a tie-break moves one way from which on it is warned of for all."""
_REVERSES = {"input-reversed": "input", "docid-asc": "docid-desc"}
"""Tie-breaks that put tied documents the other way round than another one does."""


def cut(name: str, most: int = 48, among: Collection[str] = ()) -> str:
    """Return a name without its middle where it is longer.

    ``among``: names that it is to be told from; where the ends of several are the same, what differs stays.

    >>> cut("a_feature_with_a_very_long_name_v2", 24)
    'a_feature_wi…ong_name_v2'
    >>> models = [f"cross_encoder_of_clicks_v{number}_on_logs_of_2026" for number in (1, 12)]
    >>> [cut(name, 24, models) for name in models]
    ['cross_enco…v1…gs_of_2026', 'cross_enc…v12…gs_of_2026']
    """
    return _cut(tuple(among), most).get(name) or _without_middle(name, most)


def all_cut(names: Collection[str], most: int) -> dict[str, str]:
    """Return many names, each without its middle where it is longer, so that no two become the same.

    >>> all_cut(["clicks", "a_feature_with_a_very_long_name_v2"], 24)
    {'clicks': 'clicks', 'a_feature_with_a_very_long_name_v2': 'a_feature_wi…ong_name_v2'}
    """
    known = _cut(tuple(names), most)
    return {name: known.get(name) or _without_middle(name, most) for name in names}


def _without_middle(name: str, most: int) -> str:
    return name if len(name) <= most else f"{name[: most // 2]}…{name[len(name) - (most - 1) // 2 :]}"


@lru_cache(maxsize=64)
def _cut(names: tuple[str, ...], most: int) -> dict[str, str]:
    """Return those names of which cutting out the middle would leave the same, with what tells them apart."""
    alike: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        alike.setdefault(_without_middle(name, most), []).append(name)
    found = {}
    for group in (group for group in alike.values() if len(group) > 1):
        start, end = _shared(group), _shared([name[::-1] for name in group])[::-1]
        end = end[max(0, len(start) + len(end) - min(map(len, group))) :]
        part = rf"[^\W_]{{0,{most // 6}}}"  # words that differ are shown from their beginning to their end, if short
        start, end = re.sub(f"{part}$", "", start), re.sub(f"^{part}", "", end)
        for name in group:
            own = _without_middle(name[len(start) : len(name) - len(end)], most - 4)
            left = (most - len(own)) // 2
            right = most - len(own) - left
            begin = start if len(start) <= left else f"{start[: left - 1]}…"
            found[name] = f"{begin}{own}{end if len(end) <= right else f'…{end[len(end) - right + 1 :]}'}"
    return found


def _shared(names: list[str]) -> str:
    """Return what all of them begin with."""
    alike = takewhile(lambda letters: len({*letters}) == 1, zip(*names, strict=False))
    return "".join(letters[0] for letters in alike)


def writing_of(study: Stability) -> Writing:
    """Return how sentences on a study are written in a figure: a name of digits alone is called a feature."""
    names = tuple(study.places.index)
    return Writing(feature=lambda one: f"{'feature ' * one.isdigit()}{cut(one, among=names)}", tie_break=known_as)


def in_column(values: Iterable[float], beside: Iterable[float] = ()) -> list[str]:
    """Return values with equally many decimals; ``beside``: others, which have as many.

    >>> in_column([3.25, 12.5, float("nan")])
    ['3.25', '12.50', '–']
    """
    known = [*values]
    size = max((abs(value) for value in (*known, *beside) if value == value), default=0.0)
    return [in_digits(value, size) for value in known]


def pairs_among(pairs: pd.DataFrame, names: Collection[str]) -> pd.DataFrame:
    """Return those pairs of a study both of whose features have one of the names."""
    return pairs[pairs["leader"].isin(names) & pairs["trailer"].isin(names)]


def headline(board: Board, writing: Writing) -> Iterator[str]:
    """Yield the sentences of :meth:`Board.headline`."""
    yield _lead(board, writing)
    unequal = "" if board.is_filtered else unequal_lists(board.stability)
    if others := " ".join(filter(None, [*_others(board, writing), unequal])):
        yield others
    yield from filter(None, (" ".join(said) for said in (on_ties(board, writing), warnings_on(board, writing))))


def on_ties(board: Board, writing: Writing) -> Iterator[str]:
    """Return what tie-breaks do to the features on a board, in sentences."""
    if not board.has_ties:
        return iter(["No tie matters here: every tie-break gives the same values."])
    return (_values, _of_two, _places)[min(len(board.rows), 3) - 1](board, writing)


def _lead(board: Board, writing: Writing) -> str:
    """Return who leads, by how much, and whether that is clear over the queries."""
    first = board.rows.iloc[0]
    leader, value = writing.feature(board.names[0]), writing.number(writing.difference(first["value"]))
    by_value = f"{value} in {heading_of(board.measure)} over {queries_of(board.n_queries, board.stability.unit)}"
    if len(board.rows) == 1:
        return f"{leader} has {by_value}{_interval(first, board, writing)}."
    leaders = board.rows.index[board.rows["place"] == first["place"]]
    if len(leaders) > 1 and len(board.rows) > 2:
        names = row_of([writing.feature(name) for name in leaders])
        return f"{writing.verdict('No clear winner')}: {names} share first place with {by_value}."
    rival = board.names[1] if board.reference == board.names[0] else board.reference
    own = pairs_among(board.pairs, (board.names[0], rival))
    if own.empty:  # a baseline that is not on the board
        return f"{leader} is first with {by_value}."
    pair, unit, other = own.iloc[0], board.stability.unit, writing.feature(rival)
    is_first = f"{writing.verdict('No clear winner')}: {leader} is first with {by_value}"
    if not pair["n_queries"]:
        return f"{is_first}; it has no {unit} in common with {other}."
    if len(leaders) == 1 and (pair["leader"] != board.names[0] or not pair["difference"]):
        counts = "" if board.stability.tie_orders is None else f" (a {unit} that a feature does not list counts 0)"
        how = f"is ahead{counts}" if pair["difference"] else "is level with it"
        return f"{is_first}; but on the {queries_of(int(pair['n_queries']), unit)} that both list, {other} {how}."
    return finding(pair, board.stability, writing=writing)


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
    if (others["verdict"] == "equal").all():
        same = "have the same {value} on every {query}".format(**board.stability.words)
        yield f"All {len(board.rows)} are equal: they {same}."
        return
    is_clear = others["verdict"] == "clear"
    leader = writing.feature(board.names[0])
    better, worse = others[is_clear & (others["behind"] < 0)], others[is_clear & (others["behind"] > 0)]
    if board.reference != board.names[0] and better.empty and worse.empty:
        none = "Neither of the" if len(others) == 2 else f"None of the {len(others)}"
        yield f"{none} others is clearly better or worse than {writing.feature(board.reference)}."
    elif board.reference != board.names[0]:
        yield (
            f"{len(better)} of the {len(others)} others {'is' if len(better) == 1 else 'are'} clearly better than "
            f"{writing.feature(board.reference)}, {len(worse)} clearly worse."
        )
    elif len(worse) == len(others):
        yield f"{leader} is clearly better than {'both' if len(others) == 2 else f'all {len(others)}'} others."
    elif worse.empty:
        any_of_them = "either of the others" if len(others) == 2 else f"any of the {len(others)} others"
        yield f"{leader} is not clearly better than {any_of_them}."
    else:
        rivals = others.index.difference(worse.index, sort=False)
        names, but = (worse.index, "") if len(worse) <= max(_MOST_NAMED, len(rivals)) else (rivals, "all but ")
        which = f": {but}{row_of([writing.feature(name) for name in names])}" if len(names) <= _MOST_NAMED else ""
        yield f"{leader} is clearly better than {len(worse)} of the {len(others)} others{which}."


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


def _of_two(board: Board, writing: Writing) -> Iterator[str]:
    """Yield which tie-breaks reverse the order of the only two features."""
    yield from filter(None, [reversal(pair, writing) for _, pair in board.pairs.iterrows()])


def _places(board: Board, writing: Writing) -> Iterator[str]:
    """Yield what each tie-break does to the order, those first that put another feature first."""
    leaders, n_features = set(board.rows.index[board.rows["place"] == 1]), len(board.rows)
    changes: dict[tuple[str, int], list[str]] = {}  # who comes first, and how many move: under which
    for name in board.tie_breaks:
        place = board.rows[f"{name} place"]
        held, come = (
            [writing.feature(feature) for feature in place.index[place == 1] if (feature in leaders) == is_known]
            for is_known in (True, False)
        )
        s = "s" if len(come) == 1 else ""
        first = f"share{s} first place with {row_of(held)}" if held else f"come{s} first"
        n_moved = (place != board.rows["place"]).sum()
        key = f", and {row_of(come)} {first}" if come else "", n_moved
        changes.setdefault(key, []).append(tie_break_called(name, writing))
    still = changes.pop(("", 0), [])
    texts: list[str] = []
    ordered = sorted(changes.items(), key=lambda change: not change[0][0])
    rest = ordered[2:] if len(ordered) > _MOST_CHANGES else []
    for (comes, n_moved), names in ordered[: len(ordered) - len(rest)]:
        how_many = f"all {n_features}" if n_moved == n_features else str(n_moved)
        if texts:
            how_many += " does" if n_moved == 1 else " do"
        else:
            how_many += "" if n_moved == n_features else f" of {n_features}"
            how_many += f" features {'changes' if n_moved == 1 else 'change'} place"
        under = "under" if texts else "Under"
        texts.append(f"{under} {'each of ' * (len(names) > 1)}{row_of(names)}, {how_many}{comes}")
    if rest:
        n_rest, most = sum(len(names) for _, names in rest), max(n_moved for (_, n_moved), _ in rest)
        n_others = sum(len(names) for (comes, _), names in rest if comes)
        first = f", and {n_others} of them {'changes' if n_others == 1 else 'change'} the first place" * bool(n_others)
        texts.append(f"{n_rest} more tie-breaks move up to {queries_of(most, 'feature')} each{first}")
    if texts:
        stay = (board.places.iloc[: len(leaders)] == 1).all(axis=None)
        if leaders and stay and not any(comes for comes, _ in changes):
            verb = "stays" if len(leaders) == 1 else "stay"
            texts.append(f"{row_of([writing.feature(name) for name in board.names[: len(leaders)]])} {verb} first")
        yield f"{'; '.join(texts)}."
    if still:
        yield f"Under {row_of(still)} every feature keeps its place."
    if board.is_filtered:
        yield f"Places are those among all {board.total}."


def warnings_on(board: Board, writing: Writing) -> Iterator[str]:
    """Yield a warning for each tie-break that correlates with relevance; one and its reverse share it.

    One that moves only a feature that a filter hides is left out.
    """
    if board.bias is None or not board.has_ties:
        return
    found = {str(name): row for name, row in board.bias.iterrows() if row["verdict"].endswith(AVOID)}
    # their strongest features may differ, and so be moved alike
    mirrored = {
        one: other
        for one, other in _REVERSES.items()
        if {one, other} <= {*found} and found[one]["z"] * found[other]["z"] < 0
    }
    for name, row in found.items():
        if name in mirrored:
            continue
        reverse = [one for one, other in mirrored.items() if other == name]
        lifts = row["z"] > 0 if board.measure.higher_is_better else row["z"] < 0
        first, last = ("first", "last") if lifts else ("last", "first")
        n_features, n_alike = row["features"], row["lifted"] if lifts else row["features"] - row["lifted"]
        strongest, change = moved(board, name, writing)
        whom, of, beyond = f" {strongest}", "its ties", ""  # as some go the other way, so it alone is named
        if n_features > 1 and n_alike >= _MOST * n_features:
            every = "both features" if n_features == 2 else "every feature"
            whose = every if n_alike == n_features else f"{n_alike} of {n_features} features"
            whom, of, beyond = "", f"the ties of {whose}", f" for {strongest}"
        elif row["strongest"] not in board.rows.index:
            if n_features == 1:
                continue
            whom, of = "", f"the ties of {strongest}"
        others = "".join(f"; {writing.tie_break(one)} puts them {last}" for one in reverse)
        yield (
            f"{writing.verdict('Do not rank')}{whom} with {writing.tie_break(name)}, which is not random: "
            f"among {of} it puts relevant documents {first},{beyond} beyond chance ({change}){others}."
        )


def moved(board: Board, tie_break: str, writing: Writing) -> tuple[str, str]:
    """Return the feature that a tie-break moves most against chance, and what it does to it with its z."""
    assert board.bias is not None, "else no tie-break was tested"
    strongest = str(board.bias["strongest"][tie_break])
    shown = writing.term("z") + writing.number(f" = {board.bias['z'][tie_break]:.1f}".replace("-", "−"))
    if strongest not in board.rows.index:
        return f"{writing.feature(strongest)} (not shown)", shown
    before, after = (
        writing.number(writing.difference(board.rows[column][strongest])) for column in ("value", tie_break)
    )
    return writing.feature(strongest), f"{before} → {after}, {shown}"
