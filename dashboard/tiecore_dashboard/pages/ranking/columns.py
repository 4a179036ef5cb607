"""What stands in the columns of the leaderboard: values and intervals, verdicts, places under tie-breaks, numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape

import pandas as pd

from tiecore.board import Board
from tiecore.board.board import GROUPS, deciding_line
from tiecore.board.sentences import in_column
from tiecore.stability.sentences import called, heading_of, probability, unit_of_differences
from tiecore_dashboard import words
from tiecore_dashboard.charts.look import label
from tiecore_dashboard.charts.pieces import padded, round_values

PRESETS = ("answer", "numbers", "other measures")
"""Columns that belong together: what one wants to know first, numbers for a paper, and whether it holds elsewhere."""
MOST_BESIDE, _MOST_TIE_BREAKS = 20, 5
"""Features and tie-breaks up to which places under tie-breaks are columns of the table."""
LONGEST, _BREAKS = 34, re.compile(r"(?<=[_./…-])|(?<=[a-z])(?=[A-Z])")
"""Characters of a name, and where a narrow screen may break it."""
_P = "p: of the paired t-test of the difference"
_LARGER = "The standard error allows for rare cases that were not seen."
NOTES = {
    "p": f"{_P}. {_LARGER}",
    "holm": f"{_P}, adjusted by Holm for all pairs that are compared; intervals of differences are not. {_LARGER}",
    "place_low": "Places: those left open for each feature by itself, adjusted for its own pairs only; verdicts are "
    "adjusted for all pairs, and so may leave more open.",
    "all_low": "All places: those left open for all features at once, in line with the verdicts.",
    "letters": "Features that share a letter are not clearly different.",
    "worst": "Worst and best: of the value over all orders of tied documents.",
    "first": "First: share of the tie-breaks drawn under which the feature leads; a shared lead counts for each.",
}
"""What the titles of columns leave open, by their names."""
_SMALL = 0.01
"""Tie risks below it step back."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column: what it holds, its title as HTML, what it means, its cells as HTML, and what they are sorted by."""

    name: str
    title: str
    meaning: str
    cells: Sequence[str]
    keys: Iterable[object]
    kind: str = "number"
    """Classes in CSS."""
    small: str = ""
    """Second line of the title, as HTML."""
    falls: bool = False
    """Whether the highest is the best, and so comes first where it is sorted by."""

    @property
    def order(self) -> pd.Series:
        """What its cells are sorted by: of texts their places in the alphabet, 9 before 10."""
        keys = pd.Series([*self.keys])
        if not isinstance(keys[0], str):
            return keys
        return keys.str.casefold().str.replace(r"\d+", lambda found: found[0].zfill(9), regex=True).rank(method="dense")


def shows_places(board: Board) -> bool:
    """Return whether the places under tie-breaks stand in the rows of the table."""
    return bool(board.movers) and len(board.rows) <= MOST_BESIDE and len(board.tie_breaks) <= _MOST_TIE_BREAKS


def columns_of(board: Board, preset: str, others: Mapping[str, Board] | None) -> list[Column]:
    """Return the columns of a preset; ``others``: boards of other measures by their names, for what compares them."""
    is_compared = len(board.rows) > 1
    columns = [*[_places(board)] * is_compared, _names(board)]
    if preset == "answer":
        return [*columns, _values(board), *[_behind(board)] * is_compared, *_tie_risk(board), *_under_tie_breaks(board)]
    if preset == "numbers":
        return columns + [column for column in _numbers(board) if {*column.cells} - {words.NOTHING}]
    return columns + [column for name, other in (others or {}).items() for column in _elsewhere(board, name, other)]


def _breakable(name: str) -> str:
    """Mark where a name may break: between its parts.

    >>> _breakable("naiveBdecompose.1")
    'naive<wbr/>Bdecompose.<wbr/>1'
    """
    return _BREAKS.sub("<wbr/>", name)


def _meaning(board: Board, column: str) -> str:
    return words.of_tie_break(column) if column in board.tie_breaks else f"{words.capitalised(board.columns[column])}."


