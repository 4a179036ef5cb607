"""Values over the cut-off, with what other queries and ties leave open."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd
from matplotlib.ticker import NullLocator, ScalarFormatter

from tiecore.plot.sheet import COLOURS, Figure, Sheet, colours_of
from tiecore.stability.sentences import queries_of

_BANDED = 3
"""Features up to which a band around each curve leaves the others to be seen."""


def curves(values: pd.DataFrame, sheet: Sheet | None = None, *, measure: str, n_queries: int) -> Figure:
    """Draw the values of features over the cut-off.

    Parameters
    ----------
    values
        Index (``feature``, ``cutoff``): what :func:`tiecore.diagnostics.curves` returns.
    measure, n_queries
        Name of the measure without its cut-off, and how many queries count.
    """
    sheet = sheet or Sheet()
    names: Sequence[str] = list(dict.fromkeys(values.index.get_level_values("feature")))
    columns = max(1, sheet.letters() // (max(map(len, names)) + 6))  # of the legend

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        hues = sheet.colours or colours_of(names)
        for name in names:
            own, colour = values.loc[name], hues.get(name, COLOURS["quiet"])
            at = own.index.to_numpy(dtype=float)
            axes.plot(at, own["expected"], color=colour, linewidth=1.6, label=name, zorder=3)
            if len(names) <= _BANDED:
                axes.fill_between(at, own["low"], own["high"], color=colour, alpha=0.14, linewidth=0)
                axes.fill_between(at, own["worst"], own["best"], color=colour, alpha=0.22, linewidth=0)
        axes.set_xscale("log")
        ticks = values.index.get_level_values("cutoff").unique().to_numpy()
        axes.set_xticks([k for k in (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000) if ticks.min() <= k <= ticks.max()])
        axes.xaxis.set_major_formatter(ScalarFormatter())
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_xlabel("cut-off k")
        axes.set_ylabel(f"{measure}@k")
        sheet.legend(figure, axes, columns=columns)

    bands = " Light band: 95 % confidence interval over queries. Darker band: from the worst to the best case of ties."
    return sheet.figure(
        draw,
        height=20 * sheet.line,
        title=f"{measure} over the cut-off, {queries_of(n_queries)}",
        answer="",
        legend=math.ceil(len(names) / columns),
        note=f"Line: exact expectation over all orders of tied documents.{bands if len(names) <= _BANDED else ''}",
    )
