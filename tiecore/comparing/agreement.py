"""How far two judges agree: on the grades of documents, and on the order of systems that follows from them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa

from tiecore.evaluation.intervals import FEWEST_QUERIES
from tiecore.formats import Records
from tiecore.stability.agreement import taus
from tiecore.stability.paired import LEVEL, alpha_of
from tiecore.stability.places import ranked

_DIGITS = 12


def grades_of(records: Records) -> pd.DataFrame:
    """Return the judgments as a frame of query, document and grade."""
    ids = {"query": records.query.cast(pa.string()).to_pandas(), "document": records.document.to_pandas()}
    return pd.DataFrame(ids).assign(grade=records.grades)


def kappa(a: np.ndarray, b: np.ndarray) -> float:
    """Return Cohen's kappa with quadratic weights of two lists of grades; NaN where both are one and the same grade.

    1 − E(a − b)² / E(a' − b)², the documents of a' put into a random order.

    >>> round(kappa(np.array([0, 1, 2, 2]), np.array([0, 1, 1, 2])), 3)
    0.8
    """
    by_chance = a.var() + b.var() + (a.mean() - b.mean()) ** 2
    return float(1 - np.square(a - b).mean() / by_chance) if by_chance else float("nan")


def agreement_of_orders(a: np.ndarray, b: np.ndarray, *, draws: int, seed: int) -> dict[str, float]:
    """Return how far the orders of the systems agree, with the bounds from queries that are drawn again.

    ``a``, ``b``: (n_systems, n_queries) values under each judge, more being better, on the queries of both.
    """
    n_queries = a.shape[1]
    found = _coefficients(a, b, np.full((1, n_queries), 1 / max(1, n_queries)))[:, 0]
    ends = np.full((2, 2), np.nan)
    if n_queries >= FEWEST_QUERIES and not np.isnan(found[0]):
        drawn = np.random.default_rng(seed).multinomial(n_queries, np.full(n_queries, 1 / n_queries), size=draws)
        tail = alpha_of(LEVEL) / 2
        ends = np.nanquantile(_coefficients(a, b, drawn / n_queries), [tail, 1 - tail], axis=1)
    row: dict[str, float] = {}
    for name, value, (low, high) in zip(("tau_b", "tau_ap"), found, ends.T, strict=True):
        row |= {name: value, f"{name}_low": low, f"{name}_high": high}
    return row | {"n_queries": n_queries}


def _coefficients(a: np.ndarray, b: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(2, n_draws) tau-b and AP correlation of the orders by weighted means; ``weights``: (n_draws, n_queries)."""
    found = np.array(taus(*(ranked(_rounded(weights @ values.T)) for values in (a, b))))
    return np.where(np.isnan(found[0]), np.nan, found)


def _rounded(means: np.ndarray) -> np.ndarray:
    """(n_draws, n_systems) means in a common unit, equal where they differ by the noise of the arithmetic."""
    return np.round(means / (np.abs(means).max(initial=0.0) or 1.0), _DIGITS)
