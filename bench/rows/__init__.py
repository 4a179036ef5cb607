"""The rows of the table: what is measured, what must agree, which mark is to be reached."""

from bench import QUERIES
from bench.rows.base import Row
from bench.rows.cutoffs import CUTOFFS
from bench.rows.files import FILES, LONG_IDS, many_runs_row
from bench.rows.groups import GROUPS
from bench.rows.growth import growth_row
from bench.rows.memory import MEMORY, OBJECTS, ONE_MORE
from bench.rows.paper import PAPER
from bench.rows.random_breaks import RANDOM_BREAKS
from bench.rows.stability import STABILITY, WIDE_STABILITY
from bench.rows.tables import table_row

__all__ = ["ROWS"]

ROWS: dict[str, Row] = {
    "memory": MEMORY,
    "objects": OBJECTS,
    "one-more": ONE_MORE,
    "files": FILES,
    "long-ids": LONG_IDS,
    "runs": many_runs_row(143, by=2.5),
    "few-runs": many_runs_row(60, by=2),
    "groups": GROUPS,
    "cutoffs": CUTOFFS,
    "growth": growth_row(
        {"memory": (3_153, QUERIES), "files": (3_153, QUERIES)}, title="Ten times the documents", is_large=False
    ),
    "paper": PAPER,
    "random": RANDOM_BREAKS,
    "table": table_row("frequent", 20, is_large=False),
    "wide": table_row("all", 136, is_large=True),
    "stability": STABILITY,
    "wide-stability": WIDE_STABILITY,
    "long": growth_row({"files": (25_000, 250_000)}, title="Thirty million lines", is_large=True),
}
"""By the name that ``--only`` takes."""
