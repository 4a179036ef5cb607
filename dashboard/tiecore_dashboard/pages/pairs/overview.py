"""All pairs at once: a map of their differences, a list of what needs a look, and the choice of one of them."""

from collections.abc import Iterable, Sequence

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from tiecore.board.board import deciding_line
from tiecore.board.sentences import all_cut, pairs_among
from tiecore.stability import Stability
from tiecore.stability.sentences import probability
from tiecore_dashboard import words
from tiecore_dashboard.app import page
from tiecore_dashboard.app.table_columns import NUMBER, WRITTEN, Titles, as_tie_risks
from tiecore_dashboard.pages.pairs.answer import by_need, pair_sentence
from tiecore_dashboard.pages.pairs.charts import FEW, difference_map
from tiecore_dashboard.state.link import keep_in_link
from tiecore_dashboard.words import VERDICTS

MOST_FEATURES = 40
"""Features whose names have room beside a map."""
_TOUCHED = 12
"""Features up to which a finger can hit the cells of a map on a phone."""
QUERY = "pairs_query"
CHOSEN = {"pairs_one": "Feature", "pairs_other": "against"}
TITLES: Titles = {
    "leader": "Ahead",
    "trailer": "Behind",
    "verdict": "Verdict",
    "difference": ("Lead", NUMBER),
    "holm": ("p (Holm)", WRITTEN),
    "tie_risk": ("Tie risk", WRITTEN),
    "interval": ("95 % interval", WRITTEN),
    "reversed_by": "Reversed by",
    "n_queries": ("Queries", "%d"),
}


def choose(*pair: str) -> None:
    """Look at another pair, and at no query of the one before."""
    st.session_state.update(zip(CHOSEN, pair, strict=True))
    st.session_state.pop(QUERY, None)


def chosen_pair(names: Sequence[str], usual: Iterable[str]) -> list[str]:
    """Let two features be chosen by name, at first the usual ones."""
    chosen = []
    row = st.container(horizontal=True, key="pairs_chosen")  # beside each other where both names can be read
    for (key, title), name in zip(CHOSEN.items(), usual, strict=True):
        wanted = st.session_state.get(key, st.query_params.get(key))
        st.session_state[key] = wanted if wanted in names else name
        picked = row.selectbox(
            title,
            names,
            key=key,
            persist_state="session",  # bound to the link it would write the short name into it
            format_func=all_cut(names, 22).__getitem__,
            on_change=st.session_state.pop,
            args=(QUERY, None),
            width=230,
        )
        keep_in_link(key, [picked], usual=[name])
        chosen.append(picked)
    return chosen


def beside(key: str = "pairs_beside") -> tuple[DeltaGenerator, DeltaGenerator]:
    """Return two places beside each other, or the second below the first where there is no room for charts in both."""
    row = st.container(horizontal=True, gap="medium", key=key)
    return row.container(), row.container()


def choose_pair(
    stable: Stability, names: Sequence[str], *, highlighted: Sequence[str] = ()
) -> tuple[pd.Series | None, DeltaGenerator | None]:
    """Show a map of all pairs, and beside it one of them: that of a cell, or of two features that are chosen by name.

    Returns the pair, None where there is nothing to say of the two, and where there is room below it. Of two features
    there is no other pair.
    """
    pairs = stable.pairs
    if len(pairs) == 1:
        show_readings(pairs.iloc[0], stable)
        return pairs.iloc[0], None
    best = list(stable.places.index[:MOST_FEATURES])
    drawn = pairs_among(pairs, best)
    if len(best) < len(stable.places):
        n_all = words.count(len(stable.places))
        page.note(f"Map and list show the {len(best)} best of {n_all} features. Any pair can be chosen by name.")
    left, right = (st.container(), st.container()) if len(best) > FEW else beside()
    left = left.container(key="pairs_many" if len(best) > _TOUCHED else None)
    with right:
        st.header("One pair in depth", anchor=False)
        chosen = chosen_pair(names, by_need(pairs).iloc[0][["leader", "trailer"]])
        found = pairs_among(pairs, chosen)
        if found.empty:
            st.info("Choose two different features.", icon=":material/info:")
        else:
            page.say(pair_sentence(found.iloc[0], stable))
            show_readings(found.iloc[0], stable)
    with left:
        page.chart(
            difference_map(drawn, best, draws=stable.draws, look=page.look(), chosen=chosen, highlighted=highlighted),
            key="pairs_map",
            alt=f"Difference of each pair of features, by {stable.measure}",
            on_click=lambda key: choose(*page.clicked(key)[0]) if page.clicked(key) else None,
        )
        number = " and the number in each cell" * (len(best) <= FEW)
        page.note(f"The verdict sets the colour, the lead its shade{number}. Choose a cell to see its pair.")
    return None if found.empty else found.iloc[0], right


