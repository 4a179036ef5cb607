"""Every button, part and link of every page, with changed settings: nothing fails or is lost, pictures show them.

The settings come by a link to the sample, by the menus, or before an upload; what came by a link ends with a reload.
"""

import json
from collections.abc import Iterator
from itertools import chain, combinations, cycle
from typing import Any
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.conftest import TINY_QRELS, TINY_TABLE, drop, open_app
from tiecore.stability.sentences import called
from tiecore_dashboard.pages.all_pages import PAGES
from tiecore_dashboard.state.conventions import CONVENTIONS
from tiecore_dashboard.state.sidebar import Settings

CHANGED: dict[str, Any] = {
    "measure": "AP",
    "k": "5",
    "rel": "2",
    "gain": "exponential",
    "tie": ["random:7"],
    "precision": "decimals:2",
    "queries": "common",
    "norel": "skip",
    "missing": "last",
}
"""A value of each setting that is not its default, as a link has it."""
FILES = [*PAGES]
FOLDED = {"gain", "rel", *(one.key for one in CONVENTIONS)}
"""Settings in the box *Advanced*, of which a browser draws nothing while it is closed."""
NOTHING = "\u200b"
"""Label of the button that a change of theme clicks on, for nothing but a run."""
WAYS = ("link", "menu", "upload")
WIDGETS = ("selectbox", "multiselect", "radio", "number_input", "segmented_control", "pills", "toggle", "text_input")


def cases() -> Iterator[Any]:
    """Yield every page with all settings, in each way by turns; slow: with every pair."""
    ways = cycle(WAYS)
    for file in FILES:
        yield case(file, next(ways), *CHANGED)
        for pair in combinations(CHANGED, 2):
            yield case(file, next(ways), *pair, marks=pytest.mark.slow)


def case(file: str, way: str, *names: str, marks: Any = ()) -> Any:
    return pytest.param(
        file, way, names, marks=marks, id="-".join((file, way, *names) if len(names) == 2 else (file, way))
    )


def begin(file: str, way: str, wanted: dict[str, Any]) -> AppTest:
    """Open a page with changed settings: by a link on the sample, else on own files."""
    if way == "link":
        return open_app(file, query=wanted)
    if way == "menu":
        app = open_app(file)
        for name, value in wanted.items():
            for widget in (one for one in widgets_of(app) if one.key == name):  # not every measure has every setting
                checked(widget.set_value(float(value) if name == "rel" else value).run())
        return app
    app = open_app("data", query=wanted)
    drop(app, qrels__txt=TINY_QRELS, table__csv=TINY_TABLE)
    return go(checked(app.run()), file)


def widgets_of(app: AppTest) -> list[Any]:
    return list(chain.from_iterable(app.get(kind) for kind in WIDGETS))


def checked(app: AppTest) -> AppTest:
    """Return the page, if it is not one of an error."""
    assert not app.exception, app.exception
    return app


def go(app: AppTest, file: str, query: str = "") -> AppTest:
    """Follow a link as a browser does, which takes along only parameters of widgets that it has drawn."""
    bound = {one.proto.query_param_key for one in widgets_of(app)} - FOLDED
    kept = {name: value for name, value in app.query_params.items() if name in bound}
    app.query_params = {**kept, **parse_qs(query)}
    return checked(app.switch_page(f"../pages/{file}/{file}.py").run())


def press(app: AppTest, key: str | None, label: str) -> None:
    button = next((one for one in app.button if (one.key, one.label) == (key, label)), None)
    if button is not None and not button.disabled:
        checked(button.click().run())


def groups_of(app: AppTest) -> list[Any]:
    """Return what chooses a part of the page."""
    return [one for one in widgets_of(app) if one.type == "button_group" and one.key not in CHANGED]


def turn_to(app: AppTest, key: str | None, part: str) -> None:
    for group in (one for one in groups_of(app) if one.key == key and part in one.options):
        checked(group.set_value([part] if isinstance(group.value, list) else part).run())


def titles_of_charts(app: AppTest) -> list[str]:
    """Return what stands at the axes."""
    layouts = [json.loads(one.proto.spec)["layout"] for one in app.get("plotly_chart")]
    axes = [axis for layout in layouts for name, axis in layout.items() if name.startswith(("xaxis", "yaxis"))]
    return [axis["title"]["text"] for axis in axes if axis.get("title", {}).get("text")]


def settings_of(app: AppTest) -> Settings:
    found: Settings = app.session_state["settings"]
    return found


@pytest.mark.parametrize(("file", "way", "changed"), [*cases()])
def test_every_button_and_link_keeps_the_settings(
    request: pytest.FixtureRequest, file: str, way: str, changed: tuple[str, ...]
) -> None:
    wanted = {name: CHANGED[name] for name in changed}
    settings = settings_of(open_app("data", query=wanted))
    if way == "menu":
        request.getfixturevalue("tiny_files")
    app = begin(file, way, wanted)
    assert settings_of(app) == settings
    for key, label in [(one.key, one.label) for one in app.button if one.label != NOTHING]:
        press(app, key, label)
        assert settings_of(app) == settings, label
    for key, part in [(one.key, part) for one in groups_of(app) for part in one.options]:
        turn_to(app, key, part)
        assert settings_of(app) == settings, part
        of_measure = [title for title in titles_of_charts(app) if "@" in title]
        assert all(str(settings.measure) in title or called(settings.measure) in title for title in of_measure)
    links = {(one.proto.page or FILES[0], one.proto.query_string) for one in app.get("page_link")}
    # each page leads to all others: from the first one to all of them, from any other one to the first
    links = {(target, query) for target, query in links if query or FILES[0] in (file, target)}
    for target, query in sorted(links):
        go(app, target, query)
        assert settings_of(app) == settings, target
        if (target, query) != max(links):
            go(app, file)
    if way == "link":
        assert settings_of(open_app("data", query=app.query_params)) == settings
