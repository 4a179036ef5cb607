"""What `tiecore ties` shows is what `tiecore.diagnostics` finds, and every column is explained."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

import tiecore
from tests.cli.running import SAMPLE, answer, rows_of, same, unexplained
from tiecore import diagnostics
from tiecore.cli.commands import Ties
from tiecore.cli.reports.ties import PARTS, report

FILES = (SAMPLE / "qrels.txt", SAMPLE / "title_match.json", SAMPLE / "clicks.csv")
TIES = ("docid-desc", "input")
ASKED = ("ties", *FILES, "-t", ",".join(TIES))


@pytest.fixture(scope="module")
def evaluation() -> tiecore.Evaluation:
    return tiecore.evaluate(FILES[0], FILES[1:], ["nDCG@10"], TIES)


def test_each_part_holds_the_whole_table(evaluation: tiecore.Evaluation) -> None:
    tables = {
        "anatomy": diagnostics.anatomy(evaluation, cutoffs=(5, 10), rel=None),
        "cost": diagnostics.random_baseline(evaluation),
        "bias": diagnostics.pooled_bias(evaluation),
        "bias_features": diagnostics.bias(evaluation),
        "hidden": diagnostics.hidden_ties(evaluation),
    }
    content = json.loads(answer(*ASKED, "-k", 5, "-k", 10, "-m", "nDCG@10", "--part", ",".join(tables), "-f", "json"))
    for part, table in tables.items():
        same(content[part], table)


def test_one_feature_is_taken_apart(evaluation: tiecore.Evaluation) -> None:
    of_feature = (*ASKED, "--feature", "title_match")
    content = json.loads(answer(*of_feature, "--query", "118", "-f", "json"))
    assert list(content) == ["tiecore", "command", "blame", "culprits", "advice"]
    same(content["blame"], diagnostics.blame(evaluation, "title_match", "nDCG@10"))
    same(content["culprits"], diagnostics.culprits(evaluation, "title_match", "nDCG@10", query_id="118"))
    same(content["advice"], diagnostics.advice(evaluation, "title_match", "nDCG@10"))
    shifted = rows_of(answer(*of_feature, "--by", "input", "--part", "blame", "-f", "csv"))
    same(shifted, diagnostics.blame(evaluation, "title_match", "nDCG@10", by="input"))
    assert shifted[0]["query_id"] == diagnostics.blame(evaluation, "title_match", "nDCG@10", by="input").index[0]


def test_a_tie_is_mixed_by_the_threshold_of_the_measures_if_they_agree() -> None:
    evaluation = tiecore.evaluate(FILES[0], FILES[1:], ["AP(rel=2)"])
    for names, rel in ((["P(rel=2)@10", "AP(rel=2)"], 2), (["AP(rel=2)", "AP"], 1)):
        given = [option for name in names for option in ("-m", name)]
        rows = rows_of(answer(*ASKED, *given, "--part", "anatomy", "-f", "csv"))
        same(rows, diagnostics.anatomy(evaluation, rel=rel))


def test_advice_for_all_features_names_each(evaluation: tiecore.Evaluation) -> None:
    text = answer(*ASKED, "--part", "advice", "--top", 0, width=200)
    assert re.findall(r"^title_match +(\w+)", text, flags=re.M) == [
        other for feature, other in diagnostics.advice(evaluation, measure="nDCG@10").index if feature == "title_match"
    ]


def test_the_most_harmful_ties_stand_first(evaluation: tiecore.Evaluation) -> None:
    rows = rows_of(answer(*ASKED, "--part", "anatomy", "-f", "csv"))
    cuts = [float(row["cut_in_mixed_tie@10"]) for row in rows]
    assert cuts == sorted(cuts, reverse=True)
    spreads = [float(row["spread"]) for row in rows_of(answer(*ASKED, "--part", "cost", "-f", "csv"))]
    values = evaluation.summary
    assert spreads == sorted((values["best"] - values["worst"]).abs(), reverse=True)


@pytest.mark.parametrize("part", PARTS)
def test_every_heading_is_explained_below(part: str) -> None:
    qrels, *features = map(str, FILES)
    request = Ties(qrels=qrels, features=tuple(features), tie_breaks=TIES, cutoffs=(10,), parts=(part,))
    (sheet,) = report(replace(request, feature="title_match", query="118")).sheets
    assert unexplained(sheet) <= {"feature"}


def test_a_measure_is_looked_at_for_each_cut_off_or_as_named() -> None:
    assert "nDCG@5 · what ties cost" in answer("ties", *FILES, "-k", 5)
    text = answer("ties", *FILES, "-m", "AP,ESL", "--part", "cost")
    assert re.findall(r"^\w+ · what", text, flags=re.M) == ["AP · what", "ESL · what"]


def test_words_are_found_for_biased_tie_breaks_and_alarming_features() -> None:
    text = answer(*ASKED).replace("\n  ", " ")
    assert "docid-desc: no sign of bias" in text
    assert re.search(r"^input correlates with relevance", text, flags=re.M)
    assert "title_match: constant in 3 of 50 queries" in text
    assert "No feature shows signs of ties hidden" in text
    assert "\n\n\n" not in answer(*ASKED, "--part", "hidden,anatomy")
    assert "|" not in answer(*ASKED, "--part", "hidden", "-f", "markdown"), "a table without rows is its note"


def test_ties_hidden_by_small_steps_are_shown(tmp_path: Path) -> None:
    lines = [
        f"q{query} Q0 d{doc:02} {doc + 1} {10 - doc // 8 - (doc % 8) * 1e-6:.6f} stepped\n"
        for query in range(5)
        for doc in range(40)
    ]
    (tmp_path / "stepped.run").write_text("".join(lines))
    (tmp_path / "qrels.txt").write_text("".join(f"q{q} 0 d{d:02} {d % 2}\n" for q in range(5) for d in range(40)))
    text = answer("ties", tmp_path / "qrels.txt", tmp_path / "stepped.run", "--part", "hidden")
    assert "stepped: ties are hidden" in text
    assert re.search(r"^stepped +0 %", text, flags=re.M)


def test_long_tables_are_cut_on_the_screen_and_say_so(tmp_path: Path) -> None:
    asked = ("ties", *FILES, "--part", "blame", "--feature", "title_match")
    assert "48 more rows: --top 0 shows all" in answer(*asked, "--top", 2)
    assert "1 more row:" in answer(*asked, "--top", 49)
    assert "more row" not in answer(*asked, "--top", 0)
    assert len(rows_of(answer(*asked, "--top", 2, "-f", "csv"))) == 50
    assert "1 more such features" in answer(*ASKED, "--part", "anatomy", "--top", 1)
    lines = "".join(f"q,d{n},{n % 2},1,1,1\n" for n in range(4))
    (tmp_path / "flat.csv").write_text(f"query_id,doc_id,label,x,y,z\n{lines}")
    assert "2 more such features" in answer("ties", tmp_path / "flat.csv", "--part", "anatomy", "--top", 1)


def test_a_p_that_is_the_least_the_draws_can_show_is_marked_and_their_number_is_named() -> None:
    text = answer(*ASKED, "--part", "bias,bias_features", width=200)
    assert set(re.findall(r"^input .*query_url_clicks .* (\S+)$", text, flags=re.M)) == {"≤.001"}
    assert " ".join(text.split()).count("1,000 at most") == 2
    rows = rows_of(answer(*ASKED, "--part", "bias", "-f", "csv"))
    assert min(float(row["p"]) for row in rows) == 1 / 1001
