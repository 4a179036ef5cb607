"""How tied features are, where, and what it costs.

Every function takes an :class:`~tiecore.evaluation.result.Evaluation` and returns a frame; :func:`explain` says what a
column of any of them means. Only queries that count in the evaluation are looked at.
"""

from tiecore.diagnostics.advice import advice
from tiecore.diagnostics.anatomy import anatomy, cut_curve, flat_features, group_sizes, random_baseline
from tiecore.diagnostics.bias import bias, pooled_bias
from tiecore.diagnostics.blame import blame, culprits
from tiecore.diagnostics.columns import COLUMNS, explain
from tiecore.diagnostics.cutoffs import CUTOFFS, Reign, crossings, curves, reigns
from tiecore.diagnostics.draws import drawn_order, draws, listing
from tiecore.diagnostics.hidden import hidden_ties
from tiecore.diagnostics.leads import leads
from tiecore.diagnostics.precision import PRECISIONS, precision_curve

__all__ = [
    "COLUMNS",
    "CUTOFFS",
    "PRECISIONS",
    "Reign",
    "advice",
    "anatomy",
    "bias",
    "blame",
    "crossings",
    "culprits",
    "curves",
    "cut_curve",
    "drawn_order",
    "draws",
    "explain",
    "flat_features",
    "group_sizes",
    "hidden_ties",
    "leads",
    "listing",
    "pooled_bias",
    "precision_curve",
    "random_baseline",
    "reigns",
]
