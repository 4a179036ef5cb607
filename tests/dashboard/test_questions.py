"""What a table does not say by itself is asked, with the guess filled in; nothing else is."""

import gzip
import io
import re

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.conftest import BAD, TINY_QRELS, TINY_TABLE, USUAL, complaints, drop, features, go, open_app, press
from tiecore.formats import Limits
from tiecore_dashboard.files import reading
from tiecore_dashboard.files.questions import Question, answered

DOC_TABLE = TINY_TABLE.replace("query_id,doc_id", "topic,thing")
NO_HEADER = TINY_TABLE.partition("\n")[2]
NO_TAG = "".join(f"q{q} Q0 d{d} {d} {d % 2}\n" for q in (1, 2, 3) for d in range(4))


def questions(app: AppTest) -> list[str]:
    return [button.label for button in app.button if str(button.key).startswith("data_read")]


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(("text", "found"), [
    (DOC_TABLE.replace("topic", "subject").replace("clicks", "frequency"), ["frequency", "visits", "constant"]),
    (NO_HEADER, ["column 3", "column 4", "column 5"]),
    (DOC_TABLE.replace(",", "\t"), ["clicks", "visits", "constant"]),
    (DOC_TABLE.replace("clicks", "rank"), ["rank (column 3)", "visits", "constant"]),
    (NO_HEADER.replace(",", " "), ["column 3", "column 4", "column 5"]),
    (re.sub(r",(\d+)", r";\g<1>,5", NO_HEADER).replace(",d", ";d"), ["column 3", "column 4", "column 5"]),
    (NO_TAG, ["column 4", "column 5"]),
    (re.sub(r"( d\d) \d", r"\1", NO_TAG.replace(" Q0", "")).replace(" ", "\t"), ["t"]),
])  # fmt: skip
def test_a_table_of_unclear_columns_is_asked_about_with_the_guess(text: str, found: list[str], packed: bool) -> None:
    data = gzip.compress(text.encode()) if packed else text.encode()
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, t__csv=data)
    assert not app.error, complaints(app)
    app.button(key="data_read_0").click().run()
    assert not app.exception
    assert features(app) == found
    assert not app.session_state["dataset"].problems


COMMAS = TINY_TABLE.replace(",", ";").replace("clicks", "half").replace(";0;", ";0,5;").replace(";1;", ";-1.225,5;")


@pytest.mark.parametrize("delimiter", [";", ","])
@pytest.mark.parametrize(
    ("names", "asked"),
    [
        ("query_id;doc_id", "such as -1.225,5 for -1225.5 (in half, line 3). Shall they be read as decimal points?"),
        ("topic;thing", "the document column has no usual name. Which column is which? The decimal commas, such as -1"),
        ("Anfrage;Dokument", "no usual names. Which column is which? The decimal commas"),
        ("subject;doc", "the query column has no usual name. Which column is which? The decimal commas, such as -1.2"),
    ],
)
def test_a_decimal_comma_is_named_and_read_as_a_point_on_request(names: str, asked: str, delimiter: str) -> None:
    table = re.sub(r"-?[\d.]+,\d+", r'"\g<0>"', COMMAS.replace("query_id;doc_id", names)).replace(";", delimiter)
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, t__csv=table)
    assert asked in "".join(element.value for element in app.markdown).replace("\\", "")
    assert go(app, "ranking").info[0].value == "t\\.csv waits for your answer to a question on the page Data."
    go(app, "data").button(key="data_read_0").click().run()
    assert features(app) == ["half", "visits", "constant"]
    scores = next(one for one in app.session_state["dataset"].features if one.name == "half")
    found = app.session_state["dataset"].file(scores.file).records.features["half"]
    assert set(found.tolist()) == {0.5, -1225.5}


