"""The command line, put together."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from tiecore.cli import commands
from tiecore.cli.about import version
from tiecore.cli.examples import epilog
from tiecore.cli.failures import INTERRUPTED, MENDABLE, NO_ROOM, Commands, abandon_output
from tiecore.cli.messages import say

__all__ = ["app", "main"]

app = typer.Typer(
    cls=Commands,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,  # whatever is no mistake of the user is a fault of ours: show it in full
    context_settings={"help_option_names": ["-h", "--help"]},
    no_args_is_help=True,
    epilog=epilog("evaluate", only=1),
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tiecore {version()}")
        raise typer.Exit


@app.callback()
def _top(
    show_version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Exact evaluation of rankings with tied scores.

    Discrete features tie most documents, and every tool breaks those ties silently and in its own way.

    tiecore computes a measure as it is on average over all orderings of tied documents, and how far it can move.
    """


app.command(epilog=epilog("evaluate"))(commands.evaluate)
app.command(epilog=epilog("ties"))(commands.ties)
app.command(epilog=epilog("stability"))(commands.stability)
app.command(epilog=epilog("count"))(commands.count)
app.command(epilog=epilog("dashboard"))(commands.dashboard)


def main() -> None:
    """Run the command."""
    try:
        app()
    except SystemExit as end:
        if end.code == INTERRUPTED:
            # pieces of work may still be under way in threads, which a regular exit would wait for
            sys.stderr.flush()
            os._exit(INTERRUPTED)
        raise
    except OSError as error:
        if error.errno not in NO_ROOM:  # of a fault of ours everything is shown
            raise
        abandon_output()  # help or the version: what a command writes is looked after where it is written
        say(f"cannot write to standard output: {error.strerror}", kind="error", style="bold red")
        sys.exit(MENDABLE)
