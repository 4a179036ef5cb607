"""What several judges make of the order of the systems, in a sentence."""

import math

from tiecore.comparing import Judges
from tiecore_dashboard import words


def lacking(n_judges: int, n_systems: int, *, has_documents: bool) -> str:
    """Say what the page needs; nothing where it is there."""
    if not has_documents:
        return "This page compares judgments of documents, and a table of counts holds only their numbers."
    if n_judges < 2:
        return (
            "This page needs two or more files of judgments, such as TREC qrels of two assessors or grades of a model."
        )
    return "" if n_systems >= 2 else "This page needs at least 2 features that are no judgments."


def judges_answer(found: Judges) -> tuple[str, list[str]]:
    """Say how many pairs are clearly reversed, and how little the orders agree where they agree least."""
    n_pairs = len(next(iter(found.studies.values())).pairs)
    # with three judges one pair may be reversed twice
    turned = {frozenset(pair) for pair in found.reversed[["leader", "trailer"]].itertuples(index=False, name=None)}
    n, several = len(turned), "another" if len(found.studies) > 2 else "the other"
    pairs, none = words.plural(n_pairs, "pair"), "None" if n == 0 else words.count(n)
    sentence = (
        f"{none} of {pairs} of features {'are' if n > 1 else 'is'} clear one way under one judge "
        f"and the other way under {several}."
    )
    known = found.agreement.dropna(subset=["tau_b"])
    if known.empty:
        return sentence, ["Their orders cannot be compared: under a judge all values are equal."]
    place = int(known["tau_b"].argmin())
    a, b = known.index[place]
    row = known.iloc[place]
    drawn = ""
    if not math.isnan(row["tau_b_low"]):
        drawn = f"; 95\u00a0% of draws of their queries give {_tau(row['tau_b_low'])} to {_tau(row['tau_b_high'])}"
    lowest = "The lowest agreement of two orders is" if len(found.agreement) > 1 else "The two orders agree with"
    tau = _tau(row["tau_b"])
    queries = words.plural(int(row["n_queries"]), "query", "queries")
    return (
        f"{sentence} {lowest} <strong style='white-space:nowrap'>τ-b = {tau}</strong>{drawn}.",
        [f"{words.bold(str(a))} and {words.bold(str(b))} share {queries}."],
    )


def _tau(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")
