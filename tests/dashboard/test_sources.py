"""Files into the session: uploads, the command line, the server; bad ones refused with a reason."""

from __future__ import annotations

import base64
import gc
import gzip
import io
import json
import random
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Any

import pandas as pd
import pytest
import streamlit as st
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.testing.v1 import AppTest

from tests.dashboard.conftest import SAMPLE, TINY_QRELS, TINY_TABLE, OpenApp, answer_of, drop, put, upload
from tiecore.collection.align import align
from tiecore.collection.alignment import Alignment
from tiecore.formats import Limits, Records, read
from tiecore_dashboard.app.server import answer_ahead
from tiecore_dashboard.files import joined as of_joined
from tiecore_dashboard.files import kept as of_kept
from tiecore_dashboard.files import reading, sources
from tiecore_dashboard.files import root as root_of_server
from tiecore_dashboard.files.datasets import Dataset
from tiecore_dashboard.files.kept import Folder, Kept
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.shelf import SHELF
from tiecore_dashboard.results.visits import Visits

BAD = "q1 Q0 d1 1 2.5 tag\nq1 Q0 d2 2 oops tag\n"
ALIEN = "".join(f"x{q} Q0 d1 1 1.0 alien\n" for q in range(3))
STRANGERS = "".join(
    line.replace(",d", ",other") if line[0:2] in ("q1", "q2", "q3") else line for line in TINY_TABLE.splitlines(True)
)
TWICE = "q1 Q0 d1 1 2 twice\nq1 Q0 d1 2 1 twice\n"
LETOR = "2 qid:1 1:3 2:0.5\n0 qid:1 1:3 2:0.1\n1 qid:2 1:1 2:0.5\n0 qid:2 1:0 2:0.1\n"
OWN = {"qrels.txt": TINY_QRELS, "table.csv": TINY_TABLE}
USUAL = ["clicks", "visits", "constant"]


def features(app: AppTest) -> list[str]:
    """Names of the features that the session uses."""
    return [feature.name for feature in app.session_state["dataset"].used]


def complaints(app: AppTest) -> str:
    """All errors and warnings on the page."""
    return "\n".join(element.value for element in (*app.error, *app.warning))


def test_uploads_take_the_place_of_the_sample(open_app: OpenApp) -> None:
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, table__csv__gz=gzip.compress(TINY_TABLE.encode()))
    assert features(app) == USUAL
    app = drop(app, more__csv=TINY_TABLE.replace("clicks", "likes").replace("visits", "shares"))
    assert features(app) == ["clicks", "visits", "constant", "likes", "shares", "constant (2)"]


def test_an_edit_of_a_table_that_is_gone_changes_nothing(open_app: OpenApp) -> None:
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, table__csv=TINY_TABLE)
    table = next(one.proto.id for one in app.dataframe if "data_features" in one.proto.id)
    late = WidgetState(id=table, string_value='{"edited_rows": {"0": {"name": "late"}}}')
    app.session_state["data_version"] = 1
    app._run(WidgetStates(widgets=[late]))
    assert not app.exception
    assert features(app) == USUAL


def test_all_uploads_of_a_session_together_are_bounded(open_app: OpenApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "most_together", lambda: len(TINY_QRELS) + len(TINY_TABLE) + 10)
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, table__csv=TINY_TABLE)
    assert not complaints(app)
    app = drop(app, more__csv=TINY_TABLE.replace("clicks", "likes"))
    assert "is one too many" in complaints(app)
    assert features(app) == USUAL


