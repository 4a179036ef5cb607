"""Leaderboards of an evaluation and its values per query, as tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from tiecore.cli.commands import Evaluate
from tiecore.cli.load import known_names, load_evaluation
from tiecore.cli.render.numbers import decimals_for, figures, texts, with_arrows
from tiecore.cli.render.tables import LEGEND, Column, Report, Sheet, Table, columns_of, drawn
from tiecore.evaluation.result import Evaluation
from tiecore.evaluation.suspicious import suspicions
from tiecore.measures import Measure

_LEGEND = {
    "expected": "mean over all orderings of tied documents",
    "sd": "standard deviation under random tie-breaks",
    "worst, best": "least and greatest value of any ordering of tied documents",
    LEGEND: "from worst to best, ● expected, one scale for each measure",
}
_OF_MEANS = {
    "#": "place by expectation; equal features share a place",
    **_LEGEND,
    "sd": "spread of this mean over random tie-breaks (standard deviation), not over queries: tiecore stability has "
    "the intervals over queries",
}
_OF_TIE_BREAKS = {"#n": "place under that tie-break, ↑ ↓ where it is not the place by expectation"}
_Rows = Mapping[str, np.ndarray]


def report(request: Evaluate) -> Report:
    """Return a report of all values: of the features, or of every query."""
    evaluation = load_evaluation(request)
    measures, legend = evaluation.measures, _OF_MEANS | (_OF_TIE_BREAKS if evaluation.tie_breaks else {})
    if request.per_query:
        sheet = Sheet(name="per_query", tables=list(_of_queries(evaluation)), legend=_LEGEND)
    else:
        tables = [_leaderboard(evaluation, measure) for measure in measures]
        sheet = Sheet(name="summary", tables=tables, legend=legend)
    return Report(
        sheets=[sheet],
        remarks=list(_remarks(evaluation)),
        beside={"coverage": lambda: _coverage(evaluation)},
        figures=lambda: [] if request.per_query else [evaluation.plot.board(measure) for measure in measures],
    )


def queries_counted(evaluation: Evaluation, measure: Measure) -> str:
    """Return the number of queries that a value averages; options can exclude queries."""
    n_counted = int(evaluation.values.counted[evaluation.measures.index(measure)].sum())
    n_queries = evaluation.values.alignment.n_queries
    of_all = f" of {n_queries}" if n_counted < n_queries else ""
    return f"{n_counted}{of_all} {'query' if n_queries == 1 else 'queries'}"


def _leaderboard(evaluation: Evaluation, measure: Measure) -> Table:
    board = evaluation.values.leaderboard_columns(measure)
    decimals, under_ties = _decimals(evaluation, board), []
    for name in (tie_break.name for tie_break in evaluation.tie_breaks):
        places, shifts = (board[f"{name} {which}"] for which in ("place", "shift"))
        digits = len(str(places.max(initial=0)))
        values = zip(figures(board[name], decimals), places, strict=True)
        cells = with_arrows((f"{value} #{place:<{digits}}" for value, place in values), shifts)
        under_ties.append(Column(heading=name, values=cells, write=texts))
    columns = [*_statistics(board, "place, feature", decimals, _ends(board, measure)), *under_ties]
    return Table(data=board, about={"measure": str(measure)}, detail=_detail(evaluation, measure), columns=columns)


def _of_queries(evaluation: Evaluation) -> Iterator[Table]:
    for measure in evaluation.measures:
        query_ids, of_features = evaluation.values.per_query_columns(measure)
        ends, decimals = _ends(of_features, measure), _decimals(evaluation, of_features)
        for f, feature in enumerate(evaluation.features):
            rows = {"query_id": query_ids} | {name: cells[f] for name, cells in of_features.items()}
            under_ties = columns_of(rows, [tie.name for tie in evaluation.tie_breaks], decimals=decimals)
            columns = [*_statistics(rows, "query_id", decimals, ends), *under_ties]
            about = {"measure": str(measure), "feature": feature}
            yield Table(data=rows, about=about, detail=_detail(evaluation, measure), columns=columns)


def _statistics(rows: _Rows, keys: str, decimals: int, ends: tuple[float, float]) -> Sequence[Column]:
    columns = columns_of(rows, f"{keys}, expected, sd, worst, best", keys=len(keys.split(", ")), decimals=decimals)
    intervals = np.stack([rows[name] for name in ("worst", "expected", "best")], axis=1)
    return [*columns, drawn(intervals, ends, decimals)]


def _ends(rows: _Rows, measure: Measure) -> tuple[float, float]:
    """Return the ends of a scale that takes in every interval, the worse one first."""
    both = np.stack([rows["worst"], rows["best"]])
    low, high = float(both.min(initial=np.inf)), float(both.max(initial=-np.inf))
    return (low, high) if measure.higher_is_better else (high, low)


def _decimals(evaluation: Evaluation, rows: _Rows) -> int:
    return decimals_for(np.stack([rows[name] for name in evaluation.values.columns]))


def _detail(evaluation: Evaluation, measure: Measure) -> str:
    return queries_counted(evaluation, measure) + ("" if measure.higher_is_better else ", lower is better")


def _coverage(evaluation: Evaluation) -> dict[str, list[object]]:
    rows = [{"feature": name, **facts} for name, facts in evaluation.values.coverage_of_features.items()]
    return {name: [row[name] for row in rows] for name in rows[0]}


def _remarks(evaluation: Evaluation) -> Iterator[str]:
    yield from suspicions(evaluation)
    yield from known_names(evaluation)
    if open_ended := [str(measure) for measure in evaluation.measures if not measure.has_variance]:
        yield f"sd –: no closed form for {', '.join(open_ended)}"
    if derived := [str(measure) for measure in evaluation.measures if not measure.averages_orderings]:
        yield (
            f"{', '.join(derived)}: computed from an expectation for each query, so the value under random tie-breaks "
            "may average to something else"
        )
