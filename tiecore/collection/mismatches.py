"""What is wrong with judgments and features that do not fit together, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from tiecore.collection.alignment import Match
from tiecore.errors import AlignmentError, FormatError, TiecoreError, listed, shortened
from tiecore.formats.arrays import arrow_numbers
from tiecore.formats.records import Records
from tiecore.ties.keys import is_scored

_SHOWN_IDS = 3


def wrong_names(features: Sequence[tuple[str, Records, str]], ascending: Sequence[object]) -> TiecoreError:
    """Return what is wrong with the names of features, or with those for which lower is better."""
    file_of: dict[str, str] = {}
    for name, records, _ in features:
        if name in file_of:
            return AlignmentError(
                f"two features are named {shortened(name)} ({file_of[name]} and {records.source}): "
                "give one another name"
            )
        file_of[name] = records.source
    known = list(file_of)
    unknown = next(name for name in ascending if name not in known)
    return TiecoreError(f"ascending names {shortened(unknown)}, which is no feature; there are {listed(known)}")


def nothing_judged(
    pool: tuple[pa.Array, pa.Array, np.ndarray],
    qrels: Records,
    records: Records,
    column: str,
    match: Match,
) -> str:
    """Return what is wrong with a feature none of whose documents is judged; nothing if one is, or if it has none.

    ``pool``: ids of queries and documents, and the query of each document.
    """
    query_ids, document_ids, pool_query = pool
    if not len(match.document):
        return (
            f"{records.source} and {qrels.source} have no query in common: the first names "
            f"{shown_ids(records.query.dictionary)}, the second {shown_ids(qrels.query.dictionary)}; "
            "look for leading zeros, blanks or a prefix"
        )
    n_judged = len(qrels.document)
    has_score = is_scored(records.features[column])
    scored = match.document[has_score if match.row is None else has_score[match.row]]
    if (scored < n_judged).any() or not len(scored):
        return ""
    query = pool_query[scored[0]]
    of_query = scored[pool_query[scored] == query]
    judged_of_query = np.flatnonzero(pool_query[:n_judged] == query)
    own, judged_ids = (shown_ids(document_ids.take(arrow_numbers(some))) for some in (of_query, judged_of_query))
    return (
        f"{records.source}: no document that {shortened(column)} scores is judged: for query "
        f"{shortened(query_ids[int(query)].as_py())} it has {own}, the judgments {judged_ids}; "
        "look for a prefix, leading zeros or another collection"
    )


def check_left_out(problems: Mapping[str, str], n_features: int, unmatched: str) -> None:
    """Refuse features of which nothing is judged, unless some of them are to be left out and others are there."""
    if problems and (unmatched == "refuse" or len(problems) == n_features):
        way_out = ", or leave such features out: unmatched='omit', in the command --unmatched omit"
        raise AlignmentError(next(iter(problems.values())) + way_out * (unmatched == "refuse"))


def shown_ids(ids: pa.Array) -> str:
    """Return the first few ids for a message."""
    return listed(ids[: _SHOWN_IDS + 1].to_pylist(), most=_SHOWN_IDS)


def listed_twice(records: Records, row: np.ndarray | None, code: np.ndarray) -> FormatError:
    """Return that a file lists a document twice for a query; of several, the first in the file.

    ``row``: as in ``Match``; ``code``: (n_kept,) number of each document.
    """
    order = np.argsort(code, kind="stable")
    again = np.flatnonzero(code[order[1:]] == code[order[:-1]])
    rows = order if row is None else row[order]
    first = int(np.argmin(rows[again + 1]))
    earlier, later = int(rows[again][first]), int(rows[again + 1][first])
    conflict = ""
    if records.grades is not None and records.grades[earlier] != records.grades[later]:
        conflict = f" with grades {records.grades[earlier]} and {records.grades[later]}"
    is_file = records.kind != "memory"
    problem = (
        f"document {shortened(records.document[later].as_py())} of query {shortened(records.query[later].as_py())} "
        f"is listed twice{conflict}, first in {'line' if is_file else 'row'} {records.line(earlier)}"
    )
    is_one = len(records.document) > 2 and len(records.document.unique()) == 1
    way_out = _same_document(records) if is_one else "keep one of them"
    if is_file:
        return FormatError(records.source, records.line(later), f"{problem}: {way_out}")
    return FormatError(records.source, None, f"{problem}: {way_out} (again in row {records.line(later)})")


def _same_document(records: Records) -> str:
    """Return what to do where all rows name one document."""
    if records.kind not in ("qrels", "run"):
        return "all rows name this document; is another column that of the documents? If not, keep one of them"
    other, rest = ("iteration", "grade") if records.kind == "qrels" else ("Q0", "rank, score, tag")
    return (
        f"all lines name this document in their third column; are document and {other} swapped? Expected: query, "
        f"{other}, document, {rest}. If not, keep one of them"
    )
