"""The queries, and the tie groups in them, that a spread or a shift comes from."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd

from tiecore.diagnostics.shared import counted_queries, of_measure, query_index, query_position
from tiecore.errors import TiecoreError, check_choice
from tiecore.evaluation.one_query import OneQuery
from tiecore.evaluation.result import Evaluation
from tiecore.measures import ESL, Measure, Rprec
from tiecore.ties.groups import UNJUDGED, TieGroups
from tiecore.ties.tie_breaks import tie_break as parsed

TWO_SD = "expectation ± 2 SD of random tie-breaks, as far as ties allow"
"""What ties of a query do by chance: at least three quarters of the values lie within, mostly about 95 %."""


def blame(
    evaluation: Evaluation, feature: str, measure: str | Measure | None = None, *, by: str = "spread"
) -> pd.DataFrame:
    """Return the queries in order of their contribution to the spread, SD or shift of a feature.

    Parameters
    ----------
    evaluation
        With ``expected``, ``worst`` and ``best``.
    by
        ``"spread"`` (best − worst), ``"sd"`` (under random tie-breaks) or the name of a tie-break of the evaluation
        (absolute difference between its value and the expectation).

    Returns
    -------
    DataFrame
        Index ``query_id``, largest contribution first; columns ``expected``, ``sd``, ``worst``, ``best``, ``spread``,
        for each tie-break its value and ``… shift``, then ``blame``, and ``share`` and ``cumulative`` of the total: of
        the spreads, of the variances or of the absolute shifts, each of which adds up over queries; ``cut_tie``.
    """
    values = evaluation.values
    chosen = values.measure_or_only(measure)
    f = values.feature_position(feature)
    values.check_statistics("expected", "worst", "best")

    def values_of(column: str) -> np.ndarray:
        return of_measure(values, chosen, column)[f]

    columns = {name: np.sqrt(values_of(name)) if name == "sd" else values_of(name) for name in values.statistics}
    columns["spread"] = np.abs(columns["best"] - columns["worst"])
    blamed: dict[str, np.ndarray] = {name: columns[name] for name in ("spread", "sd") if name in columns}
    with suppress(TiecoreError):  # a tie-break may have two names
        asked = parsed(str(by))
        by = next((one.name for one in evaluation.tie_breaks if replace(one, name=asked.name) == asked), by)
    for tie_break in evaluation.tie_breaks:
        name = tie_break.name
        columns[name] = values_of(name)
        columns[f"{name} shift"] = blamed[name] = columns[name] - columns["expected"]
    if by == "sd" and not ("sd" in blamed and chosen.has_variance):
        raise TiecoreError(f"no standard deviation of {chosen} to rank queries by: use by='spread'")
    check_choice("by", by, list(blamed))
    columns["blame"] = blamed[by]
    additive = columns["blame"] ** 2 if by == "sd" else np.abs(columns["blame"])
    columns["share"] = additive / (float(additive.sum()) or 1.0)
    columns["cut_tie"] = _cut_ties(values.groups(feature), chosen)[counted_queries(values, chosen)]
    table = pd.DataFrame(columns, index=query_index(values, chosen)).iloc[np.argsort(-additive, kind="stable")]
    return table.assign(cumulative=table["share"].cumsum())


def two_sd(blamed: pd.DataFrame) -> np.ndarray:
    """(2, n_queries) ends of what is within ``TWO_SD``, held inside worst and best case."""
    ends = np.sort(blamed[["worst", "best"]].to_numpy().T, axis=0)
    middle, reach = blamed["expected"].to_numpy(), 2 * blamed["sd"].to_numpy()
    return np.clip([middle - reach, middle + reach], *ends)


def _cut_ties(groups: TieGroups, measure: Measure) -> np.ndarray:
    """(n_queries,) documents of the mixed tie through which the list of a query is cut, 0 where there is none."""
    size_of_query = np.zeros(groups.n_queries, dtype=np.int64)
    cutoff = _cutoffs(groups, measure)
    if cutoff is not None:
        cut = (groups.above < cutoff[groups.query]) & (cutoff[groups.query] < groups.above + groups.size)
        cut_and_mixed = np.intersect1d(np.flatnonzero(cut), groups.mixed)  # at most one group of a query
        size_of_query[groups.query[cut_and_mixed]] = groups.size[cut_and_mixed]
    return size_of_query


def _cutoffs(groups: TieGroups, measure: Measure) -> np.ndarray | None:
    """(n_queries,) rank after which the measure cuts the list; None where it reads all of it."""
    if isinstance(measure, Rprec):
        return groups.n_relevant(measure.threshold)
    return None if measure.cutoff is None else np.full(groups.n_queries, measure.cutoff)


def culprits(
    evaluation: Evaluation, feature: str, measure: str | Measure | None = None, *, query_id: str
) -> pd.DataFrame:
    """Return the tie groups of one query in order, with the effect of each on the measure.

    The effect of a group is the change of the query's expectation when only this group is refined and all others stay
    tied. The value of most measures is a sum of parts that each depend on the order inside one group, so the effects
    add up: ``to_best`` to best − expected, ``to_worst`` to worst − expected, ``sd``² to the variance, ``… shift`` to
    the shift of the tie-break. For IPrec and the NERRs, which are not sums over groups, they do not.

    ``query_id``: any judged query, also one that does not count.

    Returns
    -------
    DataFrame
        Index ``group`` from 1, best score first; columns ``score``, ``first_rank``, ``last_rank``, ``size``,
        ``relevant``, ``grades``, ``inside``, ``contribution`` (NaN for ESL and PRR, which are not sums over retrieved
        documents), ``to_worst``, ``to_best``, ``spread``, ``share`` (of the spreads), ``sd`` and, for each tie-break,
        ``… shift``. For ESL and PRR the judged documents that are not listed are the last group.
    """
    values = evaluation.values
    chosen = values.measure_or_only(measure)
    values.feature_position(feature)
    query = query_position(values, query_id)
    rows = values.rows(feature, (query, query + 1))
    groups = rows.alignment.sort(rows)
    listed = np.repeat(groups.order, rows.count[groups.order])  # row of each document
    groups = groups.with_unretrieved() if isinstance(chosen, ESL) else groups
    level, above, size = np.repeat(groups.cell_level, groups.cell_count).astype(np.int64), groups.above, groups.size
    judged = np.repeat(groups.ideal.cell_level, groups.ideal.cell_count)
    group = np.repeat(np.arange(len(size)), size)
    one = OneQuery(groups.grades, judged, group, level)
    score = np.ma.filled(rows.scores[listed].astype(np.float64), np.nan)
    cutoff = _cutoffs(groups, chosen)
    mixed = groups.mixed

    def effect(key: np.ndarray) -> np.ndarray:
        """(n_groups,) change of the expectation if only this group is refined."""
        change = np.zeros(len(size))
        refined = one.values(chosen.expected, mixed, lambda one: (np.where(group == one, key, 0), True))
        change[mixed] = refined - whole
        return change

    grades = ["–" if grade == UNJUDGED else str(grade) for grade in groups.grades]
    cells = [f"{grades[level]} × {n}" for level, n in zip(groups.cell_level, groups.cell_count, strict=True)]
    ends = pairwise([*groups.first_cell, len(cells)])
    in_words = [", ".join(reversed(cells[first:end])) for first, end in ends]  # the highest grade first
    # as if the list ended with each group
    by_group = one.values(chosen.expected, np.arange(len(size)), lambda one: (0 * (one + group), group <= one))
    whole = by_group[-1] if len(by_group) else 0.0
    variance = np.full(len(size), 0.0 if chosen.has_variance else np.nan)
    if chosen.has_variance:
        variance[mixed] = one.values(chosen.variance, mixed, lambda one: (np.where(group == one, 0, level + 1), True))
    to_worst, to_best = effect(level), effect(len(groups.grades) - level)
    spread = np.abs(to_best - to_worst)
    table: dict[str, np.ndarray | list[str]] = {
        "score": np.append(score, np.nan)[np.minimum(above, len(score))],  # what is not listed has none
        "first_rank": above + 1,
        "last_rank": above + size,
        "size": size,
        "relevant": groups.relevant(chosen.threshold).astype(np.int64),
        "grades": in_words,
        "inside": size if cutoff is None else np.clip(cutoff[0] - above, 0, size),
        "contribution": np.diff(by_group, prepend=0.0) if not isinstance(chosen, ESL) else np.full(len(size), np.nan),
        "to_worst": to_worst,
        "to_best": to_best,
        "spread": spread,
        "share": spread / (float(spread.sum()) or 1.0),
        "sd": np.sqrt(variance),
    }
    for tie_break in evaluation.tie_breaks:
        key = np.zeros(len(level), dtype=np.uint64)  # unlisted documents have no order
        key[: len(listed)] = tie_break.key(rows)[listed]
        table[f"{tie_break.name} shift"] = effect(key)
    return pd.DataFrame(table, index=pd.Index(np.arange(1, len(size) + 1), name="group"))
