"""Two features: their difference with its interval, and on which queries each is better."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from scipy.special import ndtri

from tiecore.errors import TiecoreError, shortened
from tiecore.evaluation.values import Values
from tiecore.plot.sheet import Figure, Sheet
from tiecore.stability import Stability

__all__ = ["Duel", "difference", "duel_of"]

_HALF = float(ndtri(0.975))


@dataclass(frozen=True, slots=True, eq=False)
class Duel:
    """The difference of two features; what is above 0 speaks for the first."""

    first: str
    second: str
    measure: str
    value: float
    low: float
    high: float
    tie_sd: float
    """Standard deviation under one random tie-break; NaN where it is not known."""
    verdict: str
    tie_risk: float
    under: dict[str, float]
    """Difference under each tie-break."""
    per_query: np.ndarray
    """(n_queries,) on the queries that both list, largest first."""

    @property
    def wins(self) -> tuple[int, int, int]:
        """Queries on which the first is better, both are equal, the second is better."""
        better, worse = int((self.per_query > 0).sum()), int((self.per_query < 0).sum())
        return better, len(self.per_query) - better - worse, worse

    @property
    def sentence(self) -> str:
        """What the difference is worth."""
        ahead, other = (self.first, self.second) if self.value >= 0 else (self.second, self.first)
        if self.verdict == "equal":
            return f"{self.first} and {self.second} have the same expectation on every query."
        ends = (self.low, self.high) if self.value >= 0 else (-self.high, -self.low)
        interval = "" if np.isnan(ends[0]) else f" (95 % interval {_signed(ends[0])} to {_signed(ends[1])})"
        risk = "" if np.isnan(self.tie_risk) else f" One random tie-break turns it round in {_percent(self.tie_risk)}."
        return (
            f"{ahead} is ahead of {other} by {abs(self.value):.4f}{interval}: {self.verdict} over "
            f"{len(self.per_query):,} queries.{risk}"
        )


def duel_of(evaluation: Values, stable: Stability, first: str, second: str) -> Duel:
    """Return the difference of two features from a study of stability and the values that it was made of."""
    for name in (first, second):
        evaluation.feature_position(name)
    pairs = stable.pairs
    is_pair = ((pairs["leader"] == first) & (pairs["trailer"] == second)) | (
        (pairs["leader"] == second) & (pairs["trailer"] == first)
    )
    if not is_pair.any():
        raise TiecoreError(f"{shortened(first)} and {shortened(second)} are not compared: see stability(…).pairs")
    at = int(np.flatnonzero(is_pair)[0])
    row = pairs.iloc[at]
    sign = 1.0 if row["leader"] == first else -1.0
    low, high = sorted((sign * float(row["low"]), sign * float(row["high"])))
    better = 1.0 if stable.measure.higher_is_better else -1.0
    m = evaluation.measures.index(stable.measure)
    one, other = (evaluation.of_counted(m)[evaluation.feature_position(name)] for name in (first, second))
    both = np.all([evaluation.alignment.listed(name) for name in (first, second)], axis=0)[evaluation.counted[m]]
    leads = better * stable.measure.averaged(one[:, both]) - better * stable.measure.averaged(other[:, both])
    column = {name: place for place, name in enumerate(evaluation.columns)}
    return Duel(
        first=first,
        second=second,
        measure=str(stable.measure),
        value=sign * float(row["difference"]),
        low=low,
        high=high,
        tie_sd=float(np.sqrt(stable.variances[1, at] / row["n_queries"])) if row["n_queries"] else float("nan"),
        verdict=str(row["verdict"]),
        tie_risk=float(row["tie_risk"]),
        under={one.name: float(leads[column[one.name]].mean()) for one in evaluation.tie_breaks},
        per_query=-np.sort(-leads[column["expected"]]),
    )


def difference(duel: Duel, sheet: Sheet | None = None) -> Figure:
    """Draw the difference of two features: its interval over queries, what ties do, and the queries one by one."""
    sheet = sheet or Sheet()

    def draw(figure: Figure) -> None:
        above, below = figure.subplots(2, 1, height_ratios=[1, 1.6])
        _draw_difference(above, duel, sheet)
        _draw_queries(below, duel, sheet)

    return sheet.figure(
        draw,
        height=20 * sheet.line,
        title=f"{duel.first} − {duel.second}: {duel.measure}, {len(duel.per_query):,} queries",
        answer=duel.sentence,
        note="Light bar: 95 % confidence interval of the mean difference over queries. Dark bar: 95 % of random "
        "tie-breaks on these queries. Dot: exact expectation.",
    )


def _draw_difference(axes: Axes, duel: Duel, sheet: Sheet) -> None:
    colours = sheet.colours
    axes.axvline(0, color=colours["text"], linewidth=0.8)
    thick = sheet.font
    if not np.isnan(duel.low):
        axes.plot([duel.low, duel.high], [0, 0], color=colours["queries"], linewidth=thick, solid_capstyle="butt")
    if duel.tie_sd > 0:
        reach = _HALF * duel.tie_sd
        ends = [duel.value - reach, duel.value + reach]
        axes.plot(ends, [0, 0], color=colours["ties"], linewidth=thick * 0.35, solid_capstyle="butt")
    axes.plot([duel.value], [0], "o", color=colours["text"], markersize=thick * 0.6, zorder=5)
    lanes = range(1, len(duel.under) + 1)
    for lane, (name, value) in zip(lanes, duel.under.items(), strict=True):
        axes.plot([value], [-lane], "d", color=colours["muted"], markersize=thick * 0.5)
        axes.annotate(
            name, (value, -lane), xytext=(thick * 0.6, 0), textcoords="offset points", va="center",
            color=colours["muted"], fontsize=sheet.font * 0.88,
        )  # fmt: skip
    axes.set_ylim(-len(duel.under) - 0.8, 0.8)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.margins(x=0.12)
    axes.set_xlabel(_sides(duel, sheet, f"mean {duel.measure}"))


def _draw_queries(axes: Axes, duel: Duel, sheet: Sheet) -> None:
    colours = sheet.colours
    better, equal, worse = duel.wins
    at = np.arange(len(duel.per_query))
    fill = np.where(duel.per_query > 0, colours["better"], colours["worse"])
    axes.bar(at, duel.per_query, width=1.0 if len(at) > 60 else 0.8, color=list(fill))
    axes.axhline(0, color=colours["text"], linewidth=0.6)
    axes.set_xticks([])
    axes.set_ylabel("difference")
    axes.set_xlabel(
        f"{better:,} queries for {duel.first}, {equal:,} equal, {worse:,} for {duel.second}"[: sheet.letters()]
    )


def _sides(duel: Duel, sheet: Sheet, middle: str) -> str:
    whole = f"← {duel.second} better · {middle} · {duel.first} better →"
    return whole if len(whole) <= sheet.letters(0.9) else f"← {duel.second} better\n{middle}\n{duel.first} better →"


def _signed(value: float) -> str:
    return f"{value:+.4f}".replace("-", "−")


def _percent(share: float) -> str:
    if 0 < share < 0.001:
        return "less than 0.1 %"
    return f"{100 * share:.1f} %" if 0 < share < 0.1 else f"{100 * share:.0f} %"