STRAY = "query_id,doc_id,good,stray\n" + "".join(f"q{q},d{d},{d},\n" for q in (1, 2, 3) for d in range(4))
SCORES = json.dumps({f"q{q}": {f"d{d}": d / 2 for d in range(4)} for q in (1, 2, 3)})
NAMES = json.dumps({"1": "clicks", "2": "length"})
BARE = LETOR.replace("qid:1 ", "").replace("qid:2 ", "")
SHORT = TINY_TABLE.replace("query_id,doc_id", "query,doc")
DROPPED: dict[str, tuple[dict[str, str], list[str], list[str]]] = {
    "bad ones": (
        OWN | {"bad.run": BAD, "empty.csv": ""},
        USUAL,
        ["bad\\.run**, line 2", "empty\\.csv", "2 files could not be read"],
    ),
    "other queries": (OWN | {"alien.run": ALIEN, "twice.run": TWICE}, USUAL, ["no query in common", "listed twice"]),
    "other documents": (OWN | {"strange.csv": STRANGERS.replace("clicks", "likes")}, USUAL, ["no document that"]),
    "a stray column": (
        OWN | {"table.csv": STRAY + "q1,elsewhere,1,5\n"},
        ["good"],
        ["**stray**\\:", "left out of the results"],
    ),
    "an empty column": (
        OWN | {"empty.csv": "query_id,doc_id,score\nq1,d1,\nq1,d2,\n"},
        USUAL,
        ["empty\\.csv", "no numeric column besides the ids"],
    ),
    "short names of ids": ({"qrels.txt": TINY_QRELS, "t.csv": SHORT}, USUAL, []),
    "LETOR": ({"train.txt": LETOR}, ["1", "2"], []),
    "LETOR in parts": (
        {"train": BARE, "train.query": "2\n2\n", "train.features.json": NAMES},
        ["clicks", "length"],
        [],
    ),
    **{
        f"scores in {name}": ({"qrels.txt": TINY_QRELS, name: SCORES}, [name.removesuffix(".json")], [])
        for name in ("bert.features.json", "bert.json", "bert.query")
    },
    **{
        f"names of {name}": ({f"{stem}.features.json": NAMES, name: LETOR}, ["clicks", "length"], [])
        for name, stem in (
            ("letor.txt", "letor"),
            ("fold.1.txt", "fold.1"),
            ("letor.txt.gz", "letor"),
            ("letor", "letor"),
        )
    },
}
"""What is dropped in; the features that are used of it, and what is told of the rest."""


@pytest.mark.parametrize(("files", "used", "said"), DROPPED.values(), ids=DROPPED)
def test_what_fits_is_used_and_what_does_not_is_left_out_with_the_reason(
    open_app: OpenApp, files: dict[str, str], used: list[str], said: list[str]
) -> None:
    packed = {name: gzip.compress(text.encode()) if name.endswith(".gz") else text for name, text in files.items()}
    app = put(open_app("data"), [*packed.items()])
    assert [one for one in said if one not in complaints(app)] == []
    assert bool(said) == bool(complaints(app))
    assert features(app) == used
    app.switch_page("../pages/ranking/ranking.py").run()
    assert not app.exception
    assert any(name in answer_of(app) for name in used)


def test_nothing_that_fits_says_why_instead_of_a_result(open_app: OpenApp) -> None:
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, table__csv=STRANGERS)
    assert not features(app)
    assert "no document that" in complaints(app)
    app.switch_page("../pages/ranking/ranking.py").run()
    assert "needs at least one feature" in app.info[0].value
    app = drop(open_app("data"), qrels__txt=TINY_QRELS + "q1 0 d0 1\n", table__csv=TINY_TABLE)
    assert "listed twice with grades" in complaints(app)
    assert "Judgments are missing" in app.info[0].value


def test_each_of_two_files_of_one_name_can_be_chosen_as_the_judgments(open_app: OpenApp) -> None:
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


def test_a_menu_that_names_a_file_that_is_gone_changes_nothing(open_app: OpenApp) -> None:
    app = drop(open_app("data"), gpt__txt=TINY_QRELS.replace(" 2\n", " 1\n"), qrels__txt=TINY_QRELS)
    judge = app.session_state["dataset"].qrels
    menu = app.selectbox(key="data_judgments")
    menu.options.append("of the sample.txt")
    menu.set_value("of the sample.txt").run()
    assert not app.exception
    assert app.session_state["dataset"].qrels is judge


