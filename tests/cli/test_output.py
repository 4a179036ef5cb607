"""Where results go and in which dress: files, pipes, terminals, encodings, and names that mean harm."""

import json
import re
from pathlib import Path

import pytest
from rich.cells import cell_len

from tests.cli.running import HOSTILE, TINY_FILES, answer, hostile_table, mistake, on_a_screen, rows_of, run
from tiecore.cli.render.text import shorten, shorten_all
from tiecore.escape import in_csv, visible

CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return hostile_table(tmp_path_factory.mktemp("hostile"))


@pytest.mark.parametrize(
    ("ending", "format"), [("csv", "csv"), ("json", "json"), ("md", "markdown"), ("tex", "latex"), ("TXT", "table")]
)
def test_the_ending_of_the_file_says_the_format_unless_asked_for(tmp_path: Path, ending: str, format: str) -> None:
    path = tmp_path / f"values.{ending}"
    assert answer("evaluate", *TINY_FILES, "-o", path) == ""
    assert path.read_text(encoding="utf-8") == answer("evaluate", *TINY_FILES, "-f", format)
    answer("evaluate", *TINY_FILES, "-o", path, "-f", "json")
    assert json.loads(path.read_text())["command"] == "evaluate"


def test_a_picture_is_the_figure_of_the_board_and_a_pdf_has_a_page_for_each_measure(tmp_path: Path) -> None:
    for name, begin in (("a.svg", b"<?xml"), ("a.PNG", b"\x89PNG")):
        assert answer("evaluate", *TINY_FILES, "-m", "AP", "-o", tmp_path / name) == ""
        assert (tmp_path / name).read_bytes().startswith(begin)
    two = ("evaluate", *TINY_FILES, "-m", "AP", "-m", "RR", "-o")
    assert answer(*two, tmp_path / "two.pdf") == ""
    pages = (tmp_path / "two.pdf").read_bytes()
    assert (pages[:4], pages.count(b"/Type /Page ")) == (b"%PDF", 2)
    assert "one SVG holds one measure" in mistake(*two, tmp_path / "two.svg")
    assert "has no figure" in mistake("ties", *TINY_FILES, "-o", tmp_path / "ties.pdf")
    assert {path.name for path in tmp_path.iterdir()} == {"a.svg", "a.PNG", "two.pdf"}


def test_a_figure_with_letters_that_no_font_has_says_so(tmp_path: Path) -> None:
    run_of = "".join(f"q1 Q0 d{n} {n} {9 - n} 𓀀\n" for n in range(1, 4))
    (tmp_path / "a.run").write_text(run_of, encoding="utf-8")
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\nq1 0 d2 0\n")
    result = run("evaluate", tmp_path / "qrels.txt", tmp_path / "a.run", "-m", "RR", "-o", tmp_path / "a.svg")
    assert "note: no font here has 𓀀, drawn as boxes" in result.stderr


def test_a_file_is_utf_8_whatever_the_terminal_can_write(hostile: Path, tmp_path: Path) -> None:
    path = tmp_path / "values.csv"
    run("evaluate", hostile, "-o", path, charset="ascii")
    assert "日本語" in path.read_text(encoding="utf-8")


def test_a_file_that_cannot_be_written_is_refused_before_the_work(tmp_path: Path) -> None:
    copy = tmp_path / "qrels.txt"
    copy.write_bytes(TINY_FILES[0].read_bytes())
    (tmp_path / "old.csv").touch()
    answer("evaluate", *TINY_FILES, "-o", tmp_path / "old.csv")
    assert "it is one of the inputs" in mistake("evaluate", copy, *TINY_FILES[1:], "-o", copy)
    assert "it is a directory" in mistake("evaluate", "no/such.run", "-o", tmp_path)
    assert "no directory" in mistake("evaluate", "no/such.run", "-o", tmp_path / "deep" / "values.csv")
    assert copy.read_bytes() == TINY_FILES[0].read_bytes()


UNBOUNDED = """query_id,doc_id,relevance,feature,measure,a,b
1,d1,1,1,1,2,inf
1,d2,0,1,2,1,0
1,d3,0,0,2,0,0
2,d1,1,1,1,2,1
2,d2,0,1,2,1,1
2,d3,0,0,2,0,-inf
"""


@pytest.mark.parametrize(
    "command",
    [
        ["evaluate", "-m", "AP,ESL,PRR,GMAP"],
        ["evaluate", "--per-query"],
        ["ties", "--part", "anatomy,cost,bias,bias_features,hidden,advice"],
        ["ties", "--feature", "b", "--query", "1", "--part", "blame,culprits"],
        ["ties", "--feature", "b", "--query", "2", "--part", "culprits"],
        ["stability", "--part", "places,pairs,agreement"],
    ],
)
def test_json_is_valid_whatever_the_values_and_names(command: list[str], tmp_path: Path) -> None:
    """An infinite score or effect and features called like columns."""
    path = tmp_path / "unbounded.csv"
    path.write_text(UNBOUNDED)
    name, *options = command
    text = answer(name, path, *options, "-t", "docid-asc", "-f", "json")
    content = json.loads(text, parse_constant=lambda constant: pytest.fail(f"{constant} is no JSON"))
    assert [row for rows in content.values() if isinstance(rows, list) for row in rows]
    for format in ("table", "markdown", "latex"):
        answer(name, path, *options, "-t", "docid-asc", "-f", format)


