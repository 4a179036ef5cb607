"""What a session has loaded: files, the features in them, and which file holds the judgments. No widgets here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, count
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tiecore import FormatError
from tiecore.board.sentences import cut
from tiecore.collection.inputs import named_features
from tiecore.comparing.grades import stray_grades
from tiecore.counts import Counts
from tiecore.formats import Records
from tiecore.ties.keys import changes, sums_before
from tiecore_dashboard.files.reading import File, Problem

_OF_PEOPLE = ("qrel", "human", "people", "assess", "gold", "truth")  # in the names of files that rather judge
MOST_FEATURES = 300
"""Features that take part unless somebody chooses more: pages of so many come within seconds."""
_SAMPLED_ROWS = 200
"""Rows of each file that are looked at, and looked up in a candidate for the judgments."""
Place = tuple[str, str]
"""Digest of a file, and a column of it."""


@dataclass(frozen=True, slots=True)
class Feature:
    """One column of scores, under the name that the user gave it."""

    name: str
    file: str
    """Digest of the file."""
    column: str
    lower_is_better: bool = False
    used: bool = True

    @property
    def place(self) -> Place:
        """Where its scores are."""
        return self.file, self.column


@dataclass(frozen=True, eq=False)
class Dataset:
    """The files of a session and its features in the order in which they came."""

    files: tuple[File, ...] = ()
    features: tuple[Feature, ...] = ()
    judgments: str | None = None
    """Digest of the file that holds the judgments."""
    chosen: str | None = None
    """Digest of the file that the user has named as the judgments; a guess may change with further files."""
    misfits: Mapping[str, str] = field(default_factory=dict)
    """Digest of each file that does not fit the judgments, and why; its features take no part."""
    unmatched: Mapping[Place, str] = field(default_factory=dict)
    """Place of each feature none of whose documents is judged, and why; it takes no part."""
    problems: tuple[Problem, ...] = ()
    """Files of the last loading that could not be read."""

    @property
    def qrels(self) -> File | None:
        """The file that holds the judgments, if it can be used."""
        return self.file(self.judgments) if self.judgments and self.judgments not in self.misfits else None

    @property
    def counts(self) -> Counts | None:
        """The table of counts that all of this comes from; None where there are documents."""
        return None if self.qrels is None else self.qrels.counts

    @property
    def is_measured(self) -> bool:
        """Whether all that is loaded are values that were measured elsewhere."""
        return bool(self.files) and all(file.values is not None for file in self.files)

    @property
    def has_tie_breakers(self) -> bool:
        """Whether the features can break the ties of each other: by documents, or since they are counted together."""
        return self.counts is None or {one.column for one in self.used} <= {*self.counts.joint}

    @property
    def used(self) -> tuple[Feature, ...]:
        """Features that take part, in the order in which they came."""
        return tuple(
            feature
            for feature in self.features
            if feature.used and feature.file not in self.misfits and feature.place not in self.unmatched
        )

    @property
    def used_files(self) -> list[File]:
        """Files that these come from."""
        return [self.file(digest) for digest in dict.fromkeys(feature.file for feature in self.used)]

    @property
    def key(self) -> tuple[object, ...]:
        """What everything computed from the dataset depends on."""
        return self.judgments, self.used

    @property
    def is_sample(self) -> bool:
        """Whether this is what the dashboard opens with."""
        return bool(self.files) and all(file.origin == "sample" for file in self.files)

    @property
    def title(self) -> str:
        """What the names of files call it: as its judgments, or as the first of its files."""
        return "sample" if self.is_sample else cut((self.qrels or self.files[0]).records.stem)

    @property
    def brought(self) -> Iterator[File]:
        """Files that do not open with the dashboard, among them those that wait for an answer."""
        files = (*self.files, *(one.source for one in self.problems if one.source))
        return (file for file in files if not file.is_everybodys)

    @property
    def candidates(self) -> tuple[File, ...]:
        """Files that could serve as the judgments."""
        return tuple(file for file in self.files if file.has_grades)

    @property
    def digest_of_candidate(self) -> dict[str, str]:
        """Names of the candidates, told apart by a number where several files have one, to their digests."""
        found: dict[str, str] = {}
        for file in self.candidates:
            found[_free(file.name, found)] = file.digest
        return found

    @cached_property
    def judges(self) -> dict[str, str]:
        """Names of the files of judgments to their digests: the one in use first, then all that hold grades alone.

        They are called as their features are, else as their files: without the ending where that tells them apart.
        Whole numbers in a JSON file may as well be scores.
        """
        judging = [one for one in self.candidates if one.digest == self.judgments or self._judges_too(one)]
        named = {one.file: one.name for one in self.features if self.file(one.file).is_judgments_only}
        times, found = Counter(file.records.stem for file in judging), dict[str, str]()
        for file in sorted(judging, key=lambda file: file.digest != self.judgments):
            stem = file.records.stem if times[file.records.stem] == 1 else file.name
            found[_free(named.get(file.digest, stem), found)] = file.digest
        return found

    def _judges_too(self, file: File) -> bool:
        """Whether a file that fits holds grades alone, of queries and of documents that the judgments have too."""
        if not file.is_judgments_only or file.records.kind == "json" or file.digest in self.misfits:
            return False
        own, known = file.records, self.file(self.judgments or "").records
        pairs = ((own.query.dictionary, known.query.dictionary), (own.document, known.document))
        return all(pc.any(pc.is_in(ids.cast(of.type), value_set=of)).as_py() for ids, of in pairs)

    @property
    def judged_systems(self) -> Dataset:
        """The dataset without the features that are judgments themselves."""
        grades = {digest for digest in self.judges.values() if self.file(digest).is_judgments_only}
        return replace(self, features=tuple(one for one in self.features if one.file not in grades))

    @property
    def strays(self) -> dict[str, str]:
        """What is odd about the grades of a judge."""
        return stray_grades({name: self.file(digest).records for name, digest in self.judges.items()})

    @property
    def has_judges(self) -> bool:
        """Whether several files judge documents, and at least two features are none of them."""
        return len(self.judges) > 1 and len(self.judged_systems.used) > 1 and self.counts is None

    def file(self, digest: str) -> File:
        """Find a file."""
        return self._file_of[digest]

    @cached_property
    def _file_of(self) -> dict[str, File]:
        return {file.digest: file for file in self.files}

    def add(self, files: Iterable[File]) -> Dataset:
        """Load more files; one that is loaded already stays as it is."""
        known = dict(self._file_of)
        for file in files:
            known.setdefault(file.digest, file)
        return replace(self, files=tuple(known.values()))._settled()

    def readable(self) -> Dataset:
        """Take away the files that can no longer be read."""
        gone = []
        for file in self.files:
            try:
                file.content  # noqa: B018  # reads it
            except FormatError:
                gone.append(file.digest)
        return self.remove(gone)

    def remove(self, digests: Iterable[str]) -> Dataset:
        """Take files away, with all that is in them."""
        gone = set(digests)
        return replace(self, files=tuple(file for file in self.files if file.digest not in gone))._settled()

    def judged_by(self, digest: str) -> Dataset:
        """Take the judgments from another file; the file that judged so far becomes a feature, if it can."""
        return replace(self, judgments=digest, chosen=digest)._settled()

    def change(self, row: int, **cells: Any) -> Dataset:
        """Change what a feature is called, its order, or whether it is used; a name that is taken gets a number."""
        old, others = self.features[row], {one.name for at, one in enumerate(self.features) if at != row}
        cells = {field: cell for field, cell in cells.items() if cell is not None}  # a cell that was emptied
        cells["name"] = _free(" ".join(cells.get("name", "").split()) or old.name, others)
        return replace(self, features=(*self.features[:row], replace(old, **cells), *self.features[row + 1 :]))

    def _settled(self) -> Dataset:
        """Choose the judgments, unless the user has, and list all features; whether files fit is to be checked anew."""
        chosen = self.chosen if self.chosen in self._n_judged else None
        judgments = chosen or next((file.digest for _, file in self._guesses), None)
        # grades alone and numbers of a JSON file are judgments or scores, not both at once
        two_roles = [one for one in self.files if one.records.features and one.records.kind != "json"]
        names = names_in([one for one in self.files if one.digest != judgments or one in two_roles])
        kept = [feature for feature in self.features if feature.place in names]
        listed, taken, fresh = {one.place for one in kept}, {one.name for one in kept}, set[str]()
        for (digest, column), wanted in names.items():
            if (digest, column) not in listed:
                file, name = self.file(digest), _free(wanted or self.file(digest).name, taken)
                falls = are_ranks(file.records) or (file.counts is not None and column in file.counts.ascending)
                kept.append(Feature(name, digest, column, lower_is_better=falls))
                taken.add(name)
                fresh.add(name)
        others = (self.file(one) for one, n in self._n_judged.items() if n and one != judgments)
        graded, off = {one.digest for one in others if one.is_judgments_only}, set[str]()
        if any(one.file not in graded for one in kept):  # else grades of another judge are all that can be ranked
            if all(one.file in graded for one in self.features):
                fresh |= taken
            off = fresh & {one.name for one in kept if one.file in graded}
        off |= fresh & {*[one.name for one in kept if one.used and one.name not in off][MOST_FEATURES:]}
        kept = [replace(one, used=False) if one.name in off else one for one in kept]
        return replace(self, features=tuple(kept), judgments=judgments, chosen=chosen, misfits={}, unmatched={})

    @cached_property
    def _guesses(self) -> list[tuple[tuple[bool, ...], File]]:
        """Files that could serve as the judgments, the likeliest first, and the reasons against each, gravest first.

        Judgments should judge documents of the loaded files, at least of half as many as another candidate does. They
        are most likely in a file of nothing else, and least likely in a JSON file, whose numbers may be scores.
        """
        n_judged, guesses = self._n_judged, list[tuple[tuple[bool, ...], File]]()
        for file in self.candidates:
            judges_few = 2 * n_judged[file.digest] < max(n_judged.values())
            is_json = file.records.kind == "json"
            is_nameless = not any(hint in file.name.lower() for hint in _OF_PEOPLE)
            guesses.append(((judges_few, not file.is_judgments_only, is_json, is_nameless), file))
        return sorted(guesses, key=lambda one: (one[0], -n_judged[one[1].digest], -len(one[1].records.document)))

    @property
    def is_judge_clear(self) -> bool:
        """Whether the user has named the judgments, or one candidate is likelier than all others."""
        return self.chosen is not None or len(self._guesses) < 2 or self._guesses[0][0] < self._guesses[1][0]

    @cached_property
    def _n_judged(self) -> dict[str, int]:
        """Digest of each of several candidates, and how many files score documents that it judges in a sample."""
        if len(self.candidates) < 2:
            return dict.fromkeys((one.digest for one in self.candidates), 0)
        samples = [_sample(file) for file in self.files]
        file_of_row = np.repeat(np.arange(len(samples)), [len(query) for query, _ in samples])
        queries, documents = (pa.concat_arrays(ids) for ids in zip(*samples, strict=True))
        found = {}
        for candidate in self.candidates:
            own = candidate.records.query.dictionary, candidate.records.document
            query, document = (ids.cast(pa.large_string()) for ids in own)
            is_known = pc.and_(pc.is_in(queries, value_set=query), pc.is_in(documents, value_set=document))
            matched = [self.files[place] for place in np.unique(file_of_row[is_known.to_numpy(zero_copy_only=False)])]
            # a file of grades alone is no feature while it judges
            others = [file for file in matched if file is not candidate or not file.is_judgments_only]
            found[candidate.digest] = sum(bool(file.content.as_scores.features) for file in others)
        return found


def are_ranks(records: Records) -> bool:
    """Whether the only scores of a table begin as ranks do: 1, 2, 3 … through the rows of each query."""
    if records.kind != "table" or len(records.features) != 1:
        return False
    (scores,) = records.features.values()
    is_first = changes(records.query.indices[:_SAMPLED_ROWS].to_numpy())
    return bool((scores[:_SAMPLED_ROWS] == sums_before(np.ones(len(is_first)), is_first) + 1).all())


def _sample(file: File) -> tuple[pa.Array, pa.Array]:
    """Return the queries and documents of some rows, evenly spread over a file."""
    records, n_rows = file.records, len(file.records.document)
    rows = pa.array(np.unique(np.linspace(0, n_rows - 1, min(n_rows, _SAMPLED_ROWS)).astype(np.int64)))
    return records.query.take(rows).cast(pa.large_string()), records.document.take(rows).cast(pa.large_string())


def names_in(files: Sequence[File]) -> dict[Place, str]:
    """Return the names of features before any renaming by their places, in the order of the files."""
    scored = [(file.digest, file.content.as_scores) for file in files]
    places = [(digest, column) for digest, records in scored for column in records.features]
    found = named_features([records for _, records in scored if records.features])
    return {place: name for place, (name, _, _) in zip(places, found, strict=True)}


def _free(name: str, taken: Container[str]) -> str:
    numbered = (f"{name} ({number})" for number in count(2))
    return next(free for free in chain([name], numbered) if free not in taken)
