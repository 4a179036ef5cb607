"""Features × slices of the queries: value, place and place set, as a table in HTML."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from html import escape

import pandas as pd

from tiecore_dashboard import words
from tiecore_dashboard.charts.look import Look, blend, label

__all__ = ["slices_table"]

_HEAD = 56
_FOOT = 'style="position:sticky;bottom:0;z-index:2;background:var(--ground)"'
"""Of the last row, so that it is seen however far a long table is scrolled."""


def slices_table(
    boards: Mapping[str, pd.DataFrame],
    *,
    queries: Mapping[str, int],
    verdicts: Mapping[str, pd.Series | None],
    measure: str,
    look: Look,
    highlighted: Collection[str] = (),
) -> str:
    """Return a row a feature and a column a slice; a click on a title sorts by it, the first of each stands out.

    ``boards``: name of the slice to a frame: index feature; ``place``, ``expected``, ``low`` and ``high`` of the place
    set. The order of the first one is that of the rows. ``verdicts``: pair of the first and the second of each slice,
    where they were compared.
    """
    names = [str(name) for name in next(iter(boards.values())).index]
    heads = "".join(
        f'<th scope="col" class="number core" title="Value, place and 95 % place set over these queries.">'
        f'<button type=button>{label(title, 24)}<span class="small">'
        f"{words.plural(queries[title], 'query', 'queries')}</span></button></th>"
        for title in boards
    )
    rows_of = {title: board.to_dict("index") for title, board in boards.items()}
    rows = "".join(
        f'<tr data-feature="{escape(name)}"{_marked(name in highlighted)}>'
        f'<th scope="row" class="text core name" data-key="{escape(name)}">'
        f'<span title="{escape(name)}">{label(name, 34)}</span></th>'
        f"{''.join(_cell(rows[name]) for rows in rows_of.values())}</tr>"
        for name in names
    )
    foot = "".join(f'<td class="number core" {_FOOT}>{_verdict(verdicts.get(title))}</td>' for title in boards)
    height = 36 if len(names) <= 12 else 30 if len(names) <= 30 else 24
    colours = {
        "text": look.text, "muted": look.muted, "grid": look.grid, "ground": look.ground, "panel": look.panel,
        "good": look.good, "bad": look.bad, "accent": look.accent, "chosen": blend(look.accent, look.ground, 0.1),
    }  # fmt: skip
    style = "".join(f"--{name}:{colour};" for name, colour in colours.items())
    return (
        f'<div class="leaderboard columns-numbers" style="{style}--row:{height}px;--head:{_HEAD}px">'
        f'<table aria-label="{escape(measure)} in slices of the queries"><thead><tr>'
        f'<th scope="col" class="text core"><button type=button>Feature</button></th>{heads}</tr></thead>'
        f"<tbody>{rows}</tbody><tfoot><tr>"
        f'<th scope="row" class="text core small" {_FOOT}>first against second</th>{foot}</tr></tfoot></table></div>'
    )


def _marked(is_marked: bool) -> str:
    return ' class="marked" aria-selected="true"' if is_marked else ""


def _cell(row: Mapping[Hashable, float]) -> str:
    value, place, low, high = row["expected"], row["place"], row["low"], row["high"]
    span = words.NOTHING if low != low else f"{low:.0f}" if low == high else f"{low:.0f}–{high:.0f}"
    tint = ' style="background:var(--chosen)"' if place == 1 else ""
    key = "" if value != value else f"{value}"
    strong = "strong" if place == 1 else "span"
    return (
        f'<td class="number core" data-key="{key}"{tint}>{escape(words.number(value))} '
        f'<{strong} style="display:inline-block;min-width:1.7em">{place:.0f}</{strong}>'
        f'<span class="small set">{span}</span></td>'
    )


def _verdict(pair: pd.Series | None) -> str:
    if pair is None or not pair["verdict"]:
        return words.NOTHING
    verdict = pair["verdict"]
    hover = words.MEANINGS[verdict]
    if verdict != "equal":
        hover = f"{hover}; {words.p_is(pair['holm'])} (Holm); {words.risk(pair['tie_risk'])}"
    return (
        f'<span class="badge {verdict.replace(" ", "-")}" title="{escape(hover)}">'
        f"{words.VERDICTS[verdict]} {verdict}</span>"
    )
