"""What ties do to the order of the features, as sheets."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd

from tiecore.cli.render.numbers import chances, counts, decimals_for, figures
from tiecore.cli.render.sheets import (
    Report,
    Sheet,
    Write,
    columns_in_latex,
    columns_of,
    legend_of,
    names,
    shown_rows,
    to_decimals,
    to_deviations,
)
from tiecore.cli.render.table import LEGEND, Block, Column, Scale, interval_bar
from tiecore.errors import TiecoreError
from tiecore.evaluation.intervals import interval_of_mean
from tiecore.latex import LatexColumn, value_column
from tiecore.stability import COLUMNS, Stability
from tiecore.stability.pairs import VERDICTS

__all__ = ["PARTS", "check", "report_of"]

_EXTREMES = ("worst", "best")
_BAR = {LEGEND: "from best to worst possible place, ● place by expectation"}
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
_Made = tuple[list[pd.DataFrame], list[Block], dict[str, str]]
"""A frame for each measure, what people see, and what needs explaining besides the columns."""


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
    chances_of_places, _, _ = _place_probability(studies, top)
    return Report(
        command="stability",
        sheets=tuple(_sheet(part, studies, top) for part in (parts or usual)),
        remarks=tuple(remarks),
        beside={"place_probability": lambda: _together(chances_of_places, studies)},
    )


def check(parts: Sequence[str]) -> None:
    """Refuse unknown names of tables, before anything is read."""
    unknown = [part for part in parts if part not in PARTS]
    if unknown:
        raise TiecoreError(f"there is no part {unknown[0]!r}: there are {', '.join(PARTS)}")


def _sheet(part: str, studies: Sequence[Stability], top: int) -> Sheet:
    frames, blocks, further = PARTS[part](studies, top)
    return Sheet(
        name=part,
        table=lambda: _together(frames, studies),
        blocks=lambda: blocks,
        legend=legend_of(blocks, _explain) | further,
        caption=_CAPTIONS.get(part, ""),
    )


def _together(frames: Sequence[pd.DataFrame], studies: Sequence[Stability]) -> pd.DataFrame:
    for frame, study in zip(frames, studies, strict=True):
        if study.slice:
            frame.insert(0, "slice", study.slice)
        frame.insert(0, "measure", str(study.measure))
    return pd.concat(frames, ignore_index=True)


def _explain(heading: str) -> str:
    if heading in _OWN:
        return _OWN[heading]
    return COLUMNS["… place"] if heading.endswith(" place") else COLUMNS.get(heading, "")


def _places(studies: Sequence[Stability], top: int) -> _Made:
    frames, blocks = [], []
    for study in studies:
        table = _board(study)
        frames.append(table)
        shown, left_out = shown_rows(table, top)
        decimals = decimals_for(table["expected"].to_numpy())
        place, best, worst = (shown[name].to_numpy() for name in ("place", "best_place", "worst_place"))
        scale = Scale(left=1.0, right=float(len(table)))
        under = [name for name in study.places.columns if name.endswith(" place")]
        sets = [
            f"{low}–{high}" if low < high else str(low) for low, high in zip(shown["low"], shown["high"], strict=True)
        ]
        once = zip(shown["low_once"], shown["high_once"], strict=True)
        main: dict[str, Write] = {"place": counts, "feature": names, "expected": to_decimals(decimals)}
        blocks.append(
            Block(
                title=f"{_studied(study)} · places",
                detail=_queries(study),
                columns=[
                    *columns_of(shown, main, keys=("place", "feature")),
                    *columns_of(shown, {"sd_queries": to_decimals(decimals)}),
                    Column(heading="places", cells=sets),
                    *columns_of(shown, {"letters": names, "next": names}),
                    interval_bar(worst=best, mark=place, best=worst, scale=scale, decimals=0),
                ],
                further=[
                    Column(heading="once", cells=[f"{low}–{high}" if low < high else str(low) for low, high in once]),
                    *columns_of(shown, {"chance": chances, "best_place": counts, "worst_place": counts}),
                    *(Column(heading=name, cells=_moved(shown[name].to_numpy(), place)) for name in under),
                ],
                notes=[str(study), *left_out, *study.notes],
                paper=_paper_columns(study, shown, sets, under, decimals),
            )
        )
    return frames, blocks, _BAR


def _paper_columns(
    study: Stability, shown: pd.DataFrame, sets: Sequence[str], under: Sequence[str], decimals: int
) -> list[LatexColumn]:
    """Return what a paper reports: values with letters and intervals, places, and the places under tie-breaks."""
    place = shown["place"].to_numpy()
    main: dict[str, Write] = {"place": counts, "feature": names}
    values, halves = (figures(shown[name].to_numpy(), decimals) for name in ("expected", "half_width"))
    first = np.flatnonzero(place == 1).tolist()
    return [
        *columns_in_latex(columns_of(shown, main)),
        value_column(str(study.measure), values, halves, list(shown["letters"]), best=first),
        *columns_in_latex(
            [
                Column(heading="places", cells=sets),
                *(Column(heading=name, cells=_moved(shown[name].to_numpy(), place)) for name in under),
            ]
        ),
    ]


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


def _beats(studies: Sequence[Stability], top: int) -> _Made:
    frames = [_pairwise(study) for study in studies]
    blocks = [
        _matrix(study, study.beats, top, title="chance that the row beats the column", diagonal="·")
        for study in studies
    ]
    return frames, blocks, {"1, 0": "certain: no tie-breaking can change it", "#": "row number of the other feature"}


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


def _place_probability(studies: Sequence[Stability], top: int) -> _Made:
    frames = [
        study.place_probability.reset_index().melt(id_vars="feature", var_name="place", value_name="probability")
        for study in studies
    ]
    blocks = [_matrix(study, study.place_probability, top, title="chance of each place") for study in studies]
    return frames, blocks, {"1, 2, …": COLUMNS["place_probability"]}


def _matrix(study: Stability, table: pd.DataFrame, top: int, *, title: str, diagonal: str | None = None) -> Block:
    shown, left_out = shown_rows(table, top)
    number = list(map(str, range(1, len(shown) + 1)))
    columns = []
    for position in range(len(shown)):
        cells = chances(shown.iloc[:, position].to_numpy())
        if diagonal is not None:
            cells[position] = diagonal
        columns.append(Column(heading=number[position], cells=cells))
    keys = [
        Column(heading="", cells=number, key=True),
        Column(heading="feature", cells=list(shown.index), right=False, key=True),
    ]
    return Block(
        title=f"{_studied(study)} · {title}", detail=_queries(study), columns=[*keys, *columns], notes=left_out
    )


def _pairs(studies: Sequence[Stability], top: int) -> _Made:
    blocks = []
    for study in studies:
        order = {feature: number for number, feature in enumerate(study.places.index)}
        number = [study.pairs[side].map(order) for side in ("leader", "trailer")]
        are_shown = (number[1] - number[0]).abs() == 1 if study.baseline is None else study.pairs.index >= 0
        neighbours, left_out = shown_rows(study.pairs[are_shown], top)
        decimals = decimals_for(study.pairs["difference"].dropna().to_numpy())
        against = f"against {study.baseline}" if study.baseline else "neighbours in the leaderboard"
        unequal = study.pairs["n_queries"].nunique() > 1 or bool((study.pairs["n_queries"] < study.n_queries).any())
        main: dict[str, Write] = {
            "leader": names,
            "trailer": names,
            "verdict": names,
            **({"n_queries": counts} if unequal else {}),
            "difference": to_decimals(decimals),
            "p_beats": chances,
            "holm": chances,
        }
        more: dict[str, Write] = {
            "ties": names,
            "queries": names,
            "better": counts,
            "worse": counts,
            "sd_ties": to_deviations(decimals),
            "sd_queries": to_decimals(decimals),
            "queries_needed": _whole,
            "queries_needed_once": _whole,
            "reversed_by": names,
            "significance_changed_by": names,
        }
        blocks.append(
            Block(
                title=f"{_studied(study)} · {against}",
                detail=_queries(study),
                columns=columns_of(neighbours, main, keys=("leader", "trailer")),
                further=columns_of(neighbours, more),
                notes=[*left_out, *_tally(study)],
                paper=columns_in_latex(columns_of(neighbours, main)),
            )
        )
    return [study.pairs.copy() for study in studies], blocks, {}


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


def _agreement(studies: Sequence[Stability], top: int) -> _Made:
    writes: dict[str, Write] = {
        "reference": names,
        "other": names,
        **dict.fromkeys(("kendall_tau", "tau_ap", "spearman"), to_decimals(3)),
        "n_swapped": counts,
    }
    frames = [study.agreement.reset_index() for study in studies]
    extremes = frames[0][["reference", "other"]].isin(_EXTREMES).any(axis=1)
    only = ~extremes if not extremes.all() else extremes
    return _listed(studies, top, frames, writes, "how far leaderboards agree", only=only.to_numpy())


def _swapped(studies: Sequence[Stability], top: int) -> _Made:
    frames = []
    for study in studies:
        under = [name for name in study.values.columns if name not in ("expected", *_EXTREMES)]
        swaps = [study.swapped("expected", name).assign(reference="expected", other=name) for name in under]
        frames.append(pd.concat(swaps, ignore_index=True))
    decimals = decimals_for(np.concatenate([frame["lead_in_reference"].to_numpy() for frame in frames]))
    writes: dict[str, Write] = {
        "other": names,
        "ahead_in_reference": names,
        "ahead_in_other": names,
        "lead_in_reference": to_decimals(decimals),
        "lead_in_other": to_decimals(decimals),
    }
    return _listed(studies, top, frames, writes, "pairs that a tie-break swaps")


def _listed(
    studies: Sequence[Stability],
    top: int,
    frames: list[pd.DataFrame],
    writes: dict[str, Write],
    title: str,
    *,
    only: np.ndarray | None = None,
) -> _Made:
    blocks = []
    for study, frame in zip(studies, frames, strict=True):
        shown, left_out = shown_rows(frame if only is None else frame[only], top)
        keys = [name for name, write in writes.items() if write is names]
        blocks.append(
            Block(
                title=f"{_studied(study)} · {title}",
                detail=_queries(study),
                columns=columns_of(shown, writes, keys=keys),
                notes=left_out,
            )
        )
    return frames, blocks, {}


def _studied(study: Stability) -> str:
    """Measure, and the part of the queries if it is one."""
    return f"{study.measure} · {study.slice}" if study.slice else str(study.measure)


def _queries(study: Stability) -> str:
    return f"{study.n_queries} {'query' if study.n_queries == 1 else 'queries'}"


PARTS: dict[str, Callable[[Sequence[Stability], int], _Made]] = {
    "places": _places,
    "beats": _beats,
    "pairs": _pairs,
    "agreement": _agreement,
    "swapped": _swapped,
    "place_probability": _place_probability,
}
"""The tables of the command, by name."""
