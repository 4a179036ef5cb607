r"""Tables for papers in LaTeX, with caption and label, as booktabs has them; graphicx makes wide ones fit."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from tiecore.escape import in_latex

NEEDS = r"% needs \usepackage{booktabs,graphicx}"
_COLUMN, _BETWEEN = 50, 2  # characters in a column of a paper that has two, and between two columns of a table
_NARROW_PAGE = 60
"""Characters across a page with wide margins; a wider table is set in small letters, and made to fit."""
_SMALL_LETTERS = 86
"""Small letters across such a page."""
_MOST_UNBROKEN = 28
"""Letters of a column that is never broken into lines, such as a difference with its interval."""
_ON_A_PAGE, _OF_SMALL_LETTERS = 40, 48
"""Rows of a float."""
_RULE = r"    \midrule"
_SYMBOL = re.compile(r"\b[pz](?= (?:[=(]|\$|\\text|adjusted))|^[pz]$|\bt(?=-test)")
"""Of statistics, in a caption or a heading."""
_COMMANDS = re.compile(r"\\multicolumn\{\d+\}\{\w\}|\\[a-z]+|[{}$&\\ ]", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class LatexColumn:
    """A column, in LaTeX, made of one or several columns of the ``tabular``."""

    heading: str
    cells: Sequence[str]
    spec: str = "r"
    n_columns: int = 1

    def first(self, n_rows: int) -> LatexColumn:
        """Return the first rows."""
        return replace(self, cells=self.cells[:n_rows])


def value_column(
    heading: str, values: Sequence[str], halves: Sequence[str], letters: Sequence[str], *, best: Collection[int]
) -> LatexColumn:
    r"""Return a column of values, each with raised letters and ± half of its interval; decimals stand below each other.

    ``heading``, ``values``, ``halves``, ``letters``: as text; letters may be empty. ``best``: rows to set in bold.

    Examples
    --------
    >>> print(*value_column("AP", ["0.52", "0.40"], ["0.03", "0.04"], ["a", "ab"], best=[0]).cells, sep="\n")
    \textbf{0.52} & \textsuperscript{a} & 0.03
    0.40 & \textsuperscript{ab} & 0.04
    """
    cells = []
    for row, (value, half, groups) in enumerate(zip(values, halves, letters, strict=True)):
        raised = rf"\textsuperscript{{{in_latex(groups)}}}" if groups else ""
        shown = rf"\textbf{{{in_latex(value)}}}" if row in best else in_latex(value)
        cells.append(f"{shown} & {raised} & {in_latex(half)}")
    heading = rf"\multicolumn{{3}}{{c}}{{{in_latex(heading)}}}"
    return LatexColumn(heading=heading, cells=cells, spec=r"r@{}l@{ $\pm$ }r", n_columns=3)


def column_of(heading: str, texts: Iterable[str], spec: str = "l") -> LatexColumn:
    """Column of a table for a paper, of texts; of p-values the decimals stand below each other.

    >>> column_of("p (Holm)", [".31", "1"]).cells
    [' & .31', '1 & ']
    """
    if heading.startswith("p ("):
        cells = [f"{in_latex(whole)} & {point}{rest}" for whole, point, rest in (text.partition(".") for text in texts)]
        return LatexColumn(
            heading=rf"\multicolumn{{2}}{{c}}{{{in_latex(heading)}}}", cells=cells, spec="r@{}l", n_columns=2
        )
    return LatexColumn(heading=in_latex(heading), cells=[*map(in_latex, texts)], spec=spec)


def latex_of(columns: Sequence[LatexColumn], *, caption: str, label: str, new_groups: Sequence[int] = ()) -> str:
    """Table for a paper of columns that are LaTeX already, in booktabs; a rule stands above each new group."""
    parts = [
        ("", [replace(column, cells=column.cells[first:end]) for column in columns])
        for first, end in pairwise([0, *new_groups, None])
    ]
    caption = caption.replace("\u00a0", " ")  # of sentences of a page
    return "\n".join([NEEDS, *latex_table(parts, caption=caption, label=f"tab:{label}")]) + "\n"


def _widths(sections: Sequence[Sequence[LatexColumn]]) -> list[tuple[int, int]]:
    """Return about how many characters wide each column is, and its longest word."""
    return [
        (_longest(texts), _longest(word for text in texts for word in text.split(" ")))
        for part in zip(*sections, strict=False)
        for texts in [[text for one in part for text in (one.heading, *one.cells)]]
    ]


def _longest(texts: Iterable[str]) -> int:
    return max(len(_COMMANDS.sub("", text)) for text in texts) + _BETWEEN


def _fitted(columns: Sequence[LatexColumn], widths: Sequence[tuple[int, int]]) -> list[LatexColumn]:
    """Return the columns of a table; where they are wider than a page, long texts among them break into lines."""
    is_long = [one.spec == "l" and width > _MOST_UNBROKEN for one, (width, _) in zip(columns, widths, strict=True)]
    whole = sum(width for (width, _), breaks in zip(widths, is_long, strict=True) if breaks)
    room = _SMALL_LETTERS - sum(width for (width, _), breaks in zip(widths, is_long, strict=True) if not breaks)
    fitted = []
    for column, (width, word), breaks in zip(columns, widths, is_long, strict=True):
        if breaks and whole > room:
            share = max(word, width * room // whole) / _SMALL_LETTERS
            cells = [rf"{{\raggedright {cell}\par}}" for cell in column.cells]
            column = replace(column, spec=rf"p{{{share:.2f}\linewidth}}", cells=cells)
        fitted.append(column)
    return fitted


def latex_table(sections: Sequence[tuple[str, Sequence[LatexColumn]]], *, caption: str, label: str) -> Iterator[str]:
    r"""Yield the lines of a table; one of many rows is several floats, for text in two columns takes nothing else.

    ``sections``: heading of a part of the rows, in LaTeX or empty, and its columns, the same in every part.
    ``caption``: as text. ``label``: as ``\ref`` takes it.
    """
    widths = _widths([own for _, own in sections])
    sections = [(heading, _fitted(own, widths)) for heading, own in sections]
    columns = sections[0][1]
    width = sum(one for one, _ in widths)
    place = "table*" if width > _COLUMN else "table"
    rows, most = list(_rows(sections)), _OF_SMALL_LETTERS if width > _NARROW_PAGE else _ON_A_PAGE
    for begin in range(0, max(1, len(rows)), most):
        yield rf"\begin{{{place}}}"
        yield r"  \centering\setlength{\belowcaptionskip}{4pt}"
        if begin:
            yield rf"  \caption{{Table~\ref{{{label}}}, continued.}}"
        else:
            yield rf"  \caption{{{_in_italics(in_latex(caption))}}}"
            yield rf"  \label{{{label}}}"
        if width > _NARROW_PAGE:
            yield r"  \footnotesize\setlength{\tabcolsep}{3pt}"
            yield r"  \resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
        yield rf"  \begin{{tabular}}{{{''.join(column.spec for column in columns)}}}"
        yield r"    \toprule"
        yield rf"    {' & '.join(_in_italics(column.heading) for column in columns)} \\"
        yield r"    \midrule"
        shown = rows[begin : begin + most]
        yield from shown[1:] if shown[:1] == [_RULE] else shown
        yield r"    \bottomrule"
        yield r"  \end{tabular}"
        if width > _NARROW_PAGE:
            yield "  }"
        yield rf"\end{{{place}}}"


def _in_italics(tex: str) -> str:
    return _SYMBOL.sub(r"$\g<0>$", tex)


def _rows(sections: Sequence[tuple[str, Sequence[LatexColumn]]]) -> Iterator[str]:
    for number, (heading, columns) in enumerate(sections):
        if number:
            yield _RULE
        if heading:
            yield rf"    \multicolumn{{{sum(column.n_columns for column in columns)}}}{{l}}{{{heading}}} \\"
        for cells in zip(*(column.cells for column in columns), strict=True):
            yield rf"    {' & '.join(cells)} \\"
