"""How far the grades of judges agree, for which no features are needed."""

import streamlit as st

from tiecore.comparing.grades import KEY
from tiecore.comparing.judges import JUDGE_COLUMNS
from tiecore_dashboard import words
from tiecore_dashboard.app import page
from tiecore_dashboard.app.strip import line
from tiecore_dashboard.app.table_columns import PERCENT, Titles, columns
from tiecore_dashboard.export import menu
from tiecore_dashboard.export.reproduce import as_agreement
from tiecore_dashboard.files.datasets import Dataset
from tiecore_dashboard.results import cached

TAU, COUNT = "%.2f", "%,d"
GRADES: Titles = {
    "judge": "Judge", "kappa": ("κ, quadratic", TAU), "verdict": "Below the highest", "equal": ("Same grade", PERCENT),
    "kappa_unweighted": ("κ, unweighted", TAU), "n_documents": ("Shared documents", COUNT),
}  # fmt: skip
MEANINGS = JUDGE_COLUMNS | {"verdict": "clear: its quadratic κ is clearly below the highest; open: that is not clear"}


@page.part
def show_grades(data: Dataset) -> None:
    """Show how far the grades of each judge agree with those of one that is chosen."""
    judges, judged = list(data.judges), data.qrels.n_judged if data.qrels else 0
    to = judges[0]
    facts = [f"<strong>{words.in_html(to)}</strong>", words.plural(judged, "judged document")]
    line([*facts, words.plural(len(judges), "judge")], colours=page.look(), data_page=page.DATA_PAGE)
    if len(judges) > 2:
        to = st.selectbox("Agreement with", judges, key="judges_to", bind="query-params", width=320)
    with st.spinner("Comparing the grades"):
        found = cached.nearest(data, to)
    answer, *details = found.told(words.bold)
    page.say(answer, details)
    own = found.table.reset_index()
    own["judge"] = [words.cut(name, 32, judges) for name in own["judge"]]
    page.table(own, key="judges_grades", alt="Agreement of grades", columns=columns(GRADES, MEANINGS))
    page.note(KEY)
    menu.offer_all(
        "judges",
        "",
        lambda: (as_agreement(data, to), ""),
        tables={"Agreement": found.table},
        papers={"Agreement": found.in_latex},
    )
