"""What a session has loaded: files, the features in them, and which file holds the judgments. No widgets here."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from tiecore import FormatError
from tiecore.collection.inputs import named_features
from tiecore.counts import Counts
from tiecore.formats import Records, as_feature
from tiecore_dashboard.files.kept import Folder
from tiecore_dashboard.files.questions import Answer, Question
from tiecore_dashboard.results.shelf import SHELF

__all__ = ["Content", "Dataset", "Feature", "LoadedFile", "Origin", "digest_of", "kind_of"]

Origin = Literal["sample", "upload", "server", "command line"]
_KINDS = {
    "qrels": "TREC qrels",
    "run": "TREC run",
    "table": "table",
    "letor": "LETOR",
    "json": "JSON",
    "memory": "table",
}
_SAMPLED_ROWS = 200
"""Rows of each file that are looked up in a candidate for the judgments."""


@dataclass(frozen=True, eq=False)  # no slots: what it holds as scores is made once
class Content:
    """What is in a file: documents, a table of counts, which is judgments and features at once, or measured values."""

    records: Records
    """Of a file without documents its names, and no rows."""
    counts: Counts | None = None
    values: pd.DataFrame | None = None
    """Values that were measured elsewhere, one a row: see :func:`tiecore.compare`."""

    @classmethod
    def of_counts(cls, name: str, counts: Counts) -> Content:
        """Take a table of counts."""
        no_rows = np.zeros(0, dtype=np.int64)
        records = replace(
            _without_rows(name, counts.judged_queries()),
            grades=no_rows,
            features=dict.fromkeys(counts.features, no_rows),
        )
        return cls(records, replace(counts, source=name))

    @classmethod
    def of_values(cls, name: str, values: pd.DataFrame) -> Content:
        """Take values that were measured elsewhere."""
        return cls(_without_rows(name, pa.array(values["item"].unique())), values=values)

    @cached_property
    def as_scores(self) -> Records:
        """Return its records in the role of features: the grades of TREC qrels are one, named by the file."""
        return as_feature(self.records)

    @property
    def nbytes(self) -> int:
        """About how many bytes it takes."""
        records = self.records
        scores = (
            records.features.values() if isinstance(records.features, dict) else ()
        )  # others are read when asked for
        tables = [] if self.counts is None else [self.counts.judged, *self.counts.scored.values()]
        columns = [records.grades, records.rank, records.lines, records.query, records.document, *scores, *tables]
        n_bytes = sum(0 if one is None else int(one.nbytes) for one in columns)
        return n_bytes + (0 if self.values is None else int(self.values.memory_usage().sum()))


def _without_rows(name: str, queries: pa.Array) -> Records:
    query = pa.DictionaryArray.from_arrays(pa.array([], pa.int32()), queries)
    return Records(source=name, kind="memory", query=query, document=pa.array([], pa.string()))


@dataclass(frozen=True, eq=False)
class LoadedFile:
    """A file that can be read. What is in it is on the shelf with all results, and read again where it has gone."""

    name: str
    """As the user knows it."""
    digest: str
    """SHA-256 of its bytes, by which everything computed from it is cached."""
    read: Callable[[], Content]
    n_bytes: int
    origin: Origin
    path: Path | None = None
    asked: tuple[Question, Answer] | None = None
    """Question about its columns, and the user's answer."""
    companions: tuple[str, ...] = ()
    """Files that were read along with it: names of its features, sizes of its groups."""
    folder: Folder | None = None
    """Where it lies until nobody needs it any more, if a visitor has brought it."""

    @property
    def content(self) -> Content:
        """What is in it; by its name as well, for a feature may be called after its file."""
        key = "file", self.digest, self.name
        try:
            with SHELF.turn(key):  # whoever asks while it is being read waits for that
                return SHELF.once(key, self.read, files=[self.digest], size=lambda found: found.nbytes)
        except FormatError as error:
            raise FormatError(self.name, error.line, error.problem) from None  # where it lies is nobody's business
        except OSError:
            raise FormatError(self.name, None, "has changed or gone since it was opened; open it again") from None

    @property
    def records(self) -> Records:
        """Its documents."""
        return self.content.records

    @property
    def counts(self) -> Counts | None:
        """Judgments and features at once, where it is a table of counts."""
        return self.content.counts

    @property
    def values(self) -> pd.DataFrame | None:
        """Values that were measured elsewhere, if it holds such."""
        return self.content.values

    @property
    def as_scores(self) -> Records:
        """Its records in the role of features."""
        return self.content.as_scores

    @property
    def is_everybodys(self) -> bool:
        """Whether it opens with the dashboard."""
        return self.origin in ("sample", "command line")

    @property
    def n_rows(self) -> int:
        """Rows of the file."""
        if self.values is not None:
            return len(self.values)
        return len(self.records.document) if self.counts is None else self.counts.n_rows

    @property
    def joint(self) -> frozenset[str]:
        """Columns of a table of counts that are counted together."""
        return frozenset() if self.counts is None else frozenset(self.counts.joint)

    @property
    def n_judged(self) -> int:
        """Documents that it judges."""
        return len(self.records.document) if self.counts is None else self.counts.n_judged

    @property
    def has_grades(self) -> bool:
        """Whether it can serve as the judgments."""
        return self.records.grades is not None

    @property
    def is_judgments_only(self) -> bool:
        """Whether it holds grades and nothing else."""
        return self.has_grades and not self.records.features

    @property
    def written(self) -> str:
        """What one would write in code to name the file."""
        return self.name if self.path is None or self.folder is not None else str(self.path)


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
    def identity(self) -> tuple[str, str, bool]:
        """What the values of the feature depend on; its name is not part of it."""
        return self.file, self.column, self.lower_is_better


