"""Run contenders as processes of their own, one after another in turns, and take medians."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from tempfile import TemporaryFile
from threading import Timer
from time import perf_counter

from bench.clock import Outcome, Values

ROOT = Path(__file__).parent.parent
PROCESS = "process"
"""Part of the work that is all of it: from the start of the interpreter to its end."""
LONGEST = 900.0
"""Seconds after which a process is ended: longer than anything here should take."""
_ENV = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""Modules are compiled once, as an installation does, and not in each process anew."""
RUSAGE_UNIT = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """A tool at some work."""

    tool: str
    gives: str
    """What comes out, in a few words."""
    task: str
    """``module.function`` of ``bench.tasks``."""
    arguments: Mapping[str, object] = field(default_factory=dict)
    runs: int | None = None
    """At most so many runs, for what takes long."""
    part: str = "work"
    """The seconds that its line of the table shows."""
    only_checked: bool = False
    """Whether it is there for its values alone, and has no line in the table."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What the runs of a contender came to."""

    seconds: Mapping[str, float] = field(default_factory=dict)
    """Median over the runs of each part of the work, each run giving the median of its repetitions."""
    spread: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """The quickest and the slowest run."""
    peak: float = 0.0
    """Most memory of the process, in MB: median over the runs."""
    processor: Mapping[str, float] = field(default_factory=dict)
    """As ``seconds``, of all processors together: what else the machine does hardly lengthens them."""
    values: Values = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    problem: str = ""
    """Why there is nothing, if so."""


def measure(contenders: Mapping[str, Contender], *, runs: int, say: Callable[[str], None]) -> dict[str, Measured]:
    """Run all in turns, so that what else the machine does meets them alike."""
    results: dict[str, list[tuple[Outcome, float]]] = {name: [] for name in contenders}
    problems: dict[str, str] = {}
    for turn in range(runs):
        for name, contender in contenders.items():
            if name in problems or turn >= (contender.runs or runs):
                continue
            say(f"{contender.tool}: {contender.gives} ({turn + 1} of {min(contender.runs or runs, runs)})")
            try:
                results[name].append(run_once(contender.task, contender.arguments))
            except ChildFailedError as failure:
                problems[name] = str(failure)
                say(f"  {failure}")
    return {
        name: Measured(problem=problems[name]) if name in problems else summed_up(results[name]) for name in contenders
    }


class ChildFailedError(Exception):
    """A measured process came to nothing."""


def run_once(task: str, arguments: Mapping[str, object], *, longest: float = LONGEST) -> tuple[Outcome, float]:
    """Run one task in a process of its own: its outcome, with the times of the process, and its peak in MB."""
    command = [sys.executable, "-W", "ignore", "-m", "bench.child", task, json.dumps(dict(arguments))]
    with TemporaryFile("w+", encoding="utf-8") as complaint:
        start = perf_counter()
        process = subprocess.Popen(command, cwd=ROOT, env=_ENV, stdout=subprocess.PIPE, stderr=complaint, text=True)
        alarm = Timer(longest, process.kill)
        alarm.start()
        assert process.stdout is not None
        with process.stdout as answer:
            output = answer.read()
        alarm.cancel()
        _, status, usage = os.wait4(process.pid, 0)  # getrusage of this child alone
        seconds = perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        complaint.seek(0)
        said = complaint.read()
    if process.returncode != 0:
        lines = said.strip().splitlines() or [f"ended with status {process.returncode} after {seconds:.0f} s"]
        raise ChildFailedError(lines[-1])
    outcome: Outcome = json.loads(output.strip().splitlines()[-1])
    whole = (seconds, usage.ru_utime + usage.ru_stime)
    outcome["times"] = {**outcome.get("times", {}), PROCESS: [whole]}
    return outcome, usage.ru_maxrss * RUSAGE_UNIT / 1e6


def summed_up(results: Sequence[tuple[Outcome, float]]) -> Measured:
    """Medians over the runs; the values are the same in all."""
    outcomes = [outcome for outcome, _ in results]
    parts = outcomes[0]["times"]
    each = {part: [median(wall for wall, _ in outcome["times"][part]) for outcome in outcomes] for part in parts}
    busy = {part: [median(cpu for _, cpu in outcome["times"][part]) for outcome in outcomes] for part in parts}
    return Measured(
        seconds={part: median(seconds) for part, seconds in each.items()},
        processor={part: median(seconds) for part, seconds in busy.items()},
        spread={part: (min(seconds), max(seconds)) for part, seconds in each.items()},
        peak=median(peak for _, peak in results),
        values=outcomes[-1].get("values", {}),
        counts=outcomes[-1].get("counts", {}),
    )
