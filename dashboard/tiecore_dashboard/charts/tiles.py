"""A ranked list as tiles in HTML: a tile a document, a band around the documents of a tie, a line at the cut-off."""

from collections.abc import Collection, Iterable, Sequence
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


def tiles(groups: Sequence[Sequence[Tile]], *, look: Look, deciding: Collection[int], cut: int | None = None) -> str:
    """Draw the tie groups of a list, best scores first.

    ``groups``: the documents of each in the order to show. ``deciding``: positions of those whose order changes the
    value. ``cut``: draw a line behind so many documents, and let those beyond it step back.
    """
    band = blend(look.palette[1], look.ground, 0.3)
    style = f"{look.in_css};--band:{band};--band-line:{look.palette[1]}"
    parts, rank = [], 0
    for place, group in enumerate(groups):
        boxes = []
        first, last = rank + 1, rank + len(group)
        for tile in group:
            if rank == cut:
                boxes.append(f"<b>cut after {words.count(rank)}</b>")
            boxes.append(_box(tile, first, last, is_beyond=cut is not None and rank >= cut))
            rank += 1
        if len(group) > 1:  # its ranks stay beside its first document
            decides = " decides" if place in deciding else ""
            boxes[0] = f'<span class="tie{decides}"><span>{first}\u2060–\u2060{last} {boxes[0]}</span>'
            boxes[-1] += "</span>"
        parts.append("".join(boxes))
    signs = legend_in_html(_entries(groups, deciding, band=band, look=look))
    return f'<style>{_STYLE}</style>{signs}<p class="tiles" style="{style}">{" ".join(parts)}</p>'


def _box(tile: Tile, first: int, last: int, *, is_beyond: bool) -> str:
    grade = "not judged" if tile.grade is None else f"grade {tile.grade}, {'' if tile.is_relevant else 'not '}relevant"
    rank = f"rank {first}" if first == last else f"ranks {first}–{last}"
    title = words.in_html(", ".join(filter(None, [tile.name, grade, rank])))
    text = words.NOTHING if tile.grade is None else tile.grade
    return f'<i class="{tile.kind}{" beyond" if is_beyond else ""}" title="{title}">{text}</i>'


def _entries(groups: Sequence[Sequence[Tile]], deciding: Collection[int], *, band: str, look: Look) -> Iterable[Entry]:
    kinds = {tile.kind for group in groups for tile in group}
    ties = {place for place, group in enumerate(groups) if len(group) > 1}
    for is_there, name, colour, outline in (
        ("relevant" in kinds, "relevant", look.accent, look.accent),
        ("other" in kinds, "not relevant", look.ground, look.quiet),
        ("unjudged" in kinds, "– not judged", look.ground, look.quiet),
        (ties & {*deciding}, "tie: its order decides", band, look.palette[1]),
        (ties - {*deciding}, "tie: its order changes nothing", look.panel, look.grid),
    ):
        if is_there:
            yield Entry(name, colour, outline=outline)
