"""Two features: their difference with its interval, and on which queries each is better."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from tiecore.board import Duel
from tiecore.board.marks import colours_of
from tiecore.board.sentences import cut
from tiecore.plot.sheet import COLOURS, PAGE, Figure, Sheet, markers_of
from tiecore.stability.sentences import queries_of
from tiecore.ties.tie_breaks import known_as


def difference(duel: Duel, sheet: Sheet = PAGE) -> Figure:
    """Draw the difference of two features: its interval over queries, what ties do, and the queries one by one."""
    both = [cut(name, among=(duel.leader, duel.trailer)) for name in (duel.leader, duel.trailer)]
    share, better = {"column": (0.48, ""), "page": (0.52, " better"), "slide": (0.36, "")}[sheet.width]
    leader, trailer = sheet.pair(*both, share=share, among=both)

    more = 1.4 * max(0, len(duel.under) - 3)  # lines for further tie-breaks

    def draw(figure: Figure) -> None:
        if sheet.is_slide:  # wide as it is
            above, below = figure.subplots(1, 2, width_ratios=[5, 4])
        else:  # rows need their letters
            above, below = figure.subplots(2, 1, height_ratios=[7.7 + more, 12.3])
        above.set_title(f"← {trailer}{better}", loc="left", fontsize=sheet.font)
        above.set_title(f"{leader}{better} →", loc="right", fontsize=sheet.font)
        _draw_difference(above, duel, sheet)
        _draw_queries(below, duel, sheet, *(both if sheet.width == "column" else (leader, trailer)))
        below.set_xlabel(f"{queries}, {equal:,} of them equal" if equal else queries)

    bars = {"queries": "Light bar: {}. ", "holm": f"{sheet.brief(duel.deciding_line)} ", "ties": "Dark bar: {}. "}
    over = "".join(bars[kind].format(name) for kind, (name, *_) in duel.ranges.items())
    over = over if len(duel.ranges) > 1 else over.replace("Light bar", "Bar")
    under = "; marks: under each tie-break" * bool(duel.under)
    hollow = "" if duel.verdict == "clear" else f" (hollow: {duel.verdict})"
    allowed = f" Thin lines: what ties allow on each {duel.words['query']}."
    allowed *= bool((duel.queries["worst_lead"] < duel.queries["best_lead"]).any())
    queries, equal = queries_of(len(duel.queries), duel.words["query"]), len(duel.queries) - sum(duel.wins)
    title = f"{' − '.join(both)}: {duel.measure}, {queries}"
    return sheet.figure(
        draw,
        height=(20 + more) * sheet.line,
        title=sheet.title_of(title, duel.sentence, duel.measure, queries),
        answer=duel.sentence,
        note=f"{over}Dot{hollow}: mean lead by {duel.words['value']}{under}.{allowed}",
    )


def _draw_difference(axes: Axes, duel: Duel, sheet: Sheet) -> None:
    axes.axvline(0, color=COLOURS["text"], linewidth=0.8)
    thick, light = sheet.font, 0.65 if "holm" in duel.ranges else 1.0
    bars = {"queries": ("queries", light), "holm": ("muted", 0.12), "ties": ("ties", 0.35)}
    for kind, (_, *ends) in duel.ranges.items():
        colour, share = bars[kind]
        axes.plot(ends, [0, 0], color=COLOURS[colour], linewidth=thick * share, solid_capstyle="butt")
    lanes = -np.arange(len(duel.under) + 1)
    axes.plot(duel.difference, 0, "o", color=COLOURS["text"], markersize=thick * 0.6, zorder=5)
    for lane, (name, marker) in zip(lanes[1:], markers_of(duel.under).items(), strict=True):
        axes.plot(duel.under[name], lane, color=COLOURS["muted"], marker=marker, markersize=thick * 0.6, zorder=5)
    if duel.verdict != "clear":  # hollow, as in every figure
        axes.plot(duel.difference, 0, "o", color="white", markersize=thick * 0.3, zorder=6)
    names = [duel.words["value"], *(sheet.name(known_as(name), 0.5) for name in duel.under)]
    axes.set_yticks(lanes, names, color=COLOURS["muted"])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(-len(duel.under) - 0.8, 0.8)
    axes.spines["left"].set_visible(False)
    axes.margins(x=0.12)
    axes.locator_params(axis="x", nbins=5, steps=[1, 2, 5, 10])
    axes.set_xlabel(sheet.wrapped(f"mean lead in {duel.words['scale']}", 0.6))


def _draw_queries(axes: Axes, duel: Duel, sheet: Sheet, leader: str, trailer: str) -> None:
    ordered = duel.queries.sort_values("lead", ascending=False)
    leads, low, high = ordered[["lead", "worst_lead", "best_lead"]].to_numpy().T
    at = np.arange(len(leads))
    known = sheet.colours or colours_of([duel.leader, duel.trailer])
    hues = [known.get(name, COLOURS["quiet"]) for name in (duel.leader, duel.trailer)]
    fill, better = np.where(leads > 0, *hues), " better" * (sheet.width != "column")
    axes.bar(at, leads, width=1.0 if len(at) > 60 else 0.6, color=list(fill))
    axes.vlines(at, low, high, color=COLOURS["quiet"], linewidth=sheet.font * 0.08)  # over the bars, which hide them
    axes.axhline(0, color=COLOURS["text"], linewidth=0.6)
    axes.set_xticks([])
    axes.locator_params(axis="y", nbins=4, steps=[1, 2, 5, 10])
    axes.set_ylabel("lead")
    signs = [
        axes.plot([], [], "s", color=hue, label=f"{name}{better}: {n:,}{unseen}")[0]
        for name, n, unseen, hue in zip((leader, trailer), duel.wins, duel.unseen, hues, strict=True)
        if n
    ]
    is_narrow = sheet.width != "page"  # the legend takes the room at the left of the axes too
    is_short = sum(len(str(sign.get_label())) + 5 for sign in signs) < sheet.letters(0.8)
    axes.legend(
        handles=signs, loc="lower right" if is_narrow else "lower left", bbox_to_anchor=(int(is_narrow), 1),
        ncols=1 + (is_short and not sheet.is_slide), frameon=False, handletextpad=0.3, borderaxespad=0.0,
    )  # fmt: skip
