"""Which features rank alike: the map, its sentence, and one pair."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import tiecore
from tests.dashboard.conftest import TINY_QRELS, TINY_TABLE, OpenApp, answer_of, code_of, codes_of, plain
from tests.dashboard.test_pairs import EVIL, QRELS, all_text, with_features
from tests.dashboard.test_reproduce import OPENED, shown_by
from tiecore.similarity import between
from tiecore_dashboard.charts.look import DARK, LIGHT
from tiecore_dashboard.charts.pieces import entries_of
from tiecore_dashboard.pages.pairs import alike as part
from tiecore_dashboard.pages.pairs.answer import alike_answer, alike_pair, most_alike
from tiecore_dashboard.pages.pairs.charts import alike_map
from tiecore_dashboard.results.cached import View

ALIKE: dict[str, str | list[str]] = {"pairs_look_at": "rank alike"}


def frame(values: list[list[float]]) -> pd.DataFrame:
    names = [f"f{number}" for number in range(len(values))]
    return pd.DataFrame(values, names, names)


def test_the_answer_names_the_most_alike_the_most_distinct_and_the_doubles() -> None:
    means = frame([[1, 0.6, 0.1, 1], [0.6, 1, -0.4, 0.6], [0.1, -0.4, 1, 0.1], [1, 0.6, 0.1, 1]])
    sentence, details = alike_answer(means, title="τ-b")
    assert plain(sentence) == "f0 and f1 rank most alike (τ-b 0.60); f2 ranks like no other (at most 0.10, with f0)."
    assert [plain(detail) for detail in details] == [
        "f0 and f3 rank in the same order in every query.",
    ]
    assert most_alike(means) == ("f0", "f1")


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([[1, 1], [1, 1]], "All features that can be compared rank in the same order in every query."),
        ([[1, np.nan], [np.nan, 1]], "No two features can be compared."),
        ([[1, -0.25], [-0.25, 1]], "f0 and f1 agree to τ-b −0.25."),
        ([[1, 1, np.nan], [1, 1, np.nan], [np.nan] * 3], "All features that can be compared rank in the same order"),
        ([[1, 1, 0.5], [1, 1, 0.5], [0.5, 0.5, 1]], "f0 and f2 rank most alike (τ-b 0.50); f2 ranks like no other"),
    ],
)
def test_little_to_compare_is_said_in_a_sentence(values: list[list[float]], said: str) -> None:
    sentence, _ = alike_answer(frame(values), title="τ-b")
    assert plain(sentence).lower().startswith(said.lower())
    assert set(most_alike(frame(values))) <= set(frame(values).index)


def test_a_feature_that_nothing_can_be_compared_with_is_named() -> None:
    values = frame([[1, 0.5, np.nan], [0.5, 1, np.nan], [np.nan, np.nan, np.nan]])
    _, details = alike_answer(values, title="RBO")
    assert [plain(detail) for detail in details] == [
        "f2 is compared with none: every document tied, or none shared with another feature."
    ]


def test_a_pair_is_told_with_its_range_over_the_queries() -> None:
    told = alike_pair(pd.Series([0.2, -0.4]), one="a", other="b", title="τ-b")
    assert plain(told) == "a and b: τ-b −0.10 over 2 queries, from −0.40 to 0.20."
    none = alike_pair(pd.Series([], dtype=float), one="a", other="b", title="τ-b")
    assert plain(none) == "a and b cannot be compared by τ-b in any query."


@pytest.mark.parametrize("n_features", [3, 60])
def test_every_cell_can_be_clicked_and_tells_its_pair(n_features: int) -> None:
    rng = np.random.default_rng(2)
    values = rng.uniform(-1, 1, (n_features, n_features))
    means = frame(((values + values.T) / 2).tolist())
    figure = alike_map(means, (means * 0 + 7).astype(int), title="τ-b", look=DARK, chosen=("f0", "f2"))
    target = next(trace for trace in figure.data if trace.name == "pairs")
    assert len(target.customdata) == n_features * (n_features - 1) // 2
    for x, y, (row, column), told in zip(target.x, target.y, target.customdata, target.hovertext, strict=True):
        assert (means.index[y], means.columns[x]) == (row, column)
        assert f"{means.loc[row, column]:.3f} over 7 queries".replace("-", "−") in told
        assert figure.data[0].z[y][x] == means.loc[row, column]


def test_the_legend_speaks_of_opposite_orders_where_there_are_some() -> None:
    for values, names in (([[1, -0.3], [-0.3, 1]], 3), ([[1, 0.3], [0.3, 1]], 2)):
        figure = alike_map(frame(values), frame(values), title="τ-b", look=LIGHT)
        assert len(entries_of(figure)) == names


def test_the_page_shows_what_tiecore_finds(open_app: OpenApp, sample_view: View) -> None:
    app = open_app("pairs", query=ALIKE)
    means = between(sample_view.evaluation, method="tau_b", ties="b").means
    spec = json.loads(app.get("plotly_chart")[0].proto.spec)
    names = [note["text"] for note in spec["layout"]["annotations"]]
    assert sorted(names) == sorted(means.index)
    one, other = (str(app.selectbox(key=key).value) for key in ("pairs_one", "pairs_other"))
    off = means.where(~np.eye(len(means), dtype=bool))
    assert off.loc[one, other] == pytest.approx(off.max().max(), rel=0, abs=1e-12)
    assert f"{np.nanmax(off.to_numpy()):.2f}" in answer_of(app)


def test_differences_and_likeness_show_the_same_pair(open_app: OpenApp) -> None:
    app = open_app("pairs", query=ALIKE | {"pairs_one": "bm25", "pairs_other": "dwell"})
    assert "bm25 and dwell: τ-b" in plain(all_text(app))
    app.segmented_control(key="pairs_look_at").set_value("differences").run()
    assert [app.selectbox(key=key).value for key in ("pairs_one", "pairs_other")] == ["bm25", "dwell"]
    assert not app.exception


@pytest.mark.parametrize("title", ["τ-b", "τ AP", "RBO"])
@pytest.mark.parametrize(
    "scores",
    [
        {"a": [0, 1, 0, 1], "b": [0, 1, 0, 1]},
        {"a": [1, 1, 1, 1], "b": [2, 2, 2, 2]},
        {"a": [1, 1, 1, 1], "b": [0, 1, 2, 3], EVIL: [3, 2, 1, 0]},
        {"a": [1, 2, 3, 4], "b": [1, 2, 3, 4], "c": [1, 2, 3, 4]},
    ],
)
def test_whatever_is_loaded_the_page_speaks_and_shows_no_nan(
    open_app: OpenApp, title: str, scores: dict[str, list[float]]
) -> None:
    app = open_app("pairs", query=ALIKE | {"pairs_alike_by": title}, state=with_features(QRELS, **scores))
    assert answer_of(app)
    assert not re.search(r"\b(nan|inf)\b", all_text(app).lower())
    assert "<b>x" not in all_text(app)


def test_of_many_queries_and_features_some_are_taken_and_the_page_says_so(
    open_app: OpenApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(part, "MOST_WORK", 0)
    monkeypatch.setattr(part, "MOST_FEATURES", 4)
    app = open_app("pairs", query=ALIKE)
    assert "10 of 50 queries, evenly taken" in all_text(app)
    assert "Shown: the 4 best of 10 features; any pair can be chosen." in all_text(app)
    assert len(app.selectbox(key="pairs_one").options) == 10


def test_the_code_gives_the_map(open_app: OpenApp, tiny_files: dict[str, str]) -> None:
    app = open_app("pairs", query=ALIKE, state=OPENED | {"alike_exports": True})
    evaluation, printed = shown_by(code_of(app, "python"))
    pd.testing.assert_frame_equal(printed[0], between(evaluation, method="tau_b", ties="b").means)
    assert not codes_of(app, "bash"), "no command compares rankings"


def test_a_table_of_counts_has_slices_and_no_single_documents(open_app: OpenApp, tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text(TINY_QRELS)
    (tmp_path / "table.csv").write_text(TINY_TABLE)
    tiecore.count(tmp_path / "qrels.txt", tmp_path / "table.csv").to_parquet(tmp_path / "counts.parquet")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIECORE_FEATURES", json.dumps([str(tmp_path / "counts.parquet")]))
        app = open_app("pairs", query=ALIKE)
        assert any("a table of counts holds only their numbers" in info.value for info in app.info)
        app = open_app(query={"ranking_columns": "other measures", "ranking_elsewhere": "relevant documents"})
        assert not app.error
