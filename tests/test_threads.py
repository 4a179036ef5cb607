"""Laws of work on threads."""

import threading
import time

import pytest

from tests.cli.running import raising
from tiecore.threads import in_threads


@pytest.mark.parametrize("workers", [None, 1, 3])
def test_results_stand_in_the_order_of_the_items(workers: int | None) -> None:
    assert in_threads(lambda n: n * n, list(range(20)), workers=workers) == [n * n for n in range(20)]
    assert in_threads(len, []) == []


def test_progress_counts_every_item_once() -> None:
    seen: list[tuple[int, int]] = []
    in_threads(lambda n: n, list(range(5)), progress=lambda done, total: seen.append((done, total)))
    assert seen == [(n, 5) for n in range(1, 6)]


def test_an_exception_in_progress_stops_the_work() -> None:
    begun = []

    def work(n: int) -> None:
        begun.append(n)
        time.sleep(0.001)

    with pytest.raises(KeyboardInterrupt):
        in_threads(work, list(range(500)), workers=2, progress=raising(KeyboardInterrupt()))
    assert len(begun) < 500


@pytest.mark.parametrize("workers", [1, 2])
def test_an_exception_in_the_work_is_raised_stops_it_and_leaves_no_thread_running(workers: int) -> None:
    begun, ended = [], []

    def work(n: int) -> None:
        begun.append(n)
        if n == 0:
            raise ValueError("first")
        time.sleep(0.01)
        ended.append(n)

    threads = set(threading.enumerate())
    with pytest.raises(ValueError, match="first"):
        in_threads(work, list(range(300)), workers=workers)
    assert set(threading.enumerate()) <= threads  # one of an earlier test may have ended meanwhile
    assert sorted(begun) == [0, *sorted(ended)]
    assert len(begun) < 300


@pytest.mark.parametrize(("items", "workers"), [([1], None), ([1, 2, 3], 1)])
def test_work_for_one_thread_starts_none(items: list[int], workers: int | None) -> None:
    found = in_threads(lambda _: threading.current_thread(), items, workers=workers)
    assert set(found) == {threading.current_thread()}
