"""Files into the session by uploads; bad ones refused with a reason."""

import gzip
import json
import random
from collections.abc import Iterator

import pandas as pd
import pytest
import streamlit as st
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates

from tests.dashboard.conftest import (
    BAD,
    LETOR,
    OWN,
    TINY_QRELS,
    TINY_TABLE,
    USUAL,
    answer_of,
    complaints,
    drop,
    features,
    go,
    open_app,
    press,
    put,
    upload,
)
from tiecore.formats import Limits
from tiecore_dashboard.files import reading, sources

ALIEN = "".join(f"x{q} Q0 d1 1 1.0 alien\n" for q in range(3))
STRANGERS = TINY_TABLE.replace(",d", ",other").replace(",otheroc_id", ",doc_id")
TWICE = "q1 Q0 d1 1 2 twice\nq1 Q0 d1 2 1 twice\n"


def test_an_edit_of_a_table_that_is_gone_changes_nothing() -> None:
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, table__csv=TINY_TABLE)
    table = next(one.proto.id for one in app.dataframe if "data_features" in one.proto.id)
    late = WidgetState(id=table, string_value='{"edited_rows": {"0": {"name": "late"}}}')
    app.session_state["data_version"] = 1
    app._run(WidgetStates(widgets=[late]))
    assert not app.exception
    assert features(app) == USUAL


def test_all_uploads_of_a_session_together_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "most_together", lambda: len(TINY_QRELS) + len(TINY_TABLE) + 10)
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, table__csv=TINY_TABLE)
    assert not complaints(app)
    app = drop(app, more__csv=TINY_TABLE.replace("clicks", "likes"))
    assert "does not fit" in complaints(app)
    assert features(app) == USUAL


STRAY = "query_id,doc_id,good,stray\n" + "".join(f"q{q},d{d},{d},\n" for q in (1, 2, 3) for d in range(4))
SWAPPED = "query_id,doc_id,relevance,bm25\n" + "".join(f"d{d},q{d // 4},{d % 2},{d}\n" for d in range(8))
SCORES = json.dumps({f"q{q}": {f"d{d}": d / 2 for d in range(4)} for q in (1, 2, 3)})
NAMES = json.dumps({"1": "clicks", "2": "length"})
BARE = LETOR.replace("qid:1 ", "").replace("qid:2 ", "")
SHORT = TINY_TABLE.replace("query_id,doc_id", "query,doc")
DROPPED: dict[str, tuple[dict[str, str], list[str], list[str]]] = {
    "bad ones": (
        OWN | {"bad.run": BAD, "empty.csv": ""},
        USUAL,
        ["bad\\.run**, line 2", "empty\\.csv** is empty", "2 files could not be read"],
    ),
    "other queries": (OWN | {"alien.run": ALIEN, "twice.run": TWICE}, USUAL, ["no query in common", "listed twice"]),
    "other documents": (OWN | {"strange.csv": STRANGERS.replace("clicks", "likes")}, USUAL, ["no document that"]),
    "a stray column": (OWN | {"table.csv": STRAY + "q1,x,1,5\n"}, ["good"], ["**stray**\\:", "left out of the res"]),
    "ids under each other's names": ({"t.csv": SWAPPED}, ["bm25"], ["are the ids of queries and documents swapped?"]),
    "an empty column": (
        OWN | {"empty.csv": "query_id,doc_id,score\nq1,d1,\nq1,d2,\n"},
        USUAL,
        ["empty\\.csv", "no numeric column besides the ids"],
    ),
    "short names of ids": ({"qrels.txt": TINY_QRELS, "t.csv": SHORT}, USUAL, []),
    "LETOR": ({"train.txt": LETOR}, ["1", "2"], []),
    "parts": ({"train": BARE, "train.query": "2\n2\n", "train.features.json": NAMES}, ["clicks", "length"], []),
    **{
        f"scores in {name}": ({"qrels.txt": TINY_QRELS, name: SCORES}, [name.removesuffix(".json")], [])
        for name in ("bert.features.json", "bert.json", "bert.query")
    },
    **{
        f"names of {stem}{end}": ({f"{stem}.features.json": NAMES, f"{stem}{end}": LETOR}, ["clicks", "length"], [])
        for stem, end in (("letor", ".txt"), ("fold.1", ".txt"), ("letor", ".txt.gz"), ("letor", ""))
    },
}
"""What is dropped in; the features that are used of it, and what is told of the rest."""


@pytest.mark.parametrize(("files", "used", "said"), DROPPED.values(), ids=DROPPED)
def test_what_fits_is_used_else_the_reason_is_said(files: dict[str, str], used: list[str], said: list[str]) -> None:
    packed = {name: gzip.compress(text.encode()) if name.endswith(".gz") else text for name, text in files.items()}
    app = put(open_app("data"), [*packed.items()])
    assert [one for one in said if one not in complaints(app)] == []
    assert bool(said) == bool(complaints(app))
    assert features(app) == used
    if said:
        go(app, "ranking")
        assert any(name in answer_of(app) for name in used)


