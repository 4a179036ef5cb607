"""What ties do to the order of the features, as tables."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd

from tiecore.cli.render.numbers import chances, counts, decimals_for, figures, texts
from tiecore.cli.render.tables import LEGEND, Bar, Column, Report, Sheet, Table, columns_of, legend_of
from tiecore.errors import TiecoreError
from tiecore.evaluation.intervals import interval_of_mean
from tiecore.latex import value_column
from tiecore.stability import COLUMNS, Stability
from tiecore.stability.pairs import VERDICTS

__all__ = ["PARTS", "check", "report_of"]

_EXTREMES = ("worst", "best")
_FURTHER = {
    "places": {LEGEND: "from best to worst possible place, ● place by expectation"},
    "beats": {"1, 0": "certain: no tie-breaking can change it", "#": "row number of the other feature"},
    "place_probability": {"1, 2, …": COLUMNS["place_probability"]},
}
"""What needs explaining besides the columns."""
_OWN = {
    "#": COLUMNS["place"],
    "chance": "chance of the place in column # when ties are broken at random, on these queries",
    "expected": "mean over the queries of the exact expectation over random tie-breaks",
    "sd_queries": "standard error from the choice of queries alone: of the value, or of the difference of a pair",
    "places": COLUMNS["low"].replace("best place in", "first and last place in"),
    "once": "places to expect at 95 % if measured once, on other queries under one random tie-break",
    "next": "verdict against the feature in the next row; " + COLUMNS["verdict"],
    "reference": COLUMNS["reference"],
}
_CAPTIONS = {
    "places": "Value with half of its 95 % confidence interval over the queries, exact over random tie-breaks. "
    "Features that share a letter are not significantly different (paired tests, Holm, 0.05). Places: 95 % place set "
    "for other queries.",
    "pairs": "Difference of the exact expectations; p_beats: chance that the leader is ahead under random tie-breaks; "
    "holm: p of the paired test over the queries, adjusted by Holm.",
}


def report_of(studies: Sequence[Stability], *, parts: Sequence[str], top: int, remarks: Sequence[str] = ()) -> Report:
    """Return a report on each measure.

    Parameters
    ----------
    studies
        One for each measure, or for each measure and part of the queries.
    parts
        Names of the tables, some of ``PARTS``; by default those that fit the data.
    top
        Rows of a table in text formats; 0 for all.
    """
    if len(studies[0].places) == 1:
        usual = ["places"]
    else:
        has_tie_breaks = len(studies[0].values.columns) > len(_EXTREMES) + 1
        usual = ["places", "pairs", "agreement", *(["swapped"] if has_tie_breaks else [])]
    return Report(
        command="stability",
        sheets=[_sheet(part, studies, top) for part in (parts or usual)],
        top=top,
        remarks=remarks,
        beside={"place_probability": lambda: _sheet("place_probability", studies, top).in_full()},
    )


def check(parts: Sequence[str]) -> None:
    """Refuse unknown names of tables, before anything is read."""
    unknown = [part for part in parts if part not in PARTS]
    if unknown:
        raise TiecoreError(f"there is no part {unknown[0]!r}: there are {', '.join(PARTS)}")


def _sheet(part: str, studies: Sequence[Stability], top: int) -> Sheet:
    tables = [PARTS[part](study, top) for study in studies]
    legend = legend_of(tables, _explain) | _FURTHER.get(part, {})
    return Sheet(name=part, tables=tables, legend=legend, caption=_CAPTIONS.get(part, ""))


def _about(study: Stability) -> dict[str, str]:
    """Measure, and the part of the queries if it is one."""
    return {"measure": str(study.measure), **({"slice": study.slice} if study.slice else {})}


def _explain(heading: str) -> str:
    if heading in _OWN:
        return _OWN[heading]
    return COLUMNS["… place"] if heading.endswith(" place") else COLUMNS.get(heading, "")


def _places(study: Stability, top: int) -> Table:
    frame = _board(study)
    decimals = decimals_for(frame["expected"].to_numpy())
    place, best, worst = (frame[name].to_numpy() for name in ("place", "best_place", "worst_place"))
    under = [
        Column(heading=name, values=_moved(frame[name].to_numpy(), place), write=texts)
        for name in study.places.columns
        if name.endswith(" place")
    ]
    keys = columns_of(frame, "place, feature", keys=2)
    sets = Column(heading="places", values=_spans(frame["low"], frame["high"]), write=texts)
    values, halves = (figures(frame[name].to_numpy(), decimals) for name in ("expected", "half_width"))
    first = np.flatnonzero(place == 1).tolist()
    return Table(
        data=frame,
        about=_about(study),
        name="places",
        detail=_queries(study),
        columns=[
            *keys,
            *columns_of(frame, "expected, sd_queries"),
            sets,
            *columns_of(frame, "letters, next"),
            Bar(worst=best, mark=place, best=worst, ends=(1.0, float(len(frame))), decimals=0),
        ],
        further=[
            Column(heading="once", values=_spans(frame["low_once"], frame["high_once"]), write=texts),
            *columns_of(frame, "chance, best_place, worst_place"),
            *under,
        ],
        notes=[str(study), *study.notes],
        # what a paper reports: values with letters and intervals, places, and the places under tie-breaks
        paper=[
            *keys,
            value_column(str(study.measure), values, halves, list(frame["letters"]), best=first),
            sets,
            *under,
        ],
    )


def _spans(low: pd.Series, high: pd.Series) -> list[str]:
    return [f"{first}–{last}" if first < last else str(first) for first, last in zip(low, high, strict=True)]


def _half_widths(study: Stability) -> np.ndarray:
    """(n_features,) half of the 95 % interval of each value over queries, ties averaged out."""
    measure = study.compared.measure
    averaged = study.compared.per_query[0] if measure.higher_is_better else -study.compared.per_query[0]
    (low, high), _ = interval_of_mean(measure, averaged)
    return (high - low) / 2


def _board(study: Stability) -> pd.DataFrame:
    """Return one row for each feature: value, standard errors, places and the sets they lie in, letters, verdict."""
    table = study.places.rename_axis("feature").reset_index()
    n_queries = np.maximum(study.compared.listed.sum(axis=1), 1)
    table.insert(2, "expected", study.values["expected"].to_numpy())
    table.insert(3, "sd_queries", _deviation_over_queries(study) / np.sqrt(n_queries))
    table.insert(4, "half_width", _half_widths(study))
    table.insert(5, "chance", study.place_probability.to_numpy()[np.arange(len(table)), table["place"] - 1])
    sets = study.ranks.drop(columns="place").reset_index(drop=True)
    return pd.concat([table, sets, pd.Series(_against_next(study), name="next")], axis=1)


def _deviation_over_queries(study: Stability) -> np.ndarray:
    """(n_features,) standard deviation of the expectations over the queries that a feature lists."""
    values = np.where(study.compared.listed, study.compared.per_query[0], np.nan)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # one query has no deviation
        return np.nanstd(values, axis=1, ddof=1)


def _against_next(study: Stability) -> list[str]:
    """Return the verdict of each feature against the one below it."""
    features = study.places.index
    return [*(study.verdicts.loc[one, other] for one, other in pairwise(features)), ""]


def _moved(places: np.ndarray, own: np.ndarray) -> list[str]:
    """Write places with an arrow where they are not those by expectation."""
    return [
        f"{place}{'↑' if place < usual else '↓' if place > usual else ' '}"
        for place, usual in zip(places, own, strict=True)
    ]


def _beats(study: Stability, top: int) -> Table:
    return _matrix(study, study.beats, _pairwise(study), top, name="chance that the row beats the column", diagonal="·")


def _pairwise(study: Stability) -> pd.DataFrame:
    """One row for each ordered pair of features; a column for each would clash with a feature named like a column."""
    features = study.beats.index.to_numpy()
    n_features = len(features)
    frame = pd.DataFrame(
        {
            "feature": np.repeat(features, n_features),
            "other": np.tile(features, n_features),
            "p_beats": study.beats.to_numpy().ravel(),
        }
    )
    return frame[frame["feature"] != frame["other"]].reset_index(drop=True)


def _place_probability(study: Stability, top: int) -> Table:
    table = study.place_probability
    frame = table.reset_index().melt(id_vars="feature", var_name="place", value_name="probability")
    return _matrix(study, table, frame, top, name="chance of each place")


def _matrix(
    study: Stability, table: pd.DataFrame, frame: pd.DataFrame, top: int, *, name: str, diagonal: str | None = None
) -> Table:
    n_rows = len(table)
    columns = []
    for position in range(min(top or n_rows, n_rows)):
        cells = chances(table.iloc[:, position].to_numpy())
        if diagonal is not None:
            cells[position] = diagonal
        columns.append(Column(heading=str(position + 1), values=cells, write=texts))
    keys = [
        Column(heading="", values=np.arange(1, n_rows + 1), write=counts, key=True),
        Column(heading="feature", values=table.index.to_numpy(), key=True),
    ]
    return Table(data=frame, about=_about(study), name=name, detail=_queries(study), columns=[*keys, *columns])


def _pairs(study: Stability, top: int) -> Table:
    order = {feature: number for number, feature in enumerate(study.places.index)}
    number = [study.pairs[side].map(order) for side in ("leader", "trailer")]
    shown = study.pairs[(number[1] - number[0]).abs() == 1 if study.baseline is None else study.pairs.index >= 0]
    unequal = study.pairs["n_queries"].nunique() > 1 or bool((study.pairs["n_queries"] < study.n_queries).any())
    main = ["leader", "trailer", "verdict", *(["n_queries"] if unequal else []), "difference", "p_beats", "holm"]
    more = ["ties", "queries", "better", "worse", "sd_ties", "sd_queries", "queries_needed", "queries_needed_once"]
    more += ["reversed_by", "significance_changed_by"]
    whole = dict.fromkeys(("queries_needed", "queries_needed_once"), _whole)
    columns = columns_of(shown, [*main, *more], keys=2, writes=whole)
    return Table(
        data=study.pairs,
        about=_about(study),
        name=f"against {study.baseline}" if study.baseline else "neighbours in the leaderboard",
        detail=_queries(study),
        columns=columns[: len(main)],
        further=columns[len(main) :],
        notes=_tally(study),
        paper=columns[: len(main)],
    )


def _whole(values: np.ndarray) -> list[str]:
    """Write numbers of queries; infinite where no number is enough, a dash where none is known."""
    return ["–" if np.isnan(value) else "∞" if np.isinf(value) else f"{value:.0f}" for value in values]


def _tally(study: Stability) -> list[str]:
    """Count the verdicts on all pairs, and what tie-breaks change."""
    if not len(study.pairs):
        return []
    count = Counter(study.pairs["verdict"])
    verdicts = ", ".join(f"{count[verdict]} {verdict}" for verdict in VERDICTS if count[verdict])
    changes = [
        f"a tie-break {what} of {n}"
        for column, what in (
            ("reversed_by", "reverses the order"),
            ("significance_changed_by", "changes the significance"),
        )
        if (n := int(study.pairs[column].map(bool).sum()))
    ]
    return [f"All {len(study.pairs)} pairs: {'; '.join([verdicts, *changes])}."]


def _agreement(study: Stability, top: int) -> Table:
    frame = study.agreement.reset_index()
    extremes = frame[["reference", "other"]].isin(_EXTREMES).any(axis=1)
    shown = frame if extremes.all() else frame[~extremes]
    columns = columns_of(shown, "reference, other, kendall_tau, tau_ap, spearman, n_swapped", keys=2)
    name, detail = "how far leaderboards agree", _queries(study)
    return Table(data=frame, about=_about(study), name=name, detail=detail, columns=columns)


def _swapped(study: Stability, top: int) -> Table:
    under = [name for name in study.values.columns if name not in ("expected", *_EXTREMES)]
    swaps = [study.swapped("expected", name).assign(reference="expected", other=name) for name in under]
    frame = pd.concat(swaps, ignore_index=True)
    shown = "other, ahead_in_reference, ahead_in_other, lead_in_reference, lead_in_other"
    name, detail = "pairs that a tie-break swaps", _queries(study)
    return Table(data=frame, about=_about(study), name=name, detail=detail, columns=columns_of(frame, shown, keys=3))


def _queries(study: Stability) -> str:
    return f"{study.n_queries} {'query' if study.n_queries == 1 else 'queries'}"


PARTS: dict[str, Callable[[Stability, int], Table]] = {
    "places": _places,
    "beats": _beats,
    "pairs": _pairs,
    "agreement": _agreement,
    "swapped": _swapped,
    "place_probability": _place_probability,
}
"""The tables of the command, by name."""
