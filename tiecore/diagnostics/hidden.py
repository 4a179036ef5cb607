"""Detection of ties that tiny steps between scores hide, and of scores that a coarser precision would tie."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from tiecore.diagnostics.shared import counted_queries
from tiecore.evaluation.result import Evaluation
from tiecore.measures import Measure
from tiecore.threads import Progress, in_threads
from tiecore.ties.keys import score_code, to_precision

_PRECISIONS = ("float32", "decimals:6", "decimals:4", "decimals:2")
_MOST_DECIMALS = 15
_FINENESS = 4000  # of the logarithm: gaps within 0.06 % of each other are one
_TINY = 1e-4
_CLOSE = 3.5
_VOID_TO = 30.0
_SMALLEST = 1e-290
_LEAST_PAIRS = 5
_CLEARLY = 5
_ALMOST_ALL = 0.98

_SIGNS = ("step", "step_share", "restore", "restored", "spurious", "note")
_NO_SIGN = (np.nan, 0.0, "", np.nan, np.nan, "")


@dataclass(frozen=True, slots=True, eq=False)
class _Neighbours:
    """Documents of each query in order of their scores, and the gaps between neighbours."""

    score: np.ndarray
    """(n_documents,) descending inside a query."""
    same_query: np.ndarray
    """(n_documents − 1,) bool: this document and the next are of one query."""
    gap: np.ndarray
    """(n_documents − 1,) score less that of the next document; 0 if they are equal, infinities included."""

    @classmethod
    def of(cls, query: np.ndarray, scores: np.ndarray) -> _Neighbours:
        order = np.lexsort((score_code(scores), query))
        query, score = query[order], scores[order]
        same_query = query[1:] == query[:-1]
        if score.dtype.kind in "iub":
            # in unsigned arithmetic, the difference of two ordered 64-bit integers is exact
            gap = (score[:-1].astype(np.uint64) - score[1:].astype(np.uint64)).astype(np.float64)
        else:
            score = score.astype(np.float64)
            gap = np.zeros(max(0, len(score) - 1))
            with np.errstate(over="ignore"):
                np.subtract(score[:-1], score[1:], out=gap, where=score[1:] != score[:-1])
        return cls(score, same_query, gap)

    def tied(self, precision: str) -> np.ndarray:
        """(n_documents − 1,) bool: neighbours of one query with equal scores in a precision."""
        score = to_precision(self.score, precision)
        return self.same_query & (score[1:] == score[:-1])

    def share_tied(self, precision: str) -> float:
        """Share of the documents that are tied with a neighbour in a precision."""
        pair = self.tied(precision)
        tied = np.append(pair, False) | np.append(False, pair)
        return float(tied.mean()) if len(self.score) else 0.0


def hidden_ties(
    evaluation: Evaluation,
    measure: str | Measure | None = None,
    *,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Return signs of ties hidden by tiny steps between scores: one row for each feature.

    Some tools write runs in which tied documents are separated by a tiny step, so that every later sort keeps their
    order; the ties disappear, but their arbitrary order stays. The sign: many neighbours in a query are exactly the
    same tiny distance apart, hardly any distance is slightly larger, and hardly any documents are tied.

    The precision of the evaluation does not matter, since the original scores are examined.

    Returns
    -------
    DataFrame
        Index ``feature``; columns ``documents``, ``tied`` (float64), ``tied …`` in some coarser precisions, ``step``,
        ``step_share``, ``restore``, ``restored``, ``spurious`` and ``note``. Without a sign of hidden ties
        ``step_share`` is 0 and the other five are NaN or empty.
    """
    values = evaluation.values
    counted = counted_queries(values, measure)

    def look(feature: str) -> dict[str, object]:
        rows = values.alignment.rows(feature)
        each = np.repeat(np.arange(len(rows.document)), rows.count * counted[rows.query])  # row of each document
        neighbours = _Neighbours.of(rows.query[each], rows.scores[each])
        row: dict[str, object] = {"documents": len(neighbours.score), "tied": neighbours.share_tied("float64")}
        row |= {f"tied {precision}": neighbours.share_tied(precision) for precision in _PRECISIONS}
        return row | dict(zip(_SIGNS, _signs(neighbours), strict=True))

    found = in_threads(look, evaluation.features, progress=progress)
    return pd.DataFrame(found, index=pd.Index(evaluation.features, name="feature"))


