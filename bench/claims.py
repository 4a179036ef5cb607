"""How often claims on differences and places hold: ``python -m bench.claims [--data FOLDER] [--repetitions N]``.

Boards of real values per query: their queries are resampled, with the means of all features made equal or left as they
are. Beside them boards that are simulated, whose hits are rare or whose ties are many. The table is written to
bench/CLAIMS.md, the picture beside it; with ``--data`` it is printed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.figure import Figure

import tiecore
from tiecore.stability.paired import LEVEL, alpha_of, holm, paired
from tiecore.stability.places import place_sets
from tools.sample_values import FEATURES

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "bench" / "CLAIMS.md"
MEASURES = ("P@10", "AP", "RR", "nDCG@10", "Success@5", "R@10", "RBP(p=0.8,rel=1)")
_QUERIES = (20, 29, 50)

Draw = Callable[[int, np.random.Generator], tuple[np.ndarray, np.ndarray]]
"""Makes (n_features, n_queries) values and the (n_features,) true means behind them."""


@dataclass(frozen=True, slots=True)
class Row:
    """What is measured: values of one kind."""

    data: str
    measure: str
    n_queries: int
    draw: Draw
    span: float | None = 1.0


@dataclass(frozen=True, slots=True)
class Found:
    """Shares of the repetitions."""

    false: float
    """A difference between equal true means is called clear, with an allowance for rare queries."""
    false_plain: float
    """The same with the plain t-test."""
    power: float
    """Mean share of the true differences that are called clear; NaN where there are none."""
    power_plain: float
    sets: float
    """All place sets hold at once."""


def resampled(
    board: np.ndarray, equal: bool, n_queries: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Draw queries of a real board with replacement; its means are the truth, made equal by subtracting each."""
    values = board - board.mean(axis=1, keepdims=True) if equal else board
    return values[:, rng.integers(0, values.shape[1], size=n_queries)], values.mean(axis=1)