@pytest.mark.parametrize("delimiter", [";", "\t", r"\s+"])
def test_ids_stay_as_they_are_where_decimal_commas_are_read(delimiter: str) -> None:
    rows = ["query_id;doc_id;half", "2,5;1.234;-1.225,5", "2,5;10.100;1.000"]
    data = "\n".join(rows).replace(";", " " if delimiter == r"\s+" else delimiter).encode()
    question = Question("t", tuple(rows[0].split(";")), (), delimiter, True, "-1.225,5")
    found = answered(data, question, question.guess, limits=Limits()).decode()
    assert re.split(r"\s+|;", found)[3:] == ["2,5", "1.234", "-1225.5", "2,5", "10.100", "1000", ""]


@pytest.mark.parametrize("header", ["query_id;doc_id;half\n", "topic;thing;half\n", ""])
def test_a_decimal_comma_is_named_where_the_first_rows_hold_whole_numbers_and_beside_thousands(header: str) -> None:
    rows = "".join(f"q{row // 9};d{row % 9};{row}\n" for row in range(999))
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, t__csv=f"{header}{rows}q1;d0;0,5\nq2;d2;7.364\n")
    said = "".join(element.value for element in app.markdown).replace("\\", "")
    where = "half, line 1,001" if header else "column 3, line 1,000"
    assert f"commas, such as 0,5 beside 7.364 for 0.5 beside 7364 (in {where})" in said


def test_tables_whose_columns_are_known_are_asked_about_commas_alone_and_once() -> None:
    graded = "query_id;docno;relevance;bm25;rank\n" + "".join(f"q{q};d0;1;0,{q};1\nq{q};d1;0;1,5;2\n" for q in "123")
    app = drop(open_app("data"), t__csv=COMMAS, graded__csv=graded)
    said = "".join(element.value for element in app.markdown)
    assert "**t\\.csv and graded\\.csv**: there are decimal commas" in said
    assert not any("choose it under" in element.value for element in app.caption)
    assert not [box.key for box in app.selectbox if box.key and box.key.startswith("data_")]
    app.button(key="data_read_0").click().run()
    assert features(app) == ["half", "visits", "constant", "bm25"], "a rank stays a rank"
    assert app.session_state["dataset"].qrels.name == "graded.csv"


UNSCORED = "query_id,doc_id,gpt,gold,comment\n" + "".join(
    f"q{q},d{d},{(('N/A', '-', '-')[q - 1], '', d, d)[d]},{d % 2},some words\n" for q in (1, 2, 3) for d in range(4)
)


@pytest.mark.parametrize(
    ("names", "asked"),
    [
        ("query_id,doc_id", "there are cells without a number in gpt, {}. Shall they be read as not scored?"),
        ("topic,thing", "Which column is which? The cells without a number in gpt, {}, are read as not scored."),
    ],
)
def test_cells_without_a_number_are_named_counted_and_read_as_not_scored_on_request(names: str, asked: str) -> None:
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, t__csv=UNSCORED.replace("query_id,doc_id", names))
    said = "".join(element.value for element in app.markdown).replace("\\", "")
    assert asked.format("3 × blank, 2 × - and 1 × N/A (first in line 2)") in said
    app.button(key="data_read_0").click().run()
    assert features(app) == ["gpt", "gold"]
    table = app.session_state["dataset"].files[1].records
    assert np.isnan(table.features["gpt"]).tolist() == [True, True, False, False] * 3
    assert table.ignored == ("comment",), "a column that is left out is called as it is"
    assert any("**t\\.csv**\\: 1 column left out \\(no numbers\\)" in one.value for one in app.markdown)


def test_a_column_that_may_hold_the_grades_is_taken_for_them_and_columns_can_be_edited_afterwards() -> None:
    app = drop(open_app("data"), t__csv=UNSCORED.replace("query_id,doc_id", "topic,passage"))
    assert app.selectbox(key="data_grades_0").value == "gold"
    assert not any("already measured, with a row" in element.value for element in app.caption)
    app.selectbox(key="data_grades_0").set_value("none").run()
    app.button(key="data_read_0").click().run()
    assert "Edit columns" in app.info[0].value
    press(app, "Edit columns")
    assert app.selectbox(key="data_grades_0").value == "none", "as it was answered"
    app.selectbox(key="data_grades_0").set_value("gold").run()
    app.button(key="data_read_0").click().run()
    assert features(app) == ["gpt"]
    assert app.session_state["dataset"].qrels.name == "t.csv"


