"""What an evaluation gives: values, and what ties do to the order of the features."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from tiecore.errors import TiecoreError
from tiecore.evaluation.notebook import leaderboards_html
from tiecore.evaluation.values import Values
from tiecore.measures import Measure
from tiecore.threads import Progress

if TYPE_CHECKING:
    import pandas as pd

    from tiecore.stability import PlaceMethod, Stability

__all__ = ["Evaluation"]

_Theme = Literal["light", "dark"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Evaluation(Values):
    """Values of every measure and feature, per query and summed up."""

    def _repr_html_(self) -> str:
        """Return the leaderboards for a notebook."""
        return leaderboards_html(self)

    def stability(
        self,
        name: str | Measure,
        *,
        draws: int = 2000,
        seed: int = 0,
        shared_order: bool = False,
        place_method: PlaceMethod | None = None,
        permutations: int | None = None,
        baseline: str | None = None,
        progress: Progress | None = None,
    ) -> Stability:
        """Find out which differences are real, and which places each feature can reach: :mod:`tiecore.stability`."""
        from tiecore.stability import stability  # only when asked for: it needs scipy

        return stability(
            self,
            name,
            draws=draws,
            seed=seed,
            shared_order=shared_order,
            place_method=place_method,
            permutations=permutations,
            baseline=baseline,
            progress=progress,
        )

    def interval(
        self, measure: str | Measure | None = None, *, level: float = 0.95, draws: int = 1000, seed: int = 0
    ) -> pd.DataFrame:
        """Return where random tie-breaks put each feature most of the time.

        One row for each feature: see :func:`tiecore.evaluation.intervals.central_interval`. The measure may be left out
        where there is only one, here and below.
        """
        from tiecore.evaluation.intervals import central_interval  # only when asked for: it needs scipy

        return central_interval(self, self._one_of(measure), level=level, draws=draws, seed=seed)

    def blame(self, feature: str, measure: str | Measure | None = None, *, by: str = "spread") -> pd.DataFrame:
        """Return the queries of a feature, those first that are most to blame for its uncertainty.

        ``by`` is ``spread`` (best less worst), ``sd``, or the name of a tie-break of the evaluation: see
        :func:`tiecore.diagnostics.blame`.
        """
        from tiecore.diagnostics.blame import blame  # only when asked for: the diagnostics need scipy

        return blame(self, feature, measure, by=by)

    def plot(self, measure: str | Measure | None = None, *, theme: _Theme = "light") -> Any:
        """Draw where each feature can land: worst to best case, 95 % of random tie-breaks, expectation, tie-breaks.

        A figure of plotly, that of the dashboard: ``pip install 'tiecore[dashboard]'`` brings both. Show it with
        ``figure.show()``; a notebook shows it by itself.
        """
        return _figures().plot(self, self._one_of(measure), theme=theme)

    def plot_places(self, measure: str | Measure | None = None, *, theme: _Theme = "light") -> Any:
        """Draw the place of each feature under the expectation, the extremes and every tie-break: see :meth:`plot`."""
        return _figures().plot_places(self, self._one_of(measure), theme=theme)

    def plot_blame(
        self, feature: str, measure: str | Measure | None = None, *, by: str = "spread", theme: _Theme = "light"
    ) -> Any:
        """Draw the queries of a feature in the order of :meth:`blame`: see :meth:`plot`."""
        return _figures().plot_blame(self, feature, self._one_of(measure), by=by, theme=theme)

    def _one_of(self, measure: str | Measure | None) -> Measure:
        from tiecore.diagnostics.shared import measure_of  # only when asked for, as the functions above

        return measure_of(self, measure)


def _figures() -> Any:
    """Import the dashboard's figures, which stand further out than everything here: see tests/test_layers.py."""
    try:
        return import_module("tiecore_dashboard.notebook")
    except ImportError as error:
        raise TiecoreError(f"figures need the dashboard ({error}): pip install 'tiecore[dashboard]'") from error
