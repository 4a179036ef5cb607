"""What a run of the script draws is sent in one go, in its order and with nothing lost, and soon enough."""

from collections.abc import Callable
from threading import Event
from types import SimpleNamespace

import pytest

from tiecore_dashboard.ui import together
from tiecore_dashboard.ui.together import send_now, sent_together

NEVER = 1000.0


class Run(SimpleNamespace):
    """The part of a run of the script that sends messages."""

    _enqueue: Callable[[str], None]
    sent: list[str]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    sent: list[str] = []
    own = Run(_enqueue=sent.append, sent=sent)
    monkeypatch.setattr(together, "get_script_run_ctx", lambda **_: own)
    return own


def test_all_is_sent_at_the_end_in_its_order(run: Run) -> None:
    send = run._enqueue
    with sent_together(NEVER):
        run._enqueue("a")
        run._enqueue("b")
        assert run.sent == []
    assert run.sent == ["a", "b"]
    assert run._enqueue == send


def test_what_comes_after_it_was_let_go_is_sent_at_once(run: Run) -> None:
    with sent_together(NEVER):
        run._enqueue("a")
        send_now()
        assert run.sent == ["a"]
        run._enqueue("b")
        assert run.sent == ["a", "b"]
    assert run.sent == ["a", "b"]


def test_a_long_run_is_sent_as_it_grows(run: Run) -> None:
    is_sent, send = Event(), run._enqueue
    run._enqueue = lambda message: (send(message), is_sent.set())  # type: ignore[assignment,func-returns-value]
    with sent_together(0.01):
        run._enqueue("a")
        assert is_sent.wait(60)
        run._enqueue("b")
        assert run.sent == ["a", "b"]


def test_what_was_drawn_before_an_error_is_sent(run: Run) -> None:
    send = run._enqueue

    def draw() -> None:
        with sent_together(NEVER):
            run._enqueue("a")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        draw()
    assert run.sent == ["a"]
    assert run._enqueue == send


def test_without_a_run_of_the_script_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(together, "get_script_run_ctx", lambda **_: None)
    with sent_together():
        send_now()
