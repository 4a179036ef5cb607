"""Values measured elsewhere, reported as those of an evaluation are."""

from __future__ import annotations

from dataclasses import replace

from tiecore.cli.commands import Compare
from tiecore.cli.load import chosen, reading
from tiecore.cli.render.tables import Report
from tiecore.cli.reports.stability import report_of
from tiecore.comparing import compare


def report(request: Compare) -> Report:
    """Compare the systems."""
    how = chosen(request, "baseline margin aggregate level")
    with reading(request, "comparing"):
        study = compare(request.values, request.measure, higher_is_better=not request.lower, **how)
    found = report_of([study], request.parts)
    settings: dict[str, list[object]] = {"level": [study.level], "margin": [study.margin], "baseline": [study.baseline]}
    return replace(found, figures=lambda: [study.plot()], beside={"compare": lambda: settings})
