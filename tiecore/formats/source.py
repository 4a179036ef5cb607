"""Anything that can be read -> its decompressed bytes, in bounded steps, or a clear refusal."""

from __future__ import annotations

import io
import os
import re
import zlib
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import IO, Any

from tiecore.errors import FormatError
from tiecore.formats.limits import Limits, in_words

Source = str | os.PathLike[str] | bytes | bytearray | IO[Any]
"""A path, the bytes themselves, or an open file, binary or text."""

PARQUET_MAGIC, GZIP = b"PAR1", b"\x1f\x8b"
READ = 1 << 16
"""Bytes read at a time: so few that what follows one of many small gzip members costs little to copy."""
CHUNK = 1 << 20
"""Bytes unpacked at a time."""
BLOCK = 1 << 26
"""Bytes parsed at a time, as far as a reader can take a file in blocks."""
MOST_MEMBERS = 1 << 17
"""Far more than block-wise packers need for the largest file; millions of empty members would only cost time."""
LONGEST_MAGIC = 8
NO_LINES = re.compile(rb"PAR1|(?:\xef\xbb\xbf)?[ \t\r\n]{0,99}[{\[]")
"""Beginning of a file that may be all on one line."""
# Endings that tell the kind of a file and not what is in it; any other ending belongs to the name.
KNOWN_ENDING = re.compile(
    r"(?<=.)\.(csv|dat|jsonl?|letor|ndjson|parquet|pq|qrels?|res|run|svm|svmlight|tab|trec|tsv|txt)$", re.IGNORECASE
)
FOREIGN = {
    b"PK\x03\x04": "a zip archive or an Excel workbook; unpack it, or save the sheet as CSV",
    b"BZh": "bzip2 data; unpack it or use gzip",
    b"\xfd7zXZ\x00": "xz data; unpack it or use gzip",
    b"\x28\xb5\x2f\xfd": "zstandard data; unpack it or use gzip",
    b"\xff\xfe": "UTF-16 text; save it as UTF-8",
    b"\xfe\xff": "UTF-16 text; save it as UTF-8",
    b"%PDF-": "a PDF document; give the data as text",
    b"\xd0\xcf\x11\xe0": "an Excel workbook of the old kind; save the sheet as CSV",
    b"\x89PNG": "a picture; give the data as text",
    b"<!DOCTYP": "a web page; download the file itself",
    b"<!doctyp": "a web page; download the file itself",
    b"<html": "a web page; download the file itself",
}


@dataclass(slots=True, kw_only=True)
class Content:
    """The bytes of a source, and what is known about it before its kind is."""

    name: str
    """The file as the user wrote it, for messages."""
    stem: str = ""
    """The name of the file without folder and usual endings, for naming a feature."""
    data: bytearray = field(default_factory=bytearray)
    """Decompressed bytes without byte order mark; only the magic where `on_disk`."""
    path: Path | None = None
    """Where the file is, if it was given as a path; companions are looked for beside it."""
    on_disk: bool = False
    """A Parquet file that is left where it is, to be read one column at a time."""
    limits: Limits
    """The limits that are left for the readers to keep."""

    def release(self) -> None:
        """Release the bytes, which can be as large as all the columns made of them."""
        self.data = bytearray()

    def blocks(self) -> Iterator[bytearray]:
        """Yield whole lines, some at a time, and release them: the columns made of them can be as large."""
        while self.data:
            end = self.data.rfind(b"\n", 0, BLOCK) + 1 or self.data.find(b"\n", BLOCK) + 1 or len(self.data)
            block = self.data[:end]
            del self.data[:end]
            yield block


def open_source(source: Source, *, name: str | None = None, limits: Limits) -> Content:
    """Read a path, bytes or an open file (from where it stands, left open) to its end, or say why not.

    ``name`` is that of a source that has none of its own. Limits on bytes, on lines and on their length are kept here.
    """
    label = label_of(source, name)
    path = Path(source) if isinstance(source, str | os.PathLike) else None
    file: Any = io.BytesIO(source) if isinstance(source, bytes | bytearray) else source
    try:
        with nullcontext(file) if path is None else path.open("rb", buffering=0) as opened:
            return _content(opened, label=label, path=path, limits=limits)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path, a closed file
        if isinstance(error, FormatError):
            raise
        raise FormatError(label, None, _reason(error)) from None


def label_of(source: Source, name: str | None = None) -> str:
    """Return what messages call a source: a path as the user wrote it."""
    if isinstance(source, str | os.PathLike):
        # a name may hold bytes that are no UTF-8, which no message and no name of a feature could be written with
        return os.fsencode(source).decode("utf-8", "replace")
    if isinstance(source, bytes | bytearray):
        return name or "<bytes>"
    if not hasattr(source, "read"):
        msg = f"expected a path, bytes or an open file, got {type(source).__name__}"
        raise TypeError(msg)
    own = getattr(source, "name", None)
    return name or (own if isinstance(own, str) and own else "<file>")


