"""Tables for papers: what ``--format latex`` writes says what CSV and JSON say, and compiles."""

import io
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.cli.running import SAMPLE, answer
from tiecore import evaluate
from tiecore.evaluation.intervals import query_interval
from tiecore.latex import LatexColumn, latex_table, value_column

FILES = [SAMPLE / name for name in ("qrels.txt", "clicks.csv", "title_match.json")]


def tables_of(text: str) -> list[list[list[str]]]:
    found = []
    for table in re.findall(r"\\begin\{table\*?\}.*?\\end\{table\*?\}", text, flags=re.DOTALL):
        rows = re.findall(r" *(.*) (?:\\\\|\\tabularnewline\\addlinespace\[2pt\])\n", table)
        found.append([row.split(" & ") for row in rows])
    return found


def test_places_and_pairs_in_latex_are_those_of_csv_and_their_captions_say_what_they_show() -> None:
    arguments = ("stability", *FILES, "-m", "nDCG@10", "-t", "docid-asc", "--part")
    text = answer(*arguments, "places", "-f", "latex")
    (heading, *rows), (_, *under) = tables_of(text)
    table = pd.read_csv(io.StringIO(answer(*arguments, "places", "-f", "csv")))
    assert heading[:3] == [r"\#", "Feature", r"\multicolumn{3}{c}{nDCG@10}"]
    assert len(rows) == len(under) == len(table) == 4
    for cells, of_ties, row in zip(rows, under, table.to_dict("records"), strict=True):
        assert cells[:2] == of_ties[:2] == [str(row["place"]), row["feature"].replace("_", r"\_")]
        assert f"{row['expected']:.4f}" in cells[2]
        assert cells[3] == rf"\textsuperscript{{{row['letters']}}}"
        assert cells[4] == f"{row['half_width']:.4f}"
        assert f"({row['docid-asc place']})" in of_ties[3]
    assert r"$\pm$: half of the 95\,\% interval over queries." in text
    assert "Features that share a letter are not clearly different." in text
    text = answer(*arguments, "pairs", "-f", "latex", "--top", 2)
    (heading, *rows), *_ = tables_of(text)
    table = pd.read_csv(io.StringIO(answer(*arguments, "pairs", "-f", "csv")))
    pairs = table.set_index(["leader", "trailer"]).to_dict("index")
    assert "neighbours in the leaderboard. All 6 pairs: " in text
    assert [cells[-2] for cells in rows] == ["6\\,\\%", "below 1\\,\\%"]
    for cells in rows:
        leader, _, trailer = re.sub(r"\\raggedright |\\", "", cells[0]).partition(" $-$~")
        pair = pairs[leader, trailer]
        holm = f"{pair['holm_low']:.4f} to {pair['holm_high']:.4f}"
        assert cells[1].replace("$-$", "-") == f"{pair['difference']:.4f} ({holm})"
        assert cells[4].endswith(pair["verdict"])


def test_headings_of_other_tables_are_words_which_the_caption_explains_and_a_label_names_the_measure() -> None:
    text = answer("evaluate", *FILES, "-m", "RR", "-t", "docid-asc", "-f", "latex")
    assert r"\# & Feature & Expected & SD & Worst & Best & docid-asc \\" in text
    assert r"\caption{RR, 50 queries. \#: place by expectation; equal features share a place. Expected: mean" in text
    assert r"\label{tab:evaluate-summary-rr}" in text


@pytest.mark.parametrize("measure", ["AP", "ESL", "GMAP"])
def test_half_a_width_is_on_the_scale_of_the_measure_whichever_way_is_better(measure: str) -> None:
    table = pd.read_csv(io.StringIO(answer("stability", *FILES, "-m", measure, "--part", "places", "-f", "csv")))
    ends = query_interval(evaluate(FILES[0], FILES[1:], [measure]), measure).loc[table["feature"]]
    half = ((ends["high"] - ends["low"]) / 2).to_numpy()
    assert half.max() > 0
    np.testing.assert_allclose(table["half_width"], half, rtol=0, atol=1e-12)


