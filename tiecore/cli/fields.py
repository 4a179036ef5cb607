"""Arguments and options as fields: each is declared once, as the field of a command that holds its value.

An option is called as its field, unless other flags are given.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import field
from typing import Any

import click

from tiecore.errors import TiecoreError

PANELS = OPTIONS, COUNTING, READING, OUTPUT = "Options", "What counts", "Reading", "Output"
"""Sections of the options in the help of a command."""
_COMMA = re.compile(r"(?<!\\),(?![^(]*\))")


def argument(metavar: str, help: str, *, several: bool = False, required: bool = True) -> Any:
    """Declare an argument; one that takes several values holds a tuple."""

    def parameter(name: str) -> click.Parameter:
        return click.Argument([name], metavar=metavar, nargs=-1 if several else 1, required=required, help=help)

    return field(metadata={"panel": "", "parameter": parameter})


def option(help: str, *flags: str, default: object = None, panel: str = OPTIONS, **settings: Any) -> Any:
    """Declare an option; ``settings`` are further ones of :class:`click.Option`."""
    if default is not None:
        settings |= {"default": default, "show_default": True}

    def parameter(name: str) -> click.Parameter:
        own = () if any(one.startswith("--") for one in flags) else (f"--{name.replace('_', '-')}",)
        return click.Option([name, *own, *flags], help=help, **settings)

    empty = () if settings.get("multiple") else default
    return field(default=empty, metadata={"panel": panel, "parameter": parameter})


def flag(help: str, *flags: str, panel: str = OPTIONS) -> Any:
    """Declare an option that takes no value."""
    return option(help, *flags, default=False, is_flag=True, panel=panel)


def number(help: str, least: int, most: int | None = None, **settings: Any) -> Any:
    """Declare an option that takes a whole number of a range."""
    return option(help, metavar="N", type=click.IntRange(least, most), **settings)


def choice(help: str, *words: str, panel: str = COUNTING) -> Any:
    """Declare an option that takes one of a few words, by default the first."""
    return option(help, default=words[0], panel=panel, type=click.Choice(words))


def names(help: str, *flags: str, known: Sequence[str] = (), metavar: str = "NAME", panel: str = OPTIONS) -> Any:
    """Declare an option that takes names, or where some are ``known`` these alone."""

    def read(ctx: click.Context, one: click.Parameter, texts: Sequence[str]) -> tuple[str, ...]:
        found = listed(texts)
        if unknown := [name for name in found if known and name not in known]:
            raise TiecoreError(f"there is no part {unknown[0]!r}: there are {', '.join(known)}")
        return found

    text = f"{help}; repeat the option or separate names by commas."
    return option(text, *flags, panel=panel, metavar=metavar, multiple=True, callback=read)


def tables(*known: str) -> Any:
    """Declare the option of the tables to show; there are no others."""
    return names(f"Table to show: {', '.join(known)}", "--part", known=known, panel=OUTPUT)


def listed(texts: Iterable[str]) -> tuple[str, ...]:
    r"""Split names at commas, but not inside brackets; ``\,`` is a comma that belongs to a name.

    >>> listed(["P@10,AP", "nDCG(dcg='exp-log2', x=1)@5"])
    ('P@10', 'AP', "nDCG(dcg='exp-log2', x=1)@5")
    """
    found: list[str] = []
    for text in texts:
        pieces = _COMMA.split(text)
        if not all(map(str.strip, pieces)):
            raise TiecoreError(f"a name is empty in {text!r}: write names with one comma between them")
        found += pieces
    return tuple(name.strip().replace("\\,", ",") for name in found)
