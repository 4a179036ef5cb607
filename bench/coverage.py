"""How often claims on places and differences hold: ``python -m bench.coverage [--repetitions N] [--processes N]``.

Every repetition measures features whose true means are known on queries drawn anew, and asks whether their sets hold
what they promise and whether a difference between equal means is called real. The table is written to
docs/coverage.md, the picture beside it.
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

from tiecore.stability.chance import normal_beats
from tiecore.stability.pairs import SIGNIFICANT
from tiecore.stability.place_sets import place_sets
from tiecore.stability.significance import MANY_QUERIES, holm, paired, randomisation

__all__ = ["Coverage", "Scenario", "Simulated", "called_real", "coverage", "picture", "scenarios", "simulated", "table"]

PAGE = Path(__file__).parent.parent / "docs" / "coverage.md"
PICTURE = PAGE.with_suffix(".svg")
LEVEL = 0.95
_DRAWS = 999
_DOCUMENTS = 10
_TIE_SIZES = (1, 10, 2, 5)
_GRADES = np.array([0.0, 1.0, 2.0, 3.0]) / 3
_LIKELY = 0.95
_PERMUTATIONS = 2000
_NOISE = 0.1


@dataclass(frozen=True, slots=True)
class Scenario:
    """One row of the table: what is measured, and on how much.

    The measure is the gain of the first document. Each query has ten documents. In a share of the queries a feature
    puts the best document first; that share alone, its skill, decides its true mean. In the others its order is random,
    and it ties as many documents at the top as its tie size says.
    """

    gain: Literal["binary", "graded", "reciprocal", "steady", "varied"]
    """``binary`` is P@1, ``graded`` the first gain; ``reciprocal`` is RR of lists without ties.

    ``steady``: every other feature has the share of relevant documents as its value on every query, the others are
    binary. ``varied``: the same, and the values of all features vary by a tenth from query to query.
    """
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
    false_real: float
    """A difference between features of equal true means is called real."""
    width: float
    """Median number of places in a marginal set."""
    width_all: float
    width_once: float


def simulated(scenario: Scenario, rng: np.random.Generator) -> Simulated:
    """Draw one repetition."""
    skill = np.full(scenario.n_features, 0.2 if scenario.queries == "unlike" else 0.0)
    if scenario.means == "pairs":
        skill = np.linspace(0.0, 0.6, -(-scenario.n_features // 2)).repeat(2)[: scenario.n_features]
    values, variances, _ = _measured(scenario, skill, rng)
    _, _, once = _measured(scenario, skill, rng)
    mean_once = once.mean(axis=1).round(12)
    return Simulated(values, variances, skill, 1 + (mean_once > mean_once[:, None]).sum(axis=1))


def _measured(
    scenario: Scenario, skill: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(n_features, n_queries) expectations, variances, values under one random tie-break."""
    n_queries, n_features = scenario.n_queries, scenario.n_features
    share = np.full(n_queries, scenario.relevant)
    if scenario.queries == "unlike":
        share = rng.beta(2 * scenario.relevant, 2 * (1 - scenario.relevant), size=n_queries)
    shape = (n_features, n_queries)
    found = rng.uniform(size=shape) < skill[:, None]
    if scenario.gain == "reciprocal":
        rank = rng.geometric(np.broadcast_to(share.clip(0.05), shape))
        values = np.where(found, 1.0, 1.0 / rank)
        return values, np.zeros(shape), values
    if scenario.gain in ("steady", "varied"):
        values = (rng.uniform(size=shape) < scenario.relevant).astype(np.float64)
        values[::2] = scenario.relevant
        if scenario.gain == "varied":
            values = (1 - _NOISE) * values + _NOISE * rng.uniform(size=shape)
        return values, np.zeros(shape), values
    gain = (rng.uniform(size=(n_queries, _DOCUMENTS)) < share[:, None]).astype(np.float64)
    if scenario.gain == "graded":
        gain *= _GRADES[rng.integers(1, 4, size=gain.shape)]
    values, variances, once = np.empty(shape), np.empty(shape), np.empty(shape)
    for feature in range(n_features):
        n_tied = 1 if scenario.ties == "none" else _TIE_SIZES[feature % len(_TIE_SIZES)]
        top = rng.permuted(gain, axis=1)[:, :n_tied]  # the first is as random as any
        values[feature], variances[feature], once[feature] = top.mean(axis=1), top.var(axis=1), top[:, 0]
    best = gain.max(axis=1)
    return np.where(found, best, values), np.where(found, 0.0, variances), np.where(found, best, once)


