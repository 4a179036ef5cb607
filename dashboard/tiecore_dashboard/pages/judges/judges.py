"""Judges: whether the order of the features survives another judge."""

from operator import attrgetter

import streamlit as st

from tiecore.comparing.judges import JUDGE_COLUMNS
from tiecore_dashboard.app import page
from tiecore_dashboard.charts.columns import columns
from tiecore_dashboard.export import offers
from tiecore_dashboard.export.reproduce import Recipe
from tiecore_dashboard.pages.judges.answer import judges_answer, lacking
from tiecore_dashboard.pages.judges.charts import judges_chart
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View


@page.part
def explore(view: View) -> None:
    """The answer, the places under each judge, their agreement, and the pairs that they see differently."""
    with st.spinner("Comparing the judges"):
        found = cached.judges(view)
    sentence, details = judges_answer(found)
    page.say(sentence, details=details)
    page.chart(
        judges_chart(found, look=page.look(), highlighted=page.highlighted(view)),
        key="judges_places",
        alt="Place of each feature under each judge",
        on_click="highlight",
        stem=f"judges {view.measure}",
    )
    turned, alone = found.reversed.set_index("judge_a"), found.only.set_index("judge")
    if len(turned):
        st.markdown("**Clear one way under one judge, the other way under another**")
        page.table(
            turned,
            key="judges_reversed",
            alt="Pairs that are clearly reversed under another judge",
            columns=columns(
                {
                    "judge_a": "Under",
                    "judge_b": "and under",
                    "leader": "Feature",
                    "trailer": "compared with",
                    "difference_a": ("Difference under the first", "%.3f"),
                    "difference_b": ("under the second", "%.3f"),
                },
                JUDGE_COLUMNS,
            ),
        )
    if len(alone):
        st.markdown("**Clear under one judge alone**")
        alone = alone.assign(others=[", ".join(verdicts) for verdicts in alone["others"]])
        page.table(
            alone,
            key="judges_only",
            alt="Pairs that are clear under one judge alone",
            columns=columns(
                {
                    "judge": "Under",
                    "leader": "Feature",
                    "trailer": "is better than",
                    "difference": ("Difference", "%.3f"),
                    "others": "Under the others",
                },
                JUDGE_COLUMNS,
            ),
        )
    st.markdown("**Agreement of the judges**")
    page.table(
        found.agreement,
        key="judges_agreement",
        alt="Agreement of each two judges",
        columns=columns(
            {
                "judge_a": "Judge",
                "judge_b": "and judge",
                "tau_b": ("τ-b", "%.3f"),
                "tau_b_low": ("from", "%.3f"),
                "tau_b_high": ("to", "%.3f"),
                "tau_ap": ("τ AP", "%.3f"),
                "tau_ap_low": ("from", "%.3f"),
                "tau_ap_high": ("to", "%.3f"),
                "n_queries": ("Queries of both", "%d"),
                "n_documents": ("Documents of both", "%d"),
                "kappa": ("Cohen’s κ", "%.3f"),
            },
            JUDGE_COLUMNS,
        ),
    )
    page.note(
        "Intervals: 95 %, queries drawn again, the same ones for both judges. κ: of the grades, quadratic weights."
    )
    offers.offer(
        view,
        name="judges",
        tables={
            "Places": found.leaderboards,
            "Agreement": found.agreement,
            "Reversed": turned,
            "Clear under one": alone,
        },
        recipe=Recipe(
            shows=["found.leaderboards", "found.agreement", "found.reversed", "found.only"],
            judges=view.dataset.judges,
            command="",
        ),
    )


view = page.view("Judges", "Does the order of the features survive another judge?", of=attrgetter("judged_systems"))
if need := lacking(len(view.dataset.judges), len(view.features), has_documents=view.has_documents):
    st.info(need, icon=":material/info:")
else:
    explore(view)
