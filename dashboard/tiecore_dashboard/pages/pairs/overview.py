"""All pairs at once: a map of their differences, a list of what needs a look, and the choice of one of them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import streamlit as st

from tiecore.stability import Stability
from tiecore_dashboard import words
from tiecore_dashboard.app import page
from tiecore_dashboard.charts.columns import P_VALUE, Titles, columns
from tiecore_dashboard.pages.pairs.answer import by_need
from tiecore_dashboard.pages.pairs.charts import difference_map
from tiecore_dashboard.words import VERDICTS

MOST_FEATURES = 100
"""Features that a map has cells for that one can hit, and a table rows for that a browser can hold."""
QUERY = "pairs_query"
CHOSEN = {"pairs_one": "Feature", "pairs_other": "against"}
TITLES: Titles = {
    "leader": "Ahead",
    "trailer": "Behind",
    "verdict": "Verdict",
    "difference": ("Difference", "%.4f"),
    "low": ("from", "%.4f"),
    "high": ("to", "%.4f"),
    "holm": ("p (Holm)", P_VALUE),
    "tie_risk": ("Tie risk", "%.2f %%"),
    "reversed_by": "Reversed by",
    "sensitivity": ("Sensitivity", "%.4f"),
    "n_queries": ("Queries", "%d"),
    "note": "Note",
}
OF_TIES = ("tie_risk", "reversed_by")


def choose(*pair: str) -> None:
    """Look at another pair, and at no query of the one before."""
    st.session_state.update(zip(CHOSEN, pair, strict=True))
    st.session_state.pop(QUERY, None)


def choose_cell(key: str) -> None:
    """Look at the pair of the cell that was clicked on."""
    for data in page.clicked(key)[:1]:
        choose(*data)


def chosen_pair(names: Sequence[str], usual: tuple[str, str]) -> tuple[str, str]:
    """Let two features be chosen by name, at first the usual ones."""
    chosen = []
    for column, (key, title), name in zip(st.columns(2), CHOSEN.items(), usual, strict=True):
        # no default: it would be left out of the URL, and what is usual differs from view to view
        if st.session_state.get(key, st.query_params.get(key)) not in names:
            st.session_state[key] = name
        picked = column.selectbox(
            title, names, index=None, key=key, bind="query-params", on_change=st.session_state.pop, args=(QUERY, None)
        )
        chosen.append(str(picked))
    return chosen[0], chosen[1]


def show_all(stable: Stability, chosen: tuple[str, str], *, highlighted: Sequence[str] = ()) -> None:
    """Show all pairs as a map and as a list, which begins with what needs a look."""
    names, pairs = list(stable.places.index[:MOST_FEATURES]), stable.pairs
    shown = by_need(pairs[pairs["leader"].isin(names) & pairs["trailer"].isin(names)])
    listed = list(zip(shown["leader"], shown["trailer"], strict=True))
    is_wide, knows_ties = len(names) > page.BESIDE, stable.tie_orders is not None
    left, right = (st.container(), st.container()) if is_wide else st.columns([5, 6], gap="medium")
    with left:
        page.chart(
            difference_map(shown, names, look=page.look(), chosen=chosen, highlighted=highlighted),
            key="pairs_map",
            alt=f"Difference of each pair of features, by {stable.measure}",
            on_click=choose_cell,
            stem=f"pairs {stable.measure}",
        )
    with right:
        page.table(
            shown.assign(
                verdict=[f"{VERDICTS[verdict]} {verdict}" for verdict in shown["verdict"]],
                tie_risk=100 * shown["tie_risk"],
                reversed_by=[", ".join(map(words.known_as, names)) for names in shown["reversed_by"]],
                sensitivity=shown["sensitivity"].where(shown["sensitivity"] < math.inf),
            ),
            key="pairs_table",
            alt="All pairs of features",
            columns=columns(
                {name: title for name, title in TITLES.items() if knows_ties or name not in OF_TIES}, stable.columns
            ),
            height=min(248 if is_wide else 420, 38 + 35 * max(1, len(shown))),
            chosen=[row for row, pair in enumerate(listed) if set(pair) == set(chosen)],
            choose=lambda rows: choose(*listed[rows[0]]) if rows else None,
            hides_index=True,
        )
    rest = ""
    if len(names) < len(stable.places):
        rest = (
            f" Map and list show the {len(names)} best of {words.count(len(stable.places))} features; any pair can be "
            "chosen below, and the export holds all of them."
        )
    at_risk = "that a tie-break reverses, that ties put at risk, " if knows_ties else ""
    page.note(
        "The larger the difference, the stronger the colour. The list begins with what needs a look: pairs "
        f"{at_risk}that are open.{rest}"
    )
