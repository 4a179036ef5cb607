"""What is wrong with judgments and features that do not fit together, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, permutations

import numpy as np
import pyarrow as pa

from tiecore.collection.alignment import Match
from tiecore.errors import AlignmentError, FormatError, TiecoreError, listed, shortened
from tiecore.formats.arrays import arrow_numbers, arrow_texts, pc
from tiecore.formats.records import Records
from tiecore.formats.sniff import FIELDS
from tiecore.ties.keys import is_scored

_SHOWN_IDS = 3
_QUERY, _DOCUMENT, _GRADE = 0, 2, 3
"""Places in the lines of TREC files; a run has its rank where judgments have their grade."""
_ORDINALS = "first", "second", "third", "fourth", "fifth", "sixth"


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
    unknown = next(name for name in ascending if name not in [*file_of])
    return TiecoreError(f"ascending names {shortened(unknown)}, which is no feature; there are {listed(file_of)}")


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
            "look for leading zeros, blanks, a prefix or an ending such as .0"
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


def misplaced(records: Records, others: Iterable[Records]) -> str:
    """Return which columns of a TREC file hold the ids of another file, where its columns are in another order.

    Nothing is said unless more ids of the first lines match in one way than in all others, and not as it was read.
    """
    fields = FIELDS[records.kind] if records.kind in ("qrels", "run") else ()
    lines = [line.split() for line in records.head.decode(errors="replace").split("\n")[:-1]]
    lines = [line for line in lines if len(line) == len(fields)]
    columns = list(zip(*lines, strict=True))
    texts = arrow_texts([*{*chain(*lines)}])
    for other in others if lines else ():
        row = np.flatnonzero(pc.is_in(other.document, value_set=texts.cast(other.document.type)))
        query_ids, document_ids = (ids.take(arrow_numbers(row)).to_pylist() for ids in (other.query, other.document))
        known = {*zip(query_ids, document_ids, strict=True)}
        n_known = {
            (query, document): sum(map(known.__contains__, zip(columns[query], columns[document], strict=True)))
            for query, document in permutations(range(len(fields)), 2)
            # grades may be called as queries are, or as documents, which have more names
            if query != _GRADE and len({*columns[document]}) >= len({*columns[_DOCUMENT]})
        }
        best = [places for places, n in n_known.items() if n == max(n_known.values())]
        if len(best) == 1 and best != [(_QUERY, _DOCUMENT)]:
            query, document = (_ORDINALS[place] for place in best[0])
            return (
                f"columns are out of order, as the {query} holds the queries of {other.source} and the {document} its "
                f"documents; expected {' '.join(fields)}"
            )
    return ""


def check_left_out(problems: Mapping[str, str], n_features: int, unmatched: str) -> None:
    """Refuse features of which nothing is judged, unless some of them are to be left out and others are there."""
    if problems and (unmatched == "refuse" or len(problems) == n_features):
        way_out = ", or leave such features out: unmatched='omit', in the command --unmatched omit"
        raise AlignmentError(next(iter(problems.values())) + way_out * (unmatched == "refuse"))


def shown_ids(ids: pa.Array) -> str:
    """Return the first few ids for a message."""
    return listed(ids[: _SHOWN_IDS + 1].to_pylist(), most=_SHOWN_IDS)


def listed_twice(
    records: Records, row: np.ndarray | None, code: np.ndarray, others: Iterable[Records] = ()
) -> FormatError:
    """Return that a file lists a document twice for a query; of several, the first in the file.

    ``row``: as in ``Match``; ``code``: (n_kept,) number of each document; ``others``: files whose ids may say why.
    """
    order = np.argsort(code, kind="stable")
    again = np.flatnonzero(code[order[1:]] == code[order[:-1]])
    rows = order if row is None else row[order]
    first = int(np.argmin(rows[again + 1]))
    earlier, later = int(rows[again][first]), int(rows[again + 1][first])
    what, columns = ("scores", records.features) if records.grades is None else ("grades", {"": records.grades})
    both = ((column[earlier], column[later]) for column in columns.values())
    conflict = next((f" with {what} {one} and {other}" for one, other in both if one != other), "")
    is_file = records.kind != "memory"
    problem = (
        f"document {shortened(records.document[later].as_py())} of query {shortened(records.query[later].as_py())} "
        f"is listed twice{conflict}, first in {'line' if is_file else 'row'} {records.line(earlier)}"
    )
    is_one = len(records.document) > 2 and len(records.document.unique()) == 1
    of_all = "all rows name this document; is another column that of the documents? If not, " * is_one
    of_all += f"{len(again):,} rows repeat one above; " * (len(again) > 1)
    way_out = misplaced(records, others) or f"{of_all}keep one of them, or give each system or judge a file of its own"
    if is_file:
        return FormatError(records.source, records.line(later), f"{problem}: {way_out}")
    return FormatError(records.source, None, f"{problem}: {way_out} (again in row {records.line(later)})")
