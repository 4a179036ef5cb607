"""Where the generated files lie. Imports nothing, so that whole processes can be timed that only need a path."""

from pathlib import Path

FOLDER = Path(__file__).parent / "data" / "2"  # a new number for new data, so that old files are not taken for it
_ENDING = {"short": "", "long": "-long"}


def table_file(n_queries: int, which: str) -> Path:
    """Parquet table: ids, label and a column for each of the ``frequent`` features or of ``all``."""
    return FOLDER / f"{n_queries}-{which}.parquet"


def run_file(n_queries: int, ids: str = "short") -> Path:
    """TREC run of in-degree, with ``short`` document ids or ``long`` ones."""
    return FOLDER / f"{n_queries}{_ENDING[ids]}.run"


def qrels_file(n_queries: int, ids: str = "short") -> Path:
    """TREC qrels of all documents."""
    return FOLDER / f"{n_queries}{_ENDING[ids]}.qrels"


def many_run_files(n_runs: int) -> list[Path]:
    """TREC runs of many systems for the same few queries."""
    return [FOLDER / "many" / f"system{number:03d}.run" for number in range(n_runs)]


def many_qrels_file() -> Path:
    """TREC qrels of some of the documents in these runs."""
    return FOLDER / "many" / "judgments.qrels"
