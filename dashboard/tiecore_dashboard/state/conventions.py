"""The conventions that can be chosen: what each decides, its choices, and what each choice means.

The only place where they are described: the sidebar offers them, the page Method explains them, code, command lines and
reports name them.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tiecore.evaluation.engine import Options


class Convention(NamedTuple):
    """A convention that values depend on."""

    field: str
    """Of ``Options``; also the parameter of ``tiecore.evaluate()`` and, with hyphens, that of the command line."""
    key: str
    """Of the widget; also the parameter of the URL."""
    title: str
    values: Mapping[str, str]
    """What the user chooses, to the value of the field."""
    meanings: Mapping[str, str]
    """What the user chooses, to what it means; in Markdown."""

    @property
    def usual(self) -> str:
        """Value by default."""
        return str(getattr(Options(), self.field))

    @property
    def explained(self) -> str:
        """Every choice with its meaning, as a list in Markdown."""
        return "\n".join(f"- **{label}**: {meaning}" for label, meaning in self.meanings.items())


CONVENTIONS = (
    Convention(
        "precision",
        "precision",
        "Score precision",
        {name: name for name in ("float64", "float32", *(f"decimals:{n}" for n in range(10)))},
        {
            "float64": "only scores of the same number are tied; −0 equals 0",
            "float32": "tied if equal in single precision, as in trec_eval up to 9.0.8",
            "decimals:N": "tied if equal when rounded to N decimals, half to even: brings back ties that a tool has "
            "broken by changing scores in the last digits",
        },
    ),
    Convention(
        "queries",
        "queries",
        "Queries that count",
        {"all judged": "qrels", "common": "common"},
        {
            "all judged": "every query of the judgments; one that a feature does not list counts 0 in its mean and "
            "is left out of its pairs",
            "common": "only queries that every feature lists",
        },
    ),
    Convention(
        "no_relevant",
        "norel",
        "Queries without a relevant document",
        {"count 0": "zero", "skip": "skip"},
        {"count 0": "there is nothing to find in them", "skip": "they are left out of the mean"},
    ),
    Convention(
        "missing",
        "missing",
        "Judged documents without a score",
        {"unranked": "unranked", "last": "last"},
        {
            "unranked": "they are not in the ranking of the feature",
            "last": "all of them are tied after the scored ones; either way they count in recall and in the ideal "
            "ranking",
        },
    ),
)


def as_options(labels: Mapping[str, str]) -> Options:
    """Return the options for the user's choices by field; unknown choices become the defaults."""
    fields = {one.field: one.values.get(labels.get(one.field, ""), one.usual) for one in CONVENTIONS}
    return Options(**fields)  # type: ignore[arg-type]  # the values are those of the table above


def chosen(options: Options) -> Iterator[tuple[Convention, str]]:
    """Yield each convention with its choice."""
    for one in CONVENTIONS:
        value = getattr(options, one.field)
        yield one, next(label for label, own in one.values.items() if own == value)


def departures(options: Options) -> Iterator[tuple[Convention, str]]:
    """Yield the conventions that differ from the defaults, with their choices: these are stated."""
    return ((one, label) for one, label in chosen(options) if one.values[label] != one.usual)
