"""Exact evaluation of rankings with tied scores.

Every name is imported when it is first used: that of a measure needs NumPy alone, and help needs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from tiecore.errors import AlignmentError, FormatError, TiecoreError

if TYPE_CHECKING:
    from tiecore import diagnostics, plugins, similarity, stability
    from tiecore.collection.inputs import read_features, read_qrels
    from tiecore.counts import Counts, count
    from tiecore.evaluation.concat import concat
    from tiecore.evaluation.engine import evaluate
    from tiecore.evaluation.explain import explain
    from tiecore.evaluation.one_list import Moments, moments, sample
    from tiecore.evaluation.result import Evaluation
    from tiecore.formats import Limits, limited
    from tiecore.measures import measure
    from tiecore.similarity import rbo

__all__ = [
    "AlignmentError",
    "Counts",
    "Evaluation",
    "FormatError",
    "Limits",
    "Moments",
    "TiecoreError",
    "__version__",
    "concat",
    "count",
    "diagnostics",
    "evaluate",
    "explain",
    "limited",
    "measure",
    "moments",
    "plugins",
    "rbo",
    "read_features",
    "read_qrels",
    "sample",
    "similarity",
    "stability",
]

__version__: str

_ROOM_OF = {
    "Counts": "counts",
    "Evaluation": "evaluation.result",
    "Limits": "formats",
    "Moments": "evaluation.one_list",
    "concat": "evaluation.concat",
    "count": "counts",
    "evaluate": "evaluation.engine",
    "explain": "evaluation.explain",
    "limited": "formats",
    "measure": "measures",
    "moments": "evaluation.one_list",
    "rbo": "similarity",
    "read_features": "collection.inputs",
    "read_qrels": "collection.inputs",
    "sample": "evaluation.one_list",
}
_ROOMS = ("diagnostics", "plugins", "similarity", "spark", "stability")


def __getattr__(name: str) -> object:
    value: object
    if name in _ROOM_OF:
        value = getattr(import_module(f"tiecore.{_ROOM_OF[name]}"), name)
    elif name in _ROOMS:
        value = import_module(f"tiecore.{name}")
    elif name == "__version__":
        value = _version()
    else:
        raise AttributeError(f"module 'tiecore' has no attribute {name!r}")
    globals()[name] = value
    return value


def _version() -> str:
    """Return the version that is installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("tiecore")
    except PackageNotFoundError:  # run from a folder that was never installed
        return "not installed"


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
