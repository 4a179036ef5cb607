"""One self-contained HTML page with the results of a view: light, printable, without any request."""

from __future__ import annotations

import platform
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from html import escape
from importlib.metadata import version
from itertools import pairwise

import pandas as pd

from tiecore import __version__
from tiecore.diagnostics import column_meaning, pooled_bias
from tiecore.evaluation.columns import column_of
from tiecore.evaluation.intervals import query_interval
from tiecore.evaluation.values import places
from tiecore.stability import COLUMNS, Stability
from tiecore.stability.places import MOST_LETTERED
from tiecore_dashboard import words
from tiecore_dashboard.charts.look import LIGHT, Figure, label, marks_of
from tiecore_dashboard.export import exports, live
from tiecore_dashboard.export.reproduce import as_command, as_python
from tiecore_dashboard.files.datasets import kind_of
from tiecore_dashboard.pages.pairs.answer import pairs_answer
from tiecore_dashboard.pages.ranking.answer import contenders, ranking_answer
from tiecore_dashboard.pages.ranking.charts import bump_chart, interval_cell, interval_chart, value_chart
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View

__all__ = ["report"]

_MOST_PAIRS = 25
"""Features up to which place sets take no more than a moment."""
_TITLES = 88
"""Pixels that the slanted titles of the columns need where they stand alone."""
_COLUMNS = (
    "#: place. ±: half of the 95 % confidence interval over the queries. SD and 95 %: of random tie-breaks. Under each "
    "tie-break: value and place, with an arrow where the place is better (↑) or worse (↓) than by expectation."
)
_PACKAGES = ("numpy", "pandas", "scipy", "pyarrow")
_CSS = """
:root { color-scheme: light; }
body { font: .95rem/1.5 system-ui, "Segoe UI", Roboto, sans-serif; color: #1b2330; background: #fff; max-width: 1140px;
  margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .5rem; border-bottom: 1px solid #dde3ea; padding-bottom: .2rem; }
.answer { font-size: 1.2rem; margin: 1rem 0 .3rem; }
em { font-style: normal; font-weight: 650; border-bottom: 2px solid; }
abbr { text-decoration: underline dotted; cursor: help; } ul { margin: .3rem 0; padding-left: 1.2rem; }
.small { color: #5b6675; font-size: .85rem; margin: .3rem 0; }
.scroll { overflow-x: auto; margin-top: .6rem; }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
th, td { padding: .22rem .4rem; border-bottom: 1px solid #dde3ea; text-align: right; overflow-wrap: normal; }
td { white-space: nowrap; } td.text { white-space: normal; }
th { font-weight: 600; vertical-align: bottom; }
th.text, td.text { text-align: left; } td.text { overflow-wrap: anywhere; min-width: 5.5rem; }
td.wide { min-width: 14rem; }
td img { display: block; width: 100px; }
pre { background: #f5f7fa; padding: .8rem; overflow-x: auto; font-size: .82rem; white-space: pre-wrap; }
@media (max-width: 700px) { td.text { overflow-wrap: normal; } }
@page { size: A4; margin: 12mm; }
@media print {
  html { font-size: 11px; } body { margin: 0; max-width: none; padding: 0; } .modebar { display: none !important; }
  h2 { break-after: avoid; } .keep, tr, pre { break-inside: avoid; } .scroll { overflow: visible; }
  table { font-size: .78rem; } th, td { padding: .12rem .3rem; } abbr { text-decoration: none; }
  td { white-space: normal; } td img { width: 64px; } td.text { min-width: 5.4rem; overflow-wrap: anywhere; }
  td.wide { min-width: 8rem; } .plotly-graph-div { zoom: .62; }
}
"""


# Charts are as wide as the window; on paper all of them have the width of a sheet, whatever the window was.
_PRINT = """
<script>
const sized = (change) => document.querySelectorAll(".js-plotly-plot").forEach((one) => Plotly.relayout(one, change));
addEventListener("beforeprint", () => sized({ width: 1120 }));
addEventListener("afterprint", () => sized({ width: null, autosize: true }));
</script>
"""


class _Column:
    """A column of a table: its title, what it means, and how its cells are written in HTML."""

    def __init__(self, title: str, cells: Iterable[str], *, meaning: str = "", kind: str = "") -> None:
        self.title, self.cells, self.meaning, self.kind = title, list(cells), meaning, kind


