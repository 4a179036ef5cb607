"""Values over the cut-off, with what other queries and ties leave open."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import cycle

import pandas as pd
from matplotlib.ticker import NullLocator, ScalarFormatter

from tiecore.board.cutoffs import banded_of, equal_lines, lines_above, ticks_of, widest_of
from tiecore.board.marks import DASHES, colours_of
from tiecore.board.sentences import cut
from tiecore.plot.sheet import COLOURS, PAGE, Figure, Sheet
from tiecore.stability.sentences import queries_of, row_of


def curves(
    values: pd.DataFrame,
    sheet: Sheet = PAGE,
    *,
    measure: str,
    n_queries: int,
    answer: str = "",
    ties: str = "from the worst to the best case of ties",
    banded: Collection[str] = (),
    own: int | None = None,
    lead: str = "",
) -> Figure:
    """Draw the values of features over the cut-off, or the lead of one over another.

    Parameters
    ----------
    values
        Index (``feature``, ``cutoff``): what :func:`tiecore.diagnostics.curves` returns. Where it has ``tie_low`` and
        ``tie_high``, the ends of the band of ties, they are drawn instead of worst and best case; and hollow dots
        where ``open`` says that a feature is not clearly different from the first of ``banded``.
    measure, n_queries
        Name of the measure without its cut-off, and how many queries count.
    answer, ties
        The sentence below the title, and what the band of ties is.
    banded
        Features with bands around their curves; at first that which is drawn first.
    own
        The cut-off that was chosen, at which a line stands.
    lead
        Of which feature over which, where that is what ``values`` hold; ``open`` is then whether it is not clear.
    """
    names: list[str] = list(values.index.unique("feature"))
    if "tie_low" not in values:
        extremes = values[["worst", "best"]]
        values = values.assign(tie_low=extremes.min(axis=1), tie_high=extremes.max(axis=1))
    some, widest = banded_of(values, banded), widest_of(values)[0]
    bands = [
        ("Outlined", some, "low", "high", 0.08, 0.6, "95 % confidence interval over queries"),
        ("Filled", some, "tie_low", "tie_high", 0.25, 0.0, ties),
        ("Dotted", [widest][: widest not in some], "tie_low", "tie_high", 0.0, 0.8, ties),  # a sentence names it
    ]
    reference = some[0] if "open" in values and values["open"].any() and not lead else ""
    above = lines_above(values["expected"].unstack("cutoff").loc[names].to_numpy()).min(axis=1)

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        hues = sheet.colours or colours_of(names)
        for name, dashes, n_above in zip(names, cycle(DASHES), above, strict=False):
            rows, colour = values.loc[name], hues.get(name, COLOURS["quiet"])
            at = rows.index.to_numpy(dtype=float)
            axes.plot(
                at, rows["expected"], color=colour, linewidth=1.2 + 2 * n_above, linestyle=(0, dashes or None),
                marker="o" * (name != reference), markersize=sheet.font * 0.25 + 2 * n_above, label=name, zorder=3,
            )  # fmt: skip
            if "open" in rows:
                hollow = rows["expected"].where(rows["open"])
                axes.plot(at, hollow, "o", color="white", markersize=sheet.font * 0.12, zorder=4)
            for _, own_names, low, high, alpha, width, _ in bands:  # several that overlap stay apart
                if name in own_names:
                    ends, style = (rows[low], rows[high]), "-" if alpha else ":"
                    axes.fill_between(at, *ends, fc=(colour, alpha), ec=colour, linewidth=width, linestyle=style)
        axes.set_xscale("log")
        axes.set_xticks(ticks_of(values.index.unique("cutoff")))
        if lead:
            axes.axhline(0, color=COLOURS["text"], linewidth=0.8, zorder=1)
        if own is not None:
            axes.axvline(own, color=COLOURS["line"], linewidth=0.8, zorder=1)
        axes.xaxis.set_major_formatter(ScalarFormatter())
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_xlabel("cut-off k")
        axes.set_ylabel(sheet.wrapped("lead in " * bool(lead) + re.sub("(?= with )|$", "@k", measure, count=1), 0.4))

    note = [sheet.brief("Line: exact expectation over all orders of tied documents.", " over")]
    note += [f"Equal at every cut-off drawn: {row_of(one)}." for one in equal_lines(values)]
    if lead and values["open"].any() and values["low"].notna().any():
        note.append("Hollow dots: the difference is open, by paired t-tests adjusted for all pairs at that k.")
    if reference:
        hollow = f"Hollow dots: not clearly different from {cut(reference, among=names)} at that k; "
        note.append(sheet.brief(f"{hollow}each k is tested by itself."))
    for kind, own_names, low, high, _, _, text in bands:
        of = f" of {row_of([cut(name, among=names) for name in own_names])}" if len(own_names) < len(names) else ""
        is_seen = bool((values.loc[own_names, low] < values.loc[own_names, high]).any())
        note += [f"{kind} band{'' if sheet.is_slide else of}: {text}."] * is_seen  # on a slide colours have to do
    lengths = [len(name) + 5 for name in names]
    mean = sum(lengths) // len(names)
    return sheet.figure(
        draw,
        height=20 * sheet.line,
        title=f"{measure} over the cut-off, {queries_of(n_queries)}{f': lead of {lead}' * bool(lead)}",
        answer=answer,
        legend=0 if lead else len(names),
        longest=mean if (mean + 3) * len(names) <= sheet.letters() - len(names) else max(lengths),
        note=" ".join([*note, *([] if own is None else [f"Vertical line: k\u00a0=\u00a0{own}."])]),
    )
