"""Measures of features over all judged queries: expectation, spread, extremes and every tie-break asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar, cast

import numpy as np

from tiecore.collection.align import Alignment, FeatureRows, Unmatched, align
from tiecore.collection.coverage import Ties, remember_ties
from tiecore.collection.inputs import FeatureInput, QrelsInput, load
from tiecore.collection.stack import Stack
from tiecore.counts.aligned import CountedAlignment, aligned
from tiecore.counts.read import as_counts
from tiecore.counts.table import Counts
from tiecore.errors import TiecoreError, listed, shortened
from tiecore.evaluation.result import Evaluation
from tiecore.evaluation.values import Missing, NoRelevant, Options, Queries
from tiecore.measures import Measure, expectations, measure, variances
from tiecore.measures.refinable import Refinable
from tiecore.threads import Progress, in_threads, n_processors
from tiecore.ties.groups import TieGroups
from tiecore.ties.shuffles import check_draws
from tiecore.ties.tie_breaks import TieBreak, tie_break

__all__ = [
    "DEFAULT_MEASURES",
    "STATISTICS",
    "evaluate",
    "evaluate_alignment",
    "evaluation_of",
    "shares_of_threads",
]

STATISTICS = ("expected", "sd", "worst", "best")
_DEFAULT_OPTIONS = Options()
DEFAULT_MEASURES = ("P@10", "AP", "RR", "nDCG@10")
_Name = TypeVar("_Name", bound=str | Measure | TieBreak)
_MANY_BLOCKS = 8
"""Blocks of queries for each thread, from which on threads that share them end together."""
_FEW_DOCUMENTS = 50_000
"""Documents that all features rank, up to which starting threads takes longer than what they save."""


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
    return evaluate_alignment(
        _aligned(qrels, features, only, ascending=_several(ascending, "ascending"), unmatched=unmatched),
        wanted,
        chosen,
        options=options,
        statistics=kept,
        workers=workers,
        progress=progress,
    )


def _aligned(
    qrels: QrelsInput | Counts,
    features: FeatureInput | None,
    only: Iterable[str] | None,
    *,
    ascending: Sequence[str],
    unmatched: Unmatched,
) -> Alignment:
    """Read and bring together judgments and features, or a table of counts."""
    counts = as_counts(qrels)
    if counts is not None:
        if features is not None:
            raise TiecoreError(f"{counts.source} is a table of counts, features and judgments at once: give it alone")
        chosen = None if only is None else _chosen(counts.features, only)
        return aligned(counts, only=chosen, ascending=ascending, unmatched=unmatched)
    judgments, named = load(cast("QrelsInput", qrels), features)
    if only is not None:  # two of one name are both there, and refused later
        chosen = _chosen([name for name, _, _ in named], only)
        named = [feature for name in chosen for feature in named if feature[0] == name]
    return align(judgments, named, ascending=ascending, unmatched=unmatched)


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


def parse_tie_breaks(names: str | TieBreak | Iterable[str | TieBreak]) -> tuple[TieBreak, ...]:
    """Read names of tie-breaks, each once; a name is also that of a column."""
    given = _several(names, "tie_breaks")
    for name in given:
        if not isinstance(name, str | TieBreak):
            raise TiecoreError(f"a tie-break must be text, for example 'trec_eval', found {shortened(name)}")
    return tuple(dict.fromkeys(name if isinstance(name, TieBreak) else tie_break(name) for name in given))


def parse_columns(
    tie_breaks: str | TieBreak | Iterable[str | TieBreak], statistics: str | Iterable[str]
) -> tuple[tuple[TieBreak, ...], tuple[str, ...]]:
    """Read names of tie-breaks and statistics; the tie-breaks best and worst are statistics by another name."""
    chosen, asked = parse_tie_breaks(tie_breaks), _several(statistics, "statistics")
    unknown = [name for name in asked if name not in STATISTICS]
    if unknown:
        raise TiecoreError(f"unknown statistic {shortened(unknown[0])}: expected {', '.join(STATISTICS)}")
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
    features = alignment.features  # made anew each time it is asked for
    n_columns = len(kept) + len(chosen)
    values = np.empty((len(wanted), len(features), n_columns, alignment.n_queries))

    if workers is None and alignment.n_ranked() < _FEW_DOCUMENTS:
        workers = 1
    n_workers = workers or n_processors()
    is_counted = isinstance(alignment, CountedAlignment)
    batches = [(name,) for name in features] if is_counted else alignment.batches(n_workers)
    side_by_side, of_one = shares_of_threads(alignment, len(batches), n_workers)
    first = np.cumsum([0, *map(len, batches)]).tolist()
    tell: Progress = progress or (lambda *_: None)
    finished: list[str] = []
    reported: list[str] = []

    def compute(batch: int) -> None:
        names, how = batches[batch], (wanted, chosen, options, kept)
        if is_counted:
            _fill_feature(values[:, first[batch]], alignment, names[0], *how, workers=of_one)
        else:
            _fill_features(values[:, first[batch] : first[batch + 1]], alignment, names, *how, workers=of_one)
        finished.extend(names)

    def report(*_: int) -> None:  # of features, not of batches
        for name in finished[len(reported) :]:
            reported.append(name)
            tell(len(reported), len(features))

    in_threads(compute, range(len(batches)), workers=side_by_side, progress=report)
    return evaluation_of(alignment, values, wanted, chosen, options=options, statistics=kept)


def shares_of_threads(alignment: Alignment, n_batches: int, n_workers: int) -> tuple[int, int]:
    """Return how many batches of features are evaluated side by side, and by how many threads each."""
    if isinstance(alignment, CountedAlignment) and len(alignment.block_bounds()) > _MANY_BLOCKS * n_workers:
        return 1, n_workers  # a large table has few features, and they would not end together
    # few batches leave processors idle: then the blocks of queries of one batch share them
    return n_workers, max(1, n_workers // max(1, n_batches))


def evaluation_of(
    alignment: Alignment,
    values: np.ndarray,
    measures: tuple[Measure, ...],
    tie_breaks: tuple[TieBreak, ...],
    *,
    options: Options,
    statistics: tuple[str, ...] = STATISTICS,
) -> Evaluation:
    """Return the evaluation that holds these values, (n_measures, n_features, n_columns, n_queries)."""
    values.flags.writeable = False
    return Evaluation(
        measures=measures,
        features=alignment.features,
        tie_breaks=tie_breaks,
        statistics=statistics,
        options=options,
        alignment=alignment,
        values=values,
        counted=_counted(alignment, measures, options),
    )


def _fill_feature(
    values: np.ndarray,
    alignment: Alignment,
    feature: str,
    measures: Sequence[Measure],
    tie_breaks: Sequence[TieBreak],
    options: Options,
    statistics: Sequence[str],
    *,
    workers: int | None,
) -> None:
    """Compute the values of one feature, (n_measures, n_columns, n_queries); variances under ``sd``."""
    rows = alignment.rows(feature, precision=options.precision, missing=options.missing)
    depths = [one.depth for one in measures if one.depth is not None]
    depth = max(depths) if len(depths) == len(measures) else None

    def of_block(block: FeatureRows) -> Ties:
        own = values[:, :, block.first_query : block.first_query + block.n_queries]
        groups = block.groups()
        seen = groups.top(depth)  # what measures look at; a few groups of a long list
        for column, statistic in enumerate(statistics):
            if statistic == "sd":
                own[:, column] = variances(measures, seen)
            else:
                case = seen if statistic == "expected" else seen.worst() if statistic == "worst" else seen.best()
                own[:, column] = expectations(measures, case)
        for column, tie in enumerate(tie_breaks, start=len(statistics)):
            own[:, column] = expectations(measures, block.groups(tie.key(block)))
        return Ties.of(groups)[0]

    remember_ties(rows, in_threads(of_block, list(rows.blocks()), workers=workers))


def _fill_features(
    values: np.ndarray,
    alignment: Alignment,
    features: Sequence[str],
    measures: Sequence[Measure],
    tie_breaks: Sequence[TieBreak],
    options: Options,
    statistics: Sequence[str],
    *,
    workers: int | None,
) -> None:
    """Compute the values of features that are evaluated together, (n_measures, n_features, n_columns, n_queries)."""
    every = [alignment.rows(name, precision=options.precision, missing=options.missing) for name in features]
    n_columns = len(statistics) + len(tie_breaks)
    # nothing is refined: it does not pay to tell apart the groups that a refinement would change
    is_plain = not tie_breaks and tuple(statistics) == ("expected",)

    def of_block(parts: tuple[FeatureRows, ...]) -> list[Ties]:
        stack = Stack(parts)
        groups, order = stack.with_order()
        own = np.empty((len(measures), n_columns, stack.n_queries))
        if is_plain:
            own[:, 0] = expectations(measures, groups)
        else:
            refinable = Refinable(measures, groups)
            _fill(own, refinable, stack.broken(refinable.mixed, order, tie_breaks), statistics)
        first, n_queries = parts[0].first_query, parts[0].n_queries
        by_feature = own.reshape(len(measures), n_columns, len(parts), n_queries)
        values[:, :, :, first : first + n_queries] = by_feature.swapaxes(1, 2)
        return Ties.of(groups, len(parts))

    ties = in_threads(of_block, list(zip(*(rows.blocks() for rows in every), strict=True)), workers=workers)
    for rows, of_feature in zip(every, zip(*ties, strict=True), strict=True):
        remember_ties(rows, of_feature)


def _fill(values: np.ndarray, refinable: Refinable, broken: Iterable[TieGroups], statistics: Sequence[str]) -> None:
    """Compute all columns; ``broken`` are the refinements of the groups that tie-breaks can change."""
    for column, statistic in enumerate(statistics):
        values[:, column] = refinable.statistic(statistic)
    for column, part in enumerate(broken, start=len(statistics)):
        values[:, column] = refinable.expectations(part)


def _counted(alignment: Alignment, measures: Sequence[Measure], options: Options) -> np.ndarray:
    """(n_measures, n_queries) queries that count in the summary."""
    counted = np.ones((len(measures), alignment.n_queries), dtype=bool)
    if options.queries == "common":
        counted &= alignment.common_queries()
        if not counted.any():
            raise TiecoreError("nothing to average: no query is listed by every feature; count all judged queries")
    if options.no_relevant == "skip":
        for m, measure in enumerate(measures):
            counted[m] &= measure.has_relevant(alignment.judged)
        if not counted.any(axis=1).all():
            which = "no query that every feature lists" if options.queries == "common" else "no query"
            raise TiecoreError(
                f"nothing to average: {which} has a relevant document; lower the threshold, or let such queries count 0"
            )
    return counted
