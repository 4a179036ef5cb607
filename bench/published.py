"""Compare tiecore with published figures: ``python -m bench.published FOLDER [--qrels FILE]``.

FOLDER is a clone of one of these public repositories, or a part of it that lies flat in one folder; which one it is
tells by its files:

* ``castorini/TREC-COVID``: runs, judgments (``qrels-rnd1.txt``) and official values (``leaderboard.csv``) of round 1.
* ``julian-urbano/sigir2024-rbo``: rank-biased overlap of rankings with ties (``rbo/test.csv``).

The exit status is 0 if every published figure comes out, 1 if one does not, and 2 if nothing could be compared.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import tiecore
from bench.report import markdown_table
from tiecore import Evaluation, TiecoreError

TREC_EVAL = "docid-desc"
OFFICIAL = {"ndcg@10": "nDCG@10", "p@5": "P@5", "bpref": "Bpref", "map": "AP", "rbp(p=.5)": "RBP(p=0.5, max_rel=2)"}
"""Columns of the official table, in lower case, and what tiecore calls them. The highest grade is 2."""
HALF_A_DIGIT = 0.5e-4
OVERLAP_TOLERANCE = 1e-6
_SLACK = 1e-9
"""Another program adds up in another order."""

Failures = list[str]
"""What was published and did not come out."""


def compared(folder: Path, qrels: Path | None, failures: Failures) -> Iterator[str]:
    """Yield the lines of the comparison that fits the folder; what does not come out is added to ``failures``."""
    if cases := _overlap_file(folder):
        return _overlap(cases, failures)
    if table := _official_file(folder):
        judgments = qrels or next(iter(sorted(table.parent.rglob("qrels-rnd1.txt*"))), None)
        if judgments is None:
            raise TiecoreError(f"no judgments (qrels-rnd1.txt) lie in {table.parent}: name the file with --qrels")
        return _trec_covid(table, judgments, failures)
    raise TiecoreError(f"{folder} is none of the clones that can be compared: see python -m bench.published --help")


# --- TREC-COVID -------------------------------------------------------------------------------------------------------


def _official_file(folder: Path) -> Path | None:
    """Return the table that names most runs: older ones lie beside it."""
    tables = [path for where in (folder / "round1", folder) for path in sorted(where.glob("*.csv"))]
    tables = [path for path in tables if {"run", "ndcg@10"} <= set(_header(path))]
    return max(tables, key=lambda path: len(pd.read_csv(path)), default=None)


def _trec_covid(table: Path, qrels: Path, failures: Failures) -> Iterator[str]:
    official = pd.read_csv(table, dtype={"run": str}).drop_duplicates("run").set_index("run").rename(columns=str.lower)
    runs = dict(_runs(table.parent, list(map(str, official.index))))
    if not runs:
        raise TiecoreError(f"none of the runs that {table} names lies in {table.parent} or its folder runs")
    named = {ours: official.loc[list(runs), theirs] for theirs, ours in OFFICIAL.items() if theirs in official}
    double, single = (
        tiecore.evaluate(qrels, runs, list(named), [TREC_EVAL], precision=precision)
        for precision in ("float64", "float32")
    )
    yield f"# TREC-COVID, round 1: {len(runs)} of the {len(official)} runs that {table.name} names\n"
    met: dict[str, set[tuple[str, str]]] = {"scores in double precision": set(), "scores in single precision": set()}
    for ours, reported in named.items():
        under: list[Any] = [evaluation.summary.loc[ours, TREC_EVAL] for evaluation in (double, single)]
        for values, pairs in zip(under, met.values(), strict=True):
            pairs |= {(run, ours) for run in runs if _is_met(values[run], reported[run])}
        yield from _table(double, ours, reported, in_single=under[1])
    yield "## Runs all of whose official values come out under docid-desc, to four digits\n"
    left = set(runs)
    for how, found in met.items():
        whole = {run for run in runs if all((run, ours) in found for ours in named)}
        new = sorted(left & whole)
        yield f"* {how}: {len(new)}" + (f" ({', '.join(new)})" if len(new) <= 5 and new else "")
        left -= whole
    yield f"* neither: {len(left)}" + (f" ({', '.join(sorted(left))})" if left else "")
    failures += [f"run {run}" for run in sorted(left)]


def _runs(folder: Path, names: Sequence[str]) -> Iterator[tuple[str, Path]]:
    for name in names:
        for path in (where / f"{name}{ending}" for where in (folder, folder / "runs") for ending in ("", ".gz")):
            if path.is_file():
                yield name, path
                break


def _is_met(value: float, reported: float) -> bool:
    """Whether a value is the reported one to its four digits; where none was reported there is nothing to meet."""
    return not abs(value - reported) > HALF_A_DIGIT + _SLACK


def _table(evaluation: Evaluation, measure: str, official: Any, *, in_single: Any) -> Iterator[str]:
    """Yield one measure of all runs; ``official`` and ``in_single`` are values by run."""
    board, under = evaluation.leaderboard(measure), f"{TREC_EVAL} place"
    heading = ["run", "official", TREC_EVAL, "in float32", "expectation", "worst", "best", "place"]
    heading.append(f"under {TREC_EVAL}")
    rows = [
        [
            str(run),
            *(_four(x) for x in (official[run], row[TREC_EVAL], in_single[run], *row[["expected", "worst", "best"]])),
            *(str(int(row[column])) for column in ("place", under)),
        ]
        for run, row in board.iterrows()
    ]
    moved = int((board["place"] != board[under]).sum())
    change = f"{moved} of {len(board)} places change between the expectation and {TREC_EVAL}."
    yield from (f"## {measure}\n", markdown_table([heading, *rows]), f"\n{change}\n")


def _four(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.4f}"


# --- rank-biased overlap ----------------------------------------------------------------------------------------------


def _header(path: Path) -> list[str]:
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        return [name.strip().lower() for name in next(csv.reader(file), [])]


def _overlap_file(folder: Path) -> Path | None:
    paths = [folder / "rbo" / "test.csv", *sorted(folder.glob("*.csv"))]
    return next((path for path in paths if path.is_file() and {"x", "y", "p", "w.ext"} <= set(_header(path))), None)


def scored_items(text: str) -> dict[str, int]:
    """Read a ranking in which brackets hold what is tied, the best item first.

    >>> scored_items("a (b c) d")
    {'a': 0, 'b': -1, 'c': -1, 'd': -2}
    """
    groups = re.findall(r"\(([^)]*)\)|(\S+)", text)
    return {item: -place for place, (tied, one) in enumerate(groups) for item in (tied or one).split()}


def _overlap(path: Path, failures: Failures) -> Iterator[str]:
    cases = pd.read_csv(path)
    parts = ("ext", "min", "max", "res")
    away = {ties: np.zeros((len(cases), len(parts))) for ties in ("w", "a", "b")}
    for number, case in enumerate(cases.to_dict("records")):
        x, y = scored_items(case["x"]), scored_items(case["y"])
        for ties, of_variant in away.items():
            found = tiecore.rbo(x, y, p=case["p"], ties=ties)  # type: ignore[arg-type]  # the three there are
            of_variant[number] = [abs(getattr(found, part) - case[f"{ties}.{part}"]) for part in parts]
    yield f"# Rank-biased overlap: {len(cases)} published pairs of rankings, p from {cases['p'].min():.3f}\n"
    rows = [["variant", "pairs met", *(f"largest error of {part.upper()}" for part in parts)]]
    for ties, of_variant in away.items():
        is_met = (of_variant <= OVERLAP_TOLERANCE).all(axis=1)
        rows.append([ties, f"{is_met.sum()} of {len(cases)}", *(f"{x:.1e}" for x in of_variant.max(axis=0))])
        failures += [f"pair {number + 1}, variant {ties}" for number in np.flatnonzero(~is_met)]
    yield markdown_table(rows)
    yield f"\nMet is what lies within {OVERLAP_TOLERANCE:g} of the published figure."


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a comparison, and return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.published", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--qrels", type=Path, metavar="FILE", help="the judgments, if they lie elsewhere")
    given = parser.parse_args(arguments)
    failures: Failures = []
    try:
        for line in compared(given.folder, given.qrels, failures):
            print(line)
    except TiecoreError as error:
        print(error, file=sys.stderr)
        return 2
    for failure in failures:
        print(f"does not come out: {failure}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
