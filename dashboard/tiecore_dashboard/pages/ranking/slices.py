"""Slices of the queries: leaderboards and verdicts for each, and whether the winner changes."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from tiecore import TiecoreError
from tiecore.stability import SliceStability, Stability
from tiecore_dashboard import words
from tiecore_dashboard.app import page
from tiecore_dashboard.export import offers
from tiecore_dashboard.export.reproduce import Recipe, as_command, as_python, quoted
from tiecore_dashboard.files.query_names import MOST_NAMES, QueryNames, read_names
from tiecore_dashboard.pages.ranking.slices_answer import pair_in, slices_answer
from tiecore_dashboard.pages.ranking.slices_charts import slices_table
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.state.choices import choose_part

__all__ = ["show_slices"]

KINDS = {"relevant documents": "relevant", "list length": "length", "share tied": "tied", "own table": ""}
"""What queries can be sliced by, and what tiecore calls it."""
OWN = "ranking_slices_own"
LARGEST_MB = 5
MOST_IN_CODE = 500
"""Queries whose names are written out in code."""
MOST_ROOM = 20
"""Features up to which the table needs no box that scrolls."""


@page.part
def show_slices(view: View, stable: Stability | None) -> None:
    """Offer the leaderboard of each slice of the queries, once the box is opened."""
    box = st.expander(
        "Slices: does the winner change from one kind of query to another?",
        icon=":material/segment:",
        key="ranking_slices",
        on_change="rerun",
        bind="query-params",
    )
    if not box.open:
        return
    with box:
        title = choose_part(
            "Slice the queries by",
            list(KINDS),
            key="ranking_slices_by",
            help="- **relevant documents** how many are relevant to a query (grade 1 or more)\n"
            "- **list length** how many documents the features rank for it, on average\n"
            "- **share tied** how many of those share their score, on average\n"
            "- **own table** a name for each query, from a file\n\n"
            "The first three make up to three slices of about as many queries.",
        )
        by = KINDS[title] or own_names(view)
        if by is None:
            return
        try:
            parts = sliced(view, by if isinstance(by, str) else by.names)
        except TiecoreError as error:
            st.warning(words.in_markdown(str(error)), icon=":material/info:")
            return
        show_parts(view, parts, stable)
        offer(view, parts, by)


def own_names(view: View) -> QueryNames | None:
    """Take names of slices from a file; None as long as there are none."""
    queries = {str(query) for query in view.evaluation.alignment.query_ids.to_pylist()}
    file = st.file_uploader(
        f"A table of query id and name, as CSV or TSV, with up to {MOST_NAMES} names",
        type=["csv", "tsv", "txt"],
        key="ranking_slices_file",
        max_upload_size=LARGEST_MB,
    )
    if file is not None:
        try:
            st.session_state[OWN] = read_names(file.getvalue(), file=file.name, queries=queries)
        except TiecoreError as error:
            st.session_state.pop(OWN, None)
            st.warning(words.in_markdown(str(error)), icon=":material/info:")
            return None
    own: QueryNames | None = st.session_state.get(OWN)
    if own is not None:
        n_named = sum(query in queries for query, _ in own.names)
        named = f"{words.count(n_named)} of {words.plural(len(queries), 'query', 'queries')}"
        page.note(f"{words.in_markdown(own.file)} names the slices of {named}; others belong to none.")
    return own


def sliced(view: View, by: str | tuple[tuple[str, str], ...]) -> SliceStability:
    """Study each slice, with progress."""
    with page.progress("Comparing features in slices", of="steps", key=(view.key, by)) as report:
        return cached.slices(view, by, progress=report)


def show_parts(view: View, parts: SliceStability, stable: Stability | None) -> None:
    """Say whether the winner changes, and show value, place and place set of each feature in each slice."""
    board = view.leaderboard
    winners = [str(name) for name in board.index[board["place"] == 1]]
    sentence, details = slices_answer(parts.parts, winners=winners)
    page.say(sentence, details=details)
    studies: dict[str, Stability] = {"all queries": stable} if stable is not None else {}
    studies |= {name if name != "all queries" else "all queries (slice)": part for name, part in parts.parts.items()}
    boards = {name: board_of(study).reindex(board.index) for name, study in studies.items()}
    with st.container(height=page.TALLEST if len(board) > MOST_ROOM else "content", border=False):
        st.html(
            slices_table(
                boards,
                queries={name: study.n_queries for name, study in studies.items()},
                verdicts={name: first_pair(study) for name, study in studies.items()},
                measure=str(view.measure),
                look=page.look(),
                highlighted=page.highlighted(view),
            )
        )
    page.note(
        f"{view.measure}, place, and the places that the feature could take on other queries of the slice, at 95 % "
        "confidence. Last row: the verdict on the first against the second."
    )
    for one in warnings(parts):
        page.note(f":material/warning: {words.in_markdown(one)}")


def warnings(parts: SliceStability) -> list[str]:
    """What to keep in mind when many slices are looked at."""
    if len(parts.parts) < 2:
        return []
    unlike = (
        "A difference that is clear in one slice and not in another does not show that the slices differ: the smaller "
        "one may have too few queries."
    )
    return [*parts.notes, unlike]


def board_of(study: Stability) -> pd.DataFrame:
    """Return place, value and place set of each feature in a slice."""
    sets = study.ranks
    return pd.DataFrame(
        {"place": study.places["place"], "expected": study.values["expected"], "low": sets["low"], "high": sets["high"]}
    )


def first_pair(study: Stability) -> pd.Series | None:
    """Return the pair of the first and the second of a slice."""
    names = [str(name) for name in study.places.index[:2]]
    return pair_in(study, names[0], names[1]) if len(names) == 2 else None


def offer(view: View, parts: SliceStability, by: str | QueryNames) -> None:
    """Offer the tables, and the code that reproduces them."""
    with st.container(horizontal=True, gap="small"):
        measure = str(view.measure)
        offers.offer_table(parts.leaderboards, measure=measure, name="slices", label="Leaderboards of the slices")
        offers.offer_table(parts.pairs, measure=measure, name="slices", label="Pairs of the slices")
        recipe = recipe_of(view, by)
        if recipe.shows:
            offers.offer_code(as_python(view, recipe), as_command(view, recipe))


def recipe_of(view: View, by: str | QueryNames) -> Recipe:
    """How the slices are had outside of the dashboard; nothing to show where names of very many queries are needed."""
    if isinstance(by, str):
        names_in_code, source = quoted(by), by
    else:
        if len(by.names) > MOST_IN_CODE:
            return Recipe(shows=[], command="")
        names_in_code = f"{{{', '.join(f'{quoted(query)}: {quoted(name)}' for query, name in by.names)}}}"
        source = by.file if by.is_plain else ""
    call = f"tiecore.stability.slice_stability(evaluation, {{measure}}, {names_in_code})"
    return Recipe(
        shows=[f"{call}.leaderboards", f"{call}.pairs"],
        command="stability" if source else "",
        arguments=["--slices", source],
    )
