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
_UNORDERED = "No ordering of tied documents changes it: the variance is 0."
_SHARE = r"\frac{\text{grade} - \text{min\_rel}}{\text{max\_rel} - \text{min\_rel}}"
_SCALE = "A grade below `min_rel` and an unjudged document gain 0, a grade above `max_rel` is refused."
_WEIGHT_ZERO = "Ranks beyond the cut-off weigh 0; a group of one has no variance."

FORMULAS = {
    "nDCG": _linear(
        r"\frac{1}{\log_2(j+1)}",
        r"\text{grade or } 2^{\text{grade}}-1",
        r"\mathrm{DCG}@k \text{ of the ideal}",
        "The ideal ranking holds all judged documents, also those that are not listed. Grades below 0 and unjudged "
        f"documents gain 0. The value is 0 if nothing gains. {_WEIGHT_ZERO}",
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
        "or 4 given ranks all are, and come in closed form, whatever the size of the group. $\\rho = 0$ in a group of "
        f"one. Divided by $N_{{rel}}$ also with a cut-off, as trec_eval does. {_NOTHING}",
        "McSherry & Najork 2008, with the errors below corrected; the variance is ours",
    ),
    "RR": Formula(
        (
            r"\mathrm{E} = \sum_{x=1}^{L} \frac{\pi(x)}{t+x}, \qquad "
            r"\mathrm{Var} = \sum_{x=1}^{L} \frac{\pi(x)}{(t+x)^2} - \mathrm{E}^2",
            r"\pi(x) = f(x-1) - f(x), \qquad f(x) = f(x-1) \Big(1 - \frac{r}{n-x+1}\Big), \quad f(0) = 1",
        ),
        "Only the first group with a relevant document matters; $\\pi(x)$ is the chance that its first one is the "
        "$x$-th. The value is 0 if none is listed inside the cut-off.",
        "McSherry & Najork 2008, corrected",
    ),
    "P": _linear(
        "1", _RELEVANT, "k", f"Divided by $k$ even if fewer are listed. {_WEIGHT_ZERO}", "McSherry & Najork 2008"
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
        (r"\mathrm{E} = 1 - \binom{n-r}{L} \Big/ \binom{n}{L}", r"\mathrm{Var} = \mathrm{E}\,(1 - \mathrm{E})"),
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
        r"[\text{relevant}] \text{ or } \frac{\text{grade}}{\text{max\_rel}}",
        "1",
        "Relevant with `rel`, graded with `max_rel`; a grade above `max_rel` is refused, one below 0 gains 0. The "
        f"residual beyond the list is not added. {_WEIGHT_ZERO}",
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
        "them still wanted. Judged documents that are not listed form one last group. Fewer than $s$ relevant: all of "
        "them are wanted. None: everything is searched in vain. Fewer is better, so worst is the larger number. No "
        "closed form for the variance.",
        "Cooper 1968",
    ),
    "PRR": Formula(
        (r"\mathrm{PRR} = \frac{s}{s + \mathrm{E}[\mathrm{ESL}_s]}",),
        "Where fewer than $s$ documents are relevant, $s$ is their number. "
        "Defined on the expected search length, so it is **not** itself the mean over orders of tied documents. "
        f"{_NOTHING} No variance.",
        "Raghavan, Bollmann & Jung 1989",
    ),
    "Judged": _linear(
        "1",
        r"[\text{judged}]",
        "k",
        f"A measure of the judgments, not of the quality of a ranking. {_WEIGHT_ZERO}",
        "ir_measures",
    ),
    "Accuracy": Formula(
        (
            r"\mathrm{E} = 1 - \frac{1}{N_1 N_0} \sum_{\text{groups}} r \Big( t - R + \frac{n - r}{2} \Big)",
            r"\mathrm{Var} = \frac{1}{(N_1 N_0)^2} \sum_{\text{groups}} \frac{r\,(n-r)\,(n+1)}{12}",
        ),
        "$N_1$ relevant and $N_0$ other documents in the list, unjudged ones among these. The value is 0 if no "
        "relevant document is listed, 1 if nothing else is. No cut-off: with one, the order of grades is neither best "
        "nor worst.",
        "ir_measures; variance of the rank sum: Mann & Whitney 1947",
    ),
    "IPrec": Formula(
        (
            r"\mathrm{IPrec} = \max_{j\,:\, h_j \ge c} \frac{h_j}{j}"
            + GAP
            + r"c = \lfloor \mathrm{recall} \cdot N_{rel} + 0.9 \rfloor",
            r"\mathrm{E} = \int_0^1 \Big( 1 - \prod_{\text{groups}} \Pr\big( \tfrac{h_j}{j} \le v "
            r"\text{ where } h_j \ge c \big) \Big)\, dv",
        ),
        "$h_j$ relevant documents among the first $j$. The ways through a tie group that stay below $v$ are counted "
        "rank by rank; a group too large for that is refused. The value is 0 if the list does not hold $c$ relevant "
        "documents. No closed form for the variance.",
        "iprec_at_recall of trec_eval 9; the expectation under ties is ours",
    ),
    "Compat": Formula(
        (
            r"\mathrm{E} = \frac{1}{Z} \sum_i \frac{p^{\,i-1}}{i}\, \mathrm{E}\big[ A_i + \min(B_i,\, i - C_i) \big]",
            r"Z = \sum_i \frac{p^{\,i-1}}{i} \min(i, N_{rel}) \text{ or } \sum_i p^{\,i-1}",
        ),
        "The ideal ends inside a grade at rank $i$, $C_i$ documents being above that grade; $A_i$ of the first $i$ "
        "listed are of higher grades, $B_i$ of this one. Inside a grade the ideal follows the ranking: it is the most "
        "similar one. $i$ runs to the end of the longer ranking. The value is 0 if no grade is above 0. "
        "No closed form for the variance.",
        "Clarke, Vtyurina & Smucker 2021, as in ir_measures; the expectation under ties is ours",
    ),
    "SDCG": _linear(
        r"\frac{1}{\log_2(j+1)}",
        _SHARE,
        r"\sum_{j \le k} \frac{1}{\log_2(j+1)}",
        f"The divisor does not depend on the judgments. {_SCALE} {_WEIGHT_ZERO}",
        "Järvelin & Kekäläinen 2002, scaled as in cwl_eval (Azzopardi, Thomas & Moffat 2019)",
    ),
    "INSQ": _linear(
        r"\frac{1}{(j + 2T - 1)^2}",
        _SHARE,
        r"\sum_{j \le 1000} \frac{1}{(j + 2T - 1)^2}",
        f"Ranks beyond 1000 weigh 0, as in cwl_eval. {_SCALE} A group of one has no variance.",
        "Moffat, Scholer & Thomas 2012",
    ),
    **{
        name: Formula(
            (
                r"\mathrm{value} = \frac{\sum_i V_i\, g_i}{\sum_i V_i} = 1 - \frac{B}{A}" + GAP + rf"s_i = {interest}",
                r"V_i = s_i P_i, \quad P_i = \prod_{j<i} (1 - g_j)"
                + GAP
                + r"A = \sum_i s_i P_i, \quad B = \sum_i s_i P_{i+1}",
                r"\mathrm{E}\Big[\frac{B}{A}\Big] = \int_0^\infty \mathrm{E}\big[ B\, e^{-uA} \big]\, du",
            ),
            f"$i$ runs to {end}. $A$ and $B$ are sums over tie groups, which are ordered independently, so the "
            "integrand is found group by group, by the counts of documents drawn so far; a group with too many such "
            f"counts is refused. {_SCALE} No closed form for the variance.",
            f"Azzopardi, Mackenzie & Moffat 2021, equation {name[4:]}, as in cwl_eval; the expectation under ties is "
            "ours",
        )
        for name, interest, end in (
            ("NERR8", "1", "$k$"),
            ("NERR9", r"\frac{1}{i}", "$k$"),
            ("NERR10", r"p^{\,i-1}", "1000"),
            ("NERR11", r"\Big( \frac{2T}{i - 1 + 2T} \Big)^2", "1000"),
        )
    },
    "BPM": Formula(
        (
            r"\mathrm{E} = \sum_{i \le k} \Pr(\text{the } m\text{-th relevant at rank } i)\, \frac{m}{i}"
            + r" + \sum_{h < m} \Pr(h \text{ relevant by rank } k)\, \frac{h}{k}"
            + GAP
            + r"m = \lceil T \rceil",
        ),
        "Only the group in which the $m$-th relevant document or rank $k$ falls matters; there the chances of $h$ are "
        "carried from rank to rank, and the variance comes from the mean of the squares. Ranks after the end of a "
        "list are looked at in vain; $k$ is 1000 at most.",
        "Zhang et al. 2017 with relevance of 0 and 1, as in cwl_eval; the expectation under ties is ours",
    ),
    "SetP": Formula(
        (r"\mathrm{SetP} = \frac{\text{relevant listed}}{\text{listed}}",),
        f"With `relative`, over $\\min(\\text{{listed}}, N_{{rel}})$. {_UNORDERED}",
        "set_P and set_relative_P of trec_eval",
    ),
    "SetR": Formula(
        (r"\mathrm{SetR} = \frac{\text{relevant listed}}{N_{rel}}",),
        f"{_NOTHING} {_UNORDERED}",
        "set_recall of trec_eval",
    ),
    "SetF": Formula(
        (
            r"\mathrm{SetF} = \frac{(\beta + 1)\, \mathrm{SetP} \cdot \mathrm{SetR}}{\beta\, \mathrm{SetP} + "
            r"\mathrm{SetR}}",
        ),
        f"The value is 0 if nothing relevant is listed. $\\beta$ is not squared. {_UNORDERED}",
        "set_F of trec_eval",
    ),
    "SetAP": Formula((r"\mathrm{SetAP} = \mathrm{SetP} \cdot \mathrm{SetR}",), _UNORDERED, "set_map of trec_eval"),
    "NumRet": Formula(
        (r"\mathrm{NumRet} = \sum_q \text{listed}",),
        f"With `rel`, only the relevant ones. {_UNORDERED}",
        "num_ret and num_rel_ret of trec_eval",
    ),
    "NumRel": Formula((r"\mathrm{NumRel} = \sum_q N_{rel}",), _UNORDERED, "num_rel of trec_eval"),
    "NumQ": Formula((r"\mathrm{NumQ} = \sum_q 1",), _UNORDERED, "num_q of trec_eval"),
}
"""By family."""

