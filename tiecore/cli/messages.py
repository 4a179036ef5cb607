"""What a command writes to standard error, and the status that it ends with."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, TextIO

import click

from tiecore.errors import TiecoreError
from tiecore.escape import visible

if TYPE_CHECKING:
    from tiecore.threads import Progress

MENDABLE = 2
INTERRUPTED, PIPE_CLOSED = 130, 141  # 128 and the number of the signal, as a shell counts
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EBADF)  # a full, broken or closed output
CLEAR_LINE = "\r\x1b[K"


def _is_screen(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty() and os.environ.get("TERM") not in ("dumb", "unknown")


def has_styles(stream: TextIO | None) -> bool:
    """Return whether colours and the like help on a stream."""
    return _is_screen(stream) and not os.environ.get("NO_COLOR")


def say(message: str, *, kind: Literal["error", "warning", "note"]) -> None:
    """Write one line to standard error, with control characters and line breaks escaped."""
    start = f"{kind}: "
    if has_styles(sys.stderr):
        start = click.style(start, fg="red" if kind == "error" else "yellow", bold=True)
    click.echo(start + visible(message), err=True, color=True)


@contextmanager
def working(doing: str) -> Iterator[Progress | None]:
    """Show progress on a terminal: yields what to call with the steps done and of all; None without a terminal."""
    if not _is_screen(sys.stderr):
        yield None
        return

    def show(text: str) -> None:
        click.echo(text, nl=False, err=True, color=True)

    show(f"{doing} …")
    try:
        yield lambda done, total: show(f"{CLEAR_LINE}{doing} {done}/{total}")
    finally:
        show(CLEAR_LINE)


@contextmanager
def one_line_and_status() -> Iterator[None]:
    """Turn what ends a command early into one line and an exit status; a fault of ours keeps its traceback."""
    try:
        yield
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.ctx.get_help())
        raise click.exceptions.Exit(MENDABLE) from None
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "tiecore"
        _refuse(f"{' '.join(error.format_message().split()).rstrip('.')} (see {command} --help)")
    except TiecoreError as error:
        _refuse(str(error))
    except KeyboardInterrupt:
        click.echo("interrupted", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        _abandon_output()
        raise click.exceptions.Exit(PIPE_CLOSED) from None
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        _abandon_output()
        _refuse(f"cannot write to standard output: {error.strerror}")


def _refuse(message: str) -> None:
    say(message, kind="error")
    raise click.exceptions.Exit(MENDABLE) from None


def flush_output() -> None:
    """Write what is buffered, so that a full disk or a closed pipe shows while it can still be reported."""
    if sys.stdout is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    sys.stdout.flush()


def _abandon_output() -> None:
    """Discard buffered output, whose reader has closed the pipe or whose disk is full."""
    with contextlib.suppress(OSError, AttributeError):  # closed output is None
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
