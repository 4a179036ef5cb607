"""The idea, what settings mean, which tool breaks ties how, errata, sources, how to cite.

Markdown and TeX of our own; nothing here comes from a file of the user.
"""

from __future__ import annotations

__all__ = ["ERRATA", "IDEA", "REFERENCES", "REFINEMENTS", "RULES", "TIE_BREAKS", "bibtex", "citation"]


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

RULES = (
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
    ("Unjudged documents", "They keep their rank, count as not relevant and gain 0. Bpref ignores them."),
    ("Short lists", "P@k, Judged@k and Success@k look at k ranks even if fewer documents are listed."),
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
    ("input-reversed", "ranx, for plain dicts of up to 15 documents", "The lines of the file from its end."),
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
    "**McSherry & Najork 2008, reciprocal rank** is printed as a sum of f(j − t)/j, which is not an expectation: "
    "five tied documents, one of them relevant, would get 1.28. The correct value is 137/300 = 0.4567. Its text "
    "also writes *irrelevant* for *relevant* and is off by one.",
    "**The same paper, average precision** is 0/0 for a group of one; here ρ = 0 there.",
    "**The same paper, precision and recall** write the relevance of a rank where the relevance of a document is "
    "meant, and leave k beyond the list and queries without a relevant document undefined.",
    "**The same paper, recall, AP and F1** count relevant documents in the list only. That inflates all three as soon "
    "as a relevant document is not retrieved; here all of the judgments count.",
    "**Average precision at the end of each tie**, as scikit-learn computes it, is neither an expectation nor a bound.",
    "**Worked numbers in circulation**: AP of a list with relevant documents at ranks 2, 5, 6, 7, 8 (of 5) is 727/1400 "
    "= 0.5193, often given as 0.520, and the GMAP of it with the list at 1, 3, 6, 9, 10 is 0.5684, not 0.569; at ranks "
    "1, 3, 5 (of 3) AP is 34/45 = 0.7556, not 0.7575, and F1@5 is 0.75; grades 3, 2, 3, 0, 1 have nDCG@3 = 0.9778 and "
    "nDCG@5 = 0.9724.",
    "**Kendall’s tau from R’s** `order()` is wrong for half of all pairs of four items: it should be `rank()`.",
)

REFERENCES = (
    "W. S. Cooper. *Expected search length: a single measure of retrieval effectiveness based on the weak ordering "
    "action of retrieval systems.* American Documentation 19(1), 1968.",
    "V. Raghavan, P. Bollmann, G. S. Jung. *A critical investigation of recall and precision as measures of retrieval "
    "system performance.* ACM TOIS 7(3), 1989.",
    "K. Järvelin, J. Kekäläinen. *Cumulated gain-based evaluation of IR techniques.* ACM TOIS 20(4), 2002.",
    "C. Buckley, E. M. Voorhees. *Retrieval evaluation with incomplete information.* SIGIR 2004.",
    "C. Burges et al. *Learning to rank using gradient descent.* ICML 2005.",
    "S. Robertson. *On GMAP – and other transformations.* CIKM 2006.",
    "M. D. Smucker, J. Allan, B. Carterette. *A comparison of statistical significance tests for information retrieval "
    "evaluation.* CIKM 2007.",
    "F. McSherry, M. Najork. *Computing information retrieval performance measures efficiently in the presence of tied "
    "scores.* ECIR 2008. The expectations of P, R, F1, AP, RR and nDCG go back to this paper.",
    "E. Yilmaz, J. A. Aslam, S. Robertson. *A new rank correlation coefficient for information retrieval.* SIGIR 2008.",
    "A. Moffat, J. Zobel. *Rank-biased precision for measurement of retrieval effectiveness.* ACM TOIS 27(1), 2008.",
    "O. Chapelle, D. Metzler, Y. Zhang, P. Grinspan. *Expected reciprocal rank for graded relevance.* CIKM 2009.",
    "G. Cabanac, G. Hubert, M. Boughanem, C. Chrisment. *Tie-breaking bias: effect of an uncontrolled parameter on "
    "information retrieval evaluation.* CLEF 2010.",
    "B. Carterette. *Multiple testing in statistical analysis of systems-based information retrieval experiments.* ACM "
    "TOIS 30(1), 2012.",
    "J. Urbano, M. Marrero. *The treatment of ties in AP correlation.* ICTIR 2017.",
    "J. Lin, P. Yang. *The impact of score ties on repeatability in document ranking.* SIGIR 2019.",
    "M. Mogstad, J. P. Romano, A. M. Shaikh, D. Wilhelm. *Inference for ranks with applications to mobility across "
    "neighbourhoods and academic achievement across countries.* Review of Economic Studies 91(1), 2024.",
    "K. Yang, Y. Jang, H. Jang, K. Choi, I. Augenstein, H. Lim. *Reliable evaluation protocol for low-precision "
    "retrieval.* arXiv 2508.03306, 2025; ACL 2026.",
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
