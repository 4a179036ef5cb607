"""Tables of the page Queries: the queries of a feature, tie groups and documents of one list."""

from collections.abc import Mapping

from tiecore_dashboard.charts.columns import PERCENT, Columns, columns
from tiecore_dashboard.charts.look import Mark
from tiecore_dashboard.words import known_as


def query_columns(marks: Mapping[str, Mark], *, first: str, has_sd: bool) -> Columns:
    """Queries of a feature, what they are ordered by before everything else; the picture shows worst and best case."""
    found = columns(
        {
            "spread": ("Spread", "%.4f"),
            "expected": ("Expected", "%.4f"),
            "cut_tie": ("Tie at the cut", "%,d"),
            **({"sd": ("SD", "%.4f")} if has_sd else {}),
        }
    )
    shifts = {f"{name} shift": f"{mark.glyph} {known_as(name)}" for name, mark in marks.items()}
    own = found.get(first) or columns({first: (shifts[first], "%+.4f")})[first]
    share = columns({"cumulative": ("Share", PERCENT)}) if first != "expected" else {}
    query = columns({"query_id": "Query"}, {"query_id": "id as in the files"}, widths={"query_id": 76})
    return query | {first: own} | share | found


def document_columns(marks: Mapping[str, Mark]) -> Columns:
    """Documents of one query."""
    titles: dict[str, str | tuple[str, str]] = {
        "doc_id": "Document",
        "grade": ("Grade", "%d"),
        "relevant": "Relevant",
        "score": ("Score", ""),
        "group": ("Group", "%d"),
        "first_rank": ("Ranks from", "%,d"),
        "last_rank": ("to", "%,d"),
    }
    titles |= {f"{name} rank": (f"{mark.glyph} {known_as(name)}", "") for name, mark in marks.items()}
    return columns(
        titles,
        {
            "doc_id": "id as in the files",
            "relevant": "counts as relevant for the measure",
            "score": "score that the feature gives it",
            "first_rank": "first rank that it can have",
            "last_rank": "last rank that it can have",
        },
    )
