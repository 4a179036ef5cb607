"""Values that were measured elsewhere, dropped in without judgments and scores."""

import re
import shlex
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tiecore
from tests.cli.running import answer
from tests.dashboard.conftest import OWN, SAMPLE, answer_of, code_of, html_of, open_app, plain, put, run_of
from tiecore_dashboard import words

PRINTED = ("bm25.eval", "title_match.eval")
OPENED = {"ranking_exports": True, "pairs_exports": True}
LONG = "task,model,metric,score\n" + "".join(
    f"t{n},{model},{metric},{n * 0.1 + (model == 'one') / 4 * sign}\n"
    for n in range(8)
    for model in ("one", "two")
    for metric, sign in (("gain", 1), ("loss", -1))
)


def named(*names: str) -> list[tuple[str, bytes]]:
    return [(name, (SAMPLE / name).read_bytes()) for name in names]


def test_a_table_of_values_is_recognised_and_its_ranking_is_that_of_compare() -> None:
    app = put(open_app("data"), named("leaderboard.csv"))
    assert not app.error
    (summary,) = (one.value for one in app.markdown if "Values already measured" in one.value)
    assert "**10 features** on **50 queries**" in summary
    turned = put(open_app("data"), [("turned.csv", "system,t1,t2\na,1,2\nb,3,4\n")])
    assert any("**2 features**, a row each, on **2 items**" in one.value for one in turned.markdown)
    ranking = turned.switch_page("../pages/ranking/ranking.py").run()
    assert "ahead of a by 2.0000 in the mean" in plain(answer_of(ranking))
    told = plain(html_of(ranking))
    assert "turned.csv2 items2 features" in told
    assert "Fewer than 6 items are too few" in told
    assert "Bar:" not in told, "there is no interval"
    assert [*app.dataframe[0].value[["kind", "role"]].iloc[0]] == ["values already measured", "values to compare"]
    dataset = app.session_state["dataset"]
    known = tiecore.compare(SAMPLE / "leaderboard.csv")
    app = open_app("ranking", state={"dataset": dataset})
    assert "Bar: 95 % interval over queries" in plain(html_of(app))
    assert plain(answer_of(app)).startswith("No clear winner: bm25 is ahead of title_match by 0.0388")
    assert str(known).split(". ")[1] in plain(answer_of(app))
    app = open_app("pairs", state={"dataset": dataset, "pairs_one": "indegree", "pairs_other": "dwell"})
    assert "Of 45 differences 17 are" in plain(answer_of(app))
    shown = app.dataframe[0].value.set_index(["leader", "trailer"])["difference"]
    pd.testing.assert_series_equal(
        shown.sort_index(), known.pairs.set_index(["leader", "trailer"])["difference"].sort_index(), rtol=0, atol=1e-12
    )
    assert sum(" in values" in one.proto.spec for one in app.get("plotly_chart")) == 2, "of a mean without a name"
    assert not {"tie_risk", "reversed_by"} & set(app.dataframe[0].value)
    assert not any("tie-break" in str(one.value) for one in (*app.markdown, *app.caption))


@pytest.mark.parametrize("page", ["cutoffs", "queries", "ties", "judges"])
def test_other_pages_say_in_a_line_what_they_need(page: str) -> None:
    dataset = put(open_app("data"), named("leaderboard.csv")).session_state["dataset"]
    app = open_app(page, state={"dataset": dataset})
    (said,) = (str(one.value) for one in app.info)
    assert said.endswith("judgments and scores of documents; Ranking and Pairs take values already measured.")


@pytest.mark.usefixtures("no_preview")
def test_what_is_taken_away_of_values_speaks_of_their_tasks_and_of_no_ties(offered: dict[str, Any]) -> None:
    dataset = put(open_app("data"), [("long.csv", LONG.encode())]).session_state["dataset"]
    for page in ("ranking", "pairs"):
        app = open_app(page, state={"dataset": dataset, "values_measure": "gain"} | OPENED)
        assert [one.label for one in app.text_area] == ["Title", "Sentence", "Note"], "a figure"
    files = {f"{table} ({kind})" for table in ("Leaderboard", "Pairs") for kind in ("CSV", "LaTeX")}
    assert files | {"Tasks of one and two (CSV)"} <= {*offered}
    assert re.search(r"<h1>2 features by gain, long.csv<br>[^<]+</h1>", offered["Report (HTML)"]())
    assert not re.search("quer(y|ies)|tie-break", words.plain(offered["Report (HTML)"]().split("</style>")[1]))
    for paper in (offered["Leaderboard (LaTeX)"](), offered["Pairs (LaTeX)"]()):
        assert "tasks" in paper
        assert not re.search("quer|tied|Tie risk", paper)


@pytest.mark.usefixtures("no_preview")
def test_what_trec_eval_prints_is_compared_by_the_chosen_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = put(open_app("data"), named(*PRINTED)).session_state["dataset"]
    app = open_app("ranking", state={"dataset": dataset, "values_measure": "ndcg_cut_10"})
    known = tiecore.compare([SAMPLE / name for name in PRINTED], "ndcg_cut_10")
    assert f"{known.n_queries} queries do not settle it" in plain(answer_of(app))
    assert "nDCG@10" in plain(answer_of(app))
    monkeypatch.chdir(SAMPLE)
    app = open_app("ranking", state={"dataset": dataset, "values_measure": "ndcg_cut_10"} | OPENED)
    (shown,) = run_of(code_of(app, "python"))[1]
    assert dict(shown["place"]) == {"bm25": 1, "title_match": 2}
    assert str(app.text_area[2].value).endswith("Data: bm25.eval and title_match.eval.")


