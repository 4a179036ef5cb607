"""What the measures are called elsewhere."""

import math

from bench.clock import Values

FOUR = ("P@10", "AP", "RR", "nDCG@10")
SIX = ("P@10", "R@10", "F1@10", "AP", "RR", "nDCG@10")
"""The measures of McSherry & Najork."""
TREC_EVAL = {"P@10": "P_10", "AP": "map", "RR": "recip_rank", "nDCG@10": "ndcg_cut_10"}
RANX = {"P@10": "precision@10", "AP": "map", "RR": "mrr", "nDCG@10": "ndcg@10"}


def of_pytrec_eval(per_query: dict[str, dict[str, float]]) -> Values:
    """Take means over queries."""
    means = {name: math.fsum(of[key] for of in per_query.values()) / len(per_query) for name, key in TREC_EVAL.items()}
    return {"docid-desc": means}


def of_ranx(means: dict[str, float]) -> Values:
    """Call its means by our names; which order it took nobody knows."""
    return {"arbitrary": {name: float(means[key]) for name, key in RANX.items()}}
