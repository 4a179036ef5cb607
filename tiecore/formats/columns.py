"""Names that columns of a table go by."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tiecore.errors import FormatError, listed, shortened

# The preferred name comes first: tools that write both `docno` and `docid` mean a running number by the latter.
QUERY_NAMES = ("query_id", "qid", "query-id", "topic_id", "topic-id", "query", "topic")
DOCUMENT_NAMES = (
    *("doc_id", "docno", "doc-id", "document_id", "document-id", "corpus-id"),
    *("docid", "document", "doc", "pid"),
)
LABEL_NAMES = ("relevance", "label", "grade", "rel", "human_label", "judgment")
IDLE_NAMES = re.compile(
    "|".join((r"|q0|iter|iteration|unnamed: \d+|__index_level_\d+__", *QUERY_NAMES, *DOCUMENT_NAMES))
)
"""Further ids, second columns of TREC files and indexes that data frames write along: no features of the document."""
BEIR_QRELS = {"query-id", "corpus-id", "score"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Which column of a table is what, by its name as written."""

    names: tuple[str, ...]
    """All of them."""
    query: str
    document: str
    label: str | None
    rank: str | None
    others: tuple[str, ...]
    """Columns that are features if they hold numbers."""


def plain(name: str) -> str:
    """Spelling by which a column is recognised."""
    return name.strip().casefold()


def find_columns(names: Sequence[str], *, source: str, line: int | None = None) -> Columns:
    """Recognise query, document and label columns; case is ignored.

    >>> found = find_columns(["QID", "docno", "label", "clicks", "iter"], source="x.csv")
    >>> found.query, found.document, found.label, found.others
    ('QID', 'docno', 'label', ('clicks',))
    """
    refuse_twice(filter(None, map(str.strip, names)), source=source, line=line)
    query, document = first_of(names, QUERY_NAMES), first_of(names, DOCUMENT_NAMES)
    if query is None or document is None:
        what, known = ("query", QUERY_NAMES) if query is None else ("document", DOCUMENT_NAMES)
        problem = f"no {what} column among {listed(names)}; name one of them {', '.join(known[:3])} or {known[-2]}"
        if query is not None:  # a value for each query and system needs no documents
            problem += " (values that were already measured: tiecore compare)"
        raise FormatError(source, line, problem)
    labels = [name for name in names if plain(name) in LABEL_NAMES]
    if len(labels) > 1:
        first, second, *_ = map(shortened, labels)
        problem = f"{first} and {second} could both hold the grades; rename the one that is a feature"
        raise FormatError(source, line, problem)
    if {plain(name) for name in names} == BEIR_QRELS:
        labels = [name for name in names if plain(name) == "score"]
    label, rank = labels[0] if labels else None, first_of(names, ("rank",))
    taken = (query, document, label, rank)
    others = tuple(name for name in names if name not in taken and not IDLE_NAMES.fullmatch(plain(name)))
    return Columns(names=tuple(names), query=query, document=document, label=label, rank=rank, others=others)


def refuse_twice(names: Iterable[str], *, source: str, line: int | None = None) -> None:
    """Raise if two columns have one name."""
    if repeated := sorted(name for name, times in Counter(names).items() if times > 1):
        raise FormatError(source, line, f"two columns are named {shortened(repeated[0])}; rename one")


def first_of(names: Sequence[str], preferred: Sequence[str]) -> str | None:
    """Return the name whose spelling comes first among the preferred ones."""
    by_spelling = {plain(name): name for name in reversed(names)}
    return next((by_spelling[name] for name in preferred if name in by_spelling), None)
