"""Files into the session: uploads, the command line, the server; bad ones refused with a reason."""

from __future__ import annotations

import gzip
import io
import json
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep
from typing import Any

import pandas as pd
import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.scriptrunner import RerunData, get_script_run_ctx
from streamlit.testing.v1 import AppTest

from tests.dashboard.conftest import SAMPLE, TINY_QRELS, TINY_TABLE, OpenApp, answer_of
from tiecore.collection.align import align
from tiecore.collection.alignment import Alignment
from tiecore.formats import Limits, Records, read
from tiecore_dashboard.files import reading, sources
from tiecore_dashboard.files import root as root_of_server
from tiecore_dashboard.results import cached

BAD = "q1 Q0 d1 1 2.5 tag\nq1 Q0 d2 2 oops tag\n"
ALIEN = "".join(f"x{q} Q0 d1 1 1.0 alien\n" for q in range(3))
STRANGERS = "".join(
    line.replace(",d", ",other") if line[0:2] in ("q1", "q2", "q3") else line for line in TINY_TABLE.splitlines(True)
)
TWICE = "q1 Q0 d1 1 2 twice\nq1 Q0 d1 2 1 twice\n"
LETOR = "2 qid:1 1:3 2:0.5\n0 qid:1 1:3 2:0.1\n1 qid:2 1:1 2:0.5\n0 qid:2 1:0 2:0.1\n"


def drop(app: AppTest, **contents: str | bytes) -> AppTest:
    """Drop files into the page Data; a double underscore stands for the dot of the name."""
    files = [
        (name.replace("__", "."), text.encode() if isinstance(text, str) else text, "text/plain")
        for name, text in contents.items()
    ]
    return put(app, files)


def put(app: AppTest, files: list[tuple[str, bytes, str]]) -> AppTest:
    """Put files into the uploader, all at once."""
    app.file_uploader[0].set_value(files).run()
    assert not app.exception, app.exception
    return app


def features(app: AppTest) -> list[str]:
    """Names of the features that the session uses."""
    return [feature.name for feature in app.session_state["dataset"].used]


def complaints(app: AppTest) -> str:
    """All errors and warnings on the page."""
    return "\n".join(element.value for element in (*app.error, *app.warning))


def test_uploads_take_the_place_of_the_sample(open_app: OpenApp) -> None:
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, table__csv__gz=gzip.compress(TINY_TABLE.encode()))
    assert features(app) == ["clicks", "visits", "constant"]
    app = drop(app, more__csv=TINY_TABLE.replace("clicks", "likes").replace("visits", "shares"))
    assert features(app) == ["clicks", "visits", "constant", "likes", "shares", "constant (2)"]


def test_a_click_while_files_are_read_loses_none_of_them(
    open_app: OpenApp, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_while_somebody_clicks(*arguments: Any, **options: Any) -> object:
        context = get_script_run_ctx()
        assert context is not None
        assert context.script_requests is not None
        context.script_requests.request_rerun(RerunData())
        return read(*arguments, **options)

    app = open_app("data")
    monkeypatch.setattr(reading, "read", read_while_somebody_clicks)
    drop(app, qrels__txt=TINY_QRELS, bad__run=BAD, table__csv=TINY_TABLE)
    assert features(app) == ["clicks", "visits", "constant"]
    assert [problem.file for problem in app.session_state["problems"]] == ["bad.run"]
    (root / "more.csv").write_text(TINY_TABLE.replace("clicks", "likes"))
    app.switch_page("../pages/data/data.py").run()
    app.multiselect(key="data_server").set_value(["more.csv"]).run()
    next(button for button in app.button if button.label == "Open").click().run()
    assert "likes" in features(app)


def test_an_edit_of_a_table_that_is_gone_changes_nothing(open_app: OpenApp) -> None:
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, table__csv=TINY_TABLE)
    table = next(one.proto.id for one in app.dataframe if "data_features" in one.proto.id)
    late = WidgetState(id=table, string_value='{"edited_rows": {"0": {"name": "late"}}}')
    app.session_state["data_version"] += 1
    app._run(WidgetStates(widgets=[late]))
    assert not app.exception
    assert features(app) == ["clicks", "visits", "constant"]


