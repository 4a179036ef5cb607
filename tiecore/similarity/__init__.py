"""Two rankings compared: rank-biased overlap and rank correlations, all of them aware of ties."""

from tiecore.similarity.correlation import tau_ap, tau_b
from tiecore.similarity.overlap import RankBiasedOverlap, rbo

__all__ = [
    "RankBiasedOverlap",
    "rbo",
    "tau_ap",
    "tau_b",
]
