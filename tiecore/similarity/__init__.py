"""Two rankings compared: rank-biased overlap and rank correlations, all of them aware of ties."""

from tiecore.similarity.correlation import tau_ap, tau_b, weighted_tau
from tiecore.similarity.documents import SharedDocuments, shared_documents
from tiecore.similarity.features import FeatureSimilarity, Pairwise, between, pairwise
from tiecore.similarity.order import alike_order
from tiecore.similarity.overlap import RankBiasedOverlap, rbo
from tiecore.similarity.sampled import SampledSimilarity, between_sampled

__all__ = [
    "FeatureSimilarity",
    "Pairwise",
    "RankBiasedOverlap",
    "SampledSimilarity",
    "SharedDocuments",
    "alike_order",
    "between",
    "between_sampled",
    "pairwise",
    "rbo",
    "shared_documents",
    "tau_ap",
    "tau_b",
    "weighted_tau",
]