def test_a_wrong_answer_about_columns_is_told_and_can_be_mended() -> None:
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, t__csv=DOC_TABLE)
    app.selectbox(key="data_document_0").set_value("topic")
    app.button(key="data_read_0").click().run()
    assert "one column cannot be two things" in complaints(app)
    app.selectbox(key="data_document_0").set_value("thing")
    app.button(key="data_read_0").click().run()
    assert features(app) == USUAL


def test_many_tables_of_the_same_columns_are_asked_about_once_and_about_grades() -> None:
    other = DOC_TABLE.replace(",1\n", ",2\n")
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, t__csv=DOC_TABLE, u__csv=other)
    assert app.button(key="data_read_0").label == "Read these 2 files"
    app.button(key="data_read_0").click().run()
    assert len(features(app)) == 6
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, t__csv=DOC_TABLE, u__csv=DOC_TABLE.replace("clicks", "speed"))
    press(press(app, "Leave it out"), "Read it")
    assert features(app) == ["speed", "visits", "constant"], "what is proposed stays when another file is left out"
    frame = pd.read_csv(io.StringIO(DOC_TABLE), dtype={"topic": str, "thing": str})
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, t__parquet=frame.to_parquet())
    app.button(key="data_read_0").click().run()
    assert features(app) == USUAL
    app = drop(open_app("data"), t__csv="search,doc,relevance,clicks\nq1,d1,1,2\nq1,d2,0,1\n")
    assert not any("choose it under" in element.value for element in app.caption)
    app.selectbox(key="data_grades_0").set_value("none").run()
    assert any("choose it under" in element.value for element in app.caption)


def test_a_long_text_that_a_small_file_repeats_is_neither_shown_nor_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "upload_limits", lambda: Limits(unpacked=2**20))
    frame = pd.DataFrame({"topic": pd.Categorical(["x" * 2**20] * 300), "thing": range(300), "x": range(300)})
    frame["several"] = [[number] for number in range(300)]
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, t__parquet=frame.to_parquet())
    assert len(str(app)) < 2**20
    assert app.selectbox(key="data_document_0").options == ["topic", "thing", "x"], "lists are not looked into"
    app.button(key="data_read_0").click().run()
    assert "unpack to 300 MB" in complaints(app)


def test_ids_under_unknown_names_are_asked_about_and_a_header_of_windows_is_read() -> None:
    table, own = f"alpha,beta,x\n{re.sub('[qd]|,.,1$', '', NO_HEADER, flags=re.M)}", COMMAS.replace("half", "höhe")
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, a__csv=table, b__csv=own.encode("latin-1"))
    assert len(questions(app)) == 2, "neither is taken for values that were measured elsewhere"
    app.button(key="data_read_1").click().run()
    assert "höhe" in features(app)


@pytest.mark.parametrize("text", [
    TINY_QRELS.replace(" ", "\t").replace("\t2\n", "\tyes\n"),
    BAD.replace(" ", "\t"),
    '{"q1": {"d1": 1, "d2": oops, "d3": 2}}',
    "\x89PNG,,,,\n\x1a,,,,\n",
    "<html>, a, b, 404</html>",
    "404: Not Found",
    TINY_TABLE.replace("q1,d0,0", "q1,d0,12 %"),
    "Dear colleague,\nhere are our runs.\n",
    TINY_TABLE.replace("q1,d0,0", 'q1,d0,"1,234"'),
    "name,colour,shape\napple,red,round\npear,green,long\n",
])  # fmt: skip
def test_a_file_whose_columns_are_not_what_is_wrong_is_not_asked_about(text: str) -> None:
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, bad__txt=text.encode("latin-1"), table__csv=TINY_TABLE)
    assert "1 file could not be read" in complaints(app)
    assert questions(app) == []