def report(view: View, *, intervals: pd.DataFrame | None = None, stable: Stability | None = None) -> str:
    """One HTML page: answer, charts, leaderboard, pairs, bias of the tie-breaks, data, settings, code, versions.

    ``intervals``, ``stable``: what ``page.intervals_and_stability`` has found; what needs them is left out where they
    are None.
    """
    board = view.leaderboard
    ends = intervals[["low", "high"]] if intervals is not None else pd.DataFrame(columns=["low", "high"])
    board[["low", "high"]] = ends.reindex(board.index).astype(float)
    over_queries = cached.study(view, query_interval).reindex(board.index)
    board[["query_low", "query_high"]] = over_queries[["low", "high"]]
    title = f"{words.plural(len(board), 'feature')} by {view.measure}"
    sentence, details = ranking_answer(board, tie_breaks=view.tie_breaks, stable=stable, flat=cached.flat(view))
    sections = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="small">{_when()} · {escape(_extent(view))} · tiecore {__version__}</p>',
        f'<p class="answer">{_together(sentence)}</p>{_list(details)}',
        _values(view, board, stable),
        *_charts(view, board),
        _section("Leaderboard", _leaderboard(view, board), _COLUMNS),
    ]
    if stable is not None and len(board) > 1:
        sections.append(_pairs(stable))
    if view.tie_breaks:
        sections.append(_biases(view))
    sections += [
        _data(view),
        _section("Settings", _list(escape(line) for line in exports.settings_in_words(view))),
        _section("The same in Python", f"<pre>{escape(as_python(view))}</pre>"),
        _section("The same on the command line", f"<pre>{escape(as_command(view))}</pre>"),
        f'<p class="small">{_versions()}</p>',
    ]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        # whatever a name may hold, the page sends no request
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; "
        "style-src 'unsafe-inline'; img-src data: blob:\">"
        f"<title>{escape(title)}</title><style>{_CSS}</style></head>"
        f"<body>{''.join(sections)}{live.script()}{_PRINT}</body></html>"
    )


def _when() -> str:
    return datetime.now().astimezone().strftime("%d %B %Y, %H:%M %Z").lstrip("0")


def _extent(view: View) -> str:
    queries = words.plural(view.evaluation.alignment.n_queries, "judged query", "judged queries")
    files = {feature.file for feature in view.dataset.used} | {view.dataset.judgments}
    return f"{queries} from {words.plural(len(files), 'file')}"


def _versions() -> str:
    packages = [f"tiecore {__version__}", *(f"{package} {version(package)}" for package in _PACKAGES)]
    return escape(f"Made with {', '.join(packages)}, Python {platform.python_version()}.")


def _list(lines: Iterable[str]) -> str:
    items = "".join(f"<li>{line}</li>" for line in lines)
    return f"<ul>{items}</ul>" if items else ""


def _section(heading: str, body: str, note: str = "") -> str:
    return f"<section><h2>{escape(heading)}</h2>{body}{_small(note)}</section>"


def _small(note: str) -> str:
    return f'<p class="small">{_together(note)}</p>' if note else ""


def _together(text: str) -> str:
    """Keep the sign of a percentage on the line of its number."""
    return re.sub(r"(?<=\d) %", "\u00a0%", text)


def _known_as(name: str) -> str:
    """Name of a tie-break as people know it, broken before the brackets only."""
    return words.known_as(name).replace("(ids ", "(ids\u00a0")


def _table(columns: Sequence[_Column]) -> str:
    heads = "".join(_head(column) for column in columns)
    rows = zip(*(column.cells for column in columns), strict=True)
    body = "".join(
        f"<tr>{''.join(f'<td{_class(column)}>{cell}</td>' for column, cell in zip(columns, row, strict=True))}</tr>"
        for row in rows
    )
    return f'<div class="scroll"><table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>'


def _head(column: _Column) -> str:
    title = escape(column.title)
    heading = f'<abbr title="{escape(column.meaning)}">{title}</abbr>' if column.meaning else title
    return f"<th{_class(column)}>{heading}</th>"


def _class(column: _Column) -> str:
    return f' class="{column.kind}"' if column.kind else ""


def _names(title: str, names: Iterable[object]) -> _Column:
    return _Column(title, (escape(str(name)) for name in names), kind="text")


def _numbers(title: str, values: Iterable[float], meaning: str = "") -> _Column:
    return _Column(title, (words.number(value) for value in values), meaning=meaning)


def _counts(title: str, values: Iterable[float], meaning: str = "") -> _Column:
    return _Column(title, (words.count(value) for value in values), meaning=meaning)


