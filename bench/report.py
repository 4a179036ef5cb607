"""The table of results, with machine and versions, as Markdown."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bench.rows.base import Check, Results, Row, Table, Verdict, seconds_text

LONGEST_NUMBER = 25  # letters, with unit and range
PACKAGES = (
    *("tiecore", "numpy", "pandas", "pyarrow", "scipy"),
    *("pytrec_eval-terrier", "ir_measures", "ranx", "numba", "tie-aware-retrieval-metrics", "scikit-learn"),
)


@dataclass(frozen=True, slots=True)
class Setting:
    """Where, when and how a measurement was made."""

    command: str
    runs: int
    date: str
    machine: str
    """With what else it did when the measurement began, and the versions of the tools."""


def setting(*, command: str, runs: int) -> Setting:
    """Look around: nothing that names the machine or its folders."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    machine = (
        f"{_processor()}, {os.cpu_count() or 1} cores, {memory:.0f} GB, {platform.system()}, "
        f"Python {platform.python_version()}; load of the machine at the start: {os.getloadavg()[0]:.1f}. "
        f"{', '.join(f'{package} {_version(package)}' for package in PACKAGES)}."
    )
    return Setting(command, runs, f"{datetime.now(tz=UTC):%Y-%m-%d}", machine)


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def report(rows: Mapping[str, Row], found: Mapping[str, Results], where: Setting) -> str:
    """Write everything: the marks first, then each row."""
    verdicts = [verdict for name, results in found.items() for verdict in rows[name].verdicts(results)]
    parts = [
        "# Measurements",
        f"Written by `{where.command}` on {where.date}; not edited by hand. {where.machine}",
        "## Marks",
        markdown_table(_marks(verdicts)),
    ]
    for name, results in found.items():
        row = rows[name]
        parts += [f"## {row.title}", f"`--only {name}`. {row.text}", markdown_table(_contenders(row, results))]
        if checks := row.checks(results):
            parts.append("\n".join(map(_checked, checks)))
    parts += ["## How it was measured", _method(where)]
    return "\n\n".join(parts) + "\n"


def _method(where: Setting) -> str:
    return (
        "Every line of a table is work in a process of its own; the tools take turns, "
        f"{where.runs} {'run' if where.runs == 1 else 'runs'} each where it is not too long (at most two for the "
        "largest, one for the slowest). A process that repeats its work counts the median of the repetitions, after "
        "a first round that is not counted (it compiles and fills caches); the tables show the median of the runs, "
        "and in brackets the quickest and the slowest. Work in memory begins on structures made anew each time, "
        "outside the clock, and the garbage collector rests, as in `timeit`. Ratios are to the first line. Peak memory "
        "is the `ru_maxrss` of the process; *processor* is the time of all cores together, which other work on the "
        "machine hardly lengthens. The data are generated from a fixed seed in the shape of MSLR-WEB30K and kept in "
        "`bench/data/`."
    )


def _marks(verdicts: Sequence[Verdict]) -> Table:
    said = {True: "met", False: "**not met**", None: "–"}
    return [
        ["work", "mark", "reached", ""],
        *([verdict.work, verdict.mark, verdict.reached, said[verdict.met]] for verdict in verdicts),
    ]


def _contenders(row: Row, results: Results) -> Table:
    """A line for each contender, with its ratio to the first."""
    table = [["tool", "gives", "time", "(runs)", "ratio", "processor", "peak memory"]]
    first = next(iter(row.contenders))
    for name, contender in row.contenders.items():
        measured = results[name]
        if contender.only_checked:
            continue
        if measured.problem:
            table.append([contender.tool, contender.gives, f"not measured: {measured.problem}", "", "", "", ""])
            continue
        seconds = measured.seconds[contender.part]
        reference = results[first].seconds.get(contender.part)
        spread = " – ".join(map(seconds_text, measured.spread[contender.part]))
        ratio = f"{seconds / reference:.2f}" if reference else "–"
        processor = seconds_text(measured.processor[contender.part])
        line = [seconds_text(seconds), f"({spread})", ratio, processor, f"{measured.peak:,.0f} MB"]
        table.append([contender.tool, contender.gives, *line])
    return table


def _checked(check: Check) -> str:
    verdict = "agrees" if check.agrees else "**differs**"
    return f"* {check.text}: {verdict} (largest difference {check.difference:.1e}, tolerance {check.tolerance:g})"


def markdown_table(table: Table) -> str:
    """Write a table, head first; numbers to the right."""
    head, *lines = table
    number = [bool(lines) and all(_is_number(line[column]) for line in lines) for column in range(len(head))]
    rule = ["---:" if is_number else "---" for is_number in number]
    return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in [head, rule, *lines])


def _is_number(cell: str) -> bool:
    return cell == "" or (len(cell) < LONGEST_NUMBER and cell.lstrip("(+-−× ")[:1].isdigit())
