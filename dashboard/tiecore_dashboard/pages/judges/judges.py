"""Judges: whether the order of the features survives another judge."""

import re

import streamlit as st

from tiecore.board.lines import movers_among, part_of
from tiecore.board.marks import MOST_COLOURED
from tiecore.comparing.judges import JUDGE_COLUMNS, KEY
from tiecore_dashboard import words
from tiecore_dashboard.app import page
from tiecore_dashboard.app.strip import left_out, line
from tiecore_dashboard.app.table_columns import COEFFICIENT, NUMBER, PERCENT, WRITTEN, Titles
from tiecore_dashboard.charts.look import LIGHT, label
from tiecore_dashboard.charts.rows import Point, Range, rows_chart
from tiecore_dashboard.export import menu
from tiecore_dashboard.export.figures import Draw, drawn_by
from tiecore_dashboard.export.reproduce import JUDGED, as_agreement
from tiecore_dashboard.files import sources
from tiecore_dashboard.files.datasets import Dataset
from tiecore_dashboard.files.joined import fitted
from tiecore_dashboard.pages.ranking.charts import places_in_columns
from tiecore_dashboard.pages.ranking.leaderboard import MOST_OPEN
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View

TAU, COUNT = COEFFICIENT, "%,d"
TABLES: dict[str, Titles] = {
    "Clear one way under one judge, the other way under another": {
        "leader": "Feature", "trailer": "compared with",
        "difference_a": ("by", NUMBER), "judge_a": "under", "difference_b": ("but by", NUMBER), "judge_b": "under",
    },
    "Clear under one judge alone": {
        "leader": "Feature", "trailer": "is better than", "difference": ("by", NUMBER), "judge": "under",
        "elsewhere": ("lowest lead elsewhere", NUMBER),
    },
    "Agreement of each pair of judges": {
        "judge_a": "Judge", "judge_b": "and judge", "tau_b": ("τ-b", TAU), "tau_ap": ("τ AP", TAU),
        "kappa": ("κ, quadratic", TAU), "n_queries": ("Queries", COUNT), "n_documents": ("Documents", COUNT),
    },
}  # fmt: skip
"""Heading, and columns with their titles: what decides has room on a phone."""
GRADES: Titles = {
    "judge": "Judge", "kappa": ("κ, quadratic", TAU), "verdict": "Below the highest", "holm": ("p (Holm)", WRITTEN),
    "kappa_low": ("95 % from", TAU), "kappa_high": ("to", TAU), "equal": ("Same grade", PERCENT),
    "kappa_unweighted": ("κ, unweighted", TAU), "n_documents": ("Shared documents", COUNT),
}  # fmt: skip
SIGNS = {
    "": ("the highest", "diamond", 11), "clear": ("clearly below the highest", "circle", 10),
    "open": ("not clearly below the highest", "circle-open", 7),
}  # fmt: skip
"""Of each verdict: what it says, and its mark with its size."""
MEANINGS = JUDGE_COLUMNS | {"verdict": "clear: its quadratic κ is clearly below the highest; open: that is not clear"}


@page.part
def explore(view: View) -> None:
    """The answer, the places under each judge, their agreement, and the pairs that they see differently."""
    with st.spinner("Comparing the judges"):
        found = cached.judges(view)
    survival, *others = found.told(lambda name: f"<strong>{words.in_html(words.cut(str(name)))}</strong>")
    verdict, _, rest = survival.partition(":")
    page.say(f"<em>{verdict}</em>:{rest}", others)
    places, values = map(found.by_judge, ("place", "value"))
    turned = [name for name in places.index if name in found.reversed[["leader", "trailer"]].to_numpy()]
    places, drawn = part_of(places, turned[:MOST_COLOURED], most=MOST_OPEN)
    colours = dict.fromkeys(movers_among(places), page.look().muted)
    named = page.highlighted(view) or turned[:MOST_COLOURED]
    colours |= page.colours(view.coloured, named)
    heads = [re.sub("(?<=.{8})[_-]", r"\g<0><br>", label(judge, among=found.studies)) for judge in found.studies]
    placed = places.set_axis(heads, axis=1)
    figure = places_in_columns(placed, values, colours=colours, look=page.look(), screen=page.width())
    alt = "Places of the features under each judge"
    page.chart(figure, key="judges_places", alt=alt, on_click=page.highlight_clicked)
    if colours:
        which = "highlighted" if page.highlighted(view) else f"of pairs that swap clearly, at most {MOST_COLOURED}"
        coloured = f" In colour: those {which}." * bool(named)
        page.note(f"Thick: features that change place.{coloured}{drawn} A click highlights others.")
    agreement = found.agreement[["tau_b", "tau_ap", "n_queries", "n_documents", "kappa"]]
    tables = {"Clear under one": found.only.set_index("leader"), "Agreement": agreement}
    clear = found.reversed.set_index("leader")
    for (name, table), (heading, titles) in zip([("Reversed", clear), *tables.items()], TABLES.items(), strict=True):
        if len(table):
            st.markdown(f"**{heading}**")
            page.table(table, titles, JUDGE_COLUMNS, key=f"judges_{name}", alt=heading)
    page.note(KEY)
    swapped = found.swapped.rename(columns={judge: f"Difference under {judge}" for judge in found.studies})
    draw = drawn_by("judges", found, page.colours(view.coloured, named, on=LIGHT), marked=page.highlighted(view))
    menu.offer(
        view,
        name="judges",
        tables={"Places": found.leaderboards, "Swapped pairs": swapped.set_index("leader"), **tables},
        figures={"Places": draw},
        papers={"Places": found.in_latex},
        recipe=JUDGED,
    )


