"""Which features rank alike, in sentences."""

from __future__ import annotations

import numpy as np
import pandas as pd

from tiecore_dashboard.words import NOTHING, bold, capitalised, enumerate_names, in_html, plural

__all__ = ["alike_answer", "coefficient", "known_pairs", "most_alike", "of_pair", "same_orders"]

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


def known_pairs(means: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each pair whose coefficient is known, the most alike first: ``feature``, ``other``, ``mean``."""
    row, column = np.triu_indices(len(means), 1)
    names = means.index.to_numpy(dtype=object)
    pairs = pd.DataFrame({"feature": names[row], "other": names[column], "mean": means.to_numpy()[row, column]})
    return pairs.dropna().sort_values("mean", ascending=False, kind="stable", ignore_index=True)


def most_alike(means: pd.DataFrame) -> tuple[str, str]:
    """Return the two features that rank most alike without being in the same order; any two if there are none."""
    pairs = known_pairs(means)
    apart = pairs[pairs["mean"] < _SAME]
    found = next((some for some in (apart, pairs) if len(some)), None)
    one, other = means.index[:2] if found is None else found.iloc[0][["feature", "other"]]
    return str(one), str(other)


def same_orders(means: pd.DataFrame) -> list[tuple[str, ...]]:
    """Group the features that rank in the same order in every query."""
    groups = [tuple(map(str, means.index[row >= _SAME])) for row in means.to_numpy()]
    return [group for group in dict.fromkeys(groups) if len(group) > 1]


def alike_answer(means: pd.DataFrame, *, title: str) -> tuple[str, list[str]]:
    """Name the two features that rank most alike, and the one that ranks like no other; HTML.

    ``means``: features × features: mean of the coefficient over queries.
    """
    pairs, groups = known_pairs(means), same_orders(means)
    details = [
        capitalised(f"{enumerate_names([bold(name) for name in group], most=8)} rank in the same order in every query.")
        for group in groups
    ]
    if lone := [str(name) for name in means.index if name not in {*pairs["feature"], *pairs["other"]}]:
        verb, names = "is" if len(lone) == 1 else "are", enumerate_names([bold(name) for name in lone])
        details.append(
            capitalised(f"{names} {verb} compared with none: every document tied, or none shared with another feature.")
        )
    if pairs.empty:
        return "No two features can be compared.", details
    apart = pairs[pairs["mean"] < _SAME]
    if apart.empty:
        return "All features that can be compared rank in the same order in every query.", details
    one, other, value = apart.iloc[0]
    if len(pairs) == 1:
        return capitalised(f"{bold(one)} and {bold(other)} agree to {in_html(title)} {coefficient(value)}."), details
    sentence = capitalised(f"{bold(one)} and {bold(other)} rank most alike ({in_html(title)} {coefficient(value)})")
    others = means.where(~np.eye(len(means), dtype=bool)).dropna(how="all")
    if len(others) > 2:
        highest = others.max(axis=1)
        distinct = str(highest.idxmin())
        nearest = f"at most {coefficient(float(highest.min()))}, with {bold(str(others.loc[distinct].idxmax()))}"
        sentence += f"; {bold(distinct)} ranks <em>like no other</em> ({nearest})"
    return f"{sentence}.", details


def of_pair(values: pd.Series, *, one: str, other: str, title: str, n_shared: int) -> str:
    """Say how alike two features rank: on average, and from query to query; HTML."""
    shared = f"{plural(n_shared, 'document')} {'is' if n_shared == 1 else 'are'} scored by both"
    names = f"{bold(one)} and {bold(other)}"
    if values.empty:
        return capitalised(f"{names} cannot be compared by {in_html(title)}: {shared}.")
    spread = f", from {coefficient(float(values.min()))} to {coefficient(float(values.max()))}"
    over = f"over {plural(len(values), 'query', 'queries')}{spread if len(values) > 1 else ''}"
    return capitalised(f"{names}: {in_html(title)} {coefficient(float(values.mean()))} {over}; {shared}.")
