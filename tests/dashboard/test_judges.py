"""The page Judges: the systems under each file of judgments that is loaded."""

import io
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import tiecore
from tests.cli.running import run
from tests.dashboard.conftest import answer_of, code_of, file_of, html_of, loaded, open_app, plain, run_of
from tests.pages import SAMPLE
from tiecore.comparing import agreement_of_grades
from tiecore_dashboard.export.reproduce import as_agreement
from tiecore_dashboard.files.datasets import Dataset
from tiecore_dashboard.files.joined import fitted
from tiecore_dashboard.files.sources import sample

NAMES = ("qrels.txt", "second_judge.txt", "bm25.run.gz", "clicks.csv")
HUMAN = "".join(f"q{n} 0 {d} {int(d == 'a')}\n" for n in range(40) for d in "abc")
MODEL = "".join(f"q{n} 0 {d} {'abc'.index(d) % 2 + 1}\n" for n in range(40) for d in "abc")
RUNS = "query_id,doc_id,one,two\n" + "".join(
    f"q{n},{d},{score},{other}\n" for n in range(40) for d, score, other in (("a", 3, 2), ("b", 2, 3), ("c", 1, 1))
)


def table_of(app: AppTest, alt: str) -> pd.DataFrame:
    return next(pd.DataFrame(one.value).reset_index(drop=True) for one in app.dataframe if one.proto.alt == alt)


def judged(**contents: str) -> Dataset:
    data = loaded(**{f"{name}__{'csv' if name == 'runs' else 'txt'}": text for name, text in contents.items()})
    return data.judged_by(data.files[0].digest)


@pytest.fixture
def opposed() -> Dataset:
    return judged(human=HUMAN, model=MODEL, runs=RUNS)


def test_the_page_says_what_tiecore_judges_says() -> None:
    data = Dataset().add(file_of(name, (SAMPLE / name).read_bytes()) for name in NAMES)
    app = open_app("judges", state={"dataset": data})
    known = tiecore.judges({name[:-4]: SAMPLE / name for name in NAMES[:2]}, [SAMPLE / name for name in NAMES[2:]])
    shown = table_of(app, "Agreement of each pair of judges")
    columns = ["tau_b", "kappa", "judge_a", "judge_b", "tau_ap", "n_queries", "n_documents"]
    wanted = known.agreement.reset_index()[columns]
    pd.testing.assert_frame_equal(shown[columns], wanted, check_dtype=False, rtol=0, atol=1e-12)
    assert not any("low" in str(name) for name in shown), "the ends of what draws give are no interval"
    assert plain(answer_of(app)) == plain("".join(known.sentences))


def test_reversed_pairs_come_first_and_the_code_gives_the_same(
    opposed: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, offered: dict[str, Any]
) -> None:
    app = open_app("judges", state={"dataset": opposed, "judges_exports": True})
    survives = "The order does not survive: human puts one first and model puts two first; only one and"
    assert survives in plain(answer_of(app))
    assert "In colour: those of pairs that swap clearly, at most 8." in app.caption[0].value
    turned = table_of(app, "Clear one way under one judge, the other way under another")
    assert [*turned[["judge_a", "judge_b", "leader", "trailer"]].to_numpy()[0]] == ["human", "model", "one", "two"]
    for name, text in (("human.txt", HUMAN), ("model.txt", MODEL), ("runs.csv", RUNS)):
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    names, _ = run_of(code_of(app, "python"))
    pd.testing.assert_frame_equal(names["found"].reversed, turned, check_dtype=False, check_like=True)
    done = run(*shlex.split(code_of(app, "bash"))[1:], "--format", "json")
    assert json.loads(done.stdout)["reversed"][0]["leader"] == "one", done.stderr
    assert "two & 0.6309 (2)" in offered["Places (LaTeX)"]()


