"""Lines of a file as bytes: where blocks of them begin, which of them a row stands on, blanks between their fields."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from tiecore.errors import FormatError

LF, CR = b"\n\r"
BLOCK = 1 << 24
HEAD = 1 << 20
BLANK_LINES = re.compile(rb"[ \t\r\n]*+")
TO_SPACES = bytes.maketrans(b"\t\r", b"  ")


def first_line(data: bytearray, start: int = 0) -> tuple[int, int, bytes]:
    """Find the first line from `start` on that is not blank: where it begins, its number and its bytes.

    A line is cut where it is longer than a header can sensibly be.
    """
    begin = start + len(BLANK_LINES.match(data, start)[0])  # type: ignore[index]  # it matches nothing, too
    end = data.find(b"\n", begin, begin + HEAD)
    line = bytes(data[begin : begin + HEAD if end < 0 else end])
    return begin, data.count(b"\n", 0, begin) + 1, line.partition(b"\r")[0].rstrip(b" \t\r\n")


def whole_lines(data: bytes | bytearray, size: int, *, number: int = 1) -> Iterator[tuple[int, int, int]]:
    """Yield where blocks of whole lines begin and end, and the number of their first line."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", min(start + size, len(data) - 1)) + 1 or len(data)
        yield start, end, number
        start, number = end, number + data.count(b"\n", start, end)


def row_lines(data: bytes | bytearray, n_rows: int, *, start: int = 0, number: int = 1) -> np.ndarray:
    """(n_lines,) lines that are not empty from byte `start`, which is on line `number`.

    As many as there are rows where each row is on a line of its own.
    """
    if data.count(b"\n", start) + (not data.endswith(b"\n")) == n_rows:
        return np.arange(number, number + n_rows)
    view = np.frombuffer(data, np.uint8)[start:]
    begin = np.concatenate(([0], np.flatnonzero(view == LF) + 1))  # (n_lines,)
    begin = begin[begin < len(view)]
    return np.flatnonzero((view[begin] != LF) & (view[begin] != CR)) + number


def refuse_bad_utf8(data: bytes | bytearray, *, file: str, number: int = 1) -> None:
    """Raise with the line of the first byte that is not UTF-8, if there is one."""
    for begin, end, first in () if data.isascii() else whole_lines(data, BLOCK, number=number):
        try:
            data[begin:end].decode()
        except UnicodeDecodeError as error:
            line = first + data.count(b"\n", begin, begin + error.start)
            found = f"byte 0x{data[begin + error.start]:02X} is not UTF-8 (Latin-1 or Windows-1252 text?)"
            raise FormatError(file, line, f"{found}; save the file as UTF-8") from None


def tidied(lines: bytearray) -> bytearray:
    """Bring every run of blanks between two fields to one space; lines stay where they are."""
    tidy = bytearray(b"\n") + lines.translate(TO_SPACES) + b"\n"
    while b"  " in tidy:
        tidy = tidy.replace(b"  ", b" ")
    return tidy.replace(b" \n", b"\n").replace(b"\n ", b"\n")[1:-1]
