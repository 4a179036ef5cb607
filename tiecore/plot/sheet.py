"""What a figure is printed on: its width, the size of its letters, and the texts that let it stand alone."""

from __future__ import annotations

import io
import math
import re
import textwrap
import threading
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal, TypedDict, get_args

import matplotlib as mpl
from matplotlib import style
from matplotlib.backends.backend_pdf import PdfPages
from matplotlib.figure import Figure as Drawing
from matplotlib.font_manager import FontProperties, fontManager, get_font
from matplotlib.text import Text
from matplotlib.textpath import text_to_path

from tiecore.board import Board
from tiecore.board.marks import marks_of
from tiecore.board.sentences import cut
from tiecore.errors import TiecoreError, listed, shortened
from tiecore.stability.sentences import queries_of

Width = Literal["column", "page", "slide"]
Kind = Literal["pdf", "svg", "png"]
WIDTHS: dict[Width, float] = {"column": 3.33, "page": 7.0, "slide": 10.0}
"""Inches. Columns and pages are those of the templates of ACM; those of IEEE are 4 % wider."""
KINDS: tuple[Kind, ...] = get_args(Kind)
_SLIDE = 9 / 16
"""Height of a slide in widths of it."""
_INTERVAL = re.compile(r" \((?=[\d.]+ % interval |gain [+−\d])")
"""Where the numbers of a sentence begin, which a slide says in smaller letters."""
_ENDS = re.compile(r"(?<=[.;]) ")
"""Where a sentence may end that is too long for a headline."""
_GOES_ON = re.compile(r"(all|but|from|half|in|it|no|none|on|only|that|the|under|without) ")
"""What then begins a sentence, with a capital; names, with which others begin, stay as they are."""
MOST_OF_A_TIE_BREAK = 19
"""Letters of the name of a tie-break in a figure."""
_LINE, _OF_TEXT = 1.3, 1.2
"""Height of a line in sizes of its letters, and that in a text, where it has no picture beside it."""
_LETTER = 0.58
"""Mean width of a letter in sizes of it."""
_OTHER_SCRIPTS = (
    "Noto Sans CJK JP", "Noto Sans CJK SC", "Noto Sans CJK KR", "WenQuanYi Zen Hei", "Hiragino Sans", "PingFang SC",
    "Yu Gothic", "Microsoft YaHei", "Malgun Gothic", "Noto Sans Devanagari", "Noto Sans Thai", "Arial Unicode MS",
)  # fmt: skip
_LOCK = threading.RLock()
"""The settings and the fonts of matplotlib belong to the process."""
COLOURS = {
    "text": "#1b2330", "muted": "#5b6675", "line": "#c9d1da", "queries": "#a9c4e4", "ties": "#2f6db5",
    "quiet": "#9aa5b1", "stripe": "#f1f4f8", "marked": "#d9eaf5", "clear": "#0072b2",
}  # fmt: skip
"""Colours by what they stand for."""
_MARKERS: dict[str, str | tuple[int, int, int]] = {
    "diamond": "D", "cross": "P", "square": "s", "triangle-left": "<", "triangle-right": ">", "star": "*", "x": "X",
    "pentagon": "p", "hexagon": "h", "hexagram": (6, 1, 0), "star-diamond": (4, 1, 0),
}  # fmt: skip
"""How matplotlib calls the shapes of the marks."""


def markers_of(tie_breaks: Iterable[str]) -> dict[str, str | tuple[int, int, int]]:
    """Return the marker of each tie-break, of the shape that it has on the dashboard."""
    return {name: _MARKERS[shape] for name, shape in marks_of(tie_breaks).items()}


class Figure(Drawing):
    """A figure of matplotlib that a notebook shows by itself, and that any thread may write."""

    title: str = ""
    """What is measured and shown, not broken into lines: the headline but on a slide, where it stands below."""
    answer: str = ""
    """What was found: the headline of a slide."""
    note: str = ""
    """What stands below the picture."""

    def to_bytes(self, kind: Kind = "png", *, dots: int = 300) -> bytes:
        """Return the figure as a file; ``dots`` per inch are those of a PNG."""
        if kind not in KINDS:
            raise TiecoreError(f"a figure is written as {listed(KINDS)}, not as {shortened(kind)}")
        written = io.BytesIO()
        undated = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[kind]
        with _settings():
            self.savefig(written, format=kind, dpi=dots, metadata={"Title": self.get_label(), **undated})
        return written.getvalue()

    @property
    def unwritten(self) -> str:
        """Letters that no font on this computer has; they are drawn as boxes."""
        used = {letter for text in self.findobj(Text) for letter in text.get_text() if letter.isprintable()}
        with _settings():
            fonts = [get_font(fontManager.findfont(name)) for name in mpl.rcParams["font.family"]]
        known = {chr(code) for font in fonts for code in font.get_charmap()}
        return "".join(sorted(used - known))

    def _repr_png_(self) -> bytes:
        return self.to_bytes("png", dots=200)  # a screen has no more