def _signs(neighbours: _Neighbours) -> tuple[object, ...]:
    """Describe the tiny step, if there are signs of one: a constant, or the distance to the next float32 number."""
    with np.errstate(over="ignore"):
        single = np.abs(neighbours.score[:-1].astype(np.float64)).astype(np.float32)
        is_apart = neighbours.same_query & (neighbours.gap > _SMALLEST) & np.isfinite(neighbours.gap)
        is_apart &= np.isfinite(single)
        apart, single = neighbours.gap[is_apart], single[is_apart]
        spacing = np.spacing(single).astype(np.float64)  # (n_apart,) distance to the next number in float32
        in_numbers = apart / spacing
    n_tied = int((neighbours.same_query & (neighbours.gap == 0)).sum())
    if constant := _rule(apart, apart <= _TINY * single.max(initial=0.0), n_tied=n_tied):
        step, n_steps = constant
        widest, how = step, f"exactly {step:.4g}"
    elif rounding := _rule(in_numbers, apart <= spacing, n_tied=n_tied):
        step, n_steps = float(np.median(spacing)), rounding[1]
        widest, how = float(spacing.max()), "one float32 number"
    else:
        return _NO_SIGN
    share = n_steps / len(apart)
    restore, restored, spurious = _restoring(neighbours, neighbours.gap <= _CLOSE * widest, step=step)
    if share >= _ALMOST_ALL:
        note = f"scores are {step:.4g} apart throughout: they are ranks, or one tie separated by constant steps"
    else:
        note = f"ties are hidden: {100 * share:.0f} % of neighbours are {how} apart"
        if restore:
            note += f"; precision={restore} ties {100 * restored:.0f} % of them again"
    return step, share, restore, restored, spurious, note


def _rule(gap: np.ndarray, is_tiny: np.ndarray, *, n_tied: int) -> tuple[float, int] | None:
    """Return the most frequent tiny gap and its count, if it dominates the small gaps."""
    tiny = gap[is_tiny]
    if len(tiny) < _LEAST_PAIRS:
        return None
    # equal up to the rounding errors of subtracting decimals
    _, kind, counts = np.unique(np.rint(np.log10(tiny) * _FINENESS), return_inverse=True, return_counts=True)
    commonest = int(np.argmax(counts))
    size, exactly = float(np.median(tiny[kind == commonest])), int(counts[commonest])
    close = int((gap <= _CLOSE * size).sum())
    beyond = int((gap <= _VOID_TO * size).sum()) - close
    # hardly any gap is slightly larger, and exact ties are rare
    is_rule = exactly >= _LEAST_PAIRS and 2 * exactly >= close and close >= _CLEARLY * beyond and n_tied <= 2 * close
    return (size, exactly) if is_rule else None


def _restoring(neighbours: _Neighbours, is_tiny: np.ndarray, *, step: float) -> tuple[str, float, float]:
    """Return the precision that best closes the tiny gaps and keeps the others open; of equals, the finest."""
    apart = neighbours.same_query & (neighbours.gap > 0)
    tiny, other = apart & is_tiny, apart & ~is_tiny
    found = [("", 0.0, 0.0)]
    for decimals in range(min(_MOST_DECIMALS, int(np.ceil(-np.log10(step)))), -1, -1):
        tied = neighbours.tied(f"decimals:{decimals}")
        spurious = float(tied[other].mean()) if other.any() else 0.0
        found.append((f"decimals:{decimals}", float(tied[tiny].mean()), spurious))
    return max(found, key=lambda one: one[1] - one[2])