def test_judges_dropped_together_are_features_and_another_can_judge(open_app: OpenApp) -> None:
    graded = {name: TINY_QRELS.replace(" 2\n", f" {grade}\n") for name, grade in (("gpt", 1), ("llama", 3))}
    app = drop(open_app("data"), gpt__txt=graded["gpt"], qrels__txt=TINY_QRELS, llama__txt=graded["llama"])
    assert features(app) == ["gpt", "llama"]
    data = app.session_state["dataset"]
    app.selectbox(key="data_judgments").set_value("gpt.txt").run()
    assert app.session_state["dataset"].qrels is data.files[0]
    assert {*features(app)} == {"qrels", "llama"}


def test_a_guessed_judge_is_asked_about_in_place(open_app: OpenApp) -> None:
    app = drop(open_app("data"), a__txt=TINY_QRELS, b__txt=TINY_QRELS.replace(" 2\n", " 1\n"))
    assert any("Which file holds the judgments?" in element.value for element in app.markdown)
    next(button for button in app.button if button.label == "Yes, keep it").click().run()
    assert not any("Which file holds the judgments?" in element.value for element in app.markdown)
    assert features(app) == ["b"]


DOC_TABLE = TINY_TABLE.replace("query_id,doc_id", "topic,thing")
NO_HEADER = TINY_TABLE.partition("\n")[2]
NO_TAG = "".join(f"q{q} Q0 d{d} {d} {d % 2}\n" for q in (1, 2, 3) for d in range(4))


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(("text", "found"), [
    (DOC_TABLE, ["clicks", "visits", "constant"]),
    (NO_HEADER, ["column 3", "column 4", "column 5"]),
    (DOC_TABLE.replace(",", "\t"), ["clicks", "visits", "constant"]),
    (DOC_TABLE.replace("clicks", "rank"), ["rank (column 3)", "visits", "constant"]),
    (NO_HEADER.replace(",", " "), ["column 3", "column 4", "column 5"]),
    (NO_TAG, ["column 4", "column 5"]),
])  # fmt: skip
def test_a_table_whose_columns_are_not_clear_is_asked_about_with_the_guess_filled_in(
    open_app: OpenApp, text: str, found: list[str], packed: bool
) -> None:
    data = gzip.compress(text.encode()) if packed else text.encode()
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, t__csv=data)
    assert not app.error, complaints(app)
    app.button(key="data_read_0").click().run()
    assert not app.exception
    assert features(app) == found
    assert not app.session_state["dataset"].problems


COMMAS = TINY_TABLE.replace(",", ";").replace("clicks", "half").replace(";0;", ";0,5;").replace(";1;", ";-1,25;")


@pytest.mark.parametrize("names", ["query_id;doc_id", "topic;thing"])
def test_a_decimal_comma_is_named_and_read_as_a_point_on_request(open_app: OpenApp, names: str) -> None:
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, t__csv=COMMAS.replace("query_id;doc_id", names))
    assert "decimals with a comma" in "".join(element.value for element in app.markdown)
    app.button(key="data_read_0").click().run()
    assert features(app) == ["half", "visits", "constant"]
    scores = app.session_state["dataset"].feature("half")
    found = app.session_state["dataset"].file(scores.file).records.features["half"]
    assert set(found.tolist()) == {0.5, -1.25}


def test_a_wrong_answer_about_columns_is_told_and_can_be_mended(open_app: OpenApp) -> None:
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, t__csv=DOC_TABLE)
    app.selectbox(key="data_document_0").set_value("topic")
    app.button(key="data_read_0").click().run()
    assert "one column cannot be two things" in complaints(app)
    app.selectbox(key="data_document_0").set_value("thing")
    app.button(key="data_read_0").click().run()
    assert features(app) == USUAL


def test_many_tables_of_the_same_columns_are_asked_about_once(open_app: OpenApp) -> None:
    other = DOC_TABLE.replace(",1\n", ",2\n")
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, t__csv=DOC_TABLE, u__csv=other)
    assert app.button(key="data_read_0").label == "Read these 2 files"
    app.button(key="data_read_0").click().run()
    assert len(features(app)) == 6


