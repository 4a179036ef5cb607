"""How far a leaderboard can be trusted: clear differences over the queries, and what ties put at risk."""

from tiecore.stability.result import COLUMNS, RANK_COLUMNS, Stability
from tiecore.stability.slices import SliceStability, slice_stability
from tiecore.stability.study import clearly_better, stability, stability_of_values

__all__ = [
    "COLUMNS",
    "RANK_COLUMNS",
    "SliceStability",
    "Stability",
    "clearly_better",
    "slice_stability",
    "stability",
    "stability_of_values",
]