@dataclass(frozen=True, eq=False)
class Dataset:
    """The files of a session and its features in the order of the user."""

    files: tuple[LoadedFile, ...] = ()
    features: tuple[Feature, ...] = ()
    judgments: str | None = None
    """Digest of the file that holds the judgments."""
    chosen: str | None = None
    """Digest of the file that the user has named as the judgments; a guess may change with further files."""
    misfits: Mapping[str, str] = field(default_factory=dict)
    """Digest of each file that does not fit the judgments, and why; its features take no part."""
    unmatched: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """File and column of each feature none of whose documents is judged, and why; it takes no part."""

    @property
    def qrels(self) -> LoadedFile | None:
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
        qrels = self.qrels
        return qrels is None or qrels.counts is None or {feature.column for feature in self.used} <= qrels.joint

    @property
    def used(self) -> tuple[Feature, ...]:
        """Features that take part, in the order of the user."""
        return tuple(
            feature
            for feature in self.features
            if feature.used
            and feature.file not in self.misfits
            and (feature.file, feature.column) not in self.unmatched
        )

    @property
    def key(self) -> tuple[object, ...]:
        """What everything computed from the dataset depends on."""
        return self.judgments, tuple((feature.name, *feature.identity) for feature in self.used)

    @property
    def is_sample(self) -> bool:
        """Whether this is what the dashboard opens with."""
        return bool(self.files) and all(file.origin == "sample" for file in self.files)

    @property
    def candidates(self) -> tuple[LoadedFile, ...]:
        """Files that could serve as the judgments."""
        return tuple(file for file in self.files if file.has_grades)

    @property
    def digest_of_candidate(self) -> dict[str, str]:
        """Names of the candidates, told apart by a number where several files have one, to their digests."""
        found: dict[str, str] = {}
        for file in self.candidates:
            found[_free(file.name, found)] = file.digest
        return found

    @property
    def judges(self) -> dict[str, str]:
        """Names of the files of judgments to their digests: the one in use first, then all that hold grades alone.

        Whole numbers in a JSON file may as well be scores.
        """
        found = {
            name: digest
            for name, digest in self.digest_of_candidate.items()
            if digest == self.judgments
            or (self.file(digest).is_judgments_only and self.file(digest).records.kind != "json")
        }
        return dict(sorted(found.items(), key=lambda one: one[1] != self.judgments))

    @property
    def judged_systems(self) -> Dataset:
        """The dataset without the features that are judgments themselves."""
        grades = {digest for digest in self.judges.values() if self.file(digest).is_judgments_only}
        return replace(self, features=tuple(one for one in self.features if one.file not in grades))

    def file(self, digest: str) -> LoadedFile:
        """Find a file."""
        return self._file_of[digest]

    def feature(self, name: str) -> Feature:
        """Find a feature by its name."""
        return self._feature_of[name]

    @cached_property
    def _file_of(self) -> dict[str, LoadedFile]:
        return {file.digest: file for file in self.files}

    @cached_property
    def _feature_of(self) -> dict[str, Feature]:
        return {feature.name: feature for feature in self.features}

    def add(self, files: Iterable[LoadedFile]) -> Dataset:
        """Load more files; one that is loaded already stays as it is."""
        known = {file.digest for file in self.files}
        new = []
        for file in files:
            if file.digest not in known:
                known.add(file.digest)
                new.append(file)
        return replace(self, files=(*self.files, *new))._settled()

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
        kept = tuple(file for file in self.files if file.digest not in gone)
        features = tuple(feature for feature in self.features if feature.file not in gone)
        judgments = None if self.judgments in gone else self.judgments
        return replace(self, files=kept, features=features, judgments=judgments)._settled()

    def judged_by(self, digest: str) -> Dataset:
        """Take the judgments from another file; the file that judged so far takes its place among the features."""
        position = next((i for i, feature in enumerate(self.features) if feature.file == digest), None)
        settled = replace(self, judgments=digest, chosen=digest)._settled()
        known = {(feature.file, feature.column) for feature in self.features}
        added = [feature for feature in settled.features if (feature.file, feature.column) not in known]
        if position is None or len(added) != 1 or len(settled.features) != len(self.features):
            return settled
        return settled.move(settled.features.index(added[0]), position)

    def change(
        self, row: int, *, name: str | None = None, lower_is_better: bool | None = None, used: bool | None = None
    ) -> Dataset:
        """Rename a feature, reverse its order, or leave it out; a name that is taken gets a number."""
        old = self.features[row]
        changed = replace(
            old,
            name=old.name if name is None or not name.strip() else " ".join(name.split()),
            lower_is_better=old.lower_is_better if lower_is_better is None else lower_is_better,
            used=old.used if used is None else used,
        )
        others = [feature.name for i, feature in enumerate(self.features) if i != row]
        changed = replace(changed, name=_free(changed.name, others))
        return replace(self, features=(*self.features[:row], changed, *self.features[row + 1 :]))

    def move(self, row: int, to: int) -> Dataset:
        """Move a feature to another position, counted from 0."""
        features = list(self.features)
        features.insert(min(max(to, 0), len(features) - 1), features.pop(row))
        return replace(self, features=tuple(features))

    def edited(self, edits: Mapping[int, Mapping[str, object]]) -> tuple[Dataset, bool]:
        """Carry out the edits of a table with a row a feature.

        ``edits``: row to the cells that were changed: ``name``, ``lower``, ``use`` and ``position`` (from 1).

        Returns
        -------
        Dataset
            With all of them.
        bool
            Whether the rows of the table have changed, or a name is not the one that was typed.
        """
        data, differs = self, False
        for row, cells in edits.items():
            wanted, lower, used = cells.get("name"), cells.get("lower"), cells.get("use")
            data = data.change(
                row,
                name=wanted if isinstance(wanted, str) else None,
                lower_is_better=lower if isinstance(lower, bool) else None,
                used=used if isinstance(used, bool) else None,
            )
            differs |= "name" in cells and data.features[row].name != wanted
        for row, cells in edits.items():
            position = cells.get("position")
            if isinstance(position, int | float):
                data, differs = data.move(row, int(position) - 1), True
        return data, differs

    def _settled(self) -> Dataset:
        """Choose the judgments, unless the user has, and list all features; whether files fit is to be checked anew."""
        digests = {file.digest for file in self.candidates}
        chosen = self.chosen if self.chosen in digests else None
        judgments = chosen or next((file.digest for file in self.guesses), None)
        files = [file for file in self.files if _columns_of(file, judgments=judgments)]
        columns_of = {file.digest: dict.fromkeys(_columns_of(file, judgments=judgments)) for file in files}
        kept = [feature for feature in self.features if feature.column in columns_of.get(feature.file, {})]
        listed = {(feature.file, feature.column) for feature in kept}
        taken = {feature.name for feature in kept}
        names = iter(named_features([file.as_scores for file in files]))
        for file in files:
            for column in columns_of[file.digest]:
                wanted, _, _ = next(names)
                if (file.digest, column) not in listed:
                    name = _free(wanted or file.name, taken)
                    taken.add(name)
                    is_ascending = file.counts is not None and column in file.counts.ascending
                    kept.append(Feature(name, file.digest, column, lower_is_better=is_ascending))
        return replace(self, features=tuple(kept), judgments=judgments, chosen=chosen, misfits={}, unmatched={})

    @property
    def guesses(self) -> tuple[LoadedFile, ...]:
        """Files that could serve as the judgments, the likeliest first."""
        if len(self.candidates) < 2:
            return self.candidates
        n_judged_files = _n_judged_files(self.candidates, self.files)
        return tuple(
            sorted(
                self.candidates,
                key=lambda file: (
                    *_unlikeliness(file, n_judged_files),
                    -n_judged_files[file.digest],
                    -len(file.records.document),
                ),
            )
        )

    @property
    def is_judge_clear(self) -> bool:
        """Whether the user has named the judgments, or one candidate is likelier than all others."""
        if self.chosen is not None or len(self.candidates) < 2:
            return True
        n_judged_files = _n_judged_files(self.candidates, self.files)
        likeliest, second, *_ = sorted(_unlikeliness(file, n_judged_files) for file in self.candidates)
        return likeliest < second


