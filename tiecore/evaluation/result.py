"""What an evaluation gives: values, and what ties do to the order of the features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import TYPE_CHECKING, get_args

import numpy as np

from tiecore.collection.coverage import coverage_warnings
from tiecore.errors import check_choice, check_draws, check_seed, drawing, listed
from tiecore.evaluation.suspicious import suspicions
from tiecore.evaluation.values import Values
from tiecore.measures import Measure
from tiecore.threads import Progress, in_threads
from tiecore.ties.tie_breaks import TieBreak

if TYPE_CHECKING:
    import pandas as pd

    from tiecore.board import Board
    from tiecore.evaluation.random_orders import TieOrders
    from tiecore.plot import Plots
    from tiecore.stability import Stability

_MOST_MEASURES, _MOST_ROWS = 4, 30
"""What a notebook shows at once."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Evaluation:
    """Values of every measure and feature, per query and summed up."""

    values: Values
    """What the tables are made of, as arrays, with the tie groups that they come from."""

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What was evaluated."""
        return self.values.measures

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features, in the order in which they were given."""
        return self.values.features

    @property
    def tie_breaks(self) -> tuple[TieBreak, ...]:
        """Tie-breaks that have a column in the tables."""
        return self.values.tie_breaks

    @property
    def summary(self) -> pd.DataFrame:
        """One row for each (measure, feature); ``sd`` is that of the mean over queries under random tie-breaks."""
        import pandas as pd  # only when asked for

        m, f = np.indices((len(self.measures), len(self.features))).reshape(2, -1)
        index = _ordered_index(measure=(list(map(str, self.measures)), m), feature=(self.features, f))
        return pd.DataFrame(self.values.summarised()[m, f], index=index, columns=list(self.values.columns))

    @property
    def per_query(self) -> pd.DataFrame:
        """One row for each (measure, feature, query_id) that counts."""
        import pandas as pd  # only when asked for

        n_measures, n_features, _, n_queries = self.values.array.shape
        m, f, q = np.broadcast_to(self.values.counted[:, None], (n_measures, n_features, n_queries)).nonzero()
        index = _ordered_index(
            measure=(list(map(str, self.measures)), m),
            feature=(self.features, f),
            query_id=(self.values.alignment.query_ids.to_pylist(), q),
        )
        rows = np.concatenate(list(map(self.values.of_queries, range(n_measures))))
        return pd.DataFrame(rows, index=index, columns=list(self.values.columns))

    @property
    def tidy(self) -> pd.DataFrame:
        """One row for each number of :attr:`per_query`: measure, feature, query_id, statistic and value."""
        keys = ["measure", "feature", "query_id"]
        return self.per_query.reset_index().melt(keys, var_name="statistic", value_name="value")

    @property
    def coverage(self) -> pd.DataFrame:
        """One row for each feature: what was used, what was left out, and how tied it is."""
        import pandas as pd  # only when asked for

        rows = self.values.coverage_of_features.values()
        return pd.DataFrame(list(rows), index=pd.Index(self.features, name="feature"))

    @property
    def warnings(self) -> tuple[str, ...]:
        """What does not match between features and judgments, in sentences; empty if nothing needs attention.

        Features that were left out, queries of one document each, judged queries that a feature does not list, features
        more than a tenth of whose documents are not judged, and those with empty cells.
        """
        values = self.values
        uncounted = "are left out" if values.options.queries == "common" else "count 0"
        own = coverage_warnings(values.matched, values.alignment, uncounted=uncounted)
        way_out = " To rank them last: missing='last', in the command --missing last."
        return (*own, *(warning + way_out for warning in values.blanks))

    def leaderboard(self, measure: str | Measure | None = None) -> pd.DataFrame:
        """Return the features in order of their expectation, with the place of each under every tie-break.

        Columns: ``place`` and ``expected``, ``sd``, ``worst``, ``best``, then for each tie-break its value, the place
        under it (``… place``) and how many places the feature gained by it (``… shift``).

        Without a measure it is the only one of the evaluation, here and below.
        """
        import pandas as pd  # only when asked for

        columns = self.values.leaderboard_columns(measure)
        return pd.DataFrame(columns, index=pd.Index(columns.pop("feature").tolist(), name="feature"))

    def __repr__(self) -> str:
        """Return what was evaluated, in one line."""
        words = ("measure", "measures"), ("feature", "features"), ("query", "queries")
        numbers = len(self.measures), len(self.features), self.values.alignment.n_queries
        counts = [f"{number:,} {word[number != 1]}" for number, word in zip(numbers, words, strict=True)]
        tie_breaks = [tie_break.name for tie_break in self.tie_breaks]
        ending = f"tie-breaks {listed(tie_breaks)}" if tie_breaks else "no tie-breaks"
        return f"<Evaluation: {', '.join(counts)}, {ending}>"

    def _repr_html_(self) -> str:
        """Return the leaderboards of the first measures for a notebook, and what needs attention."""
        page = [f"<p>{escape(repr(self))}</p>"]
        for measure in self.measures[:_MOST_MEASURES]:
            board = (
                self.leaderboard(measure) if "expected" in self.values.statistics else self.summary.loc[str(measure)]
            )
            table = board.to_html(max_rows=_MOST_ROWS, border=0, float_format="{:.4f}".format)
            page += [f"<p>{escape(str(measure))}</p>", table]
        notes = [*suspicions(self), *self.warnings]
        if len(self.measures) > _MOST_MEASURES:
            notes.append(f"{len(self.measures) - _MOST_MEASURES} more measures: see .summary")
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
        """Return which differences are clear, and what ties put at risk: :func:`tiecore.stability.stability`."""
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
        values = self.values
        values.check_statistics("expected")
        wanted = values.measure_or_only(measure)

        drawn = partial(random_summaries, values, wanted, draws=draws, seed=seed, tie_orders=tie_orders)
        columns = in_threads(drawn, self.features, progress=progress)
        return pd.DataFrame(dict(zip(self.features, columns, strict=True)))

    def interval(self, measure: str | Measure | None = None, *, level: float = 0.95, seed: int = 0) -> pd.DataFrame:
        """Return where random tie-breaks put each feature most of the time.

        One row each, NaN where too many documents are tied: see :func:`tiecore.evaluation.intervals.central_interval`.
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


def _ordered_index(**named: tuple[Sequence[str], np.ndarray]) -> pd.MultiIndex:
    """Index whose levels keep the order in which they were given, so that looking up in it is quick and silent."""
    import pandas as pd  # only when asked for

    levels, codes = zip(*named.values(), strict=True)
    return pd.MultiIndex(levels=list(map(list, levels)), codes=codes, names=list(named))
