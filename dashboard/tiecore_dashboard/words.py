"""Words and numbers as people read them: formats, escaping of names, what each setting and column means."""

import html
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from tiecore.board.sentences import REVERSED as REVERSED
from tiecore.board.sentences import cut as cut
from tiecore.stability.sentences import NOTHING as NOTHING
from tiecore.stability.sentences import in_digits, queries_of, row_of
from tiecore.stability.sentences import p_value as p_value
from tiecore.stability.sentences import percent as percent
from tiecore.stability.sentences import tie_risk as tie_risk
from tiecore.stability.verdicts import VERDICTS as VERDICTS
from tiecore.stability.verdicts import meanings as meanings
from tiecore.ties.tie_breaks import known_as as known_as

plural, enumerate_names, in_html, number = queries_of, row_of, html.escape, in_digits

SAME = 1e-12
"""Values that differ by no more are equal."""

NEEDS_DOCUMENTS = "a tie-break orders single documents, and a table of counts holds only their numbers"

TIE_BREAKS = {
    "docid-desc": "Document ids in descending byte order: what trec_eval does, and every tool that wraps it. "
    "Up to 9.0.8 it also ties scores that are equal in single precision: see Advanced.",
    "docid-asc": "Document ids in ascending byte order: what Anserini does.",
    "input": "The order of the lines in the file: what any stable sort keeps (LightGBM; NumPy and pandas if asked).",
    "input-reversed": "The order of the lines in the file, from its end.",
    "rank": "The rank column of a TREC run, which trec_eval ignores.",
}

TERMS = {
    "tie risk": "Chance that a random tie-break puts the two in the opposite order; one that makes them equal counts "
    "half. A random tie-break is one random order of a query’s documents, which breaks the ties of every feature.",
    "z": "Shift divided by its standard deviation under random tie-breaks, for the feature where it is largest. For "
    "one feature chosen in advance, chance exceeds ±2 in about 5 % of cases; the largest of many does so more often.",
}
"""What words of sentences mean that not everybody knows."""


def count(value: float) -> str:
    """Whole number with separators.

    >>> count(6190)
    '6,190'
    """
    return f"{int(value):,}"


def size(n_bytes: int) -> str:
    """Size of large files.

    >>> size(1_600_000), size(200 * 2**20), size(5 * 2**30)
    ('1.5 MB', '200 MB', '5 GB')
    """
    shown, unit = (n_bytes / 2**20, "MB") if n_bytes < 2**30 else (n_bytes / 2**30, "GB")
    return f"{shown:.1f}".removesuffix(".0") + f" {unit}"


def plain(markup: str) -> str:
    """Text of HTML."""
    return html.unescape(re.sub("<[^>]*>", "", markup))


def unbroken(text: str) -> str:
    r"""A number with what belongs to it, inside HTML; no line ends between its parts.

    >>> unbroken("p < .0001")
    'p\xa0&lt;\xa0.0001'
    """
    return in_html(text).replace(" ", "\u00a0")


def answer(sentence: str, details: Iterable[str] = ()) -> str:
    """Answer of a page and what follows from it, as HTML; no line ends before a percent sign."""
    more = "".join(f"<li>{detail}</li>" for detail in details if detail)
    rest = f"<ul>{more}</ul>" if more else ""
    return f'<div class="answer"><p>{sentence}</p>{rest}</div>'.replace(" %", "\u00a0%")


def capitalised(sentence: str) -> str:
    """Begin a sentence with a capital; markup and names in front stay as they are.

    >>> capitalised("feature <strong>17</strong> leads."), capitalised("<strong>clicks</strong> leads.")
    ('Feature <strong>17</strong> leads.', '<strong>clicks</strong> leads.')
    """
    return sentence[:1].upper() + sentence[1:]


def bold(name: str, among: Collection[str] = ()) -> str:
    """Any name as the bold part of a sentence in HTML; one of digits alone is called a feature.

    ``among``: names that a long one is to be told from when it is shortened.

    >>> bold("clicks & co"), bold("17")
    ('<strong>clicks &amp; co</strong>', 'feature <strong>17</strong>')
    """
    return f"{'feature ' if name.isdigit() else ''}<strong>{html.escape(cut(name, among=among))}</strong>"


_LIVE = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$&:=^@/])")


def in_markdown(text: str) -> str:
    r"""Any text inside Markdown (labels, captions, help), nothing of it live.

    >>> print(in_markdown("![x](file)"))
    \!\[x\]\(file\)
    """
    # bare addresses become links even where every character is escaped, so they are broken by a word joiner
    escaped = _LIVE.sub(r"\\\1", " ".join(text.split()))
    return re.sub(r"(\\:)(?=\\/)|(?<=www)(?=\\\.)|(?<=\\@)", lambda found: f"{found[0]}\u2060", escaped)


def all_of(n: int, noun: str) -> str:
    """Say that it is all of them.

    >>> all_of(2, "feature"), all_of(1200, "feature")
    ('Both features', 'All 1,200 features')
    """
    return f"All {plural(n, noun)}".replace("All 2 ", "Both ")


def explained(text: str, meaning: str) -> str:
    """Text, already HTML, whose meaning is told under the pointer, by a touch, and to the keyboard."""
    return f'<abbr title="{in_html(meaning)}" tabindex="0">{text}</abbr>'


def tie_break_in_html(name: str) -> str:
    """Name of a tie-break as people know it; what tiecore calls it, and what it does, one hover away."""
    return f"<strong>{explained(in_html(known_as(name)), f'{name}: {of_tie_break(name)}')}</strong>"


def of_tie_break(name: str) -> str:
    """What a tie-break does, in a sentence.

    >>> of_tie_break("random:7")
    'A random order, always the same one for seed 7.'
    """
    head, _, argument = name.partition(":")
    if head == "random":
        return f"A random order, always the same one for seed {argument}."
    if head == "feature":
        return f"The scores of the feature {argument} decide; what they leave tied is averaged."
    return TIE_BREAKS.get(head, "")


def coverage(counts: Mapping[Any, float], ignored: Sequence[str] = ()) -> str:
    """What of a feature and the judgments does not match, and what follows; empty if all does.

    >>> coverage({"queries_unknown": 2, "documents_unknown": 340, "queries_missing": 0, "unjudged": 5, \
"unmatched": 0.05, "missing": 1, "infinite": 1})
    '2 queries (340 rows) have no judgments and are left out; 1 judged document has no score and is \
not ranked; 5 documents (5 %) have no judgment and count as not relevant; \
1 score is infinite, before or behind all others'
    """
    notes, rows = [], plural(int(counts.get("documents_unknown", 0)), "row")
    parts = {"queries_unknown": f" ({rows})", "unjudged": f" ({percent(counts.get('unmatched', 0))})"}
    one, many = {"is": "is", "has": "has", "counts": "counts"}, {"is": "are", "has": "have", "counts": "count"}
    for name, noun, what in (
        ("queries_unknown", "query", "{has} no judgments and {is} left out"),
        ("queries_missing", "judged query", "{is} not listed"),
        ("missing", "judged document", "{has} no score and {is} not ranked"),
        ("unjudged", "document", "{has} no judgment and {counts} as not relevant"),
        ("infinite", "score", "{is} infinite, before or behind all others"),
    ):
        if n := int(counts.get(name, 0)):
            notes.append(f"{plural(n, noun)}{parts.get(name, '')} {what.format_map(one if n == 1 else many)}")
    if ignored:
        notes.append(f"{plural(len(ignored), 'column')} left out (no numbers): {enumerate_names(ignored)}")
    return "; ".join(notes)
