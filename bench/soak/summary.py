"""What a soak came to, as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import median, quantiles

from bench.soak.visitor import Act, Diary
from bench.soak.watch import Reading

__all__ = ["summary"]

WARM_UP = 600.0
"""Seconds in which caches fill; growth is judged from then on."""
PERIOD = 600.0


def summary(readings: Sequence[Reading], diary: Diary, *, seconds: float, log: Sequence[str]) -> str:
    """Put it together."""
    used = [reading for reading in readings if reading.at <= seconds]
    return "\n".join(
        [
            *_memory(used, readings),
            "",
            *_acts(diary.acts),
            "",
            *_errors("acts that went wrong", [f"{act.kind}: {act.problem}" for act in diary.acts if act.problem]),
            *_errors("complaints in consoles", diary.complaints),
            *_errors("requests to others", diary.outside),
            *_errors("lines of the log with an error, exception or warning", log),
        ]
    )


def _memory(used: Sequence[Reading], readings: Sequence[Reading]) -> list[str]:
    lines = [
        "| minutes | memory, MB: median | largest | processor | threads | open files | tabs |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        _row("start", readings[:1], before=None),
    ]
    end = used[-1].at
    begin = 0.0
    while begin < end - 30:
        period = [reading for reading in used if begin <= reading.at < begin + PERIOD]
        before = next((reading for reading in reversed(used) if reading.at < begin), readings[0])
        if period:
            lines.append(_row(f"{begin / 60:.0f} to {min(begin + PERIOD, end) / 60:.0f}", period, before=before))
        begin += PERIOD
    if len(readings) > len(used):
        lines.append(_row("all gone", readings[-1:], before=None))
    lines += ["", f"Most memory ever: {readings[-1].peak:,.0f} MB.", _growth(used)]
    return lines


def _row(name: str, period: Sequence[Reading], *, before: Reading | None) -> str:
    last = period[-1]
    share = "" if before is None else f"{(last.processor - before.processor) / (last.at - before.at):.0%} of a core"
    cells = [
        name,
        f"{median(reading.memory for reading in period):,.0f}",
        f"{max(reading.memory for reading in period):,.0f}",
        share,
        f"{max(reading.threads for reading in period)}",
        f"{max(reading.files for reading in period)}",
        f"{max(reading.sessions for reading in period)}",
    ]
    return f"| {' | '.join(cells)} |"


def _growth(used: Sequence[Reading]) -> str:
    """Say how memory grew once caches had time to fill: the second half of that time against the first."""
    warm = [reading for reading in used if reading.at > WARM_UP]
    if len(warm) < 20:
        return "Too short to judge growth: ten minutes pass before it is judged."
    middle = (warm[0].at + warm[-1].at) / 2
    first = median(reading.memory for reading in warm if reading.at < middle)
    second = median(reading.memory for reading in warm if reading.at >= middle)
    hours = (warm[-1].at - warm[0].at) / 2 / 3600
    return (
        f"After ten minutes of warming up, memory was {first:,.0f} MB (median of the first half of the time) "
        f"and then {second:,.0f} MB (second half): {(second - first) / hours:+,.0f} MB an hour."
    )


def _acts(acts: Sequence[Act]) -> list[str]:
    lines = ["| act | times | median, s | 95 % within, s | longest, s | went wrong |", "| --- " * 6 + "|"]
    for kind, times in Counter(act.kind for act in acts).most_common():
        good = [act.seconds for act in acts if act.kind == kind and not act.problem]
        cells = [kind, f"{times:,}"]
        if good:
            late = quantiles(good, n=20, method="inclusive")[-1] if len(good) > 1 else good[0]
            cells += [f"{median(good):.2f}", f"{late:.2f}", f"{max(good):.2f}"]
        else:
            cells += ["", "", ""]
        lines.append(f"| {' | '.join([*cells, str(times - len(good))])} |")
    return [*lines, "", f"{len(acts):,} acts."]


def _errors(what: str, lines: Sequence[str]) -> list[str]:
    found = [f"{len(lines):,} {what}{':' if lines else '.'}"]
    found += [f"- {times} × {line[:300]}" for line, times in Counter(lines).most_common(20)]
    return found
