"""What `tiecore stability` shows is what `tiecore.stability` finds, and every column is explained."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import tiecore
from tests.cli.running import SAMPLE, TINY_FILES, answer, rows_of, run, unexplained
from tiecore.cli.reports.stability import PARTS, report_of
from tiecore.stability import Stability
from tiecore.stability.pairs import VERDICTS

FILES = (SAMPLE / "qrels.txt", SAMPLE / "title_match.json", SAMPLE / "clicks.csv", SAMPLE / "bm25.run.gz")
TIES = ("docid-desc", "input")
QUERIES = sorted({line.split()[0] for line in FILES[0].read_text().splitlines()})
QUICK = ("--permutations", "100", "--draws", "50")
ASKED = ("stability", *FILES, "-t", ",".join(TIES), *QUICK)


@pytest.fixture(scope="module")
def study() -> Stability:
    evaluation = tiecore.evaluate(FILES[0], FILES[1:], ["nDCG@10"], TIES)
    return evaluation.stability("nDCG@10", permutations=100)


def equal(rows: list[dict[str, Any]], table: pd.DataFrame) -> None:
    """Compare rows of text or JSON with those of a frame, one by one."""
    for row, record in zip(rows, table.reset_index().to_dict("records"), strict=True):
        for name, value in record.items():
            if name == "index":  # a frame that does not name its rows
                continue
            shown = row[str(name)]
            if isinstance(value, tuple):
                assert (shown.split() if isinstance(shown, str) else shown) == list(value)
            elif isinstance(value, str | bool):
                assert str(shown) == str(value)
            elif pd.isna(value):
                assert shown in (None, "")
            else:
                assert float(shown) == value


def test_json_holds_every_table(study: Stability) -> None:
    content = json.loads(answer(*ASKED, "-f", "json"))
    for part in ("places", "pairs", "agreement"):
        equal(content[part], getattr(study, part))
    equal(content["places"], study.ranks)
    equal(
        content["swapped"],
        pd.concat([study.swapped("expected", name).assign(other=name) for name in TIES], ignore_index=True),
    )
    chances = {(row["feature"], row["place"]): row["probability"] for row in content["place_probability"]}
    assert chances == study.place_probability.stack().to_dict()


def beats_of(study: Stability) -> dict[tuple[str, str], float]:
    table = study.beats
    return {(row, column): table.loc[row, column] for row in table.index for column in table.columns if row != column}


@pytest.mark.untraced
@pytest.mark.parametrize("part", ["places", "pairs", "agreement"])
def test_csv_holds_the_table_that_is_asked_for(part: str, study: Stability) -> None:
    equal(rows_of(answer(*ASKED, "--part", part, "-f", "csv")), getattr(study, part))


def test_csv_of_the_chances_has_a_row_for_each_ordered_pair(study: Stability) -> None:
    rows = rows_of(answer(*ASKED, "--part", "beats", "-f", "csv"))
    assert {(row["feature"], row["other"]): float(row["p_beats"]) for row in rows} == beats_of(study)


def test_csv_holds_the_first_table_and_says_that_there_are_others() -> None:
    result = run(*ASKED, "-f", "csv")
    assert result.stdout.startswith("measure,feature,place,")
    assert "CSV holds one table, places" in result.stderr
    assert "pairs, agreement, swapped" in result.stderr


def test_the_places_are_drawn_from_the_best_to_the_worst(study: Stability) -> None:
    lines = answer(*ASKED, "--part", "places", width=120).splitlines()[2:]
    assert [line.split()[1] for line in lines[: len(study.places)]] == list(study.places.index)
    sure = study.places["best_place"] == study.places["worst_place"]
    for line, is_sure in zip(lines, sure, strict=False):
        assert ("─" in line or "├" in line or "┤" in line) != is_sure


def test_verdicts_of_neighbours_are_shown_and_all_are_counted(study: Stability) -> None:
    text = answer(*ASKED, "--part", "pairs", width=200)
    features = list(study.places.index)
    rows = [line for line in text.partition("All ")[0].splitlines() if line.split()[:1] and line.split()[0] in features]
    assert [row.split()[:2] for row in rows] == [list(pair) for pair in pairwise(features)]
    verdicts = study.pairs.set_index(["leader", "trailer"])["verdict"]
    assert all(verdicts[tuple(row.split()[:2])] in row for row in rows)
    counts = study.pairs["verdict"].value_counts()
    text = " ".join(text.split())
    found = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if verdict in counts)
    assert f"All {len(study.pairs)} pairs: {found}; a tie-break reverses the order of" in text
    assert "a tie-break reverses" not in answer("stability", *FILES, *QUICK, "--part", "pairs")


def test_the_first_table_says_who_leads_and_what_could_change_that(study: Stability) -> None:
    text = " ".join(answer(*ASKED, "--part", "places", width=120).split())
    assert str(study) in text
    assert "Over 50 queries its lead over" in text


def test_others_are_compared_with_a_baseline_only() -> None:
    rows = rows_of(answer(*ASKED, "--baseline", "dwell", "--part", "pairs", "-f", "csv"))
    assert all("dwell" in (row["leader"], row["trailer"]) for row in rows)
    assert len(rows) == len({row["leader"] for row in rows} | {row["trailer"] for row in rows}) - 1
    assert "against dwell" in answer(*ASKED, "--baseline", "dwell", "--part", "pairs")


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
    [(None, "there is no file"), ("query_id\n1\n", "expected two columns"), ("", "cannot be read")],
)
def test_what_cannot_part_queries_is_refused_in_one_line(tmp_path: Path, content: str | None, words: str) -> None:
    table = tmp_path / "kinds.csv"
    if content is not None:
        table.write_text(content)
    result = run(*ASKED, "--slices", table)
    assert result.exit_code == 2
    assert words in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize("part", PARTS)
def test_every_heading_is_explained_below(part: str, study: Stability) -> None:
    (sheet,) = report_of([study], parts=[part], top=10).sheets
    assert {heading for heading in unexplained(sheet) if not heading.isdigit()} <= {"feature", ""}


def test_agreement_shows_worst_and_best_only_where_there_is_nothing_else() -> None:
    assert "worst" not in answer(*ASKED, "--part", "agreement").partition("\n\n")[0]
    assert "worst" in answer("stability", *FILES, *QUICK, "--part", "agreement").partition("\n\n")[0]


@pytest.mark.untraced
def test_swaps_are_left_out_where_no_tie_break_could_swap() -> None:
    assert "pairs that a tie-break swaps" not in answer("stability", *FILES, *QUICK)
    assert "pairs that a tie-break swaps" in answer(*ASKED)


def test_one_feature_has_places_only() -> None:
    text = answer("stability", *TINY_FILES[:2], *QUICK)
    assert "There is one feature" in text
    assert "·" in text
    assert "beats" not in text
    assert "pairs:" not in answer("stability", *TINY_FILES[:2], *QUICK, "--part", "pairs")


@pytest.mark.untraced
def test_where_chances_come_from_can_be_chosen() -> None:
    command = ("stability", *TINY_FILES, "-m", "RR", *QUICK, "--part", "places")
    assert "among 50 random tie-breaks" in answer(*command)
    assert "normal distributions" in answer(*command, "--place-method", "normal")
    assert "one order of documents" in answer(*command, "--shared-order").replace("\n  ", " ")
    assert answer(*command, "--seed", 1) == answer(*command, "--seed", 1)
    assert answer(*command, "--seed", 1, "-f", "csv") != answer(*command, "--seed", 2, "-f", "csv")


def test_each_measure_has_its_tables() -> None:
    text = answer("stability", *TINY_FILES, "-m", "RR,AP", *QUICK, "--part", "places,beats")
    headings = dict.fromkeys(re.findall(r"^(\w+ · \w+)", text, flags=re.M))  # a wide table goes on in a further one
    assert list(headings) == ["RR · places", "AP · places", "RR · chance", "AP · chance"]
