"""Where the trouble of a feature sits, query by query, and what the list of one query looks like."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from tiecore_dashboard.words import SAME, bold, capitalised, count, number, plural

__all__ = ["counted_query_answer", "queries_answer", "query_answer"]


def queries_answer(blamed: pd.DataFrame, *, feature: str, by: str, measure: str) -> str:
    """Say how much of the trouble sits in how few queries."""
    name, n_queries = bold(feature), plural(len(blamed), "query", "queries")
    untouched = int((blamed["spread"] <= SAME).sum())
    if untouched == len(blamed):
        return f"No tie of {name} changes {measure} in any query: every tie-break gives the same values."
    half = int((blamed["cumulative"] < 0.5).sum()) + 1
    few = f"{half} of {n_queries}" if half > 1 else f"one of {n_queries}"
    if by == "value":
        first, last = blamed.iloc[0], blamed.iloc[-1]
        return (
            f"The expectations of {name} reach from {number(first['expected'])} in query "
            f"{bold(str(first.name)).removeprefix('feature ')} to {number(last['expected'])} in "
            f"{bold(str(last.name)).removeprefix('feature ')}."
        )
    rest = f"; in {plural(untouched, 'query', 'queries')} ties change nothing" if untouched else ""
    if by in ("spread", "sd"):
        what = "spread between the worst and the best case" if by == "spread" else "variance under random ties"
        return f"Half of the {what} of {name} comes from <em>{few}</em>{rest}."
    shifts = blamed["blame"]
    up, down = (shifts > SAME).sum(), (shifts < -SAME).sum()
    if not up and not down:
        return f"{bold(by)} leaves every query of {name} at its expectation."
    return (
        f"{bold(by)} lifts {name} in {plural(int(up), 'query', 'queries')} and lowers it in "
        f"{count(int(down))}; half of all movement comes from <em>{few}</em>."
    )


def query_answer(
    groups: pd.DataFrame, documents: pd.DataFrame, values: Mapping[str, float], *, feature: str, measure: str
) -> str:
    """Say what the list looks like, and what the cut-off does to it."""
    name = capitalised(bold(feature))
    listed = documents["group"].notna()
    n_listed, n_missed = int(listed.sum()), int((~listed).sum())
    relevant, missed = int(documents["relevant"][listed].sum()), int(documents["relevant"][~listed].sum())
    if not n_listed:
        rest = f" {plural(n_missed, 'document')} of it are judged, {count(missed)} relevant." if n_missed else ""
        return f"{name} lists no document of this query, so it counts {number(values['expected'])}.{rest}"
    n_groups = documents["group"].nunique()
    levels = "no two of them tied" if n_groups == n_listed else f"in {plural(n_groups, 'tie group')}"
    ranked = f"{name} ranks {plural(n_listed, 'document')}, {count(relevant)} of them relevant, {levels}"
    unlisted = (
        f"; it does not list {plural(n_missed, 'judged document')} ({count(missed)} relevant)" if n_missed else ""
    )
    sentences = [f"{ranked}{unlisted}."]
    if not relevant + missed:
        sentences.append("Nothing is judged relevant for this query.")
    return " ".join([*sentences, *_range(values, measure), *_cuts(groups)])


def counted_query_answer(groups: pd.DataFrame, values: Mapping[str, float], *, feature: str, measure: str) -> str:
    """Say what the list looks like where only the numbers of its documents are known."""
    name, listed = capitalised(bold(feature)), groups[groups["score"].notna()]
    if listed.empty:
        return f"{name} lists no document of this query, so it counts {number(values['expected'])}."
    ranked = f"{name} ranks {plural(int(listed['size'].sum()), 'document')}, {count(int(listed['relevant'].sum()))} of "
    ranked += f"them relevant, in {plural(len(listed), 'tie group')}."
    return " ".join([ranked, *_range(values, measure), *_cuts(groups)])


def _range(values: Mapping[str, float], measure: str) -> list[str]:
    """Say what the list counts, and what ties can make of that."""
    sentences = []
    if values["spread"] <= SAME:
        sentences.append(f"Every ordering gives {number(values['expected'])}.")
    else:
        sentences.append(
            f"Over random tie-breaks {measure} is <strong>{number(values['expected'])}</strong> on average, at worst "
            f"{number(values['worst'])}, at best {number(values['best'])}."
        )
    return sentences


def _cuts(groups: pd.DataFrame) -> list[str]:
    """Say into which tie the cut-off falls."""
    split = groups[(groups["inside"] > 0) & (groups["inside"] < groups["size"])]
    return [
        f"The cut falls into the tie of ranks {count(first)}–{count(last)}: {count(inside)} of its "
        f"{plural(size, 'document')} ({count(hits)} relevant) count."
        for first, last, inside, size, hits in split[
            ["first_rank", "last_rank", "inside", "size", "relevant"]
        ].itertuples(index=False, name=None)
    ]
