"""Systems under several judges: each leaderboard as by itself, agreement as defined, and what is clear where."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score

import tiecore
from tests.pages import SAMPLE
from tiecore.comparing import agreement_of_grades, nearest
from tiecore.comparing.judges import JUDGE_COLUMNS, Judges
from tiecore.similarity import tau_ap

JUDGMENTS = {"human": SAMPLE / "qrels.txt", "model": SAMPLE / "second_judge.txt"}
FILES = [
    SAMPLE / name for name in ("bm25.run.gz", "clicks.csv", "indegree.run", "title_match.json", "outdegree.tsv.gz")
]
Grades = dict[str, dict[str, int]]


@pytest.fixture(scope="module")
def sample() -> Judges:
    return tiecore.judges(JUDGMENTS, FILES)


@pytest.mark.parametrize("measure", ["nDCG@10", "ESL"])
def test_each_leaderboard_is_that_of_the_judge_alone(measure: str) -> None:
    found = tiecore.judges(JUDGMENTS, FILES, measure, no_relevant="skip")
    for judge, qrels in JUDGMENTS.items():
        study = tiecore.evaluate(qrels, FILES, [measure], no_relevant="skip").stability()
        board = pd.DataFrame(found.leaderboards.xs(judge))
        pd.testing.assert_frame_equal(board[["place", "group"]], study.ranks[["place", "group"]])
        np.testing.assert_allclose(board["value"], study.values["expected"], rtol=0, atol=1e-12)
        tested = ["leader", "trailer", "difference", "low", "high", "p", "holm", "verdict"]
        pd.testing.assert_frame_equal(found.studies[judge].pairs[tested], study.pairs[tested], rtol=0, atol=1e-12)
    assert ["lower is better" in text for text in (str(found), found.in_latex())] == [measure == "ESL"] * 2


def test_agreement_is_that_of_other_libraries(sample: Judges) -> None:
    (row,) = sample.agreement.to_dict("records")
    assert sample.agreement.index.to_list() == [("human", "model")]
    human, model = (sample.leaderboards.xs(judge)["value"] for judge in JUDGMENTS)
    model = model[human.index]
    assert row["tau_b"] == pytest.approx(stats.kendalltau(human, model).statistic)
    assert row["tau_ap"] == pytest.approx(tau_ap(human, model))
    judged = [tiecore.read_qrels(path).set_index(["query_id", "doc_id"])["relevance"] for path in JUDGMENTS.values()]
    both = pd.concat(judged, axis=1, join="inner")
    assert (row["n_queries"], row["n_documents"]) == (50, len(both))
    assert row["kappa"] == pytest.approx(cohen_kappa_score(*both.to_numpy().T, weights="quadratic"))
    (grades,) = agreement_of_grades(JUDGMENTS).to_dict("records")
    assert {*sample.agreement, *grades} <= {*JUDGE_COLUMNS}
    assert (grades["n_documents"], grades["kappa"]) == (len(both), row["kappa"])
    assert grades["kappa_unweighted"] == pytest.approx(cohen_kappa_score(*both.to_numpy().T))
    assert grades["equal"] == pytest.approx((both.iloc[:, 0] == both.iloc[:, 1]).mean())
    three = str(tiecore.judges({**JUDGMENTS, "more": JUDGMENTS["model"]}, FILES))
    assert "every judge puts bm25 first, clearly so under all but human." in three
    assert three.endswith("s τ-b of the orders: 0.81 (human and model) to 1.00.")


def test_the_interval_is_that_of_queries_drawn_again(sample: Judges) -> None:
    boards = [tiecore.evaluate(qrels, FILES, ["nDCG@10"]).per_query for qrels in JUDGMENTS.values()]
    human, model = (board["expected"].unstack("feature").to_numpy() for board in boards)  # (50 queries, features) each
    rng = np.random.default_rng(1)
    drawn = [rng.choice(50, 50) for _ in range(300)]
    taus = [stats.kendalltau(human[queries].mean(axis=0), model[queries].mean(axis=0)).statistic for queries in drawn]
    row = sample.agreement.iloc[0]
    np.testing.assert_allclose(
        row[["tau_b_low", "tau_b_high"]].astype(float), np.quantile(taus, [0.025, 0.975]), rtol=0, atol=0.1
    )
    again = tiecore.judges(JUDGMENTS, FILES, seed=5, draws=50).agreement.iloc[0]
    assert again["tau_b"] == row["tau_b"]
    assert "95 %" not in str(sample), "the draws give no confidence interval, so no sentence names their ends"
    assert again["tau_ap_low"] != row["tau_ap_low"]


def made(grade: Callable[[int, str], int], n: int = 60) -> Grades:
    return {f"q{number}": {document: grade(number, document) for document in "abcd"} for number in range(n)}


RUNS: Any = {
    "first": {f"q{n}": {"a": 4, "b": 3, "c": 2, "d": 1} for n in range(60)},
    "second": {f"q{n}": {"b": 4, "a": 3, "d": 2, "c": 1} for n in range(60)},
    "third": {f"q{n}": {"d": 4, "c": 3, "b": 2, "a": 1} for n in range(60)},
}
LIKES_A, LIKES_B = made(lambda n, d: 2 * (d == "a") + (d == "b")), made(lambda n, d: 2 * (d == "b") + (d == "a"))
UNSURE = made(lambda n, d: int(d == "ab"[n % 2]) + (d in "ab"))


def test_pairs_turn_round_or_are_clear_under_one_judge_alone() -> None:
    found = tiecore.judges({"x": LIKES_A, "y": LIKES_B, "z": UNSURE}, RUNS)
    (row,) = found.reversed.to_dict("records")
    assert (row["judge_a"], row["judge_b"], row["leader"], row["trailer"]) == ("x", "y", "first", "second")
    assert row["difference_a"] > 0 > row["difference_b"]
    assert row["difference_a"] == pytest.approx(-row["difference_b"])
    assert found.only.empty
    alone_words = "clear under one judge alone"
    first = "x puts first first, y puts second first and z puts first and second first"
    swapped = f"{first}; only first and second swap, and clearly; no pair is {alone_words}."
    assert found.sentences[0] == f"The order does not survive: {swapped}"
    alone = tiecore.judges({"x": LIKES_A, "z": UNSURE}, RUNS)
    assert alone.reversed.empty
    (row,) = alone.only.to_dict("records")
    assert (row["judge"], row["leader"], row["trailer"]) == ("x", "first", "second")
    elsewhere = alone.studies["z"].pairs.set_index(["leader", "trailer"])["difference"]
    assert abs(row["elsewhere"]) < row["difference"] == alone.studies["x"].pairs["difference"].iloc[0]
    assert abs(row["elsewhere"]) in [*abs(elsewhere)]
    first = "x puts first first and z puts first and second first"
    said = f"Whether the order survives is open: {first}; no two swap; 1 pair is {alone_words}."
    assert alone.sentences[:2] == [said, f"That a pair is {alone_words} does not show that the judges differ."]
    many = {f"a{n}": LIKES_A for n in range(5)} | {"b": LIKES_B}
    said = "The order does not survive: of 6 judges, 5 put first first and 1 puts second first; only first and second"
    assert str(tiecore.judges(many, RUNS)).startswith(said)
    both = tiecore.judges({"y": LIKES_B, "x": LIKES_A}, {**RUNS, "copy": RUNS["first"]}).sentences[0]
    first = "y puts second first and x puts first and copy first"
    assert both == f"The order does not survive: {first}; 2 of 6 pairs swap, 2 of them clearly; none is {alone_words}."
    same = tiecore.judges({"x": LIKES_A, "y": made(lambda n, d: 2 * (d == "a") + (d == "d"))}, RUNS).sentences[0]
    said = "The first place survives: both judges put first first, clearly. Only second and third swap, but not clearly"
    assert same == f"{said}; 1 pair is {alone_words}."


def test_only_queries_of_both_judges_count_for_agreement() -> None:
    some = {query: LIKES_B[query] for query in list(LIKES_B)[:4]}
    found = tiecore.judges({"x": LIKES_A, "y": some}, RUNS)
    row = found.agreement.iloc[0]
    assert (row["n_queries"], row["n_documents"]) == (4, 16)
    assert np.isnan(row[["tau_b_low", "tau_b_high", "tau_ap_low", "tau_ap_high"]].astype(float)).all()
    assert "judges did not grade the same documents. Documents graded: 240 by x and 16 by y; what differs" in str(found)
    other = made(lambda n, d: 2 * (d == "a"), 4) | {"q9": {f"d{n}": n for n in range(224)}}
    assert "same documents. What differs" in str(tiecore.judges({"x": LIKES_A, "y": other}, RUNS)), "if as many"
    assert "<x> and <y>: on the 4 queries that both judged" in found.told("<{}>".format)[-1]
    assert found.told("<{}>".format)[0].startswith("Whether the order survives is open: <x> puts <first> first")
    assert found.leaderboards.loc[("x", "first"), "value"] == pytest.approx(1)


def test_the_same_judge_twice_agrees_and_one_without_order_has_no_tau() -> None:
    twice = tiecore.judges({"x": LIKES_A, "y": LIKES_A}, RUNS)
    survives = "The order survives: both judges put first first, clearly; no two swap; no pair is clear"
    assert str(twice).startswith(f"{survives} under one judge alone. x and")
    same = twice.agreement.iloc[0]
    assert same[["tau_b", "tau_b_low", "tau_ap", "kappa"]].tolist() == [1, 1, 1, 1]
    assert str(tiecore.judges(dict.fromkeys("xyz", LIKES_A), RUNS)).endswith("orders: 1.00 for every pair of judges.")
    flat = tiecore.judges({"x": LIKES_A, "y": LIKES_B}, {"f": RUNS["first"], "g": RUNS["first"]})
    assert flat.agreement[["tau_b", "tau_b_low", "tau_ap"]].isna().all(axis=None)
    assert "the orders have no τ-b, for under one all features are equal" in str(flat)


def test_kappa_of_equal_graders_is_1_of_independent_ones_about_0_and_strangers_have_none() -> None:
    rng = np.random.default_rng(2)
    one, other = ({"q": {f"d{n}": int(grade) for n, grade in enumerate(rng.integers(4, size=9000))}} for _ in "ab")
    flat, stranger = {"q": {f"d{n}": 1 for n in range(9)}}, {"q": {"nowhere": 1}}
    judged = {"a": one, "b": dict(one), "c": other, "flat": flat, "same": flat, "s": stranger}
    found: Any = agreement_of_grades(judged).to_dict("index")
    kappas = {pair: [row["kappa_unweighted"], row["kappa"]] for pair, row in found.items()}
    assert [found["a", "b"]["equal"], *kappas["a", "b"]] == [1, 1, 1]
    assert kappas["a", "c"] == pytest.approx([0, 0], abs=0.03)
    assert found["a", "c"]["equal"] == pytest.approx(0.25, abs=0.02)
    assert np.isnan(kappas["flat", "same"]).all()
    assert not any("s" in pair for pair in found)
    twice = pd.DataFrame({"query_id": "q", "doc_id": ["d0", "d0"], "relevance": 1})
    with pytest.raises(tiecore.FormatError, match="document 'd0' of query 'q' is listed twice"):
        agreement_of_grades({"a": one, "twice": twice})


def test_the_nearest_judges_are_those_whose_kappa_is_not_clearly_lower_over_the_queries() -> None:
    rng = np.random.default_rng(3)

    def noisy(share: float, n: int) -> Grades:
        draw = {query: dict(own) for query, own in made(lambda _, d: "abcd".index(d), n).items()}
        for own in draw.values():
            own.update({d: int(rng.integers(4)) for d in own if rng.random() < share})
        return draw

    exact, close, like, far = (noisy(share, 60) for share in (0, 0.3, 0.32, 0.7))
    judged = {"far": far, "like": like, "to": exact, "close": close, "stranger": {"q0": {"e": 1}}}
    assert nearest(judged, "to").table["verdict"].to_dict() == {"close": "", "like": "open", "far": "clear"}
    (far_and_to,) = agreement_of_grades({"far": far, "to": exact}).to_dict("records")
    ends = ["kappa_low", "kappa_high"]
    far_row: Any = nearest(judged, "far").table.loc["to"]
    assert far_row.drop(["verdict", "holm", *ends]).to_dict() == far_and_to
    without = [{name: {q: own for q, own in judged[name].items() if q != out} for name in ("far", "to")} for out in far]
    left = np.array([agreement_of_grades(both)["kappa"].item() for both in without])
    half = stats.t.ppf(0.975, 59) * np.sqrt(59 * left.var())
    assert far_row[ends].tolist() == pytest.approx([far_row["kappa"] - half, far_row["kappa"] + half], abs=1e-9)
    few = {name: {query: own[query] for query in list(own)[:5]} for name, own in judged.items()}
    of_few = nearest(few, "to").table
    assert of_few["verdict"].tolist() == ["", "open", "open"], "none is clear over five queries"
    assert of_few[ends].isna().all(axis=None)


def test_judges_of_one_kind_are_seldom_told_apart_though_the_first_is_chosen_after_looking() -> None:
    rng, n_found = np.random.default_rng(3), 0
    for _ in range(40):
        human = rng.integers(0, 4, (25, 12))
        graders = [np.where(rng.random(human.shape) < 0.5, human, rng.integers(0, 4, human.shape)) for _ in range(12)]
        judged = {
            str(n): {f"q{q}": {f"d{d}": int(grade) for d, grade in enumerate(row)} for q, row in enumerate(grades)}
            for n, grades in enumerate([human, *graders])
        }
        n_found += bool((nearest(judged, "0").table["verdict"] == "clear").any())
    assert n_found <= 5, "5 % of 40, and what chance adds"


SOME, PART = {"q0": LIKES_A["q0"]}, {q: UNSURE[q] for q in list(LIKES_A)[:20]}
NEARER = {q: PART[q] if n % 4 == 1 else LIKES_A[q] for n, q in enumerate(PART)}
FEW, FLAT = {q: LIKES_A[q] for q in list(LIKES_A)[:5]}, {"q0": {"a": 1, "b": 1}}


@pytest.mark.parametrize(
    ("judgments", "said"),
    [
        ({"x": LIKES_A, "far": {"r": {"a": 1}}}, "No other judge grades documents that <x> judges."),
        ({"x": LIKES_A, "y": {"q0": {"a": 0, "b": 1}}}, "The quadratic κ of <y> with <x> is −0.33. <y> and <x> give"),
        ({"x": LIKES_A, "y": UNSURE}, "The quadratic κ of <y> with <x> is 0.82 (95 % interval 0.77 to 0.87)."),
        (
            {"x": LIKES_A, "y": LIKES_A, "z": LIKES_B},
            "<y> is clearly the nearest to <x>: its quadratic κ is 1.00; that of <z>, the next, is 0.64.",
        ),
        (
            {"x": LIKES_A, "some": SOME, "y": UNSURE, "z": LIKES_B},
            "No judge is clearly the nearest to <x>: <some> has the highest quadratic κ, 1.00, but <y> and "
            "<z> are not clearly lower. <some> and <x> give the same grade to 100 % of the 4 documents that both "
            "graded. The judges share 4 to 240 documents with <x>, so each κ is over different documents.",
        ),
        (  # on the queries of both the other one is clearly the nearer
            {"x": LIKES_A, "all": {**LIKES_A, **PART}, "some": NEARER},
            "<all> has the highest quadratic κ, 0.94, but <some> is not clearly lower.",
        ),
        (
            {"x": LIKES_A, "far": LIKES_B} | dict.fromkeys("abcdefg", UNSURE),
            "<a> has the highest quadratic κ, 0.82, but of the 7 others only <far> is clearly lower.",
        ),
        ({"x": LIKES_A} | dict.fromkeys("abcdefg", UNSURE) | dict.fromkeys("hijklm", LIKES_B), "6 of the 12 others"),
        ({"x": LIKES_A} | dict.fromkeys("abcdefg", UNSURE), "0.82, but none of the 6 others is clearly lower."),
        (
            {"x": LIKES_A, "y": UNSURE, "few": FEW, "flat": {q: {"a": 2} for q in LIKES_A}},
            "so each κ is over different documents. For <flat> there is no κ: documents shared with <x> all",
        ),
        (
            {"x": FLAT, "y": FLAT, "z": {"q0": {"a": 1}}},
            "For <y> and <z> there is no κ: documents shared with <x> all have one and the same grade from both.",
        ),
    ],
)
def test_no_judge_is_called_the_nearest_where_that_is_not_clear(judgments: dict[str, Grades], said: str) -> None:
    found = nearest(judgments, "x")
    assert said in " ".join(found.told("<{}>".format))
    assert "few" not in judgments or "clear" not in set(found.table["verdict"]), "five shared queries are too few"
    assert "nan" not in str(found)
    has_few = (found.table["kappa_low"].isna() & found.table["kappa"].notna()).any()
    assert ("fewer than six" in found.in_latex()) == has_few
    assert ["Below the highest" in found.cells, "t-tests" in found.key] == [found.compares] * 2, "of one is no test"


def test_tables_for_a_paper_hold_what_is_found(sample: Judges) -> None:
    assert r"title\_match & 0.3849 (2)\phantom{} & 0.2698 (2)\phantom{} \\" in sample.in_latex()
    table = nearest({"x": LIKES_A, "y_1": LIKES_A, "z": LIKES_B}, "x").in_latex(label="own")
    assert r"z & 0.64 & 0.64 to 0.64 & clear & \textless{}.0001 & 50\,\% & 0.20 & 240 \\" in table
    assert r"\label{tab:own}" in table


def test_a_stray_grade_above_those_of_most_judges_is_named_and_a_scale_of_ones_own_is_not() -> None:
    def graded(*strays: int) -> dict[str, dict[str, int]]:
        return {f"q{n}": {"a": n % 4, "b": strays[n] if n < len(strays) else 0} for n in range(1000)}

    found = tiecore.judges({"x": graded(), "y": graded(10), "z": graded(), "own": graded(*[9] * 500)}, RUNS)
    (said,) = (note for note in found.notes if "no higher" in note)
    assert said.startswith("y: 1 of 2,000 grades is 10, although at least half of the other judges go no higher than 3")


def test_a_system_that_one_judge_does_not_know_is_left_out_of_all() -> None:
    elsewhere = {f"r{n}": {"a": 1.0, "b": 2.0} for n in range(6)}
    more = LIKES_B | {query: {"a": 1, "b": 0} for query in elsewhere}
    runs = {"elsewhere": elsewhere, **RUNS}
    found = tiecore.judges({"x": LIKES_A, "y": more}, runs, unmatched="omit")
    assert found.leaderboards.xs("y").index.tolist() == ["second", "first", "third"]
    assert found.agreement["n_queries"].item() == 60
    assert found.notes[0].startswith("x: Left out: 'elsewhere'. ")
    assert any(note.startswith("y: 4 features") and "list only 6 to 60 of the 66" in note for note in found.notes)


@pytest.mark.parametrize(
    ("judgments", "runs", "words"),
    [
        ({"x": LIKES_A}, RUNS, "two judges or more, each by its name, found 'x'"),
        ([LIKES_A, LIKES_B], RUNS, "two judges or more, each by its name"),
        ({}, RUNS, "two judges or more, each by its name, found none"),
        ({"x": LIKES_A, "y": made(lambda n, d: 1)}, RUNS, "'y' gives every document the grade 1"),
        ({"y": {"q0": {"a": 1, "b": 0}}, "z": {"q1": {"a": 1, "b": 0}}}, RUNS, "y and z share no judged document"),
        ({"x": LIKES_A, "y": LIKES_B}, {"first": RUNS["first"]}, "of two features or more, found 'first'"),
        ({"x": LIKES_A, "y": LIKES_B}, [], "at least one file of scores"),
    ],
)
def test_what_cannot_be_compared_is_refused_with_the_reason(judgments: Any, runs: Any, words: str) -> None:
    with pytest.raises(tiecore.TiecoreError, match=words):
        tiecore.judges(judgments, runs)
