"""Pairs as a table for a paper, and features that are the same."""

from dataclasses import replace

import numpy as np
import pandas as pd

from tiecore.board.papers import key_of
from tiecore.evaluation.result import Evaluation
from tiecore.latex import column_of, latex_of
from tiecore.stability import Stability
from tiecore.stability.sentences import called
from tiecore_dashboard import words
from tiecore_dashboard.pages.pairs.answer import listed_pairs, pair_cells, pairs_answer


def pairs_in_latex(pairs: pd.DataFrame, stable: Stability, *, label: str = "pairs") -> str:
    """Return pairs as a table for a paper, with what is found of all pairs as its caption."""
    shown, part = listed_pairs(pairs, stable)
    columns = [column_of(*column) for column in pair_cells(shown, stable).items()]
    columns[0] = replace(columns[0], cells=[cell.replace(" $-$ ", " $-$~") for cell in columns[0].cells])
    caption = [
        f"{called(stable.measure)}, {words.plural(stable.n_queries, stable.unit)}.",
        words.plain(pairs_answer(stable)[0]),
        f"{part}." * bool(part),
        *key_of(stable, [one.heading for one in columns]),
    ]
    return latex_of(columns, caption=" ".join(filter(None, caption)), label=label)


def duplicates(evaluation: Evaluation) -> list[tuple[str, ...]]:
    """Group the features that have the same values for every query, but for the last digits, in their order."""
    groups: dict[bytes, list[str]] = {}
    for own, name in zip(evaluation.values.array[0], evaluation.features, strict=True):
        groups.setdefault((np.round(own, 12) + 0.0).tobytes(), []).append(name)
    return [tuple(group) for group in groups.values() if len(group) > 1]
