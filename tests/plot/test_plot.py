"""Figures show the numbers of the objects that tables are made of, whole, at the width that was asked for."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any, cast

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

import tiecore
from tiecore import plot
from tiecore.board import Board, duel
from tiecore.diagnostics import bias, blame
from tiecore.plot import KINDS, WIDTHS, Figure, Sheet, Width
from tiecore.plot.sheet import COLOURS, HUES, _settings

N_QUERIES = 12
rng = np.random.default_rng(5)
QRELS = {f"q{q}": {f"d{d}": int(rng.integers(0, 3)) for d in range(12)} for q in range(N_QUERIES)}
FEW = {query: QRELS[query] for query in ("q0", "q1", "q2")}
NAMES = ("clicks", "visits $per$ day", "<b>pages</b>", "grade")
FEATURES = {
    name: {q: {d: float(rng.integers(0, 2 + at)) for d in QRELS[q]} for q in QRELS} for at, name in enumerate(NAMES)
}


@pytest.fixture(scope="module")
def evaluation() -> tiecore.Evaluation:
    return tiecore.evaluate(QRELS, FEATURES, ["nDCG@5", "ESL"], ["docid-asc", "input"])


@pytest.fixture(scope="module")
def board(evaluation: tiecore.Evaluation) -> Board:
    return evaluation.board("nDCG@5")


def drawn(figure: Figure) -> list[Any]:
    """Return the axes with something in them, laid out."""
    with _settings():
        figure.draw_without_rendering()
    return figure.axes


def axes_of(figure: Figure) -> list[Any]:
    """Return the axes, whose lines and texts need no drawing."""
    return figure.axes


def made(evaluation: tiecore.Evaluation, **sheet: Any) -> dict[str, Figure]:
    """Return a figure of each kind."""
    return {
        "board": evaluation.plot.board("nDCG@5", **sheet),
        "difference": evaluation.plot.difference("clicks", "grade", "nDCG@5", **sheet),
        "places": evaluation.plot.places("nDCG@5", **sheet),
        "curves": evaluation.plot.curves("nDCG@5", cutoffs=(1, 2, 5), **sheet),
    }


@pytest.mark.parametrize("measure", ["nDCG@5", "ESL"])
def test_the_board_shows_values_intervals_and_differences_of_the_board(
    evaluation: tiecore.Evaluation, measure: str
) -> None:
    board = evaluation.board(measure)
    figure = plot.board(board)
    values, behind = axes_of(figure)[:2]
    lines = {tuple(line.get_xdata()) for line in values.lines}
    assert tuple(board.rows["value"]) in lines
    lanes = [line for line in values.lines if line.get_label() == "Anserini (ids ↑)"]
    marks = np.concatenate([line.get_xdata() for line in lanes])
    assert set(marks[~np.isnan(marks)]) <= set(board.rows["docid-asc"])
    apart = np.abs(np.array([line.get_ydata() for line in lanes]) - np.arange(len(board.rows)))
    assert 0.2 < apart.min() <= apart.max() < 0.45, "inside its row, off the dot"
    assert tuple(board.rows["behind"]) in {tuple(line.get_xdata()) for line in behind.lines}
    ends = [(x[0, 0], x[1, 0]) for one in values.collections for x in one.get_segments()]
    assert set(zip(board.rows["low"], board.rows["high"], strict=True)) <= set(ends)
    assert [text.get_text() for text in values.get_yticklabels()] == [
        f"{place}  {name}  {value:.4f}" for name, place, value in board.rows[["place", "value"]].itertuples()
    ]
    assert values.xaxis_inverted() == (measure == "ESL")


def test_a_measure_is_called_as_it_is_said() -> None:
    plots = tiecore.evaluate(QRELS, FEATURES, ["nDCG(dcg='exp-log2')@5"], ["input"]).plot
    figures = plots.board(), plots.difference("clicks", "grade"), plots.places(), plots.curves(cutoffs=(1, 5))
    assert all("with exponential gain" in figure.title for figure in figures)
    assert figures[-1].axes[0].get_ylabel() == "nDCG@k with exponential gain"


def test_a_line_parts_the_groups() -> None:
    """Between the feature that is the grade itself and the one that turns it round."""
    right = {query: {document: float(grade) for document, grade in row.items()} for query, row in QRELS.items()}
    wrong = {query: {document: -score for document, score in row.items()} for query, row in right.items()}
    figure = tiecore.evaluate(QRELS, {"right": right, "also": right, "wrong": wrong}, ["AP"]).plot.board()
    for axes in axes_of(figure)[:2]:
        assert [line.get_ydata()[0] for line in axes.lines if list(line.get_xdata()) == [0, 1]] == [1.5]


def test_a_board_of_some_features_says_so(evaluation: tiecore.Evaluation) -> None:
    figure = evaluation.plot.board("nDCG@5", only=["clicks", "grade"])
    assert "2 of 4 features" in figure.title
    assert len(axes_of(figure)[0].get_yticks()) == 2


def test_the_difference_is_that_of_the_pairs_in_either_order(evaluation: tiecore.Evaluation) -> None:
    stable = evaluation.stability("nDCG@5")
    row = stable.pairs.iloc[0]
    there = duel(evaluation, stable, row["leader"], row["trailer"])
    back = duel(evaluation, stable, row["trailer"], row["leader"])
    assert (there.difference, there.low, there.high) == (row["difference"], row["low"], row["high"])
    assert (back.difference, back.low, back.high) == (-row["difference"], -row["high"], -row["low"])
    assert there.sentence == back.sentence
    assert there.wins == back.wins[::-1]
    assert sum(there.wins) <= N_QUERIES == len(there.queries)
    assert there.queries["lead"].mean() == pytest.approx(row["difference"], abs=1e-12)
    board = evaluation.leaderboard("nDCG@5")["input"]
    assert there.under["input"] == pytest.approx(board[row["leader"]] - board[row["trailer"]], abs=1e-12)
    above, below = axes_of(plot.difference(there))[:2]
    assert {tuple(line.get_xdata()) for line in above.lines} >= {(row["low"], row["high"])}
    assert sorted(bar.get_height() for bar in below.patches) == pytest.approx(sorted(there.queries["lead"]))
    assert f"mean lead in {there.measure}" in above.get_xlabel()


def test_where_less_is_better_the_better_feature_is_ahead(evaluation: tiecore.Evaluation) -> None:
    stable = evaluation.stability("ESL")
    best, worst = stable.places.index[[0, -1]]
    assert duel(evaluation, stable, best, worst).difference > 0


def test_equal_features_differ_in_nothing() -> None:
    evaluation = tiecore.evaluate(QRELS, {"a": FEATURES["grade"], "b": FEATURES["grade"]}, ["AP"])
    found = duel(evaluation, evaluation.stability(), "a", "b")
    assert found.sentence == "No difference: a and b have the same expectation on each of 12 queries."
    assert "interval" not in plot.difference(found).note
    assert drawn(plot.difference(found))


def test_a_bar_of_ties_is_explained_where_there_is_one_and_names_keep_off_the_marks(
    evaluation: tiecore.Evaluation,
) -> None:
    figure = evaluation.plot.difference("clicks", "grade", "nDCG@5", width="column")
    above = drawn(figure)[0]
    assert "Dark bar" in figure.note
    assert [text.get_text() for text in above.get_yticklabels()] == ["expectation", "Anserini (ids ↑)", "file order"]
    assert all(text.get_window_extent().x1 <= above.get_window_extent().x0 for text in above.get_yticklabels())
    untied = {q: {d: float(at) for at, d in enumerate(row)} for q, row in QRELS.items()}
    turned = {q: {d: -score for d, score in row.items()} for q, row in untied.items()}
    figure = tiecore.evaluate(QRELS, {"a": untied, "b": turned}, ["AP"], ["input"]).plot.difference("a", "b")
    assert "Dark bar" not in figure.note
    mixed = next(q for q, row in QRELS.items() if bool(row["d0"]) != bool(row["d1"]))
    rare = untied | {mixed: untied[mixed] | {"d0": 1.0}}
    found = tiecore.evaluate(QRELS, {"a": rare, "b": turned}, ["AP"])
    pair = duel(found, found.stability(), "a", "b")
    assert pair.tie_low < pair.tie_high, "but by too little to be seen"
    for figure in (plot.difference(pair), found.plot.board()):
        assert "Dark bar" not in figure.note


def test_few_queries_have_no_interval_and_a_known_risk_is_said() -> None:
    one = tiecore.evaluate(
        {"q": {"a": 1, "b": 0}}, {"x": {"q": {"a": 2, "b": 1}}, "y": {"q": {"a": 1, "b": 1}}}, ["RR"]
    )
    found = duel(one, one.stability(), "x", "y")
    assert "interval" not in found.sentence
    assert drawn(plot.difference(found))
    assert drawn(one.plot.board())


def test_pairs_that_were_not_compared_are_refused(evaluation: tiecore.Evaluation) -> None:
    stable = evaluation.stability("nDCG@5", baseline="clicks")
    with pytest.raises(tiecore.TiecoreError, match="not compared"):
        duel(evaluation, stable, NAMES[1], NAMES[2])
    with pytest.raises(tiecore.TiecoreError, match="other"):
        duel(evaluation, stable, "clicks", "other")


def test_places_are_those_of_each_tie_break_and_only_movers_are_coloured(board: Board) -> None:
    axes = axes_of(plot.places(board))[0]
    order = [text.get_text().split("  ")[0] for text in axes.get_yticklabels()]
    assert order == list(board.rows.index)
    moved = set(board.movers())
    assert {name for name, line in zip(order, axes.lines, strict=True) if line.get_color() != COLOURS["quiet"]} == moved
    assert moved < set(NAMES), "else nothing is seen of the law"


@pytest.mark.parametrize("width", WIDTHS)
def test_names_of_tie_breaks_do_not_overlap_above_the_places(board: Board, width: Width) -> None:
    titles = drawn(plot.places(board, Sheet(width=width)))[0].get_xticklabels()
    boxes = [title.get_window_extent() for title in titles]
    is_turned = any(title.get_rotation() for title in titles)
    assert is_turned or all(left.x1 < right.x0 for left, right in pairwise(boxes))
    assert is_turned == (width == "column")


def test_no_two_lines_have_one_colour() -> None:
    many = {f"f{n}": {q: {d: float(rng.integers(0, 3)) for d in QRELS[q]} for q in QRELS} for n in range(20)}
    evaluation = tiecore.evaluate(QRELS, many, ["nDCG@5"], ["input", "docid-asc"])
    assert len(evaluation.board().movers()) > 14
    for figure in (evaluation.plot.places(), evaluation.plot.curves(features=list(many), cutoffs=(1, 5))):
        colours = [line.get_color() for line in axes_of(figure)[0].lines]
        coloured = [colour for colour in colours if colour != COLOURS["quiet"]]
        assert len(set(coloured)) == len(coloured) >= 14


def test_a_feature_has_one_colour_in_all_figures(evaluation: tiecore.Evaluation, board: Board) -> None:
    """Clicks, which stands first in some of the figures and last in others."""
    found = []
    for one in (["clicks", "grade"], ["<b>pages</b>", "clicks"]):
        curves = axes_of(evaluation.plot.curves("nDCG@5", features=one, cutoffs=(1, 5)))[0]
        found.append(curves.lines[one.index("clicks")].get_color())
        bars = axes_of(evaluation.plot.difference(one[0], one[1], "nDCG@5"))[1].patches
        found += [bar.get_facecolor() for bar in bars if bar.get_height() * (1 - 2 * one.index("clicks")) > 0]
    assert "clicks" in board.movers()
    found.append(axes_of(plot.places(board))[0].lines[list(board.names).index("clicks")].get_color())
    assert {to_hex(colour) for colour in found} == {HUES[sorted(NAMES).index("clicks")]}


def test_a_board_without_tie_breaks_has_places_too() -> None:
    assert drawn(tiecore.evaluate(QRELS, FEATURES, ["AP"]).plot.places())


def test_curves_are_the_values_at_each_cutoff(evaluation: tiecore.Evaluation) -> None:
    figure = evaluation.plot.curves("nDCG@5", features=["clicks", "grade"], cutoffs=(1, 3, 5))
    axes = axes_of(figure)[0]
    again = tiecore.evaluate(QRELS, FEATURES, ["nDCG@1", "nDCG@3", "nDCG@5"], ["input"]).summary
    *lines, chosen = axes.lines
    assert list(chosen.get_xdata()) == [5, 5], "the cut-off of the measure"
    for name, line in zip(("clicks", "grade"), lines, strict=True):
        own = again.xs(name, level="feature")["expected"]
        np.testing.assert_allclose(line.get_ydata(), own, rtol=0, atol=1e-12)
    assert len(axes.collections) == 4, "two bands for each"
    crowded = evaluation.plot.curves("nDCG@5", cutoffs=(1, 5))
    assert len(crowded.axes[0].collections) == 4, "of the best two"
    best = evaluation.leaderboard("nDCG@5").index
    assert f"Outlined band of {best[0]} and {best[1]}: 95 % confidence interval" in crowded.note


@pytest.mark.parametrize("width", ["column", "page"])
def test_a_figure_has_the_width_and_the_texts_that_were_asked_for_and_nothing_leaves_it(
    evaluation: tiecore.Evaluation, board: Board, width: Width
) -> None:
    sheet: dict[str, Any] = {"width": width, "title": "My title", "answer": "My sentence", "note": ""}
    # the narrowest is where each kind lacks room
    figures = made(evaluation, **sheet) if width == "column" else {"board": plot.board(board, Sheet(**sheet))}
    for name, figure in figures.items():
        svg = figure.to_bytes("svg").decode()
        assert "My title" in svg
        assert "My sentence" in svg
        assert "Made with" not in svg
        assert figure.get_size_inches()[0] == WIDTHS[width]
        box = figure.get_tightbbox()
        assert box.x0 >= -0.02, name
        assert box.x1 <= WIDTHS[width] + 0.02, name
        assert -0.02 <= box.y0 < box.y1 <= figure.get_size_inches()[1] + 0.02, name


def test_no_text_of_a_long_name_leaves_a_column_or_lies_on_another() -> None:
    long = {f"UIUC_DMG_SETRANK_RETRIEVAL_{n}": FEATURES[NAMES[n]] for n in range(3)}
    evaluation = tiecore.evaluate(QRELS, long, ["nDCG@5"], ["input"])
    for figure in (evaluation.plot.board(width="column"), evaluation.plot.curves(width="column", cutoffs=(1, 5))):
        axes = drawn(figure)
        assert all(text.get_window_extent().x1 <= figure.bbox.x1 for text in figure.texts)
        left, *right = (one.xaxis.label.get_window_extent() for one in axes[:2])
        assert all(left.x1 < other.x0 for other in right)


def test_a_name_without_end_leaves_room_for_the_sentence() -> None:
    evaluation = tiecore.evaluate(QRELS, {"x" * 500: FEATURES["grade"], "y" * 500: FEATURES["clicks"]}, ["nDCG@5"])
    plots = evaluation.plot
    for figure in (plots.board(), plots.difference("x" * 500, "y" * 500), plots.curves(cutoffs=(1, 5))):
        assert figure.get_size_inches()[1] < 6
        assert "x" * 60 not in "".join([figure.title, figure.answer, figure.note])


@pytest.mark.parametrize(("n", "said"), [(2, "No feature changes place"), (4, "2 of 4 features change place")])
def test_the_places_say_how_many_move_in_words(n: int, said: str) -> None:
    untied = {q: {d: float(at) for at, d in enumerate(row)} for q, row in QRELS.items()}
    features = {name: untied if n == 2 else FEATURES[name] for name in NAMES[:n]}
    figure = tiecore.evaluate(QRELS, features, ["nDCG@5"], ["docid-asc", "input"]).plot.places()
    assert figure.answer.startswith(said)
    assert ("In colour" in figure.note) == (n == 4)


def test_a_slide_is_as_high_as_slides_are_nothing_leaves_it_and_its_texts_explain_it(
    evaluation: tiecore.Evaluation,
) -> None:
    for kind, figure in made(evaluation, width="slide").items():
        assert "nDCG" in figure.title
        assert f"{N_QUERIES} queries" in figure.title
        assert "expectation" in figure.note
        headline, below, _ = figure.texts[-3:]
        said, title = figure.answer.partition(" (95 %")[0], figure.title * bool(figure.answer)
        assert headline.get_text().replace("\n", " ").replace("\u00a0", " ").rstrip(".") == (
            said or figure.title
        ).rstrip(".")
        assert headline.get_fontweight() == "bold"
        assert below.get_text().endswith(title), "after the numbers of the sentence"
        assert (below.get_text() != title) == ("interval" in figure.answer)
        assert tuple(figure.get_size_inches()) == (10, 10 * 9 / 16)
        assert drawn(figure)
        box = figure.get_tightbbox()
        assert min(box.x0, box.y0, 10 - box.x1, 10 * 9 / 16 - box.y1) > -0.02, kind
    own = evaluation.plot.board("nDCG@5", width="slide", answer="My sentence")
    assert [text.get_text() for text in own.texts[-3:-1]] == ["My sentence", own.title]


def test_names_are_text_whatever_they_hold(board: Board) -> None:
    svg = plot.board(board).to_bytes("svg").decode()
    shown = re.sub(r"<[^>]+>", " ", svg).replace("&lt;", "<").replace("&gt;", ">")
    assert all(name in shown for name in NAMES)


def test_the_same_figure_is_the_same_file_whatever_the_settings(board: Board) -> None:
    few = board.only(NAMES[:2])
    once = [plot.board(few).to_bytes(kind, dots=50) for kind in KINDS]
    with mpl.rc_context({"font.size": 30, "text.usetex": False, "svg.fonttype": "path"}):
        assert once == [plot.board(few).to_bytes(kind, dots=50) for kind in KINDS]
    assert min(map(len, once)) > 1000


def test_rows_of_many_features_do_not_overlap() -> None:
    many = {f"a_rather_long_name_of_feature_{n}": {q: FEATURES[NAMES[n % 4]][q] for q in FEW} for n in range(21)}
    evaluation = tiecore.evaluate(FEW, many, ["AP"], ["input"])
    for figure in (evaluation.plot.board(width="column"), evaluation.plot.places(width="column")):
        labels = drawn(figure)[0].get_yticklabels()
        boxes = sorted((one.get_window_extent() for one in labels), key=lambda box: box.y0)
        assert all(lower.y1 <= upper.y0 + 1 for lower, upper in pairwise(boxes))


def test_of_more_features_than_a_sheet_holds_the_best_are_shown_and_the_title_says_so() -> None:
    drawn_from = np.random.default_rng(7)
    many = {f"f{n:03}": {q: {d: float(drawn_from.integers(0, 3)) for d in FEW[q]} for q in FEW} for n in range(50)}
    large = tiecore.evaluate(FEW, many, ["nDCG@5"], ["input"]).board()
    for width, rows, most in (("column", 40, 11.0), ("slide", 14, 5.63)):
        for draw in (plot.board, plot.places):
            figure = draw(large, Sheet(width=cast("Width", width)))
            assert f"the first {rows} of 50 features" in figure.title
            assert figure.answer.count("50 features") == (draw is plot.places), "of a board only who leads"
            labels = [text.get_text() for text in figure.axes[0].get_yticklabels()]
            assert all(name in label for name, label in zip(large.names[:rows], labels, strict=True))
            assert figure.get_size_inches()[1] < most
    some = plot.places(large.only(large.names[:20]), Sheet(width="slide"))
    assert "the first 14 of 20 of 50 features" in some.title


@pytest.mark.parametrize("width", WIDTHS)
def test_numbers_below_an_axis_do_not_overlap(width: Width) -> None:
    draw = np.random.default_rng(7).random
    values = pd.DataFrame({f"feature_{n:05}": 0.5 - 0.005 * n + 0.3 * draw(25) for n in range(14)})
    for axes in drawn(tiecore.compare(values).plot(width=width))[:2]:
        low, high = axes.get_window_extent().intervalx
        boxes = [one.get_window_extent() for one in axes.get_xticklabels()]
        shown = [box for box in boxes if low <= (box.x0 + box.x1) / 2 <= high]
        assert 2 <= len(shown) <= 5
        assert all(left.x1 + 3 <= right.x0 for left, right in pairwise(shown))


def test_pairs_and_queries_are_rows_and_judges_columns_of_the_same_figures(evaluation: tiecore.Evaluation) -> None:
    study = evaluation.stability("nDCG@5")
    figure = plot.pairs(study, Sheet(width="column"), rows=study.pairs.iloc[::-1], answer="One is clear.")
    (axes,) = axes_of(figure)
    assert next(text.get_text() for text in axes.get_yticklabels()).startswith(study.pairs["leader"].iloc[-1][:6])
    assert [*axes.lines[1].get_xdata()] == [*study.pairs["difference"][::-1]]
    assert ("⇅: a tie-break reverses the order." in figure.note) == study.pairs["reversed_by"].map(bool).any()
    assert figure.answer == "One is clear."
    blamed = blame(evaluation, "clicks", "nDCG@5")
    figure = plot.queries(blamed, feature="clicks", measure=evaluation.measures[0], tie_breaks=["input"])
    (axes,) = axes_of(figure)
    assert [text.get_text() for text in axes.get_yticklabels()] == [*blamed.index]
    assert [*axes.lines[0].get_xdata()] == [*blamed["expected"]]
    assert figure.title == "nDCG@5 of clicks: 12 queries, largest spread first"
    systems = {name: FEATURES[name] for name in ("clicks", "grade")}
    turned = {q: {d: 2 - grade for d, grade in row.items()} for q, row in QRELS.items()}
    found = tiecore.judges({"one": QRELS, "other": turned}, systems, "nDCG@5")
    figure = plot.judges(found)
    assert [text.get_text() for text in axes_of(figure)[0].get_xticklabels()] == ["one", "other"]
    assert figure.answer == found.sentences[0]


def test_a_tie_break_that_favours_relevant_documents_is_named_in_the_figure_and_drawn_beyond_chance() -> None:
    sorted_by_grade = {q: dict.fromkeys(sorted(row, key=lambda d: -row[d]), 1.0) for q, row in QRELS.items()}
    evaluation = tiecore.evaluate(QRELS, {"all": sorted_by_grade, "grade": FEATURES["grade"]}, ["nDCG@5"], ["input"])
    figure = evaluation.plot.board(width="slide")
    assert "Do not rank with file order" in figure.answer
    assert figure.texts[-2].get_text().count("Do not rank") == 1, "below the headline"
    z = bias(evaluation)["z"].droplevel("measure").unstack("tie_break")
    (axes,) = axes_of(plot.shifts(z, title="Shifts"))
    assert axes.lines[-1].get_xdata().max() == z["input"].max() > 2


def test_the_legend_names_only_what_is_drawn(board: Board) -> None:
    same = board.only(NAMES[:2])
    for name in same.tie_breaks[:1]:
        same.rows[name] = same.rows["value"]
    assert [text.get_text() for text in plot.board(same).legends[0].get_texts()] == ["file order"]


def test_a_notebook_shows_a_figure(board: Board) -> None:
    assert plot.board(board.only(NAMES[:2]), Sheet(width="column"))._repr_png_().startswith(b"\x89PNG")


def test_what_is_unknown_is_refused(evaluation: tiecore.Evaluation, board: Board) -> None:
    with pytest.raises(tiecore.TiecoreError, match="width is one of"):
        evaluation.plot.board("nDCG@5", width="poster")  # type: ignore[arg-type]
    with pytest.raises(tiecore.TiecoreError, match="written as"):
        plot.board(board).to_bytes("gif")  # type: ignore[arg-type]
    with pytest.raises(tiecore.TiecoreError, match="measure"):
        evaluation.plot.board()


def test_a_feature_without_a_colour_steps_back(evaluation: tiecore.Evaluation) -> None:
    first, second, *_ = movers = evaluation.board("nDCG@5").movers()
    own = {first: "#123456"}
    for figure in (
        evaluation.plot.places("nDCG@5", colours=own),
        evaluation.plot.curves("nDCG@5", features=movers, cutoffs=[1, 10], colours=own),
    ):
        lines = [line for axes in figure.axes for line in axes.lines if np.size(line.get_xdata()) > 1]
        assert sum(line.get_color() == own[first] for line in lines) == 1
    bars = [
        bar for axes in evaluation.plot.difference(first, second, "nDCG@5", colours=own).axes for bar in axes.patches
    ]
    assert {to_hex(bar.get_facecolor()) for bar in bars} <= {own[first], COLOURS["quiet"]}


def test_no_line_of_a_figure_ends_inside_a_p_value() -> None:
    sheet = Sheet(width="column")
    for length in range(40, 90):
        assert "p\u00a0<\u00a0.0001" in sheet.wrapped(f"{'x ' * (length // 2)}p < .0001 and more")


def test_letters_that_no_font_has_are_told() -> None:
    qrels: Any = {f"q{n}": {"a": 1, "b": 0} for n in range(6)}
    runs: Any = {name: {query: {"a": 2.0, "b": 1.0} for query in qrels} for name in ("naïve β", "of 𓀀 and 𓀁")}
    found = tiecore.evaluate(qrels, runs, ["RR"])
    assert found.plot.board().unwritten == "𓀀𓀁"
    assert found.plot.board(only=["naïve β"]).unwritten == ""
