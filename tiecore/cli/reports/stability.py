"""Differences, verdicts, places and what ties put at risk, as tables."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from tiecore.board import Board
from tiecore.board.latex import in_latex, pairs_table, ties_in_latex
from tiecore.cli import commands
from tiecore.cli.load import chosen, known_names, load_evaluation
from tiecore.cli.messages import working
from tiecore.cli.render.numbers import NONE, chances, decimals_for, figures, with_arrows
from tiecore.cli.render.tables import LEGEND, Column, Report, Sheet, Table, columns_of, drawn, legend_of
from tiecore.errors import TiecoreError, shortened
from tiecore.evaluation.slices import KNOWN_SLICES
from tiecore.evaluation.suspicious import suspicions
from tiecore.stability import Stability, slice_stability
from tiecore.stability.sentences import called, queries_of, unequal_lists
from tiecore.stability.verdicts import VERDICTS

_EXTREMES = ("worst", "best")
_MEANING = {
    "expected": "mean over the {queries} of the exact expectation over random tie-breaks",
    "value": "mean over the {queries} that the feature has",
    "places": "places that the {queries} leave open: {level} set of this feature's place",
    "all": "the same for all features together: all these sets hold at once at {level}",
    "{level}": "confidence interval over the {queries} of this value, or of this difference, by itself; the verdict "
    "goes by holm, so an interval may exclude 0 although its pair is open",
}
"""Of headings that are no columns of a study."""
_OF_TIES = ["first", "best_place", "worst_place", "p_beats", "tie_risk", "ties", "reversed_by"]
"""Columns that say nothing where nothing is known of ties."""


def report(request: commands.Stability) -> Report:
    """Compare the features, under each measure and in each part of the queries."""
    by = _slices_by(request.slices)
    evaluation = load_evaluation(request, measures=["nDCG@10"])
    how = chosen(request, "baseline margin seed tie_orders")
    with working("comparing features") as progress:
        found = [slice_stability(evaluation, one, by, **how, progress=progress) for one in evaluation.measures]
    studies = [part for one in found for part in one.parts.values()]
    said = [*suspicions(evaluation), *(note for one in found for note in one.notes), *known_names(evaluation)]
    remarks = dict.fromkeys(said)
    return report_of(studies, request.parts, list(remarks))


def _slices_by(wanted: str | None) -> str | pd.DataFrame | None:
    """Return by what queries are parted: a known name, or a table of query id and name read from a file."""
    if wanted is None or wanted in KNOWN_SLICES:
        return wanted
    try:
        return pd.read_csv(wanted, dtype=str, keep_default_na=False)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        takes = f"--slices takes {', '.join(KNOWN_SLICES)} or a CSV file of query id and name"
        raise TiecoreError(f"{takes}; {shortened(wanted)} cannot be read: {reason}") from None


def report_of(studies: Sequence[Stability], parts: Sequence[str] = (), remarks: Sequence[str] = ()) -> Report:
    """Return a report on the study of each measure, or of each measure and part of the queries.

    ``parts``: names of the tables; by default those that fit the data.
    """
    usual, knows_ties = ["places"], studies[0].tie_orders is not None
    if len(studies[0].places) > 1:
        usual += ["pairs", *(["agreement"] if knows_ties else [])]
    return Report(sheets=[_sheet(part, studies) for part in parts or usual], remarks=remarks)


def _sheet(part: str, studies: Sequence[Stability]) -> Sheet:
    tables = [PARTS[part](study) for study in studies]
    knows_ties, meaning = studies[0].tie_orders is not None, studies[0].columns
    words = studies[0].words
    meaning |= {heading.format(**words): text.format(**words) for heading, text in _MEANING.items()}
    meaning["#"] = meaning["place"]
    legend = legend_of(tables, meaning.get)
    if part == "places" and knows_ties:
        legend[LEGEND] = "from best to worst possible place, ● place by expectation"
    return Sheet(name=part, tables=tables, legend=legend)


def _table(study: Stability, data: pd.DataFrame, columns: Sequence[Column], name: str, **parts: Any) -> Table:
    about = {"measure": str(study.measure)} | ({"slice": study.slice} if study.slice else {})
    detail = queries_of(study.n_queries, study.unit)
    return Table(data=data, about=about, name=name, detail=detail, columns=columns, **parts)


def _known(study: Stability, frame: pd.DataFrame) -> pd.DataFrame:
    """Leave out the columns that say nothing where nothing is known of ties."""
    return frame if study.tie_orders else frame.drop(columns=_OF_TIES, errors="ignore")


def _places(study: Stability) -> Table:
    value = "expected" if study.tie_orders else "value"
    frame = study.ranks.join(study.places.drop(columns="place")).rename_axis("feature").reset_index()
    frame.insert(2, value, study.values["expected"].to_numpy())
    frame["half_width"] = ((study.intervals["high"] - study.intervals["low"]) / 2).to_numpy()
    bounds = frame[["best_place", "place", "worst_place"]].to_numpy()
    bars = [drawn(bounds, (1, len(frame)), 0)] if study.tie_orders else []
    frame = _known(study, frame)
    under = [str(name) for name in frame if str(name).endswith(" place")]
    shown = frame.assign(**{name: with_arrows(frame[name], frame["place"] - frame[name]) for name in under})
    if "first" in shown:
        # only what the bounds of the places say is certain is 0 or 1
        is_open = frame["best_place"].eq(1) & frame["worst_place"].gt(1)
        share = frame["first"].to_numpy()
        shown["first"] = np.where(is_open, *(chances(share, draws) for draws in (study.draws or 1, math.inf)))
    decimals = decimals_for(frame[value].to_numpy())
    shown[level := study.words["level"]] = _intervals(study.intervals, decimals)
    for name, of in (("places", ""), ("all", "_all")):
        spans = zip(frame[f"low{of}"], frame[f"high{of}"], strict=True)
        shown[name] = [f"{low}–{high}" if low < high else str(low) for low, high in spans]
    columns = columns_of(shown, f"place, feature, {value}, {level}, places, group, letters", keys=2)
    further = columns_of(shown, ["all", "first", "best_place", "worst_place", *under])
    unequal = unequal_lists(study)  # then values are of different queries, which is said first
    said = [unequal, str(study).replace(f" {unequal}", "")] if unequal else [str(study)]
    notes = [*said, *study.notes]
    return _table(study, frame, [*columns, *bars, *further], "places", notes=notes, paper=partial(_paper, study))


def _paper(study: Stability, top: int, label: str) -> str:
    board = Board.of_stability(study)
    board = board.only(board.names[: top or None])
    under = [ties_in_latex(board, label=f"{label}-tie-breaks")] * bool(board.tie_breaks)
    return "".join([in_latex(board, label=label), *under])


def _intervals(ends: pd.DataFrame, decimals: int) -> list[str]:
    """Write what lies between ``low`` and ``high``."""
    written = zip(*(figures(ends[end].to_numpy(), decimals) for end in ("low", "high")), strict=True)
    return [NONE if low == NONE else f"{low} to {high}" for low, high in written]


def _pairs(study: Stability) -> Table:
    pairs = _known(study, study.pairs)
    order = {feature: number for number, feature in enumerate(study.places.index)}
    apart = pairs["trailer"].map(order) - pairs["leader"].map(order)
    shown = pairs[apart.abs() == 1 if study.baseline is None else pairs.index >= 0]
    decimals = decimals_for(pairs["difference"].dropna().to_numpy())
    level = study.words["level"]
    idle = ["n_queries"] * bool((pairs["n_queries"] == study.n_queries).all()) + ["note"] * (not shown["note"].any())
    shown = shown.assign(**{level: _intervals(shown, decimals)}).drop(columns=idle)
    wanted = f"leader, trailer, n_queries, difference, {level}, holm, verdict, tie_risk, note"
    columns = [*columns_of(shown, wanted, keys=2), *columns_of(shown, "p, ties, sensitivity, reversed_by")]
    name = f"against {study.baseline}" if study.baseline else "neighbours in the leaderboard"
    notes = _tally(study, shown, decimals)
    about = f"{study.slice}. " * bool(study.slice) + f"{called(study.measure)}, {name}. {' '.join(notes)}"

    def paper(top: int, label: str) -> str:
        return pairs_table(study.pairs.loc[shown.index[: top or None]], study, about=about, label=label)

    return _table(study, pairs, columns, name, notes=notes, paper=paper)


def _tally(study: Stability, shown: pd.DataFrame, decimals: int) -> list[str]:
    """Count the verdicts on all pairs, and say what these queries can show and what tie-breaks change."""
    if not len(study.pairs):
        return []
    count = Counter(study.pairs["verdict"])
    verdicts = ", ".join(f"{count[verdict]} {verdict}" for verdict in VERDICTS if count[verdict])
    n_reversed = int(study.pairs["reversed_by"].map(bool).sum())
    reverses = f"; a tie-break reverses the order of {n_reversed}" if n_reversed else ""
    is_one = len(study.pairs) == 1  # whose row tells the rest
    notes = [] if is_one else [f"All {len(study.pairs)} pairs: {verdicts}{reverses}."]
    if study.tie_orders is None and study.baseline is None and len(shown) > 1:  # the question of leaderboards
        n_clear = int((shown["verdict"] == "clear").sum())
        notes.insert(0, f"Of {len(shown)} pairs of neighbours {n_clear} {'is' if n_clear == 1 else 'are'} clear.")
    if study.sensitivity > 0:
        median = "" if is_one else ", for the median pair"
        detect = f"detect a difference of {study.sensitivity:.{decimals}f} or more{median}"
        notes.append(f"With 80 % power these {study.words['queries']} {detect}.")
    return notes


def _agreement(study: Stability) -> Table:
    frame = study.agreement.reset_index()
    extremes = frame[["reference", "other"]].isin(_EXTREMES).any(axis=1)
    shown = frame if extremes.all() else frame[~extremes]
    columns = columns_of(shown, "reference, other, kendall_tau, tau_ap, n_swapped", keys=2)
    return _table(study, frame, columns, "how far leaderboards agree")


PARTS: dict[str, Callable[[Stability], Table]] = {"places": _places, "pairs": _pairs, "agreement": _agreement}
"""The tables of the command, by name."""
