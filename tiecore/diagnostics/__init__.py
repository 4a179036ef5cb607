"""Diagnostics of ties: how many documents are tied, in which queries, and how much the values depend on it.

Functions take an :class:`~tiecore.evaluation.result.Evaluation` and return a frame; :func:`column_meaning` returns
the meaning of any column. Only queries that count in the evaluation are used.

All take ``(evaluation, feature, measure, *, …)``, as far as they need them. The measure may be left out where the
evaluation has only one. Functions about the ties alone then use the queries that count for any measure, and tables with
a level ``measure`` in their index hold all.
"""

from tiecore.diagnostics.advice import advice
from tiecore.diagnostics.anatomy import anatomy, flat_features, random_baseline
from tiecore.diagnostics.bias import bias, pooled_bias
from tiecore.diagnostics.blame import blame, culprits
from tiecore.diagnostics.chain import chain
from tiecore.diagnostics.column_meanings import COLUMNS, column_meaning
from tiecore.diagnostics.cutoffs import CUTOFFS, Reign, crossings, curves, reigns
from tiecore.diagnostics.draws import drawn_order, draws, listing
from tiecore.diagnostics.hidden import hidden_ties
from tiecore.diagnostics.leads import leads
from tiecore.diagnostics.precision import PRECISIONS, precision_board, precision_curve

__all__ = [
    "COLUMNS",
    "CUTOFFS",
    "PRECISIONS",
    "Reign",
    "advice",
    "anatomy",
    "bias",
    "blame",
    "chain",
    "column_meaning",
    "crossings",
    "culprits",
    "curves",
    "drawn_order",
    "draws",
    "flat_features",
    "hidden_ties",
    "leads",
    "listing",
    "pooled_bias",
    "precision_board",
    "precision_curve",
    "random_baseline",
    "reigns",
]
