"""Small grouped data that models score alike in many places, and stand-ins for what libraries hand over."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

import tiecore

SIZES = np.array([7, 1, 12, 5, 9, 6, 20, 3, 8, 15])


@dataclass(frozen=True, slots=True)
class Grouped:
    """Documents that stand by group."""

    features: np.ndarray
    labels: np.ndarray
    sizes: np.ndarray

    @property
    def group(self) -> np.ndarray:
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    def shuffled(self, seed: int) -> Grouped:
        rng = np.random.default_rng(seed)
        order = np.lexsort((rng.random(len(self.labels)), self.group))
        return Grouped(self.features[order], self.labels[order], self.sizes)


def grouped(seed: int) -> Grouped:
    rng = np.random.default_rng(seed)
    n = int(SIZES.sum())
    labels = rng.integers(0, 4, n)
    features = np.stack([np.clip(labels + rng.integers(-2, 3, n), 0, 2) for _ in range(3)], axis=1).astype(np.float64)
    return Grouped(features, labels, SIZES)


def by_lists(name: str, scores: np.ndarray, data: Grouped) -> list[tiecore.Moments]:
    parts = (np.split(values, np.cumsum(data.sizes)[:-1]) for values in (scores, data.labels))
    return [tiecore.moments(name, scores=own, grades=labels.tolist()) for own, labels in zip(*parts, strict=True)]


def mean_by_lists(name: str, scores: np.ndarray, data: Grouped, *, statistic: str = "expected") -> float:
    lists = by_lists(name, scores, data)
    if statistic == "sd":
        return float(np.sqrt(sum(found.variance for found in lists)) / len(lists))
    return float(np.mean([getattr(found, statistic) for found in lists]))


def dataset(labels: np.ndarray, sizes: np.ndarray | None) -> Any:
    return SimpleNamespace(get_label=lambda: labels, get_group=lambda: sizes)


def matrix(labels: np.ndarray, sizes: np.ndarray | None) -> Any:
    ends = [] if sizes is None else [0, *np.cumsum(sizes)]
    told = {"group_ptr": np.array(ends, dtype=np.uint32)}
    return SimpleNamespace(get_label=lambda: labels.astype(np.float32), get_uint_info=told.__getitem__)