def test_all_uploads_of_a_session_together_are_bounded(open_app: OpenApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MOST_TOGETHER", len(TINY_QRELS) + len(TINY_TABLE) + 10)
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, table__csv=TINY_TABLE)
    assert not complaints(app)
    app = drop(app, more__csv=TINY_TABLE.replace("clicks", "likes"))
    assert "is one too many" in complaints(app)
    assert features(app) == ["clicks", "visits", "constant"]


def test_the_uploader_lets_go_of_the_bytes(open_app: OpenApp) -> None:
    app = open_app("data")
    before = app.file_uploader[0].key
    drop(app, qrels__txt=TINY_QRELS, table__csv=TINY_TABLE)
    assert app.file_uploader[0].key != before


def test_a_bad_file_is_named_with_line_and_remedy_while_the_good_stay(open_app: OpenApp) -> None:
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, bad__run=BAD, table__csv=TINY_TABLE, empty__csv="")
    said = complaints(app)
    assert "bad\\.run**, line 2" in said
    assert "empty\\.csv" in said
    assert "2 files could not be read" in said
    assert features(app) == ["clicks", "visits", "constant"]


def test_files_that_do_not_fit_are_left_out_with_the_reason(open_app: OpenApp) -> None:
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, alien__run=ALIEN, twice__run=TWICE, table__csv=TINY_TABLE)
    said = complaints(app)
    assert "no query in common" in said
    assert "listed twice" in said
    assert features(app) == ["clicks", "visits", "constant"]
    app.switch_page("../pages/ranking/ranking.py").run()
    assert not app.exception
    assert "clicks" in answer_of(app) or "visits" in answer_of(app)


def test_judgments_that_contradict_themselves_are_named(open_app: OpenApp) -> None:
    app = drop(open_app("data"), qrels__txt=TINY_QRELS + "q1 0 d0 1\n", table__csv=TINY_TABLE)
    assert "listed twice with grades" in complaints(app)
    assert "Judgments are missing" in app.info[0].value


def test_each_of_two_files_of_one_name_can_be_chosen_as_the_judgments(open_app: OpenApp) -> None:
    other = TINY_QRELS.replace(" 2\n", " 1\n")
    files = [("qrels.txt", text.encode(), "") for text in (TINY_QRELS, other)]
    app = put(open_app("data"), [*files, ("table.csv", TINY_TABLE.encode(), "")])
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
    assert features(app) == ["qrels", "llama"]


def test_a_guessed_judge_is_asked_about_in_place(open_app: OpenApp) -> None:
    app = drop(open_app("data"), a__txt=TINY_QRELS, b__txt=TINY_QRELS.replace(" 2\n", " 1\n"))
    assert any("Which file holds the judgments?" in element.value for element in app.markdown)
    next(button for button in app.button if button.label == "Yes, keep it").click().run()
    assert not any("Which file holds the judgments?" in element.value for element in app.markdown)
    assert features(app) == ["b"]


def test_features_that_do_not_meet_are_left_out_with_the_reason_and_the_others_are_shown(open_app: OpenApp) -> None:
    strange = STRANGERS.replace("clicks", "likes")
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, table__csv=TINY_TABLE, strange__csv=strange)
    assert features(app) == ["clicks", "visits", "constant"]
    assert "no document that" in complaints(app)
    app.switch_page("../pages/ranking/ranking.py").run()
    assert not app.exception
    assert not app.error


def test_one_column_that_does_not_meet_is_left_out_and_the_others_of_its_file_stay(open_app: OpenApp) -> None:
    rows = [f"q{q},d{d},{d},\n" for q in (1, 2, 3) for d in range(4)] + ["q1,elsewhere,1,5\n"]
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, mixed__csv="query_id,doc_id,good,stray\n" + "".join(rows))
    assert features(app) == ["good"]
    assert "**stray**\\:" in complaints(app)
    assert "left out of the results" in complaints(app)


def test_nothing_that_meets_says_why_instead_of_a_result(open_app: OpenApp) -> None:
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, table__csv=STRANGERS)
    assert not features(app)
    assert "no document that" in complaints(app)
    app.switch_page("../pages/ranking/ranking.py").run()
    assert "needs at least one feature" in app.info[0].value


