"""Anything that can be read -> its decompressed bytes, in bounded steps, or a clear refusal."""

from __future__ import annotations

import os
import re
import stat
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from tiecore.errors import FormatError

__all__ = ["FOREIGN", "PARQUET_MAGIC", "Content", "Source", "in_words", "label_of", "open_source", "stem_of"]

Source = str | os.PathLike[str] | bytes | bytearray | IO[Any]
"""A path, the bytes themselves, or an open file, binary or text."""

PARQUET_MAGIC = b"PAR1"
CHUNK = 1 << 20
PIECE = 1 << 26
"""Bytes held together, as far as a reader can take a file in pieces."""
PACKED = 1 << 16
MOST_MEMBERS = 1 << 17
"""Far more than block-wise packers need for the largest file; millions of empty members would only cost time."""
LONGEST_MAGIC = 8
# Endings that tell the kind of a file and not what is in it; any other ending belongs to the name.
KNOWN_ENDING = re.compile(
    r"(?<=.)\.(csv|dat|json|letor|parquet|pq|qrels?|res|run|svm|svmlight|tab|trec|tsv|txt)$", re.IGNORECASE
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
    stem: str
    """The name of the file without folder and usual endings, for naming a feature."""
    pieces: list[bytearray]
    """Decompressed bytes without byte order mark, in pieces; only the magic where `on_disk`."""
    path: Path | None
    """Where the file is, if it was given as a path; companions are looked for beside it."""
    on_disk: bool
    """A Parquet file that is left where it is, to be read one column at a time."""
    max_bytes: int
    """The limit in bytes, for readers that unpack further."""

    @property
    def head(self) -> bytearray:
        """The first piece: all of most files."""
        return self.pieces[0]

    @property
    def data(self) -> bytearray:
        """All bytes in one."""
        whole, *rest = self.pieces
        self.pieces = [whole]
        for piece in rest:
            whole += piece
            piece.clear()
        return whole

    def release(self) -> None:
        """Release the bytes, which can be as large as all the columns made of them."""
        self.pieces = [bytearray()]

    def blocks(self) -> Iterator[bytearray]:
        """Yield whole lines, a piece at a time, and release them: the columns made of them can be as large."""
        pieces = self.pieces[::-1]
        self.release()
        rest = bytearray()
        while pieces:
            block = rest + pieces.pop() if rest else pieces.pop()
            end = block.rfind(b"\n") + 1 if pieces else len(block)
            rest = block[end:]
            del block[end:]
            if block:
                yield block


def open_source(source: Source, *, name: str | None = None, max_bytes: int) -> Content:
    """Read a source to its end, or say why not.

    Parameters
    ----------
    source
        Path, bytes, or open file (read from where it stands, left open).
    name
        Name of a source that has none of its own.
    max_bytes
        Largest size after decompression.
    """
    if isinstance(source, bytes | bytearray):
        label = name or "<bytes>"
        return _content(_Stream(memoryview(source), file=label), label=label, path=None, max_bytes=max_bytes)
    if isinstance(source, str | os.PathLike):
        path, label = Path(source), label_of(source)
        try:
            with path.open("rb", buffering=0) as file:
                regular = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
                return _content(
                    _Stream(file, file=label), label=label, path=path, max_bytes=max_bytes, may_stay=regular
                )
        except IsADirectoryError:
            raise FormatError(label, None, "is a directory; give the files in it one by one") from None
        except FileNotFoundError:
            raise FormatError(label, None, "does not exist; check the path and the working directory") from None
        except (OSError, ValueError) as error:  # ValueError: a NUL in the path
            if isinstance(error, FormatError):
                raise
            raise FormatError(label, None, f"cannot be read: {_reason(error)}") from None
    if not hasattr(source, "read"):
        msg = f"expected a path, bytes or an open file, got {type(source).__name__}"
        raise TypeError(msg)
    label = name or _name_of_file(source)
    return _content(_Stream(source, file=label), label=label, path=None, max_bytes=max_bytes)


def label_of(path: str | os.PathLike[str]) -> str:
    """Name of a path for messages, as the user wrote it."""
    # a name may hold bytes that are no UTF-8, which no message and no name of a feature could be written with
    return os.fsencode(path).decode("utf-8", "replace")


def stem_of(label: str) -> str:
    """Name of a file without folder, ``.gz`` and an ending that only tells its kind.

    >>> stem_of("runs/in.degree.run.gz"), stem_of("results.test")
    ('in.degree', 'results.test')
    """
    last = re.split(r"[/\\]", label)[-1]
    return KNOWN_ENDING.sub("", re.sub(r"(?<=.)\.gz$", "", last, flags=re.IGNORECASE)) or label


class _Stream:
    """Reader of any source whose ``read(n)`` returns n bytes as long as there are so many."""

    def __init__(self, source: IO[Any] | memoryview, *, file: str) -> None:
        self._source = source
        self._file = file
        self._at = 0
        self._kept = b""

    def put_back(self, head: bytes) -> None:
        self._kept = head + self._kept

    def read(self, size: int = CHUNK) -> bytes:
        pieces, n_found = [self._kept] if self._kept else [], len(self._kept)
        while n_found < size and (piece := self._piece(size - n_found)):
            pieces.append(piece)
            n_found += len(piece)
        found = b"".join(pieces)  # text can have more bytes than characters
        self._kept = found[size:]
        return found[:size]

    def _piece(self, size: int) -> bytes:
        if isinstance(self._source, memoryview):
            piece = bytes(self._source[self._at : self._at + size])
            self._at += len(piece)
            return piece
        try:
            found = self._source.read(size)
            return found.encode() if isinstance(found, str) else bytes(found or b"")
        except UnicodeError as error:
            raise FormatError(self._file, None, f"is not UTF-8 text ({error}); save it as UTF-8") from None
        except (OSError, ValueError) as error:  # ValueError: the file is closed
            raise FormatError(self._file, None, f"cannot be read: {_reason(error)}") from None


def _content(stream: _Stream, *, label: str, path: Path | None, max_bytes: int, may_stay: bool = False) -> Content:
    head = stream.read(LONGEST_MAGIC)
    on_disk = may_stay and head.startswith(PARQUET_MAGIC)
    if on_disk:
        pieces = [bytearray(PARQUET_MAGIC)]
    else:
        stream.put_back(head)
        pieces, size = [bytearray()], 0
        packed = head.startswith(b"\x1f\x8b")
        chunks = _unpacked(stream, file=label) if packed else iter(lambda: stream.read(CHUNK), b"")
        for chunk in chunks:
            size += len(chunk)
            if size > max_bytes:
                pieces.clear()  # else whoever handles the error holds them by its traceback
                raise FormatError(label, None, _too_large(max_bytes, packed=packed))
            if len(pieces[-1]) >= PIECE:
                pieces.append(_behind_last_line(pieces[-1]))
            pieces[-1] += chunk
    _refuse_foreign(pieces, file=label)
    if pieces[0].startswith(b"\xef\xbb\xbf"):
        del pieces[0][:3]
    return Content(name=label, stem=stem_of(label), pieces=pieces, path=path, on_disk=on_disk, max_bytes=max_bytes)


def _behind_last_line(piece: bytearray) -> bytearray:
    """Remove what follows the last complete line: lines that continue in the next piece would have to be joined."""
    end = piece.rfind(b"\n") + 1
    if not end:
        return bytearray()
    rest = piece[end:]
    del piece[end:]
    return rest


def _unpacked(stream: _Stream, *, file: str) -> Iterator[bytes]:
    """Yield what the members of a gzip file hold, in bounded steps."""
    data = stream.read(PACKED)
    for _ in range(MOST_MEMBERS):
        member = zlib.decompressobj(wbits=zlib.MAX_WBITS + 16)  # checks the sum and the length of each member
        while not member.eof:
            data = data or stream.read(PACKED)
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
        while not data and (data := stream.read(PACKED)):
            data = data.lstrip(b"\0")
        if not data:
            return
    raise FormatError(file, None, f"holds more than {MOST_MEMBERS:,} gzip members; unpack it and pack it in one")


def _refuse_foreign(pieces: list[bytearray], *, file: str) -> None:
    data = pieces[0]
    if not data:
        raise FormatError(file, None, "is empty; expected judgments or scores")
    for magic, what in FOREIGN.items():
        if data.startswith(magic):
            raise FormatError(file, None, f"is {what}")
    for place, piece in enumerate(pieces if not data.startswith(PARQUET_MAGIC) else ()):
        if b"\0" in piece:
            before = sum(earlier.count(b"\n") for earlier in pieces[:place])
            line = before + piece.count(b"\n", 0, piece.index(b"\0")) + 1
            raise FormatError(file, line, "holds NUL bytes: binary data or UTF-16 text; save it as UTF-8 text")


def _too_large(max_bytes: int, *, packed: bool) -> str:
    verb = "unpacks to" if packed else "has"
    return f"{verb} more than {in_words(max_bytes)}, the most that is read; write it as Parquet, or split it by queries"


def in_words(n_bytes: int) -> str:
    """Size of a file for a message.

    >>> in_words(2**31), in_words(50_000)
    ('2,048 MB', '50,000 bytes')
    """
    return f"{n_bytes >> 20:,} MB" if n_bytes >= 1 << 20 else f"{n_bytes:,} bytes"


def _name_of_file(file: IO[Any]) -> str:
    name = getattr(file, "name", None)
    return name if isinstance(name, str) and name else "<file>"


def _reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()
