"""Tables for a paper: leaderboard, tie-breaks and pairs; and features that are the same."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import repeat

import numpy as np
import pandas as pd

from tiecore.board import Board
from tiecore.board.board import GROUPS
from tiecore.board.sentences import warnings_on, writing_of
from tiecore.evaluation.result import Evaluation
from tiecore.latex import LatexColumn, value_column
from tiecore.stability import Stability
from tiecore.stability.sentences import called, heading_of, unit_of_differences
from tiecore_dashboard import words
from tiecore_dashboard.export.csv_and_latex import column_of, file_stem, latex_of
from tiecore_dashboard.pages.pairs.answer import listed_pairs, pair_cells, pairs_answer


def side_by_side(board: Board, others: Mapping[str, Board]) -> pd.DataFrame:
    """Return value, place and verdict of the features on a board on others, by what these are of."""
    frames = {of: other.like(board).rows[["value", "place", "verdict"]] for of, other in others.items()}
    joined = pd.concat([rows.add_prefix(f"{of}: ") for of, rows in frames.items()], axis=1)
    return joined.rename(columns={f"{of}: value": of for of in frames})


def in_latex(board: Board) -> str:
    """Return the leaderboard as a table for a paper, with what is found as its caption."""
    rows, said, writing = board.rows, board.stability.words, writing_of(board.stability)
    letters = [*map(str, rows["letters"])] if "letters" in rows else [""] * len(rows)
    first = [row for row, place in enumerate(rows["place"]) if place == 1]
    behind = rows[["behind", "behind_low", "behind_high"]].map(words.number).itertuples(index=False, name=None)
    intervals = (one if low == words.NOTHING else f"{one} ({low} to {high})" for one, low, high in behind)
    value = value_column(
        heading_of(board.measure),
        [*map(words.number, rows["value"])],
        [*map(words.number, (rows["high"] - rows["low"]) / 2)],
        letters,
        best=first,
    )
    marks = [f"{words.VERDICTS.get(verdict, '')} {verdict}".strip() for verdict in rows["verdict"]]
    columns, key, groups = [*_named(board), value], [], [] if "letters" in rows else board.new_groups
    if len(rows) > 1:
        title = f"Behind best (95 % interval){unit_of_differences(board.measure)}"
        columns += [column_of(title, _but(board, intervals)), column_of("Verdict", marks)]
        if board.has_ties and board.stability.tie_orders is not None:
            risks = (words.tie_risk(risk, board.stability.draws) for risk in rows["tie_risk"])
            columns.append(column_of("Tie risk", _but(board, risks)))
        key = (
            ["Features that share a letter are not clearly different."]
            if "letters" in rows
            else [GROUPS] * bool(groups)
        )
        key += _key(board.stability, [column.heading for column in columns])
    caption = [
        _part(board).strip(),
        board.headline(writing)[0],
        *warnings_on(board, writing),
        f"±: half of the {said['level']} interval over {said['queries']}.",
        *key,
    ]
    label = file_stem("ranking leaderboard", str(board.measure))
    return latex_of(columns, caption=" ".join(filter(None, caption)), label=label, new_groups=groups)


def ties_in_latex(board: Board) -> str:
    """Return what each tie-break makes of values and places as a table for a paper."""
    values = column_of(heading_of(board.measure), map(words.number, board.rows["value"]), "r")
    under = [_placed(words.known_as(name), board.under(name)) for name in board.tie_breaks]
    caption = f"{_part(board)}{called(board.measure)}: exact expectation, and value (place) under each tie-break."
    caption = " ".join([caption, *warnings_on(board, writing_of(board.stability))])
    return latex_of(
        [*_named(board), values, *under], caption=caption, label=file_stem("tie-breaks", str(board.measure))
    )


def others_in_latex(board: Board, others: Mapping[str, Board]) -> str:
    """Return values, places and verdicts of the features on a board on others as a table for a paper."""
    columns = [_named(board)[1], *(_placed(of, other.like(board).rows) for of, other in others.items())]
    signs = ", ".join(f"{sign} {verdict}" for verdict, sign in words.VERDICTS.items())
    caption = f"{_part(board)}Value (place), and whether it is clearly behind the best of its column: {signs}."
    return latex_of(columns, caption=caption, label=file_stem("other measures", str(board.measure)))


def _placed(title: str, rows: pd.DataFrame) -> LatexColumn:
    """Values with their places, which stand below each other, and the marks of verdicts where there are some."""
    column, places = column_of(title, map(words.number, rows["value"]), "r"), [*map(str, rows["place"])]
    blanks = (rf"\phantom{{{'0' * (max(map(len, places)) - len(place))}}}" for place in places)
    marks = column_of("", map(words.VERDICTS.get, rows.get("verdict", places), repeat(""))).cells
    parts = zip(column.cells, places, blanks, marks, strict=True)
    return replace(column, cells=[f"{value} ({place}){blank} {mark}".rstrip() for value, place, blank, mark in parts])


def pairs_in_latex(pairs: pd.DataFrame, stable: Stability) -> str:
    """Return pairs as a table for a paper, with what is found of all pairs as its caption."""
    shown, part = listed_pairs(pairs, stable)
    columns = [column_of(*column) for column in pair_cells(shown, stable).items()]
    sizes = f"{called(stable.measure)}, {words.plural(stable.n_queries, stable.unit)}."
    caption = [
        sizes,
        words.plain(pairs_answer(stable)[0]),
        f"{part}." * bool(part),
        *_key(stable, [one.heading for one in columns]),
    ]
    label = file_stem("pairs", str(stable.measure))
    return latex_of(columns, caption=" ".join(filter(None, caption)), label=label)


def _key(stable: Stability, headings: Sequence[str]) -> Iterator[str]:
    """Yield what stands in a table under some of the headings: of which test verdicts are, what ties put at risk."""
    if not stable.n_tests:
        return
    said, of_all = stable.words, f", p adjusted by Holm for {stable.n_tests:,} pairs, intervals not"
    tested = f"{said['level']} intervals and paired t-tests over {said['queries']}{of_all * (stable.n_tests > 1)}"
    yield f"{tested}; clear: p ≤ {said['alpha']}, open: the others."
    if "Tie risk" in headings:
        yield f"Tie risk: {stable.columns['tie_risk'].partition(';')[0]}."
    if "Reversed by" in headings:
        yield "Reversed by: tie-breaks that put the second feature ahead."


def _named(board: Board) -> list[LatexColumn]:
    """Place and name of each feature, in bold type if it is highlighted."""
    column = column_of("Feature", [words.cut(name, 32, board.known) for name in board.names])
    names = zip(column.cells, board.names, strict=True)
    cells = [rf"\textbf{{{cell}}}" if name in board.highlighted else cell for cell, name in names]
    return [column_of("#", map(str, board.rows["place"]), "r"), replace(column, cells=cells)]


def _part(board: Board) -> str:
    """Say which features a table has, and which of them are highlighted."""
    names = [words.cut(name, 32, board.known) for name in board.marked]
    some = f"{len(board.rows)} of {board.total} features. " * board.is_filtered
    return some + f"Highlighted: {words.enumerate_names(names)}. " * bool(names)


def _but(board: Board, texts: Iterable[str]) -> list[str]:
    """Texts of all rows, none for the one that the others are compared with."""
    return ["" if name == board.reference else text for name, text in zip(board.names, texts, strict=True)]


def duplicates(evaluation: Evaluation) -> list[tuple[str, ...]]:
    """Group the features that have the same values for every query, but for the last digits, in their order."""
    groups: dict[bytes, list[str]] = {}
    for own, name in zip(evaluation.values.array[0], evaluation.features, strict=True):
        groups.setdefault((np.round(own, 12) + 0.0).tobytes(), []).append(name)
    return [tuple(group) for group in groups.values() if len(group) > 1]
