"""Bring judgments and features together, or refuse what does not fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import numpy as np
import pyarrow as pa

from tiecore.collection.alignment import Alignment, Source
from tiecore.collection.join import Joined, Match, join
from tiecore.errors import AlignmentError, FormatError, TiecoreError, listed, shortened
from tiecore.formats.arrays import arrow_numbers
from tiecore.formats.records import Records
from tiecore.ties.groups import UNJUDGED
from tiecore.ties.keys import is_scored

Unmatched = Literal["refuse", "omit"]

_FEW_GRADES = 1 << 16
_SHOWN_IDS = 3


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
    pool, matches = join(qrels, distinct)
    match_of = {id(records): match for records, match in zip(distinct, matches, strict=True)}
    omitted = to_omit(
        {name: _nothing_judged(pool, qrels, own, column, match_of[id(own)]) for name, own, column in features},
        unmatched,
    )
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


def to_omit(problems: Mapping[str, str], unmatched: Unmatched | Literal["keep"]) -> dict[str, str]:
    """Return the features to leave out, with the reasons, or refuse them; ``problems``: of every feature, or empty."""
    omitted = {name: problem for name, problem in problems.items() if problem and unmatched != "keep"}
    if omitted and (unmatched == "refuse" or len(omitted) == len(problems)):
        way_out = ", or leave such features out: unmatched='omit', in the command --unmatched omit"
        raise AlignmentError(next(iter(omitted.values())) + way_out * (unmatched == "refuse"))
    return omitted


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


def _nothing_judged(pool: Joined, qrels: Records, records: Records, column: str, match: Match) -> str:
    """Return what is wrong with a feature none of whose documents is judged; nothing if one is, or if it has none."""
    if not len(match.document):
        return (
            f"{records.source} and {qrels.source} have no query in common: the first names "
            f"{shown_ids(records.query.dictionary)}, the second {shown_ids(qrels.query.dictionary)}; "
            "look for leading zeros, blanks or a prefix"
        )
    n_judged = len(qrels.document)
    is_judged = match.document < n_judged
    if is_judged.all():  # as in a table that holds judgments too: to read each of its columns twice would take long
        return ""
    has_score = is_scored(records.features[column])
    scored = np.flatnonzero(has_score if match.row is None else has_score[match.row])
    if is_judged[scored].any() or not len(scored):
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


def shown_ids(ids: pa.Array) -> str:
    """Return the first few ids for a message."""
    return listed(ids[: _SHOWN_IDS + 1].to_pylist(), most=_SHOWN_IDS)


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
