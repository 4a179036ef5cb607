"""Measures of rankings with ties, each written once: an expectation and, where there is one, a variance."""

from tiecore.measures.base import Measure, NoVarianceError
from tiecore.measures.group_sums import expectations, variances
from tiecore.measures.names import FAMILIES, measure

__all__ = ["FAMILIES", "Measure", "NoVarianceError", "expectations", "measure", "variances"]
