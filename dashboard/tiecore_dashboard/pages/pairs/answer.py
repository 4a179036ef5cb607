"""What is known of each two features, in sentences: whether their order is clear, and whether they rank alike."""

import math
from collections import Counter
from collections.abc import Iterable

import numpy as np
import pandas as pd

from tiecore.stability import Stability
from tiecore.stability.sentences import Writing, probability, unequal_lists
from tiecore.stability.sentences import pair_sentence as plain_pair_sentence
from tiecore_dashboard import words
from tiecore_dashboard.export import exports
from tiecore_dashboard.words import (
    MEANINGS,
    NOTHING,
    VERDICTS,
    bold,
    capitalised,
    enumerate_names,
    in_html,
    p_value,
    plural,
)

HTML = Writing(feature=bold, tie_break=words.tie_break_in_html, number=words.unbroken, difference=words.number)
_LIKELY = 0.05
_SAME = 1 - 1e-9
"""Rank correlations from which two orders are the same."""


def pair_sentence(pair: pd.Series, stable: Stability) -> str:
    """Say of a pair whether ties, and whether other queries, could undo its order; HTML."""
    return capitalised(plain_pair_sentence(pair, stable, writing=HTML))


def pairs_answer(stable: Stability) -> tuple[str, list[str]]:
    """Count the verdicts on all pairs: a sentence, and what follows from it as a list; HTML."""
    pairs = stable.pairs
    unequal = [sentence] if (sentence := unequal_lists(stable)) else []
    if len(pairs) == 1:
        return pair_sentence(pairs.iloc[0], stable), unequal
    count = Counter(pairs["verdict"])
    parts = []
    for verdict, mark in VERDICTS.items():
        if count[verdict] or verdict == "clear":
            n = f"{words.count(count[verdict]) if count[verdict] else 'none'} {'are' if count[verdict] > 1 else 'is'}"
            parts.append(f"{n} {mark} {words.explained(verdict, MEANINGS[verdict])}")
    sentence = f"Of {words.plural(len(pairs), 'difference')} {words.enumerate_names(parts)}."
    details = [*unequal, *_of_tie_breaks(pairs)]
    if stable.sensitivity > 0:
        details.append(
            f"With 80\u00a0% power these {stable.words['queries']} detect a difference of "
            f"{words.number(stable.sensitivity)} or more, for the median pair."
        )
    return sentence, details


def _of_tie_breaks(pairs: pd.DataFrame) -> list[str]:
    """Say how many orders tie-breaks reverse."""
    changes = Counter(name for names in pairs["reversed_by"] for name in names)
    if not changes:
        return []
    n_changed = int(pairs["reversed_by"].map(bool).sum())
    parts = [f"{words.count(n)} by {words.tie_break_in_html(name)}" for name, n in changes.most_common()]
    several = " (a pair can count for several)" if changes.total() > n_changed else ""
    listed = words.enumerate_names(parts, most=6)
    return [f"The order of {words.plural(n_changed, 'pair')} is reversed by a tie-break: {listed}{several}."]


def by_need(pairs: pd.DataFrame) -> pd.DataFrame:
    """Sort pairs by what needs a look: first those that a tie-break reverses, then those at risk, then those open.

    >>> pairs = pd.DataFrame({"verdict": ["clear", "open", "clear", "clear"], "tie_risk": [0, 0, 0.2, 0.01]})
    >>> by_need(pairs.assign(reversed_by=[(), (), (), ("input",)])).index.tolist()
    [3, 2, 1, 0]
    """
    needs = 4 * pairs["reversed_by"].map(bool) + 2 * (pairs["tie_risk"] > _LIKELY) + pairs["verdict"].eq("open")
    return pairs.loc[(-needs).sort_values(kind="stable").index]


def most_interesting(pairs: pd.DataFrame) -> tuple[str, str]:
    """Return leader and trailer of the pair that needs a look first."""
    first = by_need(pairs).iloc[0]
    return str(first["leader"]), str(first["trailer"])


def further_numbers(pair: pd.Series) -> str:
    """Return what the sentence on a pair leaves out: p before the adjustment, and what the queries could show."""
    if math.isnan(pair["p"]):
        return ""
    return (
        f"For this pair alone {probability(pair['p'])}. With 80\u00a0% power these queries detect a difference of "
        f"{words.number(pair['sensitivity'])} or more for it."
    )


