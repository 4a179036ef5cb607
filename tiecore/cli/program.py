"""The `tiecore` program: its commands, their help and its entry point."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable
from dataclasses import fields
from inspect import cleandoc
from typing import Any

import click

from tiecore.cli.commands import COMMANDS, Evaluate
from tiecore.cli.fields import PANELS
from tiecore.cli.messages import one_line_and_status
from tiecore.cli.options import Command

_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
_COMPLETION = 'eval "$(_TIECORE_COMPLETE=bash_source tiecore)"'


class Program(click.Group):
    """The commands together; whatever ends one of them early becomes one line and an exit status."""

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Parse."""
        with one_line_and_status():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        """Run."""
        with one_line_and_status():
            return super().invoke(ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what each command does."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, (one.help or "").split("\n\n")[0]) for name, one in self.commands.items()])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write an example, and how a shell completes names."""
        _write_examples(formatter, Evaluate.examples[:1])
        formatter.write(f"\nTo complete names in bash (or zsh, fish):\n    {_COMPLETION}\n")


class Request(click.Command):
    """A command of click made of a class: its fields are the parameters, its docstring is the help."""

    def __init__(self, name: str, command: type[Command]) -> None:
        self.examples = command.examples
        declared = [(field.metadata["panel"], field.metadata["parameter"](field.name)) for field in fields(command)]
        self.panels = {panel: [one for of, one in declared if of == panel] for panel in PANELS}
        super().__init__(
            name,
            params=[parameter for _, parameter in declared],
            callback=lambda **values: command(**values).run(),
            help=cleandoc(command.__doc__ or ""),
            context_settings=_SETTINGS,
        )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; whatever is wrong with them belongs to this command."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            error.ctx = ctx  # the parser leaves it out where an option lacks its value
            raise

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the sections of options."""
        for panel, parameters in self.panels.items():
            if records := [record for one in parameters if (record := one.get_help_record(ctx))]:
                with formatter.section(panel):
                    formatter.write_dl(records)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples."""
        _write_examples(formatter, self.examples)


def _write_examples(formatter: click.HelpFormatter, examples: Iterable[tuple[str, str]]) -> None:
    from tiecore.cli.dashboard import sample_data

    formatter.write(f"\nExamples, in {sample_data() or 'the folder sample_data'}:\n")
    for what, line in examples:
        formatter.write(f"  {what}{'' if what.endswith('?') else ':'}\n    {line}\n")


app = Program(
    "tiecore",
    commands=[Request(name, command) for name, command in COMMANDS.items()],
    no_args_is_help=True,
    context_settings=_SETTINGS,
    help="""Exact evaluation of rankings with tied scores.

    Discrete features tie most documents, and every tool breaks those ties silently and differently.

    tiecore computes the exact mean of a measure over all orderings of tied documents, and how far it can vary.
    """,
)
click.version_option(package_name="tiecore", message="tiecore %(version)s")(app)


def main() -> None:
    """Run the command, and end the process with its status."""
    status: Any = 0
    try:
        app(prog_name="tiecore")
    except SystemExit as end:
        status = end.code
    for stream in filter(None, (sys.stdout, sys.stderr)):
        with contextlib.suppress(OSError):
            stream.flush()
    # Python would wait for threads that an interrupt has left, abort where one of Arrow's still reads, and search all
    # that was loaded for cycles, which takes a tenth of a second.
    os._exit(status)
