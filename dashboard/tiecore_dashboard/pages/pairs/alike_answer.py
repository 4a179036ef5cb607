"""Which features rank alike, in sentences."""

from __future__ import annotations

import numpy as np
import pandas as pd

from tiecore_dashboard.words import NOTHING, bold, capitalised, enumerate_names, in_html, plural

__all__ = ["alike_answer", "coefficient", "most_alike", "of_pair"]

_SAME = 1 - 1e-9


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


def of_pair(values: pd.Series, *, one: str, other: str, title: str) -> str:
    """Say how alike two features rank: on average, and from query to query; HTML."""
    names, name = f"{bold(one)} and {bold(other)}", in_html(title)
    if values.empty:
        return capitalised(f"{names} cannot be compared by {name} in any query.")
    ends = f", from {coefficient(float(values.min()))} to {coefficient(float(values.max()))}" if len(values) > 1 else ""
    over = plural(len(values), "query", "queries")
    return capitalised(f"{names}: {name} {coefficient(float(values.mean()))} over {over}{ends}.")
