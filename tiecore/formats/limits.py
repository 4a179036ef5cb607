"""The most that one file may hold, in one place: what goes beyond is refused while the file is read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields, replace
from typing import ClassVar

from tiecore.errors import FormatError, TiecoreError, shortened


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The most that one file may hold."""

    rows: int = 50_000_000
    """Rows of a table; lines of a text file."""
    columns: int = 10_000
    """Columns of a table; features of a LETOR file."""
    cells: int = 1_000_000_000
    """Numbers in all columns of features together."""
    json_values: int = 20_000_000
    """Values of a JSON file, each of which becomes several objects of Python."""
    line: int = 1 << 24
    """Bytes of a line, except in JSON, which is often written on one."""
    name: int = 4096
    """Bytes of an id, and of the name of a feature."""
    unpacked: int = 2 * 1024**3
    """Bytes after decompression; of Parquet, where columns are read one by one, of the document ids."""

    REMEDIES: ClassVar[dict[str, str]] = {
        "rows": "keep fewer documents of each query",
        "columns": "leave some out, or spread them over several files",
        "cells": "leave columns out, or spread them over several files",
        "json_values": "write it as Parquet, CSV or in a format of TREC",
        "line": "write a line for each document",
        "name": "shorten it",
        "unpacked": "keep fewer documents of each query, or leave columns out",
    }
    """What to do about a file that holds too much."""

    def check(self, limit: str, n_found: int, *, found: str, file: str, line: int | None = None) -> None:
        """Raise if there is more of something than its limit allows.

        >>> Limits(rows=10).check("rows", 12, found="has 12 rows", file="clicks.csv")
        Traceback (most recent call last):
        tiecore.errors.FormatError: clicks.csv: has 12 rows, beyond the limit rows=10; keep fewer documents of each
        query, or raise the limit (--limit rows=N on the command line, Limits(rows=N) in Python)
        """
        most = getattr(self, limit)
        if n_found > most:
            raise FormatError(file, line, found + self.beyond(limit, most))

    def beyond(self, limit: str, most: int) -> str:
        """Return what is said of a file that holds more than a limit allows, and what to do about it."""
        raised = f"raise the limit (--limit {limit}=N on the command line, Limits({limit}=N) in Python)"
        return f", beyond the limit {limit}={most}; {self.REMEDIES[limit]}, or {raised}"

    def with_settings(self, settings: Iterable[str]) -> Limits:
        """Return these limits with some of them replaced, as the command line writes them.

        >>> Limits().with_settings(["rows=100000000", "line=64"]).line
        64
        """
        known = [field.name for field in fields(self)]
        changes = {}
        for setting in settings:
            name, _, most = setting.partition("=")
            if name not in known or not most.isdecimal():
                problem = f"expected NAME=NUMBER with one of the names {', '.join(known)}"
                raise TiecoreError(f"unknown limit {shortened(setting)}: {problem}")
            changes[name] = int(most)
        return replace(self, **changes)


def in_words(n_bytes: int) -> str:
    """Size of a file for a message.

    >>> in_words(2**31), in_words(50_000)
    ('2,048 MB', '50,000 bytes')
    """
    return f"{n_bytes >> 20:,} MB" if n_bytes >= 1 << 20 else f"{n_bytes:,} bytes"


class FixedLimits(Limits):
    """Limits that whoever brings the file cannot raise, such as those of uploads."""

    __slots__ = ()

    def beyond(self, limit: str, most: int) -> str:
        """Return the same for those who cannot raise it, without its name."""
        allowed = in_words(most) if limit in ("line", "name", "unpacked") else f"{most:,}"
        return f" (at most {allowed} are read); {self.REMEDIES[limit]}"


_IN_FORCE: ContextVar[Limits] = ContextVar("limits", default=Limits())  # noqa: B039  # frozen


def limits_in_force() -> Limits:
    """Return the limits of files that are read without limits of their own."""
    return _IN_FORCE.get()


@contextmanager
def limited(limits: Limits) -> Iterator[None]:
    """Read files within other limits.

    >>> with limited(Limits(rows=10)):
    ...     limits_in_force().rows
    10
    """
    token = _IN_FORCE.set(limits)
    try:
        yield
    finally:
        _IN_FORCE.reset(token)