def _names(board: Board) -> Column:
    meaning = "Click on a row to highlight the feature in every chart."
    shown = [_breakable(label(name, LONGEST, board.all_names)) for name in board.names]
    cells = [f'<span title="{escape(name)}">{text}</span>' for name, text in zip(board.names, shown, strict=True)]
    return Column("feature", "Feature", meaning, cells, board.names, "name")


def _places(board: Board) -> Column:
    places = board.rows["place"]
    return Column("place", "#", _meaning(board, "place"), [*map(str, places)], places, "number place")


def _values(board: Board) -> Column:
    rows, said = board.rows, board.stability.words
    drawn = rows[["value", "low", "high", "tie_low", "tie_high"]]
    axis = _Axis(drawn, turned=not board.measure.higher_is_better)
    cells, size = [], rows["value"].abs().max()
    for value, low, high, *ties in drawn.itertuples(index=False, name=None):
        ends, short = f"{words.number(low, size)} to {words.number(high, size)}", f"{low:.3g}–{high:.3g}"
        told = f", {said['level']} over {said['queries']} {ends}" * (not math.isnan(low))
        around = f"± {words.number(high - value, size)}" if abs(low + high - 2 * value) < words.SAME else short
        half = f'<span class="text half">{around}</span>' * bool(told)  # no ± where the range of the measure ends it
        if ties[0] < ties[1]:
            told += f", about 95 % of random tie-breaks {words.number(ties[0])} to {words.number(ties[1])}"
        picture = axis.picture(value, {"range": (low, high), "ties": ties}, told=f"{words.number(value)}{told}")
        cells.append(f'<span class="text">{words.number(value, size)}</span>{half}{picture}')
    meaning = (
        f"{_meaning(board, 'value')} Bar: {said['level']} confidence interval over {said['queries']}, of each by "
        "itself; thin bar: about 95 % of random tie-breaks."
    )
    title, falls = label(heading_of(board.measure), 34), board.measure.higher_is_better
    small = f'<span class="small half">± {said["level"]}</span>{axis.ticks()}'
    return Column("value", title, meaning, cells, rows["value"], "bars value", small, falls)


def _behind(board: Board) -> Column:
    rows, reference, said = board.rows, board.reference, board.stability.words
    level, queries = said["level"], said["queries"]
    drawn = rows[["behind", "behind_low", "behind_high", "holm_low", "holm_high"]].assign(zero=0.0)
    if drawn["behind_low"].isna().all():  # a difference that ties alone could make must not look large
        drawn["ties"] = (rows["tie_high"] - rows["tie_low"]).max()
    axis = _Axis(drawn)
    cells, has_line = [], bool(deciding_line(board.stability))
    for name, row, behind in zip(board.names, rows.to_dict("records"), in_column(rows["behind"]), strict=True):
        verdict, low, high = row["verdict"], row["behind_low"], row["behind_high"]
        if name == reference or math.isnan(row["behind"]):
            nothing = "best" if name == reference else "no query in common"
            cells.append(f'<span class="text">{nothing}</span><span class="bar" aria-hidden="true">{axis.lines}</span>')
            continue
        told = [f"{words.number(row['behind'])} behind {reference}"]
        bars: dict[str, Sequence[float]] = {"range": (low, high)}
        if not math.isnan(low):
            told.append(f"{level} {words.number(low)} to {words.number(high)}")
            if has_line:
                bars[f"line {verdict}"] = line = row["holm_low"], row["holm_high"]
                told.append("at Holm’s level {} to {}".format(*map(words.number, line)))
            told.append(f"{probability(row['holm'])}{' (Holm)' * (board.stability.n_tests > 1)}")
        told.append(f"{verdict}: {words.meanings(said)[verdict]}")
        text, dot = "; ".join(told), "dot" if verdict == "clear" else "dot hollow"
        cells.append(
            f'<span class="text">{behind}</span>'
            f"{axis.picture(row['behind'], bars, told=text, dot=dot)}"
            f'<button type="button" class="verdict {verdict}" data-pair="{escape(name)}" '
            f'title="{escape(text)}. Open the pair.">{words.VERDICTS[verdict]} {verdict}</button>'
        )
    named = f" {label(reference, LONGEST, board.all_names)}{unit_of_differences(board.measure)}"
    title = f'Behind<i class="whole">{_breakable(named)}</i>'
    meaning = (
        f"{_meaning(board, 'behind')} Bar: its {level} confidence interval; left of the line this feature may be "
        f"ahead. Line: the interval at the level at which Holm’s procedure stops; clear only where it excludes 0. "
        f"Filled: clear over the {queries}; hollow: not. {GROUPS}"
    )
    return Column("behind", title, meaning, cells, rows["behind"], "bars behind", axis.ticks(f"Behind{named}"))


