"""The grammar of charts with a row a feature draws what it is given, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from tiecore_dashboard.charts.look import DARK, LIGHT
from tiecore_dashboard.charts.pieces import entries_of, padded, round_values
from tiecore_dashboard.charts.rows import Point, Range, columns_chart, rows_chart

NAMES = ["bm25", "<b>clicks</b>", "dwell"]
RANGE = Range("95 %", [0.3, np.nan, 0.5], [0.1, 0.2, 0.7], LIGHT.range)
POINT = Point("expected", [0.2, 0.4, np.nan], LIGHT.text)


def test_bars_and_points_stand_in_their_rows_where_their_values_are() -> None:
    figure = rows_chart(NAMES, [RANGE, POINT], look=LIGHT, title="AP")
    bar, points = figure.data
    assert list(bar.y) == list(points.y) == [0, 1, 2]
    assert np.allclose(np.array(bar.base, dtype=float), [0.1, np.nan, 0.5], equal_nan=True, rtol=0, atol=0)
    assert np.allclose(np.array(bar.x, dtype=float), [0.2, np.nan, 0.2], equal_nan=True, rtol=0, atol=1e-15)
    assert np.allclose(np.array(points.x, dtype=float), [0.2, 0.4, np.nan], equal_nan=True, rtol=0, atol=0)
    assert [row[0] for row in points.customdata] == NAMES
    assert list(points.marker.color) == [LIGHT.text] * 3
    assert [entry.name for entry in entries_of(figure)] == ["95 %", "expected"]
    assert figure.layout.xaxis.range[0] < 0.1
    assert figure.layout.xaxis.range[1] > 0.7
    assert "<b>clicks" not in "".join(figure.layout.yaxis.ticktext) + "".join(bar.hovertext).replace("<b>", "", 3)


def test_fewer_is_better_turns_the_axis_round() -> None:
    figure = rows_chart(NAMES, [POINT], look=DARK, title="ESL", higher_is_better=False, ends=(0.0, 1.0))
    assert figure.layout.xaxis.range == (1.0, 0.0)


def test_the_zero_line_is_always_in_sight_in_front_of_the_bars_and_behind_the_points() -> None:
    point, bar = Point("difference", [0.2, 0.3, 0.4], LIGHT.text), Range("95 %", [0.1] * 3, [0.5] * 3, LIGHT.range)
    figure = rows_chart(NAMES, [point, bar], look=LIGHT, title="AP", zero=0.0)
    order = [trace.name for trace in figure.data]
    assert order == ["95 %", "zero", "difference"]
    assert list(figure.data[1].x) == [0, 0]
    assert figure.layout.xaxis.range[0] < 0


def test_what_is_not_highlighted_steps_back() -> None:
    (bar,) = rows_chart(NAMES, [RANGE], look=LIGHT, title="AP", highlighted={"dwell"}).data
    assert bar.marker.color[2] == LIGHT.range
    assert LIGHT.range not in bar.marker.color[:2]


@pytest.mark.parametrize("n_rows", [1, 70])
def test_texts_beside_the_rows_have_room(n_rows: int) -> None:
    names = [f"feature {n}" for n in range(n_rows)]
    texts = ["a long text beside"] * n_rows
    figure = rows_chart(names, [Point("v", np.ones(n_rows), LIGHT.text)], look=LIGHT, title="AP", beside=("set", texts))
    assert len(figure.layout.annotations) == n_rows + 1
    assert figure.layout.margin.r > 6 * len(texts[0])
    assert figure.layout.height > 18 * n_rows


def test_columns_are_the_rows_upright_and_take_the_clicks_themselves() -> None:
    figure = columns_chart(
        NAMES, [RANGE, POINT], look=LIGHT, title="AP", below="three", at=POINT.values, hover=NAMES, chosen="dwell"
    )
    bar, points, targets = figure.data
    assert (bar.orientation, list(bar.x), bar.hoverinfo, points.hoverinfo) == ("v", [0, 1, 2], "skip", "skip")
    assert list(points.y[:2]) == list(targets.y[:2]) == [0.2, 0.4]
    assert [row[0] for row in targets.customdata] == NAMES
    assert (figure.layout.shapes[0].x0, figure.layout.shapes[0].x1) == (1.5, 2.5)


@pytest.mark.parametrize("most", [4, 5, 6, 7])
def test_an_axis_has_two_ticks_at_least_and_none_beyond_its_ends(most: int) -> None:
    rng = np.random.default_rng(1)
    for low, width in zip(3 * rng.normal(size=500), 10 ** rng.uniform(-5, 3, 500), strict=True):
        values, digits = round_values(low, low + width, most)
        assert 2 <= len(values) <= max(most, 5)
        assert low - 1e-9 <= values[0] < values[-1] <= low + width + 1e-9
        assert len({f"{value:.{digits}f}" for value in values}) == len(values), "all of them can be told apart"


def test_values_that_are_all_0_have_no_tick_below() -> None:
    assert round_values(*padded(np.zeros(3)), 6)[0][0] == 0
    assert padded(np.array([0.97236428417300, 0.97236428417292])) == pytest.approx((0.875, 1.07), abs=0.01)
    assert round_values(0.5, 0.5, 6), "an axis without a width has ticks, too"


def test_rows_are_higher_where_many_marks_stand_in_each() -> None:
    marks = [Point(str(at), [1.0] * 3, LIGHT.text, offset=at / 10) for at in range(8)]
    few, many = (rows_chart(NAMES, some, look=LIGHT, title="z").layout.height for some in (marks[:3], marks))
    assert many >= few + 3 * 16, "so that marks of equal values are all seen"
