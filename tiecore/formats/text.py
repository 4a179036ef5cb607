"""Lines of a file as bytes: which line a row stands on, and blanks brought to one between two fields."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from tiecore.errors import FormatError

__all__ = [
    "HEAD",
    "behind_comments",
    "first_line",
    "looks_tidy",
    "numbered_lines",
    "refuse_bad_utf8",
    "row_lines",
    "tidied",
]

LF, CR = b"\n\r"
TIDY_BLOCK = 1 << 24
DECODE_BLOCK = 1 << 24
COUNT_BLOCK = 1 << 20
HEAD = 1 << 20
BLANKS = re.compile(rb"[ \t\r\n]*+")
COMMENT_LINES = re.compile(rb"(?:[ \t\r]*+(?:#[^\n]*+)?\n)*+")
TO_SPACES = bytes.maketrans(b"\t\r", b"  ")


def first_line(data: bytearray, start: int = 0) -> tuple[int, int, bytes]:
    """Find the first line from `start` on that is not blank: where it begins, its number and its bytes.

    A line is cut where it is longer than a header can sensibly be.
    """
    begin = _passed(BLANKS, data, start)
    end = data.find(b"\n", begin, begin + HEAD)
    line = bytes(data[begin : begin + HEAD if end < 0 else end])
    return begin, data.count(b"\n", 0, begin) + 1, line.partition(b"\r")[0].rstrip(b" \t\r\n")


def behind_comments(data: bytearray) -> bytes:
    """First line that is neither blank nor a comment."""
    return first_line(data, _passed(COMMENT_LINES, data, 0))[2]


def _passed(pattern: re.Pattern[bytes], data: bytearray, start: int) -> int:
    found = pattern.match(data, start)
    return found.end() if found else start


def numbered_lines(data: bytearray, *, number: int = 1) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are not blank with their numbers, the first line's given; for the slow path only."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        line = bytes(data[start:end])
        if line.strip(b" \t\r"):
            yield number, line
        start, number = end + 1, number + 1


def row_lines(data: bytearray, n_rows: int, *, start: int = 0, number: int = 1) -> tuple[np.ndarray | None, int]:
    """Find the line of each row from byte `start`, which is on line `number`, where one row is one line.

    Returns the lines, or None where line and row keep their distance, and the line of the first row.
    """
    view = np.frombuffer(data, np.uint8)[start:]
    n_ends = sum(
        int(np.count_nonzero(view[begin : begin + COUNT_BLOCK] == LF)) for begin in range(0, len(view), COUNT_BLOCK)
    )
    if n_ends + (not data.endswith(b"\n")) == n_rows:
        return None, number
    line_start = np.concatenate(([0], np.flatnonzero(view == LF) + 1))  # (n_lines,)
    line_start = line_start[line_start < len(view)]
    blank = (view[line_start] == LF) | (view[line_start] == CR)
    return np.flatnonzero(~blank) + number, number


def refuse_bad_utf8(data: bytearray, *, file: str, number: int = 1) -> None:
    """Raise with the line of the first byte that is not UTF-8, if there is one."""
    if data.isascii():
        return
    start = 0
    while start < len(data):
        end = data.find(b"\n", min(start + DECODE_BLOCK, len(data) - 1)) + 1 or len(data)
        try:
            data[start:end].decode()
        except UnicodeDecodeError as error:
            fault = start + error.start
            line = data.count(b"\n", 0, fault) + number
            found = f"byte 0x{data[fault]:02X} is not UTF-8"
            raise FormatError(file, line, f"{found} (Latin-1 or Windows-1252 text?); save the file as UTF-8") from None
        start = end


def looks_tidy(data: bytearray, *, blank: bytes) -> bool:
    """Return, at little cost, whether fields may be separated by one `blank` each, and by nothing else.

    What is cheap is looked for everywhere, the rest in the first lines; empty fields show what escapes this.
    """
    other = b"\t" if blank == b" " else b" "
    if other in data or (b"\r" in data and data.count(b"\r") != data.count(b"\r\n")):
        return False
    head = b"\n" + data[: 1 << 16]
    return not any(pattern in head for pattern in (blank * 2, b"\n" + blank, blank + b"\n", blank + b"\r"))


def tidied(data: bytearray) -> bytearray:
    """Bring every run of blanks between two fields to one space; lines stay where they are."""
    result = bytearray()
    start = 0
    while start < len(data):
        end = data.find(b"\n", min(start + TIDY_BLOCK, len(data) - 1)) + 1 or len(data)
        block = b"\n" + data[start:end].translate(TO_SPACES) + b"\n"
        while b"  " in block:
            block = block.replace(b"  ", b" ")
        result += block.replace(b" \n", b"\n").replace(b"\n ", b"\n")[1:-1]
        start = end
    return result
