"""What a measure is: a parameterised value with an expectation and, where there is one, a variance."""

from __future__ import annotations

import math
from abc import ABCMeta, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Literal, Self, dataclass_transform

import numpy as np

from tiecore.errors import TiecoreError, shortened
from tiecore.ties.groups import TieGroups

_HIGHEST_POWER = 300
CutoffRule = Literal["none", "optional", "required"]
_Rule = tuple[str, Callable[[Any], bool]]


def _whole(least: int) -> _Rule:
    return f"a whole number from {least}", lambda value: type(value) is int and least <= value < 2**31


def _number(words: str, is_allowed: Callable[[float], bool]) -> _Rule:
    return f"a number {words}", lambda value: type(value) is float and is_allowed(value)


_YES_OR_NO: _Rule = ("True or False", lambda value: type(value) is bool)
_RULES: dict[str, _Rule] = {
    **dict.fromkeys(("cutoff", "rel", "s", "max_rel"), _whole(1)),
    "min_rel": _whole(0),
    "p": _number("between 0 and 1", lambda p: 0.0 < p < 1.0),
    "T": _number("from 1e-06 to 1e+06", lambda wanted: 1e-6 <= wanted <= 1e6),
    "beta": _number("from 0", lambda beta: 0.0 <= beta < math.inf),
    "recall": _number("from 0 to 1 in hundredths", lambda recall: 0.0 <= recall <= 1.0 and round(recall, 2) == recall),
    **dict.fromkeys(("judged_only", "relative", "normalize"), _YES_OR_NO),
    "dcg": ("'log2' or 'exp-log2'", lambda dcg: dcg in ("log2", "exp-log2")),
}
"""What the parameters of measures must be, in words and as a test; a parameter may also be left at its default."""
_NUMBERS = ("p", "T", "beta", "recall")


class NoVarianceError(TiecoreError):
    """The measure has no closed form for its variance; draw random tie-breaks instead."""


class _Family(ABCMeta):
    """Allows a class of measures to be written as in ir_measures: ``nDCG @ 10``."""

    def __matmul__(cls, at: float) -> Any:  # the class is the first argument of a metaclass's method
        return cls(**{cls.at: at})  # type: ignore[attr-defined]  # only measures have this metaclass