def pairs_in_latex(pairs: pd.DataFrame, measure: str) -> str:
    """Return pairs as a table for a paper, with all that its caption must say."""
    cells: dict[str, Iterable[str]] = {
        "Ahead": pairs["leader"],
        "Behind": pairs["trailer"],
        "Difference (95 % interval)": [
            words.number(one) + ("" if math.isnan(low) else f" ({words.number(low)} to {words.number(high)})")
            for one, low, high in zip(pairs["difference"], pairs["low"], pairs["high"], strict=True)
        ],
        "p (Holm)": pairs["holm"].map(p_value),
        "Verdict": pairs["verdict"],
        "Tie risk": pairs["tie_risk"].map(words.tie_risk),
    }
    caption = f"Differences of features by {measure}, with 95 % intervals over queries; p adjusted by Holm."
    return exports.as_latex(cells, caption=caption, label=exports.file_stem("pairs", measure))


def coefficient(value: float) -> str:
    """Rank correlation or overlap with two digits; 1 only where the orders are the same.

    >>> coefficient(0.4567), coefficient(-0.2), coefficient(0.9997), coefficient(1.0), coefficient(float("nan"))
    ('0.46', '−0.20', '>0.99', '1', '–')
    """
    if value != value:
        return NOTHING
    if abs(value) >= _SAME:
        return "1" if value > 0 else "−1"
    if abs(value) > 0.995:
        return ">0.99" if value > 0 else "<−0.99"
    text = f"{value:.2f}"
    return text.lstrip("-") if not text.strip("-0.") else text.replace("-", "−")


def _pairs(means: pd.DataFrame) -> pd.Series:
    """Coefficients that are known, by the two features, the most alike first."""
    row, column = np.triu_indices(len(means), 1)
    both = pd.MultiIndex.from_arrays([means.index[row], means.index[column]])
    return pd.Series(means.to_numpy()[row, column], both).dropna().sort_values(ascending=False, kind="stable")


def most_alike(means: pd.DataFrame) -> tuple[str, str]:
    """Return the two features that rank most alike without being in the same order; any two if there are none."""
    pairs = _pairs(means)
    apart = pairs[pairs < _SAME]
    one, other = next((some.index[0] for some in (apart, pairs) if len(some)), means.index[:2])
    return str(one), str(other)


def alike_answer(means: pd.DataFrame, *, title: str) -> tuple[str, list[str]]:
    """Name the two features that rank most alike, and the one that ranks like no other; HTML.

    ``means``: features × features: mean of the coefficient over queries.
    """
    groups = [tuple(map(str, means.index[row >= _SAME])) for row in means.to_numpy()]
    details = [
        capitalised(f"{enumerate_names([bold(name) for name in group], most=8)} rank in the same order in every query.")
        for group in dict.fromkeys(groups)
        if len(group) > 1
    ]
    others = means.where(~np.eye(len(means), dtype=bool))
    is_lone = others.isna().all(axis=1)
    if lone := [bold(str(name)) for name in means.index[is_lone]]:
        verb = "is" if len(lone) == 1 else "are"
        why = "compared with none: every document tied, or none shared with another feature."
        details.append(capitalised(f"{enumerate_names(lone)} {verb} {why}"))
    pairs = _pairs(means)
    if pairs.empty:
        return "No two features can be compared.", details
    apart = pairs[pairs < _SAME]
    if apart.empty:
        return "All features that can be compared rank in the same order in every query.", details
    one, other = map(bold, apart.index[0])
    value = f"{in_html(title)} {coefficient(apart.iloc[0])}"
    if len(pairs) == 1:
        return capitalised(f"{one} and {other} agree to {value}."), details
    sentence = f"{one} and {other} rank most alike ({value})"
    if (~is_lone).sum() > 2:
        highest = others[~is_lone].max(axis=1)
        distinct = str(highest.idxmin())
        nearest = f"at most {coefficient(float(highest.min()))}, with {bold(str(others.loc[distinct].idxmax()))}"
        sentence += f"; {bold(distinct)} ranks <em>like no other</em> ({nearest})"
    return f"{capitalised(sentence)}.", details


def alike_pair(values: pd.Series, *, one: str, other: str, title: str) -> str:
    """Say how alike two features rank: on average, and from query to query; HTML."""
    names, name = f"{bold(one)} and {bold(other)}", in_html(title)
    if values.empty:
        return capitalised(f"{names} cannot be compared by {name} in any query.")
    ends = f", from {coefficient(float(values.min()))} to {coefficient(float(values.max()))}" if len(values) > 1 else ""
    over = plural(len(values), "query", "queries")
    return capitalised(f"{names}: {name} {coefficient(float(values.mean()))} over {over}{ends}.")
