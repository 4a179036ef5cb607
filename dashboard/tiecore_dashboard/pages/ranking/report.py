"""One self-contained HTML page with what the pages find: light, printable, without a script or any request."""

from __future__ import annotations

import platform
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from html import escape
from importlib.metadata import version
from pathlib import Path
from string import Template

from tiecore import TiecoreError, __version__
from tiecore.board import Board
from tiecore.board.cutoffs import banded_of, best_of
from tiecore.board.latex import key_of, pair_cells
from tiecore.comparing.grades import OF_WORDS
from tiecore.diagnostics import anatomy, blame
from tiecore.stability.sentences import called
from tiecore_dashboard import words
from tiecore_dashboard.app.table_columns import in_percent, percent
from tiecore_dashboard.charts.look import LIGHT
from tiecore_dashboard.export.csv_tables import file_stem, title_of
from tiecore_dashboard.export.figures import Draw, drawn_by
from tiecore_dashboard.export.reproduce import JUDGED, as_agreement, as_command, as_python
from tiecore_dashboard.pages.cutoffs.answer import cutoffs_of
from tiecore_dashboard.pages.method import texts
from tiecore_dashboard.pages.pairs.answer import listed_pairs, pairs_answer, written
from tiecore_dashboard.pages.pairs.duel import duel_of
from tiecore_dashboard.pages.queries.answer import queries_answer
from tiecore_dashboard.pages.ranking.columns import PRESETS
from tiecore_dashboard.pages.ranking.leaderboard import Leaderboard
from tiecore_dashboard.pages.ties.answer import bias_answer, mixed_from, ties_answer
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.state.choices import by_spread
from tiecore_dashboard.state.conventions import chosen
from tiecore_dashboard.state.sidebar import NUMBERS

_ASSETS = Path(__file__).parent / "assets"
_PACKAGES = ("numpy", "pandas", "scipy", "pyarrow")
_PARAMETERS = {
    ("dcg", "log2"): "Gain of a document: the grade itself, divided by log2(rank + 1).",
    ("dcg", "exp-log2"): "Gain of a document: 2^grade − 1, divided by log2(rank + 1).",
    ("judged_only", False): "Documents without a judgment: not relevant.",
    ("judged_only", True): "Documents without a judgment: left out.",
}
"""What somebody needs to know of parameters who computes a measure elsewhere; others are named as in the sidebar."""


def report(
    view: View, board: Board, colours: Mapping[str, str] | None = None, others: Mapping[str, Board] | None = None
) -> str:
    """Return one HTML page: what each page finds, with its table or picture; data, settings, all numbers, code.

    ``colours``: of the features. ``others``: boards that stand beside it.
    """
    tie_breaks = ", ".join(map(words.known_as, view.tie_breaks)) or "none"
    titles = {"cutoff": "Cut-off"} | {name: title for name, (title, *_) in NUMBERS.items()}
    settings = [f"Measure: {called(view.measure)}. {texts.meaning(view.measure.name)}".strip()]
    settings += [
        _PARAMETERS.get((name, value), f"{titles.get(name, name)}: {value}.")
        for name, value in asdict(view.measure).items()
        if value is not None
    ]
    settings.append(f"Tie-breaks compared: {tie_breaks}.")
    for one, label in chosen(view.settings.options):
        settings.append(f"{one.title}: {label} ({one.meanings.get(label, 'rounded')}).")
    lines = "".join(f"<li>{escape(line)}</li>" for line in settings)
    (judged, codes), pair = _judges(view, colours), duel_of(view, board)
    beside = Leaderboard(board, PRESETS[2], others or {})
    return _document(
        board,
        f"judged by {view.dataset.file(view.dataset.judgments or '').name}",
        [
            _ranking(board, colours),
            _section("Other measures", _as_on_the_page(beside), note=beside.notes()) if others else "",
            _picture(drawn_by("difference", pair, colours)) if pair else "",
            *_pairs(board),
            _cutoffs(view, board, colours) if len(board.rows) > 1 else "",
            _queries(view, board),
            _ties(view, board),
            judged,
            _data(view),
            _section("Settings", f"<ul>{lines}</ul>"),
        ],
        codes=[(as_python(view), as_command(view)), *codes],
    )


def report_of_values(board: Board, files: Sequence[str], codes: tuple[str, str]) -> str:
    """Return the page for values that were measured elsewhere, in ``files``; ``codes``: in Python and for the shell."""
    named = f"<p>Values from {escape(words.enumerate_names(files))}.</p>"
    sections = [_ranking(board), *_pairs(board), _section("Data", named)]
    return _document(board, words.enumerate_names(files, most=2), sections, codes=[codes])


