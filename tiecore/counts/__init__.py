"""The table of counts: how many documents of each grade share each score in each query.

That is all that expectations, spreads, extremes and random draws need of a collection, any engine can make it, and for
discrete features it is far smaller than what it was made of. ``docs/counts.md`` says to the letter how it is written.
"""

from tiecore.counts.make import count
from tiecore.counts.sql import ORDER, counts_sql, repeated_sql
from tiecore.counts.table import Counts

__all__ = ["ORDER", "Counts", "count", "counts_sql", "repeated_sql"]
