"""Fills the parts of docs/method.md that the page Method of the dashboard shows as well, so that both say the same.

    .venv/bin/python -m tools.method_page

Each part stands between ``<!-- NAME -->`` and ``<!-- /NAME -->``; the rest of the page is written by hand. A test tells
when it has to be run again.
"""

from __future__ import annotations

import re
from pathlib import Path

from tiecore_dashboard import words
from tiecore_dashboard.pages.method import formulas, texts
from tiecore_dashboard.state.conventions import CONVENTIONS

__all__ = ["PAGE", "PARTS", "filled"]

PAGE = Path(__file__).parent.parent / "docs" / "method.md"


def _refinements() -> str:
    return _table(("what", "how"), texts.REFINEMENTS)


def _formulas() -> str:
    """Families whose first and last line are the same share them; then each family with what is its own."""
    shared: dict[tuple[str, str], list[str]] = {}
    for name, formula in formulas.FORMULAS.items():
        shared.setdefault((formula.lines[0], formula.lines[-1]), []).append(name)
    found = []
    for (first, last), names in shared.items():
        if len(names) > 1:
            found += ["### Sums of weights and gains: " + ", ".join(names), _math(first), _math(last)]
        for name in names:
            formula = formulas.FORMULAS[name]
            own = formula.lines[1:-1] if len(names) > 1 else formula.lines
            found += [f"#### {name}", _meaning(name), *map(_math, own), f"{formula.edges} *({formula.source})*"]
    return "\n\n".join(found)


def _meaning(name: str) -> str:
    text = words.MEASURES[name].removeprefix(f"{name}: ")
    return text[:1].upper() + text[1:]


def _between() -> str:
    return "\n\n".join(f"{_math(line)}\n\n{meaning}" for line, meaning in formulas.BETWEEN)


def _conventions() -> str:
    chosen = (
        (one.title, "; ".join(f"**{label}** {meaning}" for label, meaning in one.meanings.items()) + ".")
        for one in CONVENTIONS
    )
    return "\n".join(f"* **{name}.** {meaning}" for name, meaning in (*texts.RULES, *chosen))


def _tie_breaks() -> str:
    return _table(
        ("tie-break", "order of tied documents", "found in"),
        [
            (name if name.startswith("the ") else f"`{name}`", meaning, tools)
            for name, tools, meaning in texts.TIE_BREAKS
        ],
    )


def _errata() -> str:
    return "\n".join(f"* {erratum}" for erratum in texts.ERRATA)


def _references() -> str:
    return "\n".join(f"1. {reference}" for reference in texts.REFERENCES)


PARTS = {
    "refinements": _refinements,
    "notation": lambda: formulas.NOTATION.strip(),
    "formulas": _formulas,
    "between": _between,
    "conventions": _conventions,
    "tie-breaks": _tie_breaks,
    "errata": _errata,
    "references": _references,
}


def filled(page: str) -> str:
    """Fill every part of a page."""
    for name, part in PARTS.items():
        between = re.compile(rf"(<!-- {name} -->\n).*(<!-- /{name} -->)", re.DOTALL)
        if not between.search(page):
            raise ValueError(f"{PAGE.name} has no place for {name}: <!-- {name} --> and <!-- /{name} -->")
        text = f"\n{part()}\n\n"
        page = between.sub(lambda found, text=text: f"{found[1]}{text}{found[2]}", page)  # type: ignore[misc]
    return page


def _math(tex: str) -> str:
    return f"```math\n{tex}\n```"


def _table(head: tuple[str, ...], rows: object) -> str:
    lines = [head, ["---"] * len(head), *rows]  # type: ignore[misc]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> None:
    """Fill the page."""
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