DOC_TABLE = TINY_TABLE.replace("query_id,doc_id", "topic,doc")
NO_HEADER = TINY_TABLE.partition("\n")[2]
LIKE_QRELS = NO_HEADER.replace(",1\n", "\n").replace(",", "\t")
"""Four fields in each line, as in TREC qrels, but the documents stand second."""
NO_TAG = "".join(f"q{q} Q0 d{d} {d} {d % 2}\n" for q in (1, 2, 3) for d in range(4))
LIKE_RUN = NO_HEADER.replace("\n", ",1\n").replace(",", "\t")


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(("text", "found"), [
    (DOC_TABLE, ["clicks", "visits", "constant"]),
    (NO_HEADER, ["column 3", "column 4", "column 5"]),
    (DOC_TABLE.replace(",", "\t"), ["clicks", "visits", "constant"]),
    (DOC_TABLE.replace("clicks", "rank"), ["rank (column 3)", "visits", "constant"]),
    (LIKE_QRELS, ["column 3", "column 4"]),
    (LIKE_RUN, ["column 3", "column 4", "column 5", "column 6"]),
    (LIKE_QRELS.replace("\t", "  "), ["column 3", "column 4"]),
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
    assert not app.session_state["problems"]


def test_a_wrong_answer_about_columns_is_told_and_can_be_mended(open_app: OpenApp) -> None:
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, t__csv=DOC_TABLE)
    app.selectbox(key="data_document_0").set_value("topic")
    app.button(key="data_read_0").click().run()
    assert "one column cannot be two things" in complaints(app)
    app.selectbox(key="data_document_0").set_value("doc")
    app.button(key="data_read_0").click().run()
    assert features(app) == ["clicks", "visits", "constant"]


def test_many_tables_of_the_same_columns_are_asked_about_once(open_app: OpenApp) -> None:
    other = DOC_TABLE.replace(",1\n", ",2\n")
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, t__csv=DOC_TABLE, u__csv=other)
    assert app.button(key="data_read_0").label == "Read these 2 files"
    app.button(key="data_read_0").click().run()
    assert len(features(app)) == 6


def test_a_parquet_file_with_other_names_is_asked_about(open_app: OpenApp) -> None:
    frame = pd.read_csv(io.StringIO(DOC_TABLE), dtype={"topic": str, "doc": str})
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, t__parquet=frame.to_parquet())
    app.button(key="data_read_0").click().run()
    assert features(app) == ["clicks", "visits", "constant"]


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
    bad = [(f"bad{number}.parquet", data, "") for number, data in enumerate(damaged(whole, files=24))]
    app = put(open_app("data"), [("qrels.txt", TINY_QRELS.encode(), ""), *bad, ("table.csv", TINY_TABLE.encode(), "")])
    assert features(app)[:3] == ["clicks", "visits", "constant"]
    told = {one.file for one in app.session_state["problems"]}
    assert {name for name, _, _ in bad} <= told | {file.name for file in app.session_state["dataset"].files}
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


def test_what_cannot_be_read_brings_no_sign_of_success(open_app: OpenApp) -> None:
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, bad__run=BAD)
    assert not app.toast
    assert not app.success
    app = drop(app, twice__run=TWICE)
    assert not app.toast, "what is left out has been loaded, and is no success"


def test_a_file_of_the_same_bytes_under_another_name_is_told_of(open_app: OpenApp) -> None:
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, one__csv=TINY_TABLE, two__csv=TINY_TABLE)
    assert any("holds the same bytes as" in element.value for element in app.info)


def test_scores_without_judgments_say_what_to_do_on_every_page(open_app: OpenApp) -> None:
    app = drop(open_app("data"), table__csv=TINY_TABLE)
    assert "Judgments are missing" in app.info[0].value
    app.switch_page("../pages/ranking/ranking.py").run()
    assert not app.exception
    assert "Scores are loaded, judgments are not" in app.info[0].value


def test_judgments_without_scores_say_what_to_do(open_app: OpenApp) -> None:
    app = drop(open_app("data"), qrels__txt=TINY_QRELS)
    assert "Features are missing" in app.info[0].value
    app.switch_page("../pages/ranking/ranking.py").run()
    assert "needs at least one feature" in app.info[0].value


