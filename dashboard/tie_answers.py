"""What ties do to queries and to features, in sentences: HTML with names escaped; counts are all that is computed."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pandas as pd

from dashboard.words import bold, count, enumerate_names, in_html, number, plural, share

__all__ = [
    "SAME",
    "advice_answer",
    "bias_lines",
    "hidden_answer",
    "precision_answer",
    "queries_answer",
    "query_answer",
    "ties_answer",
]

SAME = 1e-12
"""Values that differ by no more are equal."""
_MANY = 0.5
_DOUBTFUL = 0.05
_MOST_ALARMS = 4
_KINDS = {"decimals": "decimal", "bits": "significant bit", "levels": "level"}
_FINE = ("as in float64", "no more than noise", "gains")
_UNKNOWN = "too few queries to say"
_CLEAR = 3.0
_Z = '<abbr title="Shift in units of what chance would make of it: beyond ±2 is rarely chance">z = '


def _begin(sentence: str) -> str:
    """Begin with a capital where a name of digits is called a feature."""
    return f"F{sentence[1:]}" if sentence.startswith("feature <strong>") else sentence


def queries_answer(blamed: pd.DataFrame, *, feature: str, by: str, measure: str) -> str:
    """Say how much of the trouble sits in how few queries."""
    name, n_queries = bold(feature), plural(len(blamed), "query", "queries")
    untouched = int((blamed["spread"] <= SAME).sum())
    if untouched == len(blamed):
        return f"No tie of {name} changes {measure} in any query: each has one value, whatever breaks the ties."
    half = int((blamed["cumulative"] < 0.5).sum()) + 1
    few = f"{half} of {n_queries}" if half > 1 else f"one of {n_queries}"
    if by == "value":
        first, last = blamed.iloc[0], blamed.iloc[-1]
        return (
            f"The expectations of {name} reach from {number(first['expected'])} in query "
            f"{bold(str(first.name)).removeprefix('feature ')} to {number(last['expected'])} in "
            f"{bold(str(last.name)).removeprefix('feature ')}."
        )
    rest = f"; in {count(untouched)} ties change nothing" if untouched else ""
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
    name = _begin(bold(feature))
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
    if values["spread"] <= SAME:
        sentences.append(f"Every ordering gives {number(values['expected'])}.")
    else:
        sentences.append(
            f"{measure} is expected to be <strong>{number(values['expected'])}</strong>, anything from "
            f"{number(values['worst'])} to {number(values['best'])}."
        )
    split = groups[(groups["inside"] > 0) & (groups["inside"] < groups["size"])]
    sentences += [
        f"The cut falls into the tie of ranks {count(first)}–{count(last)}: {count(inside)} of its "
        f"{plural(size, 'document')} ({count(hits)} relevant) count."
        for first, last, inside, size, hits in split[
            ["first_rank", "last_rank", "inside", "size", "relevant"]
        ].itertuples(index=False, name=None)
    ]
    return " ".join(sentences)


def ties_answer(anatomy: pd.DataFrame, *, cutoff: int) -> tuple[str, list[str]]:
    """Say how tied the features are; and which of them are no ranking."""
    lines = _alarms(anatomy)
    if not (anatomy["tied"] > 0).any():
        return "No two documents of a query are tied: every way of breaking ties gives the same values.", lines
    cut = anatomy[f"cut_in_mixed_tie@{cutoff}"]
    worst, how_often = str(cut.idxmax()), f"<em>{share(cut.max())}</em> of queries"
    where = f"the cut behind rank {count(cutoff)} falls into a tie of mixed relevance"
    hit = f"{where} in {how_often}" if cut.max() else f"in no query {where}"
    if len(anatomy) == 1:
        return (
            f"{_begin(bold(worst))} ties <em>{share(anatomy['tied'].iloc[0])}</em> of its documents, and {hit}.",
            lines,
        )
    many = int((anatomy["tied"] > _MANY).sum())
    if many:
        ties = f"<em>{count(many)} of {plural(len(anatomy), 'feature')}</em> {'ties' if many == 1 else 'tie'}"
        ties += f" more than half of {'its' if many == 1 else 'their'} documents"
    else:
        ties = f"No feature ties more than {share(anatomy['tied'].max())} of its documents"
    return f"{ties}; {hit}{f' of {bold(worst)}' if cut.max() else ''}.", lines


def _alarms(anatomy: pd.DataFrame) -> list[str]:
    """Features that are no ranking, each with a line; those that are none in some queries share one."""
    raised = anatomy[anatomy["alarm"] != ""]
    nowhere = raised[raised["values_per_query"] <= 1]
    lines = [f"{_begin(bold(str(name)))}: {in_html(alarm)}." for name, alarm in nowhere["alarm"].items()]
    if len(lines) > _MOST_ALARMS:
        lines[_MOST_ALARMS:] = [f"{count(len(lines) - _MOST_ALARMS)} more are no ranking either: see the table."]
    partly = [bold(str(name)) for name in raised.index.difference(nowhere.index, sort=False)]
    if partly:
        lines.append(
            f"{_begin(enumerate_names(partly))} {'ties' if len(partly) == 1 else 'tie'} all documents of some queries."
        )
    return lines


def bias_lines(pooled: pd.DataFrame) -> list[str]:
    """Say which tie-breaks know about relevance; one line for those that show no sign of it."""
    told = pooled[pooled["p"] < _DOUBTFUL]
    lines = [
        f"{_named(verdict, str(name))} (most of all {bold(strongest)}, {_Z}{z:.1f}</abbr>).".replace("z = -", "z = −")
        for name, verdict, strongest, z in told[["verdict", "strongest", "z"]].itertuples(name=None)
    ]
    clean = [in_html(str(name)) for name in pooled.index[(pooled["p"] >= _DOUBTFUL).to_numpy()]]
    if clean:
        lines.append(f"No sign that {enumerate_names(clean)} {'knows' if len(clean) == 1 else 'know'} about relevance.")
    return lines


def _named(verdict: str, tie_break: str) -> str:
    """Verdict that begins with the name of the tie-break, in bold."""
    name = f"<strong>{in_html(tie_break)}</strong>"
    return (
        f"{name}{in_html(verdict.removeprefix(tie_break))}"
        if verdict.startswith(tie_break)
        else f"{name}: {in_html(verdict)}"
    )


def precision_answer(curve: pd.DataFrame, *, feature: str, measure: str) -> str:
    """Say how coarsely a feature may be stored before it costs; the finest is the first of each kind."""
    enough: dict[str, int] = {}
    spoilt: set[str] = set()
    for name, verdict in curve["verdict"].items():
        kind, _, number_of = str(name).partition(":")
        if kind in _KINDS and verdict not in _FINE:
            spoilt.add(kind)
        elif kind in _KINDS and kind not in spoilt:
            enough[kind] = int(number_of)
    unknown = f" Beyond that there are {_UNKNOWN}." if (curve["verdict"] == _UNKNOWN).any() else ""
    if not enough and unknown:
        return f"There are too few queries to say what a coarser precision costs {bold(feature)}."
    if not enough:
        return f"{bold(feature)} must be stored as it is: any coarser precision costs {in_html(measure)}."
    ways = [plural(n, _KINDS[kind]) if n else "whole numbers" for kind, n in enough.items()]
    told = " or ".join(filter(None, [", ".join(ways[:-1]), ways[-1]]))
    told = told[:1].upper() + told[1:]
    return f"<em>{told}</em> are enough for {bold(feature)}: {in_html(measure)} loses no more than noise.{unknown}"


def hidden_answer(hidden: pd.DataFrame) -> str:
    """Say whether ties seem to have been hidden by tiny steps."""
    found = hidden["note"][hidden["note"] != ""]
    if not len(found):
        return "No sign that a tool has hidden ties by adding or subtracting something tiny."
    return " ".join(f"{_begin(bold(str(feature)))}: {in_html(note)}." for feature, note in found.items())


def advice_answer(advice: pd.DataFrame, *, feature: str, before: float, can_gain: bool) -> str:
    """Say which other feature breaks the ties best, and whether that is more than luck."""
    if not can_gain:
        return f"No tie of {bold(feature)} changes the value: there is nothing to break."
    best = advice.iloc[0]
    name = _begin(bold(str(advice.index[0])))
    if best["gained"] <= SAME:
        return f"No other feature breaks the ties of {bold(feature)} better than chance does."
    change = f"{number(before)} to {number(best['expected'])}"
    removed = f", and {share(best['spread_removed'])} of its spread is gone" if best["spread_removed"] > 0 else ""
    if best["z"] >= _CLEAR:
        return f"{name} is the best tie-breaker of {bold(feature)}: it goes from {change}{removed}."
    luck = "; whether that is more than luck is not known" if math.isnan(best["z"]) else ", but so much can be luck"
    return f"{name} would take {bold(feature)} from {change}{removed}{luck}."