def test_nothing_that_fits_says_why_instead_of_a_result() -> None:
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, table__csv=STRANGERS)
    assert not features(app)
    assert "no document that" in complaints(app)
    go(app, "ranking")
    assert "needs at least one feature" in app.info[0].value
    swapped = "".join("{2} {1} {0} {3}\n".format(*line.split()) for line in TINY_QRELS.splitlines())
    more = TINY_TABLE.replace("q3,d0", "q3,x")
    for text, said in ((TINY_QRELS + "q1 0 d0 1\n", "listed twice with grades"), (swapped, "columns are out of order")):
        app = drop(open_app("data"), qrels__txt=text, table__csv=TINY_TABLE, more__csv=more)
        assert complaints(app).count("qrels") == 1
        assert said in complaints(app)
        assert not app.info, "they are there"


def test_each_of_two_files_of_one_name_can_be_chosen_as_the_judgments_and_one_that_is_gone_cannot() -> None:
    other = TINY_QRELS.replace(" 2\n", " 1\n")
    files = [("qrels.txt", text) for text in (TINY_QRELS, other)]
    app = put(open_app("data"), [*files, ("table.csv", TINY_TABLE)])
    first, second = app.session_state["dataset"].candidates
    menu = app.selectbox(key="data_judgments")
    assert menu.options == ["qrels.txt", "qrels.txt (2)"]
    for chosen, file in (("qrels.txt (2)", second), ("qrels.txt", first)):
        app.selectbox(key="data_judgments").set_value(chosen).run()
        assert app.session_state["dataset"].qrels is file
        assert app.selectbox(key="data_judgments").value == chosen
    menu = app.selectbox(key="data_judgments")
    menu.options.append("of the sample.txt")
    assert not menu.set_value("of the sample.txt").run().exception
    assert app.session_state["dataset"].qrels is first


def test_a_guessed_judge_is_asked_about_in_place() -> None:
    judges = {"a__txt": TINY_QRELS, "b__txt": TINY_QRELS.replace(" 2\n", " 1\n")}
    for more, what in (({"t__csv": TINY_TABLE}, "another judge"), ({}, "1 feature")):
        app = drop(open_app("data"), **judges, **more)
        (asked,) = (one.value for one in app.markdown if "Which file holds the judgments?" in one.value)
        assert asked.endswith(f"The other one: **b\\.txt** ({what}).")
    assert not app.warning
    press(app, "Yes, keep it")
    assert not any("Which file holds the judgments?" in element.value for element in app.markdown)
    assert features(app) == ["b"]


def test_a_name_that_is_too_long_is_told_by_its_beginning_and_files_of_long_ones_apart() -> None:
    app = drop(open_app("data"), t__csv=TINY_TABLE.replace("visits", "v" * 5000))
    (said,) = (element.value.replace("\\", "") for element in app.error)
    assert f"line 1: the name of a feature '{'v' * 30}…' has 5,000 bytes (at most 1,024 bytes are read); short" in said
    assert "command line" not in said
    names = [f"grades_of_the_model_v{number}_with_the_same_prompt_as_last_year.run" for number in range(12)]
    runs = {name: f"q1 Q0 d{number} 1 1 mine\n" for number, name in enumerate(names)}
    app = put(open_app("data"), [("qrels.csv", "query_id,doc_id,relevance,why\nq1,d1,1,so\n"), *runs.items()])
    shown = next(one.value for one in app.dataframe if "role" in one.value)
    assert "The table scrolls: 13 rows." in {one.value for one in app.caption}
    assert sorted(map(len, {*shown["file"]})) == [9, *[36] * 12], "each name is another"


def damaged(data: bytes, *, files: int) -> Iterator[bytes]:
    """Yield copies of a file with five bytes changed, every other time among those that say what the file holds."""
    pick = random.Random(0)
    for number in range(files):
        copy = bytearray(data)
        for _ in range(5):
            copy[pick.randrange(4 if number % 2 else len(data) // 2, len(data) - 4)] = pick.randrange(256)
        yield bytes(copy)


@pytest.mark.parametrize("names", ["query_id doc_id relevance x", "topic_no thing label x"])
def test_a_damaged_file_is_told_of_whatever_its_bytes_and_the_good_stay(names: str) -> None:
    rows = [(f"q{row // 4}", f"d{row}", row % 3, row % 5) for row in range(24)]
    whole = pd.DataFrame(rows, columns=names.split()).to_parquet()
    bad = [(f"bad{number}.parquet", data) for number, data in enumerate(damaged(whole, files=24))]
    app = put(open_app("data"), [("qrels.txt", TINY_QRELS), *bad, ("table.csv", TINY_TABLE)])
    assert features(app)[:3] == USUAL
    told = {one.file for one in app.session_state["dataset"].problems}
    assert {name for name, _ in bad} <= told | {file.name for file in app.session_state["dataset"].files}
    for button in [one for one in app.button if str(one.key).startswith("data_read_")]:
        app = button.click().run()
        assert not app.exception, app.exception
    assert not open_app("ranking", state={"dataset": app.session_state["dataset"]}).exception


def test_uploads_take_the_place_of_the_sample_and_the_same_bytes_are_loaded_once() -> None:
    copies = {f"copy{number}__csv": TINY_TABLE for number in range(20)}
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, one__csv=TINY_TABLE, **copies)
    assert [toast.value.endswith("and 16 more") for toast in app.toast] == [True]
    assert features(app) == USUAL
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, table__csv__gz=gzip.compress(TINY_TABLE.encode()))
    assert features(app) == USUAL
    assert drop(app, qrels__txt=TINY_QRELS + "q1 0 more 1\n").toast[0].value.startswith("Beside another file of")
    app = drop(app, more__csv=TINY_TABLE.replace("clicks", "likes").replace("visits", "shares"))
    assert features(app) == ["clicks", "visits", "constant", "likes", "shares", "constant (2)"]


