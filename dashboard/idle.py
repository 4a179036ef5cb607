"""What the server does while nobody waits: it computes what is one click away, and gives back what it has freed.

Sorting takes most of the time of a change, and for other measures, cut-offs and tie-breaks of the menus it can be done
while the reader looks at the page. Whoever acts before that stops it: what was computed stays.
"""

from __future__ import annotations

import ctypes
import gc
import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import fields, replace
from threading import Event, Lock, Thread
from time import monotonic, sleep

from dashboard import cached, controls
from dashboard.controls import Settings
from dashboard.datasets import Dataset
from tiecore import TiecoreError
from tiecore.measures import FAMILIES, Measure
from tiecore.threads import Progress

__all__ = [
    "drawing",
    "drawing_a_part",
    "give_back",
    "look_ahead",
    "measures_ahead",
    "prepare",
    "rest",
    "serve",
    "tie_breaks_ahead",
]

_QUICK = ("nDCG", "P", "R", "F1", "AP", "RR", "DCG", "CG", "Success", "RBP", "Judged", "ERR")
"""Measures that cost little beside the sorting, at many cut-offs too."""
_SLOWER = tuple(name for name in FAMILIES if name not in _QUICK)
_DELAY, _DELAY_OF_A_VISIT = 0.3, 2.0
"""Seconds that the browser is left to draw in peace; when it has just come, it reads its scripts as well."""
_MOST_DOCUMENTS, _MOST_OF_A_FEATURE = 5_000_000, 500_000
"""Documents that all features rank, and each of them: work of some seconds, in pieces that end soon."""
_MOST_VALUES = 40_000
"""Queries times features: some megabytes."""
_MOST_FEATURES = 40
"""Features of whose values more is derived: it grows with the square of them."""
_BETWEEN_RESTS = 120.0


class _Turn:
    """Whose turn it is: pages being drawn come first, and the last look ahead gives way to the next."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._n_pages = 0
        self._turn = 0

    @contextmanager
    def of_a_page(self) -> Iterator[None]:
        with self._lock:
            self._n_pages += 1
            self._turn += 1
        try:
            yield
        finally:
            with self._lock:
                self._n_pages -= 1

    def is_of_a_page(self) -> bool:
        with self._lock:
            return self._n_pages > 0

    def to_look_ahead(self) -> Callable[[], bool]:
        """Take the turn; gives a function that tells whether it is still ours."""
        with self._lock:
            self._turn += 1
            turn = self._turn

        def is_ours() -> bool:
            with self._lock:
                return self._turn == turn and self._n_pages == 0

        return is_ours


_serves = Event()
_turn = _Turn()
_rested_at = -math.inf
"""When the garbage was last let go of."""


class _OvertakenError(Exception):
    """Somebody waits."""


def serve() -> None:
    """Begin with it: a server runs, and visitors will come."""
    _serves.set()


def drawing() -> AbstractContextManager[None]:
    """Draw a page undisturbed: what is computed ahead, for whichever visitor, ends with the feature that it is at."""
    return _turn.of_a_page()


@contextmanager
def drawing_a_part(dataset: Dataset, settings: Settings) -> Iterator[None]:
    """Draw a part of a page undisturbed; if it alone is drawn anew, look ahead from the page again afterwards."""
    with drawing():
        yield
    if not _turn.is_of_a_page():
        look_ahead(dataset, settings)


def look_ahead(dataset: Dataset, settings: Settings, *, has_just_come: bool = False) -> None:
    """Use the time until the next click; the page has been drawn, for a visitor who may have just come."""
    if _serves.is_set():
        arguments = (dataset, settings, _turn.to_look_ahead(), _DELAY_OF_A_VISIT if has_just_come else _DELAY)
        Thread(target=_use_the_time, args=arguments, daemon=True, name="look ahead").start()


def _use_the_time(dataset: Dataset, settings: Settings, is_ours: Callable[[], bool], delay: float) -> None:
    global _rested_at

    def report(_done: int, _total: int) -> None:
        if not is_ours():
            raise _OvertakenError

    sleep(delay)
    if not is_ours():
        return
    if monotonic() - _rested_at > _BETWEEN_RESTS:
        _rested_at = monotonic()
        rest()
    if dataset.qrels is not None and dataset.used:
        # what cannot be computed is told when it is asked for; no thread begins when the interpreter ends
        with suppress(_OvertakenError, TiecoreError, RuntimeError):
            prepare(dataset, settings, progress=report)
    if is_ours():
        give_back()
    gc.freeze()  # whoever collects garbage next need not look through what was computed ahead


def rest() -> None:
    """Let go of garbage, and let the collector pass over what is left: packages, which stay for ever, and data in use.

    Streamlit collects garbage after each run of a page, before the last of the page is sent; looking through the
    packages each time takes 0.1 s. What was passed over and has gone since, such as a closed session, is found by the
    next rest.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def give_back() -> None:
    """Give freed memory back to the system: left alone, glibc keeps what lies below anything that is still in use."""
    if os.name == "posix":  # elsewhere the program itself cannot be opened as a library
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(ctypes.c_size_t(0))


