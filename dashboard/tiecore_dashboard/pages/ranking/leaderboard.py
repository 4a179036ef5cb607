"""The leaderboard as a table in HTML: a row a feature, with its intervals and what each tie-break does to its place.

All that belongs to a feature stands in its row, so that it moves with it when the rows are sorted or filtered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape

from tiecore.board import Board
from tiecore.board.board import GROUPS, deciding_line
from tiecore.stability.sentences import called
from tiecore.stability.verdicts import signs_of
from tiecore_dashboard.charts.look import Look, label
from tiecore_dashboard.pages.ranking.columns import LONGEST, NOTES, PRESETS, Column, columns_of, shows_places

_ROOMY, MOST_OPEN = 12, 50
"""Features up to which rows are high, and up to which the table does not scroll in a frame."""


@dataclass(frozen=True)
class Leaderboard:
    """A board with the columns in which it is shown."""

    board: Board
    preset: str = "answer"
    others: Mapping[str, Board] | None = None
    """Boards of other measures by their names, for the preset that compares them."""

    @cached_property
    def columns(self) -> list[Column]:
        """Columns in their order."""
        return columns_of(self.board, self.preset, self.others)

    def in_html(self, look: Look) -> str:
        """Return the table, and one of places under tie-breaks for screens on which its rows have no room for them."""
        board, named = self.board, f"Leaderboard by {called(self.board.measure)}"
        tables = [_table(board, self.columns, named=named, is_ruled=self.preset != PRESETS[2] and len(board.rows) > 2)]
        if self.preset == "answer" and shows_places(board):
            narrow = [one for one in self.columns if one.name in ("place", "feature") or "tie-break" in one.kind]
            tables.append(f"<h3>Places under each tie-break</h3>{_table(board, narrow)}")
        size = "middle" if _ROOMY < len(board.rows) <= MOST_OPEN else "dense" * (len(board.rows) > MOST_OPEN)
        kind = f"{size} {self.preset.replace(' ', '-')}"
        return f'<div class="leaderboard {kind}" style="{look.in_css}">{"".join(tables)}</div>'

    def sorted_by(self, order: str) -> Leaderboard:
        """Return it with its rows as they stand where the table is sorted, which leaderboard.js does by itself.

        ``order``: name of a column, behind a hyphen where the first row is to have the highest value. One that is not
        there sorts nothing.
        """
        column = next((one for one in self.columns if one.name == order.removeprefix("-")), None)
        if column is None:
            return self
        rows = column.order.sort_values(ascending=not order.startswith("-"), kind="stable").index
        return replace(self, board=self.board.in_order([self.board.names[row] for row in rows]))

    def notes(self, *more: str) -> str:
        """Return what values and verdicts are, for those who are new here, and ``more``; HTML, a line each."""
        return "".join(f"<div>{one}</div>" for one in (*self._notes(), *more) if one)

    def _notes(self) -> Iterator[str]:
        if self.board.stability.tie_orders is not None and self.board.measure.averages_orderings:
            yield "Values are averages over all orders of tied documents, whose scores are equal."
        if self.preset == "answer":
            yield from self._drawn()
        elif self.preset == "numbers":
            yield from (NOTES[one.name] for one in self.columns if one.name in NOTES)
        else:
            others = [other.like(self.board) for other in (self.others or {}).values()]
            signs = signs_of(verdict for other in others for verdict in other.rows["verdict"])
            yield f"Beside each place, compared with the best: {signs}." * bool(signs)
        if self.preset != PRESETS[2] and self.board.new_groups and len(self.board.rows) > 2:
            yield GROUPS.replace("Line", "━━ Thick line")
        yield self.board.arrangement

    def _drawn(self) -> Iterator[str]:
        board, rows, said = self.board, self.board.rows, self.board.stability.words
        spread, width = ((rows[f"{of}high"] - rows[f"{of}low"]).max() for of in ("tie_", ""))
        if width > 0:  # else there are too few queries
            yield f'<i class="range">▅▅</i> Bar: {said["level"]} interval over {said["queries"]}.'
        if spread > 0 and not spread <= 0.05 * width:  # else the dot hides all bars of ties
            bar = "Thin bar" if width > 0 else "Bars"
            yield f'<span class="wide"><i class="ties">▬▬</i> {bar}: about 95 % of random tie-breaks.</span>'
        behind = f"Behind {label(board.reference, LONGEST, board.all_names)}"
        yield f"{behind}: {signs_of(rows['verdict'])}." * (len(rows) > 1)
        if text := deciding_line(board.stability) * bool({*rows["verdict"]} - {"", "equal"}):
            yield f"├─┤ {text}"
        if any(one.name == "tie_risk" for one in self.columns):
            yield f"Tie risk: {escape(board.columns['tie_risk'])}."


def _table(board: Board, columns: Sequence[Column], *, named: str = "", is_ruled: bool = True) -> str:
    heads = "".join(
        f'<th scope="col" class="{one.kind}" data-column="{escape(one.name)}" data-falls="{int(one.falls)}">'
        f'<button type="button" title="{escape(one.meaning)}">{one.title}</button>{one.small}</th>'
        for one in columns
    )
    rows, ruled = [], set(board.new_groups if is_ruled else ())
    for number, (name, *cells) in enumerate(zip(board.names, *map(_cells, columns), strict=True)):
        kinds = ["marked"] * (name in board.highlighted) + ["ruled"] * (number in ruled)
        selected = ' aria-selected="true"' if name in board.highlighted else ""
        rows.append(f'<tr data-feature="{escape(name)}" class="{" ".join(kinds)}"{selected}>{"".join(cells)}</tr>')
    kind = f'aria-label="{escape(named)}"' if named else 'class="narrow"'
    return f"<table {kind}><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _cells(column: Column) -> Iterator[str]:
    tag, scope = ("th", ' scope="row"') if column.kind.startswith("name") else ("td", "")
    for key, cell in zip(column.order.tolist(), column.cells, strict=True):
        yield f'<{tag}{scope} class="{column.kind}" data-key="{"" if key != key else key}">{cell}</{tag}>'
