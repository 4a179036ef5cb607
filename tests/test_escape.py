"""Names from files do no harm where they are written, and every LaTeX table compiles."""

import csv
import io
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.cli.running import HOSTILE, answer, ended, hostile_table
from tiecore.escape import csv_of, in_csv, in_latex, in_markdown, visible
from tiecore.latex import column_of, latex_of
from tiecore_dashboard.export.csv_tables import as_csv


def compiled(table: str, folder: Path) -> str:
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed (in Debian texlive-latex-recommended)")
    head = "\\documentclass{article}\n\\usepackage{booktabs,graphicx}\n"
    document = f"{head}\\begin{{document}}\n{table}\\end{{document}}\n"
    (folder / "table.tex").write_text(document, encoding="utf-8")
    options = ("-draftmode", "-halt-on-error", "-interaction=nonstopmode", "-no-shell-escape")
    done = ended("pdflatex", *options, "table.tex", cwd=folder)
    assert done.returncode == 0, done.stdout[-2000:]
    return done.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["evaluate", "-t", "docid-asc,feature:=cmd|' /C calc'!A0"],
        ["evaluate", "--per-query", "-m", "AP"],
        ["ties", "-t", "input", "--part", "anatomy,cost,bias_features,hidden", "--top", "0"],
        ["stability", "-m", "AP", "-t", "docid-asc,feature:=cmd|' /C calc'!A0", "--part", "places,pairs"],
    ],
)
def test_tables_of_the_command_compile_whatever_the_names(tmp_path: Path, arguments: list[str]) -> None:
    command, *options = arguments
    log = compiled(answer(command, hostile_table(tmp_path), *options, "-f", "latex"), tmp_path)
    assert "Missing character" not in log


def test_tables_of_the_dashboard_compile_whatever_the_names(tmp_path: Path) -> None:
    columns = {"[2pt]": HOSTILE} | {name: ["0.5"] * len(HOSTILE) for name in HOSTILE[:3]}
    compiled(latex_of([column_of(*one) for one in columns.items()], caption=" ".join(HOSTILE), label="x"), tmp_path)


def test_every_character_compiles(tmp_path: Path) -> None:
    """All of Latin, Greek and punctuation, and a sample of the rest."""
    codes = [*range(32, 0x250), *range(0x300, 0x400), *range(0x1E00, 0x2200), *range(0x2200, 0x10FFFF, 9973)]
    rows = [in_latex("".join(map(chr, codes[start : start + 16]))) for start in range(0, len(codes), 16)]
    compiled("\n\n".join(f"{row}\\textbf{{{row}}}\\emph{{{row}}}" for row in rows) + "\n", tmp_path)


def test_letters_that_every_engine_reads_stay_letters_and_others_become_their_code_points() -> None:
    assert in_latex("naïve Ångström Łódź straße œuvre ž") == "naïve Ångström Łódź straße œuvre ž"
    assert in_latex("e\u0301") == "é"
    assert in_latex("ąþĐ ế 日 ѐ") == "U+0105U+00FEU+0110 U+1EBF U+65E5 U+0450"
    assert in_latex("α ≥ µ·2") == r"$\alpha$ $\geq$ $\mu$$\cdot$2"


def test_different_names_stay_different_in_latex() -> None:
    written = [in_latex(name) for name in ("a--b", "a-b", "a–b", "a''b", 'a"b', "a`b", "a'b", "a  b", "a b", "日")]
    assert len({*written}) == len(written)


@pytest.mark.parametrize("text", ["=1+2", "+a", "-b", "@c", "\tx", "\rx", "\nx", "=cmd|x", "-", "+1-2", "\uff1d1"])
def test_what_a_spreadsheet_would_run_gets_an_apostrophe(text: str) -> None:
    assert in_csv(text) == f"'{text}"
    rows = list(csv.reader(io.StringIO(as_csv(pd.DataFrame({text: [text]})).decode("utf-8-sig"), newline="")))
    assert rows == [[f"'{text}"]] * 2


@pytest.mark.parametrize("cell", ["-1", "+1.5e-3", "-.5", "a=b", "1-2", "", -1.5, None, True])
def test_numbers_and_other_texts_are_left_as_they_are_in_csv(cell: object) -> None:
    assert in_csv(cell) is cell


@pytest.mark.parametrize("text", ["a\rb", "a\nb", "a\r\nb", 'a"b', "a,b"])
def test_a_row_of_csv_ends_only_where_it_ends(text: str) -> None:
    rows = list(csv.reader(io.StringIO(csv_of(pd.DataFrame({text: [text], "x": [0.1]})), newline="")))
    assert rows == [[text, "x"], [text, "0.1"]]


NUMBERS = [0.1, 1e-5, 1e-4, 123456789012345.0, 1e15, 1e16, 1e17, 1 / 3, -0.0, 5e-324, np.inf, -np.inf]


def test_csv_is_what_pandas_writes() -> None:
    rng = np.random.default_rng(3)
    columns = {
        "float64": np.concatenate([NUMBERS, rng.normal(size=200) * 10.0 ** rng.integers(-20, 20, 200), [np.nan]]),
        "text": np.array(["a", "b,c", 'd"e', "f\ng", " ", "", "日本", "\u2028"] * 27, dtype=object)[:213],
    }
    n_rows = len(columns["float64"])
    columns |= {
        "float32": np.resize(np.array([0.1, np.nan, 1e10, 16777217], np.float32), n_rows),
        "int64": np.resize(np.array([-(2**63), 2**63 - 1, 0]), n_rows),
        "uint8": np.resize(np.array([0, 255], np.uint8), n_rows),
        "bool": np.resize(np.array([True, False]), n_rows),
    }
    frame = pd.DataFrame(columns).assign(
        nullable=pd.array([1, pd.NA, 2**60] * (n_rows // 3), dtype="Int64"),
        missing=np.array([None, "x", np.nan] * (n_rows // 3), dtype=object),
    )
    assert csv_of(frame) == frame.to_csv(index=False, lineterminator="\n")
    assert csv_of(columns) == csv_of(frame[list(columns)])
    alone: tuple[list[str | None], ...] = ([], [""], [None], ["", "a"])
    for column in alone:
        frame = pd.DataFrame({"x": pd.Series(column, dtype=object)})
        assert csv_of({"x": column}) == csv_of(frame) == frame.to_csv(index=False, lineterminator="\n")


def test_markdown_shows_the_text_as_it_is() -> None:
    assert in_markdown("a|b*c<d>\n[e](f)") == r"a\|b\*c\<d\>\\n\[e\](f)"


@pytest.mark.parametrize(("text", "shown"), [("é 日本", "é 日本"), ("a\tb", r"a\tb"), ("\ud800", r"\ud800")])
def test_what_prints_is_left_and_what_does_not_is_spelt(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_joiners_inside_words_are_left() -> None:
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    assert visible(f"{family}\u200e") == f"{family}\\u200e"
