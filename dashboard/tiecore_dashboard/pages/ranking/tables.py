"""Tables of the page Ranking: the leaderboard of a paper, and features that are the same."""

from collections.abc import Iterable

import numpy as np

from tiecore.board import Board
from tiecore.board.board import GROUPS
from tiecore.escape import in_latex as escaped
from tiecore.evaluation.result import Evaluation
from tiecore.latex import LatexColumn, value_column
from tiecore.stability.sentences import called, heading_of, unit_of_differences
from tiecore_dashboard import words
from tiecore_dashboard.export import exports


def in_latex(board: Board) -> str:
    """Return the leaderboard as a table for a paper, with all that its caption must say."""
    rows, measure, reference = board.rows, called(board.measure), board.reference
    letters = [str(groups) for groups in rows["letters"]] if "letters" in rows else [""] * len(rows)
    first = [row for row, place in enumerate(rows["place"]) if place == 1]
    ends = rows[["behind_low", "behind_high"]].itertuples(index=False, name=None)
    known = board.stability.tie_orders is not None
    risks = ["" if risk != risk else words.tie_risk(risk, board.stability.draws) for risk in rows["tie_risk"]]
    columns = [
        LatexColumn(heading=r"\#", cells=[str(place) for place in rows["place"]]),
        LatexColumn(heading="feature", cells=[escaped(name) for name in board.names], spec="l"),
        value_column(
            heading_of(board.measure),
            [*map(words.number, rows["value"])],
            [*map(words.number, (rows["high"] - rows["low"]) / 2)],
            letters,
            best=first,
        ),
        LatexColumn(
            heading=escaped(f"behind {reference}{unit_of_differences(board.measure)}"),
            cells=_but(board, map(words.number, rows["behind"])),
        ),
        LatexColumn(
            heading=escaped("95 % interval"),
            cells=_but(board, (f"{words.number(low)} to {words.number(high)}" for low, high in ends)),
        ),
        LatexColumn(heading="verdict", cells=[escaped(verdict) for verdict in rows["verdict"]], spec="l"),
        *([LatexColumn(heading="tie risk", cells=_but(board, risks))] if board.has_ties and known else []),
        *(
            LatexColumn(
                heading=escaped(words.known_as(name)),
                cells=[f"{words.number(value)} ({place})" for value, place, _ in under.itertuples(index=False)],
            )
            for name, under in ((name, board.under(name)) for name in board.tie_breaks)
        ),
    ]
    said = board.stability.words
    n, queries = words.plural(board.n_queries, said["query"]), said["queries"]
    value = "exact expectation over all orders of tied documents" if known else "mean"
    what = f"{measure}, {n}: {value}" if measure != "value" else f"Mean over {n}"
    caption = [
        f"{what}, ± half of its 95 % confidence interval over the {queries}, and how far each feature "
        f"is behind {reference}. Clear: the choice of {queries} hardly explains the difference (paired tests, Holm, "
        f"0.05, all pairs); open: these {queries} do not settle it."
    ]
    if "letters" in rows:
        caption.append("Features that share a letter are not clearly different.")
    if board.has_ties and known:
        caption.append(f"Tie risk: {board.columns['tie_risk']}.")
    if board.tie_breaks:
        caption.append("Under each tie-break: value and, in brackets, place.")
    if board.is_filtered:
        caption.append(f"{len(rows)} of {board.total} features.")
    if board.new_groups:
        caption.append(GROUPS)
    label = exports.file_stem("ranking", "leaderboard", str(board.measure))
    return exports.latex_of(columns, caption=" ".join(caption), label=label, new_groups=board.new_groups)


def _but(board: Board, texts: Iterable[str]) -> list[str]:
    """Texts of all rows in LaTeX, none for the one that the others are compared with."""
    return ["" if name == board.reference else escaped(text) for name, text in zip(board.names, texts, strict=True)]


def duplicates(evaluation: Evaluation) -> list[tuple[str, ...]]:
    """Group the features that have the same values for every query, but for the last digits, in their order."""
    groups: dict[bytes, list[str]] = {}
    for own, name in zip(evaluation.values[0], evaluation.features, strict=True):
        groups.setdefault((np.round(own, 12) + 0.0).tobytes(), []).append(name)
    return [tuple(group) for group in groups.values() if len(group) > 1]
