"""Metrics for training give the mean of the exact value of each list, whatever the library and the order of rows."""

import inspect
import io
import warnings
from collections.abc import Callable
from contextlib import redirect_stdout
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
import pytrec_eval

import tiecore
from tests.pages import ROOT, Block, blocks
from tests.plugins.training import Grouped, by_lists, dataset, grouped, matrix, mean_by_lists
from tiecore.plugins import catboost, lightgbm, sklearn, xgboost

NAMES = ("nDCG@10", "AP", "RR", "P@3", "nDCG(dcg='exp-log2')@5", "ERR(max_rel=4)@10")
DATA = grouped(1)
SCORES = DATA.features.sum(axis=1)


def through_lightgbm(name: str, scores: np.ndarray, data: Grouped, **options: Any) -> float:
    wanted = lightgbm.metric(name, **options)
    trained, ranked = (wanted(scores, dataset(data.labels, data.sizes)), wanted(data.labels, scores, None, data.sizes))
    assert trained == ranked
    return trained[1]


def through_xgboost(name: str, scores: np.ndarray, data: Grouped, **options: Any) -> float:
    found = xgboost.metric(name, **options)(scores, matrix(data.labels, data.sizes))
    assert isinstance(found, tuple)
    return found[1]


def through_catboost(name: str, scores: np.ndarray, data: Grouped, **options: Any) -> float:
    return catboost.metric(name, **options)(data.labels, scores, data.group)


def through_sklearn(name: str, scores: np.ndarray, data: Grouped, **options: Any) -> float:
    return sklearn.metric(name, **options)(data.labels, scores, groups=data.group)


every_library = pytest.mark.parametrize(
    "through", [through_lightgbm, through_xgboost, through_catboost, through_sklearn], ids=lambda f: f.__name__[8:]
)


@every_library
@pytest.mark.parametrize(
    ("name", "how"), [*((name, {}) for name in NAMES), *((NAMES[0], {"statistic": s}) for s in ("sd", "worst", "best"))]
)
def test_the_value_is_the_mean_of_the_lists_and_each_statistic_theirs(through: Any, name: str, how: Any) -> None:
    assert through(name, SCORES, DATA, **how) == pytest.approx(
        mean_by_lists(name, SCORES, DATA, **how), rel=0, abs=1e-12
    )


@every_library
@pytest.mark.parametrize("name", NAMES)
def test_the_order_of_rows_changes_nothing(through: Any, name: str) -> None:
    for seed in range(3):
        other = DATA.shuffled(seed)
        assert through(name, other.features.sum(axis=1), other) == through(name, SCORES, DATA)


@every_library
def test_lists_without_a_relevant_document_count_nothing_or_not_at_all(through: Any) -> None:
    labels = DATA.labels.copy()
    labels[:7] = 0
    barren = Grouped(DATA.features, labels, DATA.sizes)
    zero, skipped = (through("AP", SCORES, barren, no_relevant=rule) for rule in ("zero", "skip"))
    n_relevant = sum(own.any() for own in np.split(labels, np.cumsum(DATA.sizes)[:-1]))
    assert skipped == pytest.approx(zero * len(DATA.sizes) / n_relevant, rel=0, abs=1e-12)
    with pytest.raises(tiecore.TiecoreError, match="nothing to average"):
        through("AP", SCORES, Grouped(DATA.features, 0 * labels, DATA.sizes), no_relevant="skip")


@every_library
def test_what_cannot_be_is_refused_before_the_training(through: Any) -> None:
    for name, options in (
        ("nDGC@10", {}),
        ("Bpref", {"statistic": "sd"}),
        ("AP", {"statistic": "median"}),
        ("AP", {"no_relevant": "one"}),
    ):
        with pytest.raises(tiecore.TiecoreError):
            through(name, SCORES, DATA, **options)


