"""What `tiecore stability` shows is what `tiecore.stability` finds, and every column is explained."""

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest

import tiecore
from tests.cli.running import SAMPLE, TINY_FILES, answer, mistake, rows_of, run, same, unexplained
from tiecore.cli.reports.stability import PARTS, report_of
from tiecore.stability import Stability

FILES = (SAMPLE / "qrels.txt", SAMPLE / "title_match.json", SAMPLE / "clicks.csv")
TIES = ("docid-desc", "input")
QUERIES = sorted({line.split()[0] for line in FILES[0].read_text().splitlines()})
ASKED = ("stability", *FILES, "-t", ",".join(TIES))


@pytest.fixture(scope="module")
def study() -> Stability:
    return tiecore.evaluate(FILES[0], FILES[1:], ["nDCG@10"], TIES).stability()


def test_json_holds_every_table_and_csv_the_one_that_is_asked_for_or_the_first(study: Stability) -> None:
    content = json.loads(answer(*ASKED, "-f", "json"))
    for part, table in (("places", study.places), ("places", study.ranks), ("pairs", study.pairs)):
        same(content[part], table)
    same(content["agreement"], study.agreement)
    for part in ("places", "pairs", "agreement"):
        same(rows_of(answer(*ASKED, "--part", part, "-f", "csv")), getattr(study, part))
    result = run(*ASKED, "-f", "csv")
    assert result.stdout.startswith("measure,feature,place,")
    assert "pairs, agreement" in result.stderr


def test_neighbours_are_shown_with_interval_verdict_and_tie_risk_and_all_are_counted(study: Stability) -> None:
    text = answer(*ASKED, "--part", "pairs", width=200)
    features = list(study.places.index)
    rows = [line for line in text.partition("All ")[0].splitlines() if line.split()[:1] and line.split()[0] in features]
    assert [row.split()[:2] for row in rows] == [list(pair) for pair in pairwise(features)]
    pairs = {(pair["leader"], pair["trailer"]): pair for pair in study.pairs.to_dict("records")}
    for row in rows:
        leader, trailer = row.split()[:2]
        pair = pairs[leader, trailer]
        assert f" {pair['verdict']} " in row
        assert f"{pair['low']:.4f} to {pair['high']:.4f}" in row
    counts = study.pairs["verdict"].value_counts()
    found = ", ".join(f"{counts[verdict]} {verdict}" for verdict in ("clear", "open", "equal") if verdict in counts)
    assert f"All {len(study.pairs)} pairs: {found}; a tie-break reverses the order of" in " ".join(text.split())
    assert "With 80 % power these queries detect a difference of " in " ".join(text.split())
    assert "a tie-break reverses" not in answer("stability", *FILES, "--part", "pairs")


def test_the_first_table_says_who_leads_and_draws_places_from_best_to_worst(study: Stability) -> None:
    text = answer(*ASKED, "--part", "places", width=120)
    assert str(study) in " ".join(text.split())
    (start,) = [n for n, line in enumerate(text.splitlines()[:4]) if line.startswith("#")]
    lines = text.splitlines()[start + 1 :]
    assert [line.split()[1] for line in lines[: len(study.places)]] == list(study.places.index)


def test_others_are_compared_with_a_baseline_and_a_margin() -> None:
    rows = rows_of(answer(*ASKED, "--baseline", "dwell", "--margin", "0.5", "--part", "pairs", "-f", "csv"))
    assert all("dwell" in (row["leader"], row["trailer"]) for row in rows)
    assert {row["verdict"] for row in rows} == {"small"}
    assert "against dwell" in answer(*ASKED, "--baseline", "dwell", "--part", "pairs")


def test_random_tie_breaks_are_shared_unless_each_feature_has_its_own() -> None:
    command = ("stability", *FILES, "--part", "places")
    assert "breaks the ties of all features" in " ".join(answer(*command).split())
    assert "orders of its own" in " ".join(answer(*command, "--tie-orders", "independent").split())
    assert answer(*command, "--seed", 1) == answer(*command, "--seed", 1)
    assert answer(*command, "--seed", 1, "-f", "csv") != answer(*command, "--seed", 2, "-f", "csv")


def test_parts_of_the_queries_are_studied_one_by_one(tmp_path: Path) -> None:
    text = answer(*ASKED, "--slices", "relevant", "--part", "places", width=120)
    headings = re.findall(r"^nDCG@10 · (.+ relevant) · places · \d+ queries", text, flags=re.M)
    assert len(dict.fromkeys(headings)) == 3
    assert "many looks" in " ".join(text.split())
    table = tmp_path / "kinds.csv"
    table.write_text(
        "query_id,kind\n" + "".join(f"{query},{'a' if n % 2 else 'b'}\n" for n, query in enumerate(QUERIES))
    )
    rows = rows_of(answer(*ASKED, "--slices", table, "--part", "places", "-f", "csv"))
    assert {row["slice"] for row in rows} == {"a", "b"}


@pytest.mark.parametrize(
    ("content", "words"),
    [(None, "cannot be read: No such file"), ("query_id\n1\n", "needs two columns"), ("", "cannot be read")],
)
def test_what_cannot_part_queries_is_refused_in_one_line(tmp_path: Path, content: str | None, words: str) -> None:
    table = tmp_path / "kinds.csv"
    if content is not None:
        table.write_text(content)
    assert words in mistake(*ASKED, "--slices", table)


@pytest.mark.parametrize("part", PARTS)
def test_every_heading_is_explained_below(part: str, study: Stability) -> None:
    (sheet,) = report_of([study], [part]).sheets
    assert {heading for heading in unexplained(sheet) if not heading.isdigit()} <= {"feature", ""}


def test_agreement_shows_worst_and_best_only_where_there_is_nothing_else() -> None:
    assert "worst" not in answer(*ASKED, "--part", "agreement").partition("\n\n")[0]
    assert "worst" in answer("stability", *FILES, "--part", "agreement").partition("\n\n")[0]


def test_one_feature_has_places_only_and_few_queries_are_named() -> None:
    text = answer("stability", *TINY_FILES[:2])
    assert "There is one feature" in text
    assert "pairs:" not in answer("stability", *TINY_FILES[:2], "--part", "pairs")
    pairs = answer("stability", *TINY_FILES, "--part", "pairs", width=200)
    assert "too few queries to tell" in " ".join(pairs.split())
    assert "–  open" in pairs  # which have no interval
    assert "– to –" not in pairs


def test_each_measure_has_its_tables() -> None:
    text = answer("stability", *TINY_FILES, "-m", "RR,AP", "--part", "places,pairs")
    headings = dict.fromkeys(re.findall(r"^(\w+ · \w+)", text, flags=re.M))  # a wide table goes on in a further one
    assert list(headings) == ["RR · places", "AP · places", "RR · neighbours", "AP · neighbours"]


def test_of_a_share_of_draws_only_what_no_tie_break_can_change_is_certain(study: Stability) -> None:
    text = answer("stability", *FILES, "-t", ",".join(TIES), "--part", "places", width=200)
    firsts = dict(re.findall(r"^ *\d+  (\w+) .*? ([<>.\d]+) +\d+ +\d+ +\d+.? +\d+.?$", text, flags=re.M))
    assert list(firsts) == list(study.places.index)
    for feature, row in study.places.iterrows():
        can_differ = row["best_place"] == 1 < row["worst_place"]
        assert (firsts[str(feature)] in ("0", "1")) == (row["first"] in (0, 1) and not can_differ), feature
