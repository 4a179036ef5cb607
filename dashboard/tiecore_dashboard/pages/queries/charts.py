"""The queries of one feature as a picture and a table: where ties cost, and what each tie of a list does."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tiecore.board.marks import marks_of
from tiecore.diagnostics.blame import TWO_SD, two_sd
from tiecore.measures import Measure
from tiecore.stability.sentences import called
from tiecore_dashboard import words
from tiecore_dashboard.app.table_columns import NUMBER, SIGNED, Titles
from tiecore_dashboard.charts.look import Look, label, names_with_marks
from tiecore_dashboard.charts.pieces import sign
from tiecore_dashboard.charts.rows import Point, Range, columns_chart, levels, rows_chart
from tiecore_dashboard.pages.method.charts import orderings_chart
from tiecore_dashboard.pages.queries.answer import ORDERS, SHIFT, SPREAD

MOST_QUERIES = 80
"""Columns of the overview."""
MOST_PARTS = 12
"""Tie groups whose parts are drawn."""
_WORST_TO_BEST = "worst to best case"


def query_chart(
    blamed: pd.DataFrame,
    *,
    measure: Measure,
    look: Look,
    by: str = SPREAD,
    chosen: str | None = None,
    tie_breaks: Sequence[str] = (),
) -> go.Figure:
    """One column a query: expectation, what random tie-breaks do, and worst to best case; the chosen one is there.

    The worst and the best case of a large tie are far from all that happens by chance, so bars are of the SD if the
    measure has one. ``blamed``: what ``tiecore.diagnostics.blame`` gives, of which the first ones are shown.
    ``tie_breaks``: all that are compared, so that the one ``by`` which they are ordered has its mark.
    """
    shown = blamed.iloc[:MOST_QUERIES]
    if chosen in blamed.index and chosen not in shown.index:
        shown = blamed.reindex([*shown.index[:-1], chosen])
    names = list(shown.index)
    points = [Point("expectation", shown["expected"], look.text, size=8)]
    told = shown[["expected", "sd", "worst", "best"]].map(words.number)
    hover = [
        f"<b>{label(name, 60)}</b><br>expected {expected}{f', SD {sd}' * measure.has_variance}<br>"
        f"worst {worst}, best {best}"
        for name, expected, sd, worst, best in told.itertuples(name=None)
    ]
    if symbol := marks_of(tie_breaks).get(by):
        known, values = words.known_as(by), shown[by].map(words.number)
        points.insert(0, Point(label(known, 22), shown[by], look.muted, symbol, size=9))
        hover = [f"{text}<br>{label(known, 60)} {value}" for text, value in zip(hover, values, strict=True)]
    ranges = [Range(_WORST_TO_BEST, shown["worst"], shown["best"], look.quiet, thickness=0.74)]
    if measure.has_variance:
        line = replace(ranges[0], thickness=max(4, len(names)) / 250)  # about a pixel
        low, high = two_sd(shown)
        ranges = [line, Range(TWO_SD, low, high, look.central, thickness=0.74)]
    queries = words.plural(len(blamed), "query")
    many = f"{words.count(len(names))} of {queries}" if len(names) < len(blamed) else queries
    return columns_chart(
        names,
        [*(ranges if (shown["worst"] != shown["best"]).any() else []), *points],
        look=look,
        title=measure,
        below=f"{many}, {ORDERS.get(by, SHIFT)}",
        at=shown["expected"],
        hover=hover,
        chosen=chosen,
    )


def parts_chart(groups: pd.DataFrame, *, measure: Measure, look: Look, tie_breaks: Sequence[str] = ()) -> go.Figure:
    """One row a tie group: what it adds to the expectation, and what its order can make of that.

    ``groups``: as ``tiecore.diagnostics.culprits`` gives them, in the order of the list; those that matter most are
    shown, one through which the list is cut with a mark.
    """
    rows = parts_shown(groups)
    adds = groups["contribution"].notna().all()
    base = rows["contribution"].fillna(0.0)
    names = [_span(*span) for span in rows[["first_rank", "last_rank", "inside"]].itertuples(index=False)]
    worst, best, decides = base + rows["to_worst"], base + rows["to_best"], rows["spread"] > 0
    marks = marks_of(tie_breaks)
    up, *nudges = levels(1 + len(marks))
    return rows_chart(
        names,
        [
            Range(_WORST_TO_BEST, worst, best, look.quiet, thickness=0.9 / max(2, 1 + len(marks)), offset=up),
            *(
                Point(
                    label(words.known_as(name), 22),
                    (base + rows[f"{name} shift"]).where(decides),
                    look.muted,
                    symbol,
                    size=10,
                    offset=nudge,
                )
                for nudge, (name, symbol) in zip(nudges, marks.items(), strict=False)
            ),
            Point("expectation", base, look.text, offset=np.where(decides, up, 0.0)),  # alone in the middle
        ],
        look=look,
        title=f"{'part' if adds else 'change'} of {label(called(measure), 40)}",
        zero=0.0,
        higher_is_better=measure.higher_is_better,
        hover=[
            f"<b>ranks {name}</b>, {words.plural(size, 'document')}<br>grade × documents: {grades}<br>"
            f"expected {words.number(middle)}, worst {words.number(low)}, best {words.number(high)}"
            for name, size, grades, middle, low, high in zip(
                names, rows["size"], rows["grades"], base, worst, best, strict=True
            )
        ],
    )


def draws_chart(drawn: pd.DataFrame, values: Mapping[str, float], *, measure: Measure, look: Look) -> go.Figure:
    """Show the values of random orders of a list, the last one, and their mean, which settles on the expectation.

    ``drawn``: a row an order; its ``value`` and the ``mean`` of those up to it. ``values``: ``expected``, ``worst`` and
    ``best`` of the query, which are the ends of the axis.
    """
    expected, n = values["expected"], len(drawn)
    figure = orderings_chart(
        drawn["value"].round(12).value_counts().sort_index(),
        expected=expected,
        title=f"exact expectation {words.number(expected)}",
        measure=measure,
        look=look,
        noun="drawn order",
        ends=[values["worst"], values["best"]],
    )
    last, mean = drawn[["value", "mean"]].iloc[-1]
    error = float(drawn["value"].std() / n**0.5)
    sure = f" ± {words.number(error)}, its standard error" if n > 1 else ""
    settled = f"mean of {words.count(n)}: {words.number(mean)}{sure}"
    above = figure.layout.yaxis.range[1] * 0.95
    for name, at, height, half, colour, symbol in (
        (f"last order {words.number(last)}", last, 0, np.nan, look.bad, "diamond"),
        (settled, mean, above, error, look.accent, "circle"),
    ):
        figure.add_scatter(
            x=[at],
            y=[height],
            cliponaxis=False,
            mode="markers",
            marker={"color": colour, "symbol": symbol, "size": 10, "line": {"width": 1.5, "color": look.ground}},
            error_x={"array": [half], "color": colour, "thickness": 2, "width": 5},
            name=name.partition(" ")[0],
            hovertemplate=f"{name}<extra></extra>",
        )
        sign(figure, name, colour, symbol)
    return figure


def parts_shown(groups: pd.DataFrame) -> pd.DataFrame:
    """Groups that add or decide something; of too many those that decide, then add, most."""
    matter = groups[(groups["contribution"].fillna(0.0) != 0) | (groups["spread"] > 0)]
    if len(matter) <= MOST_PARTS:
        return matter
    most = matter.sort_values(["spread", "contribution"], ascending=False, kind="stable").index[:MOST_PARTS]
    return matter.loc[sorted(most)]


def _span(first: int, last: int, inside: int) -> str:
    ranks = words.count(first) if first == last else f"{words.count(first)}–{words.count(last)}"
    return f"{ranks}, cut after {words.count(first + inside - 1)}" if 0 < inside <= last - first else ranks


def query_titles(tie_breaks: Sequence[str], *, first: str) -> Titles:
    """Queries of a feature, what they are ordered by before everything else; the picture shows worst and best case."""
    expected, sd = ("Expected", NUMBER), ("SD", NUMBER)
    if title := names_with_marks(tie_breaks).get(first.removesuffix(" shift")):  # which takes the room of two others
        return {"query_id": "Query", first: (title, SIGNED), "expected": expected, "sd": sd}
    numbers = {"spread": ("Spread", NUMBER), "expected": expected, "cut_tie": ("Tie at the cut", "%,d"), "sd": sd}
    return {"query_id": "Query", first: numbers[first], **numbers}
