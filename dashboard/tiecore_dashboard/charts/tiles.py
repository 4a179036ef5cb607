"""A ranked list as tiles in HTML: a tile a document, a band around the documents of a tie, a line at the cut-off."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from tiecore_dashboard import words
from tiecore_dashboard.charts.look import Look, blend
from tiecore_dashboard.charts.pieces import Entry, legend_in_html

_STYLE = (Path(__file__).parent / "assets" / "tiles.css").read_text(encoding="utf-8")


class Tile(NamedTuple):
    """A document of a ranked list."""

    grade: int | None
    """None where the document is not judged."""
    is_relevant: bool
    name: str = ""
    """What the tile says of itself besides rank and grade."""

    @property
    def kind(self) -> str:
        """Class in the style sheet, and entry of the legend."""
        return "unjudged" if self.grade is None else "relevant" if self.is_relevant else "other"


def shade(grade: int, highest: int, look: Look) -> tuple[str, str]:
    """Return the colour of a relevant document, the stronger the higher its grade, and that of its digits."""
    if grade >= highest:
        return look.accent, look.ground
    # just below the strongest neither light nor dark digits would be readable
    return blend(look.accent, look.ground, 0.05 + 0.5 * max(0, grade) / max(1, highest)), look.text


def tiles(
    groups: Sequence[Sequence[Tile]],
    *,
    look: Look,
    deciding: Collection[int],
    cut: int | None = None,
    highest: int | None = None,
) -> str:
    """Draw the tie groups of a list, best scores first.

    ``groups``: the documents of each in the order to show. ``deciding``: positions of those whose order changes the
    value. ``cut``: draw a line behind so many documents, and let those beyond it step back. ``highest``: grade that
    has the strongest colour, by default that before the cut.
    """
    every = [tile for group in groups for tile in group]
    grades = sorted({tile.grade for tile in every[:cut] if tile.is_relevant and tile.grade is not None})
    shades = {grade: shade(grade, highest or grades[-1], look) for grade in grades}
    rules = (f".tiles .g{one}:not(.beyond) {{ background: {of}; color: {ink}; }}" for one, (of, ink) in shades.items())
    band = blend(look.palette[1], look.ground, 0.3)
    style = f"{look.in_css};--band:{band};--band-line:{look.palette[1]}"
    parts, rank = [], 0
    for place, group in enumerate(groups):
        boxes = []
        first, last = rank + 1, rank + len(group)
        for tile in group:
            if rank == cut:
                boxes.append("<b></b>")
            boxes.append(_box(tile, first, last, is_beyond=cut is not None and rank >= cut))
            rank += 1
        if len(group) > 1:  # its ranks stay beside its first document
            decides = " decides" if place in deciding else ""
            boxes[0] = f'<span class="tie{decides}"><span>{first}\u2060–\u2060{last} {boxes[0]}</span>'
            boxes[-1] += "</span>"
        parts.append("".join(boxes))
    named, kinds = grades if len(grades) < 6 else [grades[0], grades[-1]], {tile.kind for tile in every}
    beyond = {tile.kind for tile in every[len(every) if cut is None else cut :]}
    ties = {place for place, group in enumerate(groups) if len(group) > 1}
    entries = [
        *(Entry(f"relevant, grade {one}", shades[one][0], outline=look.accent) for one in named),
        *[Entry("relevant, beyond the cut", look.ground, outline=look.accent)] * ("relevant" in beyond),
        *[Entry("not relevant", look.ground, outline=look.quiet)] * ("other" in kinds),
        *[Entry("– not judged", look.ground, outline=look.quiet)] * ("unjudged" in kinds),
        *[Entry(f"cut after {words.count(cut or 0)}", look.bad, "│")] * bool(beyond),
        *[Entry("tie: its order decides", band, outline=look.palette[1])] * bool(ties & {*deciding}),
        *[Entry("tie: its order changes nothing", look.panel, outline=look.grid)] * bool(ties - {*deciding}),
    ]
    signs = legend_in_html(entries)
    return f'<style>{_STYLE}{"".join(rules)}</style>{signs}<p class="tiles" style="{style}">{" ".join(parts)}</p>'


def _box(tile: Tile, first: int, last: int, *, is_beyond: bool) -> str:
    grade = "not judged" if tile.grade is None else f"grade {tile.grade}, {'' if tile.is_relevant else 'not '}relevant"
    rank = f"rank {first}" if first == last else f"ranks {first}–{last}"
    title = words.in_html(", ".join(filter(None, [tile.name, grade, rank])))
    text = words.NOTHING if tile.grade is None else tile.grade
    kind = f"relevant g{tile.grade}" if tile.is_relevant else tile.kind
    return f'<i class="{kind}{" beyond" if is_beyond else ""}" title="{title}">{text}</i>'
