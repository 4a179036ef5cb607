"""Own files and their address: found again, shared, kept apart, forgotten."""

import base64
import gc
import weakref

import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.conftest import BAD, OWN, TINY_TABLE, USUAL, complaints, features, go, open_app, press, put
from tiecore_dashboard.files import kept as of_kept
from tiecore_dashboard.files import reading
from tiecore_dashboard.files.datasets import Dataset
from tiecore_dashboard.files.kept import Folder, Kept
from tiecore_dashboard.results.visits import Visits


def address(app: AppTest) -> list[str]:
    found = app.query_params.get("data", [])
    return [found] if isinstance(found, str) else list(found)


def test_own_files_are_found_again_by_their_address_unchanged_and_settings_stay() -> None:
    app = put(open_app("data"), [*OWN.items()])
    (name,) = address(app)
    assert len(base64.urlsafe_b64decode(name + "==")) == 16, "128 bits that nobody guesses"
    again = open_app("ranking", query={"data": name, "measure": "AP"})
    assert features(again) == USUAL
    assert address(again) == [name]
    more = put(app, [("more.csv", TINY_TABLE.replace("clicks", "likes"))])
    assert address(more) != [name]
    assert features(open_app(query={"data": name})) == USUAL
    assert "likes" in features(open_app(query={"data": address(more)[0]}))


def test_files_that_could_not_be_read_are_told_of_by_the_address_as_well() -> None:
    app = put(open_app("data"), [("bad.run", BAD)])
    assert features(open_app("data"))[0] == features(app)[0], "still the sample"
    assert "bad\\.run**, line 2" in complaints(open_app("data", query={"data": address(app)[0]}))
    asked = TINY_TABLE.replace("query_id,doc_id", "topic,thing")
    app = put(app, [("bad.run", BAD), ("t.csv", asked), *OWN.items()])
    again = open_app("data", query={"data": address(app)[0]})
    assert "bad\\.run**, line 2" in complaints(again)
    again.button(key="data_read_0").click().run()
    assert features(again) == ["clicks", "visits", "constant", "clicks (2)", "visits (2)", "constant (2)"]
    assert "bad\\.run**, line 2" in complaints(again), "one answer leaves the others"
    press(again, "Dismiss")
    assert not complaints(open_app("data", query={"data": address(again)[0]}))
    press(press(app, "Dismiss"), "Leave it out")  # the question is no message
    assert not app.session_state["dataset"].problems


@pytest.mark.parametrize("name", ["own", "x", "9" * 5000])
@pytest.mark.parametrize("page", ["ranking", "data", "ties"])
def test_a_link_to_data_that_are_not_here_says_so_and_never_shows_the_sample(name: str, page: str) -> None:
    app = open_app(page, query={"data": name, "measure": "AP"})
    said = "".join(element.value for element in (*app.info, *app.warning))
    assert "not on this server" in said
    assert "report" in said
    assert not features(app)
    assert address(app) == [name], "a reload says it again"


def test_a_server_that_forgets_keeps_nothing_and_its_links_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIECORE_FORGET", "1")
    app = put(open_app("data"), [*OWN.items()])
    assert features(app) == USUAL
    assert not features(open_app(query={"data": address(app)[0]}))


def test_whoever_goes_back_to_the_sample_finds_it_as_those_who_never_left() -> None:
    app = put(open_app("data"), [("qrels.txt", OWN["qrels.txt"]), ("bad.run", BAD)])
    press(app, "Back to the sample")
    for one in (app, open_app("data")):
        assert "bm25" in features(one)
        assert address(one.run()) == []
        assert not one.error
    press(go(app, "data"), "Back to your files")
    assert app.session_state["dataset"].qrels.name == "qrels.txt"
    app = open_app("data", state={"dataset": Dataset()})  # the empty area to drop files into
    press(app, "Back to the sample")
    assert not any("your files" in button.label for button in app.button)


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


def test_what_a_visitor_looked_at_goes_when_they_have_left() -> None:
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


@pytest.mark.usefixtures("no_preview")
def test_the_same_bytes_under_another_name_tell_nobody_the_first_name() -> None:
    """Both visitors share what was computed of the bytes, and nothing else."""
    for owner in ("confidential", "public"):
        files = [(f"{owner}-{name}", text) for name, text in OWN.items()]
        app = put(open_app("data", state={"ranking_exports": True}), files)
        for page in ("data", "ranking", "queries"):
            go(app, page)
            shown = "".join(str(getattr(element, "proto", "")) for element in app.main)
            assert (f"{owner}-table.csv" in shown) >= (page != "queries"), page
            assert owner == "confidential" or "confidential" not in shown, page
