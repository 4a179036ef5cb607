"""What a command says besides its result: one line each, to standard error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tiecore.cli.render.literal import visible

__all__ = ["Progress", "say", "working"]

Progress = Callable[[int, int], None]


def say(message: str, *, kind: str = "", style: str = "") -> None:
    """Write one line to standard error; nothing in it steers the terminal or breaks the line."""
    from rich.console import Console
    from rich.text import Text

    line = Text(f"{kind}: " if kind else "", style=style).append(visible(message), style="not bold default")
    console = Console(stderr=True, highlight=False)
    console.print(line, soft_wrap=True)


@contextmanager
def working(doing: str) -> Iterator[Progress | None]:
    """Show on a terminal that work is going on.

    Yields
    ------
    Progress or None
        What to call with the pieces done and those in all, or None where nobody watches.
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
