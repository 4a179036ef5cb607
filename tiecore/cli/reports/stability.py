"""Differences, verdicts, places and what ties put at risk, as sheets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

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
)
from tiecore.cli.render.table import LEGEND, Block, Column, Scale, interval_bar
from tiecore.errors import TiecoreError
from tiecore.latex import value_column
from tiecore.stability import COLUMNS, Stability

__all__ = ["PARTS", "check", "report_of"]

_EXTREMES = ("worst", "best")
_VERDICTS = ("clear", "open", "small", "equal")
_MEANING = COLUMNS | {
    "#": COLUMNS["place"],
    "expected": "mean over the queries of the exact expectation over random tie-breaks",
    "places": "places that the queries leave open: 95 % set of this feature's place",
    "all": "the same for all features together: all these sets hold at once at 95 %",
    "95 %": "confidence interval of the difference, for this pair alone",
    LEGEND: "from best to worst possible place, ● place by expectation",
}
_CAPTIONS = {
    "places": "Value with half of its 95 % confidence interval over the queries, exact over random tie-breaks. "
    "Features that share a letter are not clearly different (paired tests, Holm, 0.05). Places: 95 % set.",
    "pairs": "Difference of the exact expectations with its 95 % confidence interval; holm: p of the paired test over "
    "the queries, adjusted by Holm; tie risk: chance that one random tie-break does not keep the order.",
}
_Made = tuple[list[pd.DataFrame], list[Block]]
"""A frame for each study, and what people see of it."""


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
    usual = ["places"]
    if len(studies[0].places) > 1:
        has_tie_breaks = len(studies[0].values.columns) > len(_EXTREMES) + 1
        usual += ["pairs", "agreement", *(["swapped"] if has_tie_breaks else [])]
    chances_of_places, _ = _place_probability(studies, top)
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
    frames, blocks = PARTS[part](studies, top)
    return Sheet(
        name=part,
        table=lambda: _together(frames, studies),
        blocks=lambda: blocks,
        legend=legend_of(blocks, _explain) | ({LEGEND: _MEANING[LEGEND]} if part == "places" else {}),
        caption=_CAPTIONS.get(part, ""),
    )


def _together(frames: Sequence[pd.DataFrame], studies: Sequence[Stability]) -> pd.DataFrame:
    for frame, study in zip(frames, studies, strict=True):
        if study.slice:
            frame.insert(0, "slice", study.slice)
        frame.insert(0, "measure", str(study.measure))
    return pd.concat(frames, ignore_index=True)


def _explain(heading: str) -> str:
    if heading.isdigit():
        return COLUMNS["place_probability"]
    return COLUMNS["… place"] if heading.endswith(" place") else _MEANING.get(heading, "")


def _places(studies: Sequence[Stability], top: int) -> _Made:
    frames, blocks = [], []
    for study in studies:
        table = study.ranks.join(study.places.drop(columns="place")).rename_axis("feature").reset_index()
        table.insert(2, "expected", study.values["expected"].to_numpy())
        frames.append(table)
        shown, left_out = shown_rows(table, top)
        decimals = decimals_for(table["expected"].to_numpy())
        place, best, worst = (shown[name].to_numpy() for name in ("place", "best_place", "worst_place"))
        sets = Column(heading="places", cells=_ranges(shown["low"], shown["high"]))
        under = [
            Column(heading=name, cells=_moved(shown[name].to_numpy(), place))
            for name in study.places.columns
            if name.endswith(" place")
        ]
        keys = columns_of(shown, {"place": counts, "feature": names}, keys=("place", "feature"))
        lettered = columns_of(shown, {"letters": names}) if "letters" in shown else []
        half = ((study.intervals["high"] - study.intervals["low"]) / 2).to_numpy()[: len(shown)]
        letters = list(shown["letters"]) if "letters" in shown else [""] * len(shown)
        values, halves = (figures(numbers, decimals) for numbers in (shown["expected"].to_numpy(), half))
        first = np.flatnonzero(place == 1).tolist()
        blocks.append(
            Block(
                title=f"{_studied(study)} · places",
                detail=_queries(study),
                columns=[
                    *keys,
                    *columns_of(shown, {"expected": to_decimals(decimals)}),
                    sets,
                    *columns_of(shown, {"group": counts}),
                    *lettered,
                    *columns_of(shown, {"first": chances}),
                    interval_bar(
                        worst=best, mark=place, best=worst, scale=Scale(left=1.0, right=float(len(table))), decimals=0
                    ),
                ],
                further=[
                    Column(heading="all", cells=_ranges(shown["low_all"], shown["high_all"])),
                    *columns_of(shown, {"best_place": counts, "worst_place": counts}),
                    *under,
                ],
                notes=[str(study), *left_out, *study.notes],
                paper=[
                    *columns_in_latex(keys),
                    value_column(str(study.measure), values, halves, letters, best=first),
                    *columns_in_latex([sets, *under]),
                ],
            )
        )
    return frames, blocks


def _ranges(low: pd.Series, high: pd.Series) -> list[str]:
    return [f"{first}–{last}" if first < last else str(first) for first, last in zip(low, high, strict=True)]


def _moved(places: np.ndarray, own: np.ndarray) -> list[str]:
    """Write places with an arrow where they are not those by expectation."""
    return [
        f"{place}{'↑' if place < usual else '↓' if place > usual else ' '}"
        for place, usual in zip(places, own, strict=True)
    ]


def _place_probability(studies: Sequence[Stability], top: int) -> _Made:
    frames = [
        study.place_probability.reset_index().melt(id_vars="feature", var_name="place", value_name="probability")
        for study in studies
    ]
    blocks = []
    for study in studies:
        shown, left_out = shown_rows(study.place_probability.rename_axis(columns=None), top)
        columns = [Column(heading="feature", cells=list(shown.index), right=False, key=True)]
        columns += [
            Column(heading=str(place), cells=chances(shown[place].to_numpy())) for place in shown.columns[: len(shown)]
        ]
        title = f"{_studied(study)} · chance of each place"
        blocks.append(Block(title=title, detail=_queries(study), columns=columns, notes=left_out))
    return frames, blocks


def _pairs(studies: Sequence[Stability], top: int) -> _Made:
    blocks = []
    for study in studies:
        order = {feature: number for number, feature in enumerate(study.places.index)}
        apart = study.pairs["trailer"].map(order) - study.pairs["leader"].map(order)
        are_shown = apart.abs() == 1 if study.baseline is None else study.pairs.index >= 0
        shown, left_out = shown_rows(study.pairs[are_shown], top)
        decimals = decimals_for(study.pairs["difference"].dropna().to_numpy())
        ends = zip(*(figures(shown[end].to_numpy(), decimals) for end in ("low", "high")), strict=True)
        unequal = bool((study.pairs["n_queries"] < study.n_queries).any())
        main: dict[str, Write] = {"leader": names, "trailer": names}
        test: dict[str, Write] = {"holm": chances, "verdict": names, "tie_risk": chances}
        notes: dict[str, Write] = {"note": names} if (shown["note"] != "").any() else {}
        columns = [
            *columns_of(shown, main, keys=("leader", "trailer")),
            *columns_of(shown, {"n_queries": counts} if unequal else {}),
            *columns_of(shown, {"difference": to_decimals(decimals)}),
            Column(heading="95 %", cells=[f"{low} to {high}" for low, high in ends]),
            *columns_of(shown, test | notes),
        ]
        more: dict[str, Write] = {
            "p": chances, "ties": names, "sensitivity": to_decimals(decimals), "reversed_by": names,
        }  # fmt: skip
        against = f"against {study.baseline}" if study.baseline else "neighbours in the leaderboard"
        blocks.append(
            Block(
                title=f"{_studied(study)} · {against}",
                detail=_queries(study),
                columns=columns,
                further=columns_of(shown, more),
                notes=[*left_out, *_tally(study, decimals)],
                paper=columns_in_latex(columns),
            )
        )
    return [study.pairs.copy() for study in studies], blocks


def _tally(study: Stability, decimals: int) -> list[str]:
    """Count the verdicts on all pairs, and say what these queries can show and what tie-breaks change."""
    if not len(study.pairs):
        return []
    count = Counter(study.pairs["verdict"])
    verdicts = ", ".join(f"{count[verdict]} {verdict}" for verdict in _VERDICTS if count[verdict])
    n_reversed = int(study.pairs["reversed_by"].map(bool).sum())
    reverses = f"; a tie-break reverses the order of {n_reversed}" if n_reversed else ""
    notes = [f"All {len(study.pairs)} pairs: {verdicts}{reverses}."]
    if not np.isnan(study.sensitivity):
        notes.append(
            "The smallest difference that these queries show with 80 % power is "
            f"{study.sensitivity:.{decimals}f} for the median pair."
        )
    return notes


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
    return frames, blocks


def _studied(study: Stability) -> str:
    """Measure, and the part of the queries if it is one."""
    return f"{study.measure} · {study.slice}" if study.slice else str(study.measure)


def _queries(study: Stability) -> str:
    return f"{study.n_queries} {'query' if study.n_queries == 1 else 'queries'}"


PARTS: dict[str, Callable[[Sequence[Stability], int], _Made]] = {
    "places": _places,
    "pairs": _pairs,
    "agreement": _agreement,
    "swapped": _swapped,
    "place_probability": _place_probability,
}
"""The tables of the command, by name."""