def test_letor_brings_its_own_judgments_and_companions(open_app: OpenApp) -> None:
    app = drop(open_app("data"), train__txt=LETOR)
    assert features(app) == ["1", "2"]
    plain = LETOR.replace("qid:1 ", "").replace("qid:2 ", "")
    names = json.dumps({"1": "clicks", "2": "length"})
    companions = [("train.query", b"2\n2\n", "text/plain"), ("train.features.json", names.encode(), "text/plain")]
    app = put(open_app("data"), [("train", plain.encode(), "text/plain"), *companions])
    assert not app.error, complaints(app)
    assert features(app) == ["clicks", "length"]


SCORES = json.dumps({f"q{q}": {f"d{d}": d / 2 for d in range(4)} for q in (1, 2, 3)})
NAMES = json.dumps({"1": "clicks", "2": "length"})


def test_scores_are_read_whatever_their_file_is_called(open_app: OpenApp) -> None:
    for name in ("bert.features.json", "bert.json", "bert.query"):
        app = put(open_app("data"), [("qrels.txt", TINY_QRELS.encode(), ""), (name, SCORES.encode(), "")])
        assert len(features(app)) == 1, name
        assert not complaints(app)


def test_the_same_scores_are_there_once_whatever_lies_beside_them(open_app: OpenApp) -> None:
    app = put(open_app("data"), [("qrels.txt", TINY_QRELS.encode(), ""), ("bert.json", SCORES.encode(), "")])
    other = ("x.features.json", NAMES.encode(), "")
    for files in ([("bert.features.json", SCORES.encode(), "")], [("x.json", SCORES.encode(), ""), other]):
        assert features(put(app, files)) == ["bert"]


@pytest.mark.parametrize("name", ["x.features.json", "x.query", "x.group"])
@pytest.mark.parametrize("content", ["garbage", NAMES, "2\n2\n"])
def test_what_goes_with_a_letor_file_that_is_not_there_is_named_with_the_remedy(
    open_app: OpenApp, name: str, content: str
) -> None:
    beside = ("x", TINY_QRELS.encode(), "")  # called like its LETOR file, and is none
    for files in ([], [beside]):
        app = put(open_app("data"), [*files, (name, content.encode(), "")])
        assert len(app.error) == 1
        assert f"**{name.replace('.', chr(92) + '.')}**" in complaints(app)
        assert "drop in both at once" in complaints(app)


def test_names_that_come_after_their_letor_file_are_told_how_to_come(open_app: OpenApp) -> None:
    app = drop(open_app("data"), letor__txt=LETOR)
    app = drop(app, letor__features__json=NAMES)
    assert features(app) == ["1", "2"]
    assert "if it goes with letor\\.txt, remove that and drop in both at once" in complaints(app)


@pytest.mark.parametrize("name", ["letor.txt", "fold.1.txt", "letor.txt.gz", "letor"])
def test_names_go_with_the_file_that_they_are_called_after(open_app: OpenApp, name: str) -> None:
    stem = name.removesuffix(".gz").removesuffix(".txt")
    content = gzip.compress(LETOR.encode()) if name.endswith(".gz") else LETOR.encode()
    app = put(open_app("data"), [(f"{stem}.features.json", NAMES.encode(), ""), (name, content, "")])
    assert features(app) == ["clicks", "length"]
    assert not complaints(app)


def test_a_second_companion_is_not_passed_over(open_app: OpenApp) -> None:
    plain = LETOR.replace("qid:1 ", "").replace("qid:2 ", "")
    app = drop(open_app("data"), train=plain, train__query="2\n2\n", train__group="1\n3\n")
    assert features(app) == ["1", "2"]
    assert "train\\.group" in complaints(app)


def test_a_bomb_is_refused_and_the_good_stay(open_app: OpenApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "UPLOAD_LIMITS", Limits(unpacked=50_000))
    bomb = gzip.compress(b"q1 Q0 d1 1 1.0 t\n" * 100_000)
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, bomb__run__gz=bomb, table__csv=TINY_TABLE)
    assert "holds more than 50,000 bytes" in complaints(app)
    assert features(app) == ["clicks", "visits", "constant"]


def test_an_upload_that_is_too_large_is_refused_with_the_way_out(
    open_app: OpenApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "LARGEST_UPLOAD", 1000)
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, large__run=ALIEN * 100, table__csv=TINY_TABLE)
    assert "uploads end at 1000 B" in complaints(app)
    assert "data\\-root" in complaints(app)
    assert features(app) == ["clicks", "visits", "constant"]


