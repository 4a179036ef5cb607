"""Bring judgments and features together, or refuse what does not fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np

from tiecore.collection.alignment import Alignment, Source
from tiecore.collection.join import Joined, Match, join, no_common_query, shown_ids
from tiecore.errors import AlignmentError, FormatError, TiecoreError, listed, shortened
from tiecore.formats.arrays import arrow_numbers, pc
from tiecore.formats.records import Records
from tiecore.ties.groups import UNJUDGED

Unmatched = Literal["refuse", "omit"]

_FEW_GRADES = 1 << 16


def align(
    qrels: Records,
    features: Sequence[tuple[str, Records, str]],
    *,
    ascending: Iterable[str] = (),
    unmatched: Unmatched | Literal["keep"] = "refuse",
) -> Alignment:
    """Bring judgments and features together.

    ``unmatched``: a feature none of whose queries is judged, or none of whose documents, is an error (``"refuse"``) or
    left out (``"omit"``); in a part of a collection it may be so (``"keep"``).
    """
    lower_is_better = (ascending,) if isinstance(ascending, str) else tuple(ascending)
    _check_names(features, lower_is_better)
    if unmatched not in ("refuse", "omit", "keep"):
        raise TiecoreError(f"unknown unmatched={shortened(unmatched)}: expected 'refuse' or 'omit'")
    if qrels.grades is None:
        raise FormatError(
            qrels.source, None, "it has no grades: give it as a feature, and a file of judgments as qrels"
        )
    distinct = list({id(records): records for _, records, _ in features}.values())
    omitted: dict[str, str] = {}
    if unmatched == "omit":
        strangers = {
            id(records): str(no_common_query(records, qrels)) for records in distinct if _is_strange(records, qrels)
        }
        distinct = [records for records in distinct if id(records) not in strangers]
        omitted = {name: strangers[id(records)] for name, records, _ in features if id(records) in strangers}
    pool, matches = join(qrels, distinct)
    match_of = {id(records): match for records, match in zip(distinct, matches, strict=True)}
    for name, records, column in features:
        if (
            unmatched != "keep"
            and name not in omitted
            and (problem := _no_judged_document(pool, qrels, records, column, match_of[id(records)]))
        ):
            if unmatched == "refuse":
                raise AlignmentError(
                    f"{problem}, or leave such features out: unmatched='omit', in the command --unmatched omit"
                )
            omitted[name] = problem
    if features and len(omitted) == len(features):
        raise AlignmentError(next(iter(omitted.values())))
    grades, own = _levels(qrels.grades)
    level = np.zeros(len(pool.query), dtype=own.dtype)
    level[: len(own)] = own
    return Alignment(
        query_ids=pool.query_ids,
        document_ids=pool.document_ids,
        query=pool.query,
        level=level,
        grades=grades,
        n_judged=len(own),
        by_query=np.argsort(pool.query, kind="stable"),
        ends=np.cumsum(np.bincount(pool.query, minlength=len(pool.query_ids))),
        ascending=frozenset(lower_is_better) - omitted.keys(),
        sources={
            name: Source(records.source, records.features, column, match_of[id(records)], records.rank, records.ignored)
            for name, records, column in features
            if name not in omitted
        },
        omitted=omitted,
    )


def _levels(grades: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(n_levels,) grade of each level, that of unjudged documents first; and the (n_judged,) level of each grade."""
    lowest = int(grades.min())
    if int(grades.max()) - lowest >= _FEW_GRADES:
        distinct, place = np.unique(grades, return_inverse=True)
        level = place + 1
    else:  # as always, almost: counted sooner than sorted
        above = grades - lowest if lowest else grades
        is_found = np.bincount(above) > 0
        distinct = lowest + np.flatnonzero(is_found)
        level = np.cumsum(is_found).astype(np.min_scalar_type(len(distinct) + 1))[above]
    levels = np.concatenate([[UNJUDGED], distinct])
    return levels, level.astype(np.min_scalar_type(len(levels)), copy=False)


def _is_strange(records: Records, qrels: Records) -> bool:
    """Return whether no query of a file is judged."""
    own = records.query.dictionary
    known = pc.is_in(own, value_set=qrels.query.dictionary.cast(own.type)).take(records.query.indices)
    return len(known) > 0 and not pc.any(known).as_py()


def _no_judged_document(pool: Joined, qrels: Records, records: Records, column: str, match: Match) -> str:
    """Return what is wrong with a feature none of whose documents is judged; nothing if one is, or if it has none."""
    n_judged = len(qrels.document)
    is_judged = match.document < n_judged
    if is_judged.all():  # as in a table that holds judgments too: to read each of its columns twice would take long
        return ""
    scores = records.features[column]

    def is_scored(kept: np.ndarray) -> np.ndarray:
        own = scores[kept if match.row is None else match.row[kept]]
        return ~np.isnan(own) if own.dtype.kind == "f" else np.ones(len(own), dtype=bool)

    if is_scored(np.flatnonzero(is_judged)).any():
        return ""
    scored = np.flatnonzero(is_scored(np.arange(len(match.document))))
    if not len(scored):
        return ""
    query = pool.query[match.document[scored[0]]]
    of_query = match.document[scored[pool.query[match.document[scored]] == query]]
    judged_of_query = np.flatnonzero(pool.query[:n_judged] == query)
    own, judged_ids = (
        shown_ids(pool.document_ids.take(arrow_numbers(documents))) for documents in (of_query, judged_of_query)
    )
    return (
        f"{records.source}: no document that {shortened(column)} scores is judged: for query "
        f"{shortened(pool.query_ids[int(query)].as_py())} it has {own}, the judgments {judged_ids}; "
        "look for a prefix, leading zeros or another collection"
    )


def _check_names(features: Sequence[tuple[object, Records, str]], ascending: Iterable[object]) -> None:
    file_of: dict[str, str] = {}
    for name, records, _ in features:
        if not isinstance(name, str):
            raise TiecoreError(f"the name of a feature must be text, found {shortened(name)}")
        if name in file_of:
            raise AlignmentError(
                f"two features are named {shortened(name)} ({file_of[name]} and {records.source}): "
                "give one another name"
            )
        file_of[name] = records.source
    for name in ascending:
        if not isinstance(name, str) or name not in file_of:
            raise TiecoreError(
                f"ascending names {shortened(name)}, which is no feature; there are {listed(list(file_of))}"
            )
