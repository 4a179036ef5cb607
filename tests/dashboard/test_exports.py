"""What is taken away says what the page says."""

import io
import re
import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.cli.running import run as command_line
from tests.dashboard.conftest import ROOT, Offered, file_of, open_app, run_of
from tiecore.board.latex import in_latex, ties_in_latex
from tiecore.comparing import compare
from tiecore.diagnostics import anatomy
from tiecore.evaluation.engine import Options
from tiecore.latex import column_of, latex_of
from tiecore.measures import measure
from tiecore.plot import Sheet
from tiecore.ties.tie_breaks import known_as
from tiecore_dashboard import words
from tiecore_dashboard.export import csv_tables, menu
from tiecore_dashboard.export.figures import drawn_by
from tiecore_dashboard.export.reproduce import Recipe, as_command, as_python
from tiecore_dashboard.files.datasets import Dataset
from tiecore_dashboard.pages.pairs.answer import by_need, listed_pairs, pairs_answer, pairs_drawn, pairs_in_latex
from tiecore_dashboard.pages.pairs.duel import duel_of, taken_away
from tiecore_dashboard.pages.ranking.leaderboard import Leaderboard
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.state.sidebar import Settings
from tiecore_dashboard.words import plain

OTHER = Settings(
    measure("nDCG(dcg='exp-log2')@5"), ("input", "random:4"), Options(no_relevant="skip", precision="decimals:1")
)


def changed(data: Dataset, changes: str) -> Dataset:
    if changes == "turned":
        data = data.change(8, lower_is_better=True)
    if changes == "renamed and left out":
        data = data.change(0, name='BM "25"').change(3, used=False).change(4, lower_is_better=True)
    return data


def only(data: Dataset, *names: str) -> Dataset:
    for at, feature in enumerate(data.features):
        data = data.change(at, used=feature.name in names)
    return data


in_every_state = pytest.mark.parametrize("changes", ["as it is", "turned", "renamed and left out"])


@in_every_state
def test_the_code_gives_what_is_shown(sample_data: Dataset, changes: str, monkeypatch: pytest.MonkeyPatch) -> None:
    view = cached.view(changed(sample_data, changes), OTHER)
    monkeypatch.chdir(ROOT)
    assert '"sample_data/qrels.txt"' in as_python(view), "nothing of this machine"
    (table,) = run_of(as_python(view))[1]
    pd.testing.assert_frame_equal(table, cached.board(view).rows.loc[:, :"holm"])


