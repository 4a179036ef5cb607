"""Tables and bars: nothing is lost however narrow it gets, and what is drawn is what is written."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tiecore.cli.render.numbers import chances, decimals_for, deviations, figures, shares
from tiecore.cli.render.table import Bar, Block, Column, Scale, interval_bar, lines_of


def text_of(block: Block, *, width: int) -> list[str]:
    return [line.plain for line in lines_of(block, width=width)]


def names(cells: list[str]) -> Column:
    return Column(heading="feature", cells=cells, right=False, key=True)


@pytest.mark.untraced
@given(
    n_columns=st.integers(1, 8),
    cells=st.lists(st.text("0123456789.–", min_size=1, max_size=9), min_size=1, max_size=5),
    width=st.integers(30, 200),
)
def test_every_figure_is_shown_once_at_any_width(n_columns: int, cells: list[str], width: int) -> None:
    columns = [Column(heading=f"column {c}", cells=[f"<{c}:{cell}>" for cell in cells]) for c in range(n_columns)]
    block = Block(title="t", columns=[names(["a"] * len(cells)), *columns[:3]], further=columns[3:])
    lines = text_of(block, width=width)
    shown = [cell for line in lines for cell in re.findall(r"<\d:[^>]*>", line)]
    assert sorted(shown) == sorted(cell for column in columns for cell in column.cells)
    assert max(map(len, lines)) <= width


def test_the_names_stand_in_every_part_of_a_table_that_is_cut() -> None:
    columns = [Column(heading=str(c), cells=["0.123456789"]) for c in range(6)]
    lines = text_of(Block(title="t", detail="d", columns=[names(["clicks"]), *columns]), width=40)
    assert [line for line in lines if line.startswith("t · ")] == ["t · d", "t · continued", "t · continued"]
    assert sum(line.startswith("clicks ") for line in lines) == 3


def test_columns_that_belong_together_are_not_torn_apart_if_they_fit_below() -> None:
    block = Block(
        title="t",
        columns=[names(["a"]), *(Column(heading=f"own{c}", cells=["0.1234"]) for c in range(2))],
        further=[Column(heading=f"tie{c}", cells=["0.1234"]) for c in range(3)],
    )
    assert text_of(block, width=35)[1::4] == ["feature    own0    own1", "feature    tie0    tie1    tie2"]


def test_a_long_name_loses_its_middle_only_if_the_table_would_not_fit() -> None:
    block = Block(title="t", columns=[names(["a" * 50, "b"]), Column(heading="x", cells=["1", "2"])])
    assert "a" * 50 in text_of(block, width=80)[2]
    assert text_of(block, width=40)[2].startswith("aaaaaaaa…aaaaaaa  1")


def test_numbers_end_and_names_begin_together() -> None:
    block = Block(title="t", columns=[names(["a", "long"]), Column(heading="x", cells=["1", "200"])])
    assert text_of(block, width=80)[1:] == ["feature    x", "a          1", "long     200"]


def test_a_long_heading_is_broken_at_its_joints() -> None:
    block = Block(title="t", columns=[names(["a"]), Column(heading="feature:query_url_clicks", cells=["0.1"])])
    assert text_of(block, width=80)[1:4] == ["           feature:", "         query_url_", "feature      clicks"]


def test_a_block_without_rows_is_its_title_alone() -> None:
    assert text_of(Block(title="t", columns=[names([])]), width=80) == ["t"]
    assert text_of(Block(title="t", columns=[]), width=80) == ["t"]


def test_a_title_that_is_too_long_is_shortened_with_what_belongs_to_it_below() -> None:
    block = Block(title="a title", detail="and all the rest of it", columns=[])
    assert text_of(block, width=80) == ["a title · and all the rest of it"]
    assert text_of(block, width=12) == ["a title", "and al…of it"]


def drawn(worst: list[float], mark: list[float], best: list[float], *, width: int = 11) -> list[str]:
    arrays = [np.array(values) for values in (worst, mark, best)]
    scale = Scale.of(arrays[0], arrays[2])
    bar = interval_bar(worst=arrays[0], mark=arrays[1], best=arrays[2], scale=scale, decimals=1)
    return [line.plain for line in bar.draw(width)]


def test_bars_share_a_scale_whose_ends_stand_above_them() -> None:
    assert drawn([0.0, 0.5], [0.5, 0.5], [1.0, 0.5]) == ["0.0     1.0", "├────●────┤", "     ●     "]


def test_the_better_end_is_on_the_right_where_lower_is_better() -> None:
    assert drawn([9.0, 5.0], [4.0, 4.5], [1.0, 4.0]) == ["9.0     1.0", "├─────●───┤", "     ├●    "]


def test_bars_without_any_spread_stand_at_one_place() -> None:
    assert drawn([0.5, 0.5], [0.5, 0.5], [0.5, 0.5])[1:] == ["●          ", "●          "]


def test_bars_take_the_room_that_is_left_and_no_more_than_helps() -> None:
    def widest(width: int) -> int:
        bar = interval_bar(worst=np.zeros(1), mark=np.full(1, 0.5), best=np.ones(1), scale=Scale(0.0, 1.0), decimals=1)
        return max(len(re.sub(r"[^├●─┤]", "", line)) for line in text_of(block_with(bar), width=width))

    assert [widest(width) for width in (30, 40, 200)] == [21, 31, 40]


def block_with(bar: Bar) -> Block:
    return Block(title="t", columns=[names(["a"]), bar])


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=6))
def test_figures_are_as_wide_as_five_digits_at_most_and_keep_their_order(values: list[float]) -> None:
    array = np.array(values)
    written = figures(array, decimals_for(array))
    assert max(map(cell_len, written)) <= 7
    assert sorted(array) == pytest.approx(sorted(map(float, written)), abs=0.5)


def test_only_what_is_certain_is_written_as_0_or_1() -> None:
    values = np.array([0.0, 1e-12, 0.9999999, 1.0])
    assert chances(values) == ["0", "<.001", ">.999", "1"]
    assert shares(values) == ["0 %", "<1 %", ">99 %", "100 %"]
    assert deviations(values, 2) == ["0", "<.01", "1.00", "1.00"]


def test_nothing_is_written_as_a_dash() -> None:
    nothing = np.array([np.nan])
    assert figures(nothing, 3) == chances(nothing) == shares(nothing) == deviations(nothing, 2) == ["–"]
