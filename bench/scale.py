"""Counting large labelled tables: ``python -m bench.scale --rows 10000000 [--engine duckdb|spark] [--browser]``.

Writes a table of so many rows in pieces (query, document, grade, five discrete features; the same seed gives the same
rows), lets an engine count it with the query of ``tiecore.counts``, and evaluates the counts. Needs DuckDB or pyspark.
With ``--browser`` a dashboard opens the counts, and for comparison a small table, of 100,000 documents with twenty
features, and the sample data. With ``--keep`` the table and its counts stay in ``--folder``; the table is used again,
also for fewer rows.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import TypeVar

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from tiecore.counts import ORDER, counts_sql
from tiecore.counts.aligned import aligned
from tiecore.counts.read import as_counts
from tiecore.evaluation.engine import evaluate_alignment

FEATURES = ("clicks", "in_degree", "stars", "visits", "freshness")
MEASURES = ("P@10", "AP", "RR", "nDCG@10")
SEED = 20
PIECE = 2_000_000
AT_ONCE = 5
"""Files that DuckDB counts at once: counts of pieces add up, and what a piece needs fits into little memory."""
TURNS = 3
"""Visits of a browser to each dashboard that count."""
_Result = TypeVar("_Result")


def pieces(n_rows: int, *, per_query: int) -> Iterator[pa.Table]:
    """Yield the table in pieces, ``per_query`` documents for each query."""
    for number, begin in enumerate(range(0, n_rows, PIECE)):
        rng = np.random.default_rng([SEED, number])
        n_here = min(PIECE, n_rows - begin)
        row = np.arange(begin, begin + n_here)
        relevance = rng.choice(5, size=n_here, p=[0.55, 0.25, 0.12, 0.05, 0.03]).astype(np.int8)
        yield pa.table(
            {
                "query_id": _text(row // per_query),
                "doc_id": _text(row),
                "relevance": relevance,
                "clicks": (rng.geometric(0.6, n_here) - 1 + rng.binomial(relevance, 0.3)).astype(np.int32),
                "in_degree": np.minimum(rng.zipf(1.8, n_here), 1000).astype(np.int32),
                "stars": rng.integers(0, 6, n_here).astype(np.int8),
                "visits": (rng.poisson(2 + relevance)).astype(np.int32),
                "freshness": rng.integers(0, 10, n_here).astype(np.int8),
            }
        )


def _text(numbers: np.ndarray) -> pa.Array:
    return pa.array(numbers).cast(pa.string())


def write(folder: Path, n_rows: int, *, per_query: int) -> list[Path]:
    """Write the table as files of two million rows; those that are there already are used again."""
    files = [folder / f"part-{number:05}.parquet" for number in range(-(-n_rows // PIECE))]
    if not all(file.exists() for file in files):
        for file, piece in zip(files, pieces(n_rows, per_query=per_query), strict=True):
            parquet.write_table(piece, file)
    return files


def count_by_duckdb(files: Sequence[Path], output: Path, *, memory: str, threads: int) -> None:
    """Count a few files at a time into a part of a folder; what does not fit into memory goes to a folder beside it."""
    import duckdb

    connection = duckdb.connect(config={"memory_limit": memory, "threads": threads, "temp_directory": f"{output}.tmp"})
    connection.execute("SET preserve_insertion_order = false")
    query = f"{counts_sql(whole=FEATURES, qrels=None)} {ORDER}"
    output.mkdir()
    for begin in range(0, len(files), AT_ONCE):
        some = [str(file) for file in files[begin : begin + AT_ONCE]]
        connection.execute(f"CREATE OR REPLACE VIEW features AS SELECT * FROM read_parquet({some})")
        part = output / f"part-{begin // AT_ONCE:05}.parquet"
        connection.execute(f"COPY ({query}) TO '{part}' (FORMAT parquet, COMPRESSION zstd)")


def count_by_spark(files: Sequence[Path], output: Path, *, memory: str, threads: int) -> None:
    """Count into a folder of files in a process of its own, whose time and memory are known when it has ended."""
    settings = {
        "spark.driver.memory": memory.replace("GB", "g"),
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.local.dir": str(output.parent),
    }
    options = [part for name, value in settings.items() for part in ("--conf", f"{name}={value}")]
    submit = [str(Path(sys.executable).with_name("spark-submit")), "--master", f"local[{threads}]", *options]
    environment = {
        **os.environ,
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
    command = [*submit, __file__, "--into", str(output), *map(str, files)]
    subprocess.run(command, check=True, env=environment, stderr=subprocess.DEVNULL)


def count_in_spark(files: Sequence[Path], output: Path) -> None:
    """Count as docs/scale.md shows it, in what spark-submit has started."""
    from pyspark.sql import SparkSession

    from tiecore import spark

    session = SparkSession.builder.getOrCreate()
    counts = spark.count(session.read.parquet(*map(str, files)), checks="none")
    order = counts.score_int.desc(), "grade"
    ordered = counts.repartition(8, "query_id").sortWithinPartitions("feature", "query_id", *order)
    ordered.write.options(**{"compression": "zstd", "parquet.block.size": str(1 << 20)}).parquet(str(output))
    session.stop()


def first_pictures(counts: Path) -> None:
    """Print how long a browser waits for the first picture of some counts, and of small data; medians."""
    from playwright.sync_api import sync_playwright

    from bench.data import prepare
    from bench.paths import table_file
    from bench.waits import N_QUERIES, opened
    from tests.browser.conftest import find_chromium

    prepare([(N_QUERIES, "frequent")], [])
    data: dict[str, list[Path]] = {"sample": [], "table": [table_file(N_QUERIES, "frequent")], "counts": [counts]}
    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(find_chromium()))
        waits: dict[str, list[float]] = {}
        for turn in range(1 + TURNS):
            for name, features in data.items():
                for what, seconds in opened(browser, Path(home), name, features):
                    if turn > 0:  # the first visits of a browser take longer, whatever they see
                        waits.setdefault(what, []).append(seconds)
        browser.close()
    for what, of_turns in waits.items():
        print(f"{what:<26} {median(of_turns):8.1f} s, {min(of_turns):.1f} to {max(of_turns):.1f} s")


def _timed(what: str, work: Callable[[], _Result], *, n_rows: int) -> _Result:
    """Run and print wall-clock and processor seconds, of child processes too."""
    begin, before = time.perf_counter(), _processor_seconds()
    result = work()
    wall, processor = time.perf_counter() - begin, _processor_seconds() - before
    million = n_rows / 1e6
    rate = f"{processor / million:7.3f} s a million rows"
    print(f"{what:<22} {wall:8.1f} s {processor:8.1f} s of processor, {rate}", flush=True)
    return result


def _processor_seconds() -> float:
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def _size(files: Iterable[Path]) -> int:
    return sum(file.stat().st_size for file in files)


def _peak_gigabytes() -> float:
    return max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1024**2


def main() -> None:
    """Generate, count, evaluate; print what each took."""
    parser = argparse.ArgumentParser(prog="python -m bench.scale", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000, metavar="N")
    parser.add_argument("--documents", type=int, default=1000, metavar="N", help="of each query (default: 1000)")
    parser.add_argument("--engine", choices=("duckdb", "spark"), default="duckdb")
    parser.add_argument("--memory", default="4GB", help="limit for the engine (default: 4GB)")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--folder", type=Path, help="where the data go; by default a temporary folder")
    parser.add_argument("--keep", action="store_true", help="keep the data in the folder, and use what is there")
    parser.add_argument("--browser", action="store_true", help="measure the first picture of the dashboard, too")
    parser.add_argument("--into", type=Path, help=argparse.SUPPRESS)  # and files: what spark-submit calls
    parser.add_argument("files", type=Path, nargs="*", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.into is not None:
        return count_in_spark(chosen.files, chosen.into)
    if chosen.keep and chosen.folder is None:
        parser.error("--keep needs --folder")
    folder = Path(tempfile.mkdtemp(prefix="tiecore-scale-", dir=chosen.folder))
    data = chosen.folder / "data" if chosen.keep else folder / "data"
    output = chosen.folder / f"counts-{chosen.engine}-{chosen.rows}" if chosen.keep else folder / "counts"
    data.mkdir(exist_ok=True)
    shutil.rmtree(output, ignore_errors=True)
    own = {"memory": chosen.memory, "threads": chosen.threads}
    count = count_by_duckdb if chosen.engine == "duckdb" else count_by_spark
    n_rows = chosen.rows
    try:
        print(f"{n_rows:,} rows, {len(FEATURES)} features, {chosen.documents} documents a query")
        print(f"{chosen.engine}, {', '.join(map(str, own.values()))}; load {os.getloadavg()[0]:.1f}", flush=True)
        files = _timed("generating", lambda: write(data, n_rows, per_query=chosen.documents), n_rows=n_rows)
        _timed("counting", lambda: count(files, output, **own), n_rows=n_rows)
        print(f"{'':<22} peak memory {_peak_gigabytes():.2f} GB")
        n_bytes = _size(output.glob("*.parquet"))
        print(f"{'':<22} counts: {n_bytes / 1e6:.1f} MB, {n_bytes / _size(files):.1%} of the input")
        counts = _timed("reading the counts", lambda: as_counts(output), n_rows=n_rows)
        assert counts is not None
        print(f"{'':<22} {counts.n_rows:,} rows of counts")
        alignment = _timed("bringing together", lambda: aligned(counts), n_rows=n_rows)
        evaluation = _timed("evaluating", lambda: evaluate_alignment(alignment, MEASURES), n_rows=n_rows)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
        print(f"{'':<22} peak memory of this process {peak:.2f} GB; load {os.getloadavg()[0]:.1f}")
        print(evaluation.summary.round(4))
        if chosen.browser:
            first_pictures(output)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