def _document(board: Board, of: str, sections: Sequence[str], *, codes: Sequence[tuple[str, str]]) -> str:
    """Return the whole page: the answer, what else there is, and the numbers, which take a wide sheet on paper."""
    some = f"{len(board.rows)} of " * board.is_filtered
    title = f"{some}{words.plural(board.total, 'feature')} by {called(board.measure)}"
    found, *rest = re.split(": |, by ", board.headline()[0])  # what follows is told below
    title += f", {of}"
    titles = [title, found] if rest else [title]
    now = datetime.now().astimezone().strftime("%d %B %Y, %H:%M %Z").lstrip("0")
    made_with = [f"tiecore {__version__}", f"Python {platform.python_version()}"]
    made_with += [f"{package} {version(package)}" for package in _PACKAGES]
    n_queries = words.plural(board.n_queries, board.stability.unit)
    texts = ("\n".join(some).strip() for some in zip(*codes, strict=True))
    named = zip(("The same in Python", "The same on the command line"), texts, strict=True)
    sections = [part.replace(" %", "\u00a0%") for part in sections]  # no line begins with a percent sign
    sections += [_section(name, f"<pre>{escape(code)}</pre>") for name, code in named if code]
    drawn = board.stability.notes[0] if board.stability.draws and len(board.rows) > 1 else ""
    numbers = Leaderboard(board, "numbers")
    note = numbers.notes(escape(drawn))
    sections.append(f'<p class="small">Made with {escape(", ".join(made_with))}.</p>')
    sections.append(_section("The numbers", _as_on_the_page(numbers), note=note).replace(" %", "\u00a0%"))
    parts = re.findall("<h2>(.*?)</h2>", "".join(sections))
    links = " · ".join(f"<a href=#{file_stem(one)}>{one}</a>" for one in parts)
    head = f"<h1>{'<br>'.join(map(escape, titles))}</h1>"
    head += f'<p class="small">{now} · {n_queries} · tiecore {__version__}</p><nav>{links}</nav>'
    own, of_board = ((_ASSETS / f"{name}.css").read_text(encoding="utf-8") for name in ("report", "leaderboard"))
    page = Template((_ASSETS / "report.html").read_text(encoding="utf-8"))
    style = f".board {{ {of_board.replace('button', 'b')} }}\n{own}"
    return page.substitute(title=escape(": ".join(titles)), style=style, body=f"{head}{''.join(sections)}")


def _section(heading: str, *body: str, answer: Sequence[str] = (), note: str = "") -> str:
    """Return a part of the page: what was found first, as on the page of this name, and what follows from it."""
    found = words.answer(answer[0], answer[1:]) if answer else ""
    below = f'<div class="small">{note}</div>' if note else ""
    begin = f"<section id='{file_stem(heading)}'><header><h2>{escape(heading)}</h2>{found}</header>"
    return f"{begin}{''.join(body)}{below}</section>"


def _picture(draw: Draw) -> str:
    """Return a figure that no script draws: it prints as it is seen; a phone shows the narrow one."""
    from tiecore.plot import Sheet  # matplotlib takes a moment to load

    page, column = (draw(Sheet(width=width, answer="")) for width in ("page", "column"))
    wide, narrow = (f"data:image/svg+xml;base64,{b64encode(one.to_bytes('svg')).decode()}" for one in (page, column))
    source = f'<source media="(max-width: 600px)" srcset="{narrow}">'
    return f'<picture>{source}<img alt="{escape(page.title)}" src="{wide}"></picture>'


def _ranking(board: Board, colours: Mapping[str, str] | None = None) -> str:
    """Return the answer with the leaderboard, and the places."""
    answer = [*board.headline(written(board.stability)), *map(escape, board.suspicions)]
    # no pointer tells it on paper
    meanings, verdicts = words.meanings(board.stability.words), set(board.rows["verdict"])
    told = words.capitalised("; ".join(f"{name}: {text}" for name, text in meanings.items() if name in verdicts))
    told += "." * bool(told)
    table = Leaderboard(board)
    note = f'<div class="small notes">{table.notes(escape(told))}</div>'
    places = _picture(drawn_by("places", board, colours)) if board.movers else ""
    return _section("Ranking", _as_on_the_page(table), note, places, answer=answer)


def _pairs(board: Board) -> Iterable[str]:
    """Yield all pairs, those first that need a look."""
    if len(board.pairs) < 2:
        return
    shown, part = listed_pairs(board.pairs, board.stability)
    cells = pair_cells(shown, board.stability)
    titles = {title: "text" + " plain" * title.startswith(("Verdict", "Difference")) for title in cells}
    table = _table(titles, zip(*cells.values(), strict=True))
    answer, details = pairs_answer(board.stability)
    part += f"; all {len(board.pairs):,} are in Pairs (CSV)" * (len(shown) < len(board.pairs))
    note = escape(" ".join(key_of(board.stability, [*cells])))
    yield _section("Pairs", table, answer=[answer, *details, f"{part}." * bool(part)], note=note)


def _cutoffs(view: View, board: Board, colours: Mapping[str, str] | None) -> str:
    """Return what the cut-off changes."""
    found = cutoffs_of(view, best_of(board.in_order().names) if board.is_filtered else ())
    picture = _picture(found.figures(colours, banded_of(found.drawn), view.measure.cutoff)["Curves"])
    return _section("Cut-offs", picture, answer=[found.sentence, *found.details])


