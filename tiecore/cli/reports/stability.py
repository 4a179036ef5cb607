"""What ties do to the order of the features, as sheets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from tiecore.cli.render.numbers import chances, counts, decimals_for
from tiecore.cli.render.sheets import (
    Report,
    Sheet,
    Write,
    columns_of,
    legend_of,
    names,
    shown_rows,
    to_decimals,
    to_deviations,
)
from tiecore.cli.render.table import LEGEND, Block, Column, Scale, interval_bar
from tiecore.errors import TiecoreError
from tiecore.stability import COLUMNS, Stability

__all__ = ["PARTS", "check", "report_of"]

_EXTREMES = ("worst", "best")
_VERDICTS = ("certain", "likely", "undecided")
_BAR = {LEGEND: "from best to worst possible place, ● place by expectation"}
_OWN = {
    "#": COLUMNS["place"],
    "chance": "chance of that place when ties are broken at random",
    "reference": COLUMNS["reference"],
}
_Made = tuple[list[pd.DataFrame], list[Block], dict[str, str]]
"""A frame for each measure, what people see, and what needs explaining besides the columns."""


def report_of(studies: Sequence[Stability], *, parts: Sequence[str], top: int) -> Report:
    """Return a report on each measure.

    Parameters
    ----------
    studies
        One for each measure.
    parts
        Names of the tables, some of ``PARTS``; by default those that fit the data.
    top
        Rows of a table in text formats; 0 for all.
    """
    if len(studies[0].places) == 1:
        usual = ["places"]
    else:
        has_tie_breaks = len(studies[0].values.columns) > len(_EXTREMES) + 1
        usual = ["places", "beats", "pairs", "agreement", *(["swapped"] if has_tie_breaks else [])]
    chances_of_places, _, _ = _place_probability(studies, top)
    return Report(
        command="stability",
        sheets=tuple(_sheet(part, studies, top) for part in (parts or usual)),
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
        frame=lambda: _together(frames, studies),
        blocks=lambda: blocks,
        legend=legend_of(blocks, _explain) | further,
    )


def _together(frames: Sequence[pd.DataFrame], studies: Sequence[Stability]) -> pd.DataFrame:
    for frame, study in zip(frames, studies, strict=True):
        frame.insert(0, "measure", str(study.measure))
    return pd.concat(frames, ignore_index=True)


def _explain(heading: str) -> str:
    if heading in _OWN:
        return _OWN[heading]
    return COLUMNS["… place"] if heading.endswith(" place") else COLUMNS.get(heading, "")


def _places(studies: Sequence[Stability], top: int) -> _Made:
    frames, blocks = [], []
    for study in studies:
        table = study.places.reset_index()
        own = study.place_probability.to_numpy()[np.arange(len(table)), table["place"] - 1]
        table.insert(2, "chance", own)
        frames.append(table)
        shown, left_out = shown_rows(table, top)
        place, best, worst = (shown[name].to_numpy() for name in ("place", "best_place", "worst_place"))
        scale = Scale(left=1.0, right=float(len(table)))
        writes: dict[str, Write] = {"place": counts, "feature": names, "chance": chances}
        under = [name for name in table.columns if name.endswith(" place")]
        blocks.append(
            Block(
                title=f"{study.measure} · places",
                detail=_queries(study),
                columns=[
                    *columns_of(shown, writes, keys=("place", "feature")),
                    *columns_of(shown, {"best_place": counts, "worst_place": counts}),
                    interval_bar(worst=best, mark=place, best=worst, scale=scale, decimals=0),
                ],
                further=[Column(heading=name, cells=_moved(shown[name].to_numpy(), place)) for name in under],
                notes=[*left_out, *study.notes],
            )
        )
    return frames, blocks, _BAR


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
    return Block(title=f"{study.measure} · {title}", detail=_queries(study), columns=[*keys, *columns], notes=left_out)


def _pairs(studies: Sequence[Stability], top: int) -> _Made:
    blocks = []
    for study in studies:
        order = {feature: number for number, feature in enumerate(study.places.index)}
        number = [study.pairs[side].map(order) for side in ("leader", "trailer")]
        neighbours, left_out = shown_rows(study.pairs[number[1] - number[0] == 1], top)
        decimals = decimals_for(study.pairs["difference"].to_numpy())
        main: dict[str, Write] = {
            "leader": names,
            "trailer": names,
            "difference": to_decimals(decimals),
            "sd_ties": to_deviations(decimals),
            "p_beats": chances,
            "verdict": names,
        }
        tests: dict[str, Write] = {
            "sd_queries": to_decimals(decimals),
            "tie_share": chances,
            "holm": chances,
            "effect": to_decimals(2),
            "flipped_by": names,
        }
        blocks.append(
            Block(
                title=f"{study.measure} · neighbours in the leaderboard",
                detail=_queries(study),
                columns=columns_of(neighbours, main, keys=("leader", "trailer")),
                further=columns_of(neighbours, tests),
                notes=[*left_out, *_tally(study)],
            )
        )
    return [study.pairs.copy() for study in studies], blocks, {}


def _tally(study: Stability) -> list[str]:
    """Count the verdicts on all pairs."""
    if not len(study.pairs):
        return []
    count = Counter(study.pairs["verdict"])
    artefacts = int(study.pairs["artefact"].sum())
    verdicts = ", ".join(f"{count[verdict]} {verdict}" for verdict in _VERDICTS)
    claims = f"; in {artefacts} of them a tie-break claims what the expectation does not" if artefacts else ""
    return [f"All {len(study.pairs)} pairs: {verdicts}{claims}."]


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
                title=f"{study.measure} · {title}",
                detail=_queries(study),
                columns=columns_of(shown, writes, keys=keys),
                notes=left_out,
            )
        )
    return frames, blocks, {}


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
