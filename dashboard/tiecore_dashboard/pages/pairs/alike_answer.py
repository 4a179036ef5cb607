"""Which features rank alike, in sentences."""

from __future__ import annotations

import numpy as np
import pandas as pd

from tiecore_dashboard.words import NOTHING, bold, capitalised, enumerate_names, in_html, plural

__all__ = ["alike_answer", "coefficient", "known_pairs", "most_alike", "of_pair", "same_orders"]

_SAME = 1 - 1e-9
_OPPOSED = -0.1


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
    for found in (apart, pairs):
        if len(found):
            return str(found["feature"].iloc[0]), str(found["other"].iloc[0])
    return str(means.index[0]), str(means.index[1])


def same_orders(means: pd.DataFrame) -> list[tuple[str, ...]]:
    """Group the features that rank in the same order in every query."""
    is_same = means.to_numpy() >= _SAME
    names = list(map(str, means.index))
    groups: list[tuple[str, ...]] = []
    taken: set[str] = set()
    for row, name in enumerate(names):
        group = [other for column, other in enumerate(names) if column != row and is_same[row, column]]
        if group and name not in taken:
            groups.append((name, *(other for other in group if other not in taken)))
            taken.update(groups[-1])
    return groups


def alike_answer(means: pd.DataFrame, *, title: str) -> tuple[str, list[str]]:
    """Name the two features that rank most alike, and the one that ranks like no other; HTML.

    ``means``: features × features: mean of the coefficient over queries.
    """
    pairs = known_pairs(means)
    lone = [str(name) for name in means.index if name not in set(pairs["feature"]) | set(pairs["other"])]
    unknown = []
    if lone:
        verb = "is" if len(lone) == 1 else "are"
        names = capitalised(enumerate_names([bold(name) for name in lone]))
        unknown = [f"{names} {verb} compared with none: every document tied, or none shared with another feature."]
    if pairs.empty:
        return f"No two features can be compared by {in_html(title)}.", unknown
    groups = same_orders(means)
    doubles = [f"{' = '.join(bold(name) for name in group)}" for group in groups]
    same = [f"Same order in every query: {enumerate_names(doubles)}."] if doubles else []
    apart = pairs[pairs["mean"] < _SAME]
    if apart.empty:
        return "All features that can be compared rank in the same order in every query.", [*same, *unknown]
    one, other, value = apart.iloc[0]
    if len(pairs) == 1:
        sentence = f"{bold(one)} and {bold(other)} agree to {in_html(title)} {coefficient(value)}."
        return capitalised(sentence), unknown
    sentence = capitalised(f"{bold(one)} and {bold(other)} rank most alike ({in_html(title)} {coefficient(value)})")
    nearest = _nearest(means, [name for group in groups for name in group[1:]])
    if nearest is not None:
        distinct, neighbour, highest = nearest
        sentence += (
            f"; {bold(distinct)} ranks <em>like no other</em> (at most {coefficient(highest)}, with {bold(neighbour)})"
        )
    least = apart.iloc[-1]
    opposed = []
    if least["mean"] < _OPPOSED:
        opposed = [f"Most opposed: {bold(least['feature'])} and {bold(least['other'])} ({coefficient(least['mean'])})."]
    return f"{sentence}.", [*opposed, *same, *unknown]


def _nearest(means: pd.DataFrame, doubles: list[str]) -> tuple[str, str, float] | None:
    """Return the feature whose most alike one is least alike, that one, and the coefficient; doubles count once."""
    own = means.drop(index=doubles, columns=doubles)
    values = own.to_numpy(copy=True)
    np.fill_diagonal(values, np.nan)
    known = ~np.isnan(values).all(axis=1)
    if known.sum() < 3:
        return None
    highest = np.where(known, np.nanmax(np.where(known[:, None], values, -np.inf), axis=1), np.inf)
    row = int(np.argmin(highest))
    return str(own.index[row]), str(own.columns[int(np.nanargmax(values[row]))]), float(highest[row])


def of_pair(values: pd.Series, *, one: str, other: str, title: str, n_shared: int) -> str:
    """Say how alike two features rank: on average, and from query to query; HTML."""
    shared = f"{plural(n_shared, 'document')} {'is' if n_shared == 1 else 'are'} scored by both"
    names = f"{bold(one)} and {bold(other)}"
    if values.empty:
        return capitalised(f"{names} cannot be compared by {in_html(title)}: {shared}.")
    over = f"over {plural(len(values), 'query', 'queries')}"
    if len(values) == 1:
        return capitalised(f"{names}: {in_html(title)} {coefficient(float(values.iloc[0]))} in one query; {shared}.")
    spread = f"from {coefficient(float(values.min()))} to {coefficient(float(values.max()))}"
    return capitalised(f"{names}: {in_html(title)} {coefficient(float(values.mean()))} {over}, {spread}; {shared}.")
