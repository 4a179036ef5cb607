"""Run the measurements: ``python -m bench [--large] [--only NAME …] [--runs N]``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bench.report import report, setting
from bench.rows.all_rows import ROWS
from bench.rows.base import Results
from bench.run import measure, run_once

RESULTS = Path(__file__).parent / "RESULTS.md"


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench",
        description="Measure tiecore beside other tools on generated data, and write the table of results.",
    )
    parser.add_argument("--large", action="store_true", help="also the rows of 136 features")
    parser.add_argument("--only", action="append", choices=ROWS, metavar="NAME", help=f"one of {', '.join(ROWS)}")
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="runs of each tool, in turns (default: 3)")
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help="where to write the table (default: bench/RESULTS.md; with --only nowhere)",
    )
    chosen = parser.parse_args()
    where = setting(command=" ".join(["python -m bench", *sys.argv[1:]]), runs=chosen.runs)
    names = chosen.only or [name for name, row in ROWS.items() if chosen.large or not row.is_large]

    rows = {name: ROWS[name] for name in names}
    _say("generating what data are not there yet")
    # in a process of its own, so that this one stays small: a child's peak of memory begins with that of its parent
    tables = sorted({table for row in rows.values() for table in row.tables})
    texts = sorted({text for row in rows.values() for text in row.texts})
    n_runs = max(row.n_runs for row in rows.values())
    run_once("files.write", {"tables": tables, "texts": texts, "n_runs": n_runs})

    found: dict[str, Results] = {}
    for name, row in rows.items():
        _say(f"{name}: {row.title}")
        found[name] = measure(row.contenders, runs=chosen.runs, say=lambda text: _say(f"  {text}"))
    written = report(rows, found, where)
    print(written)
    output = chosen.output or (None if chosen.only else RESULTS)
    if output is not None:
        output.write_text(written, encoding="utf-8")
    checks = [check for name, results in found.items() for check in rows[name].checks(results)]
    return 0 if all(check.agrees for check in checks) else 1


if __name__ == "__main__":
    sys.exit(_main())
