"""Values over the cut-off, with what other queries and ties leave open."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import cycle

import numpy as np
import pandas as pd
from matplotlib.collections import LineCollection
from matplotlib.ticker import NullLocator, ScalarFormatter

from tiecore.board.cutoffs import banded_of, equal_lines, lines_above
from tiecore.board.marks import DASHES, colours_of
from tiecore.board.sentences import cut
from tiecore.plot.sheet import COLOURS, Figure, Sheet
from tiecore.stability.sentences import queries_of, row_of


def curves(
    values: pd.DataFrame,
    sheet: Sheet | None = None,
    *,
    measure: str,
    n_queries: int,
    answer: str = "",
    ties: str = "from the worst to the best case of ties",
    banded: Collection[str] | None = None,
    own: int | None = None,
) -> Figure:
    """Draw the values of features over the cut-off.

    Parameters
    ----------
    values
        Index (``feature``, ``cutoff``): what :func:`tiecore.diagnostics.curves` returns. Where it has ``tie_low`` and
        ``tie_high``, the ends of the band of ties, they are drawn instead of worst and best case.
    measure, n_queries
        Name of the measure without its cut-off, and how many queries count.
    answer, ties
        The sentence below the title, and what the band of ties is.
    banded
        Features with bands around their curves; at first the last two that lead and that with the widest band of ties.
    own
        The cut-off that was chosen, at which a line stands.
    """
    sheet = sheet or Sheet()
    names: Sequence[str] = list(dict.fromkeys(values.index.get_level_values("feature")))
    if "tie_low" not in values:
        extremes = values[["worst", "best"]]
        values = values.assign(tie_low=extremes.min(axis=1), tie_high=extremes.max(axis=1))
    some = banded_of(values, () if banded is None else banded)
    bands = [
        ("Outlined", "low", "high", 0.0, "95 % confidence interval over queries"),
        ("Filled", "tie_low", "tie_high", 0.25, ties),
    ]
    longest = 5 + max(map(len, names))  # of the legend
    above = lines_above(values["expected"].unstack("cutoff").reindex([*names]).to_numpy()).min(axis=1)

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        hues = sheet.colours or colours_of(names)
        for name, dashes, n_above in zip(names, cycle(DASHES), above, strict=False):
            rows, colour = values.loc[name], hues.get(name, COLOURS["quiet"])
            at = rows.index.to_numpy(dtype=float)
            axes.plot(
                at, rows["expected"], color=colour, linewidth=1.2 + 2 * n_above, linestyle=(0, dashes or None),
                marker="o", markersize=sheet.font * 0.25 + 2 * n_above, label=name, zorder=3,
            )  # fmt: skip
            if name in some:
                for _, low, high, alpha, _ in bands:  # several that overlap stay apart
                    if alpha:
                        axes.fill_between(at, rows[low], rows[high], fc=(colour, alpha), linewidth=0)
                    else:
                        ends = [np.column_stack([at, rows[end]]) for end in (low, high)]
                        axes.add_collection(LineCollection(ends, colors=colour, linewidths=0.6))
        axes.set_xscale("log")
        ticks = values.index.get_level_values("cutoff").unique().to_numpy()
        last = ticks.max()
        axes.set_xticks([*(k for k in (1, 3, 10, 30, 100, 300) if ticks.min() <= k < last / 1.5), last])
        if own is not None:
            axes.axvline(own, color=COLOURS["line"], linewidth=0.8, zorder=1)
        axes.xaxis.set_major_formatter(ScalarFormatter())
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_xlabel("cut-off k")
        axes.set_ylabel(sheet.wrapped(re.sub("(?= with )|$", "@k", measure, count=1), 0.4))
        sheet.legend(figure, axes, longest)

    of = "" if len(some) == len(names) else f" of {row_of([cut(name, among=names) for name in some])}"
    around = values.loc[some]
    note = [sheet.brief("Line: exact expectation over all orders of tied documents.", " over")]
    note += [f"Equal at every cut-off: {row_of(one)}." for one in equal_lines(values)]
    shown = [(name, text) for name, low, high, _, text in bands if (around[low] != around[high]).any()]
    note += [f"{name} band{of * (at == 0)}: {text}." for at, (name, text) in enumerate(shown)]
    return sheet.figure(
        draw,
        height=20 * sheet.line,
        title=f"{measure} over the cut-off, {queries_of(n_queries)}",
        answer=answer,
        legend=len(names),
        longest=longest,
        note=" ".join([*note, *([] if own is None else [f"Vertical line: k\u00a0=\u00a0{own}."])]),
    )