def show_readings(pair: pd.Series, stable: Stability) -> None:
    """Show in small print what the sentence on a pair leaves out: p and what could be detected."""
    said, n_tests = [], stable.n_tests
    if pd.notna(pair["p"]) and pair["verdict"] != "equal":
        p, holm = (probability(pair[name]) for name in ("p", "holm"))
        test = "Paired t-test with an allowance for rare queries (see the page Method)"
        said += [f"{test}: {p}{f', {holm} adjusted for {n_tests:,} pairs' * (p != holm)}.", deciding_line(stable)]
    if pair["verdict"] == "open" and pd.notna(pair["sensitivity"]):
        n, least = words.plural(int(pair["n_queries"]), stable.unit), words.number(pair["sensitivity"])
        level = stable.words["alpha"] + f"/{n_tests:,}, as {n_tests:,} pairs are compared" * (n_tests > 1)
        said.append(f"{n} would detect a true difference of {least} with 80\u00a0% power (level {level}).")
    page.note(words.in_markdown(" ".join(filter(None, [*said, *stable.notes[stable.draws > 0 :]]))))


def show_list(stable: Stability) -> None:
    """Show all pairs as a list, which begins with what needs a look."""
    if len(stable.pairs) == 1:
        return
    shown = by_need(pairs_among(stable.pairs, stable.places.index[:MOST_FEATURES]))
    listed = shown[["leader", "trailer"]].to_numpy().tolist()
    chosen, knows_ties = {st.session_state.get(key) for key in CHOSEN}, stable.tie_orders is not None
    best = f"The {words.count(len(shown))} pairs of the {MOST_FEATURES} best"
    heading = best if len(shown) < len(stable.pairs) else "All pairs"
    st.header(heading, anchor=False)
    tells = {"tie_risk": knows_ties, "n_queries": shown["n_queries"].nunique() > 1}
    tells["reversed_by"] = any(shown["reversed_by"])
    meanings = stable.columns | {"interval": "confidence interval of the difference, for this pair alone"}
    if any(shown["note"]):
        meanings["verdict"] += f"; {meanings['note']}"
    reversing = [[words.known_as(n).split(" (")[0].replace(", seed", "") for n in own] for own in shown["reversed_by"]]
    size = shown["high"].abs().max()
    written = shown.assign(
        verdict=[
            f"{VERDICTS[verdict]} {verdict}{note and f'; {note}'}"
            for verdict, note in zip(shown["verdict"], shown["note"], strict=True)
        ],
        interval=[
            f"{words.number(low, size)} to {words.number(high, size)}" if low == low else words.NOTHING
            for low, high in zip(shown["low"], shown["high"], strict=True)
        ],
        tie_risk=as_tie_risks(shown["tie_risk"], stable.draws),
        reversed_by=["; ".join(own[:2]) + f" and {len(own) - 2} more" * (len(own) > 2) for own in reversing],
    )
    page.table(
        written,
        {name: title for name, title in TITLES.items() if tells.get(name, True)},
        meanings,
        key="pairs_table",
        alt=heading,
        most=16,
        chosen=[row for row, pair in enumerate(listed) if set(pair) == chosen],
        choose=lambda rows: choose(*listed[rows[0]]) if rows else None,
    )
    at_risk = "that a tie-break reverses, that ties put at risk, " if knows_ties else ""
    adjusted = f" Intervals are of each pair by itself, not adjusted for all {stable.n_tests:,}; p (Holm) decides."
    adjusted *= stable.n_tests > 1  # else there are too few queries
    page.note(f"The list begins with what needs a look: pairs {at_risk}that are open.{adjusted}")
