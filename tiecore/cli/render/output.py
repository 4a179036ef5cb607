"""Write a report in the requested format, to standard output or to a file."""

from __future__ import annotations

import errno
import io
import os
import sys
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

import tiecore
from tiecore.cli.messages import abandon_output, say
from tiecore.cli.options import Format
from tiecore.cli.render.export import write_csv, write_json, write_latex, write_markdown
from tiecore.cli.render.sheets import Report
from tiecore.cli.render.table import lines_of
from tiecore.errors import TiecoreError
from tiecore.escape import visible
from tiecore.files import may_write, written_whole

__all__ = ["check_output", "emit"]

_FORMAT_OF_ENDING: dict[str, Format] = {".csv": "csv", ".json": "json", ".md": "markdown", ".tex": "latex"}
# Replacements for signs that the encoding lacks, of the same width where columns depend on it.
_ASCII = {
    "├": "|", "┤": "|", "─": "-", "●": "o", "↑": "+", "↓": "-", "…": "~", "–": "-", "·": "-", "−": "-", "≥": ">=",
    "σ": "sigma", "τ": "tau", "×": "x",
}  # fmt: skip

_STANDARD_OUTPUT = Path("-")
_USUAL_WIDTH, _NARROWEST = 80, 20  # some terminals report 0 columns


def check_output(output: Path | None, inputs: Iterable[str]) -> None:
    """Refuse, before any work is done, a file that cannot be written or that is one of the inputs."""
    if output is None or output == _STANDARD_OUTPUT:
        return
    try:
        _check(output, inputs)
    except OSError as error:  # a folder without permission, a name that is too long
        raise _cannot_write(output, error.strerror) from None


def _check(output: Path, inputs: Iterable[str]) -> None:
    if output.is_dir():
        raise _cannot_write(output, "it is a directory")
    folder = Path(os.path.realpath(output)).parent
    if not folder.is_dir():
        raise _cannot_write(output, f"there is no directory {folder}")
    if not may_write(output):
        raise _cannot_write(output, os.strerror(errno.EACCES))
    if output.exists() and any(Path(name).exists() and output.samefile(name) for name in inputs):
        raise _cannot_write(output, "it is one of the inputs")


def emit(report: Report, *, format: Format | None, output: Path | None) -> None:
    """Write a report to standard output or to a file.

    ``format``: how; None goes by the ending of the file and takes a table otherwise. ``output``: a file, which becomes
    UTF-8; None and ``-`` stand for standard output in its own encoding.
    """
    if output is None or output == _STANDARD_OUTPUT:
        _to_standard_output(report, format=format or "table")
        return
    effective_format = format or _FORMAT_OF_ENDING.get(output.suffix.lower(), "table")
    try:
        with written_whole(output) as file:
            _write(report, file, format=effective_format)
    except OSError as error:
        raise _cannot_write(output, error.strerror) from None


def _to_standard_output(report: Report, *, format: Format) -> None:
    if sys.stdout is None:
        raise TiecoreError(f"cannot write to standard output: {os.strerror(errno.EBADF)}")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        _write(report, sys.stdout, format=format)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        abandon_output()
        raise TiecoreError(f"cannot write to standard output: {error.strerror}") from None


def _write(report: Report, stream: TextIO, *, format: Format) -> None:
    match format:
        case "csv":
            if len(report.sheets) > 1:
                others = ", ".join(sheet.name for sheet in report.sheets[1:])
                say(f"CSV holds one table, {report.sheets[0].name}; ask for another by --part: {others}", kind="note")
            write_csv(report.sheets[0], stream)
        case "json":
            write_json(report, stream, version=tiecore.__version__)
        case "markdown":
            write_markdown(report, stream)
        case "latex":
            write_latex(report, stream)
        case _:
            _write_tables(report, stream)


def _write_tables(report: Report, stream: TextIO) -> None:
    screen = Console(file=stream, force_terminal=None if stream is sys.stdout else False)
    # Rendered in memory and written here, so that a closed pipe is detected in one place.
    console = Console(
        file=io.StringIO(),
        highlight=False,
        width=max(screen.width or _USUAL_WIDTH, _NARROWEST),
        force_terminal=screen.is_terminal,
    )
    plain = _missing_signs(stream.encoding)
    for line in _lines(report, console.width):
        with console.capture() as captured:
            console.print(line, soft_wrap=True)
        stream.write(captured.get().translate(plain))


def _lines(report: Report, width: int) -> Iterator[Text]:
    """Yield the lines of all sheets, each followed by the meaning of its headings."""
    for sheet in report.sheets:
        for block in sheet.blocks():
            yield from lines_of(block, width=width)
            for note in block.notes:
                yield from _wrapped(visible(note), width=width, indent=2)
            yield Text("")
        indent = max(map(cell_len, sheet.legend), default=0) + 2
        for heading, meaning in sheet.legend.items():
            entry = heading + " " * (indent - cell_len(heading)) + meaning
            yield from _wrapped(entry, width=width, indent=indent if 3 * indent < width else 2)
        if sheet is not report.sheets[-1]:
            yield Text("")
    for remark in report.remarks:
        yield from _wrapped(visible(remark), width=width)


def _wrapped(text: str, *, width: int, indent: int = 0) -> Iterator[Text]:
    # textwrap counts characters, and some take two cells: a narrower wrap makes room for them
    excess = cell_len(text) - len(text)
    for line in textwrap.wrap(text, max(width - excess, 20), subsequent_indent=" " * indent, break_long_words=False):
        yield Text(line, style="dim")


def _missing_signs(encoding: str) -> dict[int, str]:
    """Return replacements for the signs that an encoding lacks."""

    def is_missing(sign: str) -> bool:
        try:
            sign.encode(encoding)
        except UnicodeEncodeError:
            return True
        return False

    return str.maketrans({sign: plain for sign, plain in _ASCII.items() if is_missing(sign)})


def _cannot_write(output: Path, reason: str | None) -> TiecoreError:
    return TiecoreError(f"cannot write to {output}: {reason}; give another file to -o")