def test_one_can_go_back_to_the_sample(open_app: OpenApp) -> None:
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, bad__run=BAD)
    next(button for button in app.button if button.label == "Back to the sample").click().run()
    assert "bm25" in features(app)
    assert not app.error


def test_sessions_share_nothing(open_app: OpenApp) -> None:
    drop(open_app("data"), qrels__txt=TINY_QRELS, table__csv=TINY_TABLE)
    assert "bm25" in features(open_app("data"))


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is said while one waits, in its order."""
    found: list[str] = []

    @contextmanager
    def listening(text: str) -> Iterator[Callable[[str], None]]:
        if not text.startswith("Reading"):
            found.append(text)
        yield found.append

    for module in (reading, sources):
        monkeypatch.setattr(module, "meanwhile", listening)
    return found


def test_whoever_waits_for_files_is_told_which_of_them_is_being_read(
    open_app: OpenApp, root: Path, tiny_files: object, said: list[str]
) -> None:
    joining = "Bringing judgments and features together"
    app = open_app("data")
    assert [text.replace("\\", "").rpartition("/")[2] for text in said] == [
        "qrels.txt (1 of 2)", "table.csv (2 of 2)", joining,
    ]  # fmt: skip
    said.clear()
    app = drop(app, bad__run=BAD, more__csv=TINY_TABLE.replace("clicks", "likes"))
    assert said[:3] == ["Reading bad\\.run (1 of 2)", "Reading more\\.csv (2 of 2)", joining]
    said.clear()
    app.multiselect(key="data_server").set_value(["deep/table.csv"]).run()
    next(button for button in app.button if button.label == "Open").click().run()
    assert said[:2] == ["Reading deep\\/table\\.csv", joining]


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


def test_a_file_that_is_named_as_judgments_and_as_features_is_read_once(
    open_app: OpenApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, found = str(SAMPLE / "clicks.csv"), []
    monkeypatch.setenv("TIECORE_QRELS", path)
    monkeypatch.setenv("TIECORE_FEATURES", json.dumps([path]))

    def of_path(*given: Any, **named: Any) -> Any:
        found.append(given)
        return reading.of_path(*given, **named)

    monkeypatch.setattr(sources, "of_path", of_path)
    open_app("data")
    assert len(found) == 1


def test_files_of_the_command_line_are_read_and_joined_before_anybody_comes_and_only_once(
    open_app: OpenApp, no_cache: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    names: list[str] = []
    joined: list[int] = []

    def slowly(path: Path) -> object:
        names.append(path.name)
        sleep(0.1)
        return read(path)

    def joined_slowly(qrels: Records, columns: list[Any], **options: Any) -> Alignment:
        joined.append(len(columns))
        sleep(0.1)
        return align(qrels, columns, **options)

    monkeypatch.setattr(reading, "read", slowly)
    monkeypatch.setattr(cached, "align", joined_slowly)
    monkeypatch.setenv("TIECORE_QRELS", str(SAMPLE / "qrels.txt"))
    monkeypatch.setenv("TIECORE_FEATURES", json.dumps([str(SAMPLE / "clicks.csv"), str(SAMPLE / "nowhere.run")]))
    thread = sources.open_ahead()
    assert thread is not None
    app = open_app("data")  # comes too early, and waits
    thread.join()
    assert sorted(names) == ["clicks.csv", "qrels.txt"]
    assert len(joined) == 1
    assert "nowhere\\.run" in complaints(app)


def test_however_many_files_are_named_each_is_read_once(
    no_cache: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    paths = [tmp_path / f"{number}.run" for number in range(300)]
    for path in paths:
        path.write_text(f"q1 Q0 d1 1 {path.stem} tag\n")
    opened: list[Path] = []

    def noted(path: Path) -> object:
        opened.append(path)
        return read(path)

    monkeypatch.setattr(reading, "read", noted)
    for _ in range(2):
        for path in paths:
            reading.from_path(path, name=path.name, origin="command line")
    assert opened == paths
    paths[0].write_text("q1 Q0 d1 1 2.5 tag\nq1 Q0 d2 2 2 tag\n")
    assert reading.from_path(paths[0], name="0.run", origin="command line").n_bytes == 36


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


def test_the_picker_offers_what_lies_under_the_root_and_nothing_else(root: Path) -> None:
    assert sorted(root_of_server.server_files()) == ["deep/table.csv", "qrels.txt"]


def test_files_under_the_root_can_be_opened(open_app: OpenApp, root: Path) -> None:
    app = open_app("data")
    app.multiselect(key="data_server").set_value(["qrels.txt", "deep/table.csv"]).run()
    next(button for button in app.button if button.label == "Open").click().run()
    assert not app.exception
    assert features(app) == ["clicks", "visits", "constant"]


@pytest.mark.parametrize(
    "name", ["../outside/secret.csv", "way.csv", "folder/secret.csv", "/etc/passwd", "deep", "a\0b"]
)
def test_no_path_leads_out_of_the_root(root: Path, name: str) -> None:
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
    app = open_app("data")
    app.multiselect(key="data_server").set_value([wanted]).run()
    next(button for button in app.button if button.label == "Open").click().run()
    assert not app.exception
    assert f"is read with {stray}, which is not under the data root" in complaints(app).replace("\\", "")
    assert app.session_state["dataset"].is_sample


@pytest.mark.parametrize("name", [".hidden.csv", "deep/.git/table.csv", "script.py", "seen.csv"])
def test_what_the_picker_does_not_offer_cannot_be_asked_for_by_name(root: Path, name: str) -> None:
    assert root_of_server.inside(root, name) is None


def test_without_a_root_there_is_no_picker(open_app: OpenApp) -> None:
    assert not root_of_server.server_files()
    assert "data_server" not in [element.key for element in open_app("data").multiselect]


def grow(path: Path) -> None:
    path.write_text(path.read_text() + "q1,d9,1,1,1\n")


@pytest.mark.parametrize(
    ("change", "complaint"),
    [(grow, "changed while it was read"), (Path.unlink, "does not exist or cannot be read")],
)
def test_a_file_that_grows_or_goes_while_it_is_read_is_refused(
    open_app: OpenApp, root: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], None], complaint: str
) -> None:
    path = root / "deep" / "table.csv"

    def read_and_change(source: Path) -> object:
        records = read(source)
        change(path)
        return records

    monkeypatch.setattr("tiecore_dashboard.files.reading.read", read_and_change)
    app = open_app("data")
    app.multiselect(key="data_server").set_value(["deep/table.csv"]).run()
    next(button for button in app.button if button.label == "Open").click().run()
    assert not app.exception
    assert complaint in complaints(app)


@pytest.mark.parametrize("page", ["ranking", "pairs", "cutoffs", "queries", "ties"])
def test_a_file_that_goes_while_it_is_looked_at_is_told_of_on_the_page(
    no_cache: None, open_app: OpenApp, root: Path, page: str
) -> None:
    (root / "pages.parquet").write_bytes((SAMPLE / "pages.parquet").read_bytes())
    (root / "judged.txt").write_bytes((SAMPLE / "qrels.txt").read_bytes())
    app = open_app("data")
    app.multiselect(key="data_server").set_value(["judged.txt", "pages.parquet"]).run()
    next(button for button in app.button if button.label == "Open").click().run()
    if page == "cutoffs":  # what it needs besides the usual values is read by a part of the page
        app.switch_page("../pages/ranking/ranking.py").run()
    (root / "pages.parquet").unlink()
    app.switch_page(f"../pages/{page}/{page}.py").run()
    assert not app.exception
    assert "has changed or been removed since it was opened" in complaints(app)


def test_qrels_that_list_a_document_twice_are_not_taken_for_a_table(open_app: OpenApp) -> None:
    app = drop(
        open_app("data"), qrels__txt=TINY_QRELS, twice__txt=TINY_QRELS.replace(" d3 ", " d2 "), t__csv=TINY_TABLE
    )
    assert "listed twice" in complaints(app)
    assert not any("which column is which" in element.value for element in app.markdown)


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


def test_a_table_whose_columns_hold_nothing_is_told_of(open_app: OpenApp) -> None:
    empty = "query_id,doc_id,score\nq1,d1,\nq1,d2,\n"
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, empty__csv=empty, table__csv=TINY_TABLE)
    assert "empty\\.csv" in complaints(app)
    assert "no numeric column besides the ids" in complaints(app)


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
