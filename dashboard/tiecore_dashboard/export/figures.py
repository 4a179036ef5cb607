"""The figures for print that pages offer, drawn from the objects that the pages show."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import pandas as pd

from tiecore.board import Board, Duel

if TYPE_CHECKING:
    from tiecore.plot import Figure, Sheet

__all__ = ["Draw", "curves_of", "difference_of", "figures_of"]

Draw = Callable[["Sheet"], "Figure"]


def figures_of(board: Board) -> Mapping[str, Draw]:
    """Return the figures of a board: values, and places under its tie-breaks where there are any."""

    def board_on(sheet: Sheet) -> Figure:
        from tiecore import plot  # matplotlib takes a moment to load, here and below

        return plot.board(board, sheet)

    def places_on(sheet: Sheet) -> Figure:
        from tiecore import plot

        return plot.places(board, sheet)

    return {"Leaderboard": board_on} | ({"Places": places_on} if board.tie_breaks and len(board.rows) > 1 else {})


def difference_of(shown: Duel) -> Mapping[str, Draw]:
    """Return the figure of two features."""

    def difference_on(sheet: Sheet) -> Figure:
        from tiecore import plot

        return plot.difference(shown, sheet)

    return {"Difference": difference_on}


def curves_of(values: pd.DataFrame, *, measure: str, n_queries: int) -> Mapping[str, Draw]:
    """Return the figure of values over the cut-off; ``values`` as from :func:`tiecore.diagnostics.curves`."""

    def curves_on(sheet: Sheet) -> Figure:
        from tiecore import plot

        return plot.curves(values, sheet, measure=measure, n_queries=n_queries)

    return {"Curves": curves_on}
