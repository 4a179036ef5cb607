"""Texts of a figure: what plotly's markup says, how wide a text is, and where a long one is broken."""

from __future__ import annotations

import html
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from matplotlib.font_manager import FontProperties, fontManager
from matplotlib.textpath import text_to_path

__all__ = ["LINE", "Words", "families", "height_of", "read_markup", "width_of", "wrapped"]

Breaks = Literal["anywhere", "at joints"]
LINE = 1.25
"""Height of a line in sizes of its letters."""
_OTHER_SCRIPTS = (
    "Noto Sans CJK JP", "Noto Sans CJK SC", "Noto Sans CJK KR", "Source Han Sans", "WenQuanYi Zen Hei", "Hiragino Sans",
    "PingFang SC", "Yu Gothic", "Microsoft YaHei", "Malgun Gothic", "Noto Sans Devanagari", "Noto Sans Thai",
    "Noto Emoji", "Arial Unicode MS",
)  # fmt: skip
_TAG = re.compile(r"<(/?)(b|i|span|br)(?:\s+style=\"color:([^\"]+)\")?\s*/?>")
_JOINT = re.compile(r"[^ :_./+=,@-]*[ :_./+=,@-]+|[^ :_./+=,@-]+")


@dataclass(frozen=True, slots=True)
class Words:
    """A text without its markup."""

    lines: tuple[str, ...]
    colour: str | None = None
    is_italic: bool = False

    @property
    def text(self) -> str:
        """All lines."""
        return "\n".join(self.lines)

    def broken(self, room: float, size: float, *, breaks: Breaks = "anywhere") -> Words:
        """Return the same words in lines that are no wider than the room, in points, if they may be broken so."""
        lines = tuple(part for line in self.lines for part in wrapped(line, room, size, breaks=breaks))
        return Words(lines, self.colour, self.is_italic)


def read_markup(text: object) -> Words:
    """Return what the little HTML says that plotly understands and the charts use: lines, a colour, italic.

    >>> read_markup('<span style="color:#666666">a &lt; b</span><br><i>c</i>')
    Words(lines=('a < b', 'c'), colour='#666666', is_italic=True)
    """
    text = "" if text is None else str(text)
    found = {match[2]: match for match in _TAG.finditer(text)}
    colours = [match[3] for match in _TAG.finditer(text) if match[3]]
    lines = re.split(r"<br\s*/?>", text)
    plain = tuple(html.unescape(_TAG.sub("", line)).replace("\u2060", "") for line in lines)
    # a colour that only a sign at the beginning has is not that of the text
    whole = colours[0] if colours and re.fullmatch(r"<span[^>]*>[^<]*</span>(<br.*)?", text) else None
    return Words(plain, whole, "i" in found)


@lru_cache(maxsize=1)
def families() -> tuple[str, ...]:
    """Return the fonts to look for signs in: the one that comes with matplotlib, then those of other scripts here."""
    known = {font.name for font in fontManager.ttflist}
    return ("DejaVu Sans", *(name for name in _OTHER_SCRIPTS if name in known))


@lru_cache(maxsize=1)
def _font() -> FontProperties:
    return FontProperties(family=list(families()), size=100)


@lru_cache(maxsize=4096)
def width_of(text: str, size: float) -> float:
    """Return how many points wide a line is."""
    if not text:
        return 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of signs that no font here has: they are as wide as an empty box
        width, _, _ = text_to_path.get_text_width_height_descent(text, _font(), ismath=False)
    return float(width) * size / 100


def height_of(lines: int, size: float) -> float:
    """Return how many points high some lines are."""
    return lines * LINE * size


def wrapped(text: str, room: float, size: float, *, breaks: Breaks = "anywhere") -> Sequence[str]:
    """Break a line where it is wider than the room: behind a joint of a name if there is one, else anywhere.

    >>> wrapped("query_url_clicks", 45, 8)
    ['query_url_', 'clicks']
    """
    lines = [""]
    for piece in _JOINT.findall(text):
        for part in _cut(piece, room, size) if breaks == "anywhere" else (piece,):
            if lines[-1] and width_of((lines[-1] + part).rstrip(), size) > room:
                lines.append("")
            lines[-1] += part
    return [line.rstrip() or line for line in lines]


def _cut(piece: str, room: float, size: float) -> list[str]:
    """Cut a piece without a joint into as many as its width needs."""
    parts = []
    while len(piece) > 1 and width_of(piece.rstrip(), size) > room:
        n_fitting = next((n for n in range(len(piece) - 1, 1, -1) if width_of(piece[:n], size) <= room), 1)
        parts.append(piece[:n_fitting])
        piece = piece[n_fitting:]
    return [*parts, piece]