def test_the_code_prints_a_line_a_feature_and_leaves_no_column_out(
    sample_view: View, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    exec(as_python(sample_view), {})
    heads, _, *lines = capsys.readouterr().out.splitlines()
    assert heads.split() == [*cached.board(sample_view).rows.loc[:, :"holm"]]
    assert [line.split()[0] for line in lines] == [*cached.board(sample_view).names]
    places, values, told = as_command(sample_view).splitlines()
    assert told == as_python(sample_view).splitlines()[0] == "# sample_data is a folder in the repository of tiecore"
    assert places.endswith("--top 0"), "all rows"
    said = "docid-desc is trec_eval (ids ↓), docid-asc is Anserini (ids ↑), input is file order."
    assert all(said in command_line(*shlex.split(line)[1:]).stdout.replace("\n", " ") for line in (places, values))


@in_every_state
def test_the_command_gives_what_is_shown(sample_data: Dataset, changes: str, monkeypatch: pytest.MonkeyPatch) -> None:
    common = replace(OTHER, options=replace(OTHER.options, queries="common"))
    view = cached.view(changed(sample_data, changes), common)
    of_files, tables = {'BM "25"': "bm25"}, {}
    monkeypatch.chdir(ROOT)
    for line in as_command(view).splitlines()[:2]:
        program, name, *arguments = shlex.split(line)
        part = ["--part", "pairs"] if name == "stability" else []
        done = command_line(name, *arguments, *part, "--format", "csv")
        assert (program, done.exit_code) == ("tiecore", 0), done.stderr
        tables[name] = pd.read_csv(io.StringIO(done.stdout), keep_default_na=False, na_values=[""])
    assert list(tables) == ["stability", "evaluate"]
    pairs = cached.board(view).pairs.replace(of_files)
    shown = ["leader", "trailer", "low", "high", "verdict", "tie_risk"]
    pd.testing.assert_frame_equal(tables["stability"][shown], pairs[shown], check_dtype=False, rtol=0, atol=1e-9)
    found = tables["evaluate"].set_index("feature")["expected"]
    expected = view.leaderboard["expected"].rename(of_files)
    assert sorted(found.index) == sorted(expected.index)
    assert found[expected.index].tolist() == pytest.approx(expected.tolist(), abs=1e-12)
    assert ("--only" in as_command(view)) == (changes == "renamed and left out")


def test_a_command_names_a_labelled_file_once_no_option_and_no_two_features_alike(tiny_data: Dataset) -> None:
    again = file_of("other.csv", "query_id,doc_id,clicks\nq1,d1,3\n")
    view = cached.view(tiny_data.add([again]), replace(OTHER, tie_breaks=()))
    assert as_command(view) == ""
    assert "clicks" in as_python(view)
    data = tiny_data.add([file_of("-m.csv", "query_id,doc_id,other\nq1,d1,3\n")])
    command = as_command(cached.view(data, replace(OTHER, tie_breaks=())))
    assert shlex.split(command, comments=True)[4] == "./-m.csv"
    view = cached.view(tiny_data.judged_by(tiny_data.files[0].digest), replace(OTHER, tie_breaks=()))
    lines = [line.partition(" -m ")[0] for line in as_command(view).splitlines()]
    assert lines == [f"tiecore {name} qrels.txt table.csv" for name in ("stability", "evaluate")]


def test_a_feature_called_like_the_placeholder_keeps_its_name(tiny_view: View) -> None:
    recipe = Recipe(shows=['blame(evaluation, {measure}, "{measure}")'])
    assert f'blame(evaluation, "{tiny_view.measure}", "{{measure}}")' in as_python(tiny_view, recipe)


def test_latex_is_escaped_and_has_a_cell_for_each_text_and_no_name_is_an_argument() -> None:
    columns = {"a_b": ["50% of_{x} & ~", "y"], "c": ["d", "e"], "f": ["0.1", "0.2"]}
    text = latex_of([column_of(*one) for one in columns.items()], caption="nDCG_10", label="mine")
    assert r"50\% of\_\{x\} \& \textasciitilde{} & d & 0.1" in text
    assert "\\label{tab:mine}" in text
    assert "{lll}" in text
    rows = [line for line in text.splitlines() if line.endswith("\\\\")]
    assert [row.count(" & ") for row in rows] == [2, 2, 2]
    columns = {"[2pt]": ["[1cm]", "*", " [x]"], "value": ["0.1000", "0.2000", "0.3000"]}
    text = latex_of([column_of(*one) for one in columns.items()], caption="x", label="x")
    assert not re.findall(r"(?:\\\\|\\[a-z]+rule)\s*[\[*]", text)
    assert "{[}1cm] & 0.1000" in text


def test_names_in_a_cell_are_written_as_names_and_that_of_a_file_is_never_too_long(sample_view: View) -> None:
    pairs = cached.board(sample_view).stability.pairs
    assert any(len(names) > 1 for names in pairs["reversed_by"])
    again = pd.read_csv(io.BytesIO(csv_tables.as_csv(pairs)), encoding="utf-8-sig", keep_default_na=False)
    assert again["Reversed by"].tolist() == [", ".join(map(known_as, names)) for names in pairs["reversed_by"]]
    assert len(csv_tables.file_stem("pairs", "x" * 1000)) < 200


def test_a_csv_has_the_numbers_under_names_that_people_read(tiny_view: View, tmp_path: Path) -> None:
    rows = cached.board(tiny_view).rows
    rows = rows.assign(value=[0.1 + 0.2, *rows["value"].iloc[1:]])
    (tmp_path / "board.csv").write_bytes(csv_tables.as_csv(rows, "nDCG@10"))
    again = pd.read_csv(tmp_path / "board.csv", encoding="utf-8-sig")
    assert again["nDCG@10"].tolist() == pytest.approx(rows["value"].tolist(), rel=1e-11)
    assert again["trec_eval (ids ↓): place"].tolist() == rows["docid-desc place"].tolist()
    assert "0.3," in (tmp_path / "board.csv").read_text(), "no digit that is noise"
    called = " ".join(map(str, again))
    assert not re.search("[a-z]_[a-z]|docid|holm", called.replace("trec_eval", "")), called
    assert not again.isna().all().any(), "no empty column"
    verdicts = pd.read_csv(io.BytesIO(csv_tables.as_csv(pd.DataFrame({"verdict": ["input correlates", "open"]}))))
    assert verdicts.iloc[:, 0].tolist() == ["file order correlates", "open"]
    told = pd.DataFrame({"grades": ["3 × 2, – × 7"], "docid-asc rank": [11.0], "input rank": [1.5], "alarm": [""]})
    in_words = '"2 of grade 3, 7 unjudged",11,1.5'
    assert csv_tables.as_csv(told).decode("utf-8-sig").splitlines()[1] == in_words, "and no empty column"
    assert csv_tables.as_csv(pd.DataFrame({"leader": [], "judge_a": []})).decode("utf-8-sig") == "Ahead,Judge\n"


def test_a_csv_calls_a_column_as_the_page_does_in_its_unit_and_says_what_an_interval_is_of(sample_view: View) -> None:
    def titles_of(table: pd.DataFrame, **how: str) -> set[str]:
        return {*map(str, pd.read_csv(io.BytesIO(csv_tables.as_csv(table, "AP", **how)), encoding="utf-8-sig"))}

    board, described = cached.board(sample_view), anatomy(sample_view.evaluation, cutoffs=[10])
    shares = {"Tied (%)", "In mixed ties (%)", "All tied (%)", "Cut 10 in a tie (%)", "Cut 10 in a mixed tie (%)"}
    assert titles_of(described) >= shares | {"Levels per query"}
    written = pd.read_csv(io.BytesIO(csv_tables.as_csv(described)), index_col="Feature", encoding="utf-8-sig")
    assert written["Tied (%)"].tolist() == pytest.approx((100 * described["tied"]).tolist(), rel=1e-11)
    pairs = {"Order under ties", "Smallest detectable difference (80 % power)", "Tie risk (%)", "p (Holm)"}
    assert titles_of(board.pairs) >= pairs | {"95 % over queries: from", "Difference: Holm interval to"}
    assert titles_of(board.pairs, queries="tasks") >= {"95 % over tasks: to", "Tasks"}
    duel = duel_of(sample_view, board.only(board.names[:2]))
    ((label, queries),) = taken_away(duel, [*sample_view.leaderboard.index])[0].items()
    assert label == "Queries of bm25 and title_match"
    values = {"nDCG@10 of bm25", "nDCG@10 of title_match", "Difference", "Difference: file order"}
    assert titles_of(queries) >= values
    assert csv_tables.file_stem("queries", label) == "queries-of-bm25-and-title-match"


@pytest.mark.usefixtures("no_preview")
def test_a_text_of_ones_own_is_kept_while_the_figure_shows_the_same(tiny_data: Dataset) -> None:
    app = open_app(state={"dataset": tiny_data, "ranking_exports": True})

    def titled(text: str | None = None, **state: str) -> str:
        title, *_ = app.text_area
        if text is not None:
            title.set_value(text)
        for name, value in state.items():
            app.session_state[name] = value
        app.run()
        assert not app.exception
        return str(app.text_area[0].value)

    assert titled() == "nDCG@10 of 3 features, 3 queries"
    assert titled("Our systems") == "Our systems"
    assert titled(studio_width="slide").startswith("Too few queries to tell: ")
    assert app.text_area[1].value == "Our systems", "what it was typed for"
    assert titled("") == ""
    assert (titled(studio_width="column"), app.text_area[1].value) == ("Our systems", ""), "so is what was emptied"
    assert titled(studio_width="page") == "Our systems"
    assert titled(k="20", studio_width="page") == "nDCG@20 of 3 features, 3 queries"


@pytest.mark.usefixtures("no_preview")
def test_settings_that_are_not_the_usual_ones_stand_in_tables_figures_and_papers(offered: Offered) -> None:
    app = open_app(query={"missing": "last"}, state={"ranking_exports": True})
    said = "Judged documents without a score: last."
    assert str(app.text_area[2].value).endswith(f"Data: the sample. {said}")
    assert all(f" {said}}}\n" in str(make()) for label, make in offered.items() if label.endswith("(LaTeX)"))
    assert offered["Pairs (CSV)"]().decode().partition("\n")[2].count(f",{said}\n") == 45, "in each row"


def test_tables_of_a_paper_have_six_columns_what_is_found_as_caption_and_no_raw_names(sample_view: View) -> None:
    board = cached.board(sample_view)
    text, ties = in_latex(board), ties_in_latex(board)
    assert "& 0.4980 (1)\\phantom{0} \\\\" in ties, "query_url_clicks is first, and decimals stand below each other"
    assert max(line.count(" & ") for line in text.splitlines()) == 5 + 2, "a value takes three columns of LaTeX"
    assert max(line.count(" & ") for line in ties.splitlines()) == 5
    assert "\\caption{No clear winner: bm25 is ahead of title\\_match by 0.0388 in nDCG@10, but" in text
    for table in (text, ties):
        assert "Do not rank query\\_url\\_clicks with file order" in table
    row = next(line for line in text.splitlines() if "& title" in line)
    low, high = board.rows.loc["title_match", ["holm_low", "holm_high"]]
    assert f"0.0388 ({low:.4f} to {high:.4f}) & $\\circ$ open & below 1\\,\\%" in row.replace("$-$", "-")
    assert not re.search("behind_low|docid", text + ties)
    some = board.only(["bm25", "title_match", "dwell"])
    assert "3 of 10 features." in in_latex(some)
    assert "3 of 10 features." in ties_in_latex(some)
    pairs, key = pairs_in_latex(board.pairs, board.stability), "Tie risk: chance that a random tie-break puts"
    tested = "$t$-tests over queries, with an allowance for rare ones; $p$ adjusted by Holm for 45 pairs. Holm "
    tested += "interval: at the level of this adjustment. Clear: $p$ $\\leq$ 0.05, exactly where this interval excl"
    assert all(told in paper for paper in (text, pairs) for told in (tested, key))
    assert "Reversed by: tie-breaks that put the second feature ahead." in pairs
    assert all("Allowance: the interval of a difference is wider where one of" in paper for paper in (text, pairs))
    assert {"&  & .15 &", "& 1 &  &"} == {*re.findall(r"&  & \.15 &|& 1 &  &", pairs)}, "decimals below each other"
    assert "$z$ = 11.4" in text
    many = replace(board, rows=board.rows.drop(columns="letters"))
    rows = in_latex(many).partition(r"\midrule")[2].splitlines()[1:]
    ruled = [at for at, line in enumerate(rows) if line.strip() == r"\midrule"]
    assert ruled == [first + number for number, first in enumerate(board.new_groups)] != [], "for letters"


def test_of_many_pairs_a_paper_has_those_of_the_best_features_on_one_page() -> None:
    better = pd.DataFrame({f"feature_{at:02}": np.linspace(0, 1, 30) - at / 20 for at in range(11)})
    study = compare(better, measure="AP")
    shown, part = listed_pairs(study.pairs, study)
    assert (len(study.pairs), len(shown)) == (55, 20)
    assert part.startswith("Below, pairs of the 10 best features that need a look")
    clear = shown[shown["verdict"] == "clear"]
    assert ("clearly beats" in part) == (len(clear) > 0)
    paper = pairs_in_latex(study.pairs, study)
    assert f"{part}. Paired" in paper.replace("$", "")
    assert paper.count(r"\begin{tabular}") == 1
    assert len(re.findall(r"^    feature\\_\d+ ", paper, flags=re.MULTILINE)) == 20
    for sheet, most in ((Sheet(width="page"), 20), (Sheet(width="slide"), 10)):
        shown, part = listed_pairs(study.pairs, study, most)
        figure = pairs_drawn(study)["Pairs"](sheet)
        assert figure.answer == f"{plain(pairs_answer(study)[0])} {part}."
        named = [" − ".join(pair) for pair in shown[["leader", "trailer"]].itertuples(index=False)]
        assert [text.get_text() for text in figure.axes[0].get_yticklabels()] == named


def test_of_one_pair_nothing_is_adjusted_and_no_blank_is_written_as_its_code(sample_view: View) -> None:
    two = cached.board(cached.view(only(sample_view.dataset, "bm25", "title_match"), sample_view.settings))
    paper = pairs_in_latex(two.stability.pairs, two.stability).replace("$-$", "−")
    assert "0.0832); random tie-breaks hardly ever reverse the order (tie risk below 1\\,\\%). " in paper
    figures = (one(Sheet()) for one in (drawn_by("board", two), drawn_by("pairs", two.stability)))
    meanings = words.meanings(two.stability.words).values()
    for text in (paper, in_latex(two), *meanings, *(figure.note for figure in figures)):
        assert "xa0" not in text
        assert "djusted" not in text
    for text in (paper, in_latex(two)):
        assert not re.search(r"Holm|superscript|letter|the others", text)
        assert text.count("50 queries") == 1
        assert "interval and paired $t$-test over queries, with an allowance for rare ones; clear: " in text
    told = "p: of the paired t-test of the difference. The standard error allows for rare cases that were not seen."
    assert told in Leaderboard(two, "numbers").notes()


def test_pairs_come_in_one_order_in_every_export(sample_view: View) -> None:
    study = cached.board(sample_view).stability
    pairs, _ = listed_pairs(study.pairs, study)
    assert {*by_need(pairs).index[:9]} == {*by_need(study.pairs).index[:9]}, "those that need a look"
    assert pairs["verdict"].eq("clear").sum() == 3 == pairs["verdict"].iloc[-3:].eq("clear").sum()
    named = [" − ".join(pair) for pair in pairs[["leader", "trailer"]].itertuples(index=False)]
    paper = pairs_in_latex(study.pairs, study).replace("\\_", "_").replace("$-$~", "− ")
    assert re.findall(r"^    (?:\\raggedright )?(\S+ − \S+) & ", paper, flags=re.MULTILINE) == named
    assert "Below, 6 of these pairs." in pairs_in_latex(study.pairs[:6], study), "what is counted is all"


@pytest.mark.usefixtures("no_preview")
def test_the_name_of_a_file_says_what_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    offered: dict[str, str] = {}
    monkeypatch.setattr(menu, "offer_file", lambda label, *_, file_name, **__: offered.update({label: file_name}))
    open_app(state={"ranking_exports": True})
    assert not [name for name in offered.values() if "-of-10-" in name]
    offered.clear()
    app = open_app(query={"ranking_search": "URL"}, state={"ranking_exports": True})
    assert ".only(['query_url_clicks', 'url_clicks', 'url_length', 'url_slashes']).rows" in app.code[0].value
    assert "**The numbers of all features on the command line**" in {one.value for one in app.markdown}
    assert "Pairs (CSV)" in offered
    assert all(re.match("sample-ranking-.*-4-of-10-ndcg", name) for name in offered.values())


@pytest.mark.usefixtures("no_preview")
@pytest.mark.parametrize("measured", ["nDCG", "ERR"])
def test_no_column_is_called_what_it_does_not_hold(offered: Offered, measured: str) -> None:
    open_app("cutoffs", query={"measure": measured}, state={"cutoffs_exports": True})
    titles = pd.read_csv(io.BytesIO(offered["Curves (CSV)"]()), encoding="utf-8-sig").columns
    assert any("of random tie-breaks" in title for title in titles) == measure(f"{measured}@10").has_variance
