"""The tie-breaks in use: each is a function that returns a further sort key.

To add one, put a function from the rows of a feature (and the part of the name behind the colon) to a key into
``TIE_BREAKS``. Keys are non-negative whole numbers, smaller stands higher; what a key leaves equal stays tied
and is averaged.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tiecore.errors import TiecoreError, shortened

_WORD = 0xFFFFFFFFFFFFFFFF
_SPARE = np.uint64(24)
"""Bits of a random key that nothing needs: without them it and a position, or query and score, fit into one number.

Two documents share what is left, and then their place, with a chance of one in 10^12.
"""


class Rows(Protocol):
    """What a tie-break may know of the documents that a feature scores; every array is (n_documents,)."""

    @property
    def level(self) -> np.ndarray:
        """Grade level, 0 for unjudged, ascending with the grade."""

    def docid_order(self) -> np.ndarray:
        """Rank of the document id by bytes inside the query."""

    def id_hash(self) -> np.ndarray:
        """64-bit hash of query and document id."""

    def input_order(self) -> np.ndarray:
        """Order in the feature's file."""

    def run_rank(self) -> np.ndarray:
        """Rank column of the feature's run, as non-negative numbers."""

    def feature_code(self, name: str) -> np.ndarray:
        """Code of the scores of another feature, the best first."""


def random_key(hashes: np.ndarray, seeds: np.ndarray) -> np.ndarray:
    """Random numbers of 40 bits, each made of a 64-bit hash and a seed; both arrays are of uint64."""
    return _mix(hashes ^ _mix(seeds)) >> _SPARE


TIE_BREAKS: dict[str, Callable[[Rows, str], np.ndarray]] = {
    # ids in byte order: trec_eval sorts them downwards, Anserini writes its runs upwards
    "docid-desc": lambda rows, _: _reversed(rows.docid_order()),
    "docid-asc": lambda rows, _: rows.docid_order(),
    # order of the file, as any stable sort leaves it
    "input": lambda rows, _: rows.input_order(),
    "input-reversed": lambda rows, _: _reversed(rows.input_order()),
    "rank": lambda rows, _: rows.run_rank(),
    # depends on the seed and the ids alone, so the order of the input does not matter
    "random": lambda rows, seed: random_key(rows.id_hash(), np.array([int(seed)], dtype=np.uint64)),
    "best": lambda rows, _: _reversed(rows.level),
    "worst": lambda rows, _: rows.level,
    "feature": lambda rows, name: rows.feature_code(name),
}
ALIASES = {"trec_eval": "docid-desc", "anserini": "docid-asc", "stable": "input"}
_ARGUMENT = {"random": "SEED", "feature": "NAME"}


@dataclass(frozen=True, slots=True)
class TieBreak:
    """A named tie-break."""

    name: str
    """As the user wrote it, without blanks around it."""
    policy: str
    """Name in ``TIE_BREAKS``."""
    argument: str = ""

    def key(self, rows: Rows) -> np.ndarray:
        """(n_documents,) sort key, smaller first."""
        return TIE_BREAKS[self.policy](rows, self.argument)


def tie_break(name: str) -> TieBreak:
    """Read the name of a tie-break, for example ``trec_eval``, ``random:7`` or ``feature:clicks``."""
    head, colon, argument = name.partition(":")
    head = head.strip()
    if head != "feature":  # a feature may be called anything, also with blanks at its ends
        argument = argument.strip()
    name = f"{head}{colon}{argument}"  # one tie-break is one column, however it is written
    policy = ALIASES.get(head, head)
    if policy not in TIE_BREAKS:
        known = [*TIE_BREAKS, *ALIASES]
        close = difflib.get_close_matches(head, known, cutoff=0.5)
        hint = f"did you mean {' or '.join(close)}?" if close else f"known are {', '.join(map(_spelled, known))}"
        raise TiecoreError(f"unknown tie-break {shortened(name)}: {hint}")
    if policy in _ARGUMENT and not argument:
        raise TiecoreError(f"tie-break {shortened(name)} needs a {_ARGUMENT[policy]}: write {_spelled(policy)}")
    if policy not in _ARGUMENT and colon:
        raise TiecoreError(f"tie-break {shortened(head)} takes nothing after a colon, found {shortened(name)}")
    # more digits than the largest seed has are not even read: Python refuses thousands of them in words of its own
    if policy == "random" and not (
        argument.isascii() and argument.isdigit() and len(argument) <= len(str(_WORD)) and int(argument) <= _WORD
    ):
        raise TiecoreError(
            f"the seed of {shortened(name)} must be a whole number from 0 to 2^64 - 1: for example random:7"
        )
    return TieBreak(name, policy, argument)


def _spelled(policy: str) -> str:
    return f"{policy}:{_ARGUMENT[policy]}" if policy in _ARGUMENT else policy


def _reversed(key: np.ndarray) -> np.ndarray:
    return key.max(initial=0) - key


def _mix(words: np.ndarray) -> np.ndarray:
    """Scatter the bits of each word (the finaliser of the SplitMix64 generator)."""
    words = words ^ (words >> np.uint64(30))
    words *= np.uint64(0xBF58476D1CE4E5B9)
    words ^= words >> np.uint64(27)
    words *= np.uint64(0x94D049BB133111EB)
    words ^= words >> np.uint64(31)
    return words


_KNOWN_AS = {
    "docid-desc": "trec_eval (ids ↓)",
    "docid-asc": "Anserini (ids ↑)",
    "input": "file order",
    "input-reversed": "file order reversed",
    "rank": "rank column",
}


def known_as(name: str) -> str:
    """Return the name of a tie-break as people know it.

    >>> known_as("docid-desc"), known_as("random:7"), known_as("feature:clicks")
    ('trec_eval (ids ↓)', 'random (seed 7)', 'by clicks')
    """
    head, _, argument = name.partition(":")
    if head == "random":
        return f"random (seed {argument})"
    return f"by {argument}" if head == "feature" else _KNOWN_AS.get(head, name)
