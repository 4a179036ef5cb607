"""``pytrec_eval.RelevanceEvaluator`` with tie-aware values: the same call, the same names, the same dict.

>>> evaluator = RelevanceEvaluator({"q": {"a": 0, "b": 1}}, {"map", "P.1"})
>>> evaluator.evaluate({"q": {"a": 1.0, "b": 1.0}})
{'q': {'map': 0.75, 'P_1': 0.5}}

pytrec_eval itself is not needed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from tiecore.errors import FormatError, shortened
from tiecore.evaluation.one_list import moments
from tiecore.formats import Records, Role, read
from tiecore.plugins._shared import run_values
from tiecore.plugins._trec_eval_names import parsed, supported_measures, supported_nicknames
from tiecore.ties.tie_breaks import tie_break as parse_tie_break

__all__ = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]


class RelevanceEvaluator:
    """Evaluate runs against judgments under trec_eval's names.

    Parameters
    ----------
    qrels
        ``{query: {document: grade}}``. As in trec_eval, a grade below 0 says that the document is not judged.
    measures
        ``map``, ``P_10``, ``ndcg_cut.5,10``, a family such as ``ndcg_cut`` at all its depths, or ``all_trec``.
    relevance_level
        Grade from which a document is relevant.
    judged_docs_only_flag
        Leave documents out of the ranking that are not judged.
    tie_break
        None gives the expectation over all orders of tied documents; else ``trec_eval``, ``worst``, ``random:7``, ….
    precision
        In which scores are compared; ``float32`` is trec_eval's.
    """

    def __init__(
        self,
        qrels: Mapping[str, Mapping[str, int]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
        *,
        tie_break: str | None = None,
        precision: str = "float64",
    ) -> None:
        self._judged_only = bool(judged_docs_only_flag)
        self._measures = parsed({measures} if isinstance(measures, str) else measures, relevance_level)
        self._column = "expected" if tie_break is None else parse_tie_break(tie_break).name
        self._precision = precision
        self._judged = {
            query: {document: grade for document, grade in grades.items() if grade >= 0}
            for query, grades in qrels.items()
        }
        # a query without any judged document keeps its grades: nothing in them is relevant
        self._qrels = {query: self._judged[query] or grades for query, grades in qrels.items() if grades}

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """Return ``{query: {measure: value}}`` for the queries of a run that are judged."""
        run = {query: documents for query, documents in scores.items() if query in self._qrels}
        if self._judged_only:
            run = {
                q: {doc: x for doc, x in documents.items() if doc in self._judged[q]} for q, documents in run.items()
            }
        wanted = list(self._measures.values())
        if any(run.values()):
            found = run_values(self._qrels, run, wanted, column=self._column, precision=self._precision)
        else:  # nothing is ranked, so no order can matter
            unretrieved = {query: list(self._qrels[query].values()) for query in run}
            found = {
                query: np.array([moments(one, scores=[], grades=[], unretrieved=grades).expected for one in wanted])
                for query, grades in unretrieved.items()
            }
        averaged = {
            query: [float(one.averaged(value)) for one, value in zip(wanted, found[query], strict=True)]
            for query in run
        }
        return {query: dict(zip(self._measures, values, strict=True)) for query, values in averaged.items()}


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """Read the lines of a run into ``{query: {document: score}}``."""
    records = _records(f_run, "run")
    return _by_query(records, *records.features.values())


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """Read the lines of a file of judgments into ``{query: {document: grade}}``."""
    records = _records(f_qrel, "qrels")
    return _by_query(records, np.asarray(records.grades))


def _records(lines: Iterable[str], kind: Role) -> Records:
    return read("".join(f"{line.rstrip()}\n" for line in lines).encode(), kind=kind)


def _by_query(records: Records, values: np.ndarray) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    cells = zip(records.query.to_pylist(), records.document.to_pylist(), values.tolist(), strict=True)
    for row, (query, document, value) in enumerate(cells):
        if document in found.setdefault(query, {}):
            problem = f"document {shortened(document)} is listed twice: keep one of them"
            raise FormatError(records.source, records.line(row), problem)
        found[query][document] = value
    return found


def compute_aggregated_measure(measure: str, values: Sequence[float]) -> float:
    """Return one number for all queries: the sum of counts, else the mean, of the logarithms for ``gm_`` measures."""
    total = math.fsum(values)
    if measure.startswith("num_"):
        return total
    mean = total / len(values) if len(values) else math.nan
    return math.exp(mean) if measure.startswith("gm_") else mean
