"""What ties do to the order of the features: places, pairs, agreement of leaderboards and significance."""

from tiecore.stability.result import COLUMNS, PlaceMethod, Stability
from tiecore.stability.slices import SliceStability, slice_stability
from tiecore.stability.study import stability

__all__ = ["COLUMNS", "PlaceMethod", "SliceStability", "Stability", "slice_stability", "stability"]
