"""Names from files, made fit to be shown: nothing in them steers a terminal or breaks a line."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

__all__ = ["shorten", "shorten_all", "visible"]

# Joiners are invisible but spell words of several scripts; all else that does not print is written as an escape.
_JOINERS = "\u200c\u200d"


def visible(text: str) -> str:
    r"""Write what does not print (escape sequences, line breaks, marks of direction) as Python spells it.

    >>> print(visible("a\x1b[31m\nb"))
    a\x1b[31m\nb
    """
    if text.isprintable():
        return text
    return "".join(
        sign if sign.isprintable() or sign in _JOINERS else sign.encode("unicode_escape").decode() for sign in text
    )


def shorten(text: str, width: int) -> str:
    """Leave out the middle of a text that is wider than so many cells.

    >>> shorten("query_url_clicks", 9)
    'quer…icks'
    """
    if cell_len(text) <= width:
        return text
    head, tail = _cut((width - 1) - (width - 1) // 2, text), _cut((width - 1) // 2, text[::-1])[::-1]
    return f"{head}…{tail}"


def shorten_all(texts: Sequence[str], width: int) -> list[str]:
    """Shorten texts to a width, or to the next one that leaves different texts different."""
    while True:
        short = [shorten(text, width) for text in texts]
        if len(set(short)) == len(set(texts)):
            return short
        width += 4


def _cut(width: int, text: str) -> str:
    """Longest beginning that is no wider."""
    kept = text[:width]  # no sign is narrower than one cell, but for marks that belong to the sign before
    while cell_len(kept) > width:
        kept = kept[:-1]
    return kept
