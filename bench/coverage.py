"""How often sets of places hold the true place: ``python -m bench.coverage [--repetitions N] [--processes N]``.

Every repetition measures features whose true means are known on queries drawn anew, and asks whether their sets hold
what they promise. The table is written to docs/coverage.md.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from tiecore.stability.place_sets import place_sets

__all__ = ["Coverage", "Scenario", "Simulated", "coverage", "scenarios", "simulated", "table"]

PAGE = Path(__file__).parent.parent / "docs" / "coverage.md"
LEVEL = 0.95
_DRAWS = 999
_DOCUMENTS = 10
_TIE_SIZES = (1, 10, 2, 5)
_GRADES = np.array([0.0, 1.0, 2.0, 3.0]) / 3


@dataclass(frozen=True, slots=True)
class Scenario:
    """One row of the table: what is measured, and on how much.

    The measure is the gain of the first document. Each query has ten documents. In a share of the queries a feature
    puts the best document first; that share alone, its skill, decides its true mean. In the others its order is random,
    and it ties as many documents at the top as its tie size says.
    """

    gain: Literal["binary", "graded", "reciprocal"]
    """``binary`` is P@1, ``graded`` the first gain; ``reciprocal`` is RR of lists without ties."""
    ties: Literal["none", "all kinds"]
    """``all kinds``: of the features one has no ties, one ties all documents, others 2 or 5 at the top, and so on."""
    means: Literal["equal", "pairs"]
    """``equal``: all true means are the same; ``pairs``: they differ, but every two features share one."""
    n_queries: int
    n_features: int = 8
    relevant: float = 0.3
    """Share of relevant documents."""
    queries: Literal["unlike", "alike"] = "unlike"
    """``unlike``: the share varies from query to query; ``alike``: it is the same for all and no feature has skill, the
    hardest case."""


@dataclass(frozen=True, slots=True, eq=False)
class Simulated:
    """One repetition: what was measured, the truth, and what somebody else measures once."""

    values: np.ndarray
    """(n_features, n_queries) exact expectations."""
    variances: np.ndarray
    """(n_features, n_queries) variances under random tie-breaks."""
    skill: np.ndarray
    """(n_features,) orders the features as their true means do."""
    largest: float
    """By how much two features could differ on one query under some tie-break."""
    place_once: np.ndarray
    """(n_features,) places on other queries under one random tie-break."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """Shares of the repetitions in which sets hold what they promise, and how wide they are."""

    marginal: float
    """Mean over the features: the set holds every place that features of equal means could be given."""
    lowest: float
    """The same of the feature that does worst."""
    simultaneous: float
    once: float
    width: float
    """Median number of places in a marginal set."""
    width_all: float
    width_once: float


def simulated(scenario: Scenario, rng: np.random.Generator) -> Simulated:
    """Draw one repetition."""
    skill = np.full(scenario.n_features, 0.2 if scenario.queries == "unlike" else 0.0)
    if scenario.means == "pairs":
        skill = np.linspace(0.0, 0.6, -(-scenario.n_features // 2)).repeat(2)[: scenario.n_features]
    values, variances, _, largest = _measured(scenario, skill, rng)
    _, _, once, _ = _measured(scenario, skill, rng)
    mean_once = once.mean(axis=1).round(12)
    return Simulated(values, variances, skill, largest, 1 + (mean_once > mean_once[:, None]).sum(axis=1))


def _measured(
    scenario: Scenario, skill: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """(n_features, n_queries) expectations, variances, values under one random tie-break; the largest difference."""
    n_queries, n_features = scenario.n_queries, scenario.n_features
    share = np.full(n_queries, scenario.relevant)
    if scenario.queries == "unlike":
        share = rng.beta(2 * scenario.relevant, 2 * (1 - scenario.relevant), size=n_queries)
    shape = (n_features, n_queries)
    found = rng.uniform(size=shape) < skill[:, None]
    if scenario.gain == "reciprocal":
        rank = rng.geometric(np.broadcast_to(share.clip(0.05), shape))
        values = np.where(found, 1.0, 1.0 / rank)
        return values, np.zeros(shape), values, float(np.ptp(values, axis=0).max())
    gain = (rng.uniform(size=(n_queries, _DOCUMENTS)) < share[:, None]).astype(np.float64)
    if scenario.gain == "graded":
        gain *= _GRADES[rng.integers(1, 4, size=gain.shape)]
    values, variances, once = np.empty(shape), np.empty(shape), np.empty(shape)
    highest, lowest = np.zeros(n_queries), np.ones(n_queries)
    for feature in range(n_features):
        n_tied = 1 if scenario.ties == "none" else _TIE_SIZES[feature % len(_TIE_SIZES)]
        top = rng.permuted(gain, axis=1)[:, :n_tied]  # the first is as random as any
        values[feature], variances[feature], once[feature] = top.mean(axis=1), top.var(axis=1), top[:, 0]
        highest, lowest = np.maximum(highest, top.max(axis=1)), np.minimum(lowest, top.min(axis=1))
    best = gain.max(axis=1)
    highest[found.any(axis=0)] = best[found.any(axis=0)]
    largest = float((highest - lowest).max())
    return np.where(found, best, values), np.where(found, 0.0, variances), np.where(found, best, once), largest


def coverage(scenario: Scenario, *, repetitions: int, seed: int = 0) -> Coverage:
    """Repeat a scenario and count how often the sets hold."""
    rng = np.random.default_rng(seed)
    inside, once, everything, widths = [], [], [], []
    for repetition in range(repetitions):
        drawn = simulated(scenario, rng)
        sets = place_sets(
            drawn.values, drawn.variances, level=LEVEL, draws=_DRAWS, seed=repetition, largest=drawn.largest
        )
        first = 1 + (drawn.skill > drawn.skill[:, None]).sum(axis=1)
        last = (drawn.skill >= drawn.skill[:, None]).sum(axis=1)
        inside.append((sets.low <= first) & (last <= sets.high))
        everything.append(((sets.low_all <= first) & (last <= sets.high_all)).all())
        once.append((sets.low_once <= drawn.place_once) & (drawn.place_once <= sets.high_once))
        widths.append((sets.high - sets.low, sets.high_all - sets.low_all, sets.high_once - sets.low_once))
    of_feature = np.mean(inside, axis=0)
    width, width_all, width_once = 1 + np.median(np.array(widths), axis=(0, 2))
    return Coverage(
        marginal=float(of_feature.mean()),
        lowest=float(of_feature.min()),
        simultaneous=float(np.mean(everything)),
        once=float(np.mean(once)),
        width=float(width),
        width_all=float(width_all),
        width_once=float(width_once),
    )


def scenarios() -> list[Scenario]:
    """List the rows of the table."""
    kinds: list[tuple[Literal["binary", "graded", "reciprocal"], Literal["none", "all kinds"], float]] = [
        ("binary", "none", 0.3),
        ("binary", "all kinds", 0.3),
        ("graded", "none", 0.3),
        ("graded", "all kinds", 0.3),
        ("reciprocal", "none", 0.3),
        ("binary", "all kinds", 0.1),
    ]
    means: tuple[Literal["equal", "pairs"], ...] = ("equal", "pairs")
    rows = [
        Scenario(gain, ties, mean, n_queries, relevant=relevant)
        for gain, ties, relevant in kinds
        for mean in means
        for n_queries in (20, 50, 500)
    ]
    rows += [Scenario("graded", "all kinds", mean, 50, n_features=n) for mean in means for n in (5, 20)]
    return rows + [
        Scenario("binary", "all kinds", "equal", n_queries, n_features=n_features, relevant=0.1, queries="alike")
        for n_features in (2, 8)
        for n_queries in (20, 50, 500)
    ]


def table(rows: Sequence[tuple[Scenario, Coverage]]) -> str:
    """Lay the results out as a Markdown table."""
    lines = [
        "| gain | relevant | ties | true means | features | queries | marginal | lowest | simultaneous | once "
        "| places: marginal | simultaneous | once |",
        "|---|--:|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for scenario, result in rows:
        shares = (result.marginal, result.lowest, result.simultaneous, result.once)
        widths = (result.width, result.width_all, result.width_once)
        cells = (
            scenario.gain,
            f"{scenario.relevant:.0%}{' of each' if scenario.queries == 'alike' else ''}",
            scenario.ties,
            scenario.means,
            str(scenario.n_features),
            str(scenario.n_queries),
            *(f"{share:.3f}" for share in shares),
            *(f"{width:g}" for width in widths),
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def page(rows: Sequence[tuple[Scenario, Coverage]], *, repetitions: int) -> str:
    """Write the page of the documentation."""
    error = np.sqrt(LEVEL * (1 - LEVEL) / repetitions)
    return f"""# How often sets of places hold