@every_library
def test_labels_and_scores_that_no_ranking_has_are_refused(through: Any) -> None:
    with pytest.raises(tiecore.TiecoreError, match="whole numbers"):
        through("AP", SCORES, Grouped(DATA.features, DATA.labels + 0.5, DATA.sizes))
    with pytest.raises(tiecore.TiecoreError, match="NaN"):
        through("AP", np.where(SCORES > 2, np.nan, SCORES), DATA)


def test_groups_that_do_not_fit_are_refused() -> None:
    refused: list[tuple[str, Callable[[], object]]] = [
        ("do not fit together", lambda: lightgbm.metric("AP")(SCORES, dataset(DATA.labels, DATA.sizes[:-1]))),
        ("group= of the Dataset", lambda: lightgbm.metric("AP")(SCORES, dataset(DATA.labels, None))),
        ("qid= of the DMatrix", lambda: xgboost.metric("AP")(SCORES, matrix(DATA.labels, None))),
        ("stand apart", lambda: catboost.metric("AP")([1, 0, 1], [1.0, 1.0, 1.0], ["q", "r", "q"])),
        ("needs groups=", lambda: sklearn.metric("AP")(DATA.labels, SCORES)),
        ("do not fit together", lambda: sklearn.metric("AP")(DATA.labels, SCORES, groups=DATA.group[:-1])),
        ("do not fit together", lambda: catboost.metric("AP")([], [1.0], [])),
    ]
    for words, call in refused:
        with pytest.raises(tiecore.TiecoreError, match=words):
            call()


@pytest.mark.parametrize("module", [lightgbm, xgboost, catboost, sklearn], ids=lambda module: module.__name__)
def test_help_shows_what_a_metric_takes(module: ModuleType) -> None:
    with redirect_stdout(io.StringIO()) as written:
        help(module.metric)
    shown = written.getvalue()
    signature = "metric(measure: 'str | Measure', *, statistic: 'Statistic' = 'expected', no_relevant: 'NoRelevant'"
    bare = str.maketrans("", "", "' |\n")  # Python 3.14 quotes no annotation and breaks lines
    assert signature.translate(bare) in shown.translate(bare)
    assert "Lists without a relevant document count 0" in shown
    for name in module.__all__:
        kinds = {parameter.kind for parameter in inspect.signature(getattr(module, name)).parameters.values()}
        assert not kinds & {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}


def test_names_tell_the_statistic_and_xgboost_the_direction_and_its_ranker_gets_the_value_of_one_query() -> None:
    data = dataset(DATA.labels, DATA.sizes)
    assert lightgbm.metric("nDCG@10")(SCORES, data)[::2] == ("nDCG@10", True)
    assert lightgbm.metric("nDCG@10", statistic="sd")(SCORES, data)[::2] == ("sd(nDCG@10)", False)
    assert lightgbm.metric("ESL")(SCORES, data)[::2] == ("ESL", False)
    assert sklearn.metric("AP", statistic="worst").__name__ == "worst(AP)"
    known = {"nDCG@10": "ndcg@10_expected", "AP(rel=2)": "map(rel=2)_expected", "P@3": "pre@3_expected"}
    for name, its in (known | {"RR": "RR_expected"}).items():
        assert xgboost.metric(name).__name__ == its
    assert xgboost.metric("AP", statistic="sd").__name__ == "sd_map"
    assert " " not in xgboost.metric("RBP(rel=2, p=0.5)").__name__
    assert xgboost.metric("AP")([0, 1], [1.0, 1.0]) == 0.75


def test_a_model_of_catboost_is_cut_behind_its_best_stage() -> None:
    stages = [0 * SCORES, SCORES, SCORES, -SCORES]
    made = (catboost.metric("AP"), catboost.metric("ESL"), catboost.metric("AP", statistic="sd"))
    for wanted, kept in zip(made, (2, 2, 2), strict=True):
        kept_by_model: list[int] = []
        model = SimpleNamespace(staged_predict=lambda _: iter(stages), shrink=kept_by_model.append)
        values = wanted.staged(model, None, DATA.labels, DATA.group)
        assert values.shape == (4,)
        assert wanted.shrink(model, None, DATA.labels, DATA.group) == kept
        assert kept_by_model == [kept]


