"""What other tools make of ties: ``python -m bench.ties_elsewhere > bench/TIES_ELSEWHERE.md``.

Each tool evaluates small queries full of ties, then the same queries with their lines shuffled and with their documents
renamed. Neither says anything about the ranking, so a value that moves is made by the tie-break. What the values are
equal to in every case (an order of the ids, the file order, the exact expectation, …) is found by comparing them with
those of tiecore. A tool that is not installed is left out with a word.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import metadata
from typing import Any

import numpy as np

import tiecore
from bench.report import markdown_table

CUTOFF = 5
MEASURES = ("nDCG@5", "RR", "RR@5", "AP", "P@5", "P@100")
BASE = "as drawn"
VARIANTS = (BASE, *(f"lines shuffled {n}" for n in (1, 2, 3)), *(f"documents renamed {n}" for n in (1, 2, 3)))
TOLERANCE = 1e-5
"""Some tools give single precision."""
ORDERS = ("expected", "worst", "best", "docid-desc", "docid-asc", "input", "input-reversed")


@dataclass(frozen=True, slots=True)
class Case:
    """One query; the documents in the order of their lines, relevant or not."""

    name: str
    ids: tuple[str, ...]
    scores: tuple[float, ...]
    grades: tuple[int, ...]

    @property
    def run(self) -> dict[str, float]:
        """Score of each document."""
        return dict(zip(self.ids, self.scores, strict=True))

    @property
    def qrels(self) -> dict[str, int]:
        """Grade of each document."""
        return dict(zip(self.ids, self.grades, strict=True))


Value = Callable[[Case], float]


@dataclass(frozen=True, slots=True)
class Trial:
    """One measure of one tool."""

    package: str
    measure: str
    """As tiecore calls it."""
    call: str
    """As the tool calls it."""
    value: Value


def cases(n_cases: int = 30, seed: int = 8) -> dict[str, list[Case]]:
    """Draw queries of 6, 12 or 60 documents with three scores; by variant."""
    rng = np.random.default_rng(seed)
    found: dict[str, list[Case]] = {variant: [] for variant in VARIANTS}
    for number in range(n_cases):
        n = (6, 12, 60)[number % 3]
        ids = tuple(f"d{i:02}" for i in rng.permutation(n))
        scores = tuple(float(score) for score in rng.integers(0, 3, n))
        grades = np.zeros(n, dtype=np.int64)
        grades[rng.choice(n, size=max(1, n // 5), replace=False)] = 1
        base = Case(f"q{number}", ids, scores, tuple(grades.tolist()))
        for variant in VARIANTS:
            order = rng.permutation(n)
            if variant.startswith("lines"):
                case = Case(base.name, *(_taken(column, order) for column in (ids, scores, base.grades)))
            elif variant.startswith("documents"):
                case = replace(base, ids=_taken(ids, order))
            else:
                case = base
            found[variant].append(case)
    return found


def _taken(column: Sequence[Any], order: np.ndarray) -> tuple[Any, ...]:
    return tuple(column[i] for i in order)


def known_orders(drawn: Sequence[Case], measure: str) -> dict[str, np.ndarray]:
    """(n_cases,) values of tiecore for each order that a tool might take."""
    qrels, run = ({case.name: getattr(case, part) for case in drawn} for part in ("qrels", "run"))
    evaluation = tiecore.evaluate(qrels, {"f": run}, [measure], ORDERS[3:])
    table = evaluation.per_query.xs("f", level="feature").xs(measure).loc[[case.name for case in drawn]]
    return {name: table[name].to_numpy() for name in ORDERS}


def verdict(values: dict[str, np.ndarray], known: dict[str, dict[str, np.ndarray]]) -> list[str]:
    """Tell what the values of a trial equal, and how many move with the lines and with the names."""
    equal = [
        name for name in ORDERS if all(np.allclose(values[v], known[v][name], rtol=0, atol=TOLERANCE) for v in VARIANTS)
    ]
    base, n_cases = values[BASE], len(values[BASE])
    outside = int(((base < known[BASE]["worst"] - TOLERANCE) | (base > known[BASE]["best"] + TOLERANCE)).sum())
    otherwise = f"no order: outside worst and best in {outside}" if outside else "no fixed order"
    moved = [
        int(np.any([np.abs(values[v] - base) > TOLERANCE for v in VARIANTS if v.startswith(what)], axis=0).sum())
        for what in ("lines", "documents")
    ]
    named = "all orders alike" if len(equal) == len(ORDERS) else ", ".join(equal)
    return [named or otherwise, *(f"{count} of {n_cases}" if count else "never" for count in moved)]


# --- the tools, each as its own users would call it -------------------------------------------------------------------


def pytrec_eval_trials() -> Iterator[Trial]:
    """Wraps trec_eval."""
    import pytrec_eval

    def value(key: str, case: Case) -> float:
        found = pytrec_eval.RelevanceEvaluator({"q": case.qrels}, {key}).evaluate({"q": case.run})
        return float(found["q"][key])

    for measure, key in {"nDCG@5": "ndcg_cut_5", "RR": "recip_rank", "AP": "map", "P@5": "P_5"}.items():
        yield Trial("pytrec_eval-terrier", measure, key, partial(value, key))


def ir_measures_trials() -> Iterator[Trial]:
    """Passes each measure to one of its providers."""
    import ir_measures

    def value_of(name: str) -> Value:
        wanted = ir_measures.parse_measure(name)
        return lambda case: float(ir_measures.calc_aggregate([wanted], {"q": case.qrels}, {"q": case.run})[wanted])

    for measure in MEASURES[:-1]:
        yield Trial("ir_measures", measure, measure, value_of(measure))


def ranx_trials() -> Iterator[Trial]:
    """With its own structures, as its documentation does, and once with plain dicts."""
    import ranx

    def value_of(key: str) -> Value:
        return lambda case: float(ranx.evaluate(ranx.Qrels({"q": case.qrels}), ranx.Run({"q": case.run}), key))

    for measure, key in {"nDCG@5": "ndcg@5", "RR": "mrr", "AP": "map", "P@5": "precision@5"}.items():
        yield Trial("ranx", measure, key, value_of(key))
    yield Trial(
        "ranx", "AP", "map, of dicts", lambda case: float(ranx.evaluate({"q": case.qrels}, {"q": case.run}, "map"))
    )


def sklearn_trials() -> Iterator[Trial]:
    """Arrays; documents have no names."""
    from sklearn.metrics import average_precision_score, label_ranking_average_precision_score, ndcg_score

    def rows(case: Case) -> tuple[list[list[int]], list[list[float]]]:
        return [list(case.grades)], [list(case.scores)]

    calls: dict[str, Value] = {
        "ndcg_score(k=5)": lambda case: float(ndcg_score(*rows(case), k=CUTOFF)),
        "average_precision_score": lambda case: float(average_precision_score(case.grades, case.scores)),
        "label_ranking_average_precision_score": lambda case: float(label_ranking_average_precision_score(*rows(case))),
    }
    for call, value in calls.items():
        yield Trial("scikit-learn", "nDCG@5" if call.startswith("ndcg") else "AP", call, value)


def trm_trials() -> Iterator[Trial]:
    """All that it gives of a measure."""
    import trm

    def value(key: str, kind: str, cutoff: int | None, case: Case) -> float:
        k = cutoff or len(case.ids)
        found = trm.evaluate([list(case.scores)], [[g > 0 for g in case.grades]], metrics=[key], k_list=[k])
        return float(getattr(found.metrics[key][k], kind))

    for kind in ("expected", "minimum", "maximum", "oblivious"):
        for measure, key, cutoff in (("nDCG@5", "ndcg", CUTOFF), ("RR", "mrr", None), ("AP", "map", None)):
            yield Trial("tie-aware-retrieval-metrics", measure, f"{key}, {kind}", partial(value, key, kind, cutoff))
    for kind in ("expected", "minimum"):  # a cut-off behind the end of every list
        call = f"precision at 100, {kind}"
        yield Trial("tie-aware-retrieval-metrics", "P@100", call, partial(value, "precision", kind, 100))


def lightgbm_trials() -> Iterator[Trial]:
    """A model that has learnt nothing: what it ranks by are the initial scores."""
    import lightgbm

    def value(case: Case) -> float:
        data = lightgbm.Dataset(
            np.zeros((len(case.ids), 1)), list(case.grades), group=[len(case.ids)], init_score=list(case.scores)
        )
        found: dict[str, dict[str, list[float]]] = {}
        options = {"objective": "lambdarank", "metric": "ndcg", "eval_at": [CUTOFF], "verbose": -1}
        record = lightgbm.record_evaluation(found)
        lightgbm.train(options, data, num_boost_round=1, valid_sets=[data], callbacks=[record])
        return found["training"][f"ndcg@{CUTOFF}"][0]

    yield Trial("lightgbm", "nDCG@5", "ndcg, eval_at=5", value)


def xgboost_trials() -> Iterator[Trial]:
    """A model without a tree: what it ranks by are the base margins. Without a number its map ends at rank 32."""
    import xgboost

    def value(key: str, case: Case) -> float:
        data = xgboost.DMatrix(
            np.zeros((len(case.ids), 1)), list(case.grades), base_margin=list(case.scores), group=[len(case.ids)]
        )
        model = xgboost.train({"objective": "rank:ndcg", "eval_metric": key}, data, num_boost_round=0)
        return float(model.eval(data).rsplit(":", 1)[1])

    for measure, key in {"nDCG@5": "ndcg@5", "AP": "map@60", "P@5": "pre@5"}.items():
        yield Trial("xgboost", measure, key, partial(value, key))


def catboost_trials() -> Iterator[Trial]:
    """Its function for a metric of given scores."""
    from catboost.utils import eval_metric

    def value(key: str, case: Case) -> float:
        return float(eval_metric(list(case.grades), list(case.scores), key, group_id=[0] * len(case.ids))[0])

    for measure, key in {"nDCG@5": "NDCG:top=5", "RR": "MRR", "P@5": "PrecisionAt:top=5"}.items():
        yield Trial("catboost", measure, key, partial(value, key))


def tiecore_trials() -> Iterator[Trial]:
    """What moves is what its name says."""

    def value(column: str, case: Case) -> float:
        tie_breaks = () if column == "expected" else (column,)
        found = tiecore.evaluate({"q": case.qrels}, {"f": {"q": case.run}}, ["AP"], tie_breaks)
        return float(found.summary[column].iloc[0])

    for column in ("expected", "docid-desc", "input", "random:7"):
        yield Trial("tiecore", "AP", f"AP, {column}", partial(value, column))


TRIALS: dict[str, Callable[[], Iterator[Trial]]] = {
    "pytrec_eval-terrier": pytrec_eval_trials,
    "ir_measures": ir_measures_trials,
    "ranx": ranx_trials,
    "scikit-learn": sklearn_trials,
    "tie-aware-retrieval-metrics": trm_trials,
    "lightgbm": lightgbm_trials,
    "xgboost": xgboost_trials,
    "catboost": catboost_trials,
    "tiecore": tiecore_trials,
}


def tried(trial: Trial, drawn: dict[str, list[Case]], known: dict[str, dict[str, np.ndarray]]) -> list[str]:
    """One row of the table."""
    values = {variant: np.array([trial.value(case) for case in drawn[variant]]) for variant in VARIANTS}
    return [f"`{trial.call}`", *verdict(values, known)]


def main() -> None:
    """Try every tool that is installed."""
    drawn = cases()
    known = {m: {variant: known_orders(drawn[variant], m) for variant in VARIANTS} for m in MEASURES}
    table = [["tool", "measure", "equals in every case", "moves with the order of lines", "moves with the names"]]
    for package, trials in TRIALS.items():
        try:
            version = metadata.version(package)
            wanted = list(trials())
        except (metadata.PackageNotFoundError, ImportError) as error:
            print(f"{package} is left out: {error}", file=sys.stderr)
            continue
        table += [[f"{package} {version}", *tried(trial, drawn, known[trial.measure])] for trial in wanted]
    print("# What other tools make of ties\n")
    print("Written by `python -m bench.ties_elsewhere`; the tools are those of `make bench` and, by pip, lightgbm,")
    print(
        f"xgboost and catboost. {len(drawn[BASE])} queries of 6, 12 or 60 documents with three scores, each evaluated"
    )
    print("again with its lines shuffled (three times) and with its documents renamed (three times).\n")
    print(markdown_table(table))


if __name__ == "__main__":
    main()
