"""Where the trouble of a feature sits, query by query, and what the list of one query looks like."""

import math
from collections.abc import Hashable, Mapping, Sequence

import pandas as pd

from tiecore.board.sentences import in_column
from tiecore_dashboard import words
from tiecore_dashboard.words import SAME, bold, count, enumerate_names, number, plural

SPREAD, VALUE = "spread", "value"
ORDERS = {SPREAD: "largest spread first", VALUE: "hardest first"}
SHIFT = "largest shift first"
_NAMED, _MANY, _CLEARLY = 3, 0.3, 3


def queries_answer(blamed: pd.DataFrame, *, feature: str, by: str, measure: str, ends: Sequence[float]) -> str:
    """Say how much of the trouble sits in how few queries.

    ``ends``: between which about 95 % of random tie-breaks put the value of the feature, NaN where that is not known.
    """
    name, n_queries = bold(feature), plural(len(blamed), "query")
    untouched = (blamed["spread"] <= SAME).sum()
    if untouched == len(blamed):
        return f"No tie of {name} changes {measure} in any query: every tie-break gives the same values."
    half = int((blamed["cumulative"] < 0.5).sum()) + 1
    named = enumerate_names([*map(_query, blamed.index[: min(half, _NAMED)])])
    few = f"<em>{half} of {n_queries}</em>, {'such as ' * (half > _NAMED)}{named}"
    if half == 1:
        few = f"<em>one query</em>, {'number ' * str(blamed.index[0]).isdigit()}{named}"
    if by == VALUE:
        values = blamed["expected"].iloc[[0, -1]]
        first, last = values.index
        return (
            f"The expectations of {name} reach from {number(values[first])} in query {_query(first)} to "
            f"{number(values[last])} in {_query(last)}."
        )
    is_all = len(blamed) - untouched == 1
    where = f"the other {count(untouched) if untouched > 1 else 'one'}" if is_all else f"{untouched:,} of {n_queries}"
    rest = f"; in {where} ties change nothing" if untouched else ""
    if by == SPREAD:
        most = blamed["share"].iloc[0]
        part = f"{'all' if is_all else 'at least half'} of the spread between worst and best case comes from {few}"
        if half > max(1, len(blamed) * _MANY):
            part = "no single query is to blame"
            if most * len(blamed) >= _CLEARLY:
                equal = words.percent(1 / len(blamed))
                part = (
                    f"query {_query(blamed.index[0])} has {words.percent(most)} of the spread between worst and best "
                    f"case, where an equal share would be {equal}"
                )
        band = f"<em>{number(ends[0])} and {number(ends[1])}</em> (about 95\u00a0% of random tie-breaks)"
        moved = f"Ties alone move the value of {name} between {band}"
        if math.isnan(ends[0]):
            moved = f"Ties can change the value of {name}"
        return f"{moved}; {part}{rest}." if len(blamed) > 1 else f"{moved}."
    up, down = (blamed["blame"] > SAME).sum(), (blamed["blame"] < -SAME).sum()
    tie_break = words.tie_break_in_html(by)
    if not up and not down:
        return f"{tie_break} leaves every query of {name} at its expectation."
    return (
        f"{tie_break} lifts {name} in {plural(up, 'query')} and lowers it in "
        f"{count(down)}; {'at least half of ' if up + down > 1 else ''}all movement comes from {few}."
    )


def _query(name: Hashable) -> str:
    return bold(str(name)).removeprefix("feature ")


def query_answer(
    groups: pd.DataFrame, documents: pd.DataFrame | None, values: Mapping[str, float], *, feature: str, measure: str
) -> str:
    """Say what the list looks like, and what the cut-off does to it; ``documents``: None where they are not known."""
    name = words.capitalised(bold(feature))
    expected, worst, best = in_column([values[one] for one in ("expected", "worst", "best")])
    if documents is None:
        n_missed, relevant_missed, ranked = 0, 0, groups[groups["score"].notna()]
    else:
        missed = documents[documents["group"].isna()]
        n_missed, relevant_missed = len(missed), int(missed["relevant"].sum())
        ranked = groups[groups.index.isin(documents["group"].dropna())]
    if ranked.empty:
        judged = f"{plural(n_missed, 'document')} {'is' if n_missed == 1 else 'are'} judged"
        rest = f" {judged}, {count(relevant_missed)} of them relevant." if n_missed else ""
        return f"{name} lists no document of this query, so it counts {expected}.{rest}"
    n_listed, relevant = int(ranked["size"].sum()), int(ranked["relevant"].sum())
    levels = "no two of them tied" if len(ranked) == n_listed else f"in {plural(len(ranked), 'tie group')}"
    lists = f"{name} ranks {plural(n_listed, 'document')}, {count(relevant)} of them relevant, {levels}"
    if n_missed:
        lists += f"; it does not list {plural(n_missed, 'judged document')} ({count(relevant_missed)} relevant)"
    sentences = [f"{lists}."]
    if documents is not None and not relevant + relevant_missed:
        sentences.append("Nothing is judged relevant for this query.")
    if values["spread"] <= SAME:
        sentences.append(f"Every order gives {expected}.")
    else:
        ends = f"at worst {worst}, at best {best}"
        sentences.append(f"Over random tie-breaks {measure} is <em>{expected}</em> on average, {ends}.")
    cut = groups[(groups["inside"] > 0) & (groups["inside"] < groups["size"])]
    for first, last, inside, size, hits in cut[["first_rank", "last_rank", "inside", "size", "relevant"]].itertuples(
        index=False, name=None
    ):
        some = f"{count(inside)} of its {plural(size, 'document')} {'counts' if inside == 1 else 'count'}"
        of_them = f"{count(hits)} of the {count(size)} {'is' if hits == 1 else 'are'} relevant"
        of_them = f"all {count(size)} are relevant" if hits == size else of_them
        sentences.append(f"The cut falls into the tie of ranks {count(first)}–{count(last)}: {some}; {of_them}.")
    return " ".join(sentences)
