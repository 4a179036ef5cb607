"""What an evaluation gives: values, and what ties do to the order of the features."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from html import escape
from typing import TYPE_CHECKING, get_args

from tiecore.errors import check_choice, check_draws, check_seed, drawing
from tiecore.evaluation.suspicious import suspicions
from tiecore.evaluation.values import Values
from tiecore.measures import Measure
from tiecore.threads import Progress, in_threads

if TYPE_CHECKING:
    import pandas as pd

    from tiecore.board import Board
    from tiecore.evaluation.random_orders import TieOrders
    from tiecore.plot import Plots
    from tiecore.stability import Stability

_MOST_MEASURES, _MOST_ROWS = 4, 30
"""What a notebook shows at once."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Evaluation(Values):
    """Values of every measure and feature, per query and summed up."""

    def _repr_html_(self) -> str:
        """Return the leaderboards of the first measures for a notebook, and what needs attention."""
        page = [f"<p>{escape(repr(self))}</p>"]
        for measure in self.measures[:_MOST_MEASURES]:
            board = self.leaderboard(measure) if "expected" in self.statistics else self.summary.loc[str(measure)]
            table = board.to_html(max_rows=_MOST_ROWS, border=0, float_format="{:.4f}".format)
            page += [f"<p>{escape(str(measure))}</p>", table]
        left = len(self.measures) - _MOST_MEASURES
        notes = [*suspicions(self), *self.warnings, *([f"{left} more measures: see .summary"] if left > 0 else [])]
        return "".join([*page, *(f"<p>{escape(note)}</p>" for note in notes)])

    def stability(
        self,
        measure: str | Measure | None = None,
        *,
        baseline: str | None = None,
        margin: float | None = None,
        seed: int = 0,
        tie_orders: TieOrders = "shared",
        progress: Progress | None = None,
    ) -> Stability:
        """Return which differences are clear, and what ties put at risk: :func:`tiecore.stability.stability`.

        Without a measure it is the only one of the evaluation, here and below.
        """
        from tiecore.stability import stability  # only when asked for: it needs scipy

        return stability(
            self, measure, baseline=baseline, margin=margin, seed=seed, tie_orders=tie_orders, progress=progress
        )

    def board(
        self,
        measure: str | Measure | None = None,
        *,
        baseline: str | None = None,
        margin: float | None = None,
        seed: int = 0,
        progress: Progress | None = None,
    ) -> Board:
        """Return the leaderboard with differences, verdicts and what ties do to them: :func:`tiecore.board.board`."""
        from tiecore.board import board  # only when asked for: it needs scipy

        return board(self, measure, baseline=baseline, margin=margin, seed=seed, progress=progress)

    def sample(
        self,
        measure: str | Measure | None = None,
        *,
        draws: int = 1000,
        seed: int = 0,
        tie_orders: TieOrders = "shared",
        progress: Progress | None = None,
    ) -> pd.DataFrame:
        """Draw random tie-breaks: (draws, features) summaries of a measure.

        Draw m of seed s is the tie-break ``random:N``, N = s·2^20 + m: one order of the documents of a query, shared by
        all features. With ``tie_orders="independent"`` each feature has orders of its own, and so has a feature of a
        table of counts that is not counted together with others.
        """
        import pandas as pd  # only when asked for

        from tiecore.evaluation.random_orders import TieOrders
        from tiecore.evaluation.random_values import random_summaries

        check_draws(draws, least=1)
        check_seed(seed)
        check_choice("tie_orders", tie_orders, get_args(TieOrders))
        self.check_statistics("expected")
        wanted = self.measure_or_only(measure)

        drawn = partial(random_summaries, self, wanted, draws=draws, seed=seed, tie_orders=tie_orders)
        columns = in_threads(drawn, self.features, progress=progress)
        return pd.DataFrame(dict(zip(self.features, columns, strict=True)))

    def interval(self, measure: str | Measure | None = None, *, level: float = 0.95, seed: int = 0) -> pd.DataFrame:
        """Return where random tie-breaks put each feature most of the time.

        One row for each feature: see :func:`tiecore.evaluation.intervals.central_interval`.
        """
        from tiecore.evaluation.intervals import central_interval  # only when asked for: it needs scipy

        return central_interval(self, measure, level=level, seed=seed)

    @property
    def plot(self) -> Plots:
        """Figures for notebooks, papers and slides: ``evaluation.plot.board("nDCG@10")`` and others.

        They are drawn by matplotlib: ``pip install 'tiecore[plot]'`` brings it.
        """
        with drawing():
            from tiecore.plot import Plots  # only when asked for
        return Plots(self)
