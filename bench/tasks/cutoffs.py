"""A curve: one measure at many cut-offs, beside the same measure at the deepest of them."""

from __future__ import annotations

from bench.clock import Outcome, timed
from bench.data import columns
from bench.tasks.files import FEATURE
from bench.tasks.memory import STATISTICS
from tiecore.collection.align import Alignment, align
from tiecore.evaluation.engine import evaluate_alignment

__all__ = ["cutoffs"]


def cutoffs(*, n_queries: int, family: str, last: int, repeats: int) -> Outcome:
    """Expectation, sd, worst and best of every cut-off to the last; how far it then is from the last one alone."""
    source = columns([FEATURE], n_queries=n_queries)
    judgments, run = source.judgments(), source.run(FEATURE)
    one, all_of_them = [f"{family}@{last}"], [f"{family}@{k}" for k in range(1, last + 1)]

    def evaluated(given: tuple[Alignment, list[str]]) -> float:
        alignment, measures = given
        summary = evaluate_alignment(alignment, measures, statistics=STATISTICS).summary
        return float(summary["sd"].to_numpy()[-1])

    def fresh() -> Alignment:
        return align(judgments, [(FEATURE, run, FEATURE)])

    alone, sd_alone = timed(evaluated, given=lambda: (fresh(), one), repeats=repeats)
    together, sd_together = timed(evaluated, given=lambda: (fresh(), all_of_them), repeats=repeats)
    return {"times": {"one": alone, "all": together}, "values": {"apart": {family: abs(sd_alone - sd_together)}}}
