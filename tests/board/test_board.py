"""The board says what its evaluation and its study say, whichever of its features are shown."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tiecore
from tests.stability.synthetic import LEVEL, OPEN, WAVE, evaluation_of
from tiecore.board import COLUMNS, Board
from tiecore.board.cutoffs import leads_to_draw
from tiecore.board.latex import in_latex, key_of, others_in_latex, side_by_side, ties_in_latex
from tiecore.board.sentences import writing_of
from tiecore.evaluation import random_values
from tiecore.evaluation.engine import evaluate_alignment
from tiecore.evaluation.result import Evaluation

UP = np.linspace(-0.01, 0.02, 40)


def tied(n_queries: int = 40, measure: str = "nDCG@3", further: str = "random:1") -> Evaluation:
    """Evaluate three features with ties; the ids of relevant documents come first."""
    rows = [(f"q{q:02}", f"{'a' if d < 2 else 'b'}{d}", int(d < 2), q, d) for q in range(n_queries) for d in range(6)]
    table = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "q", "d"])
    scores = table.assign(good=-table["d"], coarse=-((table["d"] + table["q"]) % 6 // 3), flat=1)
    features = scores.drop(columns=["relevance", "q", "d"])
    return tiecore.evaluate(table[["query_id", "doc_id", "relevance"]], features, [measure], ["docid-asc", further])


def test_the_rows_hold_what_leaderboard_and_study_hold() -> None:
    evaluation = tied()
    board, study, leaderboard = evaluation.board(), evaluation.stability(), evaluation.leaderboard("nDCG@3")
    rows = board.rows
    assert list(rows.columns)[: len(COLUMNS)] == [*COLUMNS]
    same = {"value": "expected", "place": "place", "worst": "worst", "best": "best", "sd": "sd"}
    same |= {name: name for name in leaderboard.columns[5:]}
    for own, theirs in same.items():
        assert rows[own].tolist() == leaderboard[theirs].tolist()
    ends = evaluation.interval().loc[list(board.names), ["low", "high"]]
    assert rows[["tie_low", "tie_high"]].to_numpy().tolist() == ends.to_numpy().tolist()
    assert rows["group"].tolist() == study.ranks["group"].tolist()
    assert board.names == tuple(leaderboard.index)
    assert board.reference == board.names[0]
    assert [*rows[["behind", "verdict"]].iloc[0]] == [0, ""]
    for name, row in rows.iloc[1:].iterrows():
        pair = study.pairs[(study.pairs["leader"] == board.reference) & (study.pairs["trailer"] == name)].iloc[0]
        asked = ["difference", "low", "high", "verdict", "tie_risk", "holm"]
        assert row[["behind", "behind_low", "behind_high", *asked[3:]]].tolist() == pair[asked].tolist()
    placed = rows.iloc[:, len(COLUMNS) :].iloc[:, :3]
    assert board.under("docid-asc").to_numpy().tolist() == placed.to_numpy().tolist()
    assert (board.n_queries, str(board.measure)) == (40, "nDCG@3")
    assert board.tie_breaks == ("docid-asc", "random:1")


def test_a_filter_keeps_places_and_compares_with_the_best_that_is_left() -> None:
    board = tied().board()
    first, *rest = board.names
    part = board.only(rest[::-1])
    assert (part.names, part.is_filtered, part.total) == (tuple(rest), True, 3)
    assert (board.is_filtered, board.total) == (False, 3)
    assert (part.rows["place"].tolist(), part.reference) == ([2, 3], rest[0])
    assert part.rows["behind"].iloc[0] == 0
    assert (len(part.pairs), len(board.pairs)) == (1, 3)
    assert part.rows["behind"].tolist() == [0, *part.pairs["difference"]]
    assert first not in str(part).split("z =")[0]
    assert "2 of 3 features" in repr(part)
    turned = board.in_order(board.names[::-1])
    assert (turned.reference, str(turned), turned.coloured) == (first, str(board), board.coloured)
    assert (turned.names, turned.new_groups) == (board.names[::-1], [])
    assert board.like(turned.only(rest)).rows.equals(part.in_order(rest[::-1]).rows)
    assert replace(board, highlighted=["x", first]).marked == [first]
    with pytest.raises(tiecore.TiecoreError, match="no feature is named 'x'"):
        board.only(["x"])
    with pytest.raises(tiecore.TiecoreError, match="at least one feature"):
        board.only([])
    with pytest.raises(tiecore.TiecoreError, match="no tie-break 'x'"):
        board.under("x")


def test_a_paper_has_the_rows_of_the_board_in_their_order_and_says_what_they_are() -> None:
    board = tied().board()
    first, *rest = board.names
    part = replace(board.only(rest), highlighted=rest[:1]).in_order(rest[::-1])
    for paper in (in_latex(part), ties_in_latex(part), others_in_latex(part, {"AP": board})):
        assert [name for name in re.findall(r"[&{ ]([a-z]+)\}? &", paper) if name in board.names] == rest[::-1]
        assert rf"\textbf{{{rest[0]}}}" in paper
        assert f"2 of 3 features. Highlighted: {rest[0]}. " in paper
    table = side_by_side(part, {"AP": board})
    assert table["AP"].tolist() == board.rows["value"][rest[::-1]].tolist()
    assert [*table] == ["AP", "AP: place", "AP: verdict"]
    assert "Behind" not in in_latex(board.only([first]))
    whole = evaluation_of([LEVEL + UP, LEVEL - 0.1]).board()
    assert "Tie risk" not in in_latex(whole), "there are no ties"
    assert "interval" not in in_latex(tied(3).board()), "few queries have none"
    cut_off = replace(whole, rows=whole.rows.assign(high=whole.rows["value"]))
    assert ["longer side" in in_latex(one) for one in (whole, cut_off)] == [False, True]
    assert "Reversed by: " in "".join(key_of(board.stability, ["Reversed by"]))
    lower = tied(measure="ESL").board()
    assert "In ESL lower is better; a difference above 0 is" in next(key_of(lower.stability, ["Pair"]))
    assert " & ESL (lower is better) \\" in others_in_latex(lower, {"AP": board, "ESL": lower})
    signs = r"differs from the best of these in its column: $\circ$ open.}"
    assert signs in others_in_latex(part, {"AP": board}), "none is clear, small or equal"
    against = evaluation_of([LEVEL + UP, LEVEL - 0.1, LEVEL - 0.2]).board(baseline="a", margin=0.5)
    assert "differs from a, the baseline: " in others_in_latex(against, {"AP": against})
    paper = in_latex(against)
    assert "letter" not in paper, "letters are of the tests of all pairs"
    assert r"Clear: $p$ $\leq$ 0.05, and not small; small: the whole 95\,\% interval, shown here, within" in paper
    assert not [*key_of(tiecore.evaluate({"q": {"d": 1}}, {"a": {"q": {"d": 1}}}, ["RR"]).stability(), [])]


def test_groups_are_those_among_the_features_that_are_left_and_a_line_parts_them_only_where_none_is_mixed() -> None:
    board = evaluation_of([LEVEL + 0.2 + UP, LEVEL, LEVEL - 0.01 + WAVE, LEVEL - 0.4 + UP]).board()
    assert board.rows["group"].tolist() == board.only(board.names).rows["group"].tolist() == [1, 2, 2, 3]
    assert board.only(["b", "c", "d"]).rows["group"].tolist() == [1, 1, 2]
    equal = evaluation_of([LEVEL] * 5).board()
    assert "Holm interval" not in in_latex(equal), "nothing is drawn, and nothing decided"
    assert replace(equal, rows=equal.rows.assign(group=[1, 2, 1, 2, 3])).new_groups == [1, 4]
    assert [board.names[row] for row in board.new_groups] == ["b", "d"], "as GROUPS says:"
    clear = board.pairs[board.pairs["verdict"] == "clear"]
    assert {("a", "b"), ("a", "d"), ("b", "d")} <= {*zip(clear["leader"], clear["trailer"], strict=True)}


def test_names_that_are_cut_stay_apart_in_sentences() -> None:
    models = [f"{40 * 'a'}{number}{40 * 'b'}" for number in range(2)]
    run = {f"q{n}": {"x": 1, "y": 0} for n in range(8)}
    turned = {query: {"x": 0, "y": 1} for query in run}
    board = tiecore.evaluate(run, dict(zip(models, (run, turned), strict=True)), ["AP"]).board()
    said = board.headline(writing_of(board.stability))[0]
    assert said.index("a0b") < said.index("a1b")


def test_movers_are_those_that_come_first_most_often_and_then_those_that_move_farthest() -> None:
    values, second = [LEVEL, LEVEL - 0.1, LEVEL - 0.2], [LEVEL - 0.1, LEVEL, LEVEL - 0.2]
    turned = {"input": values[::-1], "docid-desc": values}
    for given, movers in ((turned, ["c", "a"]), (turned | {"docid-asc": second, "docid-desc": second}, [*"bca"])):
        assert evaluation_of(values, worst=0.0, best=1.0, tie_breaks=given).board().movers == movers
    assert evaluation_of(values).board().movers == []


def test_of_plain_values_without_ties_everything_is_known() -> None:
    study = evaluation_of([LEVEL, LEVEL - 0.1]).stability()
    rows = Board.of_stability(study).rows
    assert (rows["sd"] == 0).all()
    assert (rows["tie_low"] == rows["value"]).all()
    assert (rows["tie_high"] == rows["value"]).all()
    assert not Board.of_stability(study).has_ties
    tied = evaluation_of([LEVEL, LEVEL - 0.1], worst=0.0, best=1.0, variance=0.1).stability()
    assert Board.of_stability(tied).rows[["sd", "tie_low", "tie_high"]].isna().all(axis=None)


def test_columns_and_sentences_speak_of_the_level_the_items_and_the_measure_as_people_do() -> None:
    values = pd.DataFrame({"x": np.linspace(0.2, 0.9, 8), "y": np.linspace(0.1, 0.7, 8)}).rename_axis("task")
    found = Board.of_stability(tiecore.compare(values, level=0.9))
    assert "90 %" in found.columns["low"]
    assert "over tasks" in found.columns["low"]
    assert "95 %" in COLUMNS["low"]
    measured = tiecore.compare(values, "nDCG(dcg='exp-log2')@10")
    assert " in nDCG@10 with exponential gain (95 % interval " in str(Board.of_stability(measured))


def test_a_board_draws_once_and_another_tie_break_draws_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    evaluation, drawn, draw = tied(5), [], random_values._drawn

    def counted(*given: Any, **how: Any) -> object:
        drawn.append(given[1:])
        return draw(*given, **how)

    monkeypatch.setattr(random_values, "_drawn", counted)
    evaluation.board()
    assert len(drawn) == 1
    another = evaluate_alignment(evaluation.values.alignment, evaluation.measures, ["input"])
    again = another.board()
    assert len(drawn) == 1
    pd.testing.assert_series_equal(again.rows["tie_risk"], evaluation.board().rows["tie_risk"])


def test_where_drawing_takes_too_long_the_range_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tiecore.evaluation.random_values._BUDGET", 1)
    assert tied(5).board().rows["tie_low"].isna().to_dict() == {"good": False, "coarse": True, "flat": True}
    assert tied(40).board().rows["tie_low"].notna().all()


A, B, C = THREE = [LEVEL, LEVEL - 0.1, LEVEL - 0.2]
ORDERS = {"input": [B, A, C], "docid-asc": [B, C, A], "docid-desc": [A, C, B], "input-reversed": [A, A, C]}


def under(by_input: list[Any], by_id: list[Any] | None = None) -> dict[str, Any]:
    """Values that ties leave open, under the order of the file, and under that of ids."""
    return {"worst": 0, "best": 1, "tie_breaks": {"input": by_input} | ({"docid-asc": by_id} if by_id else {})}


@pytest.mark.parametrize(
    ("values", "more", "words"),
    [
        ([[0.5]], {}, "a has 0.5000 in AP over 1 query. No tie"),
        ([LEVEL], {}, "a has 0.5000 in AP over 40 queries (95 % interval 0.4902 to 0.5098)."),
        ([LEVEL, LEVEL], {}, "No difference: a and b have the same expectation on each of 40 queries."),
        ([LEVEL + 0.1 + UP, LEVEL], {}, "a is clearly better than b, by 0.1050 in AP (95 % interval 0.1016 to 0.1084 "),
        ([LEVEL] * 3, {}, " queries. All 3 are equal: they have the same expectation on every query. No tie "),
        ([LEVEL, LEVEL, LEVEL - 0.1], {}, "No clear winner: a and b share first place with 0.5000 in AP over 40 "),
        ([LEVEL + 0.01 + WAVE, LEVEL], {}, " in AP, but 40 queries do not settle it (95 % "),
        ([LEVEL + 0.11 + WAVE, LEVEL, LEVEL - 0.001 - WAVE / 10], {}, "; open once 3 pairs are compared); "),
        ([LEVEL + 0.02 + UP, LEVEL], {"margin": 0.1}, "No difference that matters: a is ahead of b by 0.0250 in AP ("),
        ([[0.9] * 3, [0.1] * 3], {}, "Too few queries to tell: a is ahead of b by 0.8000 in AP over 3 queries; "),
        ([[0.9], [0.1]], {}, " over 1 query; no tie"),
        ([LEVEL + 0.2, LEVEL], {"measure": "GMAP"}, " in the logarithm of GMAP ("),
        ([LEVEL + 0.3 + UP, LEVEL, LEVEL - 0.1], {}, "a is clearly better than both others."),
        ([LEVEL, LEVEL - 0.01 + WAVE, LEVEL - 0.01 - WAVE], {}, "a is not clearly better than either of the others."),
        ([LEVEL, LEVEL - 0.01 + WAVE, LEVEL - 0.3 + UP], {}, "a is clearly better than 1 of the 2 others: c."),
        ([LEVEL, *[LEVEL - 0.01 + WAVE] * 5, *[LEVEL - 0.3 + UP] * 5], {}, " better than 5 of the 10 others."),
        ([A + UP, B, C + UP, A - 0.3], {"baseline": "b"}, "1 of the 3 others is clearly better than b, 2 clearly "),
        ([LEVEL, LEVEL + WAVE - 0.01, LEVEL - WAVE], {"baseline": "b"}, "Neither of the others is clearly better or "),
        ([LEVEL, LEVEL - 0.1], {}, "No tie matters here: every tie-break gives the same values."),
        ([LEVEL], {"worst": 0.1, "best": 0.9}, "order of tied documents can make it anything from 0.1000 to 0.9000."),
        ([LEVEL], {"worst": 0.1, "best": 0.9, "tie_breaks": {"input": LEVEL * 0}}, "input gives 0.0000."),
        ([A, B], under([0 * LEVEL, LEVEL], [LEVEL, 0 * LEVEL]), " The order is reversed under input."),
        ([LEVEL + 0.02 + UP, LEVEL], OPEN, " over 40 queries); ties alone leave open which is ahead (tie risk 4"),
        ([A + 0.2 + UP, A, B], {"worst": -0.01, "best": 0.01}, "; random tie-breaks hardly ever reverse the order ("),
        (
            [LEVEL + 0.2, LEVEL],
            {
                "worst": [LEVEL + 0.1, LEVEL],
                "best": [LEVEL + 0.3, LEVEL],
                "tie_breaks": {"input": [LEVEL + 0.1, LEVEL]},
            },
            "; no tie-break reverses the order.",
        ),
        (
            THREE,
            under([LEVEL - 0.1, LEVEL, LEVEL - 0.2], THREE),
            "Under input, 2 of 3 features change place, and b comes first. Under docid-asc every feature keeps its",
        ),
        (THREE, under([LEVEL, LEVEL - 0.3, LEVEL - 0.2]), "Under input, 2 of 3 features change place; a stays first."),
        (THREE, under([A, A, C]), "Under input, 1 of 3 features changes place, and b shares first place with a."),
        (
            THREE,
            {"worst": 0, "best": 1, "tie_breaks": ORDERS},
            "; 2 more tie-breaks move up to 2 features each, and 1 of them changes the first place.",
        ),
    ],
)
def test_the_headline_says_what_the_rows_show(values: Any, more: Mapping[str, Any], words: str) -> None:
    how = {name: more[name] for name in ("baseline", "margin") if name in more}
    rest = {name: value for name, value in more.items() if name not in how}
    assert words in str(evaluation_of(np.asarray(values), **rest).board(**how))


def test_a_tie_break_that_favours_relevant_documents_is_warned_of() -> None:
    warning = (
        "Do not rank with docid-asc, which is not random: among the ties of both features it puts relevant documents "
    )
    warning += "first, for flat beyond chance ("
    assert f"{warning}0.4355 → 1.0000, z = 11.9)." in str(tied().board())
    assert f"{warning}z = 11.9).".replace("flat", "flat (not shown)") in str(tied().board().only(["good", "coarse"]))
    alone = replace(tied().board(), bias=pd.DataFrame(tied().board().bias).assign(lifted=1))
    assert "Do not rank flat with docid-asc, which is not random: among its ties " in str(alone)
    hidden = alone.only(["good", "coarse"])
    assert "random: among the ties of flat (not shown) it puts relevant doc" in str(hidden)
    assert "Do not" not in str(replace(hidden, bias=pd.DataFrame(hidden.bias).assign(features=1))), "moves no other"
    assert " over 40 queries); no tie-break reverses the order. " in str(tied().board())
    assert "random:1" not in str(tied().board()).partition("tend to")[2]
    assert warning in str(tied(measure="ESL").board())
    both = str(board := tied(further="docid-desc").board()).partition("Do not rank ")[2]
    assert both.startswith("with docid-desc, which is not random: among the ties of both features it puts")
    assert both.endswith("; docid-asc puts them first.")
    alike = replace(board, bias=pd.DataFrame(board.bias).assign(z=5.0))
    assert str(alike).count("Do not rank") == 2, "of other features, which both may move alike"


def test_features_of_other_queries_are_compared_on_those_that_both_list() -> None:
    run = {f"q{q:02}": {f"d{d}": (7 * q * d + d) % 5 for d in range(9)} for q in range(50)}
    qrels = {query: {document: int(document in ("d2", "d5")) for document in row} for query, row in run.items()}
    half, rest = dict(list(run.items())[:26]), dict(list(run.items())[26:])
    text = str(tiecore.evaluate(qrels, {"run": run, "half": half}, ["nDCG@3"]).board())
    assert "on the 26 queries that both list, half is level with it." in text
    assert "Not every feature lists all 50 queries" in text
    board = tiecore.evaluate(qrels, {"half": half, "rest": dict(list(rest.items())[:9])}, ["nDCG@3"]).board()
    assert "it has no query in common with " in str(board)
    better = {
        query: {document: 2 * grade + (document == "d0") for document, grade in qrels[query].items()} for query in rest
    }
    board = tiecore.evaluate(qrels, {"run": run, "few": dict(list(better.items())[:9])}, ["nDCG@3"]).board()
    counts = "on the 9 queries that both list, few is ahead (a query that a feature does not list counts 0)."
    assert counts in str(board)
    items = {"x": {"p": 0.9, "q": 0.2}, "y": {"q": 0.3}}
    assert str(tiecore.compare(items)).startswith("No clear winner: x is first with 0.55")
    assert "but on the 1 item that both list, y is ahead. " in str(tiecore.compare(items))
    assert board.rows["behind"].min() < 0


def test_a_baseline_that_is_left_out_leaves_no_comparison() -> None:
    board = evaluation_of([LEVEL, LEVEL - 0.1, LEVEL - 0.2]).board(baseline="c")
    part = board.only(["a", "b"])
    assert (board.reference, part.reference) == ("c", "a")
    assert part.rows["behind"].isna().tolist() == [False, True]
    assert str(part).startswith("a is first with 0.5000 in AP over 40 queries.")
    assert "3 features" in repr(board)


def test_a_part_of_a_board_says_among_whom_its_places_are() -> None:
    worse: dict[str, Any] = {"worst": 0.1, "best": 0.9, "tie_breaks": {"input": LEVEL * 0}}
    board = evaluation_of([LEVEL, LEVEL - 0.1, LEVEL - 0.2, LEVEL - 0.3], **worse).board()
    said = "Places are those among all 4."
    assert [said in str(one) for one in (board, board.only(["b", "c", "d"]))] == [False, True]


@pytest.mark.parametrize("family", ["nDCG", "DCG"])
def test_a_lead_over_the_cutoff_is_that_of_the_pair_at_each(family: str) -> None:
    """Also where a measure has no bound, so that the allowance for rare queries depends on all features."""
    for k in (1, 3):
        one = tied(measure=f"{family}@{k}")
        leads = leads_to_draw(one, "good", "coarse", measures=one.measures)
        pair = one.stability().pairs.set_index(["leader", "trailer"]).loc[[("good", "coarse")]]
        assert list(leads.index) == [k]
        np.testing.assert_allclose(leads, pair[["difference", "low", "high"]], rtol=0, atol=1e-12)
        equal = leads_to_draw(one, "flat", "flat", measures=one.measures)
        assert equal.isna().to_numpy().tolist() == [[False, True, True]], "no band around no difference"
