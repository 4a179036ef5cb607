"""One self-contained HTML page with the results of a view: light, printable, without a script or any request."""

from __future__ import annotations

import platform
from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from tiecore import __version__
from tiecore.board import Board
from tiecore.stability.sentences import Writing
from tiecore_dashboard import words
from tiecore_dashboard.export import exports
from tiecore_dashboard.export.reproduce import as_command, as_python
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View

if TYPE_CHECKING:
    from tiecore.plot import Figure

_CSS = Path(__file__).parent / "assets" / "report.css"
_WRITING = Writing(tie_break=words.known_as, difference=words.number)
_PACKAGES = ("numpy", "pandas", "scipy", "pyarrow")


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of a table: what it means, and its cells in HTML."""

    title: str
    cells: list[str]
    meaning: str = ""
    is_text: bool = False


def report(view: View, board: Board, colours: Mapping[str, str] | None = None) -> str:
    """Return one HTML page: answer, board, places, bias of the tie-breaks, data, settings, code, versions."""
    from tiecore import plot  # matplotlib takes a moment to load

    several, queries = words.plural(len(board.rows), "feature"), words.plural(board.n_queries, "query", "queries")
    title = f"{several} by {view.measure}"
    if board.is_filtered:
        title += f", of {board.total}"
    sections = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="small">{_when()} · {queries} · tiecore {__version__}</p>',
        *(f'<p class="answer">{escape(sentence)}</p>' for sentence in board.headline(_WRITING)),
        _section("Leaderboard", _leaderboard(board), "A thick line parts groups: the features above it are not clearly "
                 "worse than the first of their group."),
        _picture("Values, and how far behind the best", plot.board(board)),
    ]  # fmt: skip
    if board.tie_breaks:
        sections.append(_section("Under each tie-break", _under_tie_breaks(board)))
    if board.tie_breaks and len(board.rows) > 1:
        sections.append(_picture("Places under each tie-break", plot.places(board, plot.Sheet(colours=colours))))
    sections += [
        _data(view),
        _section(
            "Settings", f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in exports.settings_in_words(view))}</ul>"
        ),
        _section("The same in Python", f"<pre>{escape(as_python(view))}</pre>"),
        _section("The same on the command line", f"<pre>{escape(as_command(view))}</pre>"),
        f'<p class="small">{_versions()}</p>',
    ]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        # whatever a name may hold, the page runs no script and sends no request
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        'img-src data:">'
        f"<title>{escape(title)}</title><style>{_CSS.read_text(encoding='utf-8')}</style></head>"
        f"<body>{''.join(sections)}</body></html>"
    )


def _when() -> str:
    return datetime.now().astimezone().strftime("%d %B %Y, %H:%M %Z").lstrip("0")


def _versions() -> str:
    packages = [f"tiecore {__version__}", *(f"{package} {version(package)}" for package in _PACKAGES)]
    return escape(f"Made with {', '.join(packages)}, Python {platform.python_version()}.")


def _section(heading: str, body: str, note: str = "") -> str:
    below = f'<p class="small">{note}</p>' if note else ""
    return f'<section class="keep"><h2>{escape(heading)}</h2>{body}{below}</section>'


def _picture(heading: str, figure: Figure) -> str:
    """Return a figure as a picture that no script draws: it prints as it is seen."""
    data = b64encode(figure.to_bytes("svg")).decode()
    return _section(heading, f'<img alt="{escape(figure.title)}" src="data:image/svg+xml;base64,{data}">')


def _table(columns: Iterable[_Column], *, new_groups: Iterable[int] = ()) -> str:
    columns, parted = list(columns), set(new_groups)
    kinds = [' class="text"' if column.is_text else "" for column in columns]
    heads = (
        f'<abbr title="{escape(one.meaning)}">{escape(one.title)}</abbr>' if one.meaning else escape(one.title)
        for one in columns
    )
    head = "".join(f"<th{kind}>{text}</th>" for kind, text in zip(kinds, heads, strict=True))
    body = "".join(
        f"<tr{' class=new-group' if number in parted else ''}>"
        f"{''.join(f'<td{kind}>{cell}</td>' for kind, cell in zip(kinds, row, strict=True))}</tr>"
        for number, row in enumerate(zip(*(column.cells for column in columns), strict=True))
    )
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _texts(title: str, texts: Iterable[object], meaning: str = "") -> _Column:
    return _Column(title, [escape(str(text)) for text in texts], meaning, is_text=True)


def _numbers(title: str, values: Iterable[float], meaning: str = "") -> _Column:
    return _Column(title, [words.number(value) for value in values], meaning)


def _interval(title: str, low: Iterable[float], high: Iterable[float], meaning: str) -> _Column:
    texts = (f"{words.number(one)} to {words.number(other)}" for one, other in zip(low, high, strict=True))
    nothing = f"{words.NOTHING} to {words.NOTHING}"
    return _Column(title, [words.NOTHING if text == nothing else text for text in texts], meaning)


def _leaderboard(board: Board) -> str:
    rows, meanings, draws = board.rows, board.columns, board.stability.draws
    risks = rows["tie_risk"].map(lambda risk: words.tie_risk(risk, draws)).where(rows["verdict"] != "", "")
    columns = [
        _Column("#", [str(place) for place in rows["place"]], meanings["place"]),
        _texts("Feature", rows.index),
        _numbers(str(board.measure), rows["value"], meanings["value"]),
        _interval("95 % over queries", rows["low"], rows["high"], "confidence interval of the value over queries"),
        _numbers(f"Behind {board.reference}", rows["behind"], meanings["behind"]),
        _interval("95 %", rows["behind_low"], rows["behind_high"], "confidence interval of this difference"),
        _texts("Verdict", rows["verdict"], meanings["verdict"]),
        _Column("Tie risk", risks.tolist(), meanings["tie_risk"]),
        _numbers("SD", rows["sd"], meanings["sd"]),
        _interval("Worst to best", rows["worst"], rows["best"], "least and most favourable order of every tie"),
    ]
    return _table(columns, new_groups=board.new_groups)


def _under_tie_breaks(board: Board) -> str:
    columns = [_texts("Feature", board.rows.index)]
    for name in board.tie_breaks:
        under = board.under(name)
        cells = [
            f"{words.number(value)}&nbsp;#{place}{'&nbsp;↑' if shift > 0 else '&nbsp;↓' if shift < 0 else ''}"
            for value, place, shift in under.itertuples(index=False, name=None)
        ]
        meaning = f"value and place; arrow: better or worse place than by expectation. {words.of_tie_break(name)}"
        columns.append(_Column(words.known_as(name), cells, meaning))
    return _table(columns)


def _numbers_of(title: str, values: Iterable[float], meaning: str = "") -> _Column:
    return _Column(title, [words.count(value) for value in values], meaning)


def _data(view: View) -> str:
    data = view.dataset
    coverage = cached.coverage(data, view.settings)
    files = [data.file(feature.file) for feature in data.used]
    rows: list[Mapping[str, float]] = [
        {column: float(coverage[column].loc[feature.name]) for column in coverage.columns} for feature in data.used
    ]
    left = (words.left_out(row, file.records.ignored) or "nothing" for row, file in zip(rows, files, strict=True))
    judged = ""
    if data.qrels is not None:
        judged = (
            f"<p>Judgments: <strong>{escape(data.qrels.name)}</strong> ({escape(data.qrels.kind)}); "
            f"SHA-256 {data.qrels.digest[:16]}…</p>"
        )
    table = _table(
        [
            _texts("Feature", (feature.name for feature in data.used)),
            _texts("File", (file.name for file in files)),
            _numbers_of("Queries", (row["queries"] for row in rows)),
            _numbers_of("Documents", (row["documents"] for row in rows)),
            _Column("Tied", [escape(words.share(row["tied"])) for row in rows], "share of documents that are tied"),
            _texts("Better is", ("lower" if feature.lower_is_better else "higher" for feature in data.used)),
            _texts("Left out", left),
            _texts("SHA-256", (f"{file.digest[:16]}…" for file in files)),
        ]
    )
    return _section("Data", judged + table)
