"""Write the files that the other tasks read."""

from __future__ import annotations

from collections.abc import Sequence

from bench.clock import Outcome
from bench.data import prepare

__all__ = ["write"]


def write(*, tables: Sequence[tuple[int, str]], texts: Sequence[tuple[int, str]], n_runs: int) -> Outcome:
    """Generate what is not there yet, in a process that needs the memory only once."""
    prepare([(n, which) for n, which in tables], [(n, ids) for n, ids in texts], n_runs)
    return {}
