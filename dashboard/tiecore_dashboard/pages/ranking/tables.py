"""Tables of the page Ranking: the leaderboard of a paper, and features that are the same."""

from collections.abc import Iterable

import numpy as np

from tiecore.board import Board
from tiecore.board.board import GROUPS, adjusted
from tiecore.board.sentences import warnings_on, writing_of
from tiecore.evaluation.result import Evaluation
from tiecore.latex import LatexColumn, value_column
from tiecore.stability.sentences import called, heading_of, unit_of_differences
from tiecore_dashboard import words
from tiecore_dashboard.export import exports


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
    best = "best" if board.reference == board.names[0] else "baseline"
    columns = [
        *_named(board),
        value,
        exports.column_of(f"Behind {best} (95 % interval){unit_of_differences(board.measure)}", _but(board, intervals)),
        exports.column_of("Verdict", marks),
    ]
    if board.has_ties and board.stability.tie_orders is not None:
        risks = (words.tie_risk(risk, board.stability.draws) for risk in rows["tie_risk"])
        columns.append(exports.column_of("Tie risk", _but(board, risks)))
    caption = [
        f"{len(rows)} of {board.total} features." * board.is_filtered,
        board.headline(writing)[0],
        *warnings_on(board, writing),
        f"±: half of the {said['level']} interval over {said['queries']}.",
        "Features that share a letter are not clearly different." if "letters" in rows else GROUPS,
        adjusted(board.stability.n_tests, is_drawn=False),
    ]
    groups = [] if "letters" in rows else board.new_groups
    label = exports.file_stem("ranking leaderboard", str(board.measure))
    return exports.latex_of(columns, caption=" ".join(filter(None, caption)), label=label, new_groups=groups)


def ties_in_latex(board: Board) -> str:
    """Return what each tie-break makes of values and places as a table for a paper."""
    columns = [
        *_named(board),
        exports.column_of(heading_of(board.measure), map(words.number, board.rows["value"]), "r"),
    ]
    for name in board.tie_breaks:
        under = board.under(name)[["value", "place"]].itertuples(index=False, name=None)
        columns.append(
            exports.column_of(words.known_as(name), (f"{words.number(value)} ({place})" for value, place in under), "r")
        )
    some = f"{len(board.rows)} of {board.total} features. " * board.is_filtered
    caption = f"{some}{called(board.measure)}: exact expectation, and value (place) under each tie-break."
    caption = " ".join([caption, *warnings_on(board, writing_of(board.stability))])
    return exports.latex_of(columns, caption=caption, label=exports.file_stem("tie-breaks", str(board.measure)))


def _named(board: Board) -> list[LatexColumn]:
    """Place and name of each feature."""
    names = [words.cut(name, 32, board.known) for name in board.names]
    return [exports.column_of("#", map(str, board.rows["place"]), "r"), exports.column_of("Feature", names)]


def _but(board: Board, texts: Iterable[str]) -> list[str]:
    """Texts of all rows, none for the one that the others are compared with."""
    return ["" if name == board.reference else text for name, text in zip(board.names, texts, strict=True)]


def duplicates(evaluation: Evaluation) -> list[tuple[str, ...]]:
    """Group the features that have the same values for every query, but for the last digits, in their order."""
    groups: dict[bytes, list[str]] = {}
    for own, name in zip(evaluation.values[0], evaluation.features, strict=True):
        groups.setdefault((np.round(own, 12) + 0.0).tobytes(), []).append(name)
    return [tuple(group) for group in groups.values() if len(group) > 1]