def _tie_risk(board: Board) -> list[Column]:
    risks, cells = board.rows["tie_risk"], []
    if not board.has_ties or risks.isna().all() or board.stability.tie_orders is None:
        return []
    for risk in risks:
        text = "" if risk != risk else words.unbroken(words.tie_risk(risk, board.stability.draws))
        cells.append(f'<span class="still">{text}</span>' if risk < _SMALL else text)
    meaning = f"{_meaning(board, 'tie_risk')} Against {board.reference}; beside the verdict, never part of it."
    return [Column("tie_risk", "Tie risk", meaning, cells, risks, "number risk")]


def _under_tie_breaks(board: Board) -> list[Column]:
    if not shows_places(board):
        return []
    columns: list[Column] = []
    for name in board.tie_breaks:
        under = board.under(name)
        cells = [
            f'<span title="{escape(words.number(value))}">{_moved(int(shift))}{place}</span>'
            for value, place, shift in under.itertuples(index=False, name=None)
        ]
        meaning = f"{_meaning(board, name)} Place under it; ▲ gained, ▼ lost. Its values stand under “numbers”."
        title = escape(words.known_as(name)).replace("(ids ", "(ids\u00a0")
        kind = "number wide tie-break" + " first" * (not columns)
        columns.append(Column(f"{name} place", title, meaning, cells, under["place"], kind))
    return columns


def _moved(shift: int) -> str:
    if not shift:
        return ""
    sign, kind, verb = ("▲", "up", "gained") if shift > 0 else ("▼", "down", "lost")
    return f'<span class="{kind}" aria-label="{words.plural(abs(shift), "place")} {verb}">{sign}{abs(shift)}</span> '


def _numbers(board: Board) -> list[Column]:
    """Columns of numbers for a paper."""
    rows, level, draws = board.rows, board.stability.words["level"], board.stability.draws
    values = {"value", "worst", "best", *board.tie_breaks} if board.measure.higher_is_better else set()

    def one(name: str, title: str, small: str = "") -> Column:
        known = rows[name].mask(rows.index == board.reference) if name == "behind" else rows[name]
        written = map(words.p_value, known) if name == "holm" else in_column(known)
        cells, meaning = [*map(escape, written)], _meaning(board, name)
        return Column(name, title, meaning, cells, rows[name], small=_small(small), falls=name in values)

    def ends(low: str, high: str, title: str, small: str, *, whole: bool = False) -> Column:
        both, size = rows[[low, high]].itertuples(index=False, name=None), rows[[low, high]].abs().max().max()
        shown = [
            (f"{start}–{end}" if start < end else str(start)) if whole else words.NOTHING if math.isnan(start)
            else f"{words.number(start, size)}\u00a0to {words.number(end, size)}"  # a report breaks it here
            for start, end in both
        ]  # fmt: skip
        return Column(low, title, _meaning(board, low), [*map(escape, shown)], rows[low], small=_small(small))

    is_open = board.stability.places["best_place"].reindex(rows.index) == 1
    shares = [
        escape(f"<{words.percent(1 / draws)}" if may_lead and not one and draws else words.percent(one))
        for one, may_lead in zip(rows["first"], is_open, strict=True)
    ]
    drawn = " ".join([_meaning(board, "first"), *board.stability.notes[: draws > 0]])
    ties = [
        one("sd", "SD", "of ties"),
        one("worst", "Worst"),
        one("best", "Best"),
        Column("first", "First", drawn, shares, rows["first"], small=_small("of draws"), falls=True),
    ]
    small = escape(label(board.reference, 14, board.all_names))
    compared = [
        one("behind", f"Behind{unit_of_differences(board.measure)}", small),
        ends("behind_low", "behind_high", level, "of the difference"),
        one("holm", "p", "Holm"),
        ends("place_low", "place_high", "Places", f"{level} set", whole=True),
        ends("all_low", "all_high", "All places", f"{level} together", whole=True),
    ]
    if "letters" in rows:
        letters = rows["letters"].tolist()
        compared.append(Column("letters", "Letters", _meaning(board, "letters"), letters, letters, "text"))
    if len(rows) == 1:  # compared with none
        compared, ties = [], ties[:-1]
    elif board.stability.n_tests == 1:  # nothing is adjusted or grouped
        compared = [*compared[:2], replace(one("holm", "p"), name="p", meaning=NOTES["p"])]
    return [
        one("value", label(called(board.measure), 30)),
        ends("low", "high", level, f"over {board.stability.words['queries']}"),
        *(replace(one(name, label(words.known_as(name), 22)), kind="number tie-break") for name in board.tie_breaks),
        *compared,
        *(ties if board.stability.tie_orders is not None else ()),
    ]


