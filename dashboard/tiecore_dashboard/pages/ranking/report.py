"""One self-contained HTML page with the results of a view: light, printable, without a script or any request."""

from __future__ import annotations

import platform
from base64 import b64encode
from collections.abc import Iterable, Mapping
from datetime import datetime
from html import escape
from importlib.metadata import version
from pathlib import Path

from tiecore import __version__
from tiecore.board import Board
from tiecore.stability.sentences import called
from tiecore_dashboard import words
from tiecore_dashboard.charts.look import LIGHT
from tiecore_dashboard.export import exports
from tiecore_dashboard.export.reproduce import as_command, as_python
from tiecore_dashboard.pages.pairs.answer import by_need, pair_cells, written
from tiecore_dashboard.pages.ranking.leaderboard import Preset, explained, leaderboard_table
from tiecore_dashboard.pages.ties.answer import bias_lines
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View

_ASSETS = Path(__file__).parent / "assets"
_MOST_PAIRS = 30
_PACKAGES = ("numpy", "pandas", "scipy", "pyarrow")
_DATA = {
    "Feature": "text", "File": "text", "Queries": "", "Documents": "", "Share tied": "", "Better is": "text",
    "Left out": "text", "SHA-256": "text",
}  # fmt: skip
"""Columns of the table of the data, with their classes."""


def report(view: View, board: Board, colours: Mapping[str, str] | None = None) -> str:
    """Return one HTML page: answer, board, places, tie-breaks, pairs, data, settings, all numbers, code."""
    several, queries = words.plural(board.total, "feature"), words.plural(board.n_queries, "query")
    title = f"{f'{len(board.rows)} of ' if board.is_filtered else ''}{several} by {called(view.measure)}"
    now = datetime.now().astimezone().strftime("%d %B %Y, %H:%M %Z")
    made_with = [f"tiecore {__version__}", f"Python {platform.python_version()}"]
    made_with += [f"{package} {version(package)}" for package in _PACKAGES]
    answer, *more = (*board.headline(written(board.stability)), *map(escape, board.suspicions))
    # no pointer tells it on paper
    meanings = [f"{name}: {words.MEANINGS[name]}" for name in words.MEANINGS if (board.rows["verdict"] == name).any()]
    told = f"{words.capitalised('; '.join(meanings))}. Tie risk: {board.columns['tie_risk']}."
    drawn = board.stability.notes[0] if board.stability.draws else ""
    sections = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="small">{now.lstrip("0")} · {queries} · tiecore {__version__}</p>',
        f'<p class="answer">{answer}</p><ul>{"".join(f"<li>{text}</li>" for text in more)}</ul>',
        _section("Leaderboard", _as_on_the_page(board, "answer"), " ".join([*explained(board), escape(told)])),
        *_places(board, colours),
        *_ties_and_pairs(board),
        _data(view),
        _section(
            "Settings", f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in exports.settings_in_words(view))}</ul>"
        ),
        _section("The numbers", _as_on_the_page(board, "numbers"), escape(drawn)),
        _section("The same in Python", f"<pre>{escape(as_python(view))}</pre>"),
        _section("The same on the command line", f"<pre>{escape(as_command(view))}</pre>"),
        f'<p class="small">Made with {escape(", ".join(made_with))}.</p>',
    ]  # fmt: skip
    own, of_board = ((_ASSETS / f"{name}.css").read_text(encoding="utf-8") for name in ("report", "leaderboard"))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        # whatever a name may hold, the page runs no script and sends no request
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        'img-src data:">'
        f"<title>{escape(title)}</title><style>.board {{ {of_board.replace('button', 'b')} }}\n{own}</style></head>"
        f"<body>{''.join(sections)}</body></html>"
    )


def _section(heading: str, body: str, note: str = "") -> str:
    below = f'<p class="small">{note}</p>' if note else ""
    return f'<section class="keep"><h2>{escape(heading)}</h2>{body}{below}</section>'


def _as_on_the_page(board: Board, preset: Preset) -> str:
    """Return the leaderboard without its buttons, for nothing answers to them here."""
    html = leaderboard_table(board, look=LIGHT, preset=preset).replace('<button type="button"', "<b")
    return f'<div class="board">{html.replace("</button>", "</b>")}</div>'


def _places(board: Board, colours: Mapping[str, str] | None) -> Iterable[str]:
    """Yield the places as a picture that no script draws: it prints as it is seen."""
    if not board.tie_breaks or len(board.rows) < 2:
        return
    from tiecore import plot  # matplotlib takes a moment to load

    figure = plot.places(board, plot.Sheet(colours=colours))
    data = b64encode(figure.to_bytes("svg")).decode()
    picture = f'<img alt="{escape(figure.title)}" src="data:image/svg+xml;base64,{data}">'
    yield _section("Places under each tie-break", picture)


def _data(view: View) -> str:
    data = view.dataset
    coverage = cached.coverage(data, view.settings)
    rows = []
    for feature in data.used:
        file = data.file(feature.file)
        facts = {str(name): float(coverage[name].loc[feature.name]) for name in coverage.columns}
        cells = [
            feature.name, file.name, words.count(facts["queries"]), words.count(facts["documents"]),
            words.share(facts["tied"]), "lower" if feature.lower_is_better else "higher",
            words.left_out(facts, file.records.ignored) or "nothing", f"{file.digest[:16]}…",
        ]  # fmt: skip
        rows.append(cells)
    assert data.qrels is not None, "else there is no view"
    judged = f"<strong>{escape(data.qrels.name)}</strong> ({escape(data.qrels.kind)})"
    table = _table(_DATA, rows)
    return _section("Data", f"<p>Judgments: {judged}; SHA-256 {data.qrels.digest[:16]}…</p>{table}")


def _ties_and_pairs(board: Board) -> Iterable[str]:
    """Yield whether tie-breaks correlate with relevance, and the pairs, those first that need a look."""
    if lines := bias_lines(board):
        yield _section(
            "Do tie-breaks correlate with relevance?", f"<ul>{''.join(f'<li>{line}</li>' for line in lines)}</ul>"
        )
    if len(board.pairs) > 1:
        shown = by_need(board.pairs)[:_MOST_PAIRS]
        cells = pair_cells(shown, board.stability)
        cells["Reversed by"] = [", ".join(map(words.known_as, names)) for names in shown["reversed_by"]]
        left = len(board.pairs) - len(shown)
        note = f"The table of the export has {words.plural(left, 'further pair')}." if left else ""
        yield _section("Pairs", _table(dict.fromkeys(cells, "text"), zip(*cells.values(), strict=True)), note)


def _table(titles: Mapping[str, str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table as HTML; ``titles``: with the classes of their columns."""

    def row(tag: str, cells: Iterable[str]) -> str:
        marked = zip(titles.values(), cells, strict=True)
        return "".join(["<tr>", *(f'<{tag} class="{kind}">{escape(cell)}</{tag}>' for kind, cell in marked), "</tr>"])

    body = "".join(row("td", cells) for cells in rows)
    return f'<div class="scroll"><table><thead>{row("th", titles)}</thead><tbody>{body}</tbody></table></div>'
