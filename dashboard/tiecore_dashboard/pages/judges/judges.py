"""Judges: whether the order of the features survives another judge."""

import numpy as np
import streamlit as st

from tiecore.comparing.judges import JUDGE_COLUMNS
from tiecore_dashboard import words
from tiecore_dashboard.app import page
from tiecore_dashboard.app.strip import line
from tiecore_dashboard.app.table_columns import PERCENT, Titles, columns
from tiecore_dashboard.charts.look import LIGHT, MOST_COLOURED, label
from tiecore_dashboard.export import menu
from tiecore_dashboard.export.figures import drawn_by
from tiecore_dashboard.export.reproduce import Recipe, as_agreement
from tiecore_dashboard.files import sources
from tiecore_dashboard.files.datasets import Dataset
from tiecore_dashboard.pages.ranking.charts import places_in_columns
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View

_ROOMY = 12
"""Letters of a name that have room on one line of a phone."""
NUMBER, TAU, COUNT = "%.4f", "%.2f", "%,d"
TABLES: dict[str, Titles] = {
    "Clear one way under one judge, the other way under another": {
        "leader": "Feature", "trailer": "compared with",
        "difference_a": ("by", NUMBER), "judge_a": "under", "difference_b": ("but by", NUMBER), "judge_b": "under",
    },
    "Clear under one judge alone": {
        "leader": "Feature", "trailer": "is better than", "difference": ("by", NUMBER), "judge": "under",
    },
    "Agreement of each pair of judges": {
        "judge_a": "Judge", "judge_b": "and judge",
        "tau_b": ("τ-b", TAU), "tau_b_low": ("from", TAU), "tau_b_high": ("to", TAU),
        "tau_ap": ("τ AP", TAU), "tau_ap_low": ("from", TAU), "tau_ap_high": ("to", TAU),
        "n_queries": ("Queries of both", COUNT), "n_documents": ("Documents of both", COUNT),
        "kappa": ("κ, quadratic", TAU),
    },
}  # fmt: skip
"""Heading, and columns with their titles."""
GRADES: Titles = {
    "judge_a": "Judge", "judge_b": "and judge", "equal": ("Same grade", PERCENT),
    "kappa_unweighted": ("Cohen’s κ", TAU), "kappa": ("κ, quadratic", TAU), "n_documents": ("Documents of both", COUNT),
}  # fmt: skip


@page.part
def explore(view: View) -> None:
    """The answer, the places under each judge, their agreement, and the pairs that they see differently."""
    with st.spinner("Comparing the judges"):
        found = cached.judges(view)
    survival, *others = found.told(lambda name: f"<strong>{words.in_html(words.cut(str(name)))}</strong>")
    verdict, _, rest = survival.partition(":")
    page.say(f"<em>{verdict}</em>:{rest}", details=others)
    places, values = (found.leaderboards[what].unstack("judge", sort=False) for what in ("place", "value"))
    moved = (places.max(axis=1) - places.min(axis=1)).sort_values(ascending=False, kind="stable")
    farthest = [str(name) for name in moved[moved > 0].index[:MOST_COLOURED]]
    colours = page.colours(view.coloured, page.highlighted(view) or farthest)
    figure = places_in_columns(
        [str(name) for name in places.index],
        [label(judge, 22).replace("_", "_<br>", len(judge) > _ROOMY) for judge in found.studies],
        places=places.to_numpy(),
        values=values.to_numpy(),
        colours=colours,
        look=page.look(),
    )
    page.chart(
        figure,
        key="judges_places",
        alt="Place of each feature under each judge",
        on_click=page.highlight_clicked,
    )
    tables = {"Clear under one": found.only.set_index("leader"), "Agreement": found.agreement}
    clear = found.reversed.set_index("leader")
    for (name, table), (heading, titles) in zip([("Reversed", clear), *tables.items()], TABLES.items(), strict=True):
        if len(table):
            st.markdown(f"**{heading}**")
            page.table(table, key=f"judges_{name}", alt=heading, columns=columns(titles, JUDGE_COLUMNS))
    page.note(
        "From, to: 95 % of 1,000 draws of the queries, the same for both judges; resampled orders are noisier, so "
        "both ends lie too low: this is no confidence interval. κ: Cohen’s, of the grades."
    )
    swapped = found.swapped.rename(columns={judge: f"Difference under {judge}" for judge in found.studies})
    menu.offer(
        view,
        name="judges",
        tables={"Places": found.leaderboards, "Swapped pairs": swapped.set_index("leader"), **tables},
        figures={"Places": drawn_by("judges", found, page.colours(view.coloured, farthest, on=LIGHT))},
        recipe=Recipe(
            shows=["found.leaderboards", "found.agreement", "found.swapped", "found.only"],
            judges=view.dataset.judges,
            command="",
        ),
    )


