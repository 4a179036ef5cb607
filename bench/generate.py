"""Data in the shape of MSLR-WEB30K, drawn from a fixed seed: lists of documents, grades and 136 features.

Every block of queries and every feature has a generator of its own, so a set of fewer queries is the beginning of a
larger one, and a feature is the same whichever others are drawn with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

SEED = 2008
QUERIES_PER_BLOCK = 500
LONGEST_LIST = 1251
GRADE_SHARES = (0.515, 0.325, 0.134, 0.018, 0.008)
SHARED_BY_QUERY = 0.3
"""Part of the variance of a document's relevance that it shares with the other documents of its query."""

Quantile = Callable[[np.ndarray], np.ndarray]
"""Value of a feature below which the given share of the documents lies."""


@dataclass(frozen=True, slots=True)
class Feature:
    """How the values of a feature are spread, and how closely they follow the grades."""

    quantile: Quantile
    correlation: float = 0.2
    one_a_query: bool = False
    """True for what depends on the query alone, so that all its documents are tied."""


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """The documents of successive queries, in no order that tells anything about them."""

    number: int
    query: np.ndarray
    """(n_documents,) from 0, ascending."""
    position: np.ndarray
    """(n_documents,) position inside the query."""
    grade: np.ndarray
    """(n_documents,) 0 to 4."""
    merit: np.ndarray
    """(n_documents,) the grades brought to mean 0 and variance 1 over all documents."""

    def values(self, name: str) -> np.ndarray:
        """(n_documents,) values of a feature, whole numbers in int32."""
        feature = FEATURES[name]
        rng = np.random.default_rng([SEED, self.number, 1 + list(FEATURES).index(name)])
        if feature.one_a_query:
            share = rng.random(QUERIES_PER_BLOCK)[self.query % QUERIES_PER_BLOCK]
        else:
            noise = rng.standard_normal(len(self.query))
            r = feature.correlation
            # the sum is all but normal, so its quantiles are those of the normal distribution to a per cent or so
            share = ndtr(r * self.merit + np.sqrt(1.0 - r * r) * noise)
        return feature.quantile(np.clip(share, 1e-12, 1.0 - 1e-12))


def blocks(n_queries: int) -> Iterator[Block]:
    """Draw queries in blocks; the last one is cut to their number."""
    for number, first in enumerate(range(0, n_queries, QUERIES_PER_BLOCK)):
        rng = np.random.default_rng([SEED, number, 0])
        size = np.exp(rng.normal(4.62, 0.55, QUERIES_PER_BLOCK))
        size = np.clip(np.rint(size), 1, LONGEST_LIST).astype(np.int64)[: n_queries - first]
        query = np.repeat(np.arange(len(size)), size)
        position = np.arange(len(query)) - np.repeat(np.cumsum(size) - size, size)
        of_query = rng.standard_normal(QUERIES_PER_BLOCK)[query]
        of_document = rng.standard_normal(len(query))
        relevance = np.sqrt(SHARED_BY_QUERY) * of_query + np.sqrt(1.0 - SHARED_BY_QUERY) * of_document
        grade = np.searchsorted(ndtri(np.cumsum(GRADE_SHARES)[:-1]), relevance)
        yield Block(number, first + query, position, grade, _merit(grade))


def _merit(grade: np.ndarray) -> np.ndarray:
    grades = np.arange(len(GRADE_SHARES))
    mean = grades @ np.array(GRADE_SHARES)
    variance = (grades - mean) ** 2 @ np.array(GRADE_SHARES)
    return (grade - mean) / np.sqrt(variance)


def document_ids(block: Block) -> np.ndarray:
    """(n_documents,) ids of nine letters and digits, whose order tells nothing about the documents."""
    scattered = _scattered(block.query * 2048 + block.position)
    digits = np.frombuffer(b"0123456789abcdef", dtype=np.uint8)
    shifts = np.arange(28, -4, -4, dtype=np.uint32)
    letters = np.empty((len(scattered), 9), dtype=np.uint8)
    letters[:, 0] = ord("d")
    letters[:, 1:] = digits[(scattered[:, None] >> shifts) & np.uint32(15)]
    return letters.reshape(-1).view("S9")


def long_ids(number: np.ndarray) -> np.ndarray:
    """Return an id such as ``clueweb12-0073wb-00-78087`` for each number below 2^32, in no order of the numbers."""
    letters = np.tile(np.frombuffer(b"clueweb12-0000wb-00-00000", dtype=np.uint8), (len(number), 1))
    rest = _scattered(number).astype(np.int64)
    for place in (*range(24, 19, -1), 18, 17, *range(13, 9, -1)):
        rest, digit = np.divmod(rest, 10)
        letters[:, place] += digit.astype(np.uint8)
    return letters.reshape(-1).view("S25")


def _scattered(number: np.ndarray) -> np.ndarray:
    return number.astype(np.uint32) * np.uint32(2654435761)  # an odd factor: no two numbers share a product


# --- how values are spread --------------------------------------------------------------------------------------------


