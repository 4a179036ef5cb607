"""Tables of the page Ties: anatomy, bias of tie-breaks, tie-breakers."""

import pandas as pd

from tiecore_dashboard.charts.columns import P_VALUE, PERCENT, Columns, columns
from tiecore_dashboard.words import known_as


def anatomy_columns(cutoff: int) -> Columns:
    """Anatomy of the features."""
    return columns(
        {
            "feature": "Feature",
            "tied": ("Tied", PERCENT),
            "tied_mixed": ("In mixed ties", PERCENT),
            "mean_tie": ("Mean tie", "%.1f"),
            "largest_tie": ("Largest tie", "%,d"),
            "values_per_query": ("Levels a query", "%.1f"),
            "values": ("Levels", "%,d"),
            "constant_queries": ("All tied", PERCENT),
            f"cut_in_tie@{cutoff}": (f"Cut {cutoff} in a tie", PERCENT),
            f"cut_in_mixed_tie@{cutoff}": ("in a mixed one", PERCENT),
        }
    )


def as_known(found: pd.DataFrame) -> pd.DataFrame:
    """Return a table with the tie-breaks of its index called as people know them; verdicts without name and advice."""
    names = [str(name) for name in found.index]
    verdicts = [
        verdict.removeprefix(f"{name} ").partition(": ")[0]
        for name, verdict in zip(names, found["verdict"], strict=True)
    ]
    return found.assign(verdict=verdicts).rename(index={name: known_as(name) for name in names})


def pooled_columns() -> Columns:
    """Bias of each tie-break, over all features."""
    return columns(
        {
            "tie_break": "Tie-break",
            "verdict": "Verdict over all features",
            "strongest": "Largest |z|",
            "z": ("z", "%.2f"),
            "p": ("p", P_VALUE),
            "features": ("Features with ties", "%d"),
            "lifted": ("Features lifted", "%d"),
        }
    )
