"""Exact evaluation of rankings with tied scores.

Everything that needs pandas or pyarrow is imported when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from tiecore.errors import AlignmentError, FormatError, TiecoreError
from tiecore.evaluation.one_list import Moments, moments, sample
from tiecore.measures import measure

if TYPE_CHECKING:
    from tiecore import diagnostics, plugins, similarity, stability
    from tiecore.collection.inputs import read_features, read_qrels
    from tiecore.counts import Counts, count
    from tiecore.evaluation.concat import concat
    from tiecore.evaluation.engine import evaluate
    from tiecore.evaluation.explain import explain
    from tiecore.evaluation.result import Evaluation
    from tiecore.similarity import rbo

__all__ = [
    "AlignmentError",
    "Counts",
    "Evaluation",
    "FormatError",
    "Moments",
    "TiecoreError",
    "__version__",
    "concat",
    "count",
    "diagnostics",
    "evaluate",
    "explain",
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

_LATER = {
    "Counts": "tiecore.counts",
    "Evaluation": "tiecore.evaluation.result",
    "concat": "tiecore.evaluation.concat",
    "count": "tiecore.counts",
    "evaluate": "tiecore.evaluation.engine",
    "explain": "tiecore.evaluation.explain",
    "rbo": "tiecore.similarity",
    "read_features": "tiecore.collection.inputs",
    "read_qrels": "tiecore.collection.inputs",
}
_MODULES = ("diagnostics", "plugins", "similarity", "spark", "stability")


def __getattr__(name: str) -> object:
    value: object
    if name in _LATER:
        value = getattr(import_module(_LATER[name]), name)
    elif name in _MODULES:
        value = import_module(f"tiecore.{name}")
    elif name == "__version__":
        value = _version()
    else:
        raise AttributeError(f"module 'tiecore' has no attribute {name!r}")
    globals()[name] = value
    return value


def _version() -> str:
    """Return the version that is installed; reading it takes longer than all other imports here."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("tiecore")
    except PackageNotFoundError:  # run from a folder that was never installed
        return "not installed"


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
