"""Settings that all tests share."""

import gc
import os
from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, settings

# Both profiles run without a deadline: how long one example takes says more about the machine than about the code.
common: dict[str, Any] = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
# the same examples every time: a red run is red again when it is looked into
settings.register_profile("quick", max_examples=15, derandomize=True, **common)
settings.register_profile("thorough", max_examples=1500, print_blob=True, **common)
settings.load_profile(os.environ.get("TIECORE_HYPOTHESIS", "quick"))

if settings.get_current_profile_name() == "quick" and not os.environ.get("CI"):
    # Made for columns of millions, Arrow's strings take an eighth of what tests cost, whose tables are small and many.
    pd.options.mode.string_storage = "python"

# Looking for circles of objects again and again, among all modules that tests load, is a twentieth of what tests cost.
gc.set_threshold(20_000, 50, 100)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Look for circles no more among what has been loaded, which stays: another twentieth."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="session")
def _threads_where_they_are_asked_for() -> Iterator[None]:
    """Start no threads for the little work of most tests, where they cost a fifth and bring nothing.

    What threads may not change is held by tests that ask for some, and with many more examples all tests start them.
    """
    with pytest.MonkeyPatch.context() as patch:
        if settings.get_current_profile_name() == "quick":
            patch.setattr("os.sched_getaffinity", lambda _: {0}, raising=False)
        yield
