"""The texts of the page Method: sections of formulas.md, which the documentation shows as well."""

import re
from functools import cache
from pathlib import Path

_HEADING = re.compile(r"^(#{2,4}) (.+)\n", re.MULTILINE)
_MATH = re.compile(r"```math\n(.*?)\n```", re.DOTALL)
_LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)[^)]*\)")
"""Links between the files of the documentation, which lead nowhere from a page of the dashboard."""
GAP = r", \qquad "
"""Between the parts of a line of TeX."""


@cache
def sections() -> dict[str, str]:
    """Return the text under each heading, up to the next one."""
    page = Path(__file__).with_name("formulas.md").read_text(encoding="utf-8")
    _, *found = _HEADING.split(_LINK.sub(r"\1", page))
    return {title: text.strip() for title, text in zip(found[1::3], found[2::3], strict=True)}


def meaning(family: str) -> str:
    """What a family of measures tells, in a sentence; nothing for one without a text."""
    return " ".join(sections().get(family, "").partition("\n\n")[0].split())


def formula(family: str) -> str:
    """How a family of measures is computed: what it shares with others, and what is its own."""
    # a heading names the families that share its text behind a colon
    shared = (text for title, text in sections().items() if family in title.partition(": ")[2].split(", "))
    first, _, own = sections()[family].partition("\n\n")
    return "\n\n".join(filter(None, [first, *shared, own]))


def pieces(text: str) -> list[tuple[str, list[str]]]:
    """Split a text at its formulas: pairs of Markdown and the parts of the line of TeX behind it, none at the end."""
    found = [*_MATH.split(text), ""]
    return [
        (words.strip(), [part for part in tex.split(GAP) if part])
        for words, tex in zip(found[::2], found[1::2], strict=True)
    ]
