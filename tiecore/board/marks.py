"""Colours of features, and marks of tie-breaks: the same in pages, figures and reports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from colorsys import hls_to_rgb
from itertools import chain, count, cycle

import numpy as np
import pandas as pd

from tiecore.ties.tie_breaks import tie_break

HUES = ("#0072b2", "#b88000", "#12a08c", "#6e1a2c", "#3c2d5a", "#1e96f0", "#e16987",
        "#a50000", "#0000e1", "#006655", "#334499", "#447744", "#bb1166", "#aa5500")  # fmt: skip
"""Colours of features on white: the first four are far apart for colour-blind eyes too, and none is like another."""
MOST_COLOURED = 8
"""Features in colour among many lines: the first of the colours, none of which is like another."""
_GOLDEN = 0.618034
"""Turns of the circle of hues from one further colour to the next, so that those after each other differ most."""
# The usual tie-breaks keep their mark whatever else is chosen; the others take theirs in the order in which they stand.
# A circle is an expectation, and ▲ and ▼ say that a place is gained or lost: they are no marks.
_USUAL = {
    "docid-desc": "diamond", "docid-asc": "cross", "input": "square", "input-reversed": "triangle-left",
    "rank": "triangle-right",
}  # fmt: skip
_FURTHER = ("star", "x", "pentagon", "hexagon", "hexagram", "star-diamond")
"""As many as can be compared at once, for all of them may be of this kind."""
DASHES: tuple[tuple[float, ...], ...] = (
    (), (4, 2), (1, 1.5), (4, 1.5, 1, 1.5), (9, 2), (9, 1.5, 1, 1.5), (4, 1.5, 1, 1.5, 1, 1.5), (9, 2, 4, 2),
)  # fmt: skip
"""Lines of features, in widths of a line on and off: shapes are those of tie-breaks."""


def marks_of(tie_breaks: Iterable[str]) -> dict[str, str]:
    """Return the shape of each tie-break, whatever name it was given; colours are those of features.

    >>> marks_of(["random:7", "trec_eval"])
    {'random:7': 'star', 'trec_eval': 'diamond'}
    """
    further = cycle(_FURTHER)
    return {name: _USUAL.get(tie_break(name).policy) or next(further) for name in tie_breaks}


def colours_of(features: Iterable[str], hues: Sequence[str] = HUES, *, lightness: float = 0.42) -> dict[str, str]:
    """Return a colour for each feature that no other one has; the first ones have those that are told apart best.

    ``lightness``: of the colours after the ``hues``.
    """
    more = (hls_to_rgb(_GOLDEN * number % 1, lightness, 0.6) for number in count())
    written = (f"#{''.join(f'{round(255 * part):02x}' for part in parts)}" for parts in more)
    return dict(zip(features, chain(hues, written), strict=False))


def order_of_colours(leaderboard: pd.DataFrame, tie_breaks: Iterable[str]) -> list[str]:
    """Return the features in the order in which they take their colours.

    The best come first, which most pictures compare, then those that a tie-break moves, which charts of places colour.

    ``leaderboard``: with ``place`` and ``… place`` under each tie-break.
    """
    names = list(leaderboard.index)
    return list(dict.fromkeys([*names[:4], *movers_of(leaderboard, tie_breaks)[:MOST_COLOURED], *names]))


def movers_of(leaderboard: pd.DataFrame, tie_breaks: Iterable[str]) -> list[str]:
    """Return the features that a tie-break puts at another place.

    Those that come first under most of them stand first, then those that move farthest.
    """
    places = leaderboard[[f"{name} place" for name in tie_breaks]].to_numpy(dtype=float)
    shifts = places - leaderboard[["place"]].to_numpy(dtype=float)
    far, n_first = np.abs(shifts).max(axis=1, initial=0.0), ((places == 1) & (shifts < 0)).sum(axis=1)
    return [leaderboard.index[row] for row in np.lexsort((-far, -n_first)) if far[row] > 0]
