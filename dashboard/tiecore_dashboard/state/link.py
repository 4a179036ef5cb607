"""Parameters of the URL: those that no widget is bound to, and fields for numbers, which take what a link holds."""

from collections.abc import Sequence

import streamlit as st


def keep_in_link(parameter: str, values: Sequence[str], *, usual: Sequence[str] = ()) -> None:
    """Write values to a parameter of the URL; the defaults are left out."""
    wanted = [] if list(values) == list(usual) else list(values) or [""]
    if wanted == st.query_params.get_all(parameter):  # each write gives the browser a new address
        return
    if wanted:
        st.query_params[parameter] = wanted
    else:
        st.query_params.pop(parameter, None)


def choose_number(
    title: str,
    *,
    key: str,
    lowest: float = 1,
    highest: float,
    usual: float | None,
    step: float = 1,
    help: str | None = None,
) -> float | None:
    """Let a number be chosen that the link keeps; one that a link gives out of range is ignored.

    The field is one for decimals even where the number is whole: Streamlit makes an int of what a link gives to a field
    for whole numbers before it looks at the range, which fails for infinity and for ``1e400``.
    """
    return st.number_input(
        title,
        float(lowest),
        float(highest),
        None if usual is None else "min" if usual == lowest else float(usual),  # "min" may stand beside session state
        float(step),
        "%g" if float(step).is_integer() else None,
        key=key,
        bind="query-params",
        help=help,
    )
