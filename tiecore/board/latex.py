"""The leaderboard and its pairs as tables for a paper, in LaTeX: what is found, also under each tie-break."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import repeat

import numpy as np
import pandas as pd

from tiecore.board.board import GROUPS, Board, deciding_line
from tiecore.board.sentences import cut, in_column, warnings_on, writing_of
from tiecore.latex import LatexColumn, column_of, latex_of, value_column
from tiecore.stability import Stability
from tiecore.stability.sentences import (
    NOTHING,
    called,
    direction,
    heading_of,
    p_value,
    queries_of,
    row_of,
    tie_risk,
    unit_of_differences,
)
from tiecore.stability.verdicts import VERDICTS, signs_of
from tiecore.ties.tie_breaks import known_as


def side_by_side(board: Board, others: Mapping[str, Board]) -> pd.DataFrame:
    """Return value, place and verdict of the features on a board on others, by what these are of."""
    named = {of: {"value": of, "place": f"{of}: place", "verdict": f"{of}: verdict"} for of in others}
    rows = (others[of].like(board).rows[[*titles]].rename(columns=titles) for of, titles in named.items())
    return pd.concat(rows, axis=1)


def in_latex(board: Board, *, label: str = "leaderboard") -> str:
    """Return the leaderboard as a table for a paper, with what is found as its caption."""
    rows, said, writing = board.rows, board.stability.words, writing_of(board.stability)
    # of one pair the verdict says all; with a baseline letters and lines are of other tests than the verdicts
    is_grouped = board.stability.n_tests > 1 and board.stability.baseline is None
    has_letters = is_grouped and "letters" in rows
    letters = [*map(str, rows["letters"])] if has_letters else [""] * len(rows)
    is_behind_best = rows["place"].get(board.reference) == 1
    is_worse = (rows["verdict"] == "clear") & is_behind_best
    best = np.flatnonzero(~is_worse).tolist() if is_worse.any() else []  # else all would be bold
    values, title = in_column(rows["value"]), heading_of(board.measure)
    sides, half = (rows["high"] - rows["value"], rows["value"] - rows["low"]), ""
    value = column_of(title, values, "r")
    if has_interval := bool(rows["low"].notna().any()):  # few queries have none
        value = value_column(title, values, in_column(np.fmax(*sides), rows["value"]), letters, best=best)
        is_cut = " or its longer side, where the two differ" * (not np.allclose(*sides, equal_nan=True))
        half = f"±: half of the {said['level']} interval over {said['queries']}{is_cut}."
    marks = [f"{VERDICTS.get(verdict, '')} {verdict}".strip() for verdict in rows["verdict"]]
    columns, key = [*_named(board), value], []
    groups = board.new_groups if is_grouped and not has_letters else []
    if len(rows) > 1:
        best_or = "best" if is_behind_best else cut(board.reference, 32, board.all_names)
        interval = f" ({_interval(board.stability)})" * has_interval
        title = f"Behind {best_or}{interval}{unit_of_differences(board.measure)}"
        behind = _but(board, _with_interval(rows, "behind", "behind_low", "behind_high"))
        columns += [column_of(title, behind), column_of("Verdict", marks)]
        if rows["tie_risk"].notna().any() and board.has_ties and board.stability.tie_orders is not None:
            risks = (tie_risk(risk, board.stability.draws) for risk in rows["tie_risk"])
            columns.append(column_of("Tie risk", _but(board, risks)))
        key = ["Features that share a letter are not clearly different." * has_letters, GROUPS * bool(groups)]
        key += key_of(board.stability, [column.heading for column in columns])
    caption = [
        _part(board).strip(),
        board.headline(writing)[0],
        *warnings_on(board, writing),
        half,
        *["Bold: the best, and what is not clearly worse."] * bool(best),
        *key,
    ]
    return latex_of(columns, caption=" ".join(filter(None, caption)), label=label, new_groups=groups)


def ties_in_latex(board: Board, *, label: str = "tie-breaks") -> str:
    """Return what each tie-break makes of values and places as a table for a paper."""
    values = column_of(heading_of(board.measure), in_column(board.rows["value"]), "r")
    under = [placed(known_as(name), board.under(name)) for name in board.tie_breaks]
    n_queries = queries_of(board.n_queries, board.stability.unit)
    caption = f"{_part(board)}{called(board.measure)}, {n_queries}: exact expectation, and value (place) under each "
    caption += "tie-break."
    warned = warnings_on(board, writing_of(board.stability))
    return latex_of([*_named(board), values, *under], caption=" ".join([caption, *warned]), label=label)


def others_in_latex(board: Board, others: Mapping[str, Board], *, label: str = "other-measures") -> str:
    """Return values, places and verdicts of the features on a board on others as a table for a paper."""
    found = {of: other.like(board) for of, other in others.items()}
    headings = {of: of.replace(called(one.measure), heading_of(one.measure), 1) for of, one in found.items()}
    columns = [_named(board)[1], *(placed(headings[of], other.rows) for of, other in found.items())]
    signs = signs_of(verdict for other in found.values() for verdict in other.rows["verdict"])
    baseline = board.stability.baseline
    to = f"{cut(baseline, 32, board.all_names)}, the baseline" if baseline else "the best of these in its column"
    n_queries = queries_of(board.n_queries, board.stability.unit)
    caption = f"{_part(board)}{n_queries}: value (place){f', and how it differs from {to}: {signs}' * bool(signs)}."
    return latex_of(columns, caption=caption, label=label)


def placed(title: str, rows: pd.DataFrame) -> LatexColumn:
    """Values with their places, which stand below each other, and the marks of verdicts where there are some."""
    column, places = column_of(title, in_column(rows["value"]), "r"), [*map(str, rows["place"])]
    blanks = (rf"\phantom{{{'0' * (max(map(len, places)) - len(place))}}}" for place in places)
    marks = column_of("", map(VERDICTS.get, rows.get("verdict", places), repeat(""))).cells
    parts = zip(column.cells, places, blanks, marks, strict=True)
    return replace(column, cells=[f"{value} ({place}){blank} {mark}".rstrip() for value, place, blank, mark in parts])


def _named(board: Board) -> list[LatexColumn]:
    """Place and name of each feature, in bold type if it is highlighted."""
    column = column_of("Feature", [cut(name, 32, board.all_names) for name in board.names])
    names = zip(column.cells, board.names, strict=True)
    cells = [rf"\textbf{{{cell}}}" if name in board.highlighted else cell for cell, name in names]
    return [column_of("#", map(str, board.rows["place"]), "r"), replace(column, cells=cells)]


def _part(board: Board) -> str:
    """Say which features a table has, in what order, and which of them are highlighted."""
    names = [cut(name, 32, board.all_names) for name in board.marked]
    some = f"{board.stability.slice}. " * bool(board.stability.slice)
    some += f"{len(board.rows)} of {board.total} features. " * board.is_filtered
    some += f"Highlighted: {row_of(names)}. " * bool(names)
    some += f"Places are those among all {board.total}. " * board.is_filtered
    return f"{some}{board.arrangement} ".lstrip()


def _but(board: Board, texts: Iterable[str]) -> list[str]:
    """Texts of all rows, none for the one that the others are compared with."""
    return ["" if name == board.reference else text for name, text in zip(board.names, texts, strict=True)]


def pair_cells(pairs: pd.DataFrame, stable: Stability) -> dict[str, list[str]]:
    """Return pairs as columns of texts, by their titles; long names are shortened."""
    names = stable.places.index
    cells = {
        "Pair": [
            f"{cut(leader, 26, names)} − {cut(trailer, 26, names)}"
            for leader, trailer in zip(pairs["leader"], pairs["trailer"], strict=True)
        ],
        f"Difference ({_interval(stable)})": _with_interval(pairs, "difference", "low", "high"),
        "p (Holm)" if stable.n_tests > 1 else "p": [*map(p_value, pairs["holm"])],
        "Verdict": [f"{VERDICTS[verdict]} {verdict}" for verdict in pairs["verdict"]],
    }
    if stable.tie_orders is not None:
        cells["Tie risk"] = [
            NOTHING if verdict == "equal" else tie_risk(risk, stable.draws)
            for risk, verdict in zip(pairs["tie_risk"], pairs["verdict"], strict=True)
        ]
    if pairs["reversed_by"].map(bool).any():
        known = ([cut(known_as(name).split(" (ids")[0], 20) for name in own] for own in pairs["reversed_by"])
        cells["Reversed by"] = [row_of(names, most=2) for names in known]
    return cells


def _interval(stable: Stability) -> str:
    """Call the interval that decides whether a pair is clear, which Holm's level makes wider where many are open."""
    return "Holm interval" if deciding_line(stable) else f"{stable.words['level']} interval"


