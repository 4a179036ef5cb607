"""Independent pieces of work on several threads: NumPy lets go of the interpreter lock where it matters."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextvars import copy_context
from typing import TypeVar

import numpy as np

# glibc gives the memory of large arrays back at once, and clearing it for the next ones takes a fifth of the time of an
# evaluation (bench, memory and objects); it keeps up to 64 MB a thread after a block as large as this was freed, which
# is never touched
np.empty((1 << 25) - (1 << 16), dtype=np.uint8)

Progress = Callable[[int, int], None]
"""Called with the pieces done and the pieces in all; an exception raised in it stops the work."""

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def in_threads(
    work: Callable[[_Item], _Result],
    items: Sequence[_Item],
    *,
    workers: int | None = None,
    progress: Progress | None = None,
    of_each: int = 1,
) -> list[_Result]:
    """Do the work on every item; results in the order of the items, the same for any number of threads.

    ``of_each``: items that make up one of the pieces that progress counts; it is called for every item all the same.

    An exception is raised when the pieces that are running have ended, and the others never begin: Python must not end
    while a thread reads. An interrupt waits for nothing.
    """
    report = progress or (lambda done, total: None)
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    n_workers = min(workers or available or 1, len(items))
    results = []
    if n_workers <= 1:
        for done, item in enumerate(items, start=1):
            results.append(work(item))
            report(done // of_each, len(items) // of_each)
        return results
    pool = ThreadPoolExecutor(n_workers)
    waits = False
    try:
        futures = [pool.submit(copy_context().run, work, item) for item in items]  # with the limits in force
        for done, future in enumerate(as_completed(futures), start=1):
            future.result()
            report(done // of_each, len(items) // of_each)
        return [future.result() for future in futures]
    except Exception:
        waits = True
        raise
    finally:
        pool.shutdown(wait=waits, cancel_futures=True)
