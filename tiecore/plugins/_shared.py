"""What several plug-ins need: one column of values for a run, and the mean over lists with their groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike

from tiecore.errors import TiecoreError, check_choice
from tiecore.evaluation.engine import NoRelevant, evaluate, parse_columns
from tiecore.evaluation.statistics import STATISTICS, Statistic
from tiecore.measures import Measure, NoVarianceError
from tiecore.measures import measure as parse_measure
from tiecore.ties.groups import UNJUDGED, TieGroups
from tiecore.ties.keys import score_code

_EXACT = 2.0**53


def run_values(
    qrels: Mapping[str, Mapping[str, int]],
    run: Mapping[str, Mapping[str, float]],
    measures: Sequence[Measure],
    *,
    column: str,
    precision: str = "float64",
) -> dict[str, np.ndarray]:
    """Return the values of a run by query, (n_measures,) each, for every judged query.

    ``column`` is a statistic or the name of a tie-break.
    """
    statistics, tie_breaks = ((column,), ()) if column in STATISTICS else ((), (column,))
    for wanted in measures:
        _refuse_without_variance(wanted, column)
    found = evaluate(qrels, {"run": run}, measures, tie_breaks, precision=precision, statistics=statistics).values
    values = found.array[:, 0, 0]  # (n_measures, n_queries)
    return dict(
        zip(found.alignment.query_ids.to_pylist(), (np.sqrt(values) if column == "sd" else values).T, strict=True)
    )


def _refuse_without_variance(wanted: Measure, column: str) -> None:
    """Refuse to give the standard deviation of a measure that has no closed form for it."""
    if column == "sd" and not wanted.has_variance:
        raise NoVarianceError(f"{wanted} has no closed form for the variance: draw random tie-breaks instead")


def groups_of_lists(scores: ArrayLike, labels: ArrayLike, sizes: ArrayLike) -> TieGroups:
    """Return the tie groups of lists that stand one behind the other, all of whose documents are judged.

    ``sizes``: documents of each list.
    """
    score, label, size = np.ravel(scores), np.ravel(labels), np.ravel(sizes)
    if not len(score) == len(label) == int(size.sum()):
        raise TiecoreError(
            f"{len(score)} scores, {len(label)} labels and groups of {int(size.sum())} documents do not fit together"
        )
    if not np.isfinite(label).all() or (label != np.rint(label)).any() or (np.abs(label) >= _EXACT).any():
        raise TiecoreError("labels must be whole numbers: multiply them to a whole-number scale")
    if np.isnan(score).any():
        raise TiecoreError("a score is NaN: the model has diverged, or was given no data")
    grades, level = np.unique(label.astype(np.int64), return_inverse=True)
    lists: dict[str, Any] = {
        "query": np.repeat(np.arange(len(size)), size),
        "level": level + 1,
        "grades": np.append(UNJUDGED, grades),
        "n_queries": len(size),
    }
    return TieGroups.from_keys([score_code(score)], **lists, ideal=TieGroups.from_grades(**lists))


class ListMetric:
    """A measure averaged over lists; each library has a subclass that is called as the library calls its metrics."""

    def __init__(
        self, measure: str | Measure, *, statistic: Statistic = "expected", no_relevant: NoRelevant = "zero"
    ) -> None:
        """Choose what to compute; what cannot be computed is refused before a training begins.

        Parameters
        ----------
        measure
            For example ``nDCG@10``, ``AP(rel=2)``, ``RR``.
        statistic
            ``expected`` over all orders of documents that the model scores alike, or ``sd``, ``worst``, ``best``.
        no_relevant
            Lists without a relevant document count 0 (``zero``) or not at all (``skip``).
        """
        self.measure, self.statistic, self.no_relevant = parse_measure(measure), statistic, no_relevant
        parse_columns((), statistic)  # refuses what is none
        check_choice("no_relevant", no_relevant, get_args(NoRelevant))
        _refuse_without_variance(self.measure, statistic)
        self.name = str(self.measure) if statistic == "expected" else f"{statistic}({self.measure})"
        self.higher_is_better = self.measure.higher_is_better and statistic != "sd"

    def mean(self, scores: ArrayLike, labels: ArrayLike, sizes: ArrayLike) -> float:
        """Return the mean over lists; ``sd`` is that of the mean under random tie-breaks. See groups_of_lists."""
        groups = groups_of_lists(scores, labels, sizes)
        skips = self.no_relevant == "skip"
        counted = self.measure.has_relevant(groups) if skips else np.ones(groups.n_queries, dtype=bool)
        if not counted.any():
            raise TiecoreError("nothing to average: no list has a relevant document")
        if self.statistic == "sd":
            return float(np.sqrt(self.measure.variance(groups)[counted].sum()) / counted.sum())
        return self.measure.summarise(self.measure.expected(groups.case(self.statistic))[counted])


def sizes_of(groups: ArrayLike) -> np.ndarray:
    """Return the sizes of lists that stand one behind the other, from the id of the list of each document."""
    ids = np.ravel(groups)
    _, first, n_docs = np.unique(ids, return_index=True, return_counts=True)
    order = np.argsort(first)
    sizes: np.ndarray = n_docs[order]
    if (np.diff(first[order], append=len(ids)) != sizes).any():
        raise TiecoreError("the documents of a group stand apart: sort the rows by group")
    return sizes