def features_of(drawn: Board, shown: Board) -> str:
    """Return for a title how many features are drawn, and of how many: the first of a board, and which part that is."""
    first = f"the first {len(drawn.rows)} of " if len(drawn.rows) < len(shown.rows) else ""
    part = f"{len(shown.rows)} of " if shown.is_filtered else ""
    return f"{first}{part}{queries_of(shown.total, 'feature')}"


def pages_of(figures: Sequence[Figure]) -> bytes:
    """Return a PDF with a page for each figure."""
    written = io.BytesIO()
    with _settings(), PdfPages(written, metadata={"CreationDate": None}) as pages:
        for figure in figures:
            pages.savefig(figure)
    return written.getvalue()


class SheetOptions(TypedDict, total=False):
    """What can be said of a sheet: see :class:`Sheet`."""

    width: Width
    title: str | None
    answer: str | None
    note: str | None
    colours: Mapping[str, str] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """Width and texts of a figure."""

    width: Width = "page"
    title: str | None = None
    """Instead of the title that says measure and queries, small on a slide; empty for none."""
    answer: str | None = None
    """Instead of the sentence that says what was found, the headline of a slide; empty for none."""
    note: str | None = None
    """Instead of the lines below that explain the signs; empty for none."""
    colours: Mapping[str, str] | None = None
    """Of features, instead of those that they would have; the others are drawn in grey."""
    source: str = ""
    """Sentence at the end of the note that names the data."""

    def __post_init__(self) -> None:
        if self.width not in WIDTHS:
            raise TiecoreError(f"width is one of {listed([*WIDTHS])}, not {shortened(self.width)}")

    @property
    def font(self) -> float:
        """Size of the letters in points."""
        return 13.0 if self.is_slide else 8.0

    @property
    def is_slide(self) -> bool:
        """Whether it is seen from afar, so that few words have room."""
        return self.width == "slide"

    @property
    def line(self) -> float:
        """Height of a line of text in inches."""
        return self.font * _LINE / 72

    @property
    def _margin(self) -> float:
        return 0.25 if self.is_slide else 1 / 24

    @property
    def _inside(self) -> float:
        """Width between the margins in inches."""
        return WIDTHS[self.width] - 2 * self._margin

    @property
    def most_rows(self) -> int:
        """How many rows it holds."""
        return 10 if self.is_slide else 40

    def on_a_page(self, board: Board) -> Board:
        """Return the part of a board whose rows one sheet holds: the first ones."""
        return board if len(board.rows) <= self.most_rows else board.only(board.names[: self.most_rows])

    def rows(self, n_rows: int) -> float:
        """Return the height of so many rows in inches; many stand closer."""
        return (1.7 if n_rows <= 20 else 1.15) * n_rows * self.line

    def name(self, name: str, share: float, among: Collection[str] = ()) -> str:
        """Return a name without its middle where it is longer than a share of the width; see ``cut``."""
        return cut(name, self.letters(share), among)

    def pair(self, first: str, second: str, *, share: float, among: Collection[str] = ()) -> list[str]:
        """Return two names that have a share of the width together: each may take what the other leaves."""
        most = self.letters(share)
        rooms = (max(most // 2, most - len(other)) for other in (second, first))
        return [cut(name, room, among) for name, room in zip((first, second), rooms, strict=True)]

    def letters(self, share: float = 1.0) -> int:
        """Return how many letters a line holds that takes a share of the width."""
        return max(8, int(share * self._inside * 72 / (self.font * _LETTER)))

    def figure(
        self,
        draw: Callable[[Figure], None],
        *,
        height: float,
        title: str,
        answer: str,
        note: str,
        legend: int = 0,
        longest: int = MOST_OF_A_TIE_BREAK,
    ) -> Figure:
        """Return a figure with its texts above and below the axes that ``draw`` adds, which are ``height`` inches high.

        ``title``, ``answer``, ``note``: what is shown, what was found, and what explains the signs; the sheet may have
        its own. ``legend``: entries of that of the first axes, which stand above the note, the longest of ``longest``
        letters.
        """
        own, usual = (self.title, self.answer, self.note), (title, answer, f"{note} {self.source}".strip())
        texts = [one if mine is None else mine for mine, one in zip(own, usual, strict=True)]
        texts[1] = re.sub("^feature ", "Feature ", texts[1])  # of digits alone, as on the page
        heading, sentence, below = texts
        large = small = self.font
        if self.is_slide:
            large, small = 24.0, 0.8 * self.font
            if sentence:  # what was found comes first
                large, found, more = self._headline(sentence)
                heading, sentence = found, "\n".join(filter(None, [more, heading]))
        heading = self._filled(heading, FontProperties(size=large, weight="bold"))
        sentence = self._filled(sentence, FontProperties(size=self.font))
        below = self._filled(below, FontProperties(size=small))
        n_above, n_between, n_below = (
            (text.count("\n") + 1) * size / self.font * _OF_TEXT / _LINE + 0.3 if text else 0.2
            for text, size in ((heading, large), (sentence, self.font), (below, small))
        )
        beside, margin = max(1, self.letters() // (longest + 3)), self._margin  # entries of the legend in a line
        n_below += 0.2 + 1.3 * math.ceil(legend / beside)  # apart from the picture
        whole = height + (n_above + n_between + n_below) * self.line + 2 * margin
        if self.is_slide:  # whatever is on it
            whole = WIDTHS["slide"] * _SLIDE
        left = margin / WIDTHS[self.width]

        def up(lines: float) -> float:  # above the lower margin
            return (margin + lines * self.line) / whole

        n_lines = (whole - 2 * margin) / self.line
        with _settings(self.font):
            drawn = Figure(figsize=(WIDTHS[self.width], whole), facecolor="white")
            drawn.title, drawn.answer, drawn.note = texts
            drawn.set_label(" ".join((heading or sentence).split()))  # names it as a file
            top = up(n_lines - n_above - n_between)  # margins by padding: a narrower rect is not the same each time
            drawn.set_layout_engine("constrained", rect=(0, up(n_below), 1, top - up(n_below)), w_pad=margin)
            draw(drawn)
            if legend:
                beside = math.ceil(legend / math.ceil(legend / beside))  # equally many in each line
                entries, _ = drawn.axes[0].get_legend_handles_labels()
                in_rows = [one for column in range(beside) for one in entries[column::beside]]  # not down the columns
                drawn.legend(
                    handles=in_rows, loc="upper center", bbox_to_anchor=(0.5, up(n_below)),
                    ncols=beside, frameon=False, handletextpad=0.3, borderaxespad=0.0,
                )  # fmt: skip
            drawn.text(left, up(n_lines - 0.25), heading, va="top", fontsize=large, fontweight="bold")
            drawn.text(left, up(n_lines - n_above - 0.12), sentence, va="top", fontsize=self.font)
            drawn.text(left, up(0.1), below, va="bottom", fontsize=small, color=COLOURS["muted"])
            drawn.draw_without_rendering()
            drawn.set_layout_engine("none")  # which else takes more room off each time that the figure is written
        return drawn

    def brief(self, text: str, end: str = "; ") -> str:
        """Return a sentence, on a slide only what stands before its ``end``."""
        short, found, _ = text.partition(end)
        return f"{short}." if self.is_slide and found else text

    def title_of(self, title: str, answer: str, *facts: str) -> str:
        """Return a title, on a slide nothing where its facts stand in the sentence that was found."""
        is_said = self.is_slide and self.answer is None and all(fact in answer for fact in facts)
        return "" if is_said else title

    def wrapped(self, text: str, share: float = 1.0) -> str:
        """Return a text in lines that take a share of the width."""
        return _lines(text, self.letters(share))

    def _headline(self, sentence: str) -> tuple[float, str, str]:
        """Return the size of a headline of two lines, what it says of a sentence without numbers, and the rest."""
        found, *numbers = _INTERVAL.split(sentence, maxsplit=1)
        rest, size, parts = list[str](), 24.0, _ENDS.split(found)
        while size > 14 and self._filled(" ".join(parts), FontProperties(size=size, weight="bold")).count("\n") > 1:
            if len(parts) > 1:
                rest.insert(0, parts.pop())
            else:  # of long names
                size -= 2
        if numbers:  # they stand in brackets only behind what they are of
            rest[-1:] = [f"{rest[-1]} ({numbers[0]}"] if rest else [numbers[0].replace(")", "", 1)]
        more = " ".join(rest)
        more = more[0].upper() + more[1:] if _GOES_ON.match(more) else more
        return size, re.sub("[.;]$", "", " ".join(parts)), more

    def _filled(self, text: str, font: FontProperties) -> str:
        """Return a text in lines that fill the width, and not only so many letters of a mean width: measured."""
        room = 0.97 * 72 * self._inside  # on a screen letters are a little wider

        def fits(lines: str) -> bool:
            sizes = (text_to_path.get_text_width_height_descent(one, font, False) for one in lines.splitlines())
            return all(width <= room for width, *_ in sizes)

        most = int(1.3 * self.letters() * self.font / font.get_size_in_points())
        with _settings(self.font):
            return next(lines for letters in range(most, 0, -1) if fits(lines := _lines(text, letters)))


def _lines(text: str, letters: int) -> str:
    for parted in (" < .", " = .", " %", " ↑", " ↓"):  # p < .0001 stays whole
        text = text.replace(parted, parted.replace(" ", "\u00a0"))
    return "\n".join(textwrap.fill(line, letters, break_on_hyphens=False) for line in text.splitlines())


PAGE = Sheet()


@contextmanager
def _settings(font: float = 8.0) -> Iterator[None]:
    """Set matplotlib so that a figure is the same everywhere, whatever the settings of the user are."""
    known = {one.name for one in fontManager.ttflist}
    own = {
        "font.family": ["DejaVu Sans", *(name for name in _OTHER_SCRIPTS if name in known)],
        "font.size": font,
        "text.parse_math": False,  # a dollar in a name is a dollar
        "svg.fonttype": "none",
        "svg.hashsalt": "tiecore",
        "pdf.fonttype": 42,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.linewidth": 0.6,
        "xtick.major.width": 0.6,
        "ytick.major.width": 0.6,
    }
    with _LOCK, style.context(own, after_reset=True), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing", UserWarning)  # drawn as an empty box
        yield
