"""Figures for papers, slides and notebooks, drawn by matplotlib from the objects that tables and sentences are made of.

``pip install 'tiecore[plot]'`` brings matplotlib. Each function returns a :class:`Figure`, which a notebook shows by
itself and which ``figure.savefig("board.pdf")`` or ``figure.to_bytes("svg")`` writes.

>>> import tiecore
>>> judged, scored = {"a": 1, "b": 0}, {"a": 1, "b": 1}
>>> evaluation = tiecore.evaluate({"q": judged, "r": judged}, {"clicks": {"q": scored, "r": scored}}, ["RR"])
>>> evaluation.plot.board().title
'RR of 1 feature, 2 queries'
"""

from tiecore.plot.curves import curves
from tiecore.plot.difference import difference
from tiecore.plot.of_evaluation import Plots
from tiecore.plot.places import judges, places
from tiecore.plot.rows import board, intervals, pairs, queries, shifts
from tiecore.plot.sheet import KINDS, WIDTHS, Figure, Kind, Sheet, SheetOptions, Width, pages_of

__all__ = [
    "KINDS",
    "WIDTHS",
    "Figure",
    "Kind",
    "Plots",
    "Sheet",
    "SheetOptions",
    "Width",
    "board",
    "curves",
    "difference",
    "intervals",
    "judges",
    "pages_of",
    "pairs",
    "places",
    "queries",
    "shifts",
]
