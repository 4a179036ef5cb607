"""Writes the page of formulas from what the page Method of the dashboard shows, so that both say the same.

`make docs` puts it into the documentation.
"""

from __future__ import annotations

from tiecore_dashboard import words
from tiecore_dashboard.pages.method import formulas, texts
from tiecore_dashboard.state.conventions import CONVENTIONS

__all__ = ["formulas_page"]


def formulas_page() -> str:
    """Return the page in Markdown."""
    parts = {
        "One formula for everything": _table(("what", "how"), texts.REFINEMENTS),
        "Formulas": f"{formulas.NOTATION.strip()}\n\n{_formulas()}",
        "Between features": _between(),
        "Conventions": _conventions(),
        "Tie-breaks and who uses them": _tie_breaks(),
        "Errata of the literature": "\n".join(f"* {erratum}" for erratum in texts.ERRATA),
        "References": "\n".join(f"1. {reference}" for reference in texts.REFERENCES),
    }
    return "# Formulas\n\n" + "\n\n".join(f"## {title}\n\n{text}" for title, text in parts.items()) + "\n"


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


def _math(tex: str) -> str:
    return f"```math\n{tex}\n```"


def _table(head: tuple[str, ...], rows: object) -> str:
    lines = [head, ["---"] * len(head), *rows]  # type: ignore[misc]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
