"""What pages ask tiecore, computed once: keyed on digests of files and on settings, never on large arrays.

All of it is on the :data:`~tiecore_dashboard.results.shelf.SHELF`: keys begin with the digests of the files, so a
session finds only what follows from the bytes that it holds.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from typing import Any, TypeVar

import pandas as pd

from tiecore.board import Board, under_ties
from tiecore.collection.align import align
from tiecore.collection.alignment import Alignment
from tiecore.collection.coverage import coverage_of, matched_of
from tiecore.collection.kept import DEFAULT_CACHE, Cache
from tiecore.comparing import Judges
from tiecore.comparing import compare as compare_values
from tiecore.comparing import judges as compare_judges
from tiecore.comparing.files import joined, matrix_of
from tiecore.counts.aligned import aligned
from tiecore.diagnostics import flat_features, pooled_bias
from tiecore.errors import TiecoreError
from tiecore.evaluation.engine import evaluate_alignment, parse_measures, parse_tie_breaks
from tiecore.evaluation.result import Evaluation
from tiecore.measures import Measure
from tiecore.stability import SliceStability, Stability, slice_stability, stability
from tiecore.threads import Progress, in_threads
from tiecore_dashboard.files.datasets import Dataset
from tiecore_dashboard.results.memory import most_kept
from tiecore_dashboard.results.shelf import SHELF
from tiecore_dashboard.state.sidebar import Settings

__all__ = [
    "View",
    "alignment",
    "board",
    "bytes_of",
    "compared",
    "coverage",
    "evaluation",
    "flat",
    "judged",
    "judges",
    "matched",
    "slices",
    "stable",
    "study",
    "unmatched",
    "view",
    "with_measure",
]

_T = TypeVar("_T")
STANDS_ALONE = (
    "a table of counts is judgments and features at once and holds no documents, so no other file can be held against "
    "it: remove one or the other"
)
_BYTES_A_SCORE = 32
"""What an alignment takes without its tie groups, for each document that a feature ranks; measured and rounded up."""
_GROUPS_A_SCORE, _LEAST_CACHE = 192, 4 << 20
"""Room for tie groups: without ties they take 56 bytes for each document, and 36 for each tie-break."""


def bytes_of(result: object) -> int:
    """Return about how many bytes a result takes, without the evaluation that it is of."""
    if isinstance(result, pd.DataFrame):
        return int(result.memory_usage().sum())
    if isinstance(result, Mapping):
        return sum(map(bytes_of, result.values()))
    if isinstance(result, list | tuple | frozenset):
        return sum(map(bytes_of, result))
    if is_dataclass(result) and not isinstance(result, Alignment | Evaluation):
        return sum(bytes_of(getattr(result, one.name)) for one in fields(result))
    return int(getattr(result, "nbytes", 0))  # of NumPy or Arrow


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """What a page shows: the data, the settings, and the values that follow from them."""

    dataset: Dataset
    settings: Settings
    evaluation: Evaluation

    @property
    def key(self) -> Hashable:
        """What everything derived from the view is cached by."""
        return self.dataset.key, self.settings

    @property
    def measure(self) -> Measure:
        """The chosen measure."""
        return self.settings.measure

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features that take part, in the order of the user."""
        return self.evaluation.features

    @property
    def has_documents(self) -> bool:
        """Whether single documents are known: in a table of counts only their numbers are."""
        return self.dataset.counts is None

    @property
    def has_tie_breakers(self) -> bool:
        """Whether the features can break the ties of each other."""
        return self.dataset.has_tie_breakers

    @property
    def tie_breaks(self) -> tuple[str, ...]:
        """Names of the tie-breaks to compare."""
        return self.settings.tie_breaks

    @property
    def leaderboard(self) -> pd.DataFrame:
        """Features in order of their expectation; see ``Evaluation.leaderboard``."""
        return study(self, _leaderboard)


