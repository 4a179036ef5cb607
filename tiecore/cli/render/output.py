"""Write a report in the requested format, to standard output or to a file."""

from __future__ import annotations

import errno
import io
import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from tiecore.cli.messages import flush_output, has_styles, say
from tiecore.cli.render.tables import Report
from tiecore.errors import TiecoreError
from tiecore.escape import pairs_of, visible
from tiecore.files import may_write, written_whole

_FORMAT_OF_ENDING = {"csv": "csv", "json": "json", "md": "markdown", "tex": "latex"}
_PICTURES = ("pdf", "svg", "png")
# Replacements for signs that the encoding lacks, of the same width where columns depend on it.
_ASCII = pairs_of("├ | ┤ | ─ - ● o ↑ + ↓ - … ~ – - · - − - ≥ >= ≤ <= σ sigma τ tau × x")
_STANDARD_OUTPUT = Path("-")
_NARROWEST = 20  # some terminals report fewer columns


def check_output(output: Path | None, inputs: Iterable[str]) -> None:
    """Refuse, before any work is done, a file that cannot be written or that is one of the inputs."""
    if output is None or output == _STANDARD_OUTPUT:
        return
    try:
        folder, problem = Path(os.path.realpath(output)).parent, None
        if output.is_dir():
            problem = "it is a directory"
        elif not folder.is_dir():
            problem = f"there is no directory {folder}"
        elif not may_write(output):
            problem = os.strerror(errno.EACCES)
        elif output.exists() and any(os.path.exists(name) and output.samefile(name) for name in inputs):  # noqa: PTH110
            problem = "it is one of the inputs"
    except OSError as error:  # a folder without permission, a name that is too long
        problem = error.strerror
    if problem:
        raise _cannot_write(output, problem)


def emit(report: Report, *, format: str | None, output: Path | None) -> None:
    """Write a report to a file, in UTF-8, or where that is None or ``-`` to standard output in its own encoding.

    ``format``: how; None goes by the ending of the file and takes a table otherwise.
    """
    if output is None or output == _STANDARD_OUTPUT:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="backslashreplace")
        flush_output()  # refuses one that is closed
        _write(report, sys.stdout, format or "table")
        flush_output()
        return
    kind = output.suffix.lower().removeprefix(".")
    picture = _picture(report, kind) if format is None and kind in _PICTURES else b""
    try:
        with written_whole(output) as file:
            if picture:
                file.buffer.write(picture)
            else:
                _write(report, file, format or _FORMAT_OF_ENDING.get(kind, "table"))
    except OSError as error:
        raise _cannot_write(output, error.strerror) from None


def _picture(report: Report, kind: str) -> bytes:
    """Return the figures of a report as one file."""
    from tiecore.plot import pages_of

    figures = report.figures()
    if not figures:
        raise TiecoreError(f"this table has no figure; -o FILE.{kind} is of evaluate (all queries) and compare")
    if len(figures) > 1 and kind != "pdf":
        raise TiecoreError(f"one {kind.upper()} holds one measure: choose it by -m, or write a PDF, a page for each")
    if unwritten := "".join(dict.fromkeys("".join(figure.unwritten for figure in figures))):
        say(f"no font here has {unwritten}, drawn as boxes: install one, such as Noto Sans CJK", kind="note")
    return pages_of(figures) if kind == "pdf" else figures[0].to_bytes("svg" if kind == "svg" else "png")


def _write(report: Report, stream: TextIO, format: str) -> None:
    if format == "table":
        from tiecore.cli.render.text import lines_of

        styled = stream is sys.stdout and has_styles(stream)
        lines = lines_of(report, width=max(shutil.get_terminal_size().columns, _NARROWEST), styled=styled)
        encoding = stream.encoding or "utf-8"  # a text in memory has none
        plain = {ord(sign): plain for sign, plain in _ASCII.items() if not sign.encode(encoding, "ignore")}
        lines = (line.translate(plain) for line in lines)
    else:
        from tiecore.cli.render import export

        if format == "csv" and len(report.sheets) > 1:
            first, *others = (sheet.name for sheet in report.sheets)
            say(f"CSV holds one table, {first}; ask for another by --part: {', '.join(others)}", kind="note")
        shown = visible if stream.isatty() else str  # no name may steer a terminal
        lines = export.csv_lines(report, shown) if format == "csv" else export.LINES[format](report)
    stream.writelines(f"{line}\n" for line in lines)


def _cannot_write(output: Path, reason: str | None) -> TiecoreError:
    return TiecoreError(f"cannot write to {output}: {reason}; give another file to -o")
