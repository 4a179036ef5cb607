"""Exact evaluation of rankings with tied scores.

Every name is imported when it is first used: that of a measure needs NumPy alone, and help needs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiecore import board as board
    from tiecore import diagnostics as diagnostics
    from tiecore import plot as plot
    from tiecore import plugins as plugins
    from tiecore import similarity as similarity
    from tiecore import stability as stability
    from tiecore.collection.inputs import read_features as read_features
    from tiecore.collection.inputs import read_qrels as read_qrels
    from tiecore.comparing import compare as compare
    from tiecore.comparing import gate as gate
    from tiecore.comparing import judges as judges
    from tiecore.counts import Counts as Counts
    from tiecore.counts import count as count
    from tiecore.errors import AlignmentError as AlignmentError
    from tiecore.errors import FormatError as FormatError
    from tiecore.errors import TiecoreError as TiecoreError
    from tiecore.evaluation.engine import evaluate as evaluate
    from tiecore.evaluation.explain import explain as explain
    from tiecore.evaluation.one_list import Moments as Moments
    from tiecore.evaluation.one_list import moments as moments
    from tiecore.evaluation.one_list import sample as sample
    from tiecore.evaluation.result import Evaluation as Evaluation
    from tiecore.formats import Limits as Limits
    from tiecore.formats import limited as limited
    from tiecore.measures import measure as measure
    from tiecore.similarity import rbo as rbo

__version__: str

_NAMES_OF = {
    "collection.inputs": ("read_features", "read_qrels"),
    "comparing": ("compare", "gate", "judges"),
    "counts": ("Counts", "count"),
    "errors": ("AlignmentError", "FormatError", "TiecoreError"),
    "evaluation.engine": ("evaluate",),
    "evaluation.explain": ("explain",),
    "evaluation.one_list": ("Moments", "moments", "sample"),
    "evaluation.result": ("Evaluation",),
    "formats": ("Limits", "limited"),
    "measures": ("measure",),
    "similarity": ("rbo",),
}
_ROOM_OF = {name: room for room, names in _NAMES_OF.items() for name in names}
_ROOMS = ("board", "diagnostics", "plot", "plugins", "similarity", "stability")

__all__ = sorted(["__version__", *_ROOM_OF, *_ROOMS])


def __getattr__(name: str) -> object:
    value: object
    if name in _ROOM_OF:
        value = getattr(import_module(f"tiecore.{_ROOM_OF[name]}"), name)
    elif name in (*_ROOMS, "spark"):
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
    return sorted({*globals(), *__all__})
