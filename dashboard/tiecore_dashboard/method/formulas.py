"""How each family of measures is computed, and what is asked of two features: TeX and Markdown of our own."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["BETWEEN", "FORMULAS", "GAP", "NOTATION", "Formula"]

GAP = r", \qquad "
"""Between the parts of a line of TeX."""


class Formula(NamedTuple):
    """How a family of measures is computed."""

    lines: tuple[str, ...]
    """TeX, a display each."""
    edges: str
    """What happens where the formula alone would not say."""
    source: str


NOTATION = r"""
One tie group: $t$ documents above it, $n$ in it, $r$ of them relevant, $R$ relevant above it. $k$ cut-off, $L$ ranks of
the group inside the cut-off, $e = t + L$ the last of them. $N_{rel}$ relevant documents of the query **in the
judgments**, whether listed or not. $H(j) = \sum_{i \le j} 1/i$. Groups are independent of each other, so expectations
and variances add over groups; the variance of a mean over $Q$ queries is $\sum_q \mathrm{Var}_q / Q^2$.
"""

_LINEAR = r"\mathrm{E} = \frac{1}{Z} \sum_{\text{groups}} \bar g \sum_{j=t+1}^{e} w_j"
_LINEAR_VARIANCE = (
    r"\mathrm{Var} = \frac{1}{Z^2} \sum_{\text{groups}} \frac{S_{gg}\, S_{ww}}{n-1}, \qquad "
    r"S_{xx} = \sum_{i=1}^{n} (x_i - \bar x)^2"
)


def _linear(weight: str, gain: str, divisor: str, edges: str, source: str) -> Formula:
    parts = rf"w_j = {weight}, \qquad g = {gain}, \qquad Z = {divisor}"
    return Formula((_LINEAR, parts, _LINEAR_VARIANCE), edges, source)


_RELEVANT = r"[\text{relevant}]"
_NOTHING = "The value is 0 if nothing is relevant."
_WEIGHT_ZERO = "Ranks beyond the cut-off weigh 0; a group of one has no variance."

FORMULAS = {
    "nDCG": _linear(
        r"\frac{1}{\log_2(j+1)}",
        r"\text{grade or } 2^{\text{grade}}-1",
        r"\mathrm{DCG}@k \text{ of the ideal}",
        "The ideal ranking holds all judged documents, also those that are not listed. Grades below 0 and unjudged "
        "documents "
        f"gain 0. The value is 0 if nothing gains. {_WEIGHT_ZERO}",
        "Järvelin & Kekäläinen 2002; exponential gain: Burges et al. 2005",
    ),
    "AP": Formula(
        (
            r"\mathrm{E} = \frac{1}{N_{rel}} \sum_{\text{groups}} \frac{r}{n}"
            r"\big[ (R + 1 - (t+1)\rho) S + \rho L \big]",
            r"\rho = \frac{r-1}{n-1}, \qquad S = H(e) - H(t)",
            r"\begin{aligned} \mathrm{Var} = \frac{1}{N_{rel}^2} \sum_{\text{groups}} \Big\{ & (R+1)^2\, "
            r"\mathrm{E}[S_1^2]"
            r" + 2(R+1)\, \mathrm{E}[S_1 S_2] \\ & + \mathrm{E}[S_2^2] - m^2 \Big\} \end{aligned}",
            r"S_1 = \sum_{j} \frac{x_j}{j}, \qquad S_2 = \sum_{i<j} \frac{x_i x_j}{j}, \qquad m = "
            r"(R+1)\,\mathrm{E}[S_1] + \mathrm{E}[S_2]",
        ),
        "$x_j$ is 1 if rank $j$ of the group inside the cut-off is relevant; the moments need the chances that 1, 2, 3 "
        "or 4 given "
        "ranks all are, and come in closed form, whatever the size of the group. $\\rho = 0$ in a group of one. "
        "Divided by "
        f"$N_{{rel}}$ also with a cut-off, as trec_eval does. {_NOTHING}",
        "McSherry & Najork 2008, with the slips below mended; the variance is ours",
    ),
    "RR": Formula(
        (
            r"\mathrm{E} = \sum_{x=1}^{L} \frac{\pi(x)}{t+x}, \qquad "
            r"\mathrm{Var} = \sum_{x=1}^{L} \frac{\pi(x)}{(t+x)^2} - \mathrm{E}^2",
            r"\pi(x) = f(x-1) - f(x), \qquad f(x) = f(x-1) \Big(1 - \frac{r}{n-x+1}\Big), \quad f(0) = 1",
        ),
        "Only the first group with a relevant document matters; $\\pi(x)$ is the chance that its first one is the "
        "$x$-th. "
        "The value is 0 if none is listed inside the cut-off.",
        "McSherry & Najork 2008, corrected",
    ),
    "P": _linear(
        "1", _RELEVANT, "k", f"Divided by $k$ also where fewer are listed. {_WEIGHT_ZERO}", "McSherry & Najork 2008"
    ),
    "R": _linear(
        "1",
        _RELEVANT,
        r"N_{rel}",
        "Relevant documents that are not listed count in $Z$. Without a cut-off: the recall of the whole list. "
        f"{_NOTHING}",
        "McSherry & Najork 2008",
    ),
    "F1": _linear(
        "2",
        _RELEVANT,
        r"k + N_{rel}",
        f"The harmonic mean of P@k and R@k, rewritten so that the expectation is exact. {_NOTHING}",
        "McSherry & Najork 2008",
    ),
    "Success": Formula(
        (
            r"\mathrm{E} = 1 - \binom{n-r}{L} \Big/ \binom{n}{L}",
            r"\mathrm{Var} = \mathrm{E}\,(1 - \mathrm{E})",
        ),
        "For the group that the cut-off splits; 1 if a relevant document stands in a group wholly inside the cut-off.",
        "drawing without replacement",
    ),
    "ERR": Formula(
        (
            r"\mathrm{E} = \sum_{\text{groups}} \Big(\prod_{\text{above}} q\Big) \sum_{x=1}^{L} \frac{\bar e_{x-1} - "
            r"\bar e_x}{t+x}",
            r"q = 1 - \frac{2^{\text{grade}} - 1}{2^{\text{max}}}, \qquad "
            r"\bar e_x = e_x(q_1, \dots, q_n) \Big/ \binom{n}{x}",
        ),
        "$q$ is the chance to read on after a document, $e_x$ the elementary symmetric polynomial. The highest grade "
        "of the scale is `max_rel`, 4 unless given; judgments with a higher grade are refused. Grades below 0 and "
        "unjudged documents never stop a reader. No closed form for the variance.",
        "Chapelle et al. 2009; the expectation under ties is ours",
    ),
    "RBP": _linear(
        r"(1-p)\, p^{\,j-1}",
        _RELEVANT,
        "1",
        f"The residual beyond the list is not added. {_WEIGHT_ZERO}",
        "Moffat & Zobel 2008",
    ),
    "Rprec": _linear(
        r"[\,j \le N_{rel}\,]",
        _RELEVANT,
        r"N_{rel}",
        f"The cut-off is $N_{{rel}}$ of each query. {_NOTHING}",
        "trec_eval",
    ),
    "Bpref": Formula(
        (
            r"\mathrm{E} = \frac{1}{N_{rel}} \sum_{\text{groups}} \frac{r}{n_0 + 1} \sum_{m=m_0}^{m_0+n_0} c(m)",
            r"c(m) = 1 - \frac{\min(m, N_{rel})}{\min(N_{rel}, N)}, \qquad c(0) = 1",
        ),
        "$N$ judged non-relevant documents in the judgments, $m_0$ above the group, $n_0$ in it: how many stand above "
        "a given "
        f"relevant one is uniform. Unjudged documents are passed over. {_NOTHING} No closed form for the variance.",
        "Buckley & Voorhees 2004, as in trec_eval",
    ),
    "DCG": _linear(
        r"\frac{1}{\log_2(j+1)}",
        r"\text{grade or } 2^{\text{grade}}-1",
        "1",
        f"Grades below 0 and unjudged documents gain 0. {_WEIGHT_ZERO}",
        "Järvelin & Kekäläinen 2002; exponential gain: Burges et al. 2005",
    ),
    "CG": _linear(
        "1",
        r"\text{grade}",
        "1",
        f"Grades below 0 and unjudged documents gain 0. {_WEIGHT_ZERO}",
        "Järvelin & Kekäläinen 2002",
    ),
    "GMAP": Formula(
        (r"\mathrm{GMAP} = \exp\Big( \frac{1}{Q} \sum_q \ln \max\big(\mathrm{E}[\mathrm{AP}_q],\, 10^{-5}\big) \Big)",),
        "Defined on expectations of AP, so it is **not** itself the mean over orders of tied documents, and has no "
        "variance here.",
        "Robertson 2006; floor as in trec_eval",
    ),
    "ESL": Formula(
        (r"\mathrm{E} = (\text{non-relevant above the group}) + n_0\, \frac{s'}{r + 1}",),
        "For the group in which the $s$-th relevant document falls: $n_0$ non-relevant and $r$ relevant in it, $s'$ of "
        "them still "
        "wanted. Judged documents that are not listed form one last group. Fewer than $s$ relevant: all of them are "
        "wanted. None: "
        "everything is searched in vain. Fewer is better, so worst is the larger number. No closed form for the "
        "variance.",
        "Cooper 1968",
    ),
    "PRR": Formula(
        (r"\mathrm{PRR} = \frac{s}{s + \mathrm{E}[\mathrm{ESL}_s]}",),
        "Defined on the expected search length, so it is **not** itself the mean over orders of tied documents. "
        f"{_NOTHING} No variance.",
        "Raghavan, Bollmann & Jung 1989",
    ),
    "Judged": _linear(
        "1",
        r"[\text{judged}]",
        "k",
        f"Tells how far the judgments reach, not how good a ranking is. {_WEIGHT_ZERO}",
        "ir_measures",
    ),
}
"""By family."""

BETWEEN = (
    (
        r"P(A \text{ beats } B) \approx \Phi\!\left( \frac{\mathrm{E}_A - \mathrm{E}_B}{\sqrt{V_A + V_B}} \right)",
        "**Ties**: could breaking them reverse the order, for these queries? $\\mathrm{E}$ and $V$ of the means over "
        "the queries that both features list, ties broken independently. **Certain**, and exactly 0 or 1, only where "
        "the ranges from worst to best do not overlap; **likely** from 0.95; **undecided** below. For fewer than 30 "
        "queries, and for measures without a variance, random tie-breaks are drawn instead.",
    ),
    (
        r"t = \frac{\bar d}{s_d / \sqrt{Q}}, \qquad d_q = \mathrm{E}_{A,q} - \mathrm{E}_{B,q}",
        "**Queries**: could other queries of the kind reverse it? A paired t-test on the exact expectations, "
        "so without noise from ties; below 30 queries the randomisation test. Adjusted for all pairs by Holm; "
        "**significant** at 5 %. A difference is **real** if ties leave it certain or likely *and* it is significant.",
    ),
    (
        r"\mathrm{Var}(\bar d) = \frac{s_d^2 + \overline{\mathrm{Var}_A + \mathrm{Var}_B}}{Q}",
        "What somebody sees who measures once, on other queries, under one random tie-break: the variance from queries "
        "and the mean variance from ties add up. So $(s_d^2 + \\overline{\\mathrm{Var}}) / s_d^2$ times as many "
        "queries are needed for the same answer.",
    ),
    (
        r"\mathrm{place}_A \in [\, 1 + \#\{B \text{ clearly better}\},\; F - \#\{B \text{ clearly worse}\} \,]",
        "The places that other queries leave open for $A$ among $F$ features, at 95 %. Clearly better: the studentised "
        "difference exceeds what resampled queries give for the largest of all comparisons (Mogstad et al. 2024).",
    ),
    (
        r"z = \frac{\sum_q (\text{value}_q - \mathrm{E}_q)}{\sqrt{\sum_q \mathrm{Var}_q}}",
        "Does a tie-break correlate with relevance? If it does not, $z$ is standard normal.",
    ),
    (
        r"\mathrm{place}_A \ge 1 + \#\{B : \mathrm{worst}_B > \mathrm{best}_A\}",
        "The best place that $A$ can reach, where more is better; the worst likewise. No tie-break leads outside.",
    ),
)
