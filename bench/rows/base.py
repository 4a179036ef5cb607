"""What is measured: the work, who does it, what must agree and which mark is to be reached."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bench import QUERIES
from bench.run import Contender, Measured
from bench.spelling import FOUR

Results = Mapping[str, Measured]
Table = list[list[str]]
"""Head first."""

TOLERANCE = 1e-9
"""For means over queries that two tools compute in different orders."""
ALL_COLUMNS = "expectation, sd, worst, best, docid tie-break"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A mark and what was reached."""

    work: str
    mark: str
    reached: str
    met: bool | None
    """None if it could not be measured."""


@dataclass(frozen=True, slots=True)
class Check:
    """Values that must agree, and how far they are apart at most."""

    text: str
    difference: float
    tolerance: float

    @property
    def agrees(self) -> bool:
        """Whether the difference is within the tolerance."""
        return self.difference <= self.tolerance


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One measurement."""

    title: str
    text: str
    """What exactly is measured."""
    contenders: Mapping[str, Contender]
    verdicts: Callable[[Results], list[Verdict]] = lambda _: []
    checks: Callable[[Results], list[Check]] = lambda _: []
    tables: Sequence[tuple[int, str]] = ((QUERIES, "frequent"),)
    """Generated tables that it reads: number of queries, and which features."""
    texts: Sequence[tuple[int, str]] = ()
    """Generated runs and qrels that it reads: number of queries, and ``short`` or ``long`` ids."""
    n_runs: int = 0
    """Generated runs of many systems that it reads."""
    is_large: bool = False


def seconds_text(seconds: float) -> str:
    """Three digits in a unit that suits."""
    return f"{seconds:.3g} s" if seconds >= 0.9995 else f"{seconds * 1e3:.3g} ms"


def has(results: Results, *names: str) -> bool:
    """Tell whether all of these could be measured."""
    return all(not results[name].problem for name in names)


def quicker(results: Results, work: str, *, quick: str, slow: str, tool: str, by: float, part: str = "work") -> Verdict:
    """Hold the mark that one contender is a number of times as quick as another."""
    mark = f"≥ {by:g} × {tool}"
    if not has(results, quick, slow):
        return Verdict(work, mark, "not measured", None)
    ratio = results[slow].seconds[part] / results[quick].seconds[part]
    busy = results[slow].processor[part] / results[quick].processor[part]
    return Verdict(work, mark, f"{ratio:.1f} × (of processor time {busy:.1f} ×)", ratio >= by)


def at_most(results: Results, work: str, name: str, *, seconds: float, part: str = "work", mark: str = "") -> Verdict:
    """Hold a mark in seconds."""
    mark = mark or f"≤ {seconds:g} s"
    if not has(results, name):
        return Verdict(work, mark, "not measured", None)
    taken = results[name].seconds[part]
    reached = f"{seconds_text(taken)} (processor time {seconds_text(results[name].processor[part])})"
    return Verdict(work, mark, reached, taken <= seconds)


def fits(results: Results, work: str, name: str, *, gigabytes: float) -> Verdict:
    """Hold a mark in memory."""
    mark = f"≤ {gigabytes:g} GB"
    if not has(results, name):
        return Verdict(work, mark, "not measured", None)
    return Verdict(work, mark, f"{results[name].peak / 1e3:.2f} GB", results[name].peak <= gigabytes * 1e3)


def shows_progress(results: Results, work: str, name: str) -> Verdict:
    """Hold the mark that the caller hears of the progress."""
    if not has(results, name):
        return Verdict(work, "with progress", "not measured", None)
    calls = results[name].counts["calls of progress"]
    return Verdict(work, "with progress", f"{calls} calls", calls > 1)


def same(results: Results, text: str, *names: str, kind: str, measures: Sequence[str] = FOUR) -> list[Check]:
    """Compare one kind of value of two contenders."""
    if not has(results, *names):
        return []
    left, right = (results[name].values[kind] for name in names)
    return [Check(text, max(abs(left[name] - right[name]) for name in measures), TOLERANCE)]


def inside(results: Results, arbitrary: str, bounds: str) -> list[Check]:
    """Check that the values of an arbitrary order lie between worst and best."""
    if not has(results, arbitrary, bounds):
        return []
    worst, best = results[bounds].values["worst"], results[bounds].values["best"]
    outside = max(
        max(worst[name] - value, value - best[name], 0.0)
        for name, value in results[arbitrary].values["arbitrary"].items()
    )
    text = f"arbitrary order of {arbitrary}: not outside the worst and best of tiecore"
    return [Check(text, outside, TOLERANCE)]
