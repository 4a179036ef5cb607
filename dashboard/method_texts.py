"""Texts of the page Method: formulas of the measures, what settings mean, which tool breaks ties how, sources.

Markdown and TeX of our own; nothing here comes from a file of the user.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = [
    "BETWEEN",
    "ERRATA",
    "FORMULAS",
    "GAP",
    "IDEA",
    "NOTATION",
    "REFERENCES",
    "REFINEMENTS",
    "SETTINGS",
    "TIE_BREAKS",
    "Formula",
    "bibtex",
    "citation",
]


GAP = r", \qquad "
"""Between the parts of a line of TeX."""


class Formula(NamedTuple):
    """How a family of measures is computed."""

    lines: tuple[str, ...]
    """TeX, a display each."""
    edges: str
    """What happens where the formula alone would not say."""
    source: str


IDEA = """
Equal scores leave the order of documents open: a ranking by a discrete feature is a **weak order**, a row of *tie
groups*. Any way of ordering tied documents is a **refinement** of it. A measure sees only how many documents of each
grade stand in each group, and in which order the groups come. So each measure is written once, for groups:
"""

REFINEMENTS = (
    ("Expectation", "the groups as they are: the mean over all orders of tied documents"),
    ("A tie-break", "the groups split by its key; if no two keys are equal, each document is a group of its own"),
    ("Best, worst case", "each group split by grade, highest or lowest first"),
    ("Ideal ranking of nDCG", "the groups that the grades themselves make"),
    ("A tie-break that leaves ties", "what is still tied is still averaged"),
)

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
        "is that of "
        "the judgments unless set by `max_rel`. Grades below 0 and unjudged documents never stop a reader. No closed "
        "form for "
        "the variance.",
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
        "$\\mathrm{E}$ and $V$ of the means over queries, ties broken independently. Exactly 0 or 1, and called "
        "**certain**, only "
        "where the ranges from worst to best do not overlap. **Likely** from 0.95. For few queries, and for measures "
        "without a "
        "variance, random tie-breaks are drawn instead.",
    ),
    (
        r"z = \frac{\sum_q (\text{value}_q - \mathrm{E}_q)}{\sqrt{\sum_q \mathrm{Var}_q}}",
        "Is a tie-break merely lucky, or does it know about relevance? Without such knowledge $z$ is standard normal.",
    ),
    (
        r"\mathrm{place}_A \ge 1 + \#\{B : \mathrm{worst}_B > \mathrm{best}_A\}",
        "The best place that $A$ can reach, where more is better; the worst likewise. No tie-break leads outside.",
    ),
)

SETTINGS = (
    (
        "Gain",
        "**linear** the grade itself, as trec_eval and ir_measures; **exponential** 2^grade − 1, as learning-to-rank "
        "tools.",
    ),
    (
        "Relevant from grade",
        "A judged document is relevant if its grade is this or higher. Grades below 0 are judged, not relevant, and "
        "gain 0.",
    ),
    ("Unjudged documents", "They keep their rank, count as not relevant and gain 0. Bpref passes them over."),
    ("Short lists", "P@k, Judged@k and Success@k look at k ranks also where fewer documents are listed."),
    (
        "Scores are equal in",
        "**float64** the same number; **float32** the same in single precision, as in trec_eval up to 9.0.8; "
        "**decimals:N** the "
        "same when rounded, half to even: brings back ties that a tool hid by subtracting something tiny. −0 equals 0.",
    ),
    (
        "Queries that count",
        "**all judged** every query of the judgments, one that a feature does not list counts 0; **common** those that "
        "every "
        "feature lists.",
    ),
    ("Queries without a relevant document", "**count 0**, or **skip**: they leave the mean."),
    (
        "Judged documents a feature does not score",
        "**unranked** they are missing from its ranking; **last** they form one tie group behind the scored ones. "
        "Either way they "
        "count in N_rel and in the ideal ranking.",
    ),
    (
        "Refused, never repaired",
        "A document listed twice for a query, a score that is no number, an empty file: the message names file and "
        "line.",
    ),
)

TIE_BREAKS = (
    (
        "docid-desc",
        "trec_eval, pytrec_eval; ir_measures, BEIR and MTEB for some measures",
        "Ids descending, byte by byte.",
    ),
    ("docid-asc", "Anserini (written runs); ir_measures for some measures", "Ids ascending, byte by byte."),
    (
        "input",
        "LightGBM, XGBoost, any stable sort; ir_measures, BEIR and MTEB for some measures",
        "The order of the lines in the file.",
    ),
    ("input-reversed", "ranx, for a plain dict", "The lines of the file from its end."),
    ("rank", "tools that trust the rank column of a run; trec_eval ignores it", "The rank column."),
    (
        "random:SEED",
        "unstable sorts behave much like it, without a seed",
        "A random order, the same one for the same seed.",
    ),
    ("worst", "CatBoost", "Within each tie the least relevant first."),
    ("best", "what a lucky sort can give", "Within each tie the most relevant first."),
    ("feature:NAME", "two-stage rankers", "Another feature decides; what it leaves tied is averaged."),
    (
        "the expectation",
        "tiecore; nDCG of scikit-learn and torchmetrics (linear gain)",
        "No tie-break at all: the exact mean over all orders.",
    ),
)

ERRATA = (
    "**McSherry & Najork 2008, reciprocal rank** is printed as a sum of f(j − t)/j, which is no expectation: five tied "
    "documents, one of "
    "them relevant, would get 1.28. Right is 137/300 = 0.4567. Its text also writes *irrelevant* for *relevant* and is "
    "off by one.",
    "**The same paper, average precision** is 0/0 for a group of one; here ρ = 0 there.",
    "**The same paper, precision and recall** write the relevance of the rank where that of the document is meant, and "
    "leave k beyond the "
    "list and queries without a relevant document undefined.",
    "**The same paper, recall, AP and F1** count relevant documents in the list only. That inflates all three as soon "
    "as a relevant document "
    "is not retrieved; here all of the judgments count.",
    "**Average precision at the end of each tie**, as scikit-learn computes it, is neither an expectation nor a bound.",
    "**Worked numbers in circulation**: AP of a list with relevant documents at ranks 2, 5, 6, 7, 8 (of 5) is 727/1400 "
    "= 0.5193, often given as "
    "0.520, and the GMAP of it with the list at 1, 3, 6, 9, 10 is 0.5684, not 0.569; at ranks 1, 3, 5 (of 3) AP is "
    "34/45 = 0.7556, not 0.7575, and "
    "F1@5 is 0.75; grades 3, 2, 3, 0, 1 have nDCG@3 = 0.9778 and nDCG@5 = 0.9724.",
    "**Kendall’s tau from R’s** `order()` is wrong for half of all pairs of four items: it takes `rank()`.",
)

REFERENCES = (
    "W. S. Cooper. *Expected search length: a single measure of retrieval effectiveness based on the weak ordering "
    "action of retrieval systems.* "
    "American Documentation 19(1), 1968.",
    "V. Raghavan, P. Bollmann, G. S. Jung. *A critical investigation of recall and precision as measures of retrieval "
    "system performance.* "
    "ACM TOIS 7(3), 1989.",
    "K. Järvelin, J. Kekäläinen. *Cumulated gain-based evaluation of IR techniques.* ACM TOIS 20(4), 2002.",
    "C. Buckley, E. M. Voorhees. *Retrieval evaluation with incomplete information.* SIGIR 2004.",
    "C. Burges et al. *Learning to rank using gradient descent.* ICML 2005.",
    "S. Robertson. *On GMAP – and other transformations.* CIKM 2006.",
    "M. D. Smucker, J. Allan, B. Carterette. *A comparison of statistical significance tests for information retrieval "
    "evaluation.* CIKM 2007.",
    "F. McSherry, M. Najork. *Computing information retrieval performance measures efficiently in the presence of tied "
    "scores.* ECIR 2008. "
    "The expectations of P, R, F1, AP, RR and nDCG go back to this paper.",
    "E. Yilmaz, J. A. Aslam, S. Robertson. *A new rank correlation coefficient for information retrieval.* SIGIR 2008.",
    "A. Moffat, J. Zobel. *Rank-biased precision for measurement of retrieval effectiveness.* ACM TOIS 27(1), 2008.",
    "O. Chapelle, D. Metzler, Y. Zhang, P. Grinspan. *Expected reciprocal rank for graded relevance.* CIKM 2009.",
    "G. Cabanac, G. Hubert, M. Boughanem, C. Chrisment. *Tie-breaking bias: effect of an uncontrolled parameter on "
    "information retrieval "
    "evaluation.* CLEF 2010.",
    "B. Carterette. *Multiple testing in statistical analysis of systems-based information retrieval experiments.* ACM "
    "TOIS 30(1), 2012.",
    "J. Urbano, M. Marrero. *The treatment of ties in AP correlation.* ICTIR 2017.",
    "J. Lin, P. Yang. *The impact of score ties on repeatability in document ranking.* SIGIR 2019.",
    "K. Yang, Y. Jang, H. Jang, K. Choi, I. Augenstein, H. Lim. *Reliable evaluation protocol for low-precision "
    "retrieval.* "
    "arXiv 2508.03306, 2025; ACL 2026.",
)

_TITLE = "tiecore: exact evaluation of rankings with tied scores"
_YEAR = 2026


def citation(version: str) -> str:
    """How to cite the program in a sentence."""
    return f"The tiecore authors ({_YEAR}). {_TITLE}. Version {version}. Computer software, MIT licence."


def bibtex(version: str) -> str:
    """How to cite the program and the paper that it goes back to, in BibTeX."""
    return f"""@software{{tiecore,
  author  = {{{{The tiecore authors}}}},
  title   = {{{{{_TITLE}}}}},
  version = {{{version}}},
  year    = {{{_YEAR}}},
  license = {{MIT}}
}}

@inproceedings{{mcsherry-najork-2008,
  author    = {{McSherry, Frank and Najork, Marc}},
  title     = {{Computing Information Retrieval Performance Measures Efficiently in the Presence of Tied Scores}},
  booktitle = {{Advances in Information Retrieval (ECIR)}},
  series    = {{Lecture Notes in Computer Science}},
  volume    = {{4956}},
  pages     = {{414--421}},
  year      = {{2008}}
}}
"""
