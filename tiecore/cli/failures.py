"""How a command ends when it cannot go on: one line and an exit status, no traceback."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from typing import Any

import typer
from typer.core import TyperGroup

from tiecore.cli.messages import say
from tiecore.errors import TiecoreError

__all__ = ["INTERRUPTED", "MENDABLE", "NO_ROOM", "Commands", "abandon_output"]

MENDABLE = 2
INTERRUPTED = 130  # 128 and the number of the signal, as a shell counts
_PIPE_CLOSED = 141
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EIO)
"""What writing to a full or broken disk ends with."""


class Commands(TyperGroup):
    """A group of commands that turns exceptions into exit statuses."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for."""
        try:
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


def abandon_output() -> None:
    """Let nothing try to write what is left in the buffer: whoever read it has gone, or there is no room."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
