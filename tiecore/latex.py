r"""Tables for papers in LaTeX, with caption and label, as booktabs has them; graphicx makes wide ones fit."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, compress

from tiecore.escape import in_latex

NEEDS = r"% needs \usepackage{booktabs,graphicx}"
_COLUMN, _BETWEEN = 50, 2  # characters in a column of a paper that has two, and between two columns of a table
_NARROW_PAGE, _OF_CAPTION = 60, 70
"""Characters across a page with wide margins; a wider table is set in small letters, and made to fit. In a caption
words stand closer."""
_SMALL_LETTERS = 108
"""Small letters across such a page."""
_MOST_UNBROKEN = 28
"""Letters of a column that is never broken into lines, such as a difference with its interval."""
_ON_A_PAGE, _OF_SMALL_LETTERS = 40, 53
"""Lines of a float below the first one of its caption."""
_RULE = 0.7
"""Height of a rule between rows, in lines."""
_SYMBOL = re.compile(r"\b[pz](?= (?:[=(]|\$|\\text|adjusted))|^[pz]$|\bt(?=-test)")
"""Of statistics, in a caption or a heading."""
_COMMANDS = re.compile(r"\\multicolumn\{\d+\}\{\w\}|\\[a-z]+|[{}$&\\ ]", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class LatexColumn:
    """A column, in LaTeX, made of one or several columns of the ``tabular``."""

    heading: str
    cells: Sequence[str]
    spec: str = "r"


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
    return LatexColumn(heading=heading, cells=cells, spec=r"r@{}l@{ $\pm$ }r")


def column_of(heading: str, texts: Iterable[str], spec: str = "l") -> LatexColumn:
    """Column of a table for a paper, of texts; of p-values the decimals stand below each other.

    >>> column_of("p (Holm)", [".31", "1"]).cells
    [' & .31', '1 & ']
    """
    if heading.startswith("p ("):
        cells = [f"{in_latex(whole)} & {point}{rest}" for whole, point, rest in (text.partition(".") for text in texts)]
        return LatexColumn(heading=rf"\multicolumn{{2}}{{c}}{{{in_latex(heading)}}}", cells=cells, spec="r@{}l")
    return LatexColumn(heading=in_latex(heading), cells=[*map(in_latex, texts)], spec=spec)


def latex_of(columns: Sequence[LatexColumn], *, caption: str, label: str, new_groups: Sequence[int] = ()) -> str:
    """Table for a paper of columns that are LaTeX already, in booktabs; a rule stands above each new group."""
    caption = caption.replace("\u00a0", " ")  # of sentences of a page
    lines = latex_table(columns, caption=caption, label=f"tab:{label}", new_groups=new_groups)
    return "\n".join([NEEDS, *lines]) + "\n"


def latex_table(
    columns: Sequence[LatexColumn], *, caption: str, label: str, new_groups: Sequence[int] = ()
) -> Iterator[str]:
    r"""Yield the lines of a table; one of many rows is several floats, for text in two columns takes nothing else.

    ``caption``: as text. ``label``: as ``\ref`` takes it. ``new_groups``: rows that a rule stands above.
    """
    widths = [_longest([column.heading, *column.cells]) for column in columns]
    width = sum(widths)
    is_long = [one.spec == "l" and wide > _MOST_UNBROKEN for one, wide in zip(columns, widths, strict=True)]
    long, end = sum(compress(widths, is_long)), r"\\"
    if width > _SMALL_LETTERS and long:
        share = (_SMALL_LETTERS - (width - long)) / long  # of their width, for which there is room
        columns = [_broken(one, share) if breaks else one for one, breaks in zip(columns, is_long, strict=True)]
        widths = [max(1, int(share * wide)) if breaks else wide for wide, breaks in zip(widths, is_long, strict=True)]
        end = r"\tabularnewline\addlinespace[2pt]"  # rows stay apart; within ragged text \\ ends a line of it
    place = "table*" if width > _COLUMN else "table"
    texts = list(zip(*(column.cells for column in columns), strict=True))
    rows = [f"    {' & '.join(cells)} {end}" for cells in texts]
    heights = [
        max(math.ceil((_longest([cell]) - _BETWEEN) / wide) for cell, wide in zip(cells, widths, strict=True))
        + _RULE * (number in new_groups)
        for number, cells in enumerate(texts)
    ]
    most = _OF_SMALL_LETTERS if width > _NARROW_PAGE else _ON_A_PAGE
    room = most - len(caption) // (_OF_CAPTION if width > _COLUMN else _COLUMN)
    for begin, behind in _floats(heights, room, most):
        yield rf"\begin{{{place}}}"
        yield r"  \centering\setlength{\belowcaptionskip}{4pt}"
        if begin:
            yield r"  \addtocounter{table}{-1}\caption{Continued.}"  # under the same number
        else:
            yield rf"  \caption{{{_in_italics(in_latex(caption))}}}"
            yield rf"  \label{{{label}}}"
        if width > _NARROW_PAGE:
            yield r"  \footnotesize\setlength{\tabcolsep}{3pt}"
            yield r"  \resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
        yield rf"  \begin{{tabular}}{{{''.join(column.spec for column in columns)}}}"
        yield r"    \toprule"
        yield rf"    {' & '.join(_in_italics(column.heading) for column in columns)} \\"
        for number, row in enumerate(rows[begin:behind], begin):
            if number == begin or number in new_groups:
                yield r"    \midrule"
            yield row
        yield r"    \bottomrule"
        yield r"  \end{tabular}"
        if width > _NARROW_PAGE:
            yield "  }"
        yield rf"\end{{{place}}}"


def _floats(heights: Sequence[float], room: float, most: float) -> Iterator[tuple[int, int]]:
    """Yield which rows each float has: as many as there is room for, on the first beside its caption."""
    begin = 0
    while not begin or begin < len(heights):
        behind = begin + max(1, sum(height <= room for height in accumulate(heights[begin:])))
        yield begin, behind
        begin, room = behind, most


def _broken(column: LatexColumn, share: float) -> LatexColumn:
    """Return a column of that share of its width, whose texts break into lines, if no word of theirs is as wide."""
    texts = [column.heading, *column.cells]
    width = max(int(share * _longest(texts)), _longest(" ".join(texts).split(" ")))
    if width >= _longest(texts):
        return column
    cells = [rf"\raggedright {cell}" for cell in column.cells]
    return replace(column, spec=rf"p{{{width / _SMALL_LETTERS:.2f}\linewidth}}", cells=cells)


def _longest(texts: Iterable[str]) -> int:
    return max(len(_COMMANDS.sub("", text)) for text in texts) + _BETWEEN


def _in_italics(tex: str) -> str:
    return _SYMBOL.sub(r"$\g<0>$", tex)
