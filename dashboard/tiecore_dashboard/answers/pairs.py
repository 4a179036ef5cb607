"""Which differences between two features are real, and what each number about a pair says."""

from __future__ import annotations

import math
from collections import Counter
from typing import NamedTuple

import pandas as pd

from tiecore.stability import Stability
from tiecore_dashboard.ui import words
from tiecore_dashboard.ui.words import ARTEFACT, MEANINGS, VERDICTS, begin, bold, in_html, in_markdown

__all__ = ["Reading", "most_interesting", "p_value", "pairs_answer", "readings", "told"]

_SIGNIFICANT = 0.05
_EFFECTS = ((0.2, "hardly any effect"), (0.5, "a small effect"), (0.8, "a medium effect"))
_HOLM = "Paired t-test over the queries, adjusted for all pairs by Holm, at 5 %"


def _explained(verdict: str) -> str:
    """Verdict with its mark, and its meaning one hover away."""
    return f'{VERDICTS[verdict]} <abbr title="{MEANINGS[verdict]}">{verdict}</abbr>'


def pairs_answer(stable: Stability) -> tuple[str, list[str]]:
    """How many pairs are certain, likely, undecided and artefacts: a sentence, and the rest as a list; HTML."""
    pairs = stable.pairs
    if len(pairs) == 1:
        return told(pairs.iloc[0]), []
    count = Counter(pairs["verdict"])
    found = [name for name in VERDICTS if count[name]]
    total = words.plural(len(pairs), "pair")
    if len(found) == 1:
        sentence = f"All {total} are {_explained(found[0])}: {MEANINGS[found[0]]}."
    else:
        first = f"{words.count(count[found[0]])} {'is' if count[found[0]] == 1 else 'are'} {_explained(found[0])}"
        rest = [f"{words.count(count[name])} {_explained(name)}" for name in found[1:]]
        sentence = f"Of {total}, {words.enumerate_names([first, *rest])}."
    significant = int((pairs["holm"] <= _SIGNIFICANT).sum())
    how_many = words.plural(significant, "difference") if significant else "no difference"
    beyond = (
        f"Beyond ties stands the choice of queries: {how_many} "
        f'{"are" if significant > 1 else "is"} <abbr title="{_HOLM}">significant</abbr> over '
        f"{words.plural(stable.n_queries, 'query', 'queries')}."
    )
    return sentence, [*_claims(pairs), beyond]


def _claims(pairs: pd.DataFrame) -> list[str]:
    """What tie-breaks say that the expectation does not."""
    claimed = int(pairs["artefact"].sum())
    if not claimed:
        return []
    turned = Counter(name for flips in pairs["flipped_by"] for name in flips)
    parts = [f"{words.count(n)} by {words.tie_break_in_html(name)}" for name, n in turned.most_common()]
    order = f", turned round: {words.enumerate_names(parts, most=6)}" if parts else ""
    noun = "is an" if claimed == 1 else "are"
    plural = "" if claimed == 1 else "s"
    return [
        f"{words.plural(claimed, 'pair')} {noun} {ARTEFACT} "
        f'<abbr title="{MEANINGS["artefact"]}">artefact{plural}</abbr>{order}.'
    ]


def told(pair: pd.Series) -> str:
    """Verdict on a pair in a sentence, and what tie-breaks make of it; HTML."""
    leader, trailer = bold(pair["leader"]), bold(pair["trailer"])
    chance = in_html(words.chance(pair["p_beats"]))
    if pair["verdict"] == "certain":
        sentence = f"{leader} beats {trailer}, and that is {_explained('certain')}: no tie can change it."
    elif pair["difference"] == 0 and pair["sd_ties"] == 0:
        sentence = f"{leader} and {trailer} have the same value, and ties do not change it."
    elif pair["difference"] == 0:
        sentence = f"{leader} and {trailer} have the same expectation: only ties put one ahead."
    elif pair["verdict"] == "likely":
        sentence = f"{leader} beats {trailer} in {chance} of random tie-breaks: {_explained('likely')}."
    else:
        sentence = (
            f"Luck decides: {leader} beats {trailer} in {chance} of random tie-breaks, {_explained('undecided')}."
        )
    flips = [words.tie_break_in_html(name) for name in pair["flipped_by"]]
    if flips:
        verb = ("sees", "see") if pair["difference"] == 0 else ("puts", "put")
        whom = "one of them" if pair["difference"] == 0 else trailer
        sentence += f" {words.enumerate_names(flips, most=6)} {verb[len(flips) > 1]} {whom} ahead."
    return begin(sentence)


