"""The leaderboard as a table in HTML: a row a feature, with its intervals and what each tie-break does to its place.

All that belongs to a feature stands in its row, so that it moves with it when the rows are sorted or filtered.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal

import pandas as pd

from tiecore.board import Board
from tiecore.board.board import GROUPS, thin_line
from tiecore.stability.sentences import called, heading_of, probability, unit_of_differences
from tiecore_dashboard import words
from tiecore_dashboard.charts.look import Look, label
from tiecore_dashboard.charts.pieces import padded, round_values

Preset = Literal["answer", "numbers", "other measures"]
PRESETS: tuple[Preset, ...] = ("answer", "numbers", "other measures")
"""Columns that belong together: what one wants to know first, numbers for a paper, and whether it holds elsewhere."""
MOST_BESIDE = (20, 5)
"""Features and tie-breaks up to which places under tie-breaks are columns of the table."""
_ROOMY, MOST_OPEN = 12, 50
"""Features up to which rows are high, and up to which the table does not scroll in a frame."""
_LONGEST, _BREAKS = 34, re.compile(r"[_./-]")
"""Characters of a name, and those after which a narrow screen may break it."""
NUMBERS = {
    "p": "p: of the paired t-test of the difference, adjusted by Holm for all pairs that are compared; intervals of "
    "differences are not adjusted.",
    "Places": "Places: those that are left open for each feature by itself.",
    "All places": "All places: those that are left open for all features at once.",
    "Letters": "Features that share a letter are not clearly different.",
    "SD": "SD, worst and best: of the value over all orders of tied documents.",
    "First": "First: share of the tie-breaks drawn under which the feature leads.",
}
"""What columns of numbers hold that their titles leave open."""
_SMALL = 0.01
"""Tie risks below it step back."""
_SEEN = 0.05
"""Part of the widest bar over queries from which on a bar of ties is seen beside the dot."""
_EDGE = 0.04
"""Part of an axis that stays without numbers at each end."""


@dataclass(frozen=True, slots=True)
class _Column:
    """A column: its title as HTML, what it means, its cells as HTML, and what they are sorted by."""

    title: str
    meaning: str
    cells: Sequence[str]
    keys: Sequence[object]
    kind: str = "number"
    """Classes in CSS."""
    small: str = ""
    """Second line of the title, as HTML."""

    @property
    def order(self) -> pd.Series:
        """What its cells are sorted by: of texts their places in the alphabet, 9 before 10."""
        keys = pd.Series([*self.keys])
        if not isinstance(self.keys[0], str):
            return keys
        return keys.str.casefold().str.replace(r"\d+", lambda found: found[0].zfill(9), regex=True).rank(method="dense")


def shows_places(board: Board) -> bool:
    """Return whether the places under tie-breaks stand in the rows of the table."""
    most_features, most_tie_breaks = MOST_BESIDE
    return bool(board.movers()) and len(board.rows) <= most_features and 0 < len(board.tie_breaks) <= most_tie_breaks


def leaderboard_table(
    board: Board,
    *,
    look: Look,
    preset: Preset = "answer",
    others: Mapping[str, Board] | None = None,
) -> str:
    """Return the leaderboard as HTML.

    ``others``: boards of other measures by their names, for the preset that compares them.
    """
    tables = [
        _table(
            board,
            _columns(board, preset, others),
            named=f"Leaderboard by {called(board.measure)}",
            is_ruled=preset != PRESETS[2],
        )
    ]
    if preset == "answer" and shows_places(board):  # seen where the screen has no room for them in the rows
        narrow = [_names(board), *_under_tie_breaks(board, kind="number")]
        tables.append(f"<h3>Places under each tie-break</h3>{_table(board, narrow)}")
    size = "roomy" if len(board.rows) <= _ROOMY else "middle" if len(board.rows) <= MOST_OPEN else "dense"
    return f'<div class="leaderboard {size} {preset.replace(" ", "-")}" style="{_style(look)}">{"".join(tables)}</div>'


def as_sorted(board: Board, by: str, *, preset: Preset, others: Mapping[str, Board] | None = None) -> Board:
    """Return a board with its rows as they stand where its table is sorted, which leaderboard.js does by itself.

    ``by``: name of a column, behind a hyphen where the first row is to have the highest value. One that this table does
    not have sorts nothing.
    """
    columns = _columns(board, preset, others) if by else []
    column = dict(zip(_titles(columns), columns, strict=True)).get(by.removeprefix("-"))
    if column is None:
        return board
    rows = column.order.sort_values(ascending=not by.startswith("-"), kind="stable").index
    return board.in_order([board.names[row] for row in rows])


def _columns(board: Board, preset: Preset, others: Mapping[str, Board] | None) -> list[_Column]:
    is_compared = len(board.rows) > 1
    columns = [*[_places(board)] * is_compared, _names(board)]
    if preset == "answer":
        return [*columns, _values(board), *[_behind(board)] * is_compared, *_tie_risk(board), *_under_tie_breaks(board)]
    if preset == "numbers":
        return columns + _numbers(board)
    return columns + [column for name, other in (others or {}).items() for column in _elsewhere(board, name, other)]


def _titles(columns: Iterable[_Column]) -> Iterator[str]:
    """Yield the titles of columns as texts; those that others before them have too are numbered."""
    seen: Counter[str] = Counter()
    for title in (words.plain(column.title) for column in columns):
        seen[title] += 1
        yield f"{title} ({seen[title]})" if seen[title] > 1 else title


def _style(look: Look) -> str:
    colours = {
        "text": look.text, "muted": look.muted, "grid": look.grid, "ground": look.ground, "panel": look.panel,
        "good": look.good, "bad": look.bad, "accent": look.accent, "range": look.range, "central": look.central,
        "rule": look.muted,
    }  # fmt: skip
    return "".join(f"--{name}:{colour};" for name, colour in colours.items())


def _table(board: Board, columns: Sequence[_Column], *, named: str = "", is_ruled: bool = True) -> str:
    heads = "".join(
        f'<th scope="col" class="{column.kind}" data-column="{escape(name)}">'
        f'<button type="button" title="{escape(column.meaning)}">{column.title}</button>{column.small}</th>'
        for name, column in zip(_titles(columns), columns, strict=True)
    )
    rows, ruled = [], set(board.new_groups if is_ruled else ())
    for number, (name, *cells) in enumerate(zip(board.names, *map(_cells, columns), strict=True)):
        kinds = ["marked"] * (name in board.highlighted) + ["ruled"] * (number in ruled)
        selected = ' aria-selected="true"' if name in board.highlighted else ""
        rows.append(f'<tr data-feature="{escape(name)}" class="{" ".join(kinds)}"{selected}>{"".join(cells)}</tr>')
    kind = f'aria-label="{escape(named)}"' if named else 'class="narrow"'
    return f"<table {kind}><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _cells(column: _Column) -> Iterator[str]:
    tag, scope = ("th", ' scope="row"') if column.kind.startswith("name") else ("td", "")
    for key, cell in zip(column.order.tolist(), column.cells, strict=True):
        yield f'<{tag}{scope} class="{column.kind}" data-key="{"" if key != key else key}">{cell}</{tag}>'


def _breakable(name: str) -> str:
    return _BREAKS.sub(r"\g<0><wbr/>", name)


def _meaning(board: Board, column: str) -> str:
    return f"{words.capitalised(board.columns[column])}."


def _names(board: Board) -> _Column:
    shown = [_breakable(label(name, _LONGEST, board.all_names)) for name in board.names]
    cells = [f'<span title="{escape(name)}">{text}</span>' for name, text in zip(board.names, shown, strict=True)]
    return _Column("Feature", "Click on a row to highlight the feature in every chart.", cells, board.names, "name")


def _places(board: Board) -> _Column:
    places = board.rows["place"].tolist()
    return _Column("#", _meaning(board, "place"), [str(place) for place in places], places, "number place")


def _values(board: Board) -> _Column:
    rows, said = board.rows, board.stability.words
    drawn = rows[["value", "low", "high", "tie_low", "tie_high"]]
    axis = _Axis(drawn, turned=not board.measure.higher_is_better)
    cells = []
    for value, low, high, *ties in drawn.itertuples(index=False, name=None):
        told = f", {said['level']} over {said['queries']} {words.number(low)} to {words.number(high)}"
        told *= not math.isnan(low)
        half = f'<span class="text half">± {words.number((high - low) / 2)}</span>' * bool(told)
        bars: dict[str, Sequence[float]] = {"range": (low, high)}
        if ties[0] < ties[1]:
            bars["ties"] = ties
            told += f", about 95 % of random tie-breaks {words.number(ties[0])} to {words.number(ties[1])}"
        cells.append(
            f'<span class="text">{escape(words.number(value))}</span>{half}'
            f"{_picture(axis, value, bars, told=f'{words.number(value)}{told}')}"
        )
    meaning = (
        f"{_meaning(board, 'value')} Bar: {said['level']} confidence interval over {said['queries']}, of each by "
        "itself; dark: about 95 % of random tie-breaks."
    )
    return _Column(
        label(heading_of(board.measure), 34),
        meaning,
        cells,
        rows["value"].tolist(),
        "bars value",
        f'<span class="small half">± {said["level"]}</span>{axis.ticks()}',
    )


def explained(board: Board, preset: Preset = "answer") -> Iterator[str]:
    """Yield what values and verdicts are, for those who are new here; HTML."""
    if board.stability.tie_orders is not None:
        yield "Documents with equal scores have no order of their own; values are averages over all orders.<br>"
    if preset == PRESETS[0]:
        yield from _drawn(board)
    elif preset == PRESETS[1]:
        titles = {column.title for column in _numbers(board)}
        yield from (text for title, text in NUMBERS.items() if title in titles)
    else:
        yield "Beside each place: ● clearly behind the best, ○ open, = equal, ≈ too small to matter."
    if preset != PRESETS[2] and board.new_groups and len(board.rows) > 2:
        yield GROUPS.replace("a line", "a thick line")


def _drawn(board: Board) -> Iterator[str]:
    """Yield what is drawn in the rows, and what verdicts and tie risks are."""
    said, spread = board.stability.words, (board.rows["tie_high"] - board.rows["tie_low"]).max()
    has_spread = spread > _SEEN * (board.rows["high"] - board.rows["low"]).max()
    dark = '<span class="wide">; dark: about 95 % of random tie-breaks</span>' if has_spread else ""
    dots = {"clear": "filled dots: clear", "open": "hollow dots: not clear"}
    told = "; ".join(text for verdict, text in dots.items() if (board.rows["verdict"] == verdict).any())
    if board.rows["low"].notna().any():  # else there are too few queries
        yield f"Bar: {said['level']} interval over {said['queries']}{dark}."
    yield f"Behind {label(board.reference, _LONGEST, board.all_names)}, {told}." * bool(told)
    if (text := thin_line(board.stability)) and len(board.rows) > 1:
        yield text
    if len(board.rows) > 2 and _tie_risk(board):  # of two it is said with their pair
        yield f"Tie risk: {escape(board.columns['tie_risk'].partition(';')[0])}."


def _behind(board: Board) -> _Column:
    rows, reference, said = board.rows, board.reference, board.stability.words
    level, queries = said["level"], said["queries"]
    axis = _Axis(rows[["behind", "behind_low", "behind_high", "holm_low", "holm_high"]].assign(zero=0.0))
    cells, is_thin = [], bool(thin_line(board.stability))
    for name, row in zip(board.names, rows.to_dict("records"), strict=True):
        verdict, low, high = row["verdict"], row["behind_low"], row["behind_high"]
        if name == reference or math.isnan(row["behind"]):
            nothing = "best" if name == reference else "no query in common"
            cells.append(f'<span class="text">{nothing}</span><span class="bar" aria-hidden="true">{axis.lines}</span>')
            continue
        told = [f"{words.number(row['behind'])} behind {reference}"]
        bars: dict[str, Sequence[float]] = {"range": (low, high)}
        if not math.isnan(low):
            told.append(f"{level} {words.number(low)} to {words.number(high)}")
            if is_thin:
                bars["thin"] = row["holm_low"], row["holm_high"]
                told.append("at Holm’s level {} to {}".format(*map(words.number, bars["thin"])))
            told.append(f"{probability(row['holm'])} (Holm)")
        told.append(f"{verdict}: {words.meanings(said)[verdict]}")
        title = escape("; ".join(told))
        cells.append(
            f'<span class="text">{escape(words.number(row["behind"]))}</span>'
            f"{_picture(axis, row['behind'], bars, told='; '.join(told), is_hollow=verdict != 'clear')}"
            f'<button type="button" class="verdict {verdict}" data-pair="{escape(name)}" '
            f'title="{title}. Open the pair.">{words.VERDICTS[verdict]} {verdict}</button>'
        )
    title = f"Behind {_breakable(label(reference, _LONGEST, board.all_names))}{unit_of_differences(board.measure)}"
    meaning = (
        f"{_meaning(board, 'behind')} Bar: its {level} confidence interval; left of the line this feature may be "
        f"ahead. Thin line: at the level at which Holm’s test stops. Filled: clear over the {queries}; hollow: not. "
        f"{GROUPS}"
    )
    keys = rows["behind"].tolist()
    return _Column(title, meaning, cells, keys, "bars behind", axis.ticks())


def _tie_risk(board: Board) -> list[_Column]:
    if not board.has_ties or len(board.rows) == 1 or board.stability.tie_orders is None:
        return []
    risks = board.rows["tie_risk"].tolist()
    shown = [words.unbroken(words.tie_risk(risk, board.stability.draws)) for risk in risks]
    cells = [
        ""
        if name == board.reference or risk != risk
        else f'<span class="still">{text}</span>'
        if risk < _SMALL
        else text
        for name, risk, text in zip(board.names, risks, shown, strict=True)
    ]
    meaning = f"{_meaning(board, 'tie_risk')} Beside the verdict, never part of it."
    small = _small(f"against {label(board.reference, 16, board.all_names)}")
    return [_Column("Tie risk", meaning, cells, risks, "number risk", small)]


def _under_tie_breaks(board: Board, *, kind: str = "number wide") -> list[_Column]:
    if not shows_places(board):
        return []
    columns = []
    for number, name in enumerate(board.tie_breaks):
        under = board.under(name)
        cells = [
            f'<span title="{escape(words.number(value))}">{_moved(int(shift))}{place}</span>'
            for value, place, shift in under.itertuples(index=False, name=None)
        ]
        meaning = (
            f"{words.of_tie_break(name)} Place under it; ▲ gained, ▼ lost against the expectation. Values: numbers."
        )
        first = " first" if number == 0 else ""
        title = escape(words.known_as(name)).replace("(ids ", "(ids\u00a0")
        columns.append(_Column(title, meaning, cells, under["place"].tolist(), f"{kind} tie-break{first}"))
    return columns


def _moved(shift: int) -> str:
    if not shift:
        return ""
    sign, kind, verb = ("▲", "up", "gained") if shift > 0 else ("▼", "down", "lost")
    return f'<span class="{kind}" aria-label="{words.plural(abs(shift), "place")} {verb}">{sign}{abs(shift)}</span> '


def _numbers(board: Board) -> list[_Column]:
    """Columns of numbers for a paper."""
    rows, level = board.rows, board.stability.words["level"]

    def one(name: str, title: str, *, small: str = "", meaning: str = "", p: bool = False) -> _Column:
        values = rows[name].tolist()
        cells = [escape((words.p_value if p else words.number)(value)) for value in values]
        return _Column(title, meaning or _meaning(board, name), cells, values, small=_small(small))

    def ends(low: str, high: str, title: str, small: str, *, whole: bool = False) -> _Column:
        both = rows[[low, high]].itertuples(index=False, name=None)
        shown = [
            words.place_set(start, end) if whole else words.NOTHING if math.isnan(start)
            else f"{words.number(start)}\u00a0to {words.number(end)}"  # a report breaks it here
            for start, end in both
        ]  # fmt: skip
        return _Column(
            title, _meaning(board, low), [escape(text) for text in shown], rows[low].tolist(), small=_small(small)
        )

    letters = [str(one) for one in rows.get("letters", ())]
    draws = board.stability.draws
    shares = [escape(words.share(one) if one or not draws else f"<{words.share(1 / draws)}") for one in rows["first"]]
    drawn = " ".join([_meaning(board, "first"), *board.stability.notes[: draws > 0]])
    ties = [
        one("sd", "SD", small="of ties"),
        ends("tie_low", "tie_high", "About 95 %", "of random tie-breaks"),
        one("worst", "Worst"),
        one("best", "Best"),
        _Column("First", drawn, shares, rows["first"].tolist(), small=_small("of tie-breaks drawn")),
    ]
    compared = [
        one(
            "behind",
            f"Behind{unit_of_differences(board.measure)}",
            small=escape(label(board.reference, 14, board.all_names)),
        ),
        ends("behind_low", "behind_high", level, "of the difference"),
        one("holm", "p", small="Holm", p=True),
        ends("place_low", "place_high", "Places", f"{level} set", whole=True),
        ends("all_low", "all_high", "All places", f"{level} together", whole=True),
        *([_Column("Letters", _meaning(board, "letters"), letters, letters, "text")] if "letters" in rows else []),
    ]
    if len(rows) == 1:  # compared with none
        compared, ties = [], ties[:-1]
    elif board.stability.n_tests == 1:  # nothing is adjusted or grouped
        compared = [*compared[:2], one("holm", "p (t-test)", p=True)]
    return [
        one("value", label(called(board.measure), 30)),
        ends("low", "high", level, f"over {board.stability.words['queries']}"),
        *(one(name, label(words.known_as(name), 22), meaning=words.of_tie_break(name)) for name in board.tie_breaks),
        *compared,
        *(ties if board.stability.tie_orders is not None else ()),
    ]


def _small(text: str) -> str:
    return f'<span class="small">{text}</span>' if text else ""


def _elsewhere(board: Board, name: str, other: Board) -> list[_Column]:
    """Value, place and verdict under another measure, in the rows of this board."""
    other, meanings, cells = other.like(board), words.meanings(other.stability.words), []
    rows = other.rows
    for place, verdict in zip(rows["place"], rows["verdict"], strict=True):
        hover = f"{verdict} against {other.reference}: {meanings[verdict]}" if verdict else "the best"
        mark = words.VERDICTS[verdict] if verdict else "best"
        cells.append(f'{place}&nbsp;<span title="{escape(hover)}" aria-label="{escape(hover)}">{mark}</span>')
    value = _Column(label(name, 18), _meaning(board, "value"), [escape(words.number(one)) for one in rows["value"]],
                    rows["value"].tolist(), "number first")  # fmt: skip
    meaning = f"Place by {name}; ● clearly behind the best, ○ open."
    return [value, _Column("#", meaning, cells, rows["place"].tolist())]


def _picture(
    axis: _Axis, value: float, bars: Mapping[str, Sequence[float]], *, told: str, is_hollow: bool = False
) -> str:
    """Bars of several kinds on an axis, one over the other, and a dot."""
    drawn = "".join(axis.bar(*ends, kind=kind) for kind, ends in bars.items())
    dot = f'<i class="dot{" hollow" if is_hollow else ""}" style="left:{axis.at(value):.2f}%"></i>'
    return f'<span class="bar" role="img" aria-label="{escape(told)}">{drawn}{axis.lines}{dot}</span>'


class _Axis:
    """Scale of the bars of a column: values to percent of their cell."""

    def __init__(self, values: pd.DataFrame, *, turned: bool = False) -> None:
        self._low, self._high = padded(values.to_numpy(dtype=float))
        self._turned = turned
        self.lines = f'<i class="zero" style="left:{self.at(0.0):.2f}%"></i>' if "zero" in values else ""

    def at(self, value: float) -> float:
        """Percent from the left."""
        share = 100 * (value - self._low) / (self._high - self._low)
        return 100 - share if self._turned else share

    def bar(self, one: float, other: float, *, kind: str) -> str:
        """Bar between two values; nothing where they are not known."""
        if math.isnan(one) or math.isnan(other):
            return ""
        left, right = sorted((self.at(one), self.at(other)))
        return f'<i class="{kind}" style="left:{left:.2f}%;width:{right - left:.2f}%"></i>'

    def ticks(self) -> str:
        """Round values above the bars."""
        edge = _EDGE * (self._high - self._low)  # the next column would hide what reaches over the end
        shown, digits = round_values(self._low + edge, self._high - edge, 4)
        texts = (
            f'<i class="tick" style="left:{self.at(value):.2f}%">{f"{value:,.{digits}f}".replace("-", "−")}</i>'
            for value in shown
        )
        return f'<span class="axis" aria-hidden="true">{"".join(texts)}</span>'
