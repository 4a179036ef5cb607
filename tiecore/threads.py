"""Independent pieces of work on several threads: NumPy lets go of the interpreter lock where it matters."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import AbstractContextManager
from functools import cache
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

__all__ = ["Progress", "in_threads", "n_processors", "one_thread_for_products"]

Progress = Callable[[int, int], None]
"""Called with the pieces done and the pieces in all; an exception raised in it stops the work."""

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def n_processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_threads(
    work: Callable[[_Item], _Result],
    items: Sequence[_Item],
    *,
    workers: int | None = None,
    progress: Progress | None = None,
) -> list[_Result]:
    """Do the work on every item; results in the order of the items, the same for any number of threads.

    An exception is raised when the pieces that are running have ended, and the others never begin: Python must not end
    while a thread reads. An interrupt waits for nothing.
    """
    n_workers = min(workers or n_processors(), len(items))
    if n_workers <= 1:
        return _in_this_thread(work, items, progress)
    pool = ThreadPoolExecutor(n_workers)
    waits = False
    try:
        futures = [pool.submit(work, item) for item in items]
        for done, future in enumerate(as_completed(futures), start=1):
            future.result()
            if progress is not None:
                progress(done, len(items))
        return [future.result() for future in futures]
    except Exception:
        waits = True
        raise
    finally:
        pool.shutdown(wait=waits, cancel_futures=True)


def _in_this_thread(
    work: Callable[[_Item], _Result], items: Sequence[_Item], progress: Progress | None
) -> list[_Result]:
    results = []
    for done, item in enumerate(items, start=1):
        results.append(work(item))
        if progress is not None:
            progress(done, len(items))
    return results


def one_thread_for_products() -> AbstractContextManager[object]:
    """Restrict matrix products to the calling thread: several callers then share the processors.

    Without it each product starts threads of its own, which wait for each other at full load.
    """
    limits: AbstractContextManager[object] = _libraries().limit(limits=1, user_api="blas")
    return limits


@cache
def _libraries() -> ThreadpoolController:
    """All libraries that are loaded, that of NumPy among them: it takes a while to find them."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
