"""Settings that all tests share."""

import gc
import importlib
import os
import pkgutil
import sys
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

import tiecore

# Both profiles run without a deadline: how long one example takes says more about the machine than about the code.
settings.register_profile(
    "quick",
    max_examples=15,
    deadline=None,
    derandomize=True,  # the same examples every time: a red run is red again when it is looked into
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "thorough",
    max_examples=1500,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("TIECORE_HYPOTHESIS", "quick"))


# Looking for circles of objects again and again, among all modules that tests load, is a twentieth of what tests cost.
gc.set_threshold(20_000, 50, 100)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Look for circles no more among what has been loaded, which stays: another twentieth."""
    gc.collect()
    gc.freeze()


def pytest_configure(config: pytest.Config) -> None:
    """Count no lines in the commands that tests start.

    Coverage passes itself on to every process that is started. Only the workers of the test runner need that: what the
    commands run is covered here too, and counting it again costs each of them half a second.
    """
    if not config.getoption("numprocesses", None):
        os.environ.pop("COVERAGE_PROCESS_CONFIG", None)


@pytest.fixture(autouse=True, scope="session")
def _threads_where_they_are_asked_for() -> Iterator[None]:
    """Start no threads for the little work of most tests, where they cost a fifth and bring nothing.

    What threads may not change is held by tests that ask for some, and with many more examples all tests start them.
    """
    with pytest.MonkeyPatch.context() as patch:
        if settings.get_current_profile_name() == "quick":
            patch.setattr("os.sched_getaffinity", lambda _: {0}, raising=False)
        yield


# --- what coverage counts ---------------------------------------------------------------------------------------------

DASHBOARD = Path(__file__).parent / "dashboard"
NO_MODULES = ("tiecore.__main__", "tiecore.kernel._kernel", "tiecore.spark.")
"""What is run as a program, the compiled kernel, and what takes pyspark."""


@contextmanager
def traced_by(of_this_thread: Any, of_new_threads: Any) -> Iterator[None]:
    """Trace lines by these functions instead of those that do so now."""
    before = sys.gettrace(), threading.gettrace()
    sys.settrace(of_this_thread)
    threading.settrace(of_new_threads)
    try:
        yield
    finally:
        sys.settrace(before[0])
        threading.settrace(before[1])


coverage_of_item = pytest.StashKey[tuple[Any, Any]]()


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, Any, Any]:
    """Count the lines that importing tiecore runs, and none of what looks for the tests."""
    if sys.gettrace() is not None:
        for module in pkgutil.walk_packages(tiecore.__path__, "tiecore."):
            if not module.name.startswith(NO_MODULES):
                importlib.import_module(module.name)
    with traced_by(None, None):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    """Count lines in tests and their fixtures alone; not in tests of the dashboard, nor in those marked `untraced`.

    Coverage is held for tiecore, whose own tests reach every line; to count in others too would double their time.
    """
    if item.get_closest_marker("untraced") is None and not item.path.is_relative_to(DASHBOARD):
        item.stash[coverage_of_item] = sys.gettrace(), threading.gettrace()
    with traced_by(None, None):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(request: pytest.FixtureRequest) -> Generator[None, Any, Any]:
    with traced_by(*request._pyfuncitem.stash.get(coverage_of_item, (None, None))):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, Any, Any]:
    with traced_by(*pyfuncitem.stash.get(coverage_of_item, (None, None))):
        return (yield)
