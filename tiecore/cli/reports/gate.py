"""The verdict on a candidate as a table."""

from __future__ import annotations

from tiecore.cli.render.numbers import names
from tiecore.cli.render.tables import Report, Sheet, Table, columns_of
from tiecore.comparing.gate import GATE_COLUMNS, Gate

__all__ = ["report_of"]

_SHOWN = "measure, verdict, baseline, candidate, difference, low, high, holm"


def report_of(found: Gate, *, status: int = 0) -> Report:
    """Return a row for each measure, with the verdict above and the reasons below."""
    frame = found.table.reset_index()
    table = Table(
        data=frame,
        name=f"{found.verdict}: candidate against baseline, margin {found.margin:g}",
        columns=columns_of(frame, _SHOWN, keys=1, writes={"measure": names}),
        notes=found.sentences,
    )
    legend = {name: meaning for name, meaning in GATE_COLUMNS.items() if name in _SHOWN.split(", ")}
    verdict: dict[str, list[object]] = {"verdict": [found.verdict], "margin": [found.margin]}
    sheet = Sheet(name="measures", tables=[table], legend=legend)
    return Report(command="gate", sheets=[sheet], beside={"gate": lambda: verdict}, status=status)