def test_the_chart_has_a_column_a_judge_and_colours_those_that_move(opposed: Dataset) -> None:
    def drawn(dataset: Dataset) -> tuple[list[str], dict[str, list[int]]]:
        app = open_app("judges", state={"dataset": dataset})
        figure = json.loads(app.get("plotly_chart")[0].proto.spec)
        strong = [own for own in figure["data"] if own.get("line", {}).get("width") == 2.6]
        return figure["layout"]["xaxis"]["ticktext"], {own["customdata"][0][0]: own["y"][:2] for own in strong}

    assert drawn(opposed) == (["human", "model"], {"one": [0, 1], "two": [1, 0]})
    assert drawn(judged(a=HUMAN, b=HUMAN + "q40 0 a 1\n", runs=RUNS)) == (["a", "b"], {})


def test_with_one_file_of_judgments_it_says_what_it_needs_and_no_more(tiny_data: Dataset) -> None:
    app = open_app("judges", state={"dataset": tiny_data})
    assert ["an assessor’s and a model’s. With two" in one.value for one in app.info] == [True]
    assert [len(shown) for shown in (app.dataframe, app.get("plotly_chart"), app.code)] == [0, 0, 0]


@pytest.mark.usefixtures("no_preview")
def test_the_sample_shows_a_second_judge_on_this_page_alone(offered: dict[str, Any]) -> None:
    app = open_app("judges", state={"judges_exports": True})
    notes = " ".join(str(note.value) for note in app.caption)
    assert "Thick: features that change place. A click highlights others." in notes, "none swaps clearly"
    assert "The sample has a second judge here" in notes
    answer = "both judges put bm25 first, but clearly so only under second_judge. 5 of 45 pairs swap, none of them"
    answer = f"The first place survives: {answer} clearly; 9 are"
    pools = "The judges did not grade the same documents. Documents graded: 6,190 by"
    assert f"{answer} clear under one judge alone. {pools}" in plain(answer_of(app).replace("<ul>", " "))
    assert [file.name for file in app.session_state["dataset"].files] == [file.name for file in sample().files]
    assert "data" not in app.query_params
    swapped = pd.read_csv(io.BytesIO(offered["Swapped pairs (CSV)"]()), encoding="utf-8-sig")
    assert swapped["Verdict"].tolist() == ["open"] * 5, "all that the answer counts"
    assert (swapped["Difference under qrels"] * swapped["Difference under second_judge"] < 0).all()


def test_a_stray_grade_is_told_where_it_has_a_say() -> None:
    many = "".join(f"q{n} 0 a {n % 2}\n" for n in range(2000))
    data = judged(human=many, model=f"{many}q0 0 b 9\n", runs=RUNS)
    assert "model: 1 of 2,001 grades is 9" in html_of(open_app("ranking", state={"dataset": data}))
    app = open_app("data", state={"dataset": judged(human=HUMAN.replace(" 1\n", " 0\n"), runs=RUNS)})
    assert "No document has grade 1 or higher" in "".join(one.value for one in app.warning)


def test_files_of_judgments_are_offered_as_judges_and_not_as_features(opposed: Dataset, tiny_data: Dataset) -> None:
    app = open_app("data", state={"dataset": opposed})
    assert "2 judges: does the order survive?" in [link.proto.label for link in app.get("page_link")]
    assert ["another judge" in one.value["role"].tolist() for one in app.dataframe if "role" in one.value] == [True]
    for alien in ("x 0 a 1\n", "q1 0 x 1\n", MODEL + MODEL):
        assert [*fitted(judged(human=HUMAN, alien=alien, runs=RUNS)).judges] == ["human"], "that has no say"
    strip = html_of(open_app("judges", state={"dataset": opposed})).partition('class="strip"')[2]
    assert "<span>2 features</span>" in strip.partition("</p>")[0]
    judgments = loaded(human__txt=HUMAN, model__txt=MODEL, third__txt=HUMAN + "q40 0 a 1\n")
    pair = judged(human=HUMAN, model=MODEL)
    for data in (judgments, pair):
        app = open_app("judges", state={"dataset": data})
        said = "Ranking shows how well the grades of the others order the documents that **human\\.txt** judges. With"
        assert [said in one.value for one in app.info] == [True]
        assert "See how they rank" in [one.proto.label for one in app.get("page_link")]
    assert not {"verdict", "holm"} & {*table_of(app, "Agreement of grades")}, "of one judge there is nothing to compare"
    assert not re.search("the highest|t-test", app.get("plotly_chart")[0].proto.spec + html_of(app))
    beside = fitted(judged(human=HUMAN, model=MODEL, alien="x 0 a 1\n"))
    assert "is left out; the page Data says why." in html_of(open_app("judges", state={"dataset": beside}))
    for data, label in ((pair, ["2 judges: whose grades agree?"]), (tiny_data, [])):
        app = open_app("data", state={"dataset": data})
        assert [one.proto.label for one in app.get("page_link") if "judges" in one.proto.label] == label


