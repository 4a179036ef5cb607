"""Exact evaluation of rankings with tied scores.

Everything that needs pandas or pyarrow is imported when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from tiecore.errors import AlignmentError, FormatError, TiecoreError
from tiecore.evaluation.one_list import Moments, moments, sample
from tiecore.measures import measure

if TYPE_CHECKING:
    from tiecore.collection.inputs import read_features, read_qrels
    from tiecore.counts import Counts, count
    from tiecore.evaluation.engine import evaluate
    from tiecore.evaluation.result import Evaluation

__all__ = [
    "AlignmentError",
    "Counts",
    "Evaluation",
    "FormatError",
    "Moments",
    "TiecoreError",
    "count",
    "evaluate",
    "measure",
    "moments",
    "read_features",
    "read_qrels",
    "sample",
]

_LATER = {
    "Counts": "tiecore.counts",
    "Evaluation": "tiecore.evaluation.result",
    "count": "tiecore.counts",
    "evaluate": "tiecore.evaluation.engine",
    "read_features": "tiecore.collection.inputs",
    "read_qrels": "tiecore.collection.inputs",
}


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module 'tiecore' has no attribute {name!r}")
    value: object = getattr(import_module(_LATER[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