def test_a_parquet_file_with_other_names_is_asked_about(open_app: OpenApp) -> None:
    frame = pd.read_csv(io.StringIO(DOC_TABLE), dtype={"topic": str, "thing": str})
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, t__parquet=frame.to_parquet())
    app.button(key="data_read_0").click().run()
    assert features(app) == USUAL


def damaged(data: bytes, *, files: int) -> Iterator[bytes]:
    """Yield copies of a file with five bytes changed, every other time among those that say what the file holds."""
    pick = random.Random(0)
    for number in range(files):
        copy = bytearray(data)
        for _ in range(5):
            copy[pick.randrange(4 if number % 2 else len(data) // 2, len(data) - 4)] = pick.randrange(256)
        yield bytes(copy)


@pytest.mark.parametrize("names", ["query_id doc_id relevance x", "topic_no thing label x"])
def test_a_damaged_file_is_told_of_whatever_its_bytes_and_the_good_stay(open_app: OpenApp, names: str) -> None:
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


def test_bytes_that_a_library_stumbles_over_are_a_sentence(open_app: OpenApp, monkeypatch: pytest.MonkeyPatch) -> None:
    def stumble(*_: object, **__: object) -> None:
        b"\xff".decode()

    monkeypatch.setattr(reading, "as_counts", stumble)
    app = drop(open_app("data"), bad__parquet=b"PAR1")
    assert "bad.parquet**: is damaged: not all of it can be read" in complaints(app).replace("\\", "")


@pytest.mark.parametrize("text", ["Dear colleague,\nhere are our runs.\n", "Results, of today, are fine.\n\nSee you"])
def test_a_text_that_is_no_table_is_told_what_it_was_taken_for_and_asks_nothing(open_app: OpenApp, text: str) -> None:
    app = drop(open_app("data"), letter__txt=text)
    said = complaints(app).replace("\\", "")
    assert "holds neither scores nor judgments" in said
    assert text.partition("\n")[0] in said
    assert "expected 4 fields" in said
    assert not [button for button in app.button if str(button.key).startswith("data_read")]


def test_files_of_the_same_bytes_are_loaded_once_and_one_note_says_so(open_app: OpenApp) -> None:
    copies = {f"copy{number}__csv": TINY_TABLE for number in range(20)}
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, one__csv=TINY_TABLE, **copies)
    assert [toast.value.endswith("and 16 more") for toast in app.toast] == [True]
    assert features(app) == USUAL


@pytest.mark.parametrize(
    ("loaded", "missing", "said"),
    [
        ("table.csv", "Judgments are missing", "Scores are loaded, judgments are not"),
        ("qrels.txt", "Features are missing", "needs at least one feature"),
    ],
)
def test_one_without_the_other_says_what_to_do(open_app: OpenApp, loaded: str, missing: str, said: str) -> None:
    app = put(open_app("data"), [(loaded, OWN[loaded])])
    assert missing in app.info[0].value
    app.switch_page("../pages/ranking/ranking.py").run()
    assert not app.exception
    assert said in app.info[0].value


def test_a_bomb_is_refused_and_the_good_stay(open_app: OpenApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "upload_limits", lambda: Limits(unpacked=50_000))
    bomb = gzip.compress(b"q1 Q0 d1 1 1.0 t\n" * 100_000)
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, bomb__run__gz=bomb, table__csv=TINY_TABLE)
    assert "holds more than 50,000 bytes" in complaints(app)
    assert features(app) == USUAL


def test_an_upload_that_is_too_large_or_got_lost_is_named_with_the_way_out(open_app: OpenApp) -> None:
    app = open_app("data")
    app.session_state["dropped_files"] = [
        {"name": "large.run", "size": 300 * 2**20, "id": ""},
        {"name": "lost.run", "size": 10, "id": "never came"},
        *({"name": name, "size": len(text), "id": upload(name, text)} for name, text in OWN.items()),
    ]
    said = complaints(app.run())
    assert "uploads end at 200" in said
    assert "data\\-root" in said
    assert "did not arrive whole" in said
    assert features(app) == USUAL


