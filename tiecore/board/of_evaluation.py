"""The leaderboard of an evaluation."""

from __future__ import annotations

from tiecore.board.board import Board
from tiecore.diagnostics.bias import pooled_bias
from tiecore.evaluation.intervals import central_interval
from tiecore.evaluation.result import Evaluation
from tiecore.measures import Measure
from tiecore.stability import stability
from tiecore.threads import Progress


def board(
    evaluation: Evaluation,
    measure: str | Measure | None = None,
    *,
    baseline: str | None = None,
    margin: float | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Board:
    """Return the leaderboard of a measure: values, differences, verdicts, and what ties do to them.

    Parameters
    ----------
    evaluation
        With all of ``expected``, ``sd``, ``worst``, ``best``.
    measure
        One of its measures; may be left out where there is one.
    baseline
        Compare every other feature with this one only, instead of all with each other.
    margin
        Smallest difference that matters.
    seed
        Of the random tie-breaks.
    progress
        Called with the features drawn and the features in all; an exception raised in it stops the work.

    Examples
    --------
    >>> from tiecore import evaluate
    >>> qrels = {"q": {"a": 0, "b": 1, "c": 0}}
    >>> features = {"clicks": {"q": {"a": 2, "b": 1, "c": 1}}, "pages": {"q": {"a": 1, "b": 1, "c": 1}}}
    >>> board(evaluate(qrels, features, ["RR"])).rows[["place", "value", "worst", "best"]].round(3)
             place  value  worst  best
    feature
    pages        1  0.611  0.333   1.0
    clicks       2  0.417  0.333   0.5
    """
    used = evaluation.values.measure_or_only(measure)
    evaluation.values.check_statistics("expected", "sd", "worst", "best")
    study = stability(evaluation, used, baseline=baseline, margin=margin, seed=seed, progress=progress)
    tested = pooled_bias(evaluation, used, seed=seed, progress=progress) if evaluation.tie_breaks else None
    ties = central_interval(evaluation, used, seed=seed, progress=progress)
    return Board.of_stability(
        study,
        ties=ties.assign(sd=evaluation.leaderboard(used)["sd"]),
        bias=None if tested is None else tested.droplevel("measure"),
    )