def _leaderboard(evaluation: Evaluation, *, measure: Measure) -> pd.DataFrame:
    return evaluation.leaderboard(measure)


def _once(
    dataset: Dataset, key: tuple[Hashable, ...], compute: Callable[[], _T], *, size: Callable[[_T], int] = bytes_of
) -> _T:
    """Return a result of a dataset, computed where it is not on the shelf."""
    judgments, scores = data = _data_of(dataset)
    return SHELF.once((data, *key), compute, files=[judgments or "", *scores], size=size)


def alignment(dataset: Dataset) -> Alignment:
    """Bring judgments and features together, once for the files; names, order and direction are put on afterwards."""
    qrels = dataset.qrels
    if qrels is None:
        msg = "alignment needs judgments"
        raise ValueError(msg)
    joined = _joined(dataset)
    place_of = _places(dataset)

    def put_names() -> Alignment:
        return replace(
            joined,
            sources={feature.name: joined.sources[place_of[feature.file, feature.column]] for feature in dataset.used},
            ascending=frozenset(feature.name for feature in dataset.used if feature.lower_is_better),
            omitted={},
        )

    return _once(dataset, ("aligned", dataset.key), put_names)


def unmatched(dataset: Dataset) -> dict[tuple[str, str], str]:
    """Return file and column of each feature in use none of whose documents is judged, and the reason."""
    omitted, place_of = _joined(dataset).omitted, _places(dataset)
    used = [(feature.file, feature.column) for feature in dataset.used]
    return {column: omitted[place_of[column]] for column in used if place_of[column] in omitted}


