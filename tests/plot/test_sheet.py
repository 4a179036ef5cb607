"""Figures fit the sheet that was asked for, and every text on it can be read."""

import re
from itertools import pairwise
from typing import Any, cast

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text

import tiecore
from tests.plot.conftest import FEATURES, FEW, N_QUERIES, NAMES, QRELS, drawn, made
from tiecore import plot
from tiecore.board import Board
from tiecore.escape import in_latex
from tiecore.plot import KINDS, WIDTHS, Sheet, Width
from tiecore.stability.verdicts import VERDICTS


@pytest.mark.parametrize("width", WIDTHS)
def test_names_of_tie_breaks_do_not_overlap_above_the_places(board: Board, width: Width) -> None:
    titles = drawn(plot.places(board, Sheet(width=width)))[0].get_xticklabels()
    boxes = [title.get_window_extent() for title in titles]
    is_turned = any(title.get_rotation() for title in titles)
    assert is_turned or all(left.x1 < right.x0 for left, right in pairwise(boxes))
    assert is_turned == (width == "column")


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
        assert "Light bar" not in svg
        assert figure.get_size_inches()[0] == WIDTHS[width]
        box = figure.get_tightbbox()
        assert box.x0 >= -0.02, name
        assert box.x1 <= WIDTHS[width] + 0.02, name
        assert -0.02 <= box.y0 < box.y1 <= figure.get_size_inches()[1] + 0.02, name


def test_no_text_of_a_long_name_leaves_a_column_lies_on_another_or_takes_the_room_of_the_sentence() -> None:
    long = {f"UIUC_DMG_SETRANK_RETRIEVAL_{n}": FEATURES[NAMES[n]] for n in range(3)}
    evaluation = tiecore.evaluate(QRELS, long, ["nDCG@5"], ["input"])
    for figure in (evaluation.plot.board(width="column"), evaluation.plot.curves(width="column", cutoffs=(1, 5))):
        axes = drawn(figure)
        assert all(text.get_window_extent().x1 <= figure.bbox.x1 for text in figure.texts)
        left, *right = (one.xaxis.label.get_window_extent() for one in axes[:2])
        assert all(left.x1 < other.x0 for other in right)
    short = {f"{name}.unipd.it": FEATURES[NAMES[n]] for n, name in enumerate(("base", "best"))}
    behind = tiecore.evaluate(QRELS, short, ["nDCG@5"]).plot.board(width="column").axes[1].get_xlabel()
    assert behind.split("\n")[-1].split()[-1] in short, "it has a line of its own"
    figure = tiecore.evaluate(QRELS, short, ["nDCG@5"]).plot.difference(*short, width="column")
    cast("Any", figure.axes[1].get_legend()).get_texts()[0].set_text("w" * 60)
    assert figure.to_bytes() == figure.to_bytes(), "what leaves the axes does not take their room each time"
    evaluation = tiecore.evaluate(QRELS, {"x" * 500: FEATURES["grade"], "y" * 500: FEATURES["clicks"]}, ["nDCG@5"])
    plots = evaluation.plot
    for figure in (plots.board(), plots.difference("x" * 500, "y" * 500), plots.curves(cutoffs=(1, 5))):
        assert figure.get_size_inches()[1] < 6
        assert "x" * 60 not in "".join([figure.title, figure.answer, figure.note])
    one_long = tiecore.evaluate(QRELS, {"query_url_clicks": FEATURES["grade"], "bm25": FEATURES["clicks"]}, ["nDCG@5"])
    titled = one_long.plot.difference("query_url_clicks", "bm25", width="column").axes[0]
    assert "query_url_clicks" in titled.get_title("left") + titled.get_title("right"), "the short one leaves it room"
    alike = tiecore.evaluate(QRELS, {f"{'x' * 40}{n}{'x' * 20}": FEATURES[NAMES[n]] for n in (0, 3)}, ["nDCG@5"])
    figure = alike.plot.difference(*alike.features, width="slide")
    assert drawn(figure)[0].get_title("left").split()[1] != figure.axes[0].get_title("right").split()[0]


