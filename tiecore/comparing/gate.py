"""Has a ranking become worse? A verdict that lets a pipeline stop."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from tiecore.collection.inputs import QrelsInput, TableInput
from tiecore.comparing.values import ValuesInput, matrix_of
from tiecore.errors import TiecoreError, listed, shortened
from tiecore.evaluation.engine import evaluate
from tiecore.evaluation.intervals import FEWEST_QUERIES
from tiecore.measures import Measure
from tiecore.stability.paired import LEVEL, alpha_of, holm, paired
from tiecore.stability.sensitivity import queries_needed, smallest_difference
from tiecore.stability.sentences import PLAIN, plural, probability, queries_of

Verdict = Literal["fail", "cannot tell", "pass"]
"""The worst one of all measures decides."""

GATE_COLUMNS = {
    "baseline": "mean of the baseline",
    "candidate": "mean of the candidate",
    "difference": "mean difference in favour of the candidate; below 0 it is worse",
    "low": "lower end of the 95 % confidence interval of the difference",
    "high": "upper end of this interval",
    "p": "two-sided p of the paired t-test, with an allowance for rare queries",
    "holm": "p adjusted by Holm for all measures that are tested",
    "n_queries": "queries, or other items, on which the two are compared",
    "n_different": "those on which their values differ",
    "verdict": "pass: a loss of more than the margin is excluded; fail: not pass, and clearly worse (holm is 0.05 or "
    "less); cannot tell: neither",
    "smallest": "smallest difference that so many detect with 80 % power",
    "queries_for_margin": "how many it takes to exclude a loss of more than the margin with 80 % power, if the "
    "true difference is 0",
}
"""Meaning of the columns of ``Gate.table``."""


@dataclass(frozen=True, slots=True, eq=False)
class Gate:
    """Whether a candidate may take the place of a baseline."""

    verdict: Verdict
    """``fail`` if one measure fails, ``pass`` if every measure passes."""
    margin: float
    table: pd.DataFrame
    """Index measure; columns as in ``GATE_COLUMNS``."""
    notes: tuple[str, ...] = ()
    """What was left out or counts by convention."""
    unit: str = "query"
    """What the values are of."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """One sentence for each measure."""
        return tuple(" ".join(_sentence(self, str(name), row)) for name, row in self.table.iterrows())

    def __str__(self) -> str:
        """Return the verdict and the reasons."""
        return f"{self.verdict}: {' '.join(self.sentences)}"


def gate(
    qrels: QrelsInput,
    baseline: TableInput | dict[str, dict[str, float]],
    candidate: TableInput | dict[str, dict[str, float]],
    measures: Iterable[str | Measure] = ("nDCG@10",),
    *,
    margin: float = 0.0,
    **options: Any,
) -> Gate:
    """Return whether a candidate has become worse than a baseline: ``pass``, ``fail`` or ``cannot tell``.

    Exact expectations under ties are compared query by query. A query that one of the two does not list counts 0.

    Parameters
    ----------
    qrels, baseline, candidate
        Judgments and two runs in any form that :func:`tiecore.evaluate` takes.
    measures
        Over several of them p is adjusted by Holm, so that a pipeline with five measures does not fail five times as
        often by chance.
    margin
        Loss up to which nobody minds. The verdict is ``pass`` where the 95 % interval of the difference excludes a
        larger loss, or no query differs; else ``fail`` where the candidate is clearly worse; ``cannot tell`` otherwise.
    options
        Further ones of :func:`tiecore.evaluate`, such as ``missing``.

    Examples
    --------
    >>> qrels = {f"q{n}": {"a": 1, "b": 0} for n in range(20)}
    >>> good = {query: {"a": 2, "b": 1} for query in qrels}
    >>> bad = good | {f"q{n}": {"a": 1, "b": 2} for n in range(9)}
    >>> print(gate(qrels, good, bad, ["RR"]))
    fail: RR is clearly worse: −0.2250 over 20 queries (95 % interval −0.4182 to −0.0318, p = .025).
    >>> gate(qrels, good, good, ["RR"]).verdict
    'pass'
    """
    features: Any = {"baseline": baseline, "candidate": candidate}
    found = evaluate(qrels, features, measures, statistics=("expected",), **options)
    tests = [(one, found.values.of_counted(m)[:2, 0]) for m, one in enumerate(found.measures)]
    return _decided(tests, margin=margin, notes=found.warnings)


def gate_values(
    values: ValuesInput,
    baseline: str,
    candidate: str,
    measures: str | Sequence[str] = (),
    *,
    margin: float = 0.0,
    higher_is_better: bool = True,
) -> Gate:
    """Decide on two systems by values that were measured elsewhere, in the forms that ``compare`` takes.

    Only items that both have count. ``measures`` may be left out where the values are of one.
    """
    tests, notes, unit = [], [], "item"
    for wanted in [measures] if isinstance(measures, str) else measures or (None,):
        used, matrix = matrix_of(values, wanted, higher_is_better=higher_is_better)
        if unknown := [system for system in (baseline, candidate) if system not in matrix.index]:
            raise TiecoreError(f"no system is named {shortened(unknown[0])}; there are {listed(list(matrix.index))}")
        both = matrix.loc[[baseline, candidate]].dropna(axis=1).to_numpy()
        n_items, unit = matrix.shape[1], str(matrix.columns.name)
        if lacking := n_items - both.shape[1]:
            notes.append(f"{used}: {lacking} of {queries_of(n_items, unit)} are left out: one of the two lacks them")
        tests.append((used, both))
    return _decided(tests, margin=margin, notes=notes, unit=unit)


def _decided(
    tests: Sequence[tuple[Measure, np.ndarray]], *, margin: Any, notes: Iterable[str], unit: str = "query"
) -> Gate:
    if not (isinstance(margin, int | float) and 0 <= margin < np.inf):
        raise TiecoreError(f"margin must be a number from 0, found {shortened(margin)}")
    rows = {}
    for measure, values in tests:
        # candidate less baseline, more being better
        test = paired(measure.sign * measure.averaged(values[::-1]), span=measure.span)
        (low,), (high,) = test.interval
        needed = queries_needed(margin, test.se**2 * test.n_queries, n_tests=1) if margin else [np.nan]
        rows[str(measure)] = {
            "baseline": measure.summarise(values[0]),
            "candidate": measure.summarise(values[1]),
            "difference": test.difference[0],
            "low": low,
            "high": high,
            "p": test.p[0],
            "n_queries": int(test.n_queries[0]),
            "n_different": int(np.count_nonzero(values[0] != values[1])),
            "smallest": smallest_difference(test.se, test.n_queries, n_tests=len(tests))[0],
            "queries_for_margin": needed[0],
            "verdict": "pass" if test.is_equal[0] or low >= -margin else "cannot tell",
        }
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("measure")
    table["holm"] = holm(table["p"].to_numpy())
    is_worse = (table["holm"] <= alpha_of(LEVEL)) & (table["difference"] < 0)
    table.loc[is_worse & (table["verdict"] != "pass"), "verdict"] = "fail"
    worst = next(verdict for verdict in get_args(Verdict) if verdict in set(table["verdict"]))
    return Gate(worst, margin, table[[*GATE_COLUMNS]], tuple(notes), unit)


def _sentence(gate: Gate, name: str, row: pd.Series[Any]) -> Iterator[str]:
    margin, n_measures, several = gate.margin, len(gate.table), plural(gate.unit)
    queries = queries_of(int(row["n_queries"]), gate.unit)
    loss = f"a loss of more than {margin:g}" if margin else "a loss"
    difference, low, high, smallest = (PLAIN.difference(row[at]) for at in ("difference", "low", "high", "smallest"))
    adjusted = f" adjusted for {n_measures} measures" if n_measures > 1 else ""
    known = f"{difference} over {queries} (95 % interval {low} to {high}, {probability(row['holm'])}{adjusted})"
    if not row["n_different"] and row["n_queries"]:
        yield f"{name} is the same for both on each of {queries}, {PLAIN.difference(row['candidate'])} on average."
    elif row["verdict"] == "pass":
        yield f"{name}: {loss} is excluded: {known}."
    elif row["verdict"] == "fail":
        yield f"{name} is clearly worse: {known}."
    elif row["n_queries"] < FEWEST_QUERIES:
        yield f"{name}: {queries} are too few to tell; it takes at least {FEWEST_QUERIES}."
    else:
        yield f"{name}: the difference is {known}."
        yield f"With 80 % power these {several} detect a difference of {smallest} or more."
        if margin:
            needed = f"{row['queries_for_margin']:,.0f} {several}"
            yield f"If the two are equally good, about {needed} exclude {loss} with 80 % power."
        else:
            yield "Without a margin only a clear gain or no difference at all passes: name a loss that does not matter."