TRAIN, HELD_OUT = grouped(2), grouped(3)


def test_lightgbm_stops_early_on_the_expectation() -> None:
    lgb = pytest.importorskip("lightgbm")
    data = lgb.Dataset(TRAIN.features, TRAIN.labels, group=TRAIN.sizes)
    valid = lgb.Dataset(HELD_OUT.features, HELD_OUT.labels, group=HELD_OUT.sizes, reference=data)
    recorded: dict[str, dict[str, list[float]]] = {}
    options = {"objective": "lambdarank", "metric": "None", "min_data_in_leaf": 2, "verbose": -1, "num_threads": 1}
    callbacks = [lgb.early_stopping(3, verbose=False), lgb.record_evaluation(recorded)]
    model = lgb.train(options, data, 30, [valid], feval=lightgbm.metric("nDCG@10"), callbacks=callbacks)
    values = recorded["valid_0"]["nDCG@10"]
    scores = [model.predict(HELD_OUT.features, num_iteration=n + 1) for n in range(model.best_iteration)]
    exact = [mean_by_lists("nDCG@10", s, HELD_OUT) for s in scores]
    np.testing.assert_allclose(values[: model.best_iteration], exact, rtol=0, atol=1e-12)
    assert model.best_iteration == int(np.argmax(values)) + 1
    assert len(values) < 30


def test_xgboost_stops_early_on_the_expectation() -> None:
    xgb = pytest.importorskip("xgboost")
    data = xgb.DMatrix(TRAIN.features, TRAIN.labels, group=TRAIN.sizes)
    valid = xgb.DMatrix(HELD_OUT.features, HELD_OUT.labels, group=HELD_OUT.sizes)
    for name, best in (("nDCG@10", np.argmax), ("RR", np.argmax), ("ESL", np.argmin)):
        wanted = xgboost.metric(name)
        recorded: dict[str, dict[str, list[float]]] = {}
        options = {"objective": "rank:ndcg", "disable_default_eval_metric": True, "nthread": 1, "max_depth": 2}
        how: Any = {"evals": [(valid, "valid")], "evals_result": recorded, "verbose_eval": False}
        how["callbacks"] = [xgboost.early_stopping(wanted, rounds=3)]
        model = xgb.train(options, data, 30, custom_metric=wanted, **how)
        values = recorded["valid"][wanted.__name__]
        scores = (model.predict(valid, iteration_range=(0, n + 1)) for n in range(len(values)))
        exact = [mean_by_lists(name, own, HELD_OUT) for own in scores]
        np.testing.assert_allclose(values, exact, rtol=0, atol=1e-6)
        assert model.best_iteration == int(best(values))


def test_xgboosts_ranker_takes_the_metric_and_goes_up() -> None:
    xgb = pytest.importorskip("xgboost")
    model = xgb.XGBRanker(
        n_estimators=20, max_depth=2, n_jobs=1, eval_metric=xgboost.metric("nDCG@10"), early_stopping_rounds=3
    )
    eval_set = [(HELD_OUT.features, HELD_OUT.labels)]
    model.fit(
        TRAIN.features, TRAIN.labels, qid=TRAIN.group, eval_set=eval_set, eval_qid=[HELD_OUT.group], verbose=False
    )
    values = model.evals_result()["validation_0"]["ndcg@10_expected"]
    assert model.best_iteration == int(np.argmax(values))
    found = [one.expected for one in by_lists("nDCG@10", model.predict(HELD_OUT.features), HELD_OUT)]
    # XGBoost itself: a query of one document counts 1, and the mean is weighted by length
    lists = np.where(HELD_OUT.sizes == 1, 1.0, found)
    expected = np.average(lists, weights=HELD_OUT.sizes)
    assert values[model.best_iteration] == pytest.approx(expected, rel=0, abs=1e-6)