def _queries(view: View, board: Board) -> str:
    """Return where the ties of the feature matter that they can change most."""
    feature = by_spread(board.rows)[0]
    blamed = cached.study(view, blame, feature=feature, by="spread")
    ends = [*board.rows.loc[feature, ["tie_low", "tie_high"]]]
    answer = queries_answer(blamed, feature=feature, by="spread", measure=called(view.measure), ends=ends)
    is_much = (blamed["spread"] > words.SAME).sum() > 2  # what one or two queries do is said
    picture = _picture(drawn_by("queries", blamed, feature=feature, measure=view.measure)) if is_much else ""
    return _section("Queries", picture, answer=[answer])


def _ties(view: View, board: Board) -> str:
    """Return how tied the features are, and whether tie-breaks correlate with relevance."""
    cutoff = view.measure.cutoff
    described = cached.study(view, anatomy, cutoffs=() if cutoff is None else (cutoff,), rel=mixed_from(view.measure))
    answer, details = ties_answer(described, view.measure, cutoff=cutoff)
    columns = ["tied", "tied_mixed", *described.filter(like="cut_in_")]
    ordered = described.loc[list(board.names), columns].sort_values(["tied_mixed", "tied"], ascending=False)
    shares = ordered.apply(in_percent).map(percent)
    table = _table({"Feature": "text"} | dict.fromkeys(map(title_of, columns), ""), shares.itertuples(name=None))
    return _section("Ties", table, answer=[answer, *details, bias_answer(board)])


def _judges(view: View, colours: Mapping[str, str] | None) -> tuple[str, list[tuple[str, str]]]:
    """Return whether the order survives another judge, or of judges alone how far they agree, and the code for it."""
    data = view.dataset
    if len(data.judges) < 2 or data.counts is not None:
        return "", []
    if not data.has_judges:
        near = cached.nearest(data, next(iter(data.judges)))
        titles = {title: "text" if title in OF_WORDS else "" for title in near.cells}
        table = _table(titles, zip(*near.cells.values(), strict=True))
        section = _section("Judges", table, answer=[*map(escape, near.sentences)], note=escape(near.key))
        return section, [(as_agreement(data, near.judge), "")]
    judged = replace(view, dataset=data.judged_systems)
    try:
        found = cached.judges(judged)
    except TiecoreError as error:
        return _section("Judges", answer=[escape(str(error))]), []
    section = _section("Judges", _picture(drawn_by("judges", found, colours)), answer=[*map(escape, found.sentences)])
    return section, [(as_python(judged, JUDGED), as_command(judged, JUDGED))]


def _as_on_the_page(table: Leaderboard) -> str:
    """Return the leaderboard without its buttons, for nothing answers to them here."""
    html = table.in_html(LIGHT).replace('<button type="button"', "<b")
    return f'<div class="board">{html.replace("</button>", "</b>")}</div>'


def _data(view: View) -> str:
    data = view.dataset
    counts = cached.coverage(data, view.settings).to_dict("index")
    titles, rows = ("Feature", "File", "Queries", "Documents", "Better is", "Coverage", "SHA-256"), []
    for feature in data.used:
        file, facts = data.file(feature.file), counts[feature.name]
        sizes = map(words.count, (facts["queries"], facts["documents"]))
        better = "lower" if feature.lower_is_better else "higher"
        coverage = words.coverage(facts, file.records.ignored) or "complete"
        rows.append([feature.name, file.name, *sizes, better, coverage, f"{file.digest[:16]}…"])
    shown = {feature.file for feature in data.used}  # of grades that are features too, the table has the same
    judged = "".join(
        f"<p>{'Judgments' if digest == data.judgments else 'Another judge'}: <strong>{escape(name)}</strong> "
        f"({escape(data.file(digest).kind)}); SHA-256 {digest[:16]}…</p>"
        for name, digest in data.judges.items()
        if digest not in shown
    )
    table = _table(dict.fromkeys(titles, "text") | {"Queries": "", "Documents": ""}, rows)
    odd = "".join(f"<p>{escape(note)}</p>" for note in data.strays.values())
    return _section("Data", judged, odd, table)


def _table(titles: Mapping[str, str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table as HTML; ``titles``: with the classes of their columns."""

    def row(tag: str, cells: Iterable[str]) -> str:
        marked = zip(titles.items(), cells, strict=True)  # a phone shows the title of a column before each of its cells
        shown = (f'<{tag} class="{kind}" data-of="{escape(of)}">{escape(cell)}</{tag}>' for (of, kind), cell in marked)
        return "".join(["<tr>", *shown, "</tr>"])

    body = "".join(row("td", cells) for cells in rows)
    return f'<div class="scroll"><table><thead>{row("th", titles)}</thead><tbody>{body}</tbody></table></div>'