def test_files_whose_reading_was_interrupted_are_read_by_the_next_run(
    open_app: OpenApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object) -> None:
        st.stop()

    app = open_app("data")
    with monkeypatch.context() as patch:
        patch.setattr(sources, "_read", stopped)
        put(app, [*OWN.items()])
        assert "bm25" in features(app)
    app.run()
    assert features(app) == USUAL


# --- the address ------------------------------------------------------------------------------------------------------


def address(app: AppTest) -> list[str]:
    """Name of the data in the address."""
    found = app.query_params.get("data", [])
    return [found] if isinstance(found, str) else list(found)


def test_own_files_are_found_again_by_their_address_and_settings_stay(open_app: OpenApp) -> None:
    app = put(open_app("data"), [*OWN.items()])
    (name,) = address(app)
    assert len(base64.urlsafe_b64decode(name + "==")) == 16, "128 bits that nobody guesses"
    again = open_app("ranking", query={"data": name, "measure": "AP"})
    assert features(again) == USUAL
    assert address(again) == [name]


def test_files_that_could_not_be_read_are_told_of_by_the_address_as_well(open_app: OpenApp) -> None:
    app = drop(open_app("data"), bad__run=BAD)
    assert features(open_app("data"))[0] == features(app)[0], "still the sample"
    assert "bad\\.run**, line 2" in complaints(open_app("data", query={"data": address(app)[0]}))
    app = drop(app, bad__run=BAD, t__csv=DOC_TABLE, **{name.replace(".", "__"): text for name, text in OWN.items()})
    again = open_app("data", query={"data": address(app)[0]})
    assert "bad\\.run**, line 2" in complaints(again)
    again.button(key="data_read_0").click().run()
    assert features(again) == ["clicks", "visits", "constant", "clicks (2)", "visits (2)", "constant (2)"]
    assert "bad\\.run**, line 2" in complaints(again), "one answer leaves the others"
    next(button for button in again.button if button.label.startswith("Dismiss")).click().run()
    assert not complaints(open_app("data", query={"data": address(again)[0]}))


def test_what_one_changes_is_not_changed_for_whoever_has_the_link(open_app: OpenApp) -> None:
    app = put(open_app("data"), [*OWN.items()])
    (name,) = address(app)
    more = drop(app, more__csv=TINY_TABLE.replace("clicks", "likes"))
    assert address(more) != [name]
    assert features(open_app(query={"data": name})) == USUAL
    assert "likes" in features(open_app(query={"data": address(more)[0]}))


@pytest.mark.parametrize("name", ["own", "x", "9" * 5000])
@pytest.mark.parametrize("page", ["ranking", "data", "ties"])
def test_a_link_to_data_that_are_not_here_says_so_and_never_shows_the_sample(
    open_app: OpenApp, name: str, page: str
) -> None:
    app = open_app(page, query={"data": name, "measure": "AP"})
    said = "".join(element.value for element in (*app.info, *app.warning))
    assert "not on this server" in said
    assert "report" in said
    assert not features(app)
    assert address(app) == [name], "a reload says it again"


def test_a_server_that_forgets_keeps_nothing_and_its_links_say_so(
    open_app: OpenApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIECORE_FORGET", "1")
    app = put(open_app("data"), [*OWN.items()])
    assert features(app) == USUAL
    assert not features(open_app(query={"data": address(app)[0]}))


def test_whoever_goes_back_to_the_sample_finds_it_as_those_who_never_left(open_app: OpenApp) -> None:
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, bad__run=BAD)
    next(button for button in app.button if button.label == "Back to the sample").click().run()
    for one in (app, open_app("data")):
        assert "bm25" in features(one)
        assert address(one.run()) == []
        assert not one.error


