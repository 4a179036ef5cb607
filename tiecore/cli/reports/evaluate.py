"""Leaderboards of an evaluation and its values per query, as sheets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from tiecore.cli.render.numbers import decimals_for, deviations, figures, places_under
from tiecore.cli.render.sheets import Report, Sheet
from tiecore.cli.render.table import LEGEND, Bar, Block, Column, Scale, interval_bar
from tiecore.evaluation.result import Evaluation
from tiecore.measures import Measure

__all__ = ["queries_counted", "report_of"]

_EXPECTED = "mean over all orderings of tied documents"
_WORST_BEST = "least and greatest value of any ordering of tied documents"
_BAR = "from worst to best, ● expected, one scale for each measure"
_CAPTION = (
    "Exact expectation over all orders of tied documents, its standard deviation under random tie-breaks, least and "
    "greatest value."
)
_PLACE = "place under that tie-break, ↑ ↓ where it is not the place by expectation"


def report_of(evaluation: Evaluation, *, per_query: bool) -> Report:
    """Return a report of all values: of the features, or of every query."""
    of_features = Sheet(
        name="summary",
        table=lambda: _of_measures(evaluation, evaluation.leaderboard_columns),
        blocks=lambda: _summary_blocks(evaluation),
        legend={
            "#": "place by expectation; equal features share a place",
            "expected": _EXPECTED,
            "sd": "standard deviation of the mean over queries under random tie-breaks",
            "worst, best": _WORST_BEST,
            LEGEND: _BAR,
        }
        | ({"#n": _PLACE} if evaluation.tie_breaks else {}),
        caption=_CAPTION + (" Under each tie-break: value and place." if evaluation.tie_breaks else ""),
    )
    of_queries = Sheet(
        name="per_query",
        table=lambda: _of_measures(evaluation, evaluation.per_query_columns),
        blocks=lambda: _query_blocks(evaluation),
        legend={
            "expected": _EXPECTED,
            "sd": "standard deviation under random tie-breaks",
            "worst, best": _WORST_BEST,
            LEGEND: _BAR,
        },
        caption=_CAPTION,
    )
    return Report(
        command="evaluate",
        sheets=(of_queries if per_query else of_features,),
        remarks=tuple(_remarks(evaluation)),
        beside={"coverage": lambda: _coverage(evaluation)},
    )


def _of_measures(
    evaluation: Evaluation, columns_of: Callable[[Measure], Mapping[str, np.ndarray]]
) -> dict[str, np.ndarray]:
    """Return columns that each measure has, one measure after the other, and its name before them."""
    parts = []
    for measure in evaluation.measures:
        columns = columns_of(measure)
        parts.append({"measure": np.full(len(columns["feature"]), str(measure), dtype=object), **columns})
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _coverage(evaluation: Evaluation) -> dict[str, list[object]]:
    rows = [{"feature": name, **facts} for name, facts in evaluation.coverage_of_features.items()]
    return {name: [row[name] for row in rows] for name in rows[0]}


def queries_counted(evaluation: Evaluation, measure: Measure) -> str:
    """Return the number of queries that a value averages; options can exclude queries."""
    n_counted = int(evaluation.counted[evaluation.measures.index(measure)].sum())
    n_queries = evaluation.alignment.n_queries
    of_all = f" of {n_queries}" if n_counted < n_queries else ""
    return f"{n_counted}{of_all} {'query' if n_queries == 1 else 'queries'}"


def _summary_blocks(evaluation: Evaluation) -> Iterator[Block]:
    for measure in evaluation.measures:
        board = evaluation.leaderboard_columns(measure)
        decimals = _decimals(evaluation, board)
        columns: list[Column | Bar] = [
            Column(heading="#", cells=list(map(str, board["place"])), key=True),
            Column(heading="feature", cells=list(board["feature"]), right=False, key=True),
            *_statistics(board, scale=_scale(board), decimals=decimals),
        ]
        under_ties = []
        for tie_break in evaluation.tie_breaks:
            place = board[evaluation.derived_column(tie_break.name, "place")]
            shift = board[evaluation.derived_column(tie_break.name, "shift")]
            cells = places_under(figures(board[tie_break.name], decimals), place, shift)
            under_ties.append(Column(heading=tie_break.name, cells=cells, best=_first(place)))
        yield Block(title=str(measure), detail=_detail(evaluation, measure), columns=columns, further=under_ties)


def _query_blocks(evaluation: Evaluation) -> Iterator[Block]:
    for measure in evaluation.measures:
        of_measure = evaluation.per_query_columns(measure)
        scale, decimals = _scale(of_measure), _decimals(evaluation, of_measure)
        for feature in evaluation.features:
            own = of_measure["feature"] == feature
            rows = {name: cells[own] for name, cells in of_measure.items()}
            columns: list[Column | Bar] = [
                Column(heading="query", cells=list(rows["query_id"]), right=False, key=True),
                *_statistics(rows, scale=scale, decimals=decimals),
            ]
            under_ties = [
                Column(heading=tie_break.name, cells=figures(rows[tie_break.name], decimals))
                for tie_break in evaluation.tie_breaks
            ]
            title = f"{measure} · {feature}"
            yield Block(title=title, detail=_detail(evaluation, measure), columns=columns, further=under_ties)


def _statistics(rows: Mapping[str, np.ndarray], *, scale: Scale, decimals: int) -> Iterator[Column | Bar]:
    place = rows.get("place", np.zeros(0))
    for name in ("expected", "sd", "worst", "best"):
        write = deviations if name == "sd" else figures
        yield Column(
            heading=name, cells=write(rows[name], decimals), best=_first(place) if name == "expected" else frozenset()
        )
    worst, mark, best = (rows[name] for name in ("worst", "expected", "best"))
    yield interval_bar(worst=worst, mark=mark, best=best, scale=scale, decimals=decimals)


def _scale(rows: Mapping[str, np.ndarray]) -> Scale:
    return Scale.of(rows["worst"], rows["best"])


def _decimals(evaluation: Evaluation, rows: Mapping[str, np.ndarray]) -> int:
    return decimals_for(np.stack([rows[name] for name in evaluation.columns]))


def _first(places: np.ndarray) -> frozenset[int]:
    return frozenset(np.flatnonzero(places == 1).tolist())


def _detail(evaluation: Evaluation, measure: Measure) -> str:
    return queries_counted(evaluation, measure) + ("" if measure.higher_is_better else ", lower is better")


def _remarks(evaluation: Evaluation) -> Iterator[str]:
    open_ended = [str(measure) for measure in evaluation.measures if not measure.has_variance]
    if open_ended:
        yield f"sd –: no closed form for {', '.join(open_ended)}"
    derived = [str(measure) for measure in evaluation.measures if not measure.averages_orderings]
    if derived:
        yield (
            f"{', '.join(derived)}: computed from an expectation for each query, so the value under random tie-breaks "
            "may average to something else"
        )
