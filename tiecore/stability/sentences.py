"""Sentences on a study: which differences are clear over the queries, and what ties put at risk.

A page says how names and numbers are written: ``Writing``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

import pandas as pd

from tiecore.evaluation.intervals import FEWEST_QUERIES
from tiecore.measures import Measure
from tiecore.stability.paired import LEVEL, alpha_of

if TYPE_CHECKING:
    from tiecore.stability.result import Stability


NOTHING = "–"
"""Stands where there is no number."""


def in_digits(value: float, size: float = 0.0) -> str:
    """Value of a measure, or a difference: four decimals where it is small, as is the ``size`` of its column, or fewer.

    >>> in_digits(0.42379), in_digits(12.345), in_digits(1234.5), in_digits(float("nan")), in_digits(-0.00001)
    ('0.4238', '12.35', '1,234.5', '–', '0.0000')
    >>> in_digits(0.42379, 12.345)
    '0.42'
    """
    if math.isnan(value):
        return NOTHING
    size = max(abs(value), size)
    digits = 4 if size < 10 else 2 if size < 1000 else 1
    text = f"{value:,.{digits}f}"
    # a minus before nothing but zeros says nothing
    return text.lstrip("-") if not text.strip("-0.,") else text.replace("-", "−")


def _difference(value: float) -> str:
    """The same with three significant digits where four decimals are all 0.

    >>> _difference(0.012345), _difference(-0.000012345), _difference(0.0)
    ('0.0123', '−0.0000123', '0.0000')
    """
    text = in_digits(value)
    return text if text.strip("0.") or not value else f"{Decimal(f'{value:.3g}'):f}".replace("-", "−")


_EXPONENTIAL = "dcg='exp-log2'"
_LIKELY, _HALF = 0.05, (0.445, 0.555)
"""Tie risk up to which ties hardly ever reverse an order, and what is one half but for the chance of few draws:
45 to 55 % as shown."""


@dataclass(frozen=True, slots=True)
class Writing:
    """How the parts of a sentence are written: as they are, unless a page escapes and marks them."""

    feature: Callable[[str], str] = str
    tie_break: Callable[[str], str] = str
    number: Callable[[str], str] = str
    """Of chances, p-values and differences, which may begin with a sign such as <."""
    difference: Callable[[float], str] = _difference
    verdict: Callable[[str], str] = str
    """Of the verdict in plain words."""
    term: Callable[[str], str] = str
    """Of what not everybody knows: ``random tie-breaks`` and ``z``."""


PLAIN = Writing()


def percent(share: float) -> str:
    """Share in percent, never 0 or 100 unless it is exactly that.

    >>> percent(0.674), percent(0.0004), percent(0.9996), percent(1.0)
    ('67 %', '<0.1 %', '>99.9 %', '100 %')
    """
    if 0 < share < 0.001:
        return "<0.1 %"
    if 0.999 < share < 1:
        return ">99.9 %"
    return f"{100 * share:.{1 if 0 < share < 0.01 or 0.99 < share < 1 else 0}f} %"


def tie_risk(chance: float, draws: int = 1000, /) -> str:
    """Tie risk of a pair; a small one is not known more exactly than that it is small.

    None of n draws, which counts as half a draw, leaves open what is below 3 / n: the rule of three.

    >>> tie_risk(0.0), tie_risk(0.0005), tie_risk(0.064), tie_risk(0.9999), tie_risk(float("nan"))
    ('none', 'below 1 %', '6 %', 'above 99 %', 'not known')
    >>> tie_risk(0.5 / 149, 149), tie_risk(1 - 0.5 / 30, 30), tie_risk(1e-9, 30)
    ('below 3 %', 'above 90 %', 'below 1 %')
    """
    if chance != chance:
        return "not known"
    if chance == 0:
        return "none"
    least = _least(chance, draws)
    if least > 1 or not 0.01 <= chance <= 0.99:
        return f"below {least} %" if chance < 0.5 else f"above {100 - least} %"
    return f"{100 * chance:.0f} %"


def _least(chance: float, draws: int) -> int:
    """Percent below which the chance lies, at least 1: more where none of few draws, or each of them, was the one."""
    is_half_a_draw = math.isclose(draws * min(chance, 1 - chance), 0.5)
    return max(1, math.ceil(300 / draws)) if is_half_a_draw else 1


def probability(p: float) -> str:
    """P-value inside a sentence.

    >>> probability(0.3136), probability(0.03217), probability(0.0997), probability(1e-9), probability(1.0)
    ('p = .31', 'p = .032', 'p = .10', 'p < .0001', 'p = 1')
    """
    if p < 0.0001:
        return "p < .0001"
    if p > 0.995:
        return "p = 1"
    return f"p = {p:.{2 if p >= 0.0995 else 3 if p >= 0.00995 else 4}f}".replace("0.", ".", 1)


def p_value(p: float) -> str:
    """P-value with two significant digits, never 0.

    >>> p_value(0.3136), p_value(0.03217), p_value(1e-9), p_value(1.0), p_value(float("nan"))
    ('.31', '.032', '<.0001', '1', '–')
    >>> p_value(0.09951), p_value(0.00996)
    ('.10', '.010')
    """
    return NOTHING if math.isnan(p) else probability(p).removeprefix("p ").removeprefix("= ").replace("< ", "<")


def plural(unit: str) -> str:
    """Several queries, or of what else there are values."""
    return f"{unit.removesuffix('y')}ies" if unit.endswith("query") else f"{unit}s"


def queries_of(n: int, unit: str = "query") -> str:
    """Number of queries, or of what else there is.

    >>> queries_of(1200), queries_of(1, "judged query"), queries_of(2, "tie group")
    ('1,200 queries', '1 judged query', '2 tie groups')
    """
    return f"{n:,} {unit if n == 1 else plural(unit)}"


def scale_of(measure: Measure) -> str:
    """Return what differences are of: logarithms where the measure averages them."""
    return f"{'the logarithm of ' * bool(unit_of_differences(measure))}{called(measure)}"


def unit_of_differences(measure: Measure) -> str:
    """Return what stands behind a heading of differences: a word where they are of logarithms, else nothing."""
    return "" if type(measure).averaged is Measure.averaged else " (ln)"


def heading_of(measure: Measure) -> str:
    """Return the name of a measure over its values, with a word where less is more."""
    return called(measure) + ("" if measure.higher_is_better else " (lower is better)")


def direction(measure: Measure) -> str:
    """Return a sentence on what differences above 0 mean where less is more, else nothing.

    >>> from tiecore.measures import measure
    >>> direction(measure("ESL")), direction(measure("AP"))
    ('In ESL lower is better; a difference above 0 is in favour of the feature named first.', '')
    """
    first = "a difference above 0 is in favour of the feature named first"
    return "" if measure.higher_is_better else f"In {called(measure)} lower is better; {first}."


def called(measure: Measure) -> str:
    """Return the name of a measure as one says it: RBP always with its p.

    >>> from tiecore.measures import measure
    >>> [called(measure(name)) for name in ("RBP(rel=1)@10", "RBP", "RBP(rel=2, p=0.5)", "nDCG(dcg='exp-log2')@5")]
    ['RBP(rel=1, p=0.8)@10', 'RBP(p=0.8)', 'RBP(rel=2, p=0.5)', 'nDCG@5 with exponential gain']
    """
    name = re.sub(r"^RBP(?!.*p=)\(?([^)@]*)\)?", r"RBP(\1, p=0.8)", str(measure))
    if name == "value":  # measured elsewhere, without a name
        return "mean"
    said = name.replace(_EXPONENTIAL, "").replace("()", "").replace("(, ", "(")
    return said if _EXPONENTIAL not in name else f"{said} with exponential gain"


def words_of(level: float = LEVEL, unit: str = "query", *, knows_ties: bool = True) -> dict[str, str]:
    """Return what explanations and sentences say for the level of a study and for what its values are.

    >>> words_of(0.975, "task", knows_ties=False)["level"], words_of()["alpha"]
    ('97.5 %', '0.05')
    """
    how = {"level": f"{100 * level:.10g} %", "alpha": f"{alpha_of(level):g}", "adjusted": " adjusted by Holm"}
    return how | {"query": unit, "queries": plural(unit), "value": "expectation" if knows_ties else "value"}


def row_of(names: Sequence[str], *, most: int = 4) -> str:
    """Return names in a row, of many the first, as in a sentence.

    >>> row_of(["a"]), row_of(["a", "b", "c"]), row_of(list("abcdef"), most=3)
    ('a', 'a, b and c', 'a, b, c and 3 more')
    """
    if len(names) > most + 1:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def unequal_lists(study: Stability) -> str:
    """Return a sentence if features list different queries; otherwise an empty text."""
    pairs = study.pairs
    if not len(pairs) or (pairs["n_queries"] == study.n_queries).all():
        return ""
    least, most = int(pairs["n_queries"].min()), int(pairs["n_queries"].max())
    some = f"{most:,}" if least == most else f"{least:,} to {most:,}"
    return (
        f"Not every feature lists all {queries_of(study.n_queries, study.unit)}: each pair is compared on the "
        f"{plural(study.unit)} that both list ({some})."
    )


def finding(pair: pd.Series, study: Stability, *, writing: Writing = PLAIN) -> str:
    """Return what is found of a pair: the verdict in plain words, the numbers that it rests on, and the tie risk."""
    leader, trailer = writing.feature(pair["leader"]), writing.feature(pair["trailer"])
    queries, words, verdict = queries_of(int(pair["n_queries"]), study.unit), study.words, pair["verdict"]
    if pair["n_queries"] == 0:
        return f"{leader} and {trailer} have no {study.unit} in common, so they cannot be compared."
    if verdict == "equal":
        same = f"{leader} and {trailer} have the same {words['value']} on each of {queries}"
        return f"{writing.verdict('No difference')}: {same}."
    scale = "the mean" if str(study.measure) == "value" else scale_of(study.measure)  # of values without a name
    by = f"by {writing.number(writing.difference(pair['difference']))} in {scale}"
    by += "" if study.measure.higher_is_better else ", where lower is better"
    ahead = (
        f"{leader} is ahead of {trailer} {by}" if pair["difference"] else f"{leader} and {trailer} are level in {scale}"
    )
    risk = _risk(pair, study.draws, writing)
    if pair["n_queries"] < FEWEST_QUERIES:
        few = writing.verdict(f"Too few {words['queries']} to tell")
        return f"{few}: {ahead} over {queries}{risk}."
    low, high = (writing.number(writing.difference(pair[end])) for end in ("low", "high"))
    but = ""
    if "allowance" in pair["note"]:
        but = f"; it would be clear without the allowance for rare {words['queries']} that these may have missed"
    elif verdict == "open" and pair["low"] > 0:
        but = f"; open once {study.n_tests:,} pairs are compared"
    but_open = f"{'but' if pair['difference'] else 'and'} {queries} do not settle it"
    said = {
        "clear": f"{leader} is {writing.verdict('clearly better')} than {trailer}, {by}",
        "small": f"{writing.verdict('No difference that matters')}: {ahead}",
        "open": f"{writing.verdict('No clear winner')}: {ahead}, {but_open}",
    }[verdict]
    over = "" if verdict == "open" else f" over {queries}"
    return f"{said} ({writing.number(words['level'])} interval {low} to {high}{over}{but}){risk}."


def _risk(pair: pd.Series, draws: int, writing: Writing) -> str:
    """Return what ties put at risk, to end a sentence; empty where nothing is known of ties, or nobody is ahead."""
    if not pair["ties"] or not pair["difference"]:
        return ""
    risk = pair["tie_risk"]
    if pair["ties"] == "certain":
        return "; no tie-break reverses the order"
    if risk == 0:
        return "; no random tie-break reverses the order"
    told = f"{writing.term('tie risk')} {writing.number(tie_risk(risk, draws))}"
    if risk > _HALF[1]:
        more, less = writing.feature(pair["trailer"]), writing.feature(pair["leader"])
        return f"; random tie-breaks put {more} ahead more often than {less} ({told})"
    if risk >= _HALF[0]:
        return f"; ties alone leave open which is ahead ({told})"
    if risk > _LIKELY:
        return f"; ties alone could reverse the order ({told})"
    how = "random tie-breaks hardly ever reverse" if _least(risk, draws) == 1 else "no random tie-break drawn reverses"
    return f"; {how} the order ({told})" if risk > 0 else f"; {told}"


def pair_sentence(pair: pd.Series, study: Stability, *, writing: Writing = PLAIN) -> str:
    """Return what is found of a pair, and which tie-breaks reverse it."""
    return f"{finding(pair, study, writing=writing)} {reversal(pair, writing)}".rstrip()


def reversal(pair: pd.Series, writing: Writing) -> str:
    """Return which tie-breaks reverse the order of a pair; empty where none does."""
    names = [tie_break_called(name, writing) for name in pair["reversed_by"]]
    return f"The order is reversed under {row_of(names)}." if names else ""


def tie_break_called(name: str, writing: Writing) -> str:
    """Return the name of a tie-break as it stands after *under*."""
    return f"{'a tie-break ' * name.startswith('feature:')}{writing.tie_break(name)}"