def _with_interval(rows: pd.DataFrame, difference: str, low: str, high: str) -> list[str]:
    """Write each difference with the interval that decides on it: what is small is so by its own, without Holm."""
    is_small = rows["verdict"] == "small"
    ends = (rows[own].where(is_small, rows[holm]) for own, holm in ((low, "holm_low"), (high, "holm_high")))
    numbers = rows[difference], *ends
    texts = (in_column(own, pd.concat(numbers)) for own in numbers)
    return [one if begin == NOTHING else f"{one} ({begin} to {end})" for one, begin, end in zip(*texts, strict=True)]


def pairs_table(pairs: pd.DataFrame, stable: Stability, *, about: str, label: str) -> str:
    """Return pairs as a table for a paper, whose caption begins with what it is about."""
    columns = [column_of(*column) for column in pair_cells(pairs, stable).items()]
    columns[0] = replace(columns[0], cells=[cell.replace(" $-$ ", " $-$~") for cell in columns[0].cells])
    caption = " ".join([about, *key_of(stable, [one.heading for one in columns])])
    return latex_of(columns, caption=caption, label=label)


def _verdicts(stable: Stability) -> str:
    """Say which verdicts stand for what."""
    told, found = [f"clear: p ≤ {stable.words['alpha']}"], {*stable.pairs["verdict"]}
    told[0] += ", exactly where this interval excludes 0" * bool(deciding_line(stable))
    if "small" in found:
        small = f"small: the whole {stable.words['level']} interval, shown here, within ±{stable.margin:g}"
        told = [f"{told[0]}, and not small", small]
    same = "equal: the same {value} on every {query}".format(**stable.words)
    told += [same] * ("equal" in found) + ["open: the others"] * ("open" in found and stable.n_tests > 1)
    return f"{'; '.join(told)}."


def key_of(stable: Stability, headings: Sequence[str]) -> Iterator[str]:
    """Yield what stands in a table under some of the headings: of which test verdicts are, what ties put at risk."""
    if "Pair" in headings and (lower := direction(stable.measure)):
        yield lower
    if not stable.n_tests:
        return
    said = stable.words
    tested = f"over {said['queries']}, with an allowance for rare ones"
    if stable.n_tests == 1:
        yield f"{said['level']} interval and paired t-test {tested}; {_verdicts(stable)}"
    else:
        yield f"Paired t-tests {tested}; p adjusted by Holm for {stable.n_tests:,} pairs."
        if deciding_line(stable):
            yield "Holm interval: at the level of this adjustment."
        yield _verdicts(stable).capitalize()
    usual = f"has its usual value on nearly all {said['queries']}"
    yield f"Allowance: the interval of a difference is wider where one of the two {usual}."
    if "Tie risk" in headings:
        yield f"Tie risk: {stable.columns['tie_risk'].partition(';')[0]}."
    if "Reversed by" in headings:
        yield "Reversed by: tie-breaks that put the second feature ahead."