def test_sets_that_need_room_make_the_oldest_go_with_their_files(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Kept()
    folders, names = [], []
    for number in range(3):
        folder = Folder()
        file = folder.new("../a/q.txt")
        file.path.write_text(f"q{number} 0 d 1\n")
        assert file.path.parent.parent == folder.path, "no name leads out of the folder"
        folders.append(folder.path)
        names.append(kept.put(Dataset().add(reading.read_all([file])[0])))
        monkeypatch.setattr(of_kept, "memory", lambda: 25)  # room for two of them
    del folder, file
    gc.collect()
    assert [kept.get(name) is not None for name in names] == [False, True, True]
    assert [folder.exists() for folder in folders] == [False, True, True]


def test_what_a_visitor_looked_at_goes_when_they_have_left(open_app: OpenApp) -> None:
    visits = Visits()
    app = put(open_app("data"), [*OWN.items()])
    data = app.session_state["dataset"]
    visits.looks_at("one", data.files)
    visits.looks_at("other", data.files)
    held = weakref.ref(data.files[0].content)
    visits.forget("one")
    gc.collect()
    assert held() is not None, "somebody still looks at it"
    visits.forget("other")
    gc.collect()
    assert held() is None
    app.run()
    assert features(app) == ["clicks", "visits", "constant"], "who comes back finds it"


def test_the_same_bytes_under_another_name_tell_nobody_the_first_name(open_app: OpenApp) -> None:
    """Both visitors share what was computed of the bytes, and nothing else."""
    for owner in ("confidential", "public"):
        app = put(
            open_app("data", state={"ranking_exports": True}),
            [(f"{owner}-{name}", text) for name, text in OWN.items()],
        )
        for page in ("data", "ranking", "queries"):
            app.switch_page(f"../pages/{page}/{page}.py").run()
            shown = "".join(str(getattr(element, "proto", "")) for element in app.main)
            assert (f"{owner}-table.csv" in shown) >= (page != "queries"), page
            assert owner == "confidential" or "confidential" not in shown, page


def test_files_of_the_command_line_are_opened(open_app: OpenApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIECORE_QRELS", str(SAMPLE / "qrels.txt"))
    monkeypatch.setenv("TIECORE_FEATURES", json.dumps([str(SAMPLE / "clicks.csv"), str(SAMPLE / "nowhere.run")]))
    app = open_app("data")
    assert features(app) == ["url_clicks", "query_url_clicks", "dwell"]
    assert "nowhere\\.run" in complaints(app)
    app.switch_page("../pages/ranking/ranking.py").run()
    assert any(
        "nowhere.run is left out: the page Data says why" in str(element.proto.body) for element in app.get("html")
    )
    app.switch_page("../pages/data/data.py").run()
    next(button for button in app.button if button.label == "Back to the sample").click().run()
    assert "bm25" in features(app)


def test_files_of_the_command_line_are_read_and_joined_before_anybody_comes_and_only_once(
    open_app: OpenApp, no_cache: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    names: list[str] = []
    joined: list[int] = []

    def slowly(path: Path, **options: Any) -> object:
        names.append(path.name)
        sleep(0.1)
        return read(path, **options)

    def joined_slowly(qrels: Records, columns: list[Any], **options: Any) -> Alignment:
        joined.append(len(columns))
        sleep(0.1)
        return align(qrels, columns, **options)

    monkeypatch.setattr(reading, "read", slowly)
    monkeypatch.setattr(of_joined, "align", joined_slowly)
    monkeypatch.setenv("TIECORE_QRELS", str(SAMPLE / "qrels.txt"))
    monkeypatch.setenv("TIECORE_FEATURES", json.dumps([str(SAMPLE / "clicks.csv"), str(SAMPLE / "nowhere.run")]))
    thread = Thread(target=answer_ahead)
    thread.start()
    app = open_app("data")  # comes too early, and waits
    thread.join()
    assert sorted(names) == ["clicks.csv", "qrels.txt"]
    assert len(joined) == 1
    assert "nowhere\\.run" in complaints(app)


def test_the_first_page_of_the_files_of_the_command_line_is_computed_before_anybody_comes(
    open_app: OpenApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIECORE_QRELS", str(SAMPLE / "qrels.txt"))
    monkeypatch.setenv("TIECORE_FEATURES", json.dumps([str(SAMPLE / "clicks.csv")]))
    answer_ahead()
    monkeypatch.setattr(cached, "evaluate_alignment", None)
    monkeypatch.setattr("tiecore.evaluation.random_values.order_seeds", None)
    assert "query_url_clicks" in answer_of(open_app("ranking"))


def test_judgments_of_the_command_line_that_cannot_be_read_are_named_on_every_page(
    open_app: OpenApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIECORE_QRELS", str(SAMPLE / "nowhere.txt"))
    monkeypatch.setenv("TIECORE_FEATURES", json.dumps([str(SAMPLE / "clicks.csv")]))
    assert "nowhere\\.txt could not be read" in open_app("ranking").info[0].value


def test_a_file_that_is_judgments_and_features_is_enough(
    open_app: OpenApp, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "train.txt").write_text(LETOR)
    monkeypatch.setenv("TIECORE_QRELS", str(tmp_path / "train.txt"))
    assert features(open_app()) == ["1", "2"]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data root with a file, a hidden one, and ways out."""
    inside, outside = tmp_path / "root", tmp_path / "outside"
    (inside / "deep" / ".git").mkdir(parents=True)
    outside.mkdir()
    (inside / "qrels.txt").write_text(TINY_QRELS)
    (inside / "deep" / "table.csv").write_text(TINY_TABLE)
    for unlisted in (".hidden.csv", "deep/.git/table.csv", "script.py"):
        (inside / unlisted).write_text(TINY_TABLE)
    (inside / "seen.csv").symlink_to(inside / ".hidden.csv")
    (outside / "secret.csv").write_text(TINY_TABLE)
    (inside / "way.csv").symlink_to(outside / "secret.csv")
    (inside / "folder").symlink_to(outside)
    monkeypatch.setenv("TIECORE_DATA_ROOT", str(inside))
    return inside


def opened(app: AppTest, names: list[str]) -> AppTest:
    """Open files of the server."""
    app.multiselect(key="data_server").set_value(names).run()
    next(button for button in app.button if button.label == "Open").click().run()
    assert not app.exception
    return app


def test_the_picker_offers_what_lies_under_the_root_and_nothing_else(root: Path) -> None:
    assert sorted(root_of_server.server_files()) == ["deep/table.csv", "qrels.txt"]


def test_files_under_the_root_can_be_opened(open_app: OpenApp, root: Path) -> None:
    app = opened(open_app("data"), ["qrels.txt", "deep/table.csv"])
    assert features(app) == USUAL


@pytest.mark.parametrize(
    "name",
    [
        *("../outside/secret.csv", "way.csv", "folder/secret.csv", "/etc/passwd", "deep", "a\0b"),
        *(".hidden.csv", "deep/.git/table.csv", "script.py", "seen.csv"),  # inside, and not offered
    ],
)
def test_no_path_leads_out_of_the_root_or_to_what_the_picker_does_not_offer(root: Path, name: str) -> None:
    assert root_of_server.inside(root, name) is None


@pytest.mark.parametrize(
    ("wanted", "stray"),
    [("l.txt", "l.features.json"), ("l.txt", "l.txt.query"), ("g.txt.gz", "g.group"), ("table", "part-1.parquet")],
)
def test_nothing_that_is_read_along_leads_out_of_the_root(
    open_app: OpenApp, root: Path, wanted: str, stray: str
) -> None:
    outside = root.parent / "outside" / "secret"
    outside.write_text("{}")
    folder = root / "table"
    folder.mkdir()
    for name in ("_SUCCESS", "part-0.parquet"):
        (folder / name).touch()
    (root / "l.txt").write_text(LETOR)
    (root / "g.txt.gz").write_bytes(gzip.compress(LETOR.encode()))
    (folder if wanted == "table" else root).joinpath(stray).symlink_to(outside)
    app = opened(open_app("data"), [wanted])
    assert f"is read with {stray}, which is not under the data root" in complaints(app).replace("\\", "")
    assert app.session_state["dataset"].is_sample


def test_without_a_root_there_is_no_picker(open_app: OpenApp) -> None:
    assert not root_of_server.server_files()
    assert "data_server" not in [element.key for element in open_app("data").multiselect]


def grow(path: Path) -> None:
    path.write_text(path.read_text() + "q1,d9,1,1,1\n")


@pytest.mark.parametrize("change", [grow, Path.unlink])
def test_a_file_that_grows_or_goes_while_it_is_read_is_refused(
    no_cache: None,
    open_app: OpenApp,
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[Path], None],
) -> None:
    path = root / "deep" / "table.csv"

    def read_and_change(source: Path, **options: Any) -> object:
        records = read(source, **options)
        if source == path:
            change(path)
        return records

    monkeypatch.setattr("tiecore_dashboard.files.reading.read", read_and_change)
    app = opened(open_app("data"), ["deep/table.csv"])
    assert "since it was opened" in complaints(app)


@pytest.mark.parametrize("page", ["ranking", "pairs", "cutoffs", "queries", "ties"])
def test_a_file_that_goes_while_it_is_looked_at_is_told_of_on_the_page(
    no_cache: None, open_app: OpenApp, root: Path, page: str
) -> None:
    (root / "pages.parquet").write_bytes((SAMPLE / "pages.parquet").read_bytes())
    (root / "judged.txt").write_bytes((SAMPLE / "qrels.txt").read_bytes())
    app = opened(open_app("data"), ["judged.txt", "pages.parquet"])
    if page == "cutoffs":  # what it needs besides the usual values is read by a part of the page
        app.switch_page("../pages/ranking/ranking.py").run()
    (root / "pages.parquet").unlink()
    SHELF.keep_only(())  # others needed the room
    app.switch_page(f"../pages/{page}/{page}.py").run()
    assert not app.exception
    assert "pages\\.parquet\\: does not exist" in complaints(app)
    assert str(root) not in complaints(app).replace("\\", ""), "where files lie is nobody's business"
    next(button for button in app.button if button.label.startswith("Go on without")).click().run()
    assert not app.exception
    assert "needs at least" in app.info[0].value


@pytest.mark.parametrize("text", [
    TINY_QRELS.replace(" ", "\t").replace("\t2\n", "\tyes\n"),
    BAD.replace(" ", "\t"),
    '{"q1": {"d1": 1, "d2": oops, "d3": 2}}',
    "\x89PNG,,,,\n\x1a,,,,\n",
    "<html>, a, b, 404</html>",
    "404: Not Found",
])  # fmt: skip
def test_a_file_whose_columns_are_not_what_is_wrong_is_not_asked_about(open_app: OpenApp, text: str) -> None:
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, bad__txt=text.encode("latin-1"), table__csv=TINY_TABLE)
    assert "1 file could not be read" in complaints(app)
    assert not any("which column is which" in element.value for element in app.markdown)


def test_messages_about_many_files_leave_the_way_to_the_results_on_top_and_name_each_once(open_app: OpenApp) -> None:
    bad = {f"bad{number}__run": BAD for number in range(12)}
    bad = {name: text.replace("oops", f"oops{number}") for number, (name, text) in enumerate(bad.items())}
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, table__csv=TINY_TABLE, twice__run=TWICE, **bad)
    assert len(app.error) == 1
    assert "12 files could not be read" in app.error[0].value
    said = complaints(app) + "".join(element.value for element in app.markdown)
    for number in range(12):
        assert said.count(f"**bad{number}\\.run**") == 1
    assert complaints(app).count("twice\\.run") == 1, "a file is named once in what is said of it"
    assert any("12 files could not be read" in element.value for element in app.markdown)


def test_a_feature_that_is_left_out_is_marked_in_the_table_of_features(open_app: OpenApp) -> None:
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, table__csv=TINY_TABLE, twice__run=TWICE)
    frame = next(one.value for one in app.dataframe if "state" in one.value)
    assert dict(zip(frame["name"], frame["state"], strict=True)) == {
        "clicks": "", "visits": "", "constant": "", "twice": "left out"
    }  # fmt: skip