def _levels(*shares: float, first: int = 0) -> Quantile:
    """Few whole numbers, each with its share."""
    edges = np.cumsum(shares)[:-1]
    return lambda share: (np.searchsorted(edges, share) + first).astype(np.int32)


def _quarters(quantile: Quantile) -> Quantile:
    return lambda share: quantile(share) / 4.0


def _counts(mean: float, sd: float, *, zero: float = 0.0, most: int = 10_000_000) -> Quantile:
    """Whole numbers whose ln(1 + x) is normal, but for a share of zeros."""

    def quantile(share: np.ndarray) -> np.ndarray:
        above = np.clip((share - zero) / (1.0 - zero), 1e-12, 1.0 - 1e-12)
        count = np.clip(np.rint(np.expm1(mean + sd * ndtri(above))), 1, most)
        return np.where(share < zero, 0, count).astype(np.int32)

    return quantile


def _reals(mean: float, sd: float, *, zero: float = 0.0) -> Quantile:
    """Numbers of six decimals whose logarithm is normal, but for a share of zeros."""

    def quantile(share: np.ndarray) -> np.ndarray:
        above = np.clip((share - zero) / (1.0 - zero), 1e-12, 1.0 - 1e-12)
        return np.where(share < zero, 0.0, np.round(np.exp(mean + sd * ndtri(above)), 6))

    return quantile


def _logarithms(mean: float, sd: float) -> Quantile:
    """Normal numbers of six decimals, as logarithms of probabilities are."""
    return lambda share: np.round(mean + sd * ndtri(share), 6)


def _up_to(most: int, *, power: float, first: int = 0) -> Quantile:
    """Whole numbers from ``first`` to ``most``, the smaller the more common as the power grows."""
    return lambda share: (first + np.floor((most - first + 1) * share**power)).astype(np.int32)


# --- the features -----------------------------------------------------------------------------------------------------

STREAMS = {"body": 0.05, "anchor": 0.7, "title": 0.4, "url": 0.6, "whole": 0.03}
"""Parts of a page, each with the share of documents that do not hold the query there."""

NAMED = {
    "url_slashes": Feature(_levels(0.16, 0.33, 0.26, 0.13, 0.08, 0.03, 0.007, 0.002, 0.0006, 0.0004, first=1), -0.05),
    "url_length": Feature(_counts(3.8, 0.4, most=2000), -0.05),
    "indegree": Feature(_counts(3.8, 3.0, zero=0.35), 0.15),
    "outdegree": Feature(_counts(1.55, 0.95, zero=0.48, most=150), 0.05),
    "pagerank": Feature(_up_to(65_535, power=2.0), 0.1),
    "siterank": Feature(_up_to(65_535, power=8.0), 0.1),
    "quality_score": Feature(_up_to(251, power=6.5, first=1), -0.1),
    "quality_score_2": Feature(_up_to(251, power=1.5, first=1), -0.1),
    "query_url_clicks": Feature(_counts(1.8, 1.3, zero=0.97), 0.3),
    "url_clicks": Feature(_counts(2.5, 1.5, zero=0.82), 0.25),
    "dwell": Feature(_counts(4.0, 1.6, zero=0.74), 0.25),
}
"""Discrete features by which people judge pages."""


def _text_features() -> dict[str, Feature]:
    """What the query finds in each part of a page."""
    features = {}
    for stream, zero in STREAMS.items():
        found = 1.0 - zero
        features[f"covered_terms_{stream}"] = Feature(_levels(zero, *(found * np.array([0.55, 0.35, 0.08, 0.02]))))
        ratio = _levels(zero, *(found * np.array([0.15, 0.25, 0.1, 0.5])))
        features[f"covered_ratio_{stream}"] = Feature(_quarters(ratio))
        features[f"length_{stream}"] = Feature(_counts({"body": 6.5, "whole": 6.6}.get(stream, 2.0), 0.9), 0.02)
        features[f"idf_{stream}"] = Feature(_reals(2.0, 0.5), one_a_query=True)
        for kind, mean in {"sum": 1.8, "min": 0.6, "max": 1.5, "mean": 1.2, "variance": 1.0}.items():
            whole = kind in ("sum", "min", "max")
            counted = _counts(mean, 0.9, zero=zero) if whole else _reals(mean, 0.9, zero=zero)
            features[f"tf_{kind}_{stream}"] = Feature(counted)
            features[f"tf_normalised_{kind}_{stream}"] = Feature(_reals(mean - 5.0, 1.0, zero=zero))
            features[f"tfidf_{kind}_{stream}"] = Feature(_reals(mean + 2.0, 1.0, zero=zero), 0.25)
        features[f"boolean_{stream}"] = Feature(_levels(zero, found))
        features[f"vector_space_{stream}"] = Feature(_reals(1.0, 0.8, zero=zero), 0.25)
        features[f"bm25_{stream}"] = Feature(_reals(2.5, 0.6, zero=zero), 0.3)
        for smoothing in ("absolute", "dirichlet", "jelinek_mercer"):
            features[f"lm_{smoothing}_{stream}"] = Feature(_logarithms(-20.0, 8.0), 0.25)
    return features


FEATURES: dict[str, Feature] = NAMED | _text_features()
"""All 136 by name."""
