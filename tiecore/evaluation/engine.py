"""Measures of features over all judged queries: expectation, spread, extremes and every tie-break asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar, cast, get_args

import numpy as np

from tiecore.collection.align import Unmatched, align
from tiecore.collection.alignment import DEFAULT_CACHE, Alignment
from tiecore.collection.inputs import FeatureInput, QrelsInput, load
from tiecore.errors import TiecoreError, check_draws, listed, shortened, unknown_choice
from tiecore.evaluation.result import Evaluation
from tiecore.evaluation.statistics import STATISTICS
from tiecore.evaluation.values import Values
from tiecore.formats.source import parquet_files
from tiecore.measures import Measure, measure, values_of
from tiecore.measures.group_sums import Moment
from tiecore.threads import Progress, in_threads
from tiecore.ties.keys import parse_precision
from tiecore.ties.tie_breaks import TieBreak, tie_break

if TYPE_CHECKING:
    from tiecore.counts.table import Counts

Queries = Literal["qrels", "common"]
NoRelevant = Literal["zero", "skip"]
Missing = Literal["unranked", "last"]
DEFAULT_MEASURES = ("P@10", "AP", "RR", "nDCG@10")
_Name = TypeVar("_Name", bound=str | Measure | TieBreak)
_FEW_DOCUMENTS = 50_000
"""Documents that all features rank, up to which starting threads takes longer than what they save."""


@dataclass(frozen=True, slots=True)
class Options:
    """How values are computed and summed up; see :func:`evaluate`."""

    queries: Queries = "qrels"
    no_relevant: NoRelevant = "zero"
    missing: Missing = "unranked"
    precision: str = "float64"

    def __post_init__(self) -> None:
        """Refuse what is not an option, naming those there are."""
        for name, kind in {"queries": Queries, "no_relevant": NoRelevant, "missing": Missing}.items():
            if getattr(self, name) not in get_args(kind):
                raise unknown_choice(name, getattr(self, name), get_args(kind))
        if self.precision != "float64":
            parse_precision(self.precision)


_DEFAULT_OPTIONS = Options()


def evaluate(
    qrels: QrelsInput | Counts,
    features: FeatureInput | None = None,
    measures: Iterable[str | Measure] = DEFAULT_MEASURES,
    tie_breaks: Iterable[str | TieBreak] = (),
    *,
    queries: Queries = "qrels",
    no_relevant: NoRelevant = "zero",
    missing: Missing = "unranked",
    precision: str = "float64",
    unmatched: Unmatched = "refuse",
    ascending: Iterable[str] = (),
    only: Iterable[str] | None = None,
    statistics: Iterable[str] = STATISTICS,
    workers: int | None = None,
    cache_bytes: int = DEFAULT_CACHE,
    progress: Progress | None = None,
) -> Evaluation:
    """Evaluate features against relevance judgments.

    Parameters
    ----------
    qrels
        Path, open file, ``DataFrame(query_id, doc_id, relevance)`` or ``{query: {doc: grade}}``; or a table of counts,
        which is judgments and features at once, given alone (:func:`tiecore.count`).
    features
        Path, list of paths, ``{name: path | DataFrame(query_id, doc_id, score) | {query: {doc: score}}}`` or a frame
        with a column for each feature. None takes the features that stand beside the judgments.
    measures
        Names such as ``P@10``, ``AP(rel=2)``, ``nDCG(dcg='exp-log2')@10``.
    tie_breaks
        Names such as ``trec_eval``, ``docid-asc``, ``input``, ``random:7``, ``feature:clicks``.
    queries
        ``"qrels"``: every judged query counts, one that a feature does not list with 0; ``"common"``: only queries that
        every feature lists.
    no_relevant
        Queries without a relevant document count 0 (``"zero"``) or not at all (``"skip"``); relevant is what the
        measure's own threshold says.
    missing
        Judged documents that a feature does not score are not in its ranking (``"unranked"``) or form one last tie
        group (``"last"``), in queries that it does not list at all too.
    precision
        Scores are equal in ``"float64"``, in ``"float32"`` or when rounded to ``"decimals:N"``.
    unmatched
        A feature none of whose queries is judged, or none of whose documents, is refused (``"refuse"``) or left out
        (``"omit"``); ``Evaluation.warnings`` then names it.
    ascending
        Features for which lower is better.
    only
        Names of the features that take part, in this order; None takes all.
    statistics
        Which of ``expected``, ``sd``, ``worst``, ``best`` to compute.
    workers
        Threads; by default one for each processor.
    cache_bytes
        Memory for tie groups, so that what is asked for later need not sort them again.
    progress
        Called with the features done and the features in all; an exception raised in it stops the work.

    Examples
    --------
    >>> qrels = {"q": {"a": 0, "b": 1, "c": 0}}
    >>> e = evaluate(qrels, {"clicks": {"q": {"a": 2, "b": 1, "c": 1}}}, ["RR"], ["trec_eval"])
    >>> e.summary.round(3)
                     expected     sd  worst  best  trec_eval
    measure feature
    RR      clicks      0.417  0.083  0.333   0.5      0.333
    """
    if workers is not None:
        check_draws(workers, least=1, name="workers")
    options = Options(queries, no_relevant, missing, precision)
    wanted = parse_measures(measures)
    chosen, kept = parse_columns(tie_breaks, statistics)
    lower_is_better = _several(ascending, "ascending")
    counts = None if isinstance(qrels, Mapping) else counts_of(qrels)
    if counts is not None:
        if features is not None:
            raise TiecoreError(f"{counts.source} is a table of counts, features and judgments at once: give it alone")
        from tiecore.counts.aligned import aligned

        taking_part = None if only is None else _chosen(counts.features, only)
        alignment: Alignment = aligned(counts, only=taking_part, ascending=lower_is_better, unmatched=unmatched)
    else:
        judgments, named = load(cast("QrelsInput", qrels), features)
        if only is not None:  # two of one name are both there, and refused later
            names = _chosen([name for name, _, _ in named], only)
            named = [feature for name in names for feature in named if feature[0] == name]
        alignment = align(judgments, named, ascending=lower_is_better, unmatched=unmatched)
    alignment.cache.limit = cache_bytes
    return evaluate_alignment(
        alignment, wanted, chosen, options=options, statistics=kept, workers=workers, progress=progress
    )


def counts_of(given: object) -> Counts | None:
    """Return the table of counts that this is, if any; its reader is loaded only for what may be one."""
    if isinstance(given, Mapping) or (isinstance(given, str | PathLike) and not parquet_files(Path(given))):
        return None
    from tiecore.counts.read import as_counts

    return as_counts(given)


def _chosen(known: Sequence[str], only: Iterable[str]) -> list[str]:
    """Return names of features that take part, in their order, each once."""
    wanted = _several(only, "only")
    unknown = [name for name in wanted if name not in known]
    if unknown or not wanted:
        lacking = f"no feature is named {shortened(unknown[0])}" if unknown else "only names no feature"
        raise TiecoreError(f"{lacking}; there are {listed(known)}")
    return list(dict.fromkeys(wanted))


def _several(names: _Name | Iterable[_Name], what: str) -> tuple[_Name, ...]:
    """Return names as a tuple; a text is one name, never a sequence of letters."""
    if isinstance(names, str | Measure | TieBreak):
        return (names,)
    try:
        return tuple(names)
    except TypeError:
        raise TiecoreError(f"{what} must be names, found {shortened(names)}") from None


def parse_measures(names: str | Measure | Iterable[str | Measure]) -> tuple[Measure, ...]:
    """Read names of measures, each once."""
    wanted = tuple(dict.fromkeys(measure(name) for name in _several(names, "measures")))
    if not wanted:
        raise TiecoreError("no measures: name at least one, for example nDCG@10")
    return wanted


def parse_columns(
    tie_breaks: str | TieBreak | Iterable[str | TieBreak], statistics: str | Iterable[str]
) -> tuple[tuple[TieBreak, ...], tuple[str, ...]]:
    """Read names of tie-breaks and statistics, each once; tie-breaks best and worst are statistics by another name."""
    given, asked = _several(tie_breaks, "tie_breaks"), _several(statistics, "statistics")
    for name in given:
        if not isinstance(name, str | TieBreak):
            raise TiecoreError(f"a tie-break must be text, for example 'trec_eval', found {shortened(name)}")
    chosen = tuple(dict.fromkeys(name if isinstance(name, TieBreak) else tie_break(name) for name in given))
    unknown = [name for name in asked if name not in STATISTICS]
    if unknown:
        raise TiecoreError(f"unknown statistic {shortened(unknown[0])}: expected {', '.join(STATISTICS)}")
    names = {tie.name for tie in chosen}
    for taken in names & {f"{name} {what}" for name in names for what in ("place", "shift")}:
        raise TiecoreError(f"tie-break {shortened(taken)} has the name of a column of another one: rename the feature")
    kept = tuple(name for name in STATISTICS if name in asked or name in {tie.policy for tie in chosen})
    return tuple(tie for tie in chosen if tie.policy not in kept), kept


def evaluate_alignment(
    alignment: Alignment,
    measures: Iterable[str | Measure],
    tie_breaks: Iterable[str | TieBreak] = (),
    *,
    options: Options = _DEFAULT_OPTIONS,
    statistics: Iterable[str] = STATISTICS,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Evaluate what is aligned already; see :func:`evaluate`."""
    wanted = parse_measures(measures)
    chosen, kept = parse_columns(tie_breaks, statistics)
    features, blocks = tuple(alignment.sources), alignment.blocks()
    columns: list[str | TieBreak] = [*kept, *chosen]
    values = np.empty((len(wanted), len(features), len(columns), len(alignment.query_ids)))
    groups_of = partial(alignment.groups, precision=options.precision, missing=options.missing)

    def compute(task: tuple[int, tuple[int, int]]) -> None:
        f, queries = task
        groups = groups_of(features[f], queries=queries)
        for column, what in enumerate(columns):
            refined = groups
            if what not in ("expected", "sd"):
                refined = groups_of(features[f], what, queries=queries)  # refuses what it lacks
            seen = refined if len(groups.mixed) else groups.case(str(what))
            # variances add up over queries, standard deviations do not
            moment: Moment = "variance" if what == "sd" else "expected"
            key = moment, wanted, refined.key  # kept, so that a further tie-break costs itself alone
            values[:, f, column, slice(*queries)] = alignment.cache.get(key, partial(values_of, wanted, seen, moment))

    pieces = list(product(range(len(features)), blocks))
    if len(pieces) > 1 or progress is not None:
        if workers is None and alignment.n_ranked() < _FEW_DOCUMENTS:
            workers = 1
        in_threads(compute, pieces, workers=workers, progress=progress, of_each=len(blocks))
    else:
        for piece in pieces:
            compute(piece)
    values.flags.writeable = False
    counted = np.ones((len(wanted), values.shape[-1]), dtype=bool)
    if (options.queries, options.no_relevant) != ("qrels", "zero"):
        counted = queries_that_count(alignment, wanted, options)
        _refuse_nothing(counted, alignment, options)
    return Evaluation(
        Values(
            measures=wanted,
            features=features,
            tie_breaks=chosen,
            statistics=kept,
            options=options,
            alignment=alignment,
            array=values,
            counted=counted,
        )
    )


def queries_that_count(alignment: Alignment, measures: Sequence[Measure], options: Options) -> np.ndarray:
    """(n_measures, n_queries) bool: the queries that count in the summary."""
    counted = np.ones((len(measures), alignment.n_queries), dtype=bool)
    if options.queries == "common":
        counted &= alignment.common_queries()
    if options.no_relevant == "skip":
        counted &= np.array([measure.has_relevant(alignment.judged) for measure in measures])
    return counted


def _refuse_nothing(counted: np.ndarray, alignment: Alignment, options: Options) -> None:
    """Refuse a measure for which no query counts."""
    if counted.any(axis=1).all():
        return
    if options.queries == "common" and not alignment.common_queries().any():
        raise TiecoreError("nothing to average: no query is listed by every feature; count all judged queries")
    which = "no query that every feature lists" if options.queries == "common" else "no query"
    raise TiecoreError(
        f"nothing to average: {which} has a relevant document; lower the threshold, or let such queries count 0"
    )
