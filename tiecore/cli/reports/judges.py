"""Leaderboards under several judges as tables."""

from __future__ import annotations

from tiecore.cli import commands
from tiecore.cli.load import CONVENTIONS, chosen, reading
from tiecore.cli.messages import say
from tiecore.cli.render.numbers import decimals_for, figures, texts
from tiecore.cli.render.tables import Column, Report, Sheet, Table, legend_of, table_of
from tiecore.comparing.judges import JUDGE_COLUMNS, Judges, judges


def report(request: commands.Judges) -> Report:
    """Return the tables that are asked for, by default all that have rows."""
    how = chosen(request, CONVENTIONS)
    with reading(request, "evaluating"):
        found = judges(request.named, [request.qrels, *request.features], request.measure, **how)
    for note in found.notes:
        say(note, kind="warning")
    agreement = "tau_b, tau_ap, kappa, n_queries, n_documents"
    tables = {"leaderboards": _leaderboards(found)}
    for part, frame, name, shown in (
        ("agreement", found.agreement.reset_index(), "how far the judges agree", f"judge_a, judge_b, {agreement}"),
        ("reversed", found.reversed, "clearly the other way round under another judge", [*map(str, found.reversed)]),
        ("only", found.only, "clear under one judge alone", [*map(str, found.only)]),
    ):
        tables[part] = table_of(frame, shown, keys=2, about={"measure": str(found.measure)}, name=name)
    meaning = JUDGE_COLUMNS | dict.fromkeys(found.studies, "value and place under this judge; in brackets the group")
    sheets = [
        Sheet(name=name, tables=[tables[name]], legend=legend_of([tables[name]], meaning.get))
        for name in request.parts or tables
        if tables[name].n_rows or name in request.parts
    ]
    return Report(sheets=sheets, remarks=[str(found)])


def _leaderboards(found: Judges) -> Table:
    boards = [*map(found.by_judge, ("value", "place", "group"))]
    columns = [Column(heading="feature", values=list(boards[0].index), key=True)]
    for judge in found.studies:
        value, place, group = (board[judge].to_numpy() for board in boards)
        cells = zip(figures(value, decimals_for(value)), place, group, strict=True)
        columns.append(Column(heading=judge, values=[f"{text} #{p} ({g})" for text, p, g in cells], write=texts))
    name = "value, place and group under each judge"
    about, paper = {"measure": str(found.measure)}, lambda top, label: found.in_latex(label=label, top=top)
    return Table(data=found.leaderboards.reset_index(), about=about, name=name, columns=columns, paper=paper)
