"""What a measured process reports: seconds of each part of its work, and what came out."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from math import fsum
from time import perf_counter, process_time
from typing import TypedDict, TypeVar

Values = dict[str, dict[str, float]]
"""Mean over queries by kind of value (expected, docid-desc, …) and measure."""


Times = list[tuple[float, float]]
"""For each repetition the seconds that passed, and those of all processors together."""


class Outcome(TypedDict, total=False):
    """What a task gives back."""

    times: dict[str, Times]
    """By part of the work."""
    values: Values
    """For the comparison with other tools."""
    counts: dict[str, int]
    """Of whatever the row tells its reader about the data."""


def mean_of(values: Sequence[Values]) -> Values:
    """Take means over values of the same kinds and measures."""
    return {
        kind: {name: fsum(value[kind][name] for value in values) / len(values) for name in of_kind}
        for kind, of_kind in values[0].items()
    }


_Given = TypeVar("_Given")
_Result = TypeVar("_Result")


def timed(
    work: Callable[[_Given], _Result], *, given: Callable[[], _Given], repeats: int, warm_up: bool = True
) -> tuple[Times, _Result]:
    """Repeat a piece of work, each time on something new that is made outside the clock.

    A first round, which compiles and fills caches, is not counted. The garbage collector rests, as it does in
    ``timeit``: it would walk through the millions of dict entries that some tools need.
    """
    times: Times = []
    for _ in range(repeats + warm_up):
        fresh = given()
        gc.collect()
        gc.disable()
        start, busy = perf_counter(), process_time()
        result = work(fresh)
        times.append((perf_counter() - start, process_time() - busy))
        gc.enable()
    return times[warm_up:], result
