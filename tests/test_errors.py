"""Laws of messages: whatever a user hands over, an error quotes it in one short line."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

from tiecore.errors import listed, shortened


class Unwritable:
    """An object whose text cannot be made."""

    def __repr__(self) -> str:
        raise RuntimeError("no text")


VALUES: list[object] = [
    *("", "a\nb", "x" * 10**6, b"y" * 10**6, 1, 10**5000, -(10**5000), 1e300, Decimal("1e9"), None, Unwritable()),
    *(np.zeros((50, 50)), {"a": ["b"] * 1000}, "\udc80", "\N{LINE SEPARATOR}" * 9),
]


@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
def test_a_quoted_value_is_one_short_line_that_can_be_printed(value: object) -> None:
    found = shortened(value)
    assert 0 < len(found) <= 240
    assert len(found.splitlines()) == 1
    found.encode()


def test_a_short_value_is_quoted_as_it_is_and_of_many_the_first_are_listed() -> None:
    assert [shortened(value) for value in ("clicks", 12, 0.5, None)] == ["'clicks'", "12", "0.5", "None"]
    assert shortened("x" * 60) == repr("x" * 60)
    assert shortened("x" * 61) == repr("x" * 60 + "…")
    assert shortened(Unwritable()) == "<Unwritable>"
    assert listed({"a": 1, "b": 2}) == "'a', 'b'"
    assert listed(range(100), most=3) == "0, 1, 2, …"
