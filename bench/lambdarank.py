"""LambdaRank averaged over tied orders beside LightGBM's own: ``python -m bench.lambdarank FOLDER``.

FOLDER holds ``lightgbm_rank`` (``rank.test`` and ``rank.test.query``, as in LightGBM's examples) and ``mslr_discrete``
(``mslr_discrete.csv``: qid, docid, label, then the features); one of them is enough. Each seed splits the queries in
halves, shuffles the rows of each query, trains on one half and evaluates on the other: the expectation of nDCG@10 over
tied documents. LightGBM's own is tried with and without its normalisation, which the averaged objective does not have.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
import pandas as pd

from tiecore.plugins.lightgbm import metric, objective

SEEDS = range(10)
ROUNDS = 50
MEASURE = "nDCG(dcg='exp-log2')@10"
SETTINGS = {"learning_rate": 0.1, "num_leaves": 15, "min_data_in_leaf": 20, "verbose": -1, "num_threads": 1}
OBJECTIVES: dict[str, dict[str, Any]] = {
    "own, normalised": {"objective": "lambdarank"},
    "own, not normalised": {"objective": "lambdarank", "lambdarank_norm": False},
    "averaged over ties": {"objective": objective("nDCG(dcg='exp-log2')@30")},
}
Data = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Features, labels and query of each document."""


def lightgbm_rank(folder: Path) -> Data:
    """Read lines ``label column:value …`` and the sizes of the queries."""
    sizes = np.loadtxt(folder / "rank.test.query", dtype=np.int64)
    lines = [line.split() for line in (folder / "rank.test").read_text(encoding="utf-8").splitlines()]
    features = np.zeros((len(lines), 301))
    for row, (_, *pairs) in enumerate(lines):
        for column, value in (pair.split(":") for pair in pairs):
            features[row, int(column)] = float(value)
    return features, np.array([int(line[0]) for line in lines]), np.repeat(np.arange(len(sizes)), sizes)


def mslr_discrete(folder: Path) -> Data:
    """Read the table."""
    table = pd.read_csv(folder / "mslr_discrete.csv")
    query = pd.factorize(table["qid"])[0]
    return table.drop(columns=["qid", "docid", "label"]).to_numpy(np.float64), table["label"].to_numpy(), query


def held_out(data: Data, parameters: dict[str, Any], seed: int) -> float:
    """Train on half of the queries, and return the value of the others."""
    features, labels, query = data
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(query.max() + 1)[: (query.max() + 1) // 2]
    shuffle = rng.random(len(query))
    parts = []
    for is_wanted in (np.isin(query, chosen), ~np.isin(query, chosen)):
        rows = np.flatnonzero(is_wanted)
        rows = rows[np.lexsort((shuffle[rows], query[rows]))]
        sizes = np.unique(query[rows], return_counts=True)[1]
        parts.append((features[rows], labels[rows], sizes))
    (x, y, sizes), (other_x, other_y, other_sizes) = parts
    model = lightgbm.train(SETTINGS | parameters, lightgbm.Dataset(x, y, group=sizes), ROUNDS)
    return metric(MEASURE)(other_y, model.predict(other_x), None, other_sizes)[1]


def main(folder: Path) -> None:
    """Print a table for each data set that is there."""
    for name, read in (("lightgbm_rank", lightgbm_rank), ("mslr_discrete", mslr_discrete)):
        if not (folder / name).is_dir():
            continue
        data = read(folder / name)
        found = {title: [held_out(data, options, seed) for seed in SEEDS] for title, options in OBJECTIVES.items()}
        averaged = np.array(found["averaged over ties"])
        print(f"{name}: {MEASURE}, held out, {len(SEEDS)} seeds")
        for title, values in found.items():
            better = averaged - np.array(values)
            error = better.std(ddof=1) / np.sqrt(len(better))
            print(f"  {title:20} {np.mean(values):.4f}  averaged less this: {better.mean():+.4f} +- {error:.4f}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
