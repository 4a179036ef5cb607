"""The figures of an evaluation, as ``evaluation.plot`` offers them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Unpack

from tiecore.board import Board, duel
from tiecore.board.cutoffs import cutoffs_to_draw, drawn_at_first, of_ties, values_to_draw
from tiecore.board.marks import colours_of, order_of_colours
from tiecore.evaluation.engine import evaluate_alignment
from tiecore.measures import Measure
from tiecore.plot.curves import curves
from tiecore.plot.difference import difference
from tiecore.plot.places import places
from tiecore.plot.rows import board
from tiecore.plot.sheet import Figure, Sheet, SheetOptions
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
        sheet.setdefault("colours", colours_of(Board.of_stability(stable).coloured))
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
        cutoffs: Sequence[int] | None = None,
        **sheet: Unpack[SheetOptions],
    ) -> Figure:
        """Draw values over the cut-off.

        By default up to the longest list, of the features that lead at some cut-off, and of those that are best at the
        cut-off of the measure.
        """
        evaluation = self.evaluation
        used = evaluation.values.measure_or_only(measure)
        ranked = evaluation.leaderboard(used)
        names = list(ranked.index if features is None else features)
        steps = cutoffs_to_draw(evaluation, names, used.cutoff) if cutoffs is None else cutoffs
        wanted = tuple(replace(used, cutoff=k) for k in dict.fromkeys(steps))
        at_each = evaluate_alignment(evaluation.values.alignment, wanted, (), options=evaluation.values.options)
        found = values_to_draw(at_each, measures=wanted, features=names)
        if features is None:
            found = found.loc[drawn_at_first(found["place"].unstack("cutoff"), names)]
        in_order = order_of_colours(ranked, [one.name for one in evaluation.tie_breaks])
        sheet.setdefault("colours", colours_of(in_order))
        return curves(
            found,
            Sheet(**sheet),
            measure=called(replace(used, cutoff=None)),
            n_queries=int(evaluation.values.counted[evaluation.measures.index(used)].sum()),
            ties=of_ties(used),
            own=used.cutoff,
        )