def test_files_of_judgments_alone_say_how_far_their_grades_agree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, offered: dict[str, Any]
) -> None:
    texts = {"human": HUMAN, "model": MODEL, "third": HUMAN.replace("q1 0 b 0", "q1 0 b 1")}
    data = judged(**texts)
    app = open_app("judges", state={"dataset": data})
    known: Any = agreement_of_grades({file.records.stem: file.records for file in data.files})
    shown = table_of(app, "Agreement of grades").set_index("judge")
    own = known.loc["human"].loc[["third", "model"]]
    shown["equal"] /= 100
    assert shown[["verdict", "holm"]].fillna("").to_numpy().tolist() == [["", ""], ["clear", " <.0001"]]
    chart = json.loads(app.get("plotly_chart")[0].proto.spec)
    assert chart["layout"]["yaxis"]["ticktext"] == [*own.index], "the highest κ first"
    assert chart["data"][0]["base"] == shown["kappa_low"].tolist()
    pd.testing.assert_frame_equal(shown[own.columns], own, check_names=False, check_dtype=False, rtol=0, atol=1e-12)
    said, (near, far) = plain(answer_of(app)), (f"{kappa:.2f}" for kappa in own["kappa"])
    wanted = f"third is clearly the nearest to human: its quadratic κ is {near}; that of model, the next, is"
    assert f"{wanted} {far.replace('-', '−')}." in said
    assert "third and human give the same grade to 99.2 % of the 120 documents that both graded." in said
    assert "<p>How far do the grades of the judges agree?</p>" in html_of(app)
    assert "3 judges" in html_of(app).partition('<p class="strip"')[2].partition("</p>")[0]
    app.selectbox(key="judges_to").set_value("model").run()
    assert set(table_of(app, "Agreement of grades")["judge"]) == {"human", "third"}
    for name, text in texts.items():
        (tmp_path / f"{name}.txt").write_text(text)
    monkeypatch.chdir(tmp_path)
    app = open_app("judges", state={"dataset": data, "judges_exports": True})
    assert r"third & 0.98 & 0.94 to 1.00 &  & -- & 99.2\,\% & 0.98 & 120" in offered["Agreement with human (LaTeX)"]()
    assert "Documents,Same grade (%),κ (unweighted)" in offered["Agreement with human (CSV)"]().decode()
    found = run_of(code_of(app, "python"))[0]["found"].table[own.columns]
    pd.testing.assert_frame_equal(found, own.rename_axis("judge"))
    code = as_agreement(judged(**{f"judge_{n}": f"{HUMAN}q 0 a {n}\n" for n in range(6)}), "judge_0")
    assert eval(code[code.index("{") : code.index("}") + 1]) == {f"judge_{n}": f"judge_{n}.txt" for n in range(6)}


def test_the_judge_in_use_comes_first_and_grades_are_no_system(opposed: Dataset) -> None:
    assert list(opposed.change(0, name="GPT").judges) == ["human", "GPT"], "a name that is given is that on all pages"
    assert [one.name for one in opposed.judged_systems.used] == ["one", "two"]
    assert list(opposed.judged_by(opposed.files[1].digest).judges) == ["model", "human"]
