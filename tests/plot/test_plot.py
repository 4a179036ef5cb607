"""Figures show the numbers of the objects that tables are made of, whole, at the width that was asked for."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

import tiecore
from tests.plot.conftest import FEATURES, N_QUERIES, NAMES, QRELS, axes_of, drawn
from tiecore import plot
from tiecore.board import Board, duel
from tiecore.board.marks import HUES
from tiecore.diagnostics import bias, blame
from tiecore.plot import WIDTHS, Sheet
from tiecore.plot.sheet import COLOURS
from tiecore.stability.sentences import tie_risk


@pytest.mark.parametrize("measure", ["nDCG@5", "ESL"])
def test_the_board_shows_its_values_intervals_and_differences(evaluation: tiecore.Evaluation, measure: str) -> None:
    board = evaluation.board(measure)
    figure = plot.board(board)
    values, behind = axes_of(figure)[:2]
    lines = {tuple(line.get_xdata()) for line in values.lines}
    assert tuple(board.rows["value"]) in lines
    lanes = [line for line in values.lines if line.get_label() == "Anserini (ids ↑)"]
    assert {line.get_color() for line in lanes} == {COLOURS["muted"]}, "hues are those of features"
    marks = np.concatenate([line.get_xdata() for line in lanes])
    assert set(marks[~np.isnan(marks)]) <= set(board.rows["docid-asc"])
    apart = np.abs(np.array([line.get_ydata() for line in lanes]) - np.arange(len(board.rows)))
    assert 0.15 < apart.min() <= apart.max() < 0.3, "in the middle of its row, off the dot"
    dots = next(line.get_xdata() for line in behind.lines if line.get_marker() == "o")
    assert dict(zip(board.names, dots, strict=True)) == pytest.approx(
        {**board.rows["behind"], board.reference: np.nan}, rel=0, abs=0, nan_ok=True
    )
    ends = [(x[0, 0], x[1, 0]) for one in values.collections for x in one.get_segments()]
    assert set(zip(board.rows["low"], board.rows["high"], strict=True)) <= set(ends)
    assert [text.get_text() for text in values.get_yticklabels()] == [
        f"{name}  {value:.4f}" for name, value in board.rows["value"].items()
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
    plots = tiecore.evaluate(QRELS, {"right": right, "also": right, "wrong": wrong}, ["AP"]).plot
    for width in WIDTHS:
        figure = plots.board(width=width)
        for axes in axes_of(figure)[:2]:
            assert [line.get_ydata()[0] for line in axes.lines if list(line.get_xdata()) == [0, 1]] == [1.5]
        assert "the feature just below it is clearly worse than the best of the group above" in figure.note


def test_a_board_of_some_features_says_so_and_one_is_drawn_behind_none(evaluation: tiecore.Evaluation) -> None:
    figure = evaluation.plot.board("nDCG@5", only=["clicks", "grade"])
    assert "2 of 4 features" in figure.title
    assert len(axes_of(figure)[0].get_yticks()) == 2
    one = tiecore.evaluate(QRELS, {"clicks": FEATURES["clicks"]}, ["nDCG@5"])
    assert len(axes_of(one.plot.board())) == 1 < len(axes_of(figure))


def test_the_difference_is_that_of_the_pairs_in_either_order(evaluation: tiecore.Evaluation) -> None:
    stable = evaluation.stability("nDCG@5")
    row = stable.pairs.iloc[0]
    there = duel(evaluation, stable, row["leader"], row["trailer"])
    back = duel(evaluation, stable, row["trailer"], row["leader"])
    assert (there.difference, there.low, there.high) == (row["difference"], row["low"], row["high"])
    assert (back.difference, back.low, back.high) == (-row["difference"], -row["high"], -row["low"])
    assert there.sentence == back.sentence
    assert there.wins == back.wins[::-1]
    assert there.shares[1] == back.shares[0] == tie_risk(row["tie_risk"], stable.draws)
    assert sum(there.wins) <= N_QUERIES == len(there.queries)
    assert there.queries["lead"].mean() == pytest.approx(row["difference"], abs=1e-12)
    board = evaluation.leaderboard("nDCG@5")["input"]
    assert there.under["input"] == pytest.approx(board[row["leader"]] - board[row["trailer"]], abs=1e-12)
    above, below = axes_of(plot.difference(there))[:2]
    assert {tuple(line.get_xdata()) for line in above.lines} >= {(row["low"], row["high"])}
    assert sorted(bar.get_height() for bar in below.patches) == pytest.approx(sorted(there.queries["lead"]))
    assert f"mean lead in {there.measure}" in above.get_xlabel()
    slide = axes_of(plot.difference(there, Sheet(width="slide")))[1]
    assert {-0.5, 0, 0.5} <= {*slide.get_yticks()} <= {-1, -0.5, 0, 0.5, 1}
    stable = evaluation.stability("ESL")
    best, worst = stable.places.index[[0, -1]]
    assert duel(evaluation, stable, best, worst).difference > 0


def test_a_bar_of_ties_is_explained_where_it_is_and_names_keep_off_the_marks(evaluation: tiecore.Evaluation) -> None:
    figure = evaluation.plot.difference("clicks", "grade", "nDCG@5", width="column")
    above, below = drawn(figure)
    one, other = (text.get_window_extent() for text in below.get_legend().get_texts())
    assert one.x1 < other.x0, "short ones share a line"
    assert figure.to_bytes() == figure.to_bytes(), "to write it changes nothing"
    assert "Dark bar" in figure.note
    for one in (figure, evaluation.plot.difference("clicks", "grade", "nDCG@5", width="slide")):
        assert "(hollow: open): mean lead by expectation; marks: under each tie-break. Thin lines: what" in one.note
    assert below.collections[0].zorder > below.patches[0].zorder, "a bar would hide its line"
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
    for figure in (plot.difference(replace(pair, verdict="clear")), found.plot.board()):
        assert [text in figure.note for text in ("Dark bar", "hollow")] == [False, False]


def test_few_queries_have_no_interval_equal_features_no_difference_and_all_can_be_drawn() -> None:
    features = {"x": {"q": {"a": 2, "b": 1}}, "y": {"q": {"a": 1, "b": 1}}}
    one = tiecore.evaluate({"q": {"a": 1, "b": 0}}, features, ["RR"])
    found = duel(one, one.stability(), "x", "y")
    assert "interval" not in found.sentence
    legend = drawn(plot.difference(found))[1].get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["x better: 1"], "y is better on none"
    assert "Dot (hollow: open): mean lead by expectation." in plot.difference(found).note, "no tie-break is compared"
    figures = one.plot.board(), one.plot.curves(), plot.pairs(one.stability())
    assert "interval" not in " ".join(figure.note for figure in figures if drawn(figure)), "none is drawn"
    evaluation = tiecore.evaluate(QRELS, {"a": FEATURES["grade"], "b": FEATURES["grade"]}, ["AP"])
    found = duel(evaluation, evaluation.stability(), "a", "b")
    assert found.sentence == "No difference: a and b have the same expectation on each of 12 queries."
    page, slide = (plot.difference(found, Sheet(width=width)) for width in ("page", "slide"))
    assert "interval" not in page.note
    assert drawn(page)[1].get_xlabel() == "12 queries, 12 of them equal"
    assert drawn(slide)[1].get_xlabel() == "12 queries, 12 of them equal"
    assert drawn(tiecore.evaluate(QRELS, FEATURES, ["AP"]).plot.places())


def test_pairs_that_were_not_compared_are_refused(evaluation: tiecore.Evaluation) -> None:
    stable = evaluation.stability("nDCG@5", baseline="clicks")
    with pytest.raises(tiecore.TiecoreError, match="not compared"):
        duel(evaluation, stable, NAMES[1], NAMES[2])
    with pytest.raises(tiecore.TiecoreError, match="other"):
        duel(evaluation, stable, "clicks", "other")


def test_places_are_those_of_each_tie_break_and_only_leader_and_movers_are_coloured(board: Board) -> None:
    axes = axes_of(plot.places(board))[0]
    order = [text.get_text().split("  ")[0] for text in axes.get_yticklabels()]
    assert order == list(board.rows.index)
    moved = {board.names[0], *board.movers}
    assert {name for name, line in zip(order, axes.lines, strict=True) if line.get_color() != COLOURS["quiet"]} == moved
    assert moved < set(NAMES), "else nothing is seen of the law"


def test_a_board_is_drawn_in_its_order_and_what_is_highlighted_stands_out(board: Board) -> None:
    names, chosen = sorted(board.names), min(set(board.names) - set(board.movers))
    ordered = replace(board, highlighted=[chosen]).in_order(names)
    labels = axes_of(plot.board(ordered))[0].get_yticklabels()
    assert [text.get_text().split("  ")[0] for text in labels] == names
    assert [name for name, text in zip(names, labels, strict=True) if text.get_fontweight() == "bold"] == [chosen]
    coloured = [line.get_color() != COLOURS["quiet"] for line in axes_of(plot.places(ordered))[0].lines]
    assert coloured == [name == chosen for name in board.names]


def test_no_two_lines_have_one_colour() -> None:
    rng = np.random.default_rng(5)
    many = {f"f{n}": {q: {d: float(rng.integers(0, 3)) for d in QRELS[q]} for q in QRELS} for n in range(20)}
    evaluation = tiecore.evaluate(QRELS, many, ["nDCG@5"], ["input", "docid-asc"])
    assert len(evaluation.board().movers) > 14
    curves = evaluation.plot.curves(features=evaluation.board().names, cutoffs=(1, 5))
    for figure, n_coloured in ((evaluation.plot.places(), 8), (curves, 20)):
        colours = [line.get_color() for line in axes_of(figure)[0].lines]
        coloured = [colour for colour in colours if colour != COLOURS["quiet"]]
        assert n_coloured <= len(set(coloured)) == len(coloured) <= n_coloured + 1, "and the cut-off"
    in_order = evaluation.board().coloured
    assert in_order[:3] == list(evaluation.board().names[:3]), "which most pictures compare"
    assert {*evaluation.board().in_colour()[0]} <= {*in_order[:11]}, "with the colours that differ most"
    assert sorted(in_order) == sorted(many), "none is without a colour, however many there are"
    for row, line in enumerate(axes_of(evaluation.plot.places())[0].lines):
        assert line.get_color() in (COLOURS["quiet"], colours[row]), "that of the curves"


def test_a_feature_has_one_colour_in_all_figures(evaluation: tiecore.Evaluation, board: Board) -> None:
    """Clicks, which stands first in some of the figures and last in others."""
    found = []
    for one in (["clicks", "grade"], ["<b>pages</b>", "clicks"]):
        curves = axes_of(evaluation.plot.curves("nDCG@5", features=one, cutoffs=(1, 5)))[0]
        found.append(curves.lines[one.index("clicks")].get_color())
        bars = axes_of(evaluation.plot.difference(one[0], one[1], "nDCG@5"))[1].patches
        found += [bar.get_facecolor() for bar in bars if bar.get_height() * (1 - 2 * one.index("clicks")) > 0]
    assert "clicks" in board.movers
    found.append(axes_of(plot.places(board))[0].lines[list(board.names).index("clicks")].get_color())
    assert {to_hex(colour) for colour in found} == {HUES[board.coloured.index("clicks")]}


def test_curves_are_the_values_at_each_cutoff(evaluation: tiecore.Evaluation) -> None:
    figure = evaluation.plot.curves("nDCG@5", features=["clicks", "grade"], cutoffs=(1, 3, 5))
    axes = axes_of(figure)[0]
    again = tiecore.evaluate(QRELS, FEATURES, ["nDCG@1", "nDCG@3", "nDCG@5"], ["input"]).summary
    *lines, chosen = axes.lines
    assert list(chosen.get_xdata()) == [5, 5], "the cut-off of the measure"
    for name, line in zip(("clicks", "grade"), lines, strict=True):
        own = again.xs(name, level="feature")["expected"]
        np.testing.assert_allclose(line.get_ydata(), own, rtol=0, atol=1e-12)
    assert len(axes.collections) == 2, "two bands"
    assert [*axes.get_xticks()] == [1, 2, 3, 5]
    crowded = evaluation.plot.curves("nDCG@5", cutoffs=(1, 5), width="column")
    best, second, third, last = evaluation.leaderboard("nDCG@5").index
    told = [text.get_text() for text in crowded.legends[0].get_texts()]
    assert told == [best, third, second, last], "line by line, though it is filled column by column"
    assert len(crowded.axes[0].collections) == 3, "of the best, and of ties of that for which they matter most"
    assert f"Outlined band of {best}: 95 % confidence interval" in crowded.note
    assert crowded.note.endswith("Vertical line: k\u00a0=\u00a05.")
    same = tiecore.evaluate(QRELS, {"a": FEATURES["grade"], "b": FEATURES["grade"]}, ["nDCG@5"]).plot.curves()
    under, above, _ = same.axes[0].lines
    assert under.get_linewidth() > above.get_linewidth(), "both are seen"
    assert "Equal at every cut-off drawn: a and b." in same.note
    bare = tiecore.diagnostics.curves(evaluation, "nDCG@5", cutoffs=(1, 5))
    assert "from the worst to the best case" in plot.curves(bare, measure="nDCG", n_queries=N_QUERIES).note
    is_open = bare.index.get_level_values("cutoff") == 1
    hollow_rows = bare.assign(open=is_open)
    hollow = plot.curves(hollow_rows, measure="nDCG", n_queries=N_QUERIES)
    assert f"Hollow dots: not clearly different from {bare.index[0][0]} at that k; each k is tested" in hollow.note
    white = [line.get_ydata() for line in axes_of(hollow)[0].lines if line.get_color() == "white"]
    wanted = bare["expected"].where(is_open).unstack().loc[bare.index.unique(0)]
    np.testing.assert_array_equal(white, wanted)
    lead = plot.curves(hollow_rows, measure="nDCG", n_queries=N_QUERIES, lead="a over b")
    assert lead.title.endswith(": lead of a over b")
    assert "Hollow dots: the difference is open" in lead.note
    unknown = tiecore.evaluate(QRELS, FEATURES, ["ERR@5"]).plot.curves(features=["clicks"], cutoffs=(1, 5))
    assert "from the worst to the best case" in unknown.note, "without a variance"
    without = tiecore.evaluate(QRELS, FEATURES, ["AP"]).plot.curves(cutoffs=(1, 5))
    assert "Vertical line" not in without.note, "AP has no cut-off"


@pytest.mark.parametrize(("n", "said"), [(2, "No feature changes place"), (4, "2 of 4 features change place")])
def test_the_places_say_how_many_move_in_words(n: int, said: str) -> None:
    untied = {q: {d: float(at) for at, d in enumerate(row)} for q, row in QRELS.items()}
    features = {name: untied if n == 2 else FEATURES[name] for name in NAMES[:n]}
    figure = tiecore.evaluate(QRELS, features, ["nDCG@5"], ["docid-asc", "input"]).plot.places()
    assert figure.answer.startswith(said)
    told = "In colour: the leader by expectation, and features that change place."
    assert (told in figure.note) == (n == 4)


def test_pairs_and_queries_are_rows_and_judges_columns_of_the_same_figures(evaluation: tiecore.Evaluation) -> None:
    study = evaluation.stability("nDCG@5")
    figure = plot.pairs(study, Sheet(width="column"), rows=study.pairs.iloc[::-1], answer="One is clear.")
    (axes,) = axes_of(figure)
    named = [" − ".join(pair) for pair in study.pairs[["leader", "trailer"]].itertuples(index=False)]
    assert [text.get_text() for text in axes.get_yticklabels()] == named[::-1], "whole, as there is room"
    assert [*axes.lines[-2].get_xdata()] == [*study.pairs["difference"][::-1]]
    assert ("⇅: a tie-break reverses the order." in figure.note) == study.pairs["reversed_by"].map(bool).any()
    assert figure.answer == "One is clear."
    assert "In ESL lower is better; a difference above 0" in plot.pairs(evaluation.stability("ESL")).note
    gains = pd.concat([study.pairs.set_index("trailer")[["difference", "low", "high", "verdict"]]] * 7)
    figure = plot.intervals(gains, scale="gain", unit="judge", note="Hollow: open. κ: Cohen’s.")
    assert figure.title == "Gain: the first 40 of 42 judges"
    dots, hollow, highest = ([*line.get_xdata()] for line in axes_of(figure)[0].lines[1:])
    assert [dots, hollow] == [[*own["difference"]] for own in (gains[:40], gains[:40].query("verdict == 'open'"))]
    assert np.isnan(highest).all(), "without a verdict, as it is compared with none"
    short = plot.intervals(gains, Sheet(width="slide"), scale="gain", unit="judge", note=figure.note)
    assert [figure.note, short.note] == ["Hollow: open. κ: Cohen’s.", "Hollow: open."]
    bars = axes_of(figure)[0].collections[0].get_segments()
    assert [[*bar[:, 0]] for bar in bars] == gains[["low", "high"]][:40].to_numpy().tolist()
    blamed = blame(evaluation, "clicks", "nDCG@5")
    figure = plot.queries(blamed, feature="clicks", measure=evaluation.measures[0], tie_breaks=["input"])
    (axes,) = axes_of(figure)
    assert [text.get_text() for text in axes.get_xticklabels()] == [*blamed.index]
    assert [*axes.lines[0].get_ydata()] == [*blamed["expected"]]
    assert figure.title == "nDCG@5 of clicks: 12 queries, largest spread first"
    assert "Bar: expectation ± 2 SD of random tie-breaks, as far as ties allow. Line: from the worst to" in figure.note
    assert len(axes.patches) == 12, "a bar a query"
    many = pd.concat([blamed] * 7)
    figure = plot.queries(many, Sheet(width="column"), feature="clicks", measure=evaluation.measures[1])
    assert figure.title == "ESL of clicks: 80 of 84 queries, largest spread first"
    assert axes_of(figure)[0].yaxis_inverted(), "lower is better"
    assert not axes_of(figure)[0].get_xticklabels(), "so many names have no room"
    systems = {name: FEATURES[name] for name in ("clicks", "grade")}
    turned = {q: {d: 2 - grade for d, grade in row.items()} for q, row in QRELS.items()}
    found = tiecore.judges({"one": QRELS, "other": turned}, systems, "nDCG@5")
    figure = plot.judges(found)
    assert [text.get_text() for text in axes_of(figure)[0].get_xticklabels()] == ["one", "other"]
    assert figure.answer == found.sentences[0]
    assert ("In colour" in figure.note) == bool(len(found.reversed)), "colour is for what is clear"


def test_a_tie_break_that_favours_relevant_documents_is_named_in_the_figure_and_drawn_beyond_chance() -> None:
    sorted_by_grade = {q: dict.fromkeys(sorted(row, key=lambda d: -row[d]), 1.0) for q, row in QRELS.items()}
    evaluation = tiecore.evaluate(QRELS, {"all": sorted_by_grade, "grade": FEATURES["grade"]}, ["nDCG@5"], ["input"])
    figure = evaluation.plot.board(width="slide")
    assert figure.answer.endswith("Do not rank with file order."), "no more, as it is read from afar"
    assert figure.texts[-2].get_text().count("Do not rank") == 1, "below the headline"
    z = bias(evaluation)["z"].droplevel("measure").unstack("tie_break")
    (axes,) = drawn(figure := plot.shifts(z.rename(lambda name: name * 5), Sheet(width="column"), title="Shifts"))
    assert axes.xaxis.label.get_window_extent().x1 < figure.bbox.x1
    assert axes.lines[-1].get_xdata().max() == z["input"].max() > 2
    (axes,) = axes_of(plot.shifts(z, Sheet(colours={z.index[1]: "#123456"}), title="ESL", higher_is_better=False))
    assert {axes.xaxis_inverted(), COLOURS["marked"] in {to_hex(one.get_facecolor()) for one in axes.patches}} == {True}


def test_the_legend_names_only_what_is_drawn(board: Board) -> None:
    same = board.only(NAMES[:2])
    for name in same.tie_breaks[:1]:
        same.rows[name] = same.rows["value"]
    assert [text.get_text() for text in plot.board(same).legends[0].get_texts()] == ["file order"]
    assert not plot.board(same, Sheet(width="column")).legends, "marks have no room there"


def test_what_is_unknown_is_refused(evaluation: tiecore.Evaluation, board: Board) -> None:
    with pytest.raises(tiecore.TiecoreError, match="width is one of"):
        evaluation.plot.board("nDCG@5", width="poster")  # type: ignore[arg-type]
    with pytest.raises(tiecore.TiecoreError, match="written as"):
        plot.board(board).to_bytes("gif")  # type: ignore[arg-type]
    with pytest.raises(tiecore.TiecoreError, match="measure"):
        evaluation.plot.board()


def test_a_feature_without_a_colour_steps_back(evaluation: tiecore.Evaluation) -> None:
    first, second, *_ = movers = evaluation.board("nDCG@5").movers
    own = {first: "#123456"}
    for figure in (
        evaluation.plot.places("nDCG@5", colours=own),
        evaluation.plot.curves("nDCG@5", features=movers, cutoffs=[1, 10], colours=own),
    ):
        lines = [line for axes in figure.axes for line in axes.lines if np.size(line.get_xdata()) > 1]
        assert sum(line.get_color() == own[first] for line in lines) == 1
    difference = evaluation.plot.difference(first, second, "nDCG@5", colours=own)
    bars = [bar for axes in difference.axes for bar in axes.patches]
    assert {to_hex(bar.get_facecolor()) for bar in bars} <= {own[first], COLOURS["quiet"]}