@dataclass_transform(frozen_default=True, kw_only_default=True)
@dataclass(frozen=True, kw_only=True)
class Measure(metaclass=_Family):
    """A measure of a ranking with ties; its fields are the parameters of its name.

    A subclass says how to compute the expectation over all orderings of tied documents, and the rest follows: best
    case, worst case and every tie-break are the same expectation on refined groups. It is a frozen dataclass without a
    decorator.
    """

    name: ClassVar[str]
    """That of the class."""
    cutoff_rule: ClassVar[CutoffRule] = "optional"
    higher_is_better: ClassVar[bool] = True
    has_variance: ClassVar[bool]
    """Whether the class defines one."""
    averages_orderings: ClassVar[bool] = True
    """False where the value is defined on an expectation and is not itself a mean over orderings."""

    highest: ClassVar[float | None] = 1.0
    """No query has a higher value, and none one below 0; None where values have no bound."""

    at: ClassVar[str] = "cutoff"
    """The parameter that follows the @ of the name."""
    usual: ClassVar[str] = ""
    """Parameters that a name must have, as hints write them: ``(max_rel=4)``."""

    cutoff: int | None = None

    def __init_subclass__(cls) -> None:
        """Make a measure of the class."""
        dataclass(frozen=True, kw_only=True)(cls)
        cls.name = cls.__name__
        cls.has_variance = cls.variance is not Measure.variance

    def __post_init__(self) -> None:
        """Refuse parameters that make no sense."""
        if self.cutoff is not None and self.cutoff_rule == "none":
            raise TiecoreError(f"{self.name} takes no cut-off: write {self.name}")
        for parameter in fields(self):
            name, value = parameter.name, getattr(self, parameter.name)
            if name in _NUMBERS and type(value) is int and abs(value) < 2**31:
                value = float(value)
                object.__setattr__(self, name, value)
            if name in _RULES and value is not parameter.default and not _RULES[name][1](value):
                raise TiecoreError(f"{name} of {self.name} must be {_RULES[name][0]}, found {shortened(value)}")

    def __matmul__(self, at: float) -> Self:
        """Return the measure with another cut-off: ``AP(rel=2) @ 10``."""
        behind: dict[str, Any] = {self.at: at}
        return replace(self, **behind)

    @property
    def sign(self) -> float:
        """1 if larger values are better, −1 if smaller ones are."""
        return 1.0 if self.higher_is_better else -1.0

    @property
    def threshold(self) -> int:
        """Lowest grade that counts as relevant; 1 where the measure has no such parameter or counts grades."""
        return getattr(self, "rel", None) or 1

    @property
    def counts_grades(self) -> bool:
        """Whether relevant documents of different grades count differently."""
        return getattr(self, "rel", None) is None

    @property
    def span(self) -> float | None:
        """By how much two values can differ on the scale that is averaged; None where values have no bound."""
        return None if self.highest is None else float(np.ptp(self.averaged(np.array([0.0, self.highest]))))

    @property
    def depth(self) -> int | None:
        """Ranks of a list below which nothing matters; None if all do, as where unjudged documents are passed over."""
        return None if getattr(self, "judged_only", False) else self.cutoff

    def seen(self, groups: TieGroups) -> TieGroups:
        """Return the ranking as the measure sees it: without unjudged documents if it is ``judged_only``."""
        return groups.without_unjudged() if getattr(self, "judged_only", False) else groups

    @abstractmethod
    def expected(self, groups: TieGroups) -> np.ndarray:
        """Expectation over all orderings of tied documents: (n_queries,)."""

    def variance(self, groups: TieGroups) -> np.ndarray:
        """Variance over all orderings of tied documents: (n_queries,)."""
        raise NoVarianceError(f"{self} has no closed form for the variance: draw random tie-breaks with sample()")

    def summarise(self, per_query: np.ndarray) -> float:
        """One number for all queries."""
        return float(per_query.mean()) if len(per_query) else math.nan

    def averaged(self, per_query: np.ndarray) -> np.ndarray:
        """Values on the scale whose mean over queries orders features as the summary does; any shape."""
        return per_query

    def unaveraged(self, means: np.ndarray) -> np.ndarray:
        """Return means of ``averaged`` values on the scale of the measure; any shape, increasing."""
        return means

    def has_relevant(self, groups: TieGroups) -> np.ndarray:
        """Return for each query whether the judgments hold a relevant document: (n_queries,) bool."""
        return groups.n_relevant(self.threshold) > 0

    def __str__(self) -> str:
        """Return the canonical name, which parses back to an equal measure."""
        changed = [
            f"{parameter.name}={getattr(self, parameter.name)!r}"
            for parameter in fields(self)
            if parameter.name != self.at and getattr(self, parameter.name) != parameter.default
        ]
        arguments = f"({', '.join(changed)})" if changed else ""
        at = getattr(self, self.at)
        return f"{self.name}{arguments}" + ("" if at is None else f"@{at}")


def quotient(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    """Divide; 0 where the denominator is 0: a query without relevant documents has nothing to find."""
    return np.divide(numerator, denominator, out=np.zeros_like(numerator, dtype=np.float64), where=denominator != 0)


def power_of_two(grade: np.ndarray) -> np.ndarray:
    """2^grade, for exponential gains."""
    if grade.max(initial=0) > _HIGHEST_POWER:
        raise TiecoreError(
            f"grade {int(grade.max())} is too high for an exponential gain: the highest is {_HIGHEST_POWER}"
        )
    return np.exp2(grade)


_TABLES: dict[Callable[[np.ndarray], np.ndarray], np.ndarray] = {}


def running_sum(weight: Callable[[np.ndarray], np.ndarray], depth: int) -> np.ndarray:
    """Sums of the weights of the first 0, 1, 2, … ranks, to ``depth`` at least; the longest of each weight is kept.

    ``weight``: a function of a module, for one made at each call would be kept anew each time.
    """
    table = _TABLES.get(weight)
    if table is None or len(table) <= depth:
        table = np.zeros((1 << max(10, depth.bit_length())) + 1)
        np.cumsum(weight(np.arange(1, len(table), dtype=np.float64)), out=table[1:])
        table.flags.writeable = False
        _TABLES[weight] = table
    return table


def _reciprocal_square(rank: np.ndarray) -> np.ndarray:
    return 1.0 / (rank * rank)


def harmonic(depth: int) -> tuple[np.ndarray, np.ndarray]:
    """Sums of 1/i and of 1/i² to ``depth`` at least, from the sum of nothing."""
    return running_sum(np.reciprocal, depth), running_sum(_reciprocal_square, depth)
