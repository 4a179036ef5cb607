"""Whether the order of the systems survives another judge."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from tiecore.board.latex import placed
from tiecore.board.sentences import cut
from tiecore.collection.inputs import FeatureInput, QrelsInput, read_once, read_records
from tiecore.comparing.grades import agreement_of_grades, coefficient, stray_grades
from tiecore.errors import TiecoreError, check_draws, check_seed, listed, shortened
from tiecore.evaluation.engine import evaluate
from tiecore.evaluation.intervals import FEWEST_QUERIES
from tiecore.evaluation.values import Values, rounded
from tiecore.latex import column_of, latex_of
from tiecore.measures import Measure
from tiecore.similarity.correlation import PairCounts
from tiecore.stability import Stability, stability_of_values
from tiecore.stability.agreement import taus
from tiecore.stability.paired import LEVEL, alpha_of
from tiecore.stability.sentences import direction, heading_of, queries_of, row_of

JUDGE_COLUMNS = {
    # leaderboards
    "value": "mean of the exact expectation over the queries of this judge",
    "place": "place under this judge; equal features share a place",
    "group": "1: not clearly worse than the best feature under this judge; 2: not clearly worse than the best of the "
    "others; and so on",
    # agreement
    "tau_b": "Kendall's tau-b of the two leaderboards on the queries of both judges: 1 same order, −1 reversed",
    "tau_b_low": "below it are 2.5 % of its values where the queries are drawn again, the same ones for both judges",
    "tau_b_high": "above it are 2.5 % of them",
    "tau_ap": "AP correlation: tau with more weight on swaps near the top; judge_a is the reference",
    "tau_ap_low": "below it are 2.5 % of its values in the same draws",
    "tau_ap_high": "above it are 2.5 % of them",
    "n_queries": "queries that both judges judged",
    "n_documents": "documents, for their queries, that both judged",
    "kappa": "Cohen's kappa of their grades with quadratic weights: 1 the same grades, 0 as by chance",
    "kappa_low": "lower end of its 95 % interval over the queries, by the jackknife; none for fewer than six queries",
    "kappa_high": "upper end of the same",
    "holm": "p of a paired t-test over the queries: its quadratic kappa against the highest, adjusted by Holm for all "
    "pairs of judges",
    "kappa_unweighted": "Cohen's kappa of their grades without weights: a near miss counts as much as a far one",
    "equal": "share of these documents to which both give the same grade",
    # reversed, only
    "leader": "the feature that is clearly better (under judge_a, or under the one judge)",
    "trailer": "the other feature",
    "difference": "mean difference under the judge",
    "elsewhere": "the same under the other judge, the lowest under several; below 0 the other feature is ahead there",
    "difference_a": "mean difference under judge_a, in favour of the leader",
    "difference_b": "the same under judge_b: below 0, and as clear",
}
"""Meaning of the columns of the tables."""
KEY = (
    "τ: how far two orders of the features agree, 1 for the same order and −1 for the reverse. τ-b, Kendall’s: every "
    "pair of features counts alike. τ AP: swaps near the top count more, and the first judge is the reference. "
    "κ: Cohen’s, of the grades."
)
"""What the words of agreement mean."""
_PAIR = ["leader", "trailer"]
_MOST_NAMED = 5
"""Judges of whom it is told one by one which feature each puts first."""


@dataclass(frozen=True, slots=True, eq=False)
class Judges:
    """The same systems under several judgments."""

    measure: Measure
    studies: dict[str, Stability]
    """What is clear under each judge."""
    agreement: pd.DataFrame
    """Index (judge_a, judge_b); columns as in ``JUDGE_COLUMNS``."""
    n_graded: dict[str, int]
    """Documents that each judge graded."""
    notes: tuple[str, ...] = ()
    """What does not match between the judgments and the systems; one left out under a judge is left out of all."""

    @property
    def leaderboards(self) -> pd.DataFrame:
        """One row for each judge and system: ``value``, ``place`` and ``group``."""
        boards = {judge: study.ranks.assign(value=study.values["expected"]) for judge, study in self.studies.items()}
        return pd.concat(boards, names=["judge"])[["value", "place", "group"]]

    def by_judge(self, column: str) -> pd.DataFrame:
        """Return a column of the leaderboards, a row for each system in the order of the first judge."""
        table = self.leaderboards[column].unstack("judge")  # pandas before 3 mixes rows up where it is not to sort
        judges = list(self.studies)
        return table.loc[self.studies[judges[0]].ranks.index, judges]

    @property
    def _leads(self) -> dict[str, dict[Any, float]]:
        """Differences of each two features under each judge, either way round."""
        rows = {judge: study.pairs[[*_PAIR, "difference"]].to_numpy().tolist() for judge, study in self.studies.items()}
        return {
            judge: {(a, b): lead for a, b, lead in own} | {(b, a): -lead for a, b, lead in own}
            for judge, own in rows.items()
        }

    @property
    def _clear(self) -> dict[str, dict[Any, float]]:
        """Differences that are clear under each judge, by leader and trailer."""
        tables = {judge: study.pairs[study.pairs["verdict"] == "clear"] for judge, study in self.studies.items()}
        return {judge: pairs.set_index(_PAIR)["difference"].to_dict() for judge, pairs in tables.items()}

    @property
    def reversed(self) -> pd.DataFrame:
        """Pairs that are clear one way under one judge and the other way under another, the largest first."""
        rows: list[tuple[Any, ...]] = []
        for (a, clear), (b, turned) in combinations(self._clear.items(), 2):
            rows += [(a, b, *pair, lead, -turned[pair[::-1]]) for pair, lead in clear.items() if pair[::-1] in turned]
        rows.sort(key=lambda row: row[5] - row[4])
        return pd.DataFrame(rows, columns=["judge_a", "judge_b", *_PAIR, "difference_a", "difference_b"])

    @property
    def swapped(self) -> pd.DataFrame:
        """Pairs that two judges put in opposite order: their difference under each judge, and whether that is clear.

        The leader is ahead, or level, under the first judge. ``verdict``: clear for what is ``reversed``, else open.
        """
        places = self.by_judge("place")
        clear = {frozenset(pair) for pair in self.reversed[_PAIR].itertuples(index=False)}
        leads, rows = self._leads.values(), []
        for pair in combinations(places.index, 2):
            gap = places.loc[pair[0]] - places.loc[pair[1]]
            if gap.min() < 0 < gap.max():
                own = (lead[pair] for lead in leads)
                rows.append((*pair, *own, "clear" if frozenset(pair) in clear else "open"))
        return pd.DataFrame(rows, columns=[*_PAIR, *self.studies, "verdict"])

    @property
    def only(self) -> pd.DataFrame:
        """Pairs that are clear under one judge alone, the largest difference first."""
        clear = [(judge, *pair, lead) for judge, own in self._clear.items() for pair, lead in own.items()]
        times = Counter(frozenset(pair) for _, *pair, _ in clear)
        alone = sorted((row for row in clear if times[frozenset(row[1:3])] == 1), key=lambda row: -row[3])
        leads = self._leads
        rows = [(*row, min(own[row[1:3]] for judge, own in leads.items() if judge != row[0])) for row in alone]
        return pd.DataFrame(rows, columns=["judge", *_PAIR, "difference", "elsewhere"])

    @property
    def sentences(self) -> list[str]:
        """Whether the order survives, what is clear under one alone; how far judges agree."""
        return self.told()

    def told(self, name: Callable[[Any], str] = str) -> list[str]:
        """Return the sentences with names of judges and systems written by ``name``."""
        sentences = [self._survival(name)]
        if self._pools_differ:
            graded = row_of([f"{n:,} by {name(judge)}" for judge, n in self.n_graded.items()])
            numbers = f"Documents graded: {graded}; what" if len({*self.n_graded.values()}) > 1 else "What"
            sentences.append(f"{numbers} differs may come from that as well as from the grades.")
        if len(self.only):
            sentences.append("That a pair is clear under one judge alone does not show that the judges differ.")
        sentences += filter(None, [direction(self.measure)])
        agreement = self.agreement.sort_values("tau_b", kind="stable")
        both = " and ".join(map(name, agreement.index[0]))
        if len(agreement) > 1:
            known = agreement["tau_b"].dropna()
            low, high = map(coefficient, (known.min(), known.max()))
            span = f"{low} for every pair of judges" if low == high else f"{low} ({both}) to {high}"
            told = [span] * bool(len(known))
            told += ["none where one of them has all features equal"] * (len(known) < len(agreement))
            return [*sentences, f"Kendall’s τ-b of the orders: {'; '.join(told)}."]
        found = f"Kendall’s τ-b of the two orders is {coefficient(agreement['tau_b'].iloc[0])}"
        if agreement["tau_b"].isna().any():
            found = "the orders have no τ-b, for under one all features are equal"
        n_queries = queries_of(int(agreement["n_queries"].iloc[0]))
        return [*sentences, f"{both}: on the {n_queries} that both judged, {found}."]

    @property
    def _pools_differ(self) -> bool:
        """Whether any two judges graded different documents."""
        of_both: dict[Any, int] = self.agreement["n_documents"].to_dict()
        return any({self.n_graded[judge] for judge in pair} != {n} for pair, n in of_both.items())

    def _survival(self, name: Callable[[Any], str]) -> str:
        """Say who is first under each judge, which pairs swap, and what is clear."""
        places = self.by_judge("place")
        firsts = {judge: row_of([*map(name, places.index[own == 1])]) for judge, own in places.items()}
        swapped = [row_of([*map(name, pair)]) for pair in self.swapped[_PAIR].itertuples(index=False)]
        n_clear = len({frozenset(pair) for pair in self.reversed[_PAIR].itertuples(index=False)})
        verdict, link = "The order does not survive" if n_clear else "Whether the order survives is open", "; "
        head = row_of([f"{name(judge)} puts {one} first" for judge, one in firsts.items()])
        if len(firsts) > _MOST_NAMED:
            most = Counter(firsts.values()).most_common(2)
            some = (f"{n:,} {'puts' if n == 1 else 'put'} {one} first" for one, n in most)
            head = f"of {len(firsts):,} judges, {' and '.join(some)}"
        if len({*firsts.values()}) == 1:
            verdict, link = ("The first place survives", ". ") if swapped else ("The order survives", "; ")
            groups = self.by_judge("group")
            clear = [name(judge) for judge, own in groups.items() if (own == 1).sum() == 1]
            others = [name(judge) for judge in groups if name(judge) not in clear]
            only = f"only under {row_of(clear)}" if clear else "under none"
            how = f"but clearly so {only}" if others else "clearly"
            if 0 < len(others) < len(clear):
                how = f"clearly so under all but {row_of(others)}"
            every = "both judges put" if len(firsts) == 2 else "every judge puts"
            head = f"{every} {next(iter(firsts.values()))} first, {how}"
        n_alone = len(self.only)
        alone = f"{n_alone:,} {'is' if n_alone == 1 else 'are'}" if n_alone else "none is"
        of_all = queries_of(math.comb(len(places), 2), "pair")
        swaps = f"{len(swapped):,} of {of_all} swap, {n_clear or 'none'} of them clearly"
        if len(swapped) < 2:
            alone = f"{queries_of(n_alone, 'pair')} {'is' if n_alone == 1 else 'are'}" if n_alone else "no pair is"
            only = "Only" if link == ". " else "only"
            swaps = (
                f"{only} {swapped[0]} swap, {'and clearly' if n_clear else 'but not clearly'}"
                if swapped
                else "no two swap"
            )
        pools = " The judges did not grade the same documents." * self._pools_differ
        return f"{verdict}: {head}{link}{swaps}; {alone} clear under one judge alone.{pools}"

    def in_latex(self, *, label: str = "judges", top: int = 0) -> str:
        """Return value and place of the first systems (0: of all) under each judge as a table for a paper."""
        boards = {judge: pd.DataFrame(self.leaderboards.loc[judge]) for judge in self.studies}
        names = list(next(iter(boards.values())).index)[: top or None]
        columns = [placed(cut(judge, 32, boards), board.loc[names]) for judge, board in boards.items()]
        caption = f"{heading_of(self.measure)}: value (place) under each judge. {self.sentences[0]}"
        features = column_of("Feature", [cut(str(name), 32, [*map(str, names)]) for name in names])
        return latex_of([features, *columns], caption=caption, label=label)

    def __str__(self) -> str:
        """Return how far the judges agree."""
        return " ".join(self.sentences)


def judges(
    judgments: Mapping[str, QrelsInput],
    features: FeatureInput,
    measure: str | Measure = "nDCG@10",
    *,
    draws: int = 1000,
    seed: int = 0,
    **options: Any,
) -> Judges:
    """Evaluate the same systems under several judgments, and compare the leaderboards.

    Parameters
    ----------
    judgments
        The judgments of each judge by its name, in any form that :func:`tiecore.evaluate` takes. Grades that a model
        gave are judgments like any other.
    features
        The systems, as in :func:`tiecore.evaluate`.
    measure
        One measure.
    draws, seed
        Of the intervals: so often the queries of both judges are drawn again.
    options
        Further ones of :func:`tiecore.evaluate`, such as ``missing``.

    Examples
    --------
    >>> human = {f"q{n}": {"a": 1, "b": 0, "c": 0} for n in range(40)}
    >>> model = {f"q{n}": {"a": 1, "b": 2, "c": 0} for n in range(40)}
    >>> one = {query: {"a": 3, "b": 2, "c": 1} for query in human}
    >>> two = {query: {"a": 2, "b": 3, "c": 1} for query in human}
    >>> found = judges({"human": human, "model": model}, {"one": one, "two": two})
    >>> found.by_judge("place")
    judge    human  model
    feature
    one          1      2
    two          2      1
    >>> found.reversed[["leader", "trailer"]].to_numpy().tolist()
    [['one', 'two']]
    """
    check_draws(draws, least=1)
    check_seed(seed)
    if len(judgments) < 2 or not hasattr(judgments, "items"):
        found = listed(list(map(str, judgments))) or "none"
        raise TiecoreError(f"expected the judgments of two judges or more, each by its name, found {found}")
    records = {str(name): read_records(str(name), given, "qrels") for name, given in judgments.items()}
    for name, own in records.items():
        if len(given := np.unique(np.asarray(own.grades))) == 1:
            problem = f"gives every document the grade {given[0]}, which tells no features apart"
            raise TiecoreError(f"{shortened(name)} {problem}; judge documents that are not relevant too")
    how = options | {"statistics": ("expected",)}
    systems = read_once(features)
    judged = {name: evaluate(own, systems, [measure], **how) for name, own in records.items()}
    first, *others = judged.values()
    kept = [one for one in first.features if all(one in other.features for other in others)]
    if len(kept) < 2:
        raise TiecoreError(f"judges can agree on the order of two features or more, found {listed(kept) or 'none'}")
    studies: dict[str, Stability] = {}
    rows, values, of_grades = {}, {}, agreement_of_grades(records)
    for name, evaluation in judged.items():
        studies[name], values[name] = _of_judge(evaluation.values, kept)
    for a, b in combinations(records, 2):
        if (a, b) not in of_grades.index:
            ids = " and ".join(listed([*map(str, records[name].query.unique().to_pylist())], most=2) for name in (a, b))
            raise TiecoreError(f"{a} and {b} share no judged document (their queries: {ids}): have they the same ids?")
        queries = sorted({*values[a]} & {*values[b]})
        of_both = (values[name][queries].to_numpy() for name in (a, b))
        rows[a, b] = _agreement_of_orders(*of_both, draws=draws, seed=seed)
    orders = pd.DataFrame.from_dict(rows, orient="index").rename_axis(of_grades.index.names)
    agreement = orders.join(of_grades[["n_documents", "kappa"]])
    notes = [f"{name}: {warning}" for name, evaluation in judged.items() for warning in evaluation.warnings]
    notes += stray_grades(records).values()
    n_graded = {name: len(own.document) for name, own in records.items()}
    return Judges(
        measure=first.measures[0], studies=studies, agreement=agreement, n_graded=n_graded, notes=tuple(notes)
    )


def _of_judge(values: Values, systems: list[str]) -> tuple[Stability, pd.DataFrame]:
    """Return what is clear between systems under a judge, and their values by query, more being better."""
    (used,), (counted,), aligned = values.measures, values.counted, values.alignment
    of_systems = values.of_counted(0)[[values.features.index(system) for system in systems], 0]
    listed = np.array([aligned.listed(system) for system in systems])[:, counted]
    study = stability_of_values(of_systems, systems, used, listed=listed)  # needs no draws of tied documents
    gains = used.sign * used.averaged(of_systems)
    return study, pd.DataFrame(gains, columns=np.array(aligned.query_ids.to_pylist(), dtype=object)[counted])


def _agreement_of_orders(a: np.ndarray, b: np.ndarray, *, draws: int, seed: int) -> dict[str, float]:
    """Return how far the orders of the systems agree, with the bounds from queries that are drawn again.

    ``a``, ``b``: (n_systems, n_queries) values under each judge, more being better, on the queries of both.
    """
    n_queries = a.shape[1]
    weights = np.full((1, n_queries), 1 / max(1, n_queries))
    if n_queries >= FEWEST_QUERIES:
        drawn = np.random.default_rng(seed).multinomial(n_queries, weights[0], size=draws)
        weights = np.concatenate([weights, drawn / n_queries])
    behind = (pd.DataFrame(-rounded(weights @ values.T)) for values in (a, b))  # (1 + n_draws, n_systems)
    above = (values.rank(axis=1, method="min").to_numpy().astype(np.int64) - 1 for values in behind)
    row: dict[str, float] = {}
    for name, (value, *again) in zip(("tau_b", "tau_ap"), taus(PairCounts.of(*above)), strict=True):
        low, high = pd.Series(again, dtype=float).quantile([alpha_of(LEVEL) / 2, 1 - alpha_of(LEVEL) / 2])
        row |= {name: value, f"{name}_low": low, f"{name}_high": high}
    return row | {"n_queries": n_queries}
