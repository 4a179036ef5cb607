"""Names that columns of a table go by."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tiecore.errors import FormatError, listed, shortened

__all__ = [
    "DOCUMENT_NAMES",
    "LABEL_NAMES",
    "QUERY_NAMES",
    "Columns",
    "feature_names",
    "find_columns",
    "no_numbers",
    "plain",
]

# The preferred name comes first: tools that write both `docno` and `docid` mean a running number by the latter.
QUERY_NAMES = ("query_id", "qid", "query-id", "topic_id", "topic-id", "query", "topic")
DOCUMENT_NAMES = ("doc_id", "docno", "doc-id", "document_id", "document-id", "corpus-id", "docid", "document", "pid")
LABEL_NAMES = ("relevance", "label", "grade", "rel")
# Second columns of TREC files and indexes that data frames write along; no feature of the document.
IDLE_NAMES = re.compile(r"|q0|iter|iteration|unnamed: \d+|__index_level_\d+__")
BEIR_QRELS = {"query-id", "corpus-id", "score"}


@dataclass(frozen=True, slots=True)
class Columns:
    """Which column of a table is what, by its name as written."""

    query: str
    document: str
    label: str | None
    others: tuple[str, ...]
    """Columns that are features if they hold numbers."""
    rank: str | None = None
    idle: tuple[str, ...] = ()
    """Columns that are no features whatever they hold."""


def plain(name: str) -> str:
    """Spelling by which a column is recognised."""
    return name.strip().casefold()


def find_columns(names: Sequence[str], *, source: str, line: int | None = None) -> Columns:
    """Recognise query, document and label columns; case is ignored.

    >>> find_columns(["QID", "docno", "label", "clicks"], source="x.csv")
    Columns(query='QID', document='docno', label='label', others=('clicks',), rank=None, idle=())
    """
    spelled = [name.strip() for name in names]
    repeated = sorted(name for name, times in Counter(spelled).items() if name and times > 1)
    if repeated:
        raise FormatError(source, line, f"two columns are named {shortened(repeated[0])}; rename one")
    query, document = _first(names, QUERY_NAMES), _first(names, DOCUMENT_NAMES)
    if query is None or document is None:
        what, known = ("query", QUERY_NAMES) if query is None else ("document", DOCUMENT_NAMES)
        problem = f"no {what} column among {listed(names)}; name one of them {', '.join(known[:3])} or {known[-2]}"
        raise FormatError(source, line, problem)
    labels = [name for name in names if plain(name) in LABEL_NAMES]
    if len(labels) > 1:
        first, second, *_ = map(shortened, labels)
        problem = f"{first} and {second} could both hold the grades; rename the one that is a feature"
        raise FormatError(source, line, problem)
    if {plain(name) for name in names} == BEIR_QRELS:
        labels = [name for name in names if plain(name) == "score"]
    label = labels[0] if labels else None
    rank = _first(names, ("rank",))
    is_idle = {name: _is_idle(name) for name in names if name not in (query, document, label, rank)}
    others = tuple(name for name in is_idle if not is_idle[name])
    idle = tuple(name for name in is_idle if is_idle[name])
    return Columns(query, document, label, others, rank, idle)


def feature_names(columns: Sequence[str], *, name: str | None, stem: str, source: str) -> dict[str, str]:
    """Map each column to the name of its feature.

    That is the name given by the caller, who may name only one; else the header, unless a single column is called
    `score` and its file says more.
    """
    if name is not None and len(columns) > 1:
        problem = (
            f"holds {len(columns)} features ({listed(columns)}), which cannot all be {shortened(name)}; drop the name"
        )
        raise FormatError(source, None, problem)
    if name is None and [plain(column) for column in columns] == ["score"]:
        name = stem
    return {column: column if name is None else name for column in columns}


def no_numbers(names: Sequence[str]) -> str:
    """Return the message for a table without features."""
    return f"no numeric column besides the ids among {listed(names)}; a feature is a column of numbers"


def _first(names: Sequence[str], preferred: Sequence[str]) -> str | None:
    """Return the name whose spelling comes first among the preferred ones."""
    by_spelling = {plain(name): name for name in reversed(names)}
    return next((by_spelling[name] for name in preferred if name in by_spelling), None)


def _is_idle(name: str) -> bool:
    return plain(name) in (*QUERY_NAMES, *DOCUMENT_NAMES) or IDLE_NAMES.fullmatch(plain(name)) is not None
