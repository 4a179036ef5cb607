"""What is known of each two features, in sentences."""

from collections import Counter
from functools import partial

import pandas as pd

from tiecore.board.latex import pairs_table
from tiecore.stability import Stability
from tiecore.stability.sentences import Writing, called, tie_break_called, unequal_lists
from tiecore.stability.sentences import pair_sentence as plain_pair_sentence
from tiecore_dashboard import words
from tiecore_dashboard.export.figures import Draw, drawn_by
from tiecore_dashboard.words import VERDICTS, bold, capitalised

_LIKELY = 0.05
_MOST = 20
"""Rows that a report or a paper has of many pairs, of half as many features."""


def written(stable: Stability) -> Writing:
    """Return how the sentences on a study are written on a page."""
    return Writing(
        feature=partial(bold, among=tuple(stable.places.index)),
        tie_break=words.tie_break_in_html,
        number=words.unbroken,
        verdict="<em>{}</em>".format,
        term=lambda name: words.explained(name, words.TERMS[name]),
    )


def pair_sentence(pair: pd.Series, stable: Stability) -> str:
    """Say what is found of a pair; HTML."""
    return capitalised(plain_pair_sentence(pair, stable, writing=written(stable)))


def pairs_answer(stable: Stability) -> tuple[str, list[str]]:
    """Count the verdicts on all pairs: a sentence, and what follows from it as a list; HTML."""
    pairs, unequal = stable.pairs, unequal_lists(stable)
    if len(pairs) == 1:
        return pair_sentence(pairs.iloc[0], stable), [unequal]
    count, parts = Counter(pairs["verdict"]), []
    for verdict, meaning in words.meanings(stable.words).items():
        if (n := count[verdict]) or verdict == "clear":
            found = f"{VERDICTS[verdict]} {words.explained(verdict, meaning)}"
            parts.append(f"{words.count(n) if n else 'none'} {'are' if n > 1 else 'is'} {found}")
    sentence = f"Of {words.plural(len(pairs), 'difference')} {words.enumerate_names(parts)}."
    if not stable.n_tests:
        sentence = f"<em>Too few {stable.words['queries']}</em> to tell which of {len(pairs)} differences are clear."
    if count["clear"] == len(pairs):
        sentence = f"{words.all_of(len(pairs), 'difference')} {parts[0].partition(' ')[2]}."
    return sentence, [unequal, _of_tie_breaks(stable)]


def _of_tie_breaks(stable: Stability) -> str:
    """Say how many orders tie-breaks reverse; nothing where none does."""
    changed = stable.pairs[stable.pairs["reversed_by"].map(bool)]
    if changed.empty:
        return ""
    changes = Counter(changed["reversed_by"].explode())
    many, writing = len(changed) > 1, written(stable)
    parts = [f"{words.count(n)} under " * many + tie_break_called(name, writing) for name, n in changes.most_common()]
    listed = words.enumerate_names(parts, most=6)
    of = f"{words.count(len(changed))} of the {words.plural(len(stable.pairs), 'pair')}"
    return f"{of} {'change order under at least one tie-break:' if many else 'changes order under'} {listed}."


def by_need(pairs: pd.DataFrame) -> pd.DataFrame:
    """Sort pairs by what needs a look: first those that a tie-break reverses, then those at risk, then those open.

    >>> pairs = pd.DataFrame({"verdict": ["clear", "open", "clear", "clear"], "tie_risk": [0, 0, 0.2, 0.01]})
    >>> by_need(pairs.assign(reversed_by=[(), (), (), ("input",)])).index.tolist()
    [3, 2, 1, 0]
    """
    needs = 4 * pairs["reversed_by"].map(bool) + 2 * (pairs["tie_risk"] > _LIKELY) + pairs["verdict"].eq("open")
    return pairs.loc[(-needs).sort_values(kind="stable").index]


def listed_pairs(pairs: pd.DataFrame, stable: Stability, most: int = _MOST) -> tuple[pd.DataFrame, str]:
    """Return those of some pairs that a report or a paper has rows for, and which they are, if not all of the study."""
    if len(pairs) <= most:
        return by_need(pairs), f"Below, {len(pairs)} of these pairs" if len(pairs) < len(stable.pairs) else ""
    known = {*pairs["leader"], *pairs["trailer"]}
    best = [name for name in stable.places.index if name in known][: most // 2]
    own = pairs[pairs["leader"].isin(best)]
    clear = own[own["verdict"] == "clear"].drop_duplicates("leader")  # trailers stand by their places
    needing = by_need(own[own["trailer"].isin(best)].drop(clear.index, errors="ignore"))
    shown = pd.concat([needing.iloc[: most - len(clear)], clear])
    which = f"pairs of the {len(best)} best features that need a look"
    return shown, f"Below, {which}{', then the nearest that each of them clearly beats' * (len(clear) > 0)}"


def pairs_drawn(stable: Stability) -> dict[str, Draw]:
    """Return the figure of those pairs that a report lists, where there are several."""
    if len(stable.pairs) < 2:
        return {}

    def of(most: int) -> Draw:
        shown, part = listed_pairs(stable.pairs, stable, min(_MOST, most))
        answer = f"{words.plain(pairs_answer(stable)[0])} {part or 'Below, all pairs, those first that need a look'}."
        return drawn_by("pairs", stable, rows=shown, answer=answer)

    return {"Pairs": lambda sheet: of(sheet.most_rows)(sheet)}


def pairs_in_latex(pairs: pd.DataFrame, stable: Stability, *, label: str = "pairs") -> str:
    """Return pairs as a table for a paper, with what is found of all pairs as its caption."""
    shown, part = listed_pairs(pairs, stable)
    about = [
        f"{called(stable.measure)}, {words.plural(stable.n_queries, stable.unit)}." * (len(stable.pairs) > 1),
        words.plain(pairs_answer(stable)[0]),
        f"{part}." * bool(part),
    ]
    return pairs_table(shown, stable, about=" ".join(filter(None, about)), label=label)