def _joined(dataset: Dataset) -> Alignment:
    """Bring the files of the dataset together; features have the names of their places.

    It also holds the tie groups of all its features, whatever they are called. The shelf counts the room that they may
    take, so that they go with the data.
    """
    qrels = dataset.qrels
    assert qrels is not None
    data = _data_of(dataset)

    def join_files() -> Alignment:
        counts = dataset.counts
        if counts is not None or any(dataset.file(digest).counts is not None for digest in data[1]):
            if counts is None or data[1] != (dataset.judgments,):
                raise TiecoreError(STANDS_ALONE)
            return bounded(_by_place(aligned(counts, unmatched="omit"), _places(dataset)))
        columns = [
            (place, dataset.file(digest).as_scores, column) for (digest, column), place in _places(dataset).items()
        ]
        return bounded(align(qrels.records, columns, unmatched="omit"))

    def bounded(joined: Alignment) -> Alignment:
        return replace(
            joined,
            cache=Cache(min(DEFAULT_CACHE, most_kept() // 3, _LEAST_CACHE + _GROUPS_A_SCORE * joined.n_ranked())),
        )

    def size(joined: Alignment) -> int:
        return _BYTES_A_SCORE * joined.n_ranked() + joined.cache.limit

    with SHELF.turn(data):  # whoever asks while it is done waits for that
        return _once(dataset, ("joined",), join_files, size=size)


def _by_place(found: Alignment, places: Mapping[tuple[str, str], str]) -> Alignment:
    """Call the features of a table of counts by their places."""
    place_of = {column: place for (_, column), place in places.items()}
    return replace(
        found,
        sources={place_of[name]: source for name, source in found.sources.items()},
        omitted={place_of[name]: reason for name, reason in found.omitted.items()},
        ascending=frozenset(),
    )


def _places(dataset: Dataset) -> dict[tuple[str, str], str]:
    """Name each column of the files in use by its place.

    It may be called after its file, and another session has the same bytes under another name.
    """
    return {
        (digest, column): f"{digest} {place}"
        for digest in _data_of(dataset)[1]
        for place, column in enumerate(dataset.file(digest).as_scores.features)
    }


def _data_of(dataset: Dataset) -> tuple[str | None, tuple[str, ...]]:
    """Digests of the judgments and of all files whose features take part."""
    return dataset.judgments, tuple(sorted({feature.file for feature in dataset.used}))


def evaluation(
    dataset: Dataset,
    settings: Settings,
    *,
    measures: Sequence[str | Measure] | None = None,
    tie_breaks: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Evaluate, once for the same data and settings; what is sorted once is not sorted again for other ones.

    Parameters
    ----------
    dataset, settings
        What to evaluate, and how.
    measures, tie_breaks
        Instead of those of the settings.
    progress
        Called with the features done and the features in all.
    """
    wanted = parse_measures([settings.measure] if measures is None else measures)
    chosen = parse_tie_breaks(settings.tie_breaks if tie_breaks is None else tie_breaks)
    aligned, options = alignment(dataset), settings.options
    return _once(
        dataset,
        ("evaluation", dataset.key, wanted, chosen, options),
        lambda: evaluate_alignment(aligned, wanted, chosen, options=options, progress=progress),
        size=lambda found: found.values.nbytes,
    )


def view(dataset: Dataset, settings: Settings, *, progress: Progress | None = None) -> View:
    """Evaluate what the settings ask for."""
    return View(dataset, settings, evaluation(dataset, settings, progress=progress))


def study(
    view: View, function: Callable[..., _T], *args: Hashable, measure: str | Measure | None = None, **options: Any
) -> _T:
    """Call ``function(evaluation, *args, measure=…, **options)`` once for the view; frames come as copies.

    This is how a page asks anything of tiecore: ``study(view, group_sizes, "clicks")``. ``measure`` is that of the view
    wherever the function has a parameter of that name.
    """
    parameters = _parameters(function)
    if "measure" in parameters and "measure" not in options:
        named = {"measure": view.measure if measure is None else measure}
    else:
        named = {}
    key = (
        function.__module__,
        function.__qualname__,
        view.key,
        args,
        tuple(sorted((name, value) for name, value in (options | named).items() if name != "progress")),
    )
    result = _once(view.dataset, key, lambda: function(view.evaluation, *args, **named, **options))
    return result.copy() if isinstance(result, pd.DataFrame) else result


def coverage(dataset: Dataset, settings: Settings, *, progress: Progress | None = None) -> pd.DataFrame:
    """One row for each feature: what was used, what was left out, how tied it is; see ``Evaluation.coverage``."""
    aligned, options, cutoff = alignment(dataset), settings.options, settings.cutoff

    def of(name: str) -> dict[str, float]:
        how = {"precision": options.precision, "missing": options.missing}
        return coverage_of(aligned, name, cutoff=cutoff, **how)

    def of_all() -> pd.DataFrame:
        rows = in_threads(of, aligned.features, progress=progress)
        return pd.DataFrame(rows, index=pd.Index(aligned.features, name="feature"))

    return _once(dataset, ("coverage", dataset.key, cutoff, options), of_all)


def judged(dataset: Dataset, settings: Settings) -> dict[str, float]:
    """Return, for each feature, the share of its first documents that have a judgment; of all where it lists fewer."""
    name, at = f"Judged@{settings.cutoff}", settings.cutoff

    def share() -> dict[str, float]:
        found = evaluation(dataset, settings, measures=[name], tie_breaks=()).leaderboard(name)["expected"]
        facts = {str(feature): matched_of(alignment(dataset), str(feature)) for feature in found.index}
        lengths = {feature: row["documents"] / max(1, row["queries"]) for feature, row in facts.items()}
        return {
            str(feature): min(1.0, value * at / max(1, min(at, lengths[str(feature)])))
            for feature, value in found.items()
        }

    return _once(dataset, ("judged", dataset.key, at, settings.options), share)


def judges(view: View) -> Judges:
    """Compare the features under each of the loaded files of judgments; see ``tiecore.judges``."""
    named, systems = view.dataset.judges, view.dataset
    sources = dict.fromkeys([*named.values(), *(one.file for one in systems.used)])

    def compare() -> Judges:
        features = {}
        for one in systems.used:
            records = systems.file(one.file).as_scores
            features[one.name] = replace(records, features={one.column: records.features[one.column]})
        return compare_judges(
            {name: systems.file(digest).records for name, digest in named.items()},
            features,
            view.measure,
            ascending=[one.name for one in systems.used if one.lower_is_better],
            **asdict(view.settings.options),
        )

    key = "judges", tuple(named.items()), systems.key, view.measure, view.settings.options
    return SHELF.once(key, compare, files=list(sources), size=bytes_of)


def compared(dataset: Dataset, measure: str | None, *, higher_is_better: bool = True) -> tuple[Stability, pd.DataFrame]:
    """Compare systems by values that were measured elsewhere; also returns these, systems × items."""
    files = [file.digest for file in dataset.files]

    def compare() -> tuple[Stability, pd.DataFrame]:
        values = joined([file.values for file in dataset.files if file.values is not None])
        return compare_values(values, measure, higher_is_better=higher_is_better), matrix_of(values, measure)[1]

    key = "compared", *((file.digest, file.name) for file in dataset.files), measure, higher_is_better
    return SHELF.once(key, compare, files=files, size=lambda found: sum(map(bytes_of, found)))


def matched(view: View) -> pd.DataFrame:
    """One row for each feature: which of its queries and documents are judged."""

    def count(evaluation: Evaluation) -> pd.DataFrame:
        rows = in_threads(lambda name: matched_of(evaluation.alignment, name), evaluation.features)
        return pd.DataFrame(rows, index=pd.Index(evaluation.features, name="feature"))

    key = "matched", view.dataset.key, view.settings.options
    return _once(view.dataset, key, lambda: count(view.evaluation))


def flat(view: View) -> tuple[str, ...]:
    """Features that are constant within each query; see ``tiecore.diagnostics.flat_features``."""
    key = "flat", view.dataset.key, view.settings.options
    return _once(view.dataset, key, lambda: flat_features(view.evaluation))


def stable(view: View, *, progress: Progress | None = None) -> Stability:
    """Find out which differences are clear, and what ties put at risk.

    ``progress``: called with the features drawn and the features in all.
    """
    return study(view, stability, measure=view.measure, progress=progress)


def board(view: View, *, progress: Progress | None = None) -> Board:
    """Return the leaderboard with all that is known of it: what sentence, table, figures and exports are made from.

    ``progress``: called with the features drawn and the features in all.
    """
    measure = view.measure
    known = stable(view, progress=progress)
    ties = study(view, under_ties, measure=measure, progress=progress)
    tested = study(view, pooled_bias, measure=measure, progress=progress) if view.tie_breaks else None
    return _once(
        view.dataset,
        ("board", view.key),
        lambda: Board.of_stability(known, ties=ties, bias=None if tested is None else tested.droplevel("measure")),
    )


def with_measure(view: View, measure: str, *, progress: Progress | None = None) -> View:
    """Return the same view under another measure."""
    (wanted,) = parse_measures([measure])
    settings = replace(view.settings, measure=wanted)
    return View(view.dataset, settings, evaluation(view.dataset, settings, progress=progress))


def slices(view: View, by: str | tuple[tuple[str, str], ...], *, progress: Progress | None = None) -> SliceStability:
    """Find out which differences are clear in slices of the queries.

    Parameters
    ----------
    view
        The view.
    by
        A known kind of slices, or pairs of a query and the name of its slice.
    progress
        Called with the pieces of work done and the pieces in all, for each slice anew.
    """

    def compute() -> SliceStability:
        parted = by if isinstance(by, str) else dict(by)
        return slice_stability(view.evaluation, view.measure, parted, progress=progress)

    return _once(view.dataset, ("slices", view.key, by), compute)


def _parameters(function: Callable[..., Any]) -> frozenset[str]:
    code = function.__code__
    return frozenset(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