def _small(text: str) -> str:
    return f'<span class="small">{text}</span>' if text else ""


def _elsewhere(board: Board, name: str, other: Board) -> list[Column]:
    """Value, place and verdict under another measure, in the rows of this board."""
    other, meanings, cells = other.like(board), words.meanings(other.stability.words), []
    rows = other.rows
    for place, verdict in zip(rows["place"], rows["verdict"], strict=True):
        hover = f"{verdict} against {other.reference}: {meanings[verdict]}" if verdict else "the best"
        mark = words.VERDICTS[verdict] if verdict else "best"
        cells.append(f'{place}&nbsp;<span title="{escape(hover)}" aria-label="{escape(hover)}">{mark}</span>')
    values, falls = rows["value"], other.measure.higher_is_better
    meaning, numbers = f"{name}: {board.columns['value']}.", in_column(values)
    value = Column(f"{name}: value", label(name, 18), meaning, numbers, values, "number first", falls=falls)
    meaning = f"Place by {name}; ● clearly behind the best, ○ open."
    return [value, Column(f"{name}: place", "#", meaning, cells, rows["place"])]


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

    def picture(self, value: float, bars: Mapping[str, Sequence[float]], *, told: str, dot: str = "dot") -> str:
        """Bars of several kinds, one over the other, and a dot; no bar where its ends are not known or the same."""
        drawn = ""
        for kind, ends in bars.items():
            left, right = sorted(map(self.at, ends))
            if left < right:
                drawn += f'<i class="{kind}" style="left:{left:.2f}%;width:{right - left:.2f}%"></i>'
        mark = f'<i class="{dot}" style="left:{self.at(value):.2f}%"></i>'
        return f'<span class="bar" role="img" aria-label="{escape(told)}">{drawn}{self.lines}{mark}</span>'

    def ticks(self, of: str = "") -> str:
        """Round values above the bars; ``of``: what they are, where a narrow screen parts them from their title."""
        edge = 0.04 * (self._high - self._low)  # the next column would hide what reaches over the end
        shown, digits = round_values(self._low + edge, self._high - edge, 5)
        kinds = ["odd" * (round(value / (shown[1] - shown[0])) % 2) for value in shown]  # five need room
        ticks = [
            f'<i class="{kind}" style="left:{self.at(value):.2f}%">{f"{value:,.{digits}f}".replace("-", "−")}</i>'
            for value, kind in zip(shown, kinds, strict=True)
        ]
        return f'<span class="axis" data-of="{escape(of)}" aria-hidden="true">{"".join(ticks)}</span>'
