"""The sidebar: widgets to one frozen :class:`Settings`. The only owner of the settings' widget keys and of the URL.

Every control is kept in a parameter of the URL, so that a link carries the whole view.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from tiecore import TiecoreError
from tiecore.evaluation.engine import Options
from tiecore.measures import FAMILIES, Measure, measure
from tiecore.ties.tie_breaks import tie_break
from tiecore_dashboard import words
from tiecore_dashboard.pages.method import texts
from tiecore_dashboard.state.conventions import CONVENTIONS, as_options
from tiecore_dashboard.state.link import choose_number, keep_in_link

DEFAULT_TIE_BREAKS = ("docid-desc", "docid-asc", "input")
USUAL_TIE_BREAKS = ("docid-desc", "docid-asc", "input", "input-reversed", "random:1", "random:2")
"""Tie-breaks that the menu offers whatever the data."""
MOST_TIE_BREAKS = 6
CUTOFFS = (1, 3, 5, 10, 20, 50, 100, 1000)
"""Cut-offs that the menu offers."""
USUAL_MEASURE, USUAL_CUTOFF = measure("nDCG@10"), 10
TIE = "tie"
"""Key of the tie-breaks to compare; also the parameter of the URL."""
_MAIN = ("nDCG", "AP", "RR", "P", "R", "F1", "Success", "ERR")
"""Measures that come first, and are explained in the help."""
_WHOLE, _USUAL = "none", "usual_k"
_OF_WHOLE_LISTS = ("AP", "RR", "RBP")
"""Measures of the whole ranking, unless a cut-off is chosen for them."""
_MOST_SEEN = 4
"""Choices that stand below each other; more of them fold into a menu."""
_TOO_LONG = 10
"""Digits of a cut-off that cannot be meant."""
NUMBERS: Mapping[str, tuple[str, float, float, float, float, str]] = {
    "p": ("Patience p", 0.05, 0.99, 0.8, 0.05, "The chance that a reader goes on to the next document."),
    "s": ("Documents wanted, s", 1, 1000, 1, 1, "How many relevant documents the reader wants to find."),
    "max_rel": ("Highest grade of the scale", 1, 1000, 4, 1, "A document gains its grade over this one."),
    "T": (
        "Wanted gain T", 0.1, 100.0, 1.0, 0.5,
        "How much a reader wants to find; a document of the highest grade gains 1.",
    ),
    "recall": ("At recall", 0.0, 1.0, 0.1, 0.1, "The share of the relevant documents that is to be found."),
    "rel": (
        "Relevant from grade", 1, 1000, 1, 1,
        "A judged document is relevant if its grade is this or higher. Unjudged documents are not relevant.",
    ),
}  # fmt: skip
"""Parameters of measures: title, lowest, highest and usual number, step, meaning."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that a view depends on besides the data."""

    measure: Measure = USUAL_MEASURE
    tie_breaks: tuple[str, ...] = DEFAULT_TIE_BREAKS
    options: Options = Options()  # noqa: RUF009  # frozen

    @property
    def cutoff(self) -> int:
        """Cut-off of the measure, or the usual one where it has none."""
        return self.measure.cutoff or USUAL_CUTOFF


def sidebar(features: Sequence[str], *, has_ranks: bool, has_documents: bool = True) -> Settings:
    """Draw the controls and read them.

    ``features``: names of those that may break the ties of each other. ``has_ranks``: whether every feature comes from
    a run with ranks. ``has_documents``: whether single documents are known, which tie-breaks order.
    """
    with st.sidebar, st.container(key="settings"):
        st.subheader("Settings", anchor=False)
        family = _family()
        parameters: dict[str, Any] = {"cutoff": _cutoff(family)} if family.cutoff_rule != "none" else {}
        parameters |= _numbers(family, [name for name in NUMBERS if name != "rel"])
        # a browser draws nothing of it while it is closed, and forgets it in the URL when it goes to another page
        for key in ("gain", "rel", *(one.key for one in CONVENTIONS)):
            if key in st.session_state and key not in st.query_params:
                st.session_state[key] = st.session_state[key]
        advanced = st.popover("Advanced", icon=":material/tune:", width="stretch")
        with advanced.container(gap="xsmall"):  # here and so close, all of it has room on a laptop
            parameters |= _further_parameters(family)
            labels = {}
            for one in CONVENTIONS:
                choose: Any = st.selectbox if len(one.values) > _MOST_SEEN else st.radio
                values, meaning = list(one.values), one.explained
                labels[one.field] = choose(one.title, values, key=one.key, bind="query-params", help=meaning)
        try:
            chosen = family(**parameters)  # checked by the family itself
        except TiecoreError as error:
            st.warning(words.in_markdown(str(error)))
            chosen = USUAL_MEASURE
        tie_breaks = _tie_breaks(features, has_ranks=has_ranks, has_documents=has_documents)
    return Settings(chosen, tie_breaks, as_options(labels))


def _family() -> type[Measure]:
    known = [*_MAIN, *(name for name in FAMILIES if name not in _MAIN)]
    if (asked := st.query_params.get("measure", known[0])) not in known:  # which the menu drops
        st.toast(f"There is no measure {words.in_markdown(asked)}; {known[0]} is used.", duration="infinite")
    name = st.selectbox(
        "Measure",
        known,
        key="measure",
        bind="query-params",
        help="How a ranking is scored.\n\n" + "\n".join(f"- **{family}** {texts.meaning(family)}" for family in _MAIN),
    )
    family = FAMILIES[name]
    st.caption(texts.meaning(family.name))
    return family