@page.part
def show_grades(data: Dataset) -> None:
    """Show how far the grades of each judge agree with those of one that is chosen."""
    judges, judged = list(data.judges), data.file(data.judgments or "")
    to = judges[0]
    line([words.bold(judged.name), *map(words.plural, (judged.n_judged, len(judges)), ("judged document", "judge"))])
    if len(judges) > 2:
        to = st.selectbox("Agreement with", judges, key="judges_to", bind="query-params", width=320)
    with st.spinner("Comparing the grades"):
        found = cached.nearest(data, to)
    answer, *details = found.told(words.bold)
    page.say(answer, [*details, *map(words.in_html, filter(None, (*data.strays.values(), left_out(data))))])
    own = found.table.reset_index() if found.compares else found.table.drop(columns=["verdict", "holm"]).reset_index()
    known, named, figures = own[own["kappa"].notna()], f"Agreement with {words.cut(to)}", dict[str, Draw]()
    if len(known):
        look, kappas = page.look(), known.set_index("judge").filter(["kappa", "kappa_low", "kappa_high", "verdict"])
        bar = Range("95 % interval over the queries", kappas["kappa_low"], kappas["kappa_high"], look.range)
        dots = [
            Point(name, kappas["kappa"].where(found.table["verdict"] == verdict), look.text, symbol, size)
            for verdict, (name, symbol, size) in (
                SIGNS if found.compares else {"": ("quadratic κ", "circle", 10)}
            ).items()
        ]
        figure = rows_chart([*kappas.index], [bar, *dots], look=look, title=f"quadratic κ with {label(to)}", zero=0.0)
        texts = {"scale": f"quadratic κ with {words.cut(to)}", "unit": "judge", "answer": found.sentences[0]}
        by, plural, bars = data.file(data.judges[to]), words.plural, bool(kappas["kappa_low"].count())
        note = f"{to} judges {plural(by.n_judged, 'document')} of {plural(len(by.records.query.dictionary), 'query')}. "
        note += f"{'Bar: 95 % interval. ' * bars}{'Diamond: highest; hollow: not clearly below. ' * (len(kappas) > 1)}"
        note += " ".join([found.key, *data.strays.values()])
        figures[named] = drawn_by("intervals", kappas, None, **texts, named=found.named, note=note)
        page.chart(figure, key="judges_kappas", alt=f"Quadratic κ of each judge with {to}, and its interval")
    titles = GRADES if found.n_tests > 1 else {**GRADES, "holm": ("p", WRITTEN)}
    page.table(own, titles, MEANINGS, key="judges_grades", alt="Agreement of grades")
    page.note(found.key)
    menu.offer_all(
        "judges",
        "",
        lambda: (as_agreement(data, to), ""),
        tables={named: own.set_index("judge")},
        figures=figures,
        papers={named: found.in_latex},
    )


data, head = sources.current(), ("Judges", "Does the order of the features survive another judge?")
judged = fitted(data.add(sources.sample("second_judge.txt").files)) if data.is_sample else data
if judged.has_judges or data.qrels is None or sources.are_gone():  # for the last two every page says the same
    view = page.view(*head, of=lambda _: judged.judged_systems)
    page.without(".st-key-tie")
    if data.is_sample:
        page.note("The sample has a second judge here, made up for this page; the other pages have the first alone.")
    explore(view)
else:
    page.without(*page.SETTINGS)
    text = "With two or more runs or columns of scores this page shows whether their order depends on the judge."
    to, does, icon = page.DATA_PAGE, "Add files", "upload_file"
    if len(data.judges) > 1:
        page.head("Judges", "How far do the grades of the judges agree?")
        show_grades(data)
    else:
        page.head(*head)
        text = f"This page compares two or more files of judgments, such as an assessor’s and a model’s. {text}"
    if data.used and not data.judged_systems.features:  # files are added above
        to, does, icon = page.RANKING_PAGE, "See how they rank", "leaderboard"
        whose = f"the others order the documents that **{words.in_markdown(data.qrels.name)}** judges"
        text = f"All your files are judgments: Ranking shows how well the grades of {whose}. {text}"
    st.info(text, icon=":material/info:")
    st.page_link(to, label=does, icon=f":material/{icon}:", width="content")