Made by `python -m bench.coverage`; {repetitions:,} repetitions of each row, so that a share of {LEVEL} has a
Monte-Carlo standard error of {error:.3f}. Every repetition draws new queries and measures features whose true means
are known.

- **marginal**: the set of a feature holds its true place, mean over the features; **lowest**: of the feature for which
  it holds least often (the lowest of several shares is low by chance alone, too).
- **simultaneous**: all sets hold at once.
- **once**: the set for a single measurement holds the place that the feature takes on as many other queries under one
  random tie-break.
- Features of equal true means share several places. A set counts as right only if it holds all of them.
- **places**: median number of places in a set.
- *ties, all kinds*: some features have no ties, some tie 2 or 5 of 10 documents at the top, some tie all.

The last six rows are the hardest. Documents are relevant at random, 10 % on each query, so a feature that ties
everything earns a little on every query and one without ties earns much on a few. Twenty queries may miss those few,
and no resampling of the twenty can know of them; the sets hold because the deviation of each difference allows for two
more queries, in which the two differ by as much as a query can, once in either direction.

{table(rows)}
"""


def _row(work: tuple[Scenario, int]) -> tuple[Scenario, Coverage]:
    scenario, repetitions = work
    return scenario, coverage(scenario, repetitions=repetitions)


def _main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.coverage", description=__doc__)
    parser.add_argument("--repetitions", type=int, default=1000)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    rows = []
    with ProcessPoolExecutor(options.processes) as pool:
        for row in pool.map(_row, [(scenario, options.repetitions) for scenario in scenarios()]):
            rows.append(row)
            print(table([row]).splitlines()[-1], flush=True)
    PAGE.write_text(page(rows, repetitions=options.repetitions), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(_main())