def called_real(values: np.ndarray, variances: np.ndarray, *, seed: int) -> np.ndarray:
    """(n_pairs,) bool: neither ties nor other queries could reverse the order."""
    test = paired(values, unit=1.0, largest=1.0)
    flipped = randomisation(values, permutations=_PERMUTATIONS, seed=seed, unit=1.0) if _few(values) else test.t_p
    beats = normal_beats(values.mean(axis=1), np.sqrt(variances.sum(axis=1)) / values.shape[1])
    is_settled = (np.maximum(beats, beats.T) >= _LIKELY)[np.triu_indices(len(values), 1)]
    return np.asarray(is_settled & (holm(test.decisive_p(flipped)) <= SIGNIFICANT))


def _few(values: np.ndarray) -> bool:
    return values.shape[1] < MANY_QUERIES


def coverage(scenario: Scenario, *, repetitions: int, seed: int = 0) -> Coverage:
    """Repeat a scenario and count how often the sets hold."""
    rng = np.random.default_rng(seed)
    inside, once, everything, widths, false_real = [], [], [], [], []
    first_of_pair, second_of_pair = np.triu_indices(scenario.n_features, 1)
    for repetition in range(repetitions):
        drawn = simulated(scenario, rng)
        sets = place_sets(drawn.values, drawn.variances, level=LEVEL, draws=_DRAWS, seed=repetition, largest=1.0)
        real = called_real(drawn.values, drawn.variances, seed=repetition)
        false_real.append((real & (drawn.skill[first_of_pair] == drawn.skill[second_of_pair])).any())
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
        false_real=float(np.mean(false_real)),
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
    untied: tuple[Literal["steady", "varied"], ...] = ("steady", "varied")
    rows = [
        Scenario(gain, ties, mean, n_queries, relevant=relevant)
        for gain, ties, relevant in kinds
        for mean in means
        for n_queries in (20, 50, 500)
    ]
    rows += [Scenario("graded", "all kinds", mean, 50, n_features=n) for mean in means for n in (5, 20)]
    return (
        rows
        + [
            Scenario("binary", "all kinds", "equal", n_queries, n_features=n_features, relevant=0.1, queries="alike")
            for n_features in (2, 8)
            for n_queries in (20, 50, 500)
        ]
        + [
            Scenario(
                gain, "none", "equal", n_queries, n_features=n_features, relevant=hits / n_queries, queries="alike"
            )
            for gain in untied
            for n_features in (2, 8)
            for n_queries in (50, 500)
            for hits in (1, 4, 6)
        ]
    )