def most_interesting(pairs: pd.DataFrame) -> tuple[str, str]:
    """Pick the pair nearest to the top that luck or a tie-break decides; else an artefact, a likely one, the first.

    >>> pairs = pd.DataFrame({"leader": list("aab"), "trailer": list("bcc"), "artefact": [True, False, False]})
    >>> most_interesting(pairs.assign(verdict=["certain", "likely", "undecided"], flipped_by=[()] * 3))
    ('b', 'c')
    """
    open_to_luck = pairs["verdict"].eq("undecided") | pairs["flipped_by"].map(bool)
    for wanted in (open_to_luck, pairs["artefact"], pairs["verdict"].eq("likely")):
        if wanted.any():
            found = pairs[wanted].iloc[0]
            return str(found["leader"]), str(found["trailer"])
    return str(pairs["leader"].iloc[0]), str(pairs["trailer"].iloc[0])


def p_value(p: float) -> str:
    """Print a p-value, never as 0.

    >>> p_value(0.03217), p_value(1e-9), p_value(float("nan"))
    ('0.0322', '<0.0001', '–')
    """
    if math.isnan(p):
        return words.NOTHING
    return "<0.0001" if p < 0.0001 else f"{p:.4f}"


class Reading(NamedTuple):
    """A number and what it says."""

    quantity: str
    value: str
    meaning: str


def readings(pair: pd.Series, *, n_pairs: int, n_queries: int) -> list[Reading]:
    """What was found about a pair, in plain words; Markdown."""
    leader, trailer = in_markdown(pair["leader"]), in_markdown(pair["trailer"])
    same = pair["difference"] == 0
    kept = pair["holm"] <= _SIGNIFICANT
    effect = abs(pair["effect"])
    size = next((told for limit, told in _EFFECTS if effect < limit), "a large effect")
    rows = [
        Reading(
            "Difference",
            words.number(pair["difference"]),
            "There is none."
            if same
            else f"{leader} is better by so much, on average over {words.plural(n_queries, 'query', 'queries')}.",
        ),
        Reading(
            "Noise of ties",
            words.number(pair["sd_ties"]),
            "Ties change nothing."
            if pair["sd_ties"] == 0
            else "Random tie-breaks move the difference by so much (standard deviation).",
        ),
        Reading(
            "Noise of queries",
            words.number(pair["sd_queries"]),
            "One query says nothing about others."
            if n_queries == 1
            else "Other queries of the same kind would move it by so much (standard error).",
        ),
        Reading(
            "t-test, p",
            p_value(pair["t_p"]),
            "On other queries the order would hardly be another."
            if pair["t_p"] <= _SIGNIFICANT
            else "On other queries the order could well be another.",
        ),
        Reading(
            "Randomisation, p",
            p_value(pair["randomisation_p"]),
            "The same question, without assuming a normal distribution.",
        ),
        Reading(
            "Holm, p",
            p_value(pair["holm"]),
            f"Adjusted for {words.plural(n_pairs, 'pair')}: {'' if kept else 'not '}significant at 5\u00a0%.",
        ),
        Reading(
            "Benjamini–Hochberg, p",
            p_value(pair["bh"]),
            f"{'A' if pair['bh'] <= _SIGNIFICANT else 'Not a'} discovery, if 5\u00a0% of all discoveries may be false.",
        ),
        Reading(
            "Effect d",
            "∞" if math.isinf(effect) else words.number(pair["effect"]),
            "Every query shows the same difference." if math.isinf(effect) else f"For a single query this is {size}.",
        ),
    ]
    return [*rows, *_turned(pair, trailer=trailer, same=same, kept=kept)]


def _turned(pair: pd.Series, *, trailer: str, same: bool, kept: bool) -> list[Reading]:
    """What each tie-break that disagrees makes of the pair."""
    of_tie_break: dict[str, list[str]] = {}
    for name in pair["flipped_by"]:
        of_tie_break.setdefault(name, []).append("one of the two is ahead" if same else f"{trailer} is ahead")
    for name in pair["significance_flipped_by"]:
        told = "the difference is no longer significant" if kept else "the difference counts as significant"
        of_tie_break.setdefault(name, []).append(told)
    return [
        Reading(in_markdown(name), ARTEFACT, f"Under this tie-break {' and '.join(outcomes)}.")
        for name, outcomes in of_tie_break.items()
    ]
