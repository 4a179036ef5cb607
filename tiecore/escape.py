"""Names from files, made fit to be shown: nothing in them steers a terminal or breaks a line."""

from __future__ import annotations

__all__ = ["visible"]

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