def test_catboost_shrinks_to_its_best_tree() -> None:
    cb = pytest.importorskip("catboost")
    model = cb.CatBoostRanker(
        iterations=15, depth=2, loss_function="YetiRank", verbose=False, allow_writing_files=False
    )
    model.fit(TRAIN.features, TRAIN.labels, group_id=TRAIN.group)
    wanted = catboost.metric("nDCG@10")
    values = wanted.staged(model, HELD_OUT.features, HELD_OUT.labels, HELD_OUT.group)
    assert len(values) == 15
    kept = wanted.shrink(model, HELD_OUT.features, HELD_OUT.labels, HELD_OUT.group)
    assert model.tree_count_ == kept == int(np.argmax(values)) + 1
    found = mean_by_lists("nDCG@10", model.predict(HELD_OUT.features), HELD_OUT)
    assert found == pytest.approx(values.max(), rel=0, abs=1e-12)


def test_scikit_learn_cross_validates_with_groups() -> None:
    import sklearn as skl
    from sklearn.linear_model import LinearRegression
    from sklearn.model_selection import GroupKFold, cross_validate

    with pytest.raises(tiecore.TiecoreError, match="enable_metadata_routing"):
        sklearn.scorer("AP")
    with skl.config_context(enable_metadata_routing=True):
        made = {"AP": sklearn.scorer("AP"), "sd": sklearn.scorer("AP", statistic="sd")}
        how: Any = {"cv": GroupKFold(5), "scoring": made, "params": {"groups": DATA.group}}
        found = cross_validate(LinearRegression(), DATA.features, DATA.labels, **how)
    train, test = next(GroupKFold(5).split(DATA.features, DATA.labels, DATA.group))
    scores = LinearRegression().fit(DATA.features[train], DATA.labels[train]).predict(DATA.features[test])
    _, sizes = np.unique(DATA.group[test], return_counts=True)
    held_out = Grouped(DATA.features[test], DATA.labels[test], sizes)
    assert found["test_AP"][0] == pytest.approx(mean_by_lists("AP", scores, held_out), rel=0, abs=1e-12)
    sd = mean_by_lists("AP", scores, held_out, statistic="sd")
    assert found["test_sd"][0] == pytest.approx(-sd, rel=0, abs=1e-12)


def test_scikit_learns_metric_takes_rows_as_ndcg_score_does_and_groups_in_any_order() -> None:
    from sklearn.metrics import ndcg_score

    rng = np.random.default_rng(4)
    labels, scores = rng.integers(0, 4, (6, 8)), rng.integers(0, 3, (6, 8))
    assert sklearn.metric("nDCG@5")(labels, scores) == pytest.approx(ndcg_score(labels, scores, k=5), rel=0, abs=1e-12)
    order = rng.permutation(len(SCORES))
    mixed = sklearn.metric("AP")(DATA.labels[order], SCORES[order], groups=DATA.group[order])
    assert mixed == pytest.approx(mean_by_lists("AP", SCORES, DATA), rel=0, abs=1e-12)


BLOCKS = [block for block in blocks(ROOT / "docs" / "plugins.md", "python") if ">>>" not in block.text]


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_the_code_without_a_prompt_runs(block: Block, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pytrec_eval, "RelevanceEvaluator", pytrec_eval.RelevanceEvaluator)  # a block replaces it
    library = next(line.split()[1] for line in block.text.splitlines() if line.startswith(("import ", "from ")))
    for needed in ("lightgbm", "xgboost", "catboost"):
        if needed in block.text:
            pytest.importorskip(needed)
    pytest.importorskip(library, exc_type=ImportError)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the libraries
        exec(compile(block.text, str(block), "exec"), {})
