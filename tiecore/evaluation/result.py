"""What an evaluation gives: values, and what ties do to the order of the features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tiecore.evaluation.notebook import leaderboards_html
from tiecore.evaluation.values import Values
from tiecore.measures import Measure
from tiecore.threads import Progress

if TYPE_CHECKING:
    from tiecore.stability import PlaceMethod, Stability

__all__ = ["Evaluation"]


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
