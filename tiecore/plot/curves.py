"""Values over the cut-off, with what other queries and ties leave open."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence

import pandas as pd
from matplotlib.ticker import NullLocator, ScalarFormatter

from tiecore.board.sentences import cut
from tiecore.plot.sheet import COLOURS, Figure, Sheet, colours_of
from tiecore.stability.sentences import queries_of, row_of

_BANDED = 2
"""Features around whose curves bands leave the others to be seen."""


def curves(
    values: pd.DataFrame,
    sheet: Sheet | None = None,
    *,
    measure: str,
    n_queries: int,
    answer: str = "",
    ties: str = "from the worst to the best case of ties",
    banded: Collection[str] | None = None,
) -> Figure:
    """Draw the values of features over the cut-off.

    Parameters
    ----------
    values
        Index (``feature``, ``cutoff``): what :func:`tiecore.diagnostics.curves` returns. Where it has ``tie_low`` and
        ``tie_high``, they are drawn instead of worst and best case.
    measure, n_queries
        Name of the measure without its cut-off, and how many queries count.
    answer, ties
        The sentence below the title, and what the band of ties is.
    banded
        Features with bands around their curves; at first the first two.
    """
    sheet = sheet or Sheet()
    names: Sequence[str] = list(dict.fromkeys(values.index.get_level_values("feature")))
    some = [name for name in names if name in (names[:_BANDED] if banded is None else banded)]
    bands = [
        ("Outlined", "low", "high", 0.0, "95 % confidence interval over queries"),
        ("Filled", *(("tie_low", "tie_high") if "tie_low" in values else ("worst", "best")), 0.25, ties),
    ]
    columns = max(1, sheet.letters() // (max(map(len, names)) + 6))  # of the legend

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        hues = sheet.colours or colours_of(names)
        for name in names:
            own, colour = values.loc[name], hues.get(name, COLOURS["quiet"])
            at = own.index.to_numpy(dtype=float)
            axes.plot(at, own["expected"], color=colour, linewidth=1.6, label=name, zorder=3)
            if name in some:
                for _, low, high, alpha, _ in bands:  # several that overlap stay apart
                    edge = 0.0 if alpha else 0.6
                    axes.fill_between(at, own[low], own[high], fc=(colour, alpha), ec=colour, linewidth=edge)
        axes.set_xscale("log")
        ticks = values.index.get_level_values("cutoff").unique().to_numpy()
        usual = (
            (1, 3, 10, 30, 100, 300, 1000) if sheet.width == "column" else (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
        )
        axes.set_xticks([k for k in usual if ticks.min() <= k <= ticks.max()])
        axes.xaxis.set_major_formatter(ScalarFormatter())
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_xlabel("cut-off k")
        axes.set_ylabel(sheet.wrapped(re.sub("(?= with )|$", "@k", measure, count=1), 0.4))
        sheet.legend(figure, axes, columns=columns)

    of, around = (
        "" if len(some) == len(names) else f" of {row_of([cut(name, among=names) for name in some])}",
        values.loc[some],
    )
    note = ["Line: exact expectation over all orders of tied documents."]
    note += [f"{name} band{of}: {text}." for name, low, high, _, text in bands if (around[low] != around[high]).any()]
    return sheet.figure(
        draw,
        height=20 * sheet.line,
        title=f"{measure} over the cut-off, {queries_of(n_queries)}",
        answer=answer,
        legend=math.ceil(len(names) / columns),
        note=" ".join(note),
    )
