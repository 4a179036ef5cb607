"""Numbers for people: as many decimals as help, the same all down a table."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial

import numpy as np

NONE = "–"
BAR_WIDTH = 21
Write = Callable[..., list[str]]
"""How people read the values of a column, with decimals where they have any."""
_DIGITS = 5


def decimals_for(values: np.ndarray) -> int:
    """Decimals that show five digits of the largest value, and four at most.

    >>> decimals_for(np.array([0.25, 1.0])), decimals_for(np.array([3.5, 120.0]))
    (4, 2)
    """
    largest = np.nanmax(np.abs(values), initial=0.0)
    return int(np.clip(_DIGITS - len(str(int(largest))), 0, _DIGITS - 1))


def figures(values: np.ndarray, decimals: int) -> list[str]:
    """Write values with so many decimals; a dash where there is none."""
    return [NONE if np.isnan(value) else f"{value:.{decimals}f}" for value in values]


def deviations(values: np.ndarray, decimals: int) -> list[str]:
    """Write standard deviations, so that what is exactly 0 differs from what is only small.

    >>> deviations(np.array([0.0, 1e-9, 0.25]), 4)
    ['0', '<.0001', '0.2500']
    """
    least = f"<{10.0**-decimals:.{decimals}f}".replace("0.", ".", 1)
    return [
        "0" if value == 0 else least if value < 0.5 * 10.0**-decimals else text
        for value, text in zip(values, figures(values, decimals), strict=True)
    ]


def shares(values: np.ndarray) -> list[str]:
    """Write shares of 1 in per cent."""
    from tiecore.stability.sentences import percent  # loads pandas, which a leaderboard does not need

    return [NONE if np.isnan(value) else percent(value) for value in values]


def chances(values: np.ndarray, draws: float = math.inf) -> list[str]:
    """Write chances; only what is certain is written as 0 or 1, and no share of so many ``draws`` is.

    >>> chances(np.array([0.0, 1e-9, 1 / 1001, 0.0416, 0.99999, 1.0, np.nan])), chances(np.array([0.0, 1.0]), draws=150)
    (['0', '<.001', '≤.001', '.042', '>.999', '1', '–'], ['<.007', '>.993'])
    """
    least = max(0.001, 1 / draws)
    few, most = (f"{sign}{end:.3f}".replace("0.", ".", 1) for sign, end in (("<", least), (">", 1 - least)))

    def chance(value: float) -> str:
        if np.isnan(value) or (value in (0, 1) and draws == math.inf):
            return NONE if np.isnan(value) else f"{value:.0f}"
        if not least / 2 <= value < 1 - least / 2:
            return few if value < 0.5 else most
        return "≤.001" if value < 0.001 else f"{value:.3f}".removeprefix("0")

    return list(map(chance, values))


def scores(values: np.ndarray) -> list[str]:
    """Write scores, which may be of any size, with so many digits that different ones stay different."""
    written = ([NONE if np.isnan(value) else f"{value:.{digits}g}" for value in values] for digits in (6, 9, 17))
    return next(texts for texts in written if len(set(texts)) == len(np.unique(values)))


def names(values: np.ndarray) -> list[str]:
    """Write names, which begin together in a column; several in one cell are separated by commas."""
    return [", ".join(value) if isinstance(value, tuple) else str(value) for value in values]


def texts(values: np.ndarray) -> list[str]:
    """Write figures that are text already, which end together in a column."""
    return list(map(str, values))


def with_arrows(written: Iterable[object], shifts: Iterable[int]) -> list[str]:
    """Write what stands at a place, with an arrow where that is not the place by expectation.

    >>> with_arrows(["0.5 #1", "0.4 #2"], [1, 0])
    ['0.5 #1↑', '0.4 #2 ']
    """
    return [f"{text}{'↑' if up > 0 else '↓' if up < 0 else ' '}" for text, up in zip(written, shifts, strict=True)]


def bars(intervals: np.ndarray, ends: tuple[float, float], width: int = BAR_WIDTH) -> list[str]:
    """Draw intervals (worst, mark, best) on one scale between its left and its right end, the better one.

    >>> bars(np.array([[0, 0.5, 1], [0.5, 0.5, 0.5]]), (0, 1), width=11)
    ['├────●────┤', '     ●     ']
    """
    left, right = ends
    cells = []
    for first, mark, last in np.rint(((intervals - left) / ((right - left) or 1)).clip(0, 1) * (width - 1)).astype(int):
        line = [*" " * first, *"─" * (last + 1 - first), *" " * (width - 1 - last)]
        line[first], line[last] = "├", "┤"
        line[mark] = "●"
        cells.append("".join(line))
    return cells


_COUNTS: Write = partial(figures, decimals=0)
_USUAL: dict[str, Write] = {
    name: write
    for write, together in (
        (_COUNTS, "lifted cutoff depth threshold"),
        (shares, "tied tied_mixed constant_queries cut_in_tie cut_in_mixed_tie longer share cumulative sd_removed"),
        (shares, "spread_removed"),
        (chances, "p p_adjusted p_beats holm first tie_risk"),
        (partial(figures, decimals=1), "mean_tie values_per_query"),
        (partial(figures, decimals=2), "z kappa tau_b tau_b_low tau_b_high"),
        (partial(figures, decimals=3), "kendall_tau tau_ap"),
        (texts, "places all"),
        (scores, "score"),
        (deviations, "sd"),
    )
    for name in together.split()
}


def usual_write(name: str, kind: str) -> Write:
    """Return how a column of this name is written, or else one of this kind (as NumPy has it): text, whole, real."""
    if name.endswith((" place", " %")):  # under a tie-break, with an arrow; an interval of a level
        return texts
    of_kind: Write = {"O": names, "i": _COUNTS}.get(kind, figures)
    write = _USUAL.get(name.partition("@")[0].partition(" ")[0], of_kind)
    return texts if write is chances and kind == "O" else write  # written already
