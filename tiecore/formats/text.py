"""Lines of a file as bytes: which line a row stands on, and blanks brought to one between two fields."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from tiecore.errors import FormatError

__all__ = ["HEAD", "behind_comments", "first_line", "numbered_lines", "refuse_bad_utf8", "row_lines", "tidied"]

LF, CR = b"\n\r"
BLOCK = 1 << 24
HEAD = 1 << 20
BLANKS = re.compile(rb"[ \t\r\n]*+")
COMMENT_LINES = re.compile(rb"(?:[ \t\r]*+(?:#[^\n]*+)?\n)*+")
TO_SPACES = bytes.maketrans(b"\t\r", b"  ")


def first_line(data: bytearray, start: int = 0) -> tuple[int, int, bytes]:
    """Find the first line from `start` on that is not blank: where it begins, its number and its bytes.

    A line is cut where it is longer than a header can sensibly be.
    """
    begin = _behind(BLANKS, data, start)
    end = data.find(b"\n", begin, begin + HEAD)
    line = bytes(data[begin : begin + HEAD if end < 0 else end])
    return begin, data.count(b"\n", 0, begin) + 1, line.partition(b"\r")[0].rstrip(b" \t\r\n")


def behind_comments(data: bytearray) -> bytes:
    """First line that is neither blank nor a comment."""
    return first_line(data, _behind(COMMENT_LINES, data, 0))[2]


def _behind(pattern: re.Pattern[bytes], data: bytearray, start: int) -> int:
    found = pattern.match(data, start)
    return found.end() if found else start


def numbered_lines(data: bytearray, *, number: int = 1) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are not blank with their numbers, the first line's given; for the slow path only."""
    for begin, end in _blocks(data):
        for line in data[begin:end].removesuffix(b"\n").split(b"\n"):
            if line.strip(b" \t\r"):
                yield number, bytes(line)
            number += 1


def _blocks(data: bytearray) -> Iterator[tuple[int, int]]:
    """Yield where blocks of whole lines begin and end."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", min(start + BLOCK, len(data) - 1)) + 1 or len(data)
        yield start, end
        start = end


def row_lines(data: bytearray, n_rows: int, *, start: int = 0, number: int = 1) -> np.ndarray:
    """(n_lines,) lines that are not empty from byte `start`, which is on line `number`.

    As many as there are rows where each row is on a line of its own.
    """
    if data.count(b"\n", start) + (not data.endswith(b"\n")) == n_rows:
        return np.arange(number, number + n_rows)
    view = np.frombuffer(data, np.uint8)[start:]
    begin = np.concatenate(([0], np.flatnonzero(view == LF) + 1))  # (n_lines,)
    begin = begin[begin < len(view)]
    return np.flatnonzero((view[begin] != LF) & (view[begin] != CR)) + number


def refuse_bad_utf8(data: bytearray, *, file: str, number: int = 1) -> None:
    """Raise with the line of the first byte that is not UTF-8, if there is one."""
    for begin, end in () if data.isascii() else _blocks(data):
        try:
            data[begin:end].decode()
        except UnicodeDecodeError as error:
            fault = begin + error.start
            line = data.count(b"\n", 0, fault) + number
            found = f"byte 0x{data[fault]:02X} is not UTF-8"
            raise FormatError(file, line, f"{found} (Latin-1 or Windows-1252 text?); save the file as UTF-8") from None


def tidied(data: bytearray) -> bytearray:
    """Bring every run of blanks between two fields to one space; lines stay where they are."""
    result = bytearray()
    for begin, end in _blocks(data):
        block = b"\n" + data[begin:end].translate(TO_SPACES) + b"\n"
        while b"  " in block:
            block = block.replace(b"  ", b" ")
        result += block.replace(b" \n", b"\n").replace(b"\n ", b"\n")[1:-1]
    return result
