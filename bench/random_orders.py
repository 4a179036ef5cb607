"""How near few random orders, put together, come to many: ``python -m bench.random_orders``."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bench.data import prepare
from bench.paths import table_file
from bench.report import markdown_table
from bench.waits import N_QUERIES
from tests.pages import SAMPLE
from tests.stability.synthetic import afresh
from tiecore import Evaluation, evaluate
from tiecore.diagnostics import bias
from tiecore.evaluation import random_values

TIE_BREAKS = ["docid-desc", "docid-asc", "input", *(f"random:{seed}" for seed in range(20))]
NAMES = ("qrels.txt", "bm25.run.gz", "clicks.csv", "indegree.run", "pages.parquet", "title_match.json")
FEW, MANY, rows = random_values._BUDGET, 60_000_000, []
SO_FEW, LEAST, part = 40_000, (2, 4, 8, 16, 30), []
"""Documents for which all queries of the sample have too many ties, and the fewest orders of each that are drawn."""


def risks_of(evaluation: Evaluation, seed: int) -> pd.Series[float]:
    """Return the tie risk of each pair."""
    return evaluation.stability(seed=seed).pairs.set_index(["leader", "trailer"])["tie_risk"].sort_index()


qrels, *features = (SAMPLE / name for name in NAMES)
prepare([(N_QUERIES, "frequent")], [], 0)
table = table_file(N_QUERIES, "frequent")
for data, judgments, scores in (("sample", qrels, features), ("20 × 100,000", table, [table])):
    for measure in ("P@10", "AP", "RR", "nDCG@10", "ESL"):
        evaluation, found = evaluate(judgments, scores, [measure], TIE_BREAKS), []
        for seed, random_values._BUDGET in ((9, MANY), (0, FEW), (1, FEW), (2, FEW)):
            one = afresh(evaluation)
            risks = risks_of(one, seed)
            found.append((risks, (bias(one, seed=seed)["p"] <= 0.05).mean()))
        (risks, share), *few = found
        apart, shares = max((own - risks).abs().max() for own, _ in few), [own for _, own in few]
        if data == "sample":
            random_values._BUDGET, usual = SO_FEW, random_values._LEAST
            for random_values._LEAST in LEAST:
                errors = [(risks_of(afresh(evaluation), seed) - risks).abs().max() for seed in range(8)]
                part.append([measure, str(random_values._LEAST), f"{np.mean(errors):.3f}"])
            random_values._LEAST = usual
        rows.append([data, measure, f"{apart:.3f}", f"{np.mean(shares):.3f}", f"{share:.3f}"])
print(markdown_table([["data", "measure", "tie risk, largest error", "p ≤ .05, by few orders", "by many"], *rows]))
print(markdown_table([["measure", "orders of each query at least", "tie risk, mean largest error"], *part]))