def test_a_slide_is_as_high_as_slides_are_holds_all_and_its_texts_explain_it(evaluation: tiecore.Evaluation) -> None:
    first = "Each judge puts one first: it is clearly better than the others under every judge, but one;"
    long = f"{first} that one is open. {'More is said. ' * 3}"
    figures = made(evaluation, width="slide")
    figures["long"] = evaluation.plot.places("nDCG@5", width="slide", answer=long)
    for kind, figure in figures.items():
        headline, below, note = (text.get_text().replace("\u00a0", " ") for text in figure.texts[-3:])
        texts = " ".join([headline, below]).replace("\n", " ")
        assert "nDCG" in texts
        assert texts.count(f"{N_QUERIES} queries") == 1, "nothing is said twice"
        assert "expectation" in note
        said, title = figure.answer.partition(" (95 %")[0], figure.title * bool(figure.answer)
        said = first[:-1] if kind == "long" else said or figure.title
        assert kind != "long" or below.startswith("That one is open. More"), "two sentences"
        assert headline.replace("\n", " ") == said.rstrip(".")
        assert headline.count("\n") <= 1
        assert below.endswith(title), "after the numbers of the sentence, on lines of its own"
        assert figure.texts[-3].get_fontweight() == "bold"
        large, middle, small = (float(text.get_fontsize()) for text in figure.texts[-3:])
        assert large >= 20 > middle > small
        assert min(float(one.get_fontsize()) for axes in figure.axes for one in axes.findobj(Text)) >= 12
        assert max(below.count("\n"), note.count("\n") - ("line" in note)) <= 1, kind
        assert (below != title) == ("interval" in figure.answer or kind == "long")
        assert tuple(figure.get_size_inches()) == (10, 10 * 9 / 16)
        assert drawn(figure)
        box = figure.get_tightbbox()
        assert min(box.x0, box.y0, 10 - box.x1, 10 * 9 / 16 - box.y1) > -0.02, kind
    own = evaluation.plot.board("nDCG@5", width="slide", answer="My sentence")
    assert [text.get_text() for text in own.texts[-3:-1]] == ["My sentence", own.title]
    assert "Marks: tie-breaks, but for those that the dot would hide (0.005 or less from it)." in own.note
    assert own.note.startswith(evaluation.plot.board("nDCG@5").note.partition(" Behind")[0]), "the same at both widths"
    own = evaluation.plot.board("nDCG@5", width="slide", answer="One\ntwo\nthree")
    assert own.texts[-3].get_text() == "One\ntwo\nthree", "lines that are typed stay"
    some = plot.board(evaluation.board("nDCG@5").only(NAMES[1:]), Sheet(width="slide"))
    assert " is ahead of " in some.texts[-3].get_text().replace("\n", " "), "not how many features there are"
    own = evaluation.plot.board("nDCG@5", width="slide", answer="It is long. " * 9 + "It is (95 % interval 1; b).")
    assert "It is (95" in own.texts[-2].get_text(), "numbers stay in their brackets"
    named = "No clear winner: bm25_with_stopwords_removed is ahead of monot5_base_reranker by 0.0105 in nDCG@10."
    own = evaluation.plot.board("nDCG@5", width="slide", answer=named)
    assert own.texts[0].get_text().replace("\n", " ") == named[:-1], "a headline says what was found"
    own = evaluation.plot.board("nDCG@5", width="slide", answer="A sentence without an end " * 5)
    assert own.texts[-3].get_text().count("\n") == 1, "in smaller letters"


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
    assert plot.board(few)._repr_png_() == plot.board(few).to_bytes("png", dots=200), "a notebook shows it"
    assert b"<dc:title/>" not in plot.board(few, Sheet(width="slide")).to_bytes("svg")


