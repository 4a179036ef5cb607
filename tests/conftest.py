"""Settings that all tests share."""

import os
import sys
import threading
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

# Both profiles run without a deadline: how long one example takes says more about the machine than about the code.
settings.register_profile(
    "quick",
    max_examples=60,
    deadline=None,
    derandomize=True,  # the same examples every time: a red run is red again when it is looked into
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "thorough",
    max_examples=3000,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("TIECORE_HYPOTHESIS", "quick"))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Look away from tests marked `untraced`: to count lines that others run as well would double their time."""
    if item.get_closest_marker("untraced") is None:
        yield
        return
    tracers = sys.gettrace(), threading.gettrace()
    sys.settrace(None)
    threading.settrace(None)
    yield
    sys.settrace(tracers[0])
    threading.settrace(tracers[1])
