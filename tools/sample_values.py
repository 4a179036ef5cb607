"""Make the sample files of values and of a second judge: ``python -m tools.sample_values``.

They follow from the other files of sample_data/, so the same files come out again.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

import tiecore

FOLDER = Path(__file__).parent.parent / "sample_data"
FEATURES = ("bm25.run.gz", "clicks.csv", "indegree.run", "outdegree.tsv.gz", "pages.parquet", "title_match.json")
PRINTED = {"map": "AP", "recip_rank": "RR", "P_10": "P@10", "ndcg_cut_10": "nDCG@10"}
JUDGED, MISSING, DOUBT = 30, 12, 5


def share(*names: str) -> float:
    """Return a number from 0 to 1 that only depends on the names."""
    return int.from_bytes(hashlib.sha256("-".join(names).encode()).digest()[:4], "big") / 2**32


def leaderboard(evaluation: tiecore.Evaluation) -> str:
    """nDCG@10 of every query and feature; each of three features lacks one query in twelve."""
    table = (
        evaluation.per_query["expected"].xs("nDCG@10", level="measure").unstack("feature")[list(evaluation.features)]
    )
    for feature in ("dwell", "url_clicks", "quality_score"):
        lacks = [share(feature, str(query)) < 1 / MISSING for query in table.index]
        table[feature] = table[feature].mask(np.array(lacks))
    return table.to_csv(index_label="query_id", float_format="%.4f", lineterminator="\n")


def printed(evaluation: tiecore.Evaluation, feature: str) -> str:
    """Return what ``trec_eval -q`` prints for a feature."""
    lines = []
    values = evaluation.per_query["docid-desc"].xs(feature, level="feature")
    for query in evaluation.values.alignment.query_ids.to_pylist():
        lines += [f"{name:<22}\t{query}\t{values[measure, query]:.4f}" for name, measure in PRINTED.items()]
    lines.append(f"{'runid':<22}\tall\t{feature}")
    means = evaluation.summary["docid-desc"]
    lines += [f"{name:<22}\tall\t{means[measure, feature]:.4f}" for name, measure in PRINTED.items()]
    return "\n".join([*lines, ""])


def second_judge() -> str:
    """Grades of a made-up judge for the first documents of bm25: stricter at the top, and in doubt now and then."""
    grades = tiecore.read_qrels(FOLDER / "qrels.txt").set_index(["query_id", "doc_id"])["relevance"]
    run = tiecore.read_features(FOLDER / "bm25.run.gz").sort_values("bm25", ascending=False, kind="stable")
    lines = []
    for query, rows in run.groupby("query_id", sort=False):
        for document in rows["doc_id"].head(JUDGED):
            grade = int(grades[query, document])
            doubt = share(str(query), document)
            moved = grade - (grade > 2) + (-1 if doubt < 1 / DOUBT else 1 if doubt > 1 - 1 / DOUBT else 0)
            lines.append(f"{query} 0 {document} {min(max(moved, 0), 3)}")
    return "\n".join([*sorted(lines), ""])


def main() -> None:
    """Write the files."""
    files = [FOLDER / name for name in FEATURES]
    evaluation = tiecore.evaluate(FOLDER / "qrels.txt", files, list(PRINTED.values()), ["docid-desc"])
    (FOLDER / "leaderboard.csv").write_text(leaderboard(evaluation), encoding="utf-8", newline="\n")
    (FOLDER / "second_judge.txt").write_text(second_judge(), encoding="utf-8", newline="\n")
    for feature in ("bm25", "title_match"):
        (FOLDER / f"{feature}.eval").write_text(printed(evaluation, feature), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
