"""The verdict on a candidate as a table."""

from __future__ import annotations

import click

from tiecore.cli import commands
from tiecore.cli.load import CONVENTIONS, chosen, reading, sources
from tiecore.cli.messages import say
from tiecore.cli.render.tables import Report, Sheet, legend_of, table_of
from tiecore.comparing import gate, gate_values
from tiecore.comparing.gate import GATE_COLUMNS


def report(request: commands.Gate) -> Report:
    """Return a row for each measure, with the verdict above and the reasons below."""
    given = (request.qrels, *request.features)
    if len(given) != (2 if request.values else 3):
        wanted = "BASELINE CANDIDATE --values FILE" if request.values else "QRELS BASELINE CANDIDATE"
        raise click.UsageError(f"expected {wanted}, found {len(given)} names")
    with reading(request, "evaluating") as progress:
        if request.values:
            how = chosen(request, "margin") | {"higher_is_better": not request.lower}
            found = gate_values(request.values, given[0], given[1], request.measures, **how)
        else:
            qrels, features = sources(request)
            baseline, candidate = features or []
            how = chosen(request, f"{CONVENTIONS} margin")
            found = gate(qrels, baseline, candidate, request.measures or ("nDCG@10",), **how, progress=progress)
    doubt = ["cannot tell whether the candidate is worse"] if found.verdict == "cannot tell" else []
    for note in (*found.notes, *doubt):
        say(note, kind="warning")
    table = table_of(
        found.table.reset_index(),
        "measure, verdict, baseline, candidate, difference, low, high, holm",
        name=f"{found.verdict}: candidate against baseline, margin {found.margin:g}",
        notes=found.sentences,
    )
    sheet = Sheet(name="measures", tables=[table], legend=legend_of([table], GATE_COLUMNS.get))
    verdict: dict[str, list[object]] = {"verdict": [found.verdict], "margin": [found.margin]}
    status = {"pass": 0, "fail": 1, "cannot tell": 3 if request.strict else 0}[found.verdict]
    return Report(sheets=[sheet], beside={"gate": lambda: verdict}, status=status)