@pytest.mark.usefixtures("no_preview")
def test_lower_values_can_be_better_and_the_code_says_so(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = put(open_app("data"), [("long.csv", LONG.encode())]).session_state["dataset"]
    app = open_app("pairs", state={"dataset": dataset, "values_measure": "loss", "values_lower": True} | OPENED)
    words = "one is clearly better than two, by 0.2500 in loss, where lower is better ("
    assert plain(answer_of(app)).startswith(words)
    (tmp_path / "long.csv").write_text(LONG)
    monkeypatch.chdir(tmp_path)
    assert run_of(code_of(app, "python"))[0]["found"].pairs["leader"].tolist() == ["one"]
    said = answer(*shlex.split(code_of(app, "bash"))[1:])
    assert "one is clearly better than two, by 0.2500 in loss" in said


def test_two_systems_without_a_common_item_are_told_apart_by_nothing() -> None:
    table = pd.DataFrame({"item": list("abcd"), "x": [1, 2, np.nan, np.nan], "y": [np.nan, np.nan, 3, 4]})
    dataset = put(open_app("data"), [("t.csv", table.to_csv(index=False).encode())]).session_state["dataset"]
    app = open_app("pairs", state={"dataset": dataset})
    assert not app.get("plotly_chart")
    app = open_app("pairs", state={"dataset": dataset, "pairs_one": "x", "pairs_other": "x"})
    assert not app.exception


def test_values_of_no_common_measure_promise_no_results_and_no_file_is_gone() -> None:
    app = put(open_app("data"), [("t.csv", "task,system,measure,value\n1,x,a,1\n2,x,a,2\n1,y,b,1\n2,y,b,2\n")])
    assert "Two features need values of the same measure" in app.info[0].value
    app.switch_page("../pages/ranking/ranking.py").run()
    assert "holds one system" in app.error[0].value
    assert not [one for one in app.button if one.label.startswith("Go on without")]


def long_with(value: str) -> str:
    cells = ((n, model, value if n > 2 or value != "oops" else n) for n in range(4) for model in "ab")
    return "task,model,score\n" + "".join(f't{n},{model},"{cell}"\n' for n, model, cell in cells)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("t2,3,oops\nt3,2,2\n", "line 3\\: in column 'b' the value 'oops' is not a number"),
        ('t2,3,"0,4"\nt3,4,"0,2"\n', "line 3\\: in column 'b' the value '0,4' is not a number; write decimals with a "),
        ("t2,3 %,40 %\nt3,22%,1.5%\n", "line 3\\: in column 'a' the value '3 %' is not a number; write decimals with"),
        ("t2,3,4\nt3,1,1\nt4,2,1\nt2,9,9\n", "line 6\\: 'a' has a second value for 't2'; keep one of the two"),
        *((long_with(value), f"the value '{value}' is not a number") for value in ("45 %", "0,45", "oops")),
    ],
)
def test_a_cell_that_is_wrong_is_named_with_file_row_and_remedy_and_nothing_is_asked(table: str, said: str) -> None:
    header = "" if table.startswith("task") else "task,a,b\nt1,1,2\n"
    app = put(open_app("data"), [("mine.csv", header + table)])
    assert said in app.error[0].value
    assert not [one for one in app.button if one.label == "Read it"]


def test_beside_judgments_values_are_listed_and_not_used() -> None:
    alone = put(open_app("data"), named(*PRINTED[:1]))
    assert "**1 feature** on **50 queries**. Two features need" in alone.info[0].value
    app = put(open_app("data"), [*named("leaderboard.csv"), ("qrels.txt", OWN["qrels.txt"])])
    assert "Features are missing" in app.info[0].value
    assert "**leaderboard\\.csv**\\: values already measured, as no column names the documents" in app.warning[0].value
    assert app.dataframe[0].value["role"].tolist() == ["not used", "judgments"]
    app = put(app, [("table.csv", OWN["table.csv"])]).switch_page("../pages/ranking/ranking.py").run()
    assert "leaderboard.csv is left out; the page Data" in html_of(app)


def test_more_features_than_the_pages_can_show_are_said_at_once() -> None:
    table = pd.DataFrame(np.arange(4 * 301).reshape(4, 301) // 602 + 1, index=[*"abcd"]).add_prefix("s")
    app = put(open_app("data"), [("wide.csv", table.to_csv(index_label="task").encode())])
    ranking = app.switch_page("../pages/ranking/ranking.py").run()
    assert "301 features are too many for these pages, which compare up to 300" in ranking.error[0].value
    rows = "".join(f"q,d{d},{d % 2}{',1' * 301}\n" for d in range(4))
    header = f"query,doc,grade,{','.join(table.columns)}\n"
    app = put(open_app("data"), [("scored.csv", header + rows)])
    (summary,) = (one.value for one in app.markdown if "judged by" in one.value)
    assert "1 more feature can be chosen in the table" in summary
    assert "300 of 301 features" in html_of(app.switch_page("../pages/ranking/ranking.py").run())