def test_every_table_has_a_caption_and_a_label_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "parts.csv").write_text("query_id,part\n1,a b\n16,a b\n31,a_b\n46,a_b\n")
    for arguments in (
        ["stability", "-m", "AP,RR,RR@5", "-t", "input"],
        ["evaluate", "-m", "AP,RR", "-t", "input"],
        ["evaluate", "-m", "AP"],
        ["ties", "-t", "input"],
        ["stability", "--slices", tmp_path / "parts.csv"],
        ["stability", "-m", "AP(rel=2)@2,AP(rel=2)", "--part", "places"],
    ):
        text = answer(arguments[0], *FILES, *arguments[1:], "-f", "latex")
        labels = re.findall(r"\\label\{(tab:[a-z0-9-]+)\}", text)
        n_tables = len(re.findall(r"\\begin\{table\*?\}", text))
        assert len(labels) == len(set(labels)) == n_tables == text.count(r"\caption{") > 0


def test_a_table_that_is_too_wide_for_a_column_of_text_takes_both_and_one_too_wide_for_a_page_is_set_smaller() -> None:
    for n_columns, place in ((3, "table"), (9, "table*")):
        columns = [LatexColumn(heading=r"\textbf{x}", cells=["0.1234"])] * n_columns
        first, *_, last = latex_table(columns, caption="x", label="tab:x")
        assert (first, last) == (rf"\begin{{{place}}}", rf"\end{{{place}}}")
    column = LatexColumn(heading="a heading of some length", cells=["1"])
    narrow, wide = ("\n".join(latex_table([column] * n, caption="c", label="l")) for n in (2, 3))
    assert r"\footnotesize\setlength{\tabcolsep}{3pt}" in wide
    assert wide.count(r"\resizebox") == 1
    texts = LatexColumn(heading="x", cells=["word " * 24], spec="l")
    long = "\n".join(latex_table([texts, column], caption="c", label="l"))
    assert r"\begin{tabular}{p{0.80\linewidth}r}" in long
    assert re.search(r"\n +\\raggedright word .*word +& 1 \\tabularnewline\\addlinespace", long), "no line is empty"
    assert r"\footnotesize" not in narrow
    names = LatexColumn(heading="x", cells=[r"feature\_with\_a\_long\_name\_10"], spec="l")
    unbroken = "\n".join(latex_table([names, *[column] * 4], caption="c", label="l"))
    assert r"\begin{tabular}{lrrrr}" in unbroken, "one word is never set in a column wider than it is"


def test_a_long_table_is_several_floats_under_its_headings() -> None:
    columns = [LatexColumn(heading="x", cells=["1"] * 76)]
    told = latex_table(columns, caption="50 %", label="tab:x", new_groups=[38, 39])
    lines = [line.strip() for line in told]
    assert lines.count(r"\begin{table}") == lines.count(r"\end{table}") == lines.count(r"x \\") == 2
    captions = [line for line in lines if r"\caption{" in line or r"\label" in line]
    assert captions == [r"\caption{50\,\%}", r"\label{tab:x}", r"\addtocounter{table}{-1}\caption{Continued.}"]
    assert lines.count(r"1 \\") == 76
    assert lines.count(r"\midrule") == 3, "a rule is drawn once"
    tall = [LatexColumn(heading="x", cells=cells * 27, spec="l") for cells in (["word " * 30], ["1"])]
    for table, caption, n_floats in ((columns, "word " * 300, 3), (tall, "", 2)):
        assert "".join(latex_table(table, caption=caption, label="x")).count(r"\begin{table") == n_floats


def test_rows_of_a_table_end_where_they_must() -> None:
    columns = [
        LatexColumn(heading="x", cells=["1", "2"], spec="l"),
        value_column("A_B", ["0.5", "0.4"], ["0.1", "–"], ["a", ""], best=[0]),
    ]
    lines = [line.strip() for line in latex_table(columns, caption="50 %", label="tab:x")]
    assert lines[2:5] == [r"\caption{50\,\%}", r"\label{tab:x}", r"\begin{tabular}{lr@{}l@{ $\pm$ }r}"]
    assert lines[6] == r"x & \multicolumn{3}{c}{A\_B} \\"
    assert lines[8:10] == [r"1 & \textbf{0.5} & \textsuperscript{a} & 0.1 \\", r"2 & 0.4 &  & -- \\"]
