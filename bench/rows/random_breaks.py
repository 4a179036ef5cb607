"""Random tie-breaks by the hundred."""

from __future__ import annotations

from bench.rows.base import Check, Results, Row, Verdict, at_most, shows_progress
from bench.run import Contender

__all__ = ["RANDOM_BREAKS"]


RANDOM: dict[str, object] = {"n_documents": 100_000, "n_draws": 200}


def _random_verdicts(results: Results) -> list[Verdict]:
    verdicts = []
    for name, how in (("draws", "Evaluation.sample"), ("seeds", "tie_breaks=['random:0', …]")):
        work = f"200 random tie-breaks of 20 features × 100,000 documents, four measures, by {how}"
        verdicts += [at_most(results, work, name, seconds=20), shows_progress(results, work, name)]
    return verdicts


def _random_checks(results: Results) -> list[Check]:
    # 80 means of 200 draws each: all within five standard errors, but for one time in twenty thousand
    return [
        Check(f"{name}: means of the draws off the expectation, in standard errors", max(surprise.values()), 5.0)
        for name, found in results.items()
        if not found.problem
        for surprise in [found.values["surprise"]]
    ]


RANDOM_BREAKS = Row(
    title="Random tie-breaks",
    text="200 random tie-breaks of each of 20 features (18 of them discrete) over the first queries that make up "
    "100,000 documents; P@10, AP, RR, nDCG@10. Documents are aligned beforehand.",
    contenders={
        "draws": Contender(
            tool="tiecore",
            gives="Evaluation.sample, one measure after another",
            task="random_breaks.draws",
            arguments=RANDOM,
            runs=2,
        ),
        "seeds": Contender(
            tool="tiecore",
            gives="tie_breaks=['random:0', …], with expectation, sd, worst, best",
            task="random_breaks.seeds",
            arguments=RANDOM,
            runs=2,
        ),
    },
    verdicts=_random_verdicts,
    checks=_random_checks,
)
