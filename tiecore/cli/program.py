"""The `tiecore` program: its commands, its options and its entry point."""

from __future__ import annotations

import gc
import os
import sys
from typing import Annotated

import typer

import tiecore
from tiecore.cli import commands
from tiecore.cli.messages import INTERRUPTED, MENDABLE, NO_ROOM, Commands, abandon_output, say
from tiecore.cli.options import epilog

__all__ = ["app", "main"]

app = typer.Typer(
    cls=Commands,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,  # an unexpected exception is a bug: show it in full
    context_settings={"help_option_names": ["-h", "--help"]},
    no_args_is_help=True,
    epilog=epilog("evaluate", only=1),
)


def _show_version(requested: bool) -> None:
    if requested:
        typer.echo(f"tiecore {tiecore.__version__}")
        raise typer.Exit


@app.callback()
def _top(
    show_version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Exact evaluation of rankings with tied scores.

    Discrete features tie most documents, and every tool breaks those ties silently and differently.

    tiecore computes the exact mean of a measure over all orderings of tied documents, and how far it can vary.
    """


app.command(epilog=epilog("evaluate"))(commands.evaluate)
app.command(epilog=epilog("ties"))(commands.ties)
app.command(epilog=epilog("stability"))(commands.stability)
app.command(epilog=epilog("explain"))(commands.explain)
app.command(epilog=epilog("count"))(commands.count)
app.command(epilog=epilog("dashboard"))(commands.dashboard)


def main() -> None:
    """Run the command."""
    try:
        app(prog_name="tiecore")
    except SystemExit as end:
        if end.code == INTERRUPTED:
            # A regular exit would wait for threads that are still working.
            sys.stderr.flush()
            os._exit(INTERRUPTED)
        raise
    except OSError as error:
        if error.errno not in NO_ROOM:  # a bug: show the traceback
            raise
        abandon_output()  # of help or the version; `emit` handles the output of commands
        say(f"cannot write to standard output: {error.strerror}", kind="error", style="bold red")
        sys.exit(MENDABLE)
    finally:
        # At its end the interpreter searches all that was loaded for cycles, which takes a tenth of a second.
        gc.freeze()
