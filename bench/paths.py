"""Where the generated files lie. Imports nothing, so that whole processes can be timed that only need a path."""

from pathlib import Path

__all__ = ["FOLDER", "qrels_file", "run_file", "table_file"]

FOLDER = Path(__file__).parent / "data" / "2"  # a new number for new data, so that old files are not taken for it


def table_file(n_queries: int, which: str) -> Path:
    """Parquet table: ids, label and a column for each of the ``frequent`` features or of ``all``."""
    return FOLDER / f"{n_queries}-{which}.parquet"


def run_file(n_queries: int) -> Path:
    """TREC run of in-degree."""
    return FOLDER / f"{n_queries}.run"


def qrels_file(n_queries: int) -> Path:
    """TREC qrels of all documents."""
    return FOLDER / f"{n_queries}.qrels"
