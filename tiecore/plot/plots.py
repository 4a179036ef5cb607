"""The figures of an evaluation, as ``evaluation.plot`` offers them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Unpack

from tiecore.board import duel
from tiecore.diagnostics.cutoffs import CUTOFFS
from tiecore.diagnostics.cutoffs import curves as values_over_cutoffs
from tiecore.measures import Measure
from tiecore.plot.curves import curves
from tiecore.plot.difference import difference
from tiecore.plot.places import places
from tiecore.plot.rows import board
from tiecore.plot.sheet import Figure, Sheet, SheetOptions, colours_of
from tiecore.stability.sentences import called

if TYPE_CHECKING:
    from tiecore.evaluation.result import Evaluation


@dataclass(frozen=True, slots=True)
class Plots:
    """Draw figures of an evaluation.

    All of them take the ``width`` of a column, a page or a slide, and ``title``, ``note`` (both empty for none) and
    ``colours`` of features instead of those that they would have. The measure may be left out where the evaluation has
    only one.
    """

    evaluation: Evaluation

    def board(
        self,
        measure: str | Measure | None = None,
        *,
        baseline: str | None = None,
        margin: float | None = None,
        only: Sequence[str] | None = None,
        **sheet: Unpack[SheetOptions],
    ) -> Figure:
        """Draw the leaderboard: values with their intervals, and how far each feature is behind the best."""
        shown = self.evaluation.board(measure, baseline=baseline, margin=margin)
        return board(shown if only is None else shown.only(only), Sheet(**sheet))

    def difference(
        self, first: str, second: str, measure: str | Measure | None = None, **sheet: Unpack[SheetOptions]
    ) -> Figure:
        """Draw the difference of two features with its interval, and the queries on which each is better."""
        stable = self.evaluation.stability(measure)
        sheet.setdefault("colours", colours_of([first, second], self.evaluation.features))
        return difference(duel(self.evaluation, stable, first, second), Sheet(**sheet))

    def places(
        self, measure: str | Measure | None = None, *, only: Sequence[str] | None = None, **sheet: Unpack[SheetOptions]
    ) -> Figure:
        """Draw the place of each feature by expectation and under each tie-break of the evaluation."""
        shown = self.evaluation.board(measure)
        return places(shown if only is None else shown.only(only), Sheet(**sheet))

    def curves(
        self,
        measure: str | Measure | None = None,
        *,
        features: Sequence[str] | None = None,
        cutoffs: Sequence[int] = CUTOFFS,
        **sheet: Unpack[SheetOptions],
    ) -> Figure:
        """Draw values over the cut-off; by default of the five features that are best at the cut-off of the measure."""
        evaluation = self.evaluation
        used = evaluation.measure_or_only(measure)
        chosen = list(evaluation.leaderboard(used).index[:5] if features is None else features)
        sheet.setdefault("colours", colours_of(chosen, evaluation.features))
        found = values_over_cutoffs(evaluation, used, cutoffs=cutoffs, features=chosen)
        return curves(
            found,
            Sheet(**sheet),
            measure=called(replace(used, cutoff=None)),
            n_queries=int(evaluation.counted[evaluation.measures.index(used)].sum()),
            own=used.cutoff,
        )
