"""What a run of the script draws is sent in one go, in its order and with nothing lost, and soon enough."""

from collections.abc import Callable
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.runtime.scriptrunner import StopException
from streamlit.runtime.scriptrunner.script_runner import ScriptRunnerEvent

from tiecore_dashboard.ui import together
from tiecore_dashboard.ui.together import send_now, sent_together

NEVER = 1000.0


class Runner:
    """The part of a run of the script that sends messages, and may be told to end."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.is_told_to_end = False
        self.on_event = self

    def send(self, _: object, *, event: ScriptRunnerEvent, forward_msg: str) -> None:
        assert event is ScriptRunnerEvent.ENQUEUE_FORWARD_MSG
        self.sent.append(forward_msg)

    def _maybe_handle_execution_control_request(self) -> None:
        if self.is_told_to_end:
            raise StopException

    def _enqueue_forward_msg(self, message: str) -> None:
        self._maybe_handle_execution_control_request()
        self.sent.append(message)


class Run(SimpleNamespace):
    """What draws has of it."""

    _enqueue: Callable[[str], None]
    runner: Runner

    @property
    def sent(self) -> list[str]:
        return self.runner.sent


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    runner = Runner()
    own = Run(_enqueue=runner._enqueue_forward_msg, runner=runner)
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


def test_a_long_run_is_sent_as_it_grows(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    is_sent, send = Event(), run.runner.send

    def noting(*what: Any, **how: Any) -> None:
        send(*what, **how)
        is_sent.set()

    monkeypatch.setattr(run.runner, "send", noting)
    with sent_together(0.01):
        run._enqueue("a")
        assert is_sent.wait(60)
        run._enqueue("b")
        assert run.sent == ["a", "b"]


def test_a_run_that_is_told_to_end_ends_where_it_draws_and_shows_what_it_drew(run: Run) -> None:
    def draw() -> None:
        with sent_together(NEVER):
            run._enqueue("a")
            run.runner.is_told_to_end = True
            run._enqueue("b")
            raise AssertionError

    with pytest.raises(StopException):
        draw()
    assert run.sent == ["a"]


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