def _numbers(family: type[Measure], names: Sequence[str]) -> dict[str, object]:
    """Let those of some numbers be chosen that the family has."""
    parameters: dict[str, object] = {}
    for name in names:
        # max_rel is asked for only where the scale matters: the families with min_rel
        if ("min_rel" if name == "max_rel" else name) in family.__dataclass_fields__:
            title, lowest, highest, usual, step, meaning = NUMBERS[name]
            chosen = choose_number(
                title, key=name, lowest=lowest, highest=highest, usual=usual, step=step, help=meaning
            )
            parameters[name] = usual if chosen is None else type(usual)(chosen)
    return parameters


def _further_parameters(family: type[Measure]) -> dict[str, object]:
    """Parameters that most people leave as they are."""
    parameters: dict[str, object] = {}
    if "dcg" in family.__dataclass_fields__:
        gain = st.radio(  # other widgets write a default that is set above to the link, at which Back then stops
            "Gain of a grade",
            ["linear", "exponential"],
            key="gain",
            bind="query-params",
            help="**linear**: the grade itself, as trec_eval does. **exponential**: 2^grade − 1, which makes the "
            "highest grades count most, as learning-to-rank tools do.",
        )
        parameters["dcg"] = "exp-log2" if gain == "exponential" else "log2"
    return parameters | _numbers(family, ["rel"])


def _cutoff(family: type[Measure]) -> int | None:
    optional = family.cutoff_rule == "optional"
    options = ([_WHOLE] if optional else []) + [str(cutoff) for cutoff in CUTOFFS]
    usual, before = _WHOLE if family.name in _OF_WHOLE_LISTS else str(USUAL_CUTOFF), st.session_state.get(_USUAL)
    known = st.session_state.get("k", usual)
    if known == before != usual or (known == _WHOLE and not optional):  # nothing was chosen that this measure can keep
        st.session_state["k"] = usual
    st.session_state[_USUAL] = usual
    written = st.selectbox(
        "Cut-off k",
        options,
        index=options.index(usual),
        key="k",
        bind="query-params",
        accept_new_options=True,
        help="Only the first k documents of each ranking count. Type any number"
        + (f"; **{_WHOLE}** takes the whole ranking." if optional else "."),
    )
    if optional and written == _WHOLE:
        return None
    if not (written and written.isascii() and written.isdigit() and len(written) < _TOO_LONG and int(written) > 0):
        st.warning(f"The cut-off must be a whole number, 1 or more; k = {USUAL_CUTOFF} is used.")
        return USUAL_CUTOFF
    return int(written)


def _tie_breaks(features: Sequence[str], *, has_ranks: bool, has_documents: bool) -> tuple[str, ...]:
    by_features = [f"feature:{name}" for name in features]
    known = [*USUAL_TIE_BREAKS, *(["rank"] if has_ranks else []), *by_features] if has_documents else by_features
    if not known:
        st.caption(f"No tie-breaks to compare: {words.NEEDS_DOCUMENTS}.")
        return ()
    usual = DEFAULT_TIE_BREAKS if has_documents else ()
    if TIE not in st.session_state:
        # not bound to the URL as the others are, which would put the labels there instead of the names of tiecore
        found = st.query_params.get_all(TIE)
        st.session_state[TIE] = _canonical(found)[:MOST_TIE_BREAKS] if found else [*usual]
    if not has_documents:
        st.session_state[TIE] = [name for name in st.session_state[TIE] if name in known]
    others = (
        "\n".join(f"- **{words.known_as(name)}** {text}" for name, text in words.TIE_BREAKS.items())
        + "\n- **random:7** A random order, always the same for one seed; type any number."
    )
    chosen = st.multiselect(
        "Tie-breaks to compare",
        [*known, *(name for name in st.session_state[TIE] if name not in known)],
        key=TIE,
        persist_state="session",
        on_change=lambda: st.session_state.update({TIE: _canonical(st.session_state[TIE])}),
        format_func=words.known_as,
        accept_new_options=has_documents,
        max_selections=MOST_TIE_BREAKS,
        placeholder="Choose, or type random:7" if has_documents else "Choose a feature",
        help="How tools order documents with equal scores. Each is compared with the exact average over all orders.\n\n"
        + (others if has_documents else f"- There are no others: {words.NEEDS_DOCUMENTS}.")
        + "\n- **by a feature** Its scores decide; what they leave tied is averaged.",
    )
    valid: list[str] = []
    for name in chosen:
        try:
            policy = tie_break(name)
        except TiecoreError as error:
            st.warning(words.in_markdown(str(error)))
            continue
        if policy.policy == "feature" and policy.argument not in features:
            st.warning(words.in_markdown(f"{name}: there is no feature of that name."))
        elif policy.policy == "rank" and not has_ranks:
            st.warning("The tie-break rank column needs TREC runs: not every feature is one.")
        elif policy.policy in ("best", "worst"):
            st.warning("The best and the worst case are always shown.")
        else:
            valid.append(name)
    keep_in_link(TIE, chosen, usual=usual)
    return tuple(valid)


def _canonical(names: Sequence[str]) -> list[str]:
    """Names as tiecore writes them, each once; what is none stays as it was written."""
    found = []
    for written in filter(None, names):
        try:
            known = tie_break(re.sub(r" \(seed (\d+)\)$", r":\1", written))  # as the list shows it
            found.append(f"{known.policy}:{known.argument}" if known.argument else known.policy)
        except TiecoreError:
            found.append(written)
    return list(dict.fromkeys(found))