BETWEEN = (
    (
        r"t = \frac{\bar d}{se}, \qquad se^2 = \frac{\sum_q (d_q - \bar d)^2 + 2 u^2}{Q (Q - 1)}, "
        r"\qquad u = \frac{\Delta}{1 + m}",
        "**Queries**: a paired t-test on the differences $d_q = \\mathrm{E}_{A,q} - \\mathrm{E}_{B,q}$ of the exact "
        "expectations, over the queries that both features list, with $Q - 1$ degrees of freedom. The two squares of "
        "$u$ allow for hits that these queries may have missed: $\\Delta$ is the most by which two values can differ "
        "(or do, where a measure has no bound), $m$ counts the queries on which a feature has another value than its "
        "usual one, for that of the two which has fewer. For ordinary features $u$ vanishes. p is adjusted by Holm for "
        "all pairs that are compared; up to 0.05 a difference is **clear**, else **open**. The 95 % interval is "
        "$\\bar d \\pm t_{.975}\\, se$.",
    ),
    (
        r"P(A \text{ ahead of } B) \approx \Phi\!\left( "
        r"\frac{\bar d}{\sqrt{V_A + V_B - 2 \rho \sqrt{V_A V_B}}} \right)",
        "**Ties**: one random order of the documents of a query breaks the ties of all features. $V$ are exact, the "
        "correlation $\\rho$ comes from 30 to 1,000 drawn orders; with fewer than 30 tied queries $P$ is the share of "
        "the draws. **Tie risk** is $1 - P$ for the leader. It stands beside the verdict and gates nothing. "
        "**Certain**: the ranges from worst to best do not overlap.",
    ),
    (
        r"\mathrm{place}_A \in [\, 1 + \#\{B \text{ clearly better}\},\; F - \#\{B \text{ clearly worse}\} \,]",
        "The places that the tests leave open for $A$ among $F$ features, at 95 %: of one feature by Holm over its "
        "$F - 1$ pairs, of all together by Holm over all pairs (Mogstad et al. 2024).",
    ),
    (
        r"\delta = (t_{1 - \alpha/2} + t_{.8})\, se, \qquad \alpha = .05 / \text{pairs}",
        "**Sensitivity**: the smallest difference that these queries show with 80 % power.",
    ),
    (
        r"z = \frac{\sum_q (\text{value}_q - \mathrm{E}_q)}{\sqrt{\sum_q \mathrm{Var}_q}}",
        "Does a tie-break correlate with relevance? p is the share of random orders under which $|z|$ is as large; for "
        "all features together, the share under which the largest $|z|$ of any of them is.",
    ),
    (
        r"\mathrm{place}_A \ge 1 + \#\{B : \mathrm{worst}_B > \mathrm{best}_A\}",
        "The best place that $A$ can reach, where more is better; the worst likewise. No tie-break leads outside; not "
        "every place inside is reached.",
    ),
)
