"""What is joined: judgments and features brought together, once for the files, and what does not fit.

Names, order and direction of the features are put on afterwards. The shelf holds all of it by the digests of the files,
so a session finds only what follows from the bytes that it holds.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import TypeVar

from tiecore.collection.align import align
from tiecore.collection.alignment import DEFAULT_CACHE, Alignment, Cache
from tiecore.counts.aligned import aligned
from tiecore.errors import FormatError, TiecoreError
from tiecore_dashboard.files.datasets import Dataset, Place
from tiecore_dashboard.results.memory import most_kept
from tiecore_dashboard.results.shelf import SHELF, bytes_of

_T = TypeVar("_T")
_STANDS_ALONE = (
    "a table of counts is judgments and features at once and holds no documents, so no other file can be held against "
    "it: remove one or the other"
)
_BYTES_A_SCORE = 32
"""What an alignment takes without its tie groups, for each document that a feature ranks; measured and rounded up."""
_GROUPS_A_SCORE, _LEAST_CACHE = 256, 4 << 20
"""Room for tie groups: without ties they take 56 bytes for each document, and 36 for each of five tie-breaks."""


def once(
    dataset: Dataset, key: tuple[Hashable, ...], compute: Callable[[], _T], *, size: Callable[[_T], int] = bytes_of
) -> _T:
    """Return a result of a dataset, computed where it is not on the shelf."""
    files = _files_of(dataset)
    return SHELF.once((dataset.judgments, files, *key), compute, files=[dataset.judgments or "", *files], size=size)


def fitted(dataset: Dataset) -> Dataset:
    """Leave out what does not fit the judgments; features are tried one by one only if not everything fits."""
    judging = {*dataset.judges.values()} - {dataset.judgments}
    twice = {one: found for one in judging if (found := _fault(replace(dataset, judgments=one)))}
    dataset = replace(dataset, unmatched={}, misfits={**dataset.misfits, **twice})
    if dataset.qrels is None or not dataset.used:
        return dataset
    try:
        omitted = _joined(dataset).omitted
    except TiecoreError as error:
        return fitted(replace(dataset, misfits={**dataset.misfits, **_misfits(dataset, error)}))
    place_of, places = _places(dataset), [one.place for one in dataset.used]
    return replace(dataset, unmatched={one: omitted[place_of[one]] for one in places if place_of[one] in omitted})


def _misfits(dataset: Dataset, reason: TiecoreError) -> dict[str, str]:
    """Return the files that do not fit, each with its reason: the judgments alone if they are at fault themselves."""
    own, judged = {dataset.judgments or "": str(reason)}, dataset.file(dataset.judgments or "")
    if _fault(dataset) or (isinstance(reason, FormatError) and reason.file == judged.name):
        return own
    return {file: found for file in _files_of(dataset) if (found := _fault(dataset, file))} or own


def _fault(dataset: Dataset, *files: str) -> str:
    """Return why the judgments, which may list a document twice, or some files do not fit; nothing if they do."""
    try:
        _together(dataset, files)
    except TiecoreError as error:
        return str(error)
    return ""


def alignment(dataset: Dataset) -> Alignment:
    """Bring judgments and features together."""
    joined, place_of = _joined(dataset), _places(dataset)

    def put_names() -> Alignment:
        return replace(
            joined,
            sources={one.name: joined.sources[place_of[one.place]] for one in dataset.used},
            ascending=frozenset(one.name for one in dataset.used if one.lower_is_better),
            omitted={},
        )

    return once(dataset, ("aligned", dataset.key), put_names)


def _joined(dataset: Dataset) -> Alignment:
    """Bring the files of the dataset together, with room for the tie groups of their features.

    The shelf counts the room that the groups may take, so that they go with the data.
    """

    def join_files() -> Alignment:
        joined = _together(dataset, _files_of(dataset))
        room = min(DEFAULT_CACHE, most_kept() // 3, _LEAST_CACHE + _GROUPS_A_SCORE * joined.n_ranked())
        return replace(joined, cache=Cache(room))

    def size(joined: Alignment) -> int:
        return _BYTES_A_SCORE * joined.n_ranked() + joined.cache.limit

    return once(dataset, ("joined",), join_files, size=size)


def _together(dataset: Dataset, files: Sequence[str]) -> Alignment:
    """Match the judgments and some files; features have the names of their places."""
    qrels = dataset.file(dataset.judgments or "")
    others = [dataset.file(digest) for digest in files if digest != qrels.digest]
    if others and any(file.counts is not None for file in (qrels, *others)):
        raise TiecoreError(_STANDS_ALONE)
    if qrels.counts is not None:
        return aligned(qrels.counts, unmatched="omit")
    return align(
        qrels.records,
        [
            (place, dataset.file(digest).content.as_scores, column)
            for (digest, column), place in _places(dataset).items()
            if digest in files
        ],
        unmatched="omit",
    )


def _places(dataset: Dataset) -> dict[Place, str]:
    """Name each column of the files in use by its place; those of a table of counts have names of their own.

    A column may be called after its file, and another session has the same bytes under another name.
    """
    return {
        (digest, column): column if dataset.counts is not None else f"{digest} {place}"
        for digest in _files_of(dataset)
        for place, column in enumerate(dataset.file(digest).content.as_scores.features)
    }


def _files_of(dataset: Dataset) -> tuple[str, ...]:
    """Digests of all files whose features take part."""
    return tuple(sorted({feature.file for feature in dataset.used}))