def test_json_writes_an_infinite_number_as_a_text_and_no_value_as_null(tmp_path: Path) -> None:
    path = tmp_path / "unbounded.csv"
    path.write_text(UNBOUNDED)
    scores = set()
    for query in (1, 2):
        asked = ("ties", path, "--feature", "b", "--query", query, "--part", "culprits", "-f", "json")
        scores |= {row["score"] for row in json.loads(answer(*asked))["culprits"]}
    assert {"Infinity", "-Infinity"} <= scores
    assert {float(score) for score in scores} == {float("inf"), float("-inf"), 0.0, 1.0}
    content = json.loads(answer("evaluate", *TINY_FILES, "-m", "ESL", "-f", "json"))
    assert {row["sd"] for row in content["summary"]} == {None}


@pytest.mark.parametrize(
    ("command", "format"),
    [
        *((["evaluate"], format) for format in ("table", "json", "markdown", "latex")),
        *((command, "table") for command in (["evaluate", "--per-query"], ["ties"], ["stability"])),
        (["ties"], "json"),
        (["stability"], "latex"),
    ],
)
def test_no_name_steers_a_terminal(hostile: Path, command: list[str], format: str) -> None:
    name, *further = command
    result = run(name, hostile, *further, "-t", "random:1", "-f", format)
    assert result.exit_code == 0
    assert not CONTROL.search(result.stdout + result.stderr)


def test_files_keep_names_but_for_formulas_in_csv(hostile: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    piped = rows_of(answer("evaluate", hostile, "-m", "AP", "-f", "csv"))
    assert {row["feature"] for row in piped} == set(map(in_csv, HOSTILE))
    shown = on_a_screen(monkeypatch, "stdout", "evaluate", hostile, "-m", "AP", "-f", "csv")
    assert {row["feature"] for row in rows_of(shown)} == {in_csv(visible(name)) for name in HOSTILE}
    content = json.loads(answer("evaluate", hostile, "-m", "AP", "-f", "json"))
    assert {row["feature"] for row in content["summary"]} == set(HOSTILE)


def test_markdown_has_one_cell_for_each_column(hostile: Path) -> None:
    text = answer("evaluate", hostile, "-m", "AP", "-t", "input", "-f", "markdown")
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == len(HOSTILE) + 2
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {8}
    assert r"\_\*\|\&%\$#{}\~^\\\<\>" in text


def test_latex_has_one_cell_for_each_column_and_escapes_the_rest(hostile: Path) -> None:
    text = answer("evaluate", hostile, "-m", "AP", "-t", "input", "-f", "latex")
    lines = [line.strip() for line in text.splitlines()]
    rows = [line for line in lines if line.endswith((r" \\", r"[2pt]")) and "multicolumn" not in line]
    assert len(rows) == len(HOSTILE) + 1
    assert {len(re.findall(r"(?<!\\)&", row)) for row in rows} == {6}
    assert r"\_{*}\textbar{}\&\%\$\#\{\}\textasciitilde{}\textasciicircum{}\textbackslash{}" in text
    assert lines.count(r"\toprule") == lines.count(r"\bottomrule") == 1
    assert "[" not in re.sub(r"\{\[\}|\[2pt\]", "", "".join(rows))


@pytest.mark.parametrize("width", range(3, 14))
@pytest.mark.parametrize("text", ["query_url_clicks", "日本語の特徴の名前", "short"])
def test_a_shortened_text_is_no_wider_than_asked(text: str, width: int) -> None:
    short = shorten(text, width)
    assert cell_len(short) <= width
    assert (short == text) == (cell_len(text) <= width)


def test_different_names_stay_different_when_shortened() -> None:
    names = ["prefix_" + "x" * 30 + middle + "y" * 30 for middle in "abc"]
    assert len(set(shorten_all(names, 12))) == 3
    assert shorten_all(["a" * 20, "a" * 20], 9) == ["aaaa…aaaa"] * 2


@pytest.mark.parametrize("width", [50, 80])
@pytest.mark.parametrize("command", ["evaluate", "ties", "stability"])
def test_tables_stay_inside_the_terminal(command: str, width: int, hostile: Path) -> None:
    text = answer(command, hostile, "-t", "docid-asc,random:1,feature:=1+2", width=width)
    assert max(map(cell_len, text.splitlines())) <= width


def test_a_pipe_gets_no_colours_and_a_terminal_does_unless_it_wants_none(monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ["evaluate", *TINY_FILES, "-m", "RR", "-t", "docid-desc"]
    shown, plain = on_a_screen(monkeypatch, "stdout", *arguments), answer(*arguments)
    assert "\x1b[1mRR\x1b[0m" in shown
    assert re.sub(r"\x1b\[[0-9;]*m", "", shown) == plain
    assert on_a_screen(monkeypatch, "stdout", *arguments, NO_COLOR="1") == plain
    assert run(*arguments, env={"FORCE_COLOR": "1"}).stdout == plain


def test_a_terminal_without_our_signs_gets_others(hostile: Path) -> None:
    result = run("evaluate", hostile, "-m", "AP,ESL", "-t", "random:1", charset="ascii")
    assert result.exit_code == 0
    text = result.stdout_bytes.decode("ascii")
    assert re.search(r"\|-*o-*\|", text)
    assert r"\u65e5\u672c" in text  # a name is spelt out, not refused


def test_progress_is_shown_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ["evaluate", *TINY_FILES]
    assert "evaluating" not in run(*arguments).stderr
    assert "evaluating 2/2" in on_a_screen(monkeypatch, "stderr", *arguments)
    assert "evaluating" not in on_a_screen(monkeypatch, "stderr", *arguments, TERM="dumb")
