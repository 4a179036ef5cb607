"""Two rankings compared: rank-biased overlap and rank correlations, all of them aware of ties."""

from tiecore.similarity.correlation import tau_ap, tau_b, weighted_tau
from tiecore.similarity.documents import SharedDocuments, shared_documents
from tiecore.similarity.features import FeatureSimilarity, between
from tiecore.similarity.order import alike_order
from tiecore.similarity.overlap import RankBiasedOverlap, rbo

__all__ = [
    "FeatureSimilarity",
    "RankBiasedOverlap",
    "SharedDocuments",
    "alike_order",
    "between",
    "rbo",
    "shared_documents",
    "tau_ap",
    "tau_b",
    "weighted_tau",
]
