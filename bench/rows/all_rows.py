"""The rows of the table: what is measured, what must agree, which mark is to be reached."""

from bench.rows.base import Row
from bench.rows.files import FILES, LONG_IDS, WIDE, many_runs_row
from bench.rows.memory import MEMORY, OBJECTS, ONE_MORE
from bench.rows.stability import STABILITY, WIDE_STABILITY

ROWS: dict[str, Row] = {
    "memory": MEMORY,
    "objects": OBJECTS,
    "one-more": ONE_MORE,
    "files": FILES,
    "long-ids": LONG_IDS,
    "runs": many_runs_row(143, by=2.5),
    "few-runs": many_runs_row(60, by=2),
    "wide": WIDE,
    "stability": STABILITY,
    "wide-stability": WIDE_STABILITY,
}
"""By the name that ``--only`` takes."""
