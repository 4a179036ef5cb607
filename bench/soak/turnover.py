"""One set of data after another through the caches of the dashboard, to see where its memory stops growing.

    python -m bench.soak.turnover --sets 60 --values 32 --data 256

The bounds are lowered from those of the dashboard (512 MB of values, 2,048 MB of data), so that they are reached soon.
"""

from __future__ import annotations

import argparse
import gc
import logging
from pathlib import Path
from threading import Thread

import numpy as np

from dashboard import cached, idle, shelf
from dashboard.controls import Settings
from dashboard.datasets import Dataset, LoadedFile, digest_of
from tiecore.formats import read
from tiecore.measures import measure

N_FEATURES, LIST = 5, 100
MEASURES = ("nDCG@10", "AP", "P@5")


def table(seed: int, n_queries: int) -> bytes:
    """Write a table of five features that nobody has seen before."""
    rng = np.random.default_rng(seed)
    rows = n_queries * LIST
    numbers = np.column_stack(
        [rng.integers(0, 3, rows), np.floor(np.maximum(rng.normal(size=(rows, N_FEATURES)), 0) * 3).astype(int)]
    )
    names = ",".join(f"f{number}_{seed}" for number in range(N_FEATURES))
    lines = (
        f"q{row // LIST},d{row // LIST}-{row % LIST},{','.join(map(str, cells))}\n" for row, cells in enumerate(numbers)
    )
    return f"query_id,doc_id,label,{names}\n{''.join(lines)}".encode()


def look_at(data: bytes) -> None:
    """Do with a file what the first pages do."""
    dataset = Dataset().add([LoadedFile("table.csv", digest_of(data), read(data), len(data), "upload")])
    for name in MEASURES:
        view = cached.view(dataset, Settings(measure(name)))
        cached.intervals(view)
        cached.stable(view, tests=False)
    cached.coverage(dataset, Settings(measure(MEASURES[0])))


def memory() -> float:
    """Resident memory of this process in MB."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines() if ":" in line)
    return int(status["VmRSS"].split()[0]) / 1024


def _main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.soak.turnover", description="Fill the caches again and again."
    )
    parser.add_argument("--sets", type=int, default=60)
    parser.add_argument("--queries", type=int, default=1000, help="of each set, of 100 documents and five features")
    parser.add_argument("--values", type=int, default=32, help="MB of values that are kept")
    parser.add_argument("--data", type=int, default=256, help="MB of data that results hold on to")
    wanted = parser.parse_args()
    logging.disable(logging.WARNING)  # Streamlit misses its server
    shelf._MOST_VALUE_BYTES = wanted.values * 2**20
    shelf._MOST_DATA_BYTES = wanted.data * 2**20
    print("| sets of data | memory, MB |\n| --- | --- |")
    for number in range(wanted.sets + 1):
        if number % max(1, wanted.sets // 12) == 0:
            gc.collect()
            print(f"| {number} | {memory():,.0f} |", flush=True)
        visit = Thread(target=look_at, args=(table(number, wanted.queries),))  # as each click has a thread of its own
        visit.start()
        visit.join()
        idle.give_back()


if __name__ == "__main__":
    _main()