def _unlikeliness(file: LoadedFile, n_judged_files: Mapping[str, int]) -> tuple[bool, bool, bool, bool]:
    """Return the reasons against a file as the judgments, the gravest first.

    Judgments should judge documents of the loaded files, at least of half as many as another candidate does. They are
    most likely in a file of nothing else, and least likely in a JSON file, whose numbers may be scores.
    """
    judges_few = 2 * n_judged_files[file.digest] < max(n_judged_files.values())
    is_named_so = "qrel" in file.name.lower()
    return judges_few, not file.is_judgments_only, file.records.kind == "json", not is_named_so


def _n_judged_files(candidates: Sequence[LoadedFile], files: Sequence[LoadedFile]) -> dict[str, int]:
    """Return, for each candidate, how many files score documents that it judges, as far as a sample shows."""
    samples = [_sample(file) for file in files]
    file_of_row = np.repeat(np.arange(len(files)), [len(query) for query, _ in samples])
    queries = pa.concat_arrays([query for query, _ in samples])
    documents = pa.concat_arrays([document for _, document in samples])
    found = {}
    for candidate in candidates:
        records = candidate.records
        is_known = pc.and_(
            pc.is_in(queries, value_set=records.query.dictionary.cast(pa.large_string())),
            pc.is_in(documents, value_set=records.document.cast(pa.large_string())),
        )
        matched = {int(file) for file in np.unique(file_of_row[is_known.to_numpy(zero_copy_only=False)])}
        found[candidate.digest] = sum(
            # a file of grades alone is no feature while it judges
            bool(file.as_scores.features) and (file is not candidate or not file.is_judgments_only)
            for place, file in enumerate(files)
            if place in matched
        )
    return found


