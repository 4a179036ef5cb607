"""What a command writes to standard error, and the exit status that it ends with."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperGroup

from tiecore.errors import TiecoreError
from tiecore.escape import visible

__all__ = ["INTERRUPTED", "MENDABLE", "NO_ROOM", "Commands", "Progress", "abandon_output", "say", "working"]

MENDABLE = 2
INTERRUPTED = 130  # 128 and the number of the signal, as a shell counts
_PIPE_CLOSED = 141
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EIO)
"""Errors of writing to a full or broken disk."""

# The base class of what the parser refuses; Typer gives no public name to it.
_UsageError: Any = typer.BadParameter.__mro__[1]

Progress = Callable[[int, int], None]


def say(message: str, *, kind: str = "", style: str = "") -> None:
    """Write one line to standard error, with control characters and line breaks escaped."""
    from rich.console import Console
    from rich.text import Text

    line = Text(f"{kind}: " if kind else "", style=style).append(visible(message), style="not bold default")
    console = Console(stderr=True, highlight=False)
    console.print(line, soft_wrap=True)


@contextmanager
def working(doing: str) -> Iterator[Progress | None]:
    """Show progress on a terminal.

    Yields
    ------
    Progress or None
        Function to call with the number of finished and of all steps; None where standard error is no terminal.
    """
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal or console.is_dumb_terminal:
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Display

    columns = SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Display(*columns, console=console, transient=True) as display:
        task = display.add_task(doing, total=None)
        yield lambda done, total: display.update(task, completed=done, total=total)


class Commands(TyperGroup):
    """A group of commands that turns exceptions into exit statuses."""

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        """Parse the options before the name of the command."""
        with _usage_errors_in_one_line(None):
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        """Run the requested command."""
        try:
            with _usage_errors_in_one_line(ctx):
                return super().invoke(ctx)
        except TiecoreError as error:
            say(str(error), kind="error", style="bold red")
            raise typer.Exit(MENDABLE) from None
        except KeyboardInterrupt:
            say("interrupted")
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            abandon_output()
            raise typer.Exit(_PIPE_CLOSED) from None


@contextmanager
def _usage_errors_in_one_line(ctx: Any) -> Iterator[None]:
    """Turn what the parser of arguments refuses into one line that leads to the help."""
    try:
        yield
    except _UsageError as error:
        if not str(error):  # a command without any arguments, which shows its help
            raise
        message = " ".join(error.format_message().split()).replace("Value error, ", "").rstrip(".")
        command = "tiecore" if ctx is None or ctx.invoked_subcommand is None else f"tiecore {ctx.invoked_subcommand}"
        say(f"{message} (see {command} --help)", kind="error", style="bold red")
        raise typer.Exit(MENDABLE) from None


def abandon_output() -> None:
    """Discard buffered output, whose reader has closed the pipe or whose disk is full."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