@page.part
def show_grades(data: Dataset) -> None:
    """Show how far the grades of each two judges agree, for which no features are needed."""
    first, judged = next(iter(data.judges)), data.qrels.n_judged if data.qrels else 0
    facts = [f"<strong>{words.in_html(first)}</strong>", words.plural(judged, "judged document")]
    line([*facts, words.plural(len(data.judges), "judge")], colours=page.look(), data_page=page.DATA_PAGE)
    with st.spinner("Comparing the grades"):
        found = cached.grades(data).reset_index()
    is_own, near = found["judge_a"] == first, found["kappa_unweighted"].fillna(found["equal"])  # κ needs two grades
    found = found.iloc[np.lexsort([-near, ~is_own])]
    own = found[found["judge_a"] == first]
    said: list[str] = []
    for row in own.iloc[[0, -1][: len(own)]].to_dict("records"):
        how = "" if len(own) == 1 else "least " if said else "most "
        plain, weighted = (f"{row[kind]:.2f}".replace("-", "−") for kind in ("kappa_unweighted", "kappa"))
        kappa = f"Cohen’s κ of their grades is {plain}, with quadratic weights {weighted}"
        said.append(
            f"{words.bold(row['judge_b'])} agrees {how}with {words.bold(first)}, on {words.share(row['equal'])} of "
            f"{words.plural(row['n_documents'], 'document')}: "
            f"{'both give all of them one grade, for which there is no κ' if plain == 'nan' else kappa}."
        )
    answer, *details = said or [f"No other file grades documents that {words.bold(first)} judges."]
    page.say(answer, details=details)
    named = {side: [words.cut(name, 32, data.judges) for name in found[side]] for side in ("judge_a", "judge_b")}
    page.table(
        found.assign(**named),
        key="judges_grades",
        alt="Agreement of grades",
        columns=columns(GRADES, JUDGE_COLUMNS),
        hides_index=True,
    )
    menu.offer_all("judges", "", lambda: (as_agreement(data), ""), tables={"Agreement": found.set_index("judge_a")})


data, head = sources.current(), ("Judges", "Does the order of the features survive another judge?")
if data.has_judges or data.qrels is None or sources.are_gone():  # for the last two every page says the same
    explore(page.view(*head, of=lambda data: data.judged_systems))
else:
    page.head(*head)
    if len(data.judges) > 1:
        show_grades(data)
    are_graders = bool(data.used) and not data.judged_systems.features
    st.info(
        "All your files are judgments: Ranking and Pairs compare them by how well their grades order the documents "
        f"that **{words.in_markdown(data.qrels.name)}** judges. Add two or more runs or columns of scores to see "
        "whether their order depends on which of them judges."
        if are_graders
        else "This page needs two or more files of judgments of documents, such as TREC qrels of two assessors or "
        "grades of a model, and two or more features for them to judge.",
        icon=":material/info:",
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        if are_graders:
            compare = f"Compare {words.plural(len(data.used), 'file')}"
            st.page_link(page.RANKING_PAGE, label=compare, icon=":material/leaderboard:", width="content")
        if data.is_sample:
            st.button(
                "Show the sample with a second judge",
                on_click=lambda: sources.replace_by(sources.sample("second_judge.txt")),
                icon=":material/science:",
                type="primary",
            )
        st.page_link(page.DATA_PAGE, label="Add files", icon=":material/upload_file:", width="content")