def table(rows: Sequence[tuple[Scenario, Coverage]]) -> str:
    """Lay the results out as a Markdown table."""
    lines = [
        "| gain | relevant | ties | true means | features | queries | marginal | lowest | simultaneous | once "
        "| falsely real | places: marginal | simultaneous | once |",
        "|---|--:|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for scenario, result in rows:
        shares = (result.marginal, result.lowest, result.simultaneous, result.once, result.false_real)
        widths = (result.width, result.width_all, result.width_once)
        cells = (
            scenario.gain,
            f"{100 * scenario.relevant:g}%{' of each' if scenario.queries == 'alike' else ''}",
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
    return f"""# How often claims on places and differences hold

Made by `python -m bench.coverage`; {repetitions:,} repetitions of each row, so that a share of {LEVEL} has a
Monte-Carlo standard error of {error:.3f}. Every repetition draws new queries and measures features whose true means
are known.

- **marginal**: the set of a feature holds its true place, mean over the features; **lowest**: of the feature for which
  it holds least often (the lowest of several shares is low by chance alone, too).
- **simultaneous**: all sets hold at once.
- **once**: the set for a single measurement holds the place that the feature takes on as many other queries under one
  random tie-break.
- **falsely real**: at least one difference between features of equal true means is called *real*; at most
  {1 - LEVEL:.2g} of the studies should do so.
- Features of equal true means share several places. A set counts as right only if it holds all of them.
- **places**: median number of places in a set.
- *ties, all kinds*: some features have no ties, some tie 2 or 5 of 10 documents at the top, some tie all.

The last rows are the hardest. In the rows *of each*, documents are relevant at random, equally often on each query, so
a feature that ties everything earns a little on every query and one without ties earns much on a few. In the rows
*steady* there are no ties at all: every other feature earns the same little on each query, the others earn 1 on one
query of all, on four or on six, on average. The queries may miss those few, and no resampling can know of them; the
claims hold because the deviation of a difference allows for rare values where a feature has the same one on nearly all
queries.

The rows *varied* show where this ends: the same features, but every value varies by a tenth from query to query.
Nothing then tells that a feature lives on rare hits until the queries show some, and claims fail, most often where 50
queries hold one hit on average. Only more queries help.

![How often place sets hold](coverage.svg)

{table(rows)}
"""


_LINE, _LEFT, _WIDTH, _TOP = 18, 360, 340, 46
_LEAST = 0.9  # where the axis begins
_SHAPES = {
    20: '<circle cx="{x}" cy="{y}" r="4.5" fill="{fill}" stroke="{ink}" stroke-width="1.3"/>',
    50: '<rect x="{x0}" y="{y0}" width="8" height="8" fill="{fill}" stroke="{ink}" stroke-width="1.3"/>',
    500: '<path d="M{x} {y0} l4.5 8 h-9 z" fill="{fill}" stroke="{ink}" stroke-width="1.3"/>',
}


def picture(rows: Sequence[tuple[Scenario, Coverage]]) -> str:
    """Draw how often the sets hold as SVG: a line for each kind of data, a sign for each number of queries."""
    kinds: dict[str, list[tuple[Scenario, Coverage]]] = {}
    for scenario, result in rows:
        share = f"{100 * scenario.relevant:g}%{' each' if scenario.queries == 'alike' else ''}"
        ties = "no ties" if scenario.ties == "none" else "all kinds of ties"
        kind = f"{scenario.gain}, {share}, {ties}, {scenario.n_features} features, means {scenario.means}"
        kinds.setdefault(kind, []).append((scenario, result))
    bottom = _TOP + _LINE * len(kinds)
    parts = [_text(_LEFT, 16, "filled: each set by itself; hollow: all sets at once", anchor="start")]
    for number, n_queries in enumerate(_SHAPES):
        at = _LEFT + 6 + 95 * number
        parts += [_sign(n_queries, at, 32, ink="#1b1b1b", fill="#1b1b1b")]
        parts += [_text(at + 10, 36, f"{n_queries} queries", anchor="start")]
    for tick in (0.9, 0.925, 0.95, 0.975, 1.0):
        dashes = "" if tick == LEVEL else ' stroke-dasharray="2 3"'
        ink = "#b3261e" if tick == LEVEL else "#b0b0b0"
        x = _across(tick)
        parts += [f'<path d="M{x:.1f} {_TOP} V{bottom}" stroke="{ink}"{dashes}/>', _text(x, bottom + 16, f"{tick:g}")]
    for line, (kind, results) in enumerate(kinds.items()):
        y = _TOP + _LINE * (line + 0.5)
        parts += [_text(_LEFT - 12, y + 4, kind, anchor="end")]
        for scenario, result in results:
            parts += [_sign(scenario.n_queries, _across(result.simultaneous), y, ink="#0b57a4", fill="#ffffff")]
            parts += [_sign(scenario.n_queries, _across(result.marginal), y, ink="#0b57a4", fill="#0b57a4")]
    width, height = _LEFT + _WIDTH + 24, bottom + 26
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
        f'font-size="11"><rect width="{width}" height="{height}" fill="#ffffff"/>{"".join(parts)}</svg>\n'
    )


def _across(share: float) -> float:
    return _LEFT + _WIDTH * (max(share, _LEAST) - _LEAST) / (1 - _LEAST)


def _sign(n_queries: int, x: float, y: float, *, ink: str, fill: str) -> str:
    return _SHAPES[n_queries].format(
        x=f"{x:.1f}", y=f"{y:.1f}", x0=f"{x - 4:.1f}", y0=f"{y - 4:.1f}", ink=ink, fill=fill
    )


def _text(x: float, y: float, text: str, *, anchor: str = "middle") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="#1b1b1b">{text}</text>'


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
    PICTURE.write_text(picture(rows), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(_main())
