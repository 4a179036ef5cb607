"""Measures of rankings with ties, each written once: an expectation and, where there is one, a variance."""

from tiecore.measures.accuracy import Accuracy
from tiecore.measures.average_precision import AP, GMAP
from tiecore.measures.base import Measure, NoVarianceError
from tiecore.measures.bejeweled import BPM
from tiecore.measures.bpref import Bpref
from tiecore.measures.compatibility import Compat
from tiecore.measures.expected_reciprocal_rank import ERR
from tiecore.measures.first_hit import RR, Success
from tiecore.measures.group_sums import values_of
from tiecore.measures.interpolated_precision import IPrec
from tiecore.measures.names import FAMILIES, measure
from tiecore.measures.nearly_err import NERR8, NERR9, NERR10, NERR11
from tiecore.measures.rank_weighted import CG, DCG, F1, INSQ, RBP, SDCG, Judged, P, R, Rprec, nDCG
from tiecore.measures.search_length import ESL, PRR
from tiecore.measures.sets import NumQ, NumRel, NumRet, SetAP, SetF, SetP, SetR

# Families under the names that they have in results: nDCG @ 10 and AP(rel=2) make measures.
__all__ = [
    "AP", "BPM", "CG", "DCG", "ERR", "ESL", "F1", "FAMILIES", "GMAP", "INSQ", "NERR8", "NERR9", "NERR10", "NERR11",
    "PRR", "RBP", "RR", "SDCG", "Accuracy", "Bpref", "Compat", "IPrec", "Judged", "Measure", "NoVarianceError", "NumQ",
    "NumRel", "NumRet", "P", "R", "Rprec", "SetAP", "SetF", "SetP", "SetR", "Success", "measure", "nDCG",
    "values_of",
]  # fmt: skip