def _values(view: View, board: pd.DataFrame, stable: Stability | None) -> str:
    """Draw the values with their intervals over queries; with place sets and letters where these take no time."""
    note = "Light bar: 95 % confidence interval over the queries. Dark bar: where 95 % of random tie-breaks land."
    if stable is not None and 1 < len(board) <= MOST_LETTERED:
        found = stable.ranks.rename(columns={"low": "place_low", "high": "place_high"})
        board = board.join(found[["place_low", "place_high", "letters"]])
        note += (
            " Places: those that a feature could take on other queries, at 95 %. Letters: features that share one are "
            "not clearly different."
        )
    better = view.measure.higher_is_better
    drawn = value_chart(board, measure=str(view.measure), look=LIGHT, higher_is_better=better)
    return _chart("Values, and what other queries leave open", drawn, note)


def _charts(view: View, board: pd.DataFrame) -> list[str]:
    """Draw both charts of the ranking."""
    better = view.measure.higher_is_better
    # each is named where it ends, so the best case comes last only where there is nothing else to compare
    columns = ["expected", *view.tie_breaks] if view.tie_breaks else ["expected", "worst", "best"]
    placed = pd.DataFrame(
        {name: places(board[name].to_numpy(), higher_is_better=better) for name in columns}, index=board.index
    )
    ranges = interval_chart(
        board, measure=str(view.measure), look=LIGHT, tie_breaks=view.tie_breaks, higher_is_better=better
    )
    places_chart = bump_chart(
        placed,
        board[columns],
        look=LIGHT,
        emphasised=contenders(board, view.tie_breaks)[: len(LIGHT.palette)],
        titles={
            "worst": "worst case",
            "expected": "expectation",
            "best": "best case",
            **{name: label(words.known_as(name)) for name in view.tie_breaks},
        },
    )
    # made to stand beside the other chart, whose legend it leaves room for
    spare = int(places_chart.layout.margin.t) - _TITLES
    places_chart.update_layout(height=places_chart.layout.height - spare, margin_t=_TITLES)
    return [
        _chart(
            "Where each feature can land",
            ranges,
            "Light bar: from the worst to the best case that ties allow. Dark bar: where 95 % of random tie-breaks "
            "land. Dot: expectation, the exact mean over all orders of tied documents.",
        ),
        _chart(
            "Places under each way of breaking ties",
            places_chart,
            "In colour: features that lead under the expectation or under a tie-break.",
        ),
    ]


def _chart(heading: str, figure: Figure, note: str) -> str:
    config = exports.chart_config(exports.file_stem(heading))
    drawn = live.chart(figure, config=config)
    return f'<section class="keep"><h2>{escape(heading)}</h2>{drawn}{_small(note)}</section>'


def _leaderboard(view: View, board: pd.DataFrame) -> str:
    bounds = board[["worst", "best"]].to_numpy()
    ends = float(bounds.min()), float(bounds.max())
    if not view.measure.higher_is_better:
        ends = ends[::-1]
    spreads = board[["expected", "worst", "best", "low", "high"]].itertuples(index=False, name=None)
    pictures = (f'<img alt="" src="{escape(interval_cell(*row, ends=ends, look=LIGHT))}">' for row in spreads)
    columns = [
        _Column("#", map(str, board["place"]), meaning=COLUMNS["place"]),
        _names("Feature", board.index),
        _Column(
            "Spread",
            pictures,
            meaning="light: worst to best case; dark: 95 % of random tie-breaks; dot: expectation",
            kind="text",
        ),
        _numbers("Expected", board["expected"], "exact mean over all orders of tied documents"),
        _Column(
            "±",
            map(words.number, (board["query_high"] - board["query_low"]).abs() / 2),
            meaning="half of the 95 % confidence interval over the queries",
        ),
        _numbers("SD", board["sd"], "standard deviation of the mean over queries under random tie-breaks"),
        _Column(
            "95 % of tie-breaks", _ranges(board["low"], board["high"]), meaning="where 95 % of random tie-breaks land"
        ),
        _Column(
            "Worst to best",
            _ranges(board["worst"], board["best"]),
            meaning="least and most favourable order of every tie",
        ),
    ]
    for name, mark in marks_of(view.tie_breaks, LIGHT).items():
        own = [name, *(column_of(board, name, what) for what in ("place", "shift"))]
        moved = zip(*(board[column] for column in own), strict=True)
        cells = (f"{words.number(value)}&nbsp;#{place}{_arrow(shift)}" for value, place, shift in moved)
        meaning = f"value and place; arrow: better or worse place than by expectation. {words.of_tie_break(name)}"
        columns.append(_Column(f"{mark.glyph} {_known_as(name)}", cells, meaning=meaning))
    return _table(columns)


def _ranges(ends: Iterable[float], others: Iterable[float]) -> list[str]:
    ranges = (f"{words.number(one)}–{words.number(other)}" for one, other in zip(ends, others, strict=True))
    return [words.NOTHING if text == words.NOTHING * 3 else text for text in ranges]