def test_rows_of_many_features_do_not_overlap() -> None:
    many = {f"a_rather_long_name_of_feature_{n}": {q: FEATURES[NAMES[n % 4]][q] for q in FEW} for n in range(21)}
    evaluation = tiecore.evaluate(FEW, many, ["AP"], ["input"])
    for figure in (evaluation.plot.board(width="column"), evaluation.plot.places(width="column")):
        labels = drawn(figure)[0].get_yticklabels()
        boxes = sorted((one.get_window_extent() for one in labels), key=lambda box: box.y0)
        assert all(lower.y1 <= upper.y0 + 1 for lower, upper in pairwise(boxes))
        places = drawn(figure)[0].get_yticklabels(minor=True)
        ends = [text.get_window_extent().x1 for text in places]
        assert [int(text.get_text().strip("\u2007=")) for text in places] == [*evaluation.board().rows["place"]]
        assert all(end == pytest.approx(ends[0], abs=1) for end in ends)
        assert all(box.x1 == pytest.approx(boxes[0].x1, abs=1) for box in boxes), "a column of their own"
        assert not min(box.x0 for box in boxes) <= ends[0] <= boxes[0].x1
    assert len(evaluation.plot.board().axes[0].get_yticklabels(minor=True)) == 21


def test_of_more_features_than_a_sheet_holds_the_best_are_shown_and_the_title_says_so() -> None:
    drawn_from = np.random.default_rng(7)
    many = {f"f{n:03}": {q: {d: float(drawn_from.integers(0, 3)) for d in FEW[q]} for q in FEW} for n in range(50)}
    large = tiecore.evaluate(FEW, many, ["nDCG@5"], ["input"]).board()
    for width, rows, most in (("column", 40, 11.0), ("slide", 10, 5.63)):
        for draw in (plot.board, plot.places):
            figure = draw(large, Sheet(width=cast("Width", width)))
            assert ("8 of 50 features" if draw is plot.places else f"the first {rows} of 50 features") in figure.title
            assert figure.answer.count("50 features") == (draw is plot.places), "of a board only who leads"
            labels = [text.get_text() for text in figure.axes[0].get_yticklabels()]
            names = large.only(large.in_colour()[0]).names if draw is plot.places else large.names[:rows]
            assert all(name in label for name, label in zip(names, labels, strict=True))
            assert figure.get_size_inches()[1] < most
        assert np.diff(np.sort(figure.axes[0].get_yticks())).min() > 1 - 1e-9, "no number lies on another"
        lines = "Heights follow the places among all 50; features that would overlap are moved apart."
        assert figure.note.endswith(f" Drawn: {large.in_colour()[1]}. {lines}")
    some = plot.board(large.only(large.names[:20]), Sheet(width="slide"))
    assert "the first 10 of 20 of 50 features" in some.title
    pitch = np.diff(drawn(some)[0].transData.transform([(0, 1), (0, 0)])[:, 1]) * 72 / some.dpi
    assert pitch > 1.25 * float(some.axes[0].get_yticklabels()[0].get_fontsize()), "labels and marks keep to their rows"


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


def test_no_line_of_a_figure_ends_inside_a_p_value() -> None:
    sheet = Sheet(width="column")
    for length in range(40, 90):
        assert "p\u00a0<\u00a0.0001" in sheet.wrapped(f"{'x ' * (length // 2)}p < .0001 and more")


def test_letters_that_no_font_has_are_told_and_marks_of_verdicts_are_in_all_and_in_latex() -> None:
    qrels: Any = {f"q{n}": {"a": 1, "b": 0} for n in range(6)}
    runs: Any = {name: {query: {"a": 2.0, "b": 1.0} for query in qrels} for name in ("naïve β", "of 𓀀 and 𓀁")}
    found = tiecore.evaluate(qrels, runs, ["RR"])
    assert found.plot.board().unwritten == "𓀀𓀁"
    assert found.plot.board(only=["naïve β"]).unwritten == ""
    marks = "".join(VERDICTS.values())
    found = tiecore.evaluate(qrels, {marks: {query: {"a": 2.0, "b": 1.0} for query in qrels}}, ["RR"])
    assert found.plot.board().unwritten == ""
    assert in_latex(marks) == r"$\bullet$$\circ$$\approx$="
    assert not set(marks) & set("◦•∘")
