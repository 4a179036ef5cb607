"""Names from files made safe where they are written: in a terminal, in Markdown, in LaTeX, in a spreadsheet."""

# ruff: noqa: RUF001 - the tables below hold signs that look like others on purpose
from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, TypeAlias

from tiecore.frames import is_null

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

Table: TypeAlias = "Mapping[str, Sequence[object] | np.ndarray] | pd.DataFrame"
"""Columns by name."""

# Joiners are invisible but spell words in several scripts; every other unprintable character becomes an escape.
_JOINERS = "\u200c\u200d"
_MARKDOWN = re.compile(r"([\\`*_\[\]<>|~$&])")
# What spreadsheets take for the beginning of a formula, also in its full-width form, and what they skip before one.
_FORMULA = re.compile(r"[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def pairs_of(text: str) -> dict[str, str]:
    """Return every other word of a text by the word before it.

    >>> pairs_of("± pm ≤ leq")
    {'±': 'pm', '≤': 'leq'}
    """
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))


_COMMANDS = pairs_of("""
    ○ circ ◦ circ ● bullet • bullet · cdot ± pm × times ÷ div ≤ leq ≥ geq ≠ neq ≈ approx ∞ infty ← leftarrow
    → rightarrow ↑ uparrow ↓ downarrow ▲ uparrow ▼ downarrow α alpha β beta γ gamma δ delta ε epsilon ζ zeta η eta
    θ theta ι iota κ kappa λ lambda μ mu µ mu ν nu ξ xi π pi ρ rho σ sigma τ tau υ upsilon φ phi χ chi ψ psi ω omega
    Γ Gamma Δ Delta Θ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma Φ Phi Ψ Psi Ω Omega
""")
# \textquotedbl would need the encoding T1, and babel gives the plain sign a meaning of its own. At the beginning of a
# row LaTeX would read a plain "[" or "*" as an argument of the row break before it.
_LATEX = pairs_of(r"""
    \ \textbackslash{} { \{ } \} $ \$ & \& # \# % \% _ \_ ^ \textasciicircum{} ~ \textasciitilde{} < \textless{}
    > \textgreater{} | \textbar{} " {''} ` \`{} [ {[} * {*} – -- — --- ‘ \textquoteleft{} ’ \textquoteright{}
    “ \textquotedblleft{} ” \textquotedblright{} … \dots{} − $-$ § \S{} ¶ \P{}
""") | {sign: rf"$\{command}$" for sign, command in _COMMANDS.items()}
# Latin letters that every engine sets since 2018: without those that the usual fonts lack
_LETTER = re.compile(r"(?=[\x80-\u017f])[^\W\d_ÐÞðþĄąĐđĘęĦħĮįĲĳĸĿŀŉŊŋŦŧŲųſ]")
_LIGATURE = re.compile(r"(?<=(['\-, ]))(?=\1)")


def visible(text: str) -> str:
    r"""Return a text in which whatever does not print (escape sequences, line breaks, bidi marks) is a Python escape.

    >>> print(visible("a\x1b[31m\nb"))
    a\x1b[31m\nb
    """
    if text.isprintable():
        return text
    return "".join(
        sign if sign.isprintable() or sign in _JOINERS else sign.encode("unicode_escape").decode() for sign in text
    )


def in_markdown(text: str) -> str:
    r"""Return a text that Markdown shows as it is, also in a cell of a table.

    >>> print(in_markdown("a|b_c"))
    a\|b\_c
    """
    return _MARKDOWN.sub(r"\\\1", visible(text))


def in_latex(text: str) -> str:
    r"""Return a text that LaTeX reads as UTF-8 and sets without any package; what it lacks becomes its code point.

    >>> print(in_latex("50 % of é_[1]--日"))
    50\,\% of é\_{[}1]-{}-U+65E5
    """
    # Two hyphens or apostrophes would become one sign, and two spaces one.
    parts = _LIGATURE.split(unicodedata.normalize("NFC", visible(text)))
    return "{}".join("".join(map(_sign_in_latex, part)) for part in parts[::2]).replace(r" \%", r"\,\%")


def in_csv(cell: object) -> object:
    """Return a cell for CSV: an apostrophe stands before a text that a spreadsheet would run as a formula.

    >>> in_csv("=1+2"), in_csv("-1"), in_csv("-x"), in_csv(-1.5)
    ("'=1+2", '-1', "'-x", -1.5)
    """
    if isinstance(cell, str) and _FORMULA.match(cell) and not _NUMBER.fullmatch(cell):
        return f"'{cell}"
    return cell


def cells_of(table: Table) -> Iterator[tuple[str, Sequence[object]]]:
    """Yield the name and the cells of each column; None stands where there is no value."""
    import numpy as np  # the help of the command needs none of it

    for name, column in table.items():
        # a column of pandas may have a type of its own
        cells = np.asarray(column) if isinstance(getattr(column, "dtype", None), np.dtype) else column
        if isinstance(cells, np.ndarray) and cells.dtype in (np.float64, np.int64):
            cells = cells.tolist()  # numbers that Python writes as NumPy does, and faster
        yield str(name), [None if is_null(cell) or cell != cell else cell for cell in cells]


def csv_of(table: Table, *, shown: Callable[[str], str] = str) -> str:
    """Return a table, a frame without its index, as CSV in full precision that a spreadsheet may open.

    Nothing stands where there is no value. ``shown`` changes every text before.
    """

    @cache  # names stand in many rows
    def safe(text: str) -> object:
        return in_csv(shown(text))

    columns = ([name, *cells] for name, cells in cells_of(table))
    safe_columns = ([safe(cell) if isinstance(cell, str) else cell for cell in column] for column in columns)
    stream = io.StringIO()
    # a cell is quoted if it holds what ends a line, and both "\r" and "\n" do that for the programs that read it
    lines = SimpleNamespace(write=lambda line: stream.write(line.removesuffix("\r\n") + "\n"))
    csv.writer(lines, lineterminator="\r\n").writerows(zip(*safe_columns, strict=True))
    return stream.getvalue()


def _sign_in_latex(sign: str) -> str:
    return _LATEX.get(sign) or (sign if sign.isascii() or _LETTER.match(sign) else f"U+{ord(sign):04X}")