def _sample(file: LoadedFile) -> tuple[pa.Array, pa.Array]:
    """Return the queries and documents of some rows, evenly spread over a file."""
    records = file.records
    rows = pa.array(np.unique(np.linspace(0, max(0, len(records.document) - 1), _SAMPLED_ROWS).astype(np.int64)))
    if not len(records.document):
        rows = rows[:0]
    return records.query.take(rows).cast(pa.large_string()), records.document.take(rows).cast(pa.large_string())


def _columns_of(file: LoadedFile, *, judgments: str | None) -> Sequence[str]:
    """Features of a file; grades of qrels and numbers of a JSON file are judgments or scores, not both at once."""
    if file.digest == judgments and file.records.kind in ("json", "qrels"):
        return ()
    return list(file.as_scores.features)


def _free(name: str, taken: Container[str]) -> str:
    number = 2
    free = name
    while free in taken:
        free = f"{name} ({number})"
        number += 1
    return free


def digest_of(data: bytes | bytearray | memoryview) -> str:
    """Digest of the bytes of a file."""
    return hashlib.sha256(data).hexdigest()


def kind_of(file: LoadedFile) -> str:
    """What kind of file it was recognised as."""
    records = file.records
    if file.counts is not None:
        return "table of counts, judgments and scores"
    if file.values is not None:
        return "values already measured"
    what = (
        "judgments and scores" if file.has_grades and records.features else "judgments" if file.has_grades else "scores"
    )
    if records.kind == "json" and file.has_grades:
        what = "whole numbers"
    return f"{_KINDS.get(records.kind, records.kind)}, {what}"