def _arrow(shift: float) -> str:
    return "&nbsp;&nbsp;" if shift == 0 else "&nbsp;↑" if shift > 0 else "&nbsp;↓"


def _pairs(stable: Stability) -> str:
    """Count the verdicts, and show that on each two neighbours of the leaderboard."""
    sentence, details = pairs_answer(stable)
    order = [str(name) for name in stable.places.index]
    pairs = stable.pairs.set_index(["leader", "trailer"])
    # where two expectations are equal, either may be called the leader
    neighbours = [pair if pair in pairs.index else pair[::-1] for pair in pairwise(order)]
    shown = pairs.loc[neighbours[:_MOST_PAIRS]].reset_index()
    left = len(neighbours) - len(shown)
    reversing = (escape(", ".join(map(words.known_as, names))) or words.NOTHING for names in shown["reversed_by"])
    verdicts = (
        words.badge(verdict, tie_risk=tie_risk)
        for verdict, tie_risk in zip(shown["verdict"], shown["tie_risk"], strict=True)
    )
    table = _table(
        [
            _names("Leader", shown["leader"]),
            _names("Trailer", shown["trailer"]),
            _numbers("Difference", shown["difference"], COLUMNS["difference"]),
            _numbers("from", shown["low"], COLUMNS["low"]),
            _numbers("to", shown["high"], COLUMNS["high"]),
            _Column("Verdict", verdicts, meaning=COLUMNS["verdict"], kind="text"),
            _Column("Reversed by", reversing, meaning=COLUMNS["reversed_by"], kind="text"),
            _Column("p (Holm)", map(_p_value, shown["holm"]), meaning=COLUMNS["holm"]),
        ]
    )
    note = "Neighbours in the leaderboard."
    if left:
        note += f" {words.plural(left, 'further pair')} of neighbours left out."
    return _section("Which differences are clear", f"<p>{sentence}</p>{_list(details)}{table}", note)


def _p_value(value: float) -> str:
    return escape(words.p_value(value))


def _biases(view: View) -> str:
    found = cached.study(view, pooled_bias).droplevel("measure")
    verdicts = (str(verdict).removeprefix(f"{name} ") for name, verdict in found["verdict"].items())
    table = _table(
        [
            _names("Tie-break", (_known_as(str(name)) for name in found.index)),
            _counts("Features with ties", found["features"], column_meaning("features")),
            _counts("Features lifted", found["lifted"], column_meaning("lifted")),
            _names("Most of all", (name or words.NOTHING for name in found["strongest"])),
            _Column(
                "z",
                (words.NOTHING if pd.isna(z) else f"{z:+.2f}".replace("-", "−") for z in found["z"]),
                meaning="in standard deviations of a tie-break that is unrelated to relevance",
            ),
            _Column("p", map(_p_value, found["p"]), meaning=column_meaning("p")),
            _Column("Verdict", map(escape, verdicts), kind="text wide"),
        ]
    )
    return _section(
        "Do the tie-breaks correlate with relevance?",
        table,
        "A tie-break that correlates with relevance inflates or deflates scores; otherwise a gain is due to chance.",
    ).replace("<section>", '<section class="keep">', 1)  # a few rows, which stay on one sheet


def _data(view: View) -> str:
    data, settings = view.dataset, view.settings
    coverage = cached.coverage(data, settings)
    files = [data.file(feature.file) for feature in data.used]
    rows: list[Mapping[str, float]] = [
        {column: float(coverage[column].loc[feature.name]) for column in coverage.columns} for feature in data.used
    ]
    left = (words.left_out(row, file.records.ignored) or "nothing" for row, file in zip(rows, files, strict=True))
    judged = ""
    if data.qrels is not None:
        judged = (
            f"<p>Judgments: <strong>{escape(data.qrels.name)}</strong> ({escape(kind_of(data.qrels))}), "
            f"{words.plural(view.evaluation.alignment.n_queries, 'query', 'queries')}; "
            f"SHA-256 {data.qrels.digest[:16]}…</p>"
        )
    table = _table(
        [
            _names("Feature", (feature.name for feature in data.used)),
            _names("File", (file.name for file in files)),
            _counts("Queries", (row["queries"] for row in rows)),
            _counts("Documents", (row["documents"] for row in rows)),
            _Column(
                "Tied", (escape(words.share(row["tied"])) for row in rows), meaning="share of documents that are tied"
            ),
            _names("Better is", ("lower" if feature.lower_is_better else "higher" for feature in data.used)),
            _Column("Left out", map(escape, left), kind="text wide"),
            _Column("SHA-256", (f"{file.digest[:16]}…" for file in files), kind="text"),
        ]
    )
    return _section("Data", judged + table)
