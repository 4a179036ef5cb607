"""Files that could not be read or do not fit: the reasons, and questions about columns that the user can answer."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from tiecore_dashboard import words
from tiecore_dashboard.app import page
from tiecore_dashboard.files import sources
from tiecore_dashboard.files.datasets import Dataset
from tiecore_dashboard.files.questions import Answer, Question
from tiecore_dashboard.files.reading import Problem

NONE = "none"
MOST_MESSAGES = 12
"""Files with something wrong that are listed at once."""


def show_problems(data: Dataset) -> None:
    """Show what could not be read or does not fit, each with the way out; what can be answered is asked here."""
    asked: dict[tuple[str, ...], list[Problem]] = {}
    for problem in data.problems:
        if (question := problem.question) is not None:
            what = () if question.is_about_commas else (question.delimiter, *question.columns)
            asked.setdefault(what, []).append(problem)
    for place, alike in enumerate(asked.values()):
        ask(place, alike)
    unread = [named(one.file, f"{_place(one)} {one.what}") for one in data.problems if one.question is None]
    show_messages(st.error, f"{words.plural(len(unread), 'file')} could not be read", unread, icon="error")
    features_of: dict[str, list[str]] = {}
    for feature in data.features:
        if reason := data.unmatched.get((feature.file, feature.column)):
            features_of.setdefault(reason, []).append(feature.name)
    left_out = [named(words.enumerate_names(names), f": {reason}") for reason, names in features_of.items()]
    for digest, reason in data.misfits.items():
        name = data.file(digest).name
        left_out.append(named(name, reason.removeprefix(name) if reason.startswith(name) else f": {reason}"))
    show_messages(st.warning, "Loaded, but left out of the results", left_out, icon="link_off")
    if data.problems:
        st.button(
            "Dismiss these messages",
            on_click=lambda: sources.replace_by(replace(sources.current(), problems=())),
            type="tertiary",
            icon=":material/close:",
        )


def _place(problem: Problem) -> str:
    """Return what stands between the name of a file and what is wrong with it, which may be a verb."""
    if problem.line is not None:
        return f", line {words.count(problem.line)}:"
    return "" if problem.what.startswith(("is ", "has ", "holds ", "names ", "needs ", "cannot ")) else ":"


def named(name: str, text: str) -> str:
    """Return the name of a file in bold and what is said of it; Markdown."""
    return f"**{words.in_markdown(name)}**{' ' * text.startswith(' ')}{words.in_markdown(text)}"


def show_messages(show: Callable[..., object], title: str, messages: list[str], *, icon: str = "") -> None:
    """Show in one box what is said of files, so that many of them leave room for the rest of the page."""
    if not messages:
        return
    shown, more = messages[:MOST_MESSAGES], messages[MOST_MESSAGES:]
    text = "\n".join([f"**{title}**\n", *(f"- {message}" for message in shown)])
    show(text, **({"icon": f":material/{icon}:"} if icon else {}))
    if more:
        with st.expander(f"{words.plural(len(more), 'more message')}"):
            st.markdown("\n".join(f"- {message}" for message in more))


def ask(place: int, asked: list[Problem]) -> None:
    """Ask what a table leaves open, with the guess filled in; once for all files that leave the same open."""
    question = asked[0].question
    assert question is not None
    names = words.in_markdown(words.enumerate_names([problem.file for problem in asked]))
    commas = f"decimal commas, such as {words.in_markdown(question.decimal_comma)}"
    if question.is_about_commas:
        text, label = f"there are {commas}. Shall they be read as decimal points?", "Read them as points"
        read = partial(sources.answer, asked)
    else:
        text = "the query and document columns have no usual names" if question.has_header else "there is no header"
        text += ". Which column is which?" + f" The {commas}, are read as points." * bool(question.decimal_comma)
        label = "Read it" if len(asked) == 1 else f"Read these {words.count(len(asked))} files"
        read = partial(read_asked, place, asked)
    with st.container(border=True, key=f"data_question_{place}"):
        st.markdown(f":material/help: **{names}**: {text}")
        if not question.is_about_commas:
            choose_columns(place, question)
        for problem in asked:
            if problem.refused:
                st.error(named(problem.file, f": {problem.refused}"), icon=":material/error:")
        st.button(label, key=f"data_read_{place}", type="primary", on_click=read)


def choose_columns(place: int, question: Question) -> None:
    """Offer the columns of a table, below its first rows."""
    guess = question.guess
    columns = list(question.columns)
    rows = [(*row, *[""] * len(columns))[: len(columns)] for row in question.rows]
    st.dataframe(pd.DataFrame(rows, columns=columns, dtype="str"), hide_index=True, alt="First rows", width="content")
    first, second, third = st.columns(3)
    choose(first, "Query", columns, guess.query, key=f"data_query_{place}")
    choose(second, "Document", columns, guess.document, key=f"data_document_{place}")
    choose(third, "Grades", [NONE, *columns], guess.grades or NONE, key=f"data_grades_{place}")
    key = f"data_scores_{place}"
    if key not in st.session_state or not set(st.session_state[key]) <= set(columns):
        st.session_state[key] = list(guess.features)
    st.multiselect("Scores (each column is a feature)", columns, key=key)
    if question.has_header:
        page.note(
            "Are they values already measured, with a row for each task and a column for each feature? Then one "
            "cell holds text, or one task occurs twice: correct that, and drop the file in again."
        )
    is_without_judgments = sources.current().is_sample or sources.current().qrels is None
    if is_without_judgments and st.session_state[f"data_grades_{place}"] == NONE:
        page.note("No judgments of yours are loaded yet: if a column holds them, choose it under *Grades*.")


def choose(where: DeltaGenerator, label: str, options: list[str], guess: str, *, key: str) -> None:
    """Offer a menu with the guess filled in."""
    if st.session_state.get(key) not in options:
        st.session_state[key] = guess
    where.selectbox(label, options, key=key)


def read_asked(place: int, asked: list[Problem]) -> None:
    """Read files whose columns have been chosen."""
    state = st.session_state
    grades = state[f"data_grades_{place}"]
    sources.answer(
        asked,
        Answer(
            query=state[f"data_query_{place}"],
            document=state[f"data_document_{place}"],
            grades=None if grades == NONE else grades,
            features=tuple(state[f"data_scores_{place}"]),
        ),
    )