def prepare(dataset: Dataset, settings: Settings, *, progress: Progress | None = None) -> None:
    """Compute what is one click away from the settings, if the data are not too many."""
    aligned = cached.alignment(dataset)
    most_of_a_feature = max(aligned.n_ranked([name]) for name in aligned.features)
    if aligned.n_ranked() > _MOST_DOCUMENTS or most_of_a_feature > _MOST_OF_A_FEATURE:
        return
    if aligned.n_queries * len(aligned.features) > _MOST_VALUES:
        return
    quick, slower = measures_ahead(settings.measure)
    others = tie_breaks_ahead(settings.tie_breaks)
    cached.fill(dataset, quick, settings.tie_breaks, settings.options, progress=progress)
    cached.fill(dataset, [settings.measure], others, settings.options, progress=progress)
    if len(aligned.features) <= _MOST_FEATURES:
        one_click_away = [replace(settings, measure=one) for one in quick]
        one_click_away += [replace(settings, tie_breaks=(*settings.tie_breaks, name)) for name in others]
        for one in one_click_away:
            cached.get_ready(dataset, one, progress=progress)
    cached.fill(dataset, slower, settings.tie_breaks, settings.options, progress=progress)


def measures_ahead(chosen: Measure) -> tuple[tuple[Measure, ...], tuple[Measure, ...]]:
    """Measures with the parameters of the chosen one, the quick and the slower; with the quick it at other cut-offs."""
    quick = [_like(chosen, name) for name in _QUICK]
    if chosen.cutoff is not None and chosen.name in _QUICK:
        quick += [replace(chosen, cutoff=cutoff) for cutoff in controls.CUTOFFS]
    slower = [_like(chosen, name) for name in _SLOWER]
    return _others(quick, chosen), _others(slower, chosen)


def _like(chosen: Measure, name: str) -> Measure:
    """Measure of another family with the same parameters, as far as it has them: what a click on its name gives."""
    family = FAMILIES[name]
    given = {field.name: getattr(chosen, field.name) for field in fields(chosen)}
    if family.cutoff_rule == "none":
        given["cutoff"] = None
    elif chosen.cutoff is None and (family.cutoff_rule == "required" or chosen.cutoff_rule == "none"):
        given["cutoff"] = controls.USUAL_CUTOFF
    return family(**{field.name: given[field.name] for field in fields(family) if field.name in given})


def _others(found: Iterable[Measure], chosen: Measure) -> tuple[Measure, ...]:
    return tuple(dict.fromkeys(one for one in found if one != chosen))


def tie_breaks_ahead(chosen: Sequence[str]) -> tuple[str, ...]:
    """Tie-breaks of the menu that need nothing of their own, and are not chosen."""
    return tuple(name for name in controls.USUAL_TIE_BREAKS if name not in chosen)