def stem_of(label: str) -> str:
    """Name of a file without folder, ``.gz`` and an ending that only tells its kind.

    >>> stem_of("runs/in.degree.run.gz"), stem_of("results.test")
    ('in.degree', 'results.test')
    """
    last = re.split(r"[/\\]", label)[-1]
    return KNOWN_ENDING.sub("", re.sub(r"(?<=.)\.gz$", "", last, flags=re.IGNORECASE)) or label


def _content(file: IO[Any], *, label: str, path: Path | None, limits: Limits) -> Content:
    chunks = (
        found.encode() if isinstance(found, str) else found for found in iter(lambda: file.read(READ) or b"", b"")
    )
    head = b""
    while len(head) < LONGEST_MAGIC and (chunk := next(chunks, b"")):
        head += chunk
    on_disk = head.startswith(PARQUET_MAGIC) and path is not None and path.is_file()
    data = bytearray(PARQUET_MAGIC)
    if not on_disk:
        whole = chain([head], chunks)
        data.clear()
        _collect(_unpacked(whole, file=label) if head.startswith(GZIP) else whole, data, file=label, limits=limits)
    _refuse_foreign(data, file=label)
    if data.startswith(b"\xef\xbb\xbf"):
        del data[:3]
    return Content(name=label, stem=stem_of(label), data=data, path=path, on_disk=on_disk, limits=limits)


def _collect(chunks: Iterable[bytes], data: bytearray, *, file: str, limits: Limits) -> None:
    """Append bytes as far as the limits allow."""
    n_lines = 0
    begin = 0  # of a line before which all lines are short enough
    too_large = f"holds more than {in_words(limits.unpacked)}"
    try:
        for chunk in chunks:
            data += chunk
            limits.check("unpacked", len(data), found=too_large, file=file)
            if NO_LINES.match(data):
                continue
            n_lines += chunk.count(b"\n")
            limits.check("rows", n_lines, found=f"has at least {n_lines:,} lines", file=file)
            while len(data) - begin > limits.line:
                end = data.rfind(b"\n", begin, begin + limits.line + 1)
                if end < 0:
                    line = data.count(b"\n", 0, begin) + 1
                    found = f"the line has more than {limits.line:,} bytes"
                    limits.check("line", len(data) - begin, found=found, file=file, line=line)
                begin = end + 1
    except FormatError:
        data.clear()  # else whoever handles the error holds them by its traceback
        raise


def _unpacked(packed: Iterator[bytes], *, file: str) -> Iterator[bytes]:
    """Yield what the members of a gzip file hold, in bounded steps."""
    data = b""
    for _ in range(MOST_MEMBERS):
        member = zlib.decompressobj(wbits=zlib.MAX_WBITS + 16)  # checks the sum and the length of each member
        while not member.eof:
            data = data or next(packed, b"")
            try:
                chunk = member.decompress(data, CHUNK)
            except zlib.error as error:
                raise FormatError(file, None, f"the gzip data are damaged ({error}); pack the file again") from None
            if not (data or chunk or member.eof):
                raise FormatError(file, None, "the gzip data end too early; copy or pack the file again")
            data = member.unconsumed_tail
            if chunk:
                yield chunk
        data = member.unused_data.lstrip(b"\0")  # zeros may fill the block of a tape
        while not data and (data := next(packed, b"")):
            data = data.lstrip(b"\0")
        if not data:
            return
    raise FormatError(file, None, f"holds more than {MOST_MEMBERS:,} gzip members; unpack it and pack it in one")


def _refuse_foreign(data: bytearray, *, file: str) -> None:
    if not data:
        raise FormatError(file, None, "is empty; expected judgments or scores")
    for magic, what in FOREIGN.items():
        if data.startswith(magic):
            raise FormatError(file, None, f"is {what}")
    if b"\0" in data and not data.startswith(PARQUET_MAGIC):
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        raise FormatError(file, line, "holds NUL bytes: binary data or UTF-16 text; save it as UTF-8 text")


def _reason(error: Exception) -> str:
    if isinstance(error, IsADirectoryError):
        return "is a directory; give the files in it one by one"
    if isinstance(error, FileNotFoundError):
        return "does not exist; check the path and the working directory"
    if isinstance(error, UnicodeError):
        return f"is not UTF-8 text ({error}); save it as UTF-8"
    return f"cannot be read: {(getattr(error, 'strerror', None) or str(error)).lower()}"


def parquet_files(path: Path) -> list[Path]:
    """Return the Parquet files that a path names; none where it is another kind of file, or cannot be opened."""
    try:
        if path.is_dir():
            return sorted(file for file in path.glob("*.parquet") if not file.name.startswith(("_", ".")))
        if not path.is_file():  # what is read from a pipe is gone for the reader of other files
            return []
        with path.open("rb") as file:
            return [path] if file.read(len(PARQUET_MAGIC)) == PARQUET_MAGIC else []
    except (OSError, ValueError):  # what is wrong with it is for the reader of other files to say
        return []
