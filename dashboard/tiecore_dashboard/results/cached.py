"""What pages ask tiecore, computed once: keyed on digests of files and on settings, never on large arrays.

All of it is on the :data:`~tiecore_dashboard.results.shelf.SHELF`.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from inspect import signature
from typing import Any, TypeVar

import pandas as pd

from tiecore import TiecoreError
from tiecore.board import Board
from tiecore.board.marks import order_of_colours
from tiecore.collection.coverage import coverage_of, matched_of
from tiecore.comparing import Judges, Nearest
from tiecore.comparing import compare as compare_values
from tiecore.comparing import judges as compare_judges
from tiecore.comparing import nearest as find_nearest
from tiecore.comparing.values import joined, matrix_of
from tiecore.evaluation.engine import evaluate_alignment
from tiecore.evaluation.result import Evaluation
from tiecore.measures import Measure
from tiecore.stability import Stability
from tiecore.threads import Progress, in_threads
from tiecore_dashboard.files.datasets import MOST_FEATURES, Dataset
from tiecore_dashboard.files.joined import alignment, once
from tiecore_dashboard.results.shelf import SHELF
from tiecore_dashboard.state.sidebar import Settings

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """What a page shows: the data, the settings, and the values that follow from them."""

    dataset: Dataset
    settings: Settings
    evaluation: Evaluation

    @property
    def key(self) -> tuple[Hashable, ...]:
        """What everything derived from the view is cached by."""
        return self.dataset.key, self.settings

    @property
    def measure(self) -> Measure:
        """The chosen measure."""
        return self.settings.measure

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features that take part, in the order in which they came."""
        return self.evaluation.features

    @property
    def coloured(self) -> list[str]:
        """The same in the order in which they take their colours."""
        return order_of_colours(self.leaderboard, [one.name for one in self.evaluation.tie_breaks])

    @property
    def tie_breaks(self) -> tuple[str, ...]:
        """Names of the tie-breaks to compare."""
        return self.settings.tie_breaks

    @property
    def leaderboard(self) -> pd.DataFrame:
        """Features in order of their expectation; see ``Evaluation.leaderboard``."""
        return study(self, Evaluation.leaderboard)


def evaluation(
    dataset: Dataset, settings: Settings, *, measures: Sequence[Measure] = (), progress: Progress | None = None
) -> Evaluation:
    """Evaluate, once for the same data and settings; what is sorted once is not sorted again for other ones.

    ``measures``: instead of that of the settings.
    """
    wanted, chosen = tuple(measures or [settings.measure]), settings.tie_breaks
    aligned, options = alignment(dataset), settings.options
    return once(
        dataset,
        ("evaluation", dataset.key, wanted, chosen, options),
        lambda: evaluate_alignment(aligned, wanted, chosen, options=options, progress=progress),
        size=lambda found: found.values.array.nbytes,
    )


def view(dataset: Dataset, settings: Settings, *, progress: Progress | None = None) -> View:
    """Evaluate what the settings ask for."""
    return View(dataset, settings, evaluation(dataset, settings, progress=progress))


def study(view: View, function: Callable[..., _T], *args: Hashable, **options: Any) -> _T:
    """Call ``function(evaluation, *args, measure=…, **options)`` once for the view; frames come as copies.

    This is how a page asks anything of tiecore: ``study(view, blame, "clicks")``. The function gets the measure
    of the view if it has a parameter of that name.
    """
    if "measure" in signature(function).parameters:
        options["measure"] = view.measure
    told = tuple(sorted((name, value) for name, value in options.items() if name != "progress"))
    key = function.__module__, function.__qualname__, view.key, args, told
    result = once(view.dataset, key, lambda: function(view.evaluation, *args, **options))
    return result.copy() if isinstance(result, pd.DataFrame) else result


def coverage(dataset: Dataset, settings: Settings, *, progress: Progress | None = None) -> pd.DataFrame:
    """One row for each feature: what was used, what was left out, how tied it is; see ``Evaluation.coverage``."""
    aligned, options, cutoff = alignment(dataset), settings.options, settings.cutoff
    of = partial(coverage_of, aligned, precision=options.precision, missing=options.missing, cutoff=cutoff)

    def of_all() -> pd.DataFrame:
        rows = in_threads(of, aligned.features, progress=progress)
        return pd.DataFrame(rows, index=pd.Index(aligned.features, name="feature"))

    return once(dataset, ("coverage", dataset.key, cutoff, options), of_all)


def judged(dataset: Dataset, settings: Settings) -> dict[str, float]:
    """Return, for each feature, the share of its first documents that have a judgment; of all where it lists fewer."""

    def share() -> dict[str, float]:
        aligned, options, at = alignment(dataset), settings.options, settings.cutoff
        matched = {feature: matched_of(aligned, feature) for feature in aligned.features}
        if not any(row["unjudged"] for row in matched.values()):
            return dict.fromkeys(matched, 1.0)
        evaluated = evaluate_alignment(aligned, [f"Judged@{at}"], options=options, statistics=["expected"])
        found = evaluated.leaderboard()["expected"]
        return {
            feature: min(1.0, float(found[feature]) * at / max(1, min(at, row["documents"] / max(1, row["queries"]))))
            for feature, row in matched.items()
        }

    return once(dataset, ("judged", dataset.key, settings.cutoff, settings.options), share)


def judges(view: View) -> Judges:
    """Compare the features under each of the loaded files of judgments; see ``tiecore.judges``."""
    named, systems = view.dataset.judges, view.dataset
    sources = dict.fromkeys([*named.values(), *(one.file for one in systems.used)])

    def compare() -> Judges:
        features = {}
        for one in systems.used:
            records = systems.file(one.file).content.as_scores
            features[one.name] = replace(records, features={one.column: records.features[one.column]})
        return compare_judges(
            {name: systems.file(digest).records for name, digest in named.items()},
            features,
            view.measure,
            ascending=[one.name for one in systems.used if one.lower_is_better],
            **asdict(view.settings.options),
        )

    key = "judges", tuple(named.items()), systems.key, view.measure, view.settings.options
    return SHELF.once(key, compare, files=list(sources))


def nearest(dataset: Dataset, to: str) -> Nearest:
    """Compare the grades of the loaded files of judgments with those of one; see ``tiecore.comparing.nearest``."""
    records = {name: dataset.file(digest).records for name, digest in dataset.judges.items()}
    return once(dataset, ("nearest", to, *dataset.judges.items()), lambda: find_nearest(records, to))


def compared(dataset: Dataset, measure: str | None, *, higher_is_better: bool = True) -> tuple[Stability, pd.DataFrame]:
    """Compare systems by values that were measured elsewhere; also returns these, systems × items."""
    files = [file.digest for file in dataset.files]

    def compare() -> tuple[Stability, pd.DataFrame]:
        values = joined([file.values for file in dataset.files if file.values is not None])
        values = values.rename(columns={"item": values["unit"].iloc[0]})
        if (n_features := values["system"].nunique()) > MOST_FEATURES:
            raise TiecoreError(
                f"{n_features:,} features are too many for these pages, which compare up to {MOST_FEATURES}: tiecore "
                "compare, the command, takes more"
            )
        return compare_values(values, measure, higher_is_better=higher_is_better), matrix_of(values, measure)[1]

    key = "compared", *((file.digest, file.name) for file in dataset.files), measure, higher_is_better
    return SHELF.once(key, compare, files=files)


def board(view: View, *, progress: Progress | None = None) -> Board:
    """Return the leaderboard with all that is known of it: what sentence, table, figures and exports are made from."""
    return study(view, Evaluation.board, progress=progress)