def test_one_without_the_other_says_what_to_do() -> None:
    without = ("called *relevance*", "judgments are not"), ("Features are missing", "needs at least one feature")
    for loaded, (missing, said) in zip(("table.csv", "qrels.txt"), without, strict=True):
        app = put(open_app("data"), [(loaded, OWN[loaded])])
        assert missing in app.info[0].value
        go(app, "ranking")
        assert said in app.info[0].value


def test_a_bomb_and_what_libraries_stumble_over_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "upload_limits", lambda: Limits(unpacked=50_000))
    bomb = gzip.compress(b"q1 Q0 d1 1 1.0 t\n" * 100_000)
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, bomb__run__gz=bomb, table__csv=TINY_TABLE)
    assert "holds more than 50,000 bytes" in complaints(app)
    assert features(app) == USUAL
    monkeypatch.setattr(reading, "as_counts", lambda *_, **__: b"\xff".decode())
    app = drop(open_app("data"), bad__parquet=b"PAR1")
    assert "bad.parquet** is damaged: not all of it can be read" in complaints(app).replace("\\", "")


def test_an_upload_that_is_too_large_or_got_lost_is_named_with_the_way_out() -> None:
    app = open_app("data")
    app.session_state["dropped_files"] = [
        {"name": "large.run", "size": 300 * 2**20, "id": ""},
        {"name": "lost.run", "size": 10, "id": "never came"},
        *({"name": name, "size": len(text), "id": upload(name, text)} for name, text in OWN.items()),
    ]
    said = complaints(app.run())
    for text in ("the upload limit is 200", "data\\-root", "did not arrive whole"):
        assert text in said
    assert features(app) == USUAL


def test_files_whose_reading_was_interrupted_are_read_by_the_next_run(monkeypatch: pytest.MonkeyPatch) -> None:
    app = open_app("data")
    with monkeypatch.context() as patch:
        patch.setattr(sources, "_read", lambda *_: st.stop())
        put(app, [*OWN.items()])
        assert "bm25" in features(app)
    app.run()
    assert features(app) == USUAL


def test_messages_about_many_files_leave_the_way_to_the_results_on_top_and_name_each_once() -> None:
    bad = {f"bad{number}__run": BAD.replace("oops", f"oops{number}") for number in range(12)}
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, table__csv=TINY_TABLE, twice__run=TWICE, **bad)
    assert len(app.error) == 1
    assert "12 files could not be read" in app.error[0].value
    said = complaints(app) + "".join(element.value for element in app.markdown)
    assert {said.count(f"**bad{number}\\.run**") for number in range(12)} == {1}
    assert complaints(app).count("twice\\.run") == 1, "a file is named once in what is said of it"


def test_a_feature_that_is_left_out_is_marked_in_the_table_of_features() -> None:
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, table__csv=TINY_TABLE, twice__run=TWICE)
    frame = next(one.value for one in app.dataframe if "state" in one.value)
    states = dict(zip(frame["name"], frame["state"], strict=True))
    assert states == {"clicks": "", "visits": "", "constant": "", "twice": "left out"}
    assert frame["used"].tolist() == [True, True, True, False]
    table = next(one.proto.id for one in app.dataframe if "data_features" in one.proto.id)
    app._run(WidgetStates(widgets=[WidgetState(id=table, string_value='{"edited_rows": {"3": {"used": true}}}')]))
    again = next(one for one in app.dataframe if "data_features" in one.proto.id)
    assert again.proto.id != table, "the tick is taken back"
    assert again.value["used"].tolist() == [True, True, True, False]


def test_what_does_not_match_is_told_as_coverage() -> None:
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, table__csv=TINY_TABLE + "q1,d9,1,1,1\n")
    said = next(element.value for element in app.markdown if "as not relevant" in element.value)
    assert said.startswith("**Coverage**")
