"""How far the grades of judges agree, and which judges are nearest to another one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
import pandas as pd

from tiecore.board.sentences import cut
from tiecore.collection.align import join
from tiecore.collection.inputs import QrelsInput, frame_of, read_records
from tiecore.evaluation.intervals import interval_of_mean
from tiecore.formats.records import Records
from tiecore.latex import column_of, latex_of
from tiecore.stability.paired import LEVEL, alpha_of, holm, paired
from tiecore.stability.sentences import NOTHING, p_value, percent, queries_of, row_of

_STRAY = 1000
_NAMED = 5
"""Judges that a sentence names; of more it says how many."""
_ON_BOTH: Any = {"on": ["query_id", "doc_id"], "suffixes": ("_a", "_b")}
KEY = (
    "κ: Cohen’s; quadratic weights count a near miss less than a far one. Interval: 95 %, κ ± t times its jackknife "
    "standard error over the queries."
)
"""What the words of the sentences mean, also where one judge is compared with no other."""
_CLEAR = " Clear: by t-tests of jackknife values paired by query, whether the intervals overlap or not"
_TOO_FEW = " With fewer than six shared queries there is no interval"
_COLUMNS = ["n_documents", "equal", "kappa_unweighted", "kappa"]
_ENDS = ["kappa_low", "kappa_high"]
OF_WORDS = "Judge", "95 % interval", "Below the highest"
"""Columns of the written table that are no numbers."""


@dataclass(frozen=True, slots=True, eq=False)
class Nearest:
    """How far the grades of judges agree with those of one."""

    judge: str
    table: pd.DataFrame
    """A row for each other judge of documents that the one judged, the highest quadratic kappa first: ``n_documents``,
    ``equal``, ``kappa_unweighted``, ``kappa``; ``kappa_low``, ``kappa_high``: ends of its 95 % interval over the
    queries, NaN for fewer than six; ``holm``: p of its difference from the highest, adjusted by Holm for all pairs of
    judges; ``verdict``: clear if its kappa is clearly below the highest, else open.
    """
    n_tests: int = 0
    """Pairs of judges whose kappas are compared."""

    @property
    def sentences(self) -> list[str]:
        """Which judge has the highest kappa, and whether that is clear; then how many documents have the same grade."""
        return self.told()

    def told(self, name: Callable[[Any], str] = str) -> list[str]:
        """Return the sentences with names of judges written by ``name``."""
        one, table = name(self.judge), self.table
        if table.empty:
            return [f"No other judge grades documents that {one} judges."]
        best, shared, kappas = name(table.index[0]), table["n_documents"], [*map(coefficient, table["kappa"])]
        both = f"the {queries_of(int(shared.iloc[0]), 'document')} that both graded"
        more = [f"{best} and {one} give the same grade to {percent(float(table['equal'].iloc[0]))} of {both}."]
        if shared.nunique() > 1:
            some = f"{shared.min():,} to {queries_of(int(shared.max()), 'document')}"
            more.append(f"The judges share {some} with {one}, so each κ is over different documents.")
        near, clear = ([*table.index[table["verdict"] == one]] for one in ("open", "clear"))
        n_known = int(table["kappa"].notna().sum())
        if n_known < len(table):
            others = row_of([*map(name, table.index[n_known:])])
            more.append(
                f"For {others} there is no κ: documents shared with {one} all have one and the same grade from both."
            )
        if not n_known:
            return more[::-1]
        if n_known == 1:
            low, high = map(coefficient, table[_ENDS].iloc[0])
            interval = "" if low == NOTHING else f" (95 % interval {low} to {high})"
            first = f"The quadratic κ of {best} with {one} is {kappas[0]}{interval}."
        elif near:
            those = f"{row_of([*map(name, self.named)])} {'are' if len(self.named) > 1 else 'is'}"
            if self.named:
                lower = f"{those} not" if self.named == near else f"of the {n_known - 1} others only {those}"
            elif clear:
                lower = f"{len(near)} of the {n_known - 1} others are not"
            else:
                lower = f"none of the {len(near)} others is"
            highest = f"{best} has the highest quadratic κ, {kappas[0]}, but {lower} clearly lower"
            first = f"No judge is clearly the nearest to {one}: {highest}."
        else:
            following = f"that of {name(table.index[1])}, the next, is {kappas[1]}"
            first = f"{best} is clearly the nearest to {one}: its quadratic κ is {kappas[0]}; {following}."
        return [first, *more]

    def __str__(self) -> str:
        """Return the sentences."""
        return " ".join(self.sentences)

    @property
    def named(self) -> list[str]:
        """Judges that the first sentence names as clearly lower, or as not, whichever are fewer; none if many are."""
        near, clear = ([*self.table.index[self.table["verdict"] == one]] for one in ("open", "clear"))
        fewer = clear if 0 < len(clear) < len(near) else near
        return fewer if len(fewer) <= _NAMED else []

    @property
    def compares(self) -> bool:
        """Whether there are two kappas or more to compare."""
        return int(self.table["kappa"].count()) > 1

    @property
    def cells(self) -> dict[str, list[str]]:
        """The table as texts, by the titles of its columns."""
        ends = self.table[_ENDS].map(coefficient).itertuples(index=False, name=None)
        compared = {
            "Below the highest": [*self.table["verdict"]],
            "p (Holm)" if self.n_tests > 1 else "p": [*map(p_value, self.table["holm"])],
        }
        return {
            "Judge": [cut(judge, 32, self.table.index) for judge in self.table.index],
            "κ, quadratic": [*map(coefficient, self.table["kappa"])],
            "95 % interval": [low if low == NOTHING else f"{low} to {high}" for low, high in ends],
            **(compared if self.compares else {}),
            "Same grade": [*map(percent, self.table["equal"])],
            "κ, unweighted": [*map(coefficient, self.table["kappa_unweighted"])],
            "Shared documents": [*map("{:,}".format, self.table["n_documents"])],
        }

    def in_latex(self, *, label: str = "agreement-of-grades") -> str:
        """Return the table for a paper, with what is found as its caption."""
        columns = [column_of(title, own, "l" if title in OF_WORDS else "r") for title, own in self.cells.items()]
        return latex_of(columns, caption=f"{self} {self.key}", label=label)

    @property
    def key(self) -> str:
        """Return what the words of the sentences mean."""
        has_few = self.table["kappa_low"].isna() & self.table["kappa"].notna()
        adjusted = f"; p adjusted by Holm for all {self.n_tests:,} pairs of judges" * (self.n_tests > 1)
        clear = f"{_CLEAR}{adjusted}." * self.compares
        too_few = f"{_TOO_FEW}{', and no difference can be clear' * self.compares}." * bool(has_few.any())
        return f"{KEY}{clear}{too_few}"


def agreement_of_grades(judgments: Mapping[str, QrelsInput]) -> pd.DataFrame:
    """Return how far the grades of each two judges agree on the documents that both judged, if there are any.

    >>> human, model = {"q": {"a": 0, "b": 1, "c": 2, "d": 2}}, {"q": {"a": 0, "b": 1, "c": 1, "d": 2}}
    >>> agreement_of_grades({"human": human, "model": model}).round(3).to_dict("records")
    [{'n_documents': 4, 'equal': 0.75, 'kappa_unweighted': 0.636, 'kappa': 0.8}]
    """
    grades, rows = _grades_of(judgments), {}
    for one, other in combinations(grades, 2):
        both = grades[one].merge(grades[other], **_ON_BOTH)
        if len(both):
            rows[one, other] = _agreement(both)
    index = pd.MultiIndex.from_tuples(rows, names=["judge_a", "judge_b"])
    return pd.DataFrame([*rows.values()], index=index, columns=_COLUMNS)


def stray_grades(judgments: Mapping[str, Records]) -> dict[str, str]:
    """Return a sentence on each judge with grades above those of most others, in fewer than one of 1,000 judgments.

    ``judgments``: of more than one judge, else there is nothing to say.
    """
    grades = {name: own.grades for name, own in judgments.items() if own.grades is not None and len(own.grades)}
    found = {}
    for name, own in grades.items():
        most = np.median([other.max() for key, other in grades.items() if key != name] or [np.inf])
        above = own[own > most]
        if 0 < _STRAY * len(above) < len(own):
            which = row_of([*map(str, np.unique(above))])
            are, they = ("is", "it is used as it stands") if len(above) == 1 else ("are", "they are used as they stand")
            others = "the other judge goes" if len(grades) == 2 else "at least half of the other judges go"
            where = f"{which}, although {others} no higher than {most:g}"
            found[name] = f"{name}: {len(above):,} of {len(own):,} grades {are} {where}; {they}."
    return found


def nearest(judgments: Mapping[str, QrelsInput], to: str) -> Nearest:
    """Return how far the grades of judges agree with those of one, and which of them may be the nearest.

    Quadratic kappas are compared by paired t-tests on their jackknife values, each query left out in turn, adjusted by
    Holm for all pairs of judges.

    >>> human = {f"q{n}": {"a": 0, "b": 1, "c": 1 + n % 2} for n in range(9)}
    >>> strange = {query: {"a": 2, "b": 0, "c": 1} for query in human}
    >>> found = nearest({"human": human, "same": human, "strange": strange, "copy": human}, "human")
    >>> found.table["verdict"].to_dict()
    {'same': '', 'copy': 'open', 'strange': 'clear'}
    >>> found.table.loc["strange", ["kappa_low", "kappa", "kappa_high"]].astype(float).round(2).tolist()
    [-0.65, -0.58, -0.51]
    """
    grades = _grades_of(judgments)
    own = grades.pop(to)
    queries = own["query_id"].unique()
    rows, apart = {}, {}
    for name, other in grades.items():
        both = own.merge(other, **_ON_BOTH)
        if len(both):
            found, apart[name] = _agreement(both), _jackknifed(both, queries)
            rows[name] = *found, *_interval(apart[name], kappa=found[-1])
    table = pd.DataFrame.from_dict(rows, orient="index", columns=[*_COLUMNS, *_ENDS]).rename_axis("judge")
    table = table.iloc[np.argsort(-table["kappa"].to_numpy(), kind="stable")]  # NaN last
    verdicts = np.where(table["kappa"].isna(), "", "open").astype(object)
    verdicts[:1], n_tests, adjusted = "", 0, np.full(len(table), np.nan)
    if len(table) > 1:
        values = np.array([apart[name] for name in table.index])
        listed = ~np.isnan(values) & table["kappa"].notna().to_numpy()[:, None]
        tested = paired(np.nan_to_num(values), span=None, listed=listed)
        of_first = slice(len(table) - 1)  # p of all pairs: which is the first is known from these data
        # on the queries of both the other one may be nearer
        p = holm(tested.plain_p)
        is_clear = (p <= alpha_of(LEVEL)) & (tested.difference > 0)
        n_tests = int(np.isfinite(tested.plain_p).sum())
        verdicts[1:][is_clear[of_first]], adjusted[1:] = "clear", p[of_first]
    return Nearest(to, table.assign(holm=adjusted, verdict=verdicts), n_tests)


def _agreement(both: pd.DataFrame) -> tuple[int, float, float, float]:
    """Return what ``_COLUMNS`` hold of two grades of documents."""
    a, b = both["grade_a"].to_numpy(), both["grade_b"].to_numpy()
    return len(both), float((a == b).mean()), kappa(a, b, weights="none"), kappa(a, b)


def _jackknifed(both: pd.DataFrame, queries: np.ndarray) -> np.ndarray:
    """(n_queries,) what each contributes to the quadratic kappa: n κ less n − 1 times that of the others.

    NaN for a query of which the two share no document.
    """
    a, b = both["grade_a"].astype(float), both["grade_b"].astype(float)
    summed = both.assign(n=1.0, a=a, b=b, squares=a**2 + b**2, products=a * b).groupby("query_id")
    sums = summed[["n", "a", "b", "squares", "products"]].sum()
    own = len(sums) * _kappas(sums.sum()) - (len(sums) - 1) * _kappas(sums.sum() - sums)
    return pd.Series(own, sums.index).reindex(queries).to_numpy()


def _interval(own: np.ndarray, *, kappa: float) -> np.ndarray:
    """Return the ends of the interval of a kappa: a t interval of what each query contributes, around it."""
    low, high = interval_of_mean(own[None, ~np.isnan(own)], span=0.0)
    return np.clip(kappa + np.hstack([low - high, high - low]) / 2, -1.0, 1.0)


def _grades_of(judgments: Mapping[str, QrelsInput]) -> dict[str, pd.DataFrame]:
    """Return the grades of each judge with the ids of their queries and documents."""
    records = {name: read_records(name, given, "qrels") for name, given in judgments.items()}
    for own in records.values():
        join(own, [])  # refuses a document that is listed twice, which would count twice
    return {name: frame_of(own, {"grade": own.grades}) for name, own in records.items()}


def _kappas(sums: pd.DataFrame | pd.Series) -> np.ndarray:
    """Return quadratic kappas from sums over documents; 0, as by chance, where all grades are one.

    The sum of (a − b)² over what it is by chance, Σa² + Σb² − 2 Σa Σb / n.
    """
    by_chance = sums["squares"] - 2 * sums["a"] * sums["b"] / np.maximum(sums["n"], 1)
    apart = np.asarray(sums["squares"] - 2 * sums["products"])
    return np.asarray(1 - np.divide(apart, by_chance, out=np.ones_like(apart), where=np.asarray(by_chance) > 0))


def kappa(a: np.ndarray, b: np.ndarray, *, weights: Literal["quadratic", "none"] = "quadratic") -> float:
    """Return Cohen's kappa of two lists of grades; NaN where both are one and the same grade.

    1 − E d(a, b) / E d(a', b), the documents of a' put into a random order; d is (a − b)², or 1 where grades differ.

    >>> round(kappa(np.array([0, 1, 2, 2]), np.array([0, 1, 1, 2])), 3)
    0.8
    """
    if weights == "quadratic":
        apart, by_chance = np.square(a - b).mean(), a.var() + b.var() + (a.mean() - b.mean()) ** 2
    else:
        shares = pd.Series(a).value_counts(normalize=True) * pd.Series(b).value_counts(normalize=True)
        apart, by_chance = (a != b).mean(), 1 - shares.sum()
    return float(1 - apart / by_chance) if by_chance else float("nan")


def coefficient(value: float) -> str:
    """Return a κ or τ in two digits, never 1 or −1 unless it is exactly that.

    >>> coefficient(0.42), coefficient(0.998), coefficient(1.0), coefficient(-0.9951), coefficient(float("nan"))
    ('0.42', '>0.99', '1.00', '<−0.99', '–')
    """
    if 0.995 <= abs(value) < 1 - 1e-9:
        return ">0.99" if value > 0 else "<−0.99"
    return NOTHING if math.isnan(value) else f"{value:.2f}".replace("-", "−")
