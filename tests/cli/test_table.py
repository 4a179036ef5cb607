"""Tables and bars: nothing is lost however narrow it gets, and what is drawn is what is written."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tiecore.cli.render.numbers import chances, decimals_for, deviations, figures, scores, shares, texts
from tiecore.cli.render.tables import Column, Report, Sheet, Table, drawn
from tiecore.cli.render.text import lines_of


def text_of(*columns: Column, width: int, detail: str = "", styled: bool = False) -> list[str]:
    sheet = Sheet(name="s", tables=[Table(data={}, name="t", detail=detail, columns=columns)])
    return list(lines_of(Report(sheets=[sheet]), width=width, styled=styled))[:-1]


def names(*cells: str) -> Column:
    return Column(heading="feature", values=cells, key=True)


def figure(heading: str, *cells: str) -> Column:
    return Column(heading=heading, values=cells, write=texts)


@given(
    n_columns=st.integers(1, 8),
    cells=st.lists(st.text("0123456789.–", min_size=1, max_size=9), min_size=1, max_size=5),
    width=st.integers(30, 200),
)
def test_every_figure_is_shown_once_at_any_width(n_columns: int, cells: list[str], width: int) -> None:
    columns = [figure(f"column {c}", *(f"<{c}:{cell}>" for cell in cells)) for c in range(n_columns)]
    lines = text_of(names(*["a"] * len(cells)), *columns, width=width)
    shown = [cell for line in lines for cell in re.findall(r"<\d:[^>]*>", line)]
    assert sorted(shown) == sorted(cell for column in columns for cell in column.cells())
    assert max(map(len, lines)) <= width


@pytest.mark.parametrize("width", range(20, 61, 5))
@pytest.mark.parametrize("name", ["[red]a[/]", ":a:", "'a' 1.5", "日本語", "a  b"])
def test_a_name_is_no_markup_and_no_line_ends_with_blanks_however_narrow(name: str, width: int) -> None:
    columns = names(name, *"b" * 150), figure("one", *["1"] * 151), figure(f"{name} ", "22 ", *["22↓"] * 150)
    lines, styled = (text_of(*columns, width=width, styled=styled) for styled in (False, True))
    assert lines == [re.sub(r"\x1b\[[0-9;]*m", "", line.rstrip()) for line in styled]
    assert [sum(line.endswith(cell) for line in lines) for cell in ("22", "22↓", " ")] == [1, 150, 0]
    assert {line.startswith(name) for line in lines if line.endswith("22")} == {True}


def test_the_names_stand_in_every_part_of_a_table_that_is_cut_and_lose_their_middle_only_if_it_would_not_fit() -> None:
    lines = text_of(names("clicks"), *(figure(str(c), "0.123456789") for c in range(6)), detail="d", width=40)
    assert [line for line in lines if line.startswith("t · ")] == ["t · d", "t · continued", "t · continued"]
    assert sum(line.startswith("clicks ") for line in lines) == 3
    columns = names("a" * 50, "b"), figure("x", "1", "2")
    assert "a" * 50 in text_of(*columns, width=80)[2]
    assert text_of(*columns, width=40)[2].startswith("aaaaaaaaa…aaaaaaaa  1")


def test_numbers_end_and_names_begin_together_long_headings_are_broken_and_no_line_ends_with_blanks() -> None:
    lines = text_of(names("a", "long"), figure("x", "1", "200"), width=80)
    assert lines[1:] == ["feature    x", "a          1", "long     200"]
    lines = text_of(names("a"), figure("feature:query_url_clicks", "0.1"), width=80)
    assert lines[1:4] == ["           feature:", "         query_url_", "feature      clicks"]
    lines = text_of(names("a", "日本"), figure("x", "1 #1 ", "2 #2↓"), width=80)
    assert lines[2:] == ["a        1 #1", "日本     2 #2↓"]


def test_a_table_without_rows_says_so_and_a_long_title_is_wrapped() -> None:
    assert text_of(names(), width=80) == text_of(width=80) == ["t", "none"]
    assert text_of(detail="and all the rest of it", width=80) == ["t · and all the rest of it", "none"]
    assert text_of(detail="and all the rest of it", width=12) == ["t · and all", "the rest of", "it", "none"]


@pytest.mark.parametrize("n_rows", [1, 3])
def test_the_first_rows_of_a_table_are_those_of_each_of_its_columns(n_rows: int) -> None:
    numbers = np.arange(4.0)
    bar = drawn(np.stack([numbers] * 3, axis=1), (0, 3), 0)
    column = figure("x", *"abcd")
    table = Table(data={}, columns=[column, bar, column], notes=["note"])
    first = table.first(n_rows)
    assert {len(one.cells()) for one in first.written} == {n_rows}
    assert first.notes[0].startswith(f"{4 - n_rows} more row")
    assert first.notes[1:] == ["note"]
    assert table.first(4) is table.first(0) is table


def drawings(*intervals: tuple[float, ...], ends: tuple[float, float]) -> list[str]:
    column = drawn(np.array(intervals), ends, 1)
    return [column.heading, *column.cells()]


def test_bars_share_a_scale_whose_ends_stand_above_them_the_better_one_on_the_right() -> None:
    heading, *cells = drawings((0, 0.5, 1), (0.5, 0.5, 0.5), ends=(0, 1))
    assert heading == f"0.0{' ' * 15}1.0"
    assert cells == [f"├{'─' * 9}●{'─' * 9}┤", f"{' ' * 10}●{' ' * 10}"]
    heading, *cells = drawings((9, 4, 1), (5, 4.5, 4), ends=(9, 1))
    assert heading == f"9.0{' ' * 15}1.0"
    assert cells == [f"├{'─' * 11}●{'─' * 7}┤", f"{' ' * 10}├●┤{' ' * 8}"]


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=6))
def test_figures_are_as_wide_as_five_digits_at_most_and_keep_their_order(values: list[float]) -> None:
    array = np.array(values)
    written = figures(array, decimals_for(array))
    assert max(map(cell_len, written)) <= 7
    assert sorted(array) == pytest.approx(sorted(map(float, written)), abs=0.5)


def test_different_scores_stay_different_and_nothing_is_a_dash() -> None:
    large = [9007199254740994, 9007199254740996]
    assert scores(np.array([0.5, *large, np.nan])) == ["0.5", *map(str, large), "–"]
    assert scores(np.array([1234567.0, 0.1])) == ["1.23457e+06", "0.1"]
    nothing = np.array([np.nan])
    assert figures(nothing, 3) == chances(nothing) == shares(nothing) == deviations(nothing, 2) == ["–"]
