"""Numbers for people: as many decimals as help, the same all down a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

__all__ = ["NONE", "Write", "chances", "counts", "decimals_for", "deviations", "figures", "names", "places_under"]
__all__ += ["shares", "texts", "to_decimals", "to_deviations"]

NONE = "–"
Write = Callable[[np.ndarray], list[str]]
"""How people read the values of a column."""
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
    """Write shares of 1 in per cent; what is not all and not nothing is not rounded to it.

    >>> shares(np.array([0.0, 0.0004, 0.25, 0.9999]))
    ['0 %', '<1 %', '25 %', '>99 %']
    """
    return [
        NONE
        if np.isnan(value)
        else "<1 %"
        if 0 < value * 100 < 0.5
        else ">99 %"
        if 99.5 <= value * 100 < 100
        else f"{value * 100:.0f} %"
        for value in values
    ]


def chances(values: np.ndarray) -> list[str]:
    """Write chances; only what is certain is written as 0 or 1.

    >>> chances(np.array([0.0, 1e-9, 0.0416, 0.99999, 1.0, np.nan]))
    ['0', '<.001', '.042', '>.999', '1', '–']
    """
    return [
        NONE
        if np.isnan(value)
        else f"{value:.0f}"
        if value in (0, 1)
        else "<.001"
        if value < 0.0005
        else ">.999"
        if value >= 0.9995
        else f"{value:.3f}".removeprefix("0")
        for value in values
    ]


def to_decimals(decimals: int) -> Write:
    """Write values with so many decimals."""
    return partial(figures, decimals=decimals)


def to_deviations(decimals: int) -> Write:
    """Write standard deviations with so many decimals."""
    return partial(deviations, decimals=decimals)


def names(values: np.ndarray) -> list[str]:
    """Write names, which begin together in a column; several in one cell are separated by commas."""
    return [", ".join(value) if isinstance(value, tuple) else str(value) for value in values]


def texts(values: np.ndarray) -> list[str]:
    """Write figures that are text already, which end together in a column."""
    return list(map(str, values))


def counts(values: np.ndarray) -> list[str]:
    """Write whole numbers."""
    return [str(int(value)) for value in values]


def places_under(values: Sequence[str], places: np.ndarray, shifts: np.ndarray) -> list[str]:
    """Write each value with the place that it earns, and an arrow where that is not the place by expectation.

    >>> places_under(["0.5", "0.4"], np.array([1, 2]), np.array([1, 0]))
    ['0.5 #1↑', '0.4 #2 ']
    """
    digits = len(str(max(places, default=0)))
    return [
        f"{value} #{place:<{digits}}{'↑' if shift > 0 else '↓' if shift < 0 else ' '}"
        for value, place, shift in zip(values, places, shifts, strict=True)
    ]