def rare(hits: float, n_features: int, n_queries: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Every other feature earns the same little on each query, the others earn 1 on a few: their means are equal."""
    share = hits / n_queries
    values = (rng.uniform(size=(n_features, n_queries)) < share).astype(np.float64)
    values[::2] = share
    return values, np.full(n_features, share)


def tied(n_features: int, n_queries: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """P@1 of features that tie 1, 2, 5 or all of ten documents, in pairs of equal skill."""
    share = rng.beta(0.6, 1.4, size=n_queries)
    gain = (rng.uniform(size=(n_queries, 10)) < share[:, None]).astype(np.float64)
    skill = np.linspace(0.0, 0.6, n_features // 2).repeat(2)
    values = np.stack([rng.permuted(gain, axis=1)[:, : (1, 10, 2, 5)[f % 4]].mean(axis=1) for f in range(n_features)])
    found = rng.uniform(size=values.shape) < skill[:, None]
    return np.where(found, gain.max(axis=1), values), skill


def real_rows(values: dict[str, np.ndarray], data: str) -> list[Row]:
    """List the rows of a board: (n_features, n_queries) values of each measure."""
    return [
        Row(f"{data}, means {'equal' if equal else 'as they are'}", measure, n, partial(resampled, board, equal))
        for equal in (True, False)
        for measure, board in values.items()
        for n in _QUERIES
    ]


def simulated_rows() -> list[Row]:
    """List the rows without real data."""
    rows = [Row("simulated, ties of all kinds", "P@1", n, partial(tied, 8)) for n in (20, 50, 500)]
    return rows + [
        Row(f"simulated, {hits} hits due, {n_features} features", "P@1", n, partial(rare, hits, n_features))
        for n_features in (2, 8)
        for n in (50, 500)
        for hits in (1, 4)
    ]


def measured(row: Row, *, repetitions: int, seed: int = 0) -> Found:
    """Repeat a row and count."""
    rng = np.random.default_rng(seed)
    outcomes: list[list[float]] = []
    for _ in range(repetitions):
        values, means = row.draw(row.n_queries, rng)
        test = paired(values, span=row.span)
        gap = means[test.first] - means[test.second]
        equal = np.abs(gap) < 1e-12
        right = test.difference * gap > 0
        wrong, found = [], []
        for clear in (holm(p) <= test.alpha for p in (test.p, test.plain_p)):
            wrong.append(bool((clear & equal).any()))
            found.append((clear & right)[~equal].mean() if not equal.all() else np.nan)
        is_better = np.zeros((len(means), len(means)), dtype=bool)
        clear = holm(test.p) <= test.alpha
        ahead = test.difference > 0
        is_better[test.first, test.second], is_better[test.second, test.first] = clear & ahead, clear & ~ahead
        low, high = place_sets(is_better)
        first = 1 + (means > means[:, None] + 1e-12).sum(axis=1)
        last = (means >= means[:, None] - 1e-12).sum(axis=1)
        outcomes.append([*wrong, *found, bool(((low <= first) & (last <= high)).all())])
    return Found(*np.mean(outcomes, axis=0).tolist())


def board_of(qrels: str, features: Sequence[str]) -> dict[str, np.ndarray]:
    """(n_features, n_queries) expectations of each measure."""
    evaluation = tiecore.evaluate(qrels, list(features), MEASURES, statistics=["expected"])
    return {str(one): evaluation.values.array[m, :, 0] for m, one in enumerate(evaluation.measures)}


def sample() -> dict[str, np.ndarray]:
    """Values of the sample data."""
    data = ROOT / "sample_data"
    return board_of(str(data / "qrels.txt"), [str(data / name) for name in FEATURES])


def folder(path: Path) -> dict[str, np.ndarray]:
    """Values of a folder with judgments (a file named qrels…) and features (all others)."""
    files = sorted(file for file in path.iterdir() if file.suffix not in (".py", ".md") and "SOURCE" not in file.name)
    (qrels,) = [file for file in files if file.is_file() and file.name.startswith("qrels")]
    return board_of(str(qrels), [str(file) for file in files if file.is_file() and file != qrels])


def table(rows: Sequence[tuple[Row, Found]]) -> str:
    """Lay the results out as a Markdown table."""
    lines = [
        "| data | measure | queries | false claims | plain t | found | plain t | sets hold |",
        "|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    for row, found in rows:
        shares = (found.false, found.false_plain, found.power, found.power_plain, found.sets)
        cells = ["–" if np.isnan(share) else f"{share:.3f}".removeprefix("0") for share in shares]
        if "as they are" in row.data:
            cells[:2] = "–", "–"
        lines.append(f"| {row.data} | {row.measure} | {row.n_queries} | {' | '.join(cells)} |")
    return "\n".join(lines)


def page(rows: Sequence[tuple[Row, Found]], *, repetitions: int) -> str:
    """Write the page of the documentation."""
    error = np.sqrt(LEVEL * (1 - LEVEL) / repetitions)
    return f"""# How often claims on differences and places hold

Made by `python -m bench.claims`, {repetitions:,} repetitions of each row: a share of .05 has a Monte-Carlo standard
error of {error:.3f}. Each repetition draws queries anew and compares all features.

- **false claims**: studies in which at least one difference between equal true means is called *clear* (paired t-test
  with the allowance for rare queries, Holm over all pairs, 0.05), beside the same with the plain t-test.
- **found**: share of the true differences that are called clear, beside the same with the plain t-test.
- **sets hold**: studies in which the place sets of all features hold all true places at once.
- *sample*: values of the ten features of the sample data; queries are drawn with replacement. Means are made equal by
  subtracting each, or are left as they are.
- *simulated, ties of all kinds*: four pairs of features of equal skill, which tie 1, 2, 5 or all of ten documents.
- *simulated, … hits due*: every other feature earns the same little on each query, the others earn 1 on so many queries
  on average; the means are equal. The t-test does not know of hits that no query shows.

`python -m bench.claims --data FOLDER` prints the same rows for a folder of your own.

![False claims on real boards with equal means](claims.svg)

{table(rows)}
"""


def picture(rows: Sequence[tuple[Row, Found]], path: Path) -> None:
    """Draw the false claims on boards with equal means as SVG: filled with the allowance, hollow without."""
    shown = [(f"{row.measure}, {row.n_queries} queries", found) for row, found in rows if "equal" in row.data]
    labels, found = zip(*shown, strict=True)
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "claims"}):
        figure = Figure(figsize=(6, 1 + len(shown) / 4), layout="constrained")
        axes = figure.subplots()
        axes.scatter([one.false_plain for one in found], labels, facecolor="none", edgecolor="#0b57a4", label="plain t")
        axes.scatter([one.false for one in found], labels, color="#0b57a4", label="with the allowance")
        axes.axvline(alpha_of(LEVEL), color="#b3261e")
        axes.set(xlabel="false claims", ylim=(len(shown) - 0.5, -0.5))
        axes.legend()
        figure.savefig(path, metadata={"Date": None})


def _main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.claims", description=__doc__)
    parser.add_argument("--data", type=Path, help="folder with a file qrels… and features; by default the sample data")
    parser.add_argument("--repetitions", type=int, default=1000)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    own = options.data
    rows = real_rows(folder(own), own.name) if own else [*real_rows(sample(), "sample"), *simulated_rows()]
    found = []
    with ProcessPoolExecutor(options.processes) as pool:
        for one in zip(rows, pool.map(partial(measured, repetitions=options.repetitions), rows), strict=True):
            found.append(one)
            print(table([one]).splitlines()[-1], flush=True)
    if not own:
        PAGE.write_text(page(found, repetitions=options.repetitions), encoding="utf-8")
        picture(found, PAGE.with_name("claims.svg"))
    return 0


if __name__ == "__main__":
    sys.exit(_main())
