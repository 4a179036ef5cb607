"""Files that could not be read or do not fit: the reasons, and questions about columns that the user can answer."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from tiecore_dashboard import words
from tiecore_dashboard.app import page
from tiecore_dashboard.files import sources
from tiecore_dashboard.files.datasets import Dataset
from tiecore_dashboard.files.questions import Answer, Question
from tiecore_dashboard.files.reading import Problem

NONE, ASKED = "none", "data_asked"
MOST_MESSAGES = 12
"""Files with something wrong that are listed at once."""


def show_problems(data: Dataset) -> None:
    """Show what could not be read or does not fit, each with the way out; what can be answered is asked here."""
    asked: dict[tuple[object, ...], list[Problem]] = {}
    for problem in data.problems:
        if (question := problem.question) is not None:
            known = bool(question.decimal_comma), bool(question.unscored)
            what = known if question.knows_columns else (question.delimiter, *question.columns)
            asked.setdefault(what, []).append(problem)
    numbers: dict[object, int] = st.session_state.setdefault(ASKED, {})
    for same, alike in asked.items():
        ask(numbers.setdefault(same, len(numbers)), alike)
    unread = [one for one in data.problems if one.question is None]
    them = "it" if len(unread) == 1 else "them"
    title = f"{words.plural(len(unread), 'file')} could not be read; correct the faults below and drop {them} in again"
    show_messages(st.error, title, [named(one.file, f"{_place(one)} {one.what}") for one in unread], icon="error")
    reasons = data.unmatched
    left_out = named_once((one.name, reasons.get(one.place, "")) for one in data.features)
    for digest, reason in data.misfits.items():
        name = data.file(digest).name
        left_out.append(named(name, reason.removeprefix(name) if reason.startswith(name) else f": {reason}"))
    measured = [] if data.is_measured else [file.name for file in data.files if file.values is not None]
    left_out += named_once((name, "values already measured, as no column names the documents") for name in measured)
    show_messages(st.warning, "Loaded, but left out of the results", left_out, icon="link_off")
    if unread:
        st.button("Dismiss these messages", on_click=forget, args=(unread,), type="tertiary", icon=":material/close:")


def forget(problems: Sequence[Problem]) -> None:
    """Show problems no longer; files with a question are left out."""
    data = sources.current()
    sources.replace_by(replace(data, problems=tuple(one for one in data.problems if one not in problems)))


def _place(problem: Problem) -> str:
    """Return what stands between the name of a file and what is wrong with it, which may be a verb."""
    if problem.line is not None:
        return f", line {words.count(problem.line)}:"
    return "" if problem.what.startswith(("is ", "has ", "holds ", "names ", "needs ", "cannot ")) else ":"


def named(name: str, text: str) -> str:
    """Return the name of a file in bold and what is said of it; Markdown."""
    return f"**{words.in_markdown(name)}**{' ' * text.startswith(' ')}{words.in_markdown(text)}"


def named_once(said: Iterable[tuple[str, str]]) -> list[str]:
    """Return what is said of names, where it is the same of all of them together; Markdown."""
    names_of: dict[str, list[str]] = {}
    for name, text in said:
        names_of.setdefault(text, []).append(name)
    return [named(words.enumerate_names(names), f": {text}") for text, names in names_of.items() if text]


def show_messages(show: Callable[..., object], title: str, messages: list[str], *, icon: str = "") -> None:
    """Show in one box what is said of files, so that many of them leave room for the rest of the page."""
    if not messages:
        return
    lines, options = [f"- {message}" for message in messages], {"icon": f":material/{icon}:"} if icon else {}
    show("\n".join([f"**{title}**\n", *lines[:MOST_MESSAGES]]), **options)
    if more := lines[MOST_MESSAGES:]:
        with st.expander(words.plural(len(more), "more message")):
            st.markdown("\n".join(more))


def ask(number: int, asked: list[Problem]) -> None:
    """Ask what a table leaves open, with the guess filled in; once for all files that leave the same open.

    ``number``: of the question, which stays when another one is answered, and with it what is chosen.
    """
    question, answer = asked[0].question, None
    them = "it" if len(asked) == 1 else f"these {words.count(len(asked))} files"
    assert question is not None
    names = words.in_markdown(words.enumerate_names([problem.file for problem in asked]))
    odd = {}
    if question.decimal_comma:
        example = max((one.question.decimal_comma for one in asked if one.question), key=lambda text: "." in text)
        example += f" for {example.replace('.', '').replace(',', '.')}" * ("." in example)
        example += question.comma_at * (len(asked) == 1)
        odd["decimal points"] = f"decimal commas, such as {words.in_markdown(example)}"
    if question.unscored:
        odd["not scored"] = no_numbers([one.question for one in asked])
    if question.knows_columns:
        how = " and ".join(odd)
        text = f"there are {', and '.join(odd.values())}. Shall they be read as {how}?"
        label = f"Read them as {how}"
    else:
        nameless = " and ".join(question.nameless)
        text = f"the {nameless} column{'s have no usual names' if ' ' in nameless else ' has no usual name'}"
        text = text if question.has_header else "there is no header"
        text += ". Which column is which?" + "".join(f" The {what}, are read as {how}." for how, what in odd.items())
        label = f"Read {them}"
    with st.container(border=True, key=f"data_question_{number}"):
        st.markdown(f":material/help: **{names}**: {text}")
        if not question.knows_columns:
            answer = choose_columns(number, question, asked[0].given)
        for problem in asked:
            if problem.refused:
                st.error(named(problem.file, f": {problem.refused}"), icon=":material/error:")
        with st.container(horizontal=True):
            if st.button(label, key=f"data_read_{number}", type="primary"):
                sources.answer(asked, answer)
                st.rerun()
            st.button(f"Leave {them} out", key=f"data_out_{number}", on_click=forget, args=(asked,))


def no_numbers(asked: Sequence[Question | None]) -> str:
    """Name what stands in columns of scores and is no number, and how often; Markdown."""
    n_cells: Counter[str] = Counter()
    found = [one for question in asked if question for one in question.unscored]
    for _, text, n, _ in found:
        n_cells[text] += n
    texts = [f"{words.count(n)} × {words.in_markdown(text) or 'blank'}" for text, n in n_cells.most_common()]
    where = words.in_markdown(words.enumerate_names([*dict.fromkeys(column for column, *_ in found)]))
    first = f" (first in line {words.count(min(line for *_, line in found))})" * (len(asked) == 1)
    return f"cells without a number in {where}, {words.enumerate_names(texts)}{first}"


def choose_columns(number: int, question: Question, given: Answer | None) -> Answer:
    """Offer the columns of a table, below its first rows; return what is chosen, at first what was answered before."""
    is_without_judgments = sources.current().is_sample or sources.current().qrels is None
    guess = given or (question.guess_with_grades if is_without_judgments else question.guess)
    columns = list(question.columns)
    rows = [(*row, *[""] * len(columns))[: len(columns)] for row in question.rows]
    st.dataframe(pd.DataFrame(rows, columns=columns, dtype="str"), hide_index=True, alt="First rows", width="content")
    roles = ("Query", columns, guess.query), ("Document", columns, guess.document)
    menus = (*roles, ("Grades", [NONE, *columns], guess.grades or NONE))
    query, document, grades = (
        where.selectbox(role, options, index=options.index(likely), key=f"data_{role.lower()}_{number}")
        for where, (role, options, likely) in zip(st.columns(3), menus, strict=True)
    )
    label = "Scores (each column is a feature)"
    features = st.multiselect(label, columns, default=guess.features, key=f"data_scores_{number}")
    if not question.has_documents:
        page.note(
            "Are they values already measured, with a row for each task and a column for each feature? Then the header "
            "is missing (task,bm25,dense or measure,query_id,value), one cell holds text, or one task occurs twice: "
            "correct that, and drop the file in again."
        )
    if is_without_judgments and grades == NONE:
        page.note("No judgments of yours are loaded yet: if a column holds them, choose it under *Grades*.")
    elif is_without_judgments and grades != question.guess.grades:
        page.note(f"*{words.in_markdown(grades)}* is taken for the grades, as no other judgments of yours are loaded.")
    return Answer(query, document, None if grades == NONE else grades, tuple(features))
