"""The leaderboard and the verdicts of each part of the queries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from tiecore.evaluation.result import Evaluation
from tiecore.evaluation.slices import slices
from tiecore.measures import Measure
from tiecore.stability.result import Stability
from tiecore.stability.study import stability
from tiecore.threads import Progress


@dataclass(frozen=True, slots=True, eq=False)
class SliceStability:
    """Stability of each part of the queries, the parts by name."""

    parts: dict[str, Stability]

    @property
    def notes(self) -> tuple[str, ...]:
        """What to keep in mind when many parts are looked at."""
        looks = sum(len(part.pairs) for part in self.parts.values())
        if len(self.parts) < 2 or not looks:
            return ()
        return (
            f"{len(self.parts)} parts of the queries and {looks:,} pairs are many looks: p is adjusted for the pairs "
            "of a part, not for the parts, so among 20 parts without any difference about one shows a clear one.",
        )


def slice_stability(
    evaluation: Evaluation,
    measure: str | Measure,
    by: str | Mapping[str, str] | pd.Series | pd.DataFrame | None,
    *,
    progress: Progress | None = None,
    **options: Any,
) -> SliceStability:
    """Study the stability of each part of the queries.

    ``by``: see :func:`tiecore.evaluation.slices.slices`; None studies all queries as one part without a name.
    ``progress`` begins anew for each part. ``options`` are those of ``stability``.
    """
    parts = {"": evaluation} if by is None else slices(evaluation, by)
    studies = {name: stability(part, measure, progress=progress, **options) for name, part in parts.items()}
    return SliceStability({name: replace(study, slice=name) for name, study in studies.items()})
