"""The page Cut-offs: its curves are tiecore's, and where features pass each other is told rightly."""

import base64
import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.conftest import SAMPLE, alike, answer_of, html_of, open_app, plain
from tiecore import evaluate
from tiecore.board.cutoffs import banded_of
from tiecore.plot.sheet import Sheet
from tiecore_dashboard.charts.look import DARK, LIGHT, colours_of
from tiecore_dashboard.charts.pieces import entries_of
from tiecore_dashboard.export import menu
from tiecore_dashboard.files.datasets import Dataset
from tiecore_dashboard.pages.cutoffs.answer import clear_at, crossings_of, cutoffs_answer, cutoffs_of
from tiecore_dashboard.pages.cutoffs.charts import BANDS, curve_chart, faded, lead_chart
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View

EVIL = "<b>x</b>%{x}"  # markup, and a template of plotly
COLOURS = colours_of(("a", "b", "c", EVIL), LIGHT)
PLACES = pd.DataFrame({1: [1, 2, 3], 2: [1, 1, 3], 5: [2, 1, 3], 10: [3, 1, 2]}, index=["a", "b", "c"])


def curves(**more: float) -> pd.DataFrame:
    """Two features at three cut-offs; the second is never changed by ties."""
    index = pd.MultiIndex.from_product([["a", EVIL], [1, 5, 20]], names=["feature", "k"])
    frame = pd.DataFrame({"expected": [0.5, 0.4, 0.3, 0.2, 0.3, 0.4]}, index)
    frame["worst"] = frame["expected"] - [0.3, 0.2, 0.1, 0, 0, 0]
    frame["best"] = frame["expected"] + [0.3, 0.2, 0.1, 0, 0, 0]
    frame["place"] = [1, 1, 2, 2, 2, 1]
    frame["low"], frame["high"] = frame["expected"] - 0.4, frame["expected"] + 0.4
    frame["tie_low"], frame["tie_high"], frame["open"] = frame["worst"], frame["best"], False
    return frame.assign(**more)


def better_at(places: pd.DataFrame, *clear: tuple[int, str, str]) -> dict[int, pd.DataFrame]:
    """Make the first feature clearly better than the other at these cut-offs, and no other than another."""
    found = {int(k): pd.DataFrame(False, places.index, places.index) for k in places.columns}
    for k, one, other in clear:
        found[k].loc[one, other] = True
    return found


def answer_to(places: pd.DataFrame, *clear: tuple[int, str, str], of_all: bool = True) -> str:
    better = better_at(places, *clear)
    sentence, details = cutoffs_answer(places, curves(), better, measure="nDCG", of_all=of_all, ties="of ties")
    return plain(" ".join([sentence, *details]))


def drawn(app: AppTest, chart: int = 0) -> dict[str, Any]:
    spec = json.loads(app.get("plotly_chart")[chart].proto.spec)
    return {trace["name"]: trace for trace in spec["data"]}


def numbers(coded: Any) -> list[float]:
    """Numbers as a figure sends them: a list, or the bytes of an array."""
    if isinstance(coded, list):
        return coded
    return [float(value) for value in np.frombuffer(base64.b64decode(coded["bdata"]), dtype=coded["dtype"])]


def test_a_change_of_the_lead_is_told_by_its_cutoffs_and_decides_only_where_it_is_clear() -> None:
    said = answer_to(PLACES)
    lead = "y nDCG, no change of lead is clear: a leads at k = 1, a and b together at k = 2 and b from k = 5 on. "
    assert said.startswith(f"B{lead}")
    assert answer_to(PLACES, of_all=False).startswith(f"Among the features drawn, b{lead}")
    assert answer_to(PLACES, (1, "a", "b")) == said, "one side alone tells nothing"
    said = answer_to(PLACES[[1, 5, 10]], (1, "a", "b"), (10, "b", "a"))
    assert "The cut-off decides who leads by nDCG: a leads at k = 1 and b from k = 5 on." in said


def test_a_crossing_is_judged_between_those_of_the_same_two_next_to_it() -> None:
    swinging = pd.DataFrame({1: [1, 2], 2: [2, 1], 3: [1, 2], 4: [1, 2], 5: [2, 1]}, index=["a", "b"])
    better = better_at(swinging, (1, "a", "b"), (2, "b", "a"), (5, "b", "a"))
    assert crossings_of(swinging, better)["verdict"].tolist() == ["clear", "open", "open"]
    said = answer_to(swinging, (1, "a", "b"), (2, "b", "a"), (5, "b", "a"))
    assert "Of these changes only that at k = 2 is clear." in said
    assert crossings_of(swinging, better_at(swinging, (4, "a", "b"), (5, "b", "a")))["verdict"].iloc[-1] == "clear"


def test_a_lead_that_stays_changes_often_or_has_nobody_behind_it_is_told_as_such() -> None:
    leads, always = "By nDCG, a leads at every cut-off from 1 to 2", pd.DataFrame({1: PLACES[1], 2: PLACES[1]})
    assert f"{leads}, but is never clearly better than the second." in answer_to(always, (1, "a", "c"))
    assert f"{leads}, but is clearly better than the second only at k = 2." in answer_to(always, (2, "a", "b"))
    assert f"{leads}, and is clearly better than the second at each." in answer_to(always, (1, "a", "b"), (2, "a", "b"))
    four = always.reindex(columns=[1, 2, 3, 4]).ffill(axis=1).astype(int)
    assert "better than the second only at k = 2 and 3." in answer_to(four, (2, "a", "b"), (3, "a", "b"))
    assert "a and b share the lead at k = 2." in answer_to(PLACES[[2]])
    level = pd.DataFrame({1: [1, 2], 5: [1, 2], 9: [1, 1]}, index=["a", "b"])
    assert "1 to 5, but is never clearly better than the other; from k = 9 on all are level." in answer_to(level)
    assert "all features are level at each of the 3 cut-offs drawn, 1 to 9." in answer_to(level.clip(upper=1))
    often = pd.DataFrame({k: [1, 2] if k % 2 or k > 8 else [2, 1] for k in range(1, 12)}, index=["a", "b"])
    assert "By nDCG, no change of lead is clear: a and b take turns in the lead." in answer_to(often)
    assert "a goes from nDCG 0.5000 at k = 1 to 0.3000 at k = 20." in answer_to(PLACES.loc[["a"]]).replace("\xa0", " ")
    assert "By nDCG, a leads at k = 1, but is not clearly better than the second." in answer_to(PLACES[[1]])


def test_it_is_told_where_ties_leave_most_open() -> None:
    said = answer_to(PLACES)
    assert "Among the features drawn, ties matter most for a at k = 1: 0.2000 to 0.8000, of ties." in said
    sure = curves()
    sure["tie_low"] = sure["tie_high"] = sure["expected"]
    better = better_at(PLACES)
    details = cutoffs_answer(PLACES, sure, better, measure="P", of_all=True, ties="")[1]
    assert details[-1] == "Among the features drawn, ties change nothing at any cut-off."


def test_bands_enclose_the_curves_of_what_is_highlighted_and_drawn_where_they_are_known() -> None:
    figure = curve_chart(curves(), measure="nDCG", look=LIGHT, colours=COLOURS, banded=["a"])
    over, ties = (next(trace for trace in figure.data if trace.name == f"a, {band}") for band in BANDS)
    line = next(trace for trace in figure.data if trace.name == "a")
    assert list(line.y) == [0.5, 0.4, 0.3]
    assert list(over.x) == list(ties.x) == [1, 5, 20, 20, 5, 1]
    assert [over.line.width, ties.line.width] == [1, 0], "a pale one has an outline, so that several stay apart"
    assert (np.array(over.y[:3]) < ties.y[:3]).all()
    assert (np.array(ties.y[:3]) < line.y).all()
    legend = " ".join(entry.name for entry in entries_of(figure))
    assert all(f"band {band} (" in legend for band in BANDS)
    assert banded_of(curves(), ()) == banded_of(curves(), ("elsewhere",)) == ["a"]
    assert banded_of(curves(), (EVIL, "elsewhere")) == [EVIL]
    figure = curve_chart(curves(low=np.nan, high=np.nan), measure="nDCG", look=LIGHT, colours=COLOURS, banded=["a"])
    assert not [trace for trace in figure.data if trace.name.endswith("over queries")]
    assert "nan" not in "".join(text for trace in figure.data for text in trace.text or ())


@pytest.mark.parametrize("highlighted", [(), ("query_url_clicks",)])
def test_a_dot_is_hollow_where_its_feature_is_not_clearly_different_from_the_one_with_bands(
    sample_view: View, highlighted: tuple[str, ...]
) -> None:
    found = cutoffs_of(sample_view, ("bm25", "query_url_clicks", "url_slashes", "quality_score"))
    (reference,) = banded_of(found.drawn, highlighted)
    shown = found.against(reference)
    hues = dict.fromkeys(shown.index.unique(0), LIGHT.accent)
    figure = curve_chart(shown, measure="nDCG", look=LIGHT, colours=hues, banded=[reference])
    for name in shown.index.unique(0):
        line = next(trace for trace in figure.data if trace.name == name)
        for k, colour in zip(line.x, line.marker.color, strict=True):
            is_clear = found.better[k].loc[reference, name] or found.better[k].loc[name, reference]
            assert (colour == LIGHT.ground) == (name != reference and not is_clear) == shown["open"][name, k]
    assert shown["open"].any()
    assert not shown["open"].loc[["url_slashes", "quality_score"]].all()
    curve, lead = (draw(Sheet()) for draw in found.figures(None, [reference], 10).values())
    assert f"Hollow dots: not clearly different from {reference} at that k; each k is tested by itself." in curve.note
    other, leads = found.lead([reference])
    assert lead.answer == f"{reference} and {other} {clear_at(leads)}."
    line = next(one for one in lead.axes[0].lines if one.get_label() == reference)
    np.testing.assert_array_equal(line.get_ydata(), leads["difference"])
    assert clear_at(leads.assign(open=True)) == "differ clearly at no cut-off"
    assert clear_at(leads.assign(open=leads.index > 5)) == "differ clearly at k = 1 to 5"


def test_a_leader_that_is_not_drawn_is_named_and_what_is_gone_gives_way() -> None:
    first = open_app("cutoffs")
    assert "Not drawn" not in plain(html_of(first))
    usual = first.multiselect(key="cutoffs_features").value
    app = open_app("cutoffs", query={"cutoffs_features": ["indegree", "bm25"]})
    told = plain(html_of(app))
    assert "Not drawn, though in the lead at some cut-offs: query_url_clicks." in told
    app = open_app("cutoffs", query={"cutoffs_features": ["gone"]}, state={"highlighted": ("url_length",)})
    assert app.multiselect(key="cutoffs_features").value == usual
    assert {*usual, "url_length"} <= {*drawn(app)}, "a highlight takes none away of whom the sentence speaks"
    assert any(r"Highlighted: url\_length. A click on the curve ends that." in note.value for note in app.caption)
    first.multiselect(key="cutoffs_features").set_value([]).run()
    assert any("Choose a feature" in info.value for info in first.info)
    assert not first.exception


def test_every_feature_that_the_headline_names_is_drawn_also_if_it_is_none_of_the_best() -> None:
    grades = [1, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0]
    late = {f"late{n}": [99 if d == n else 10 * grade - d for d, grade in enumerate(grades)] for n in (1, 2, 8, 9, 10)}
    scores = late | {"early": [99, *range(1, 12)], "worse": [-1, *range(1, 12)]}
    app = open_app("cutoffs", state={"dataset": alike(grades, scores, 8)})
    assert "<strong>early</strong> leads" in answer_of(app)
    assert {"early", "late1"} <= set(drawn(app)) <= {*scores} - {"worse"} | {name for name in drawn(app) if "," in name}
    assert "lead" in drawn(app, chart=1)
    assert "Not drawn" not in html_of(app)


def test_bands_are_those_of_the_highlighted_features_or_of_the_best() -> None:
    app = open_app("cutoffs")
    bands = {name for name in drawn(app) if ", of" in name or ", over" in name}
    assert bands == {"bm25, over queries", "bm25, of ties", "title_match, of ties"}, "of which the sentence speaks"
    assert any("Bands are those of bm25; click on a line" in note.value for note in app.caption)
    assert "band of ties of title_match" in html_of(app), "which is dotted"
    app.session_state["highlighted"], app.session_state["cutoffs_exports"] = ("indegree",), True
    app.run()
    texts = {one.label: one.value for one in app.text_area}
    lead = "By nDCG, no change of lead is clear: query_url_clicks leads up to k = 2 and bm25 from k = 3 on."
    assert str(texts["Sentence"]).replace("\xa0", " ") == lead
    assert "Outlined band of indegree: 95 %" in str(texts["Note"])
    assert "random tie-breaks. Dotted band of title_match: about" in str(texts["Note"])
    assert {name.split(", ")[0] for name in drawn(app) if ", over" in name} == {"indegree"}


def test_names_are_never_markup_and_highlighted_ones_stay_strong() -> None:
    shades = faded(colours_of(COLOURS, DARK), ["a"], DARK)
    figure = curve_chart(curves(), measure="nDCG", look=DARK, colours=shades, banded=["a"])
    assert all("<b>" not in trace.name for trace in figure.data)
    assert not any("%{x" in text for trace in figure.data for text in trace.text or ())
    by_name = {trace.customdata[0][0]: trace for trace in figure.data if trace.text and "band" in trace.text[0]}
    colours = colours_of(COLOURS, DARK)
    assert by_name["a"].line.color == colours["a"]
    assert by_name[EVIL].line.color != colours[EVIL]


def test_the_axis_holds_every_cutoff_and_points_at_that_of_the_sidebar() -> None:
    figure = curve_chart(curves(), measure="nDCG", look=LIGHT, colours=COLOURS, banded=[], own_cutoff=5)
    low, high = figure.layout.xaxis.range
    assert low < 0 < np.log10(20) < high
    assert figure.layout.xaxis.tickvals == (1, 2, 3, 5, 10, 20), "2 too, of which sentences speak"
    assert figure.layout.shapes[0].x0 == 5
    assert not curve_chart(curves(), measure="", look=LIGHT, colours=COLOURS, banded=[], own_cutoff=7).layout.shapes


def test_features_of_one_value_lie_on_each_other_and_no_name_on_another() -> None:
    names = [f"f{number}" for number in range(8)]
    for last in (0.5, 0.9):
        ends = {name: [0.5, last if name == "f7" else 0.5] for name in names}
        frame = pd.DataFrame({"expected": pd.DataFrame(ends, [1, 9]).T.stack()}).rename_axis(["feature", "k"])
        frame = frame.assign(low=0.0, high=1.0, tie_low=0.5, tie_high=0.5, open=False)
        figure = curve_chart(frame, measure="P", look=LIGHT, colours=dict.fromkeys(names, LIGHT.accent), banded=[])
        first, second = figure.data[:2]
        assert first.marker.size[0] > second.marker.size[0], "seen behind the other"
        low, high = figure.layout.yaxis.range
        at = np.sort([note.y for note in figure.layout.annotations if note.text in names])
        line = 16 * (high - low) / (figure.layout.height - 52)
        assert (np.diff(at) > line - 1e-9).all(), "no name lies on another"
        assert low < at[0] <= at[-1] < high, "plotly hides what is beyond the ends of an axis"


@pytest.mark.parametrize(("highlighted", "rival"), [((), "query_url_clicks"), (("dwell", "bm25"), "dwell")])
def test_the_lead_is_that_of_the_page_pairs_over_who_leads_elsewhere_or_is_highlighted(
    sample_view: View, highlighted: tuple[str, ...], rival: str
) -> None:
    found = cutoffs_of(sample_view, ("bm25", "title_match", "query_url_clicks", "dwell"))
    other, leads = found.lead(banded_of(found.drawn, highlighted))
    assert other == rival
    pairs = cached.board(sample_view).stability.pairs.set_index(["leader", "trailer"])
    for name in ("difference", "low", "high"):
        assert leads.at[10, name] == pytest.approx(pairs.at[("bm25", rival), name], abs=1e-12)
    assert str(pairs.at[("bm25", rival), "verdict"]) == ("open" if leads["open"][10] else "clear")
    hues = dict.fromkeys(found.drawn.index.unique(0), LIGHT.accent)
    figure = lead_chart(leads, [*hues], measure="nDCG", look=LIGHT, colour=LIGHT.accent)
    band, line = figure.data
    assert [*band.y] == [*leads["low"], *leads["high"][::-1]]
    gap = leads.assign(low=leads["low"].where(leads.index < 100))
    less, _ = lead_chart(gap, [*hues], measure="P", look=LIGHT, colour=LIGHT.accent).data
    assert max(less.x) < 100, "a polygon over what is not known has wedges"
    assert [*line.y] == [*leads["difference"]]
    assert [colour == LIGHT.ground for colour in line.marker.color] == [*leads["open"]]
    above = curve_chart(found.against("bm25"), measure="", look=LIGHT, colours=hues, banded=["bm25"])
    assert figure.layout.xaxis.range == above.layout.xaxis.range


def test_the_curves_are_those_of_tiecore_and_of_a_notebook(sample_view: View) -> None:
    app = open_app("cutoffs", query={"cutoffs_features": ["bm25", "query_url_clicks"]})
    own = evaluate(SAMPLE / "qrels.txt", SAMPLE / "clicks.csv", ["nDCG@1", "nDCG@7", "nDCG@100"]).summary
    curve = drawn(app)["query_url_clicks"]
    cutoffs, values = numbers(curve["x"]), numbers(curve["y"])
    for k in (1, 7, 100):
        exact = own.loc[(f"nDCG@{k}", "query_url_clicks"), "expected"]
        assert values[cutoffs.index(k)] == pytest.approx(exact, rel=0, abs=1e-12)
    assert cutoffs[-1] == 308, "the longest list"
    page, axes = drawn(open_app("cutoffs")), sample_view.evaluation.plot.curves().axes[0]
    lines = {str(line.get_label()): line for line in axes.lines[:-1]}  # the last stands at the cut-off
    assert [*lines] == [name for name, trace in page.items() if "marker" in trace]
    for name, line in lines.items():
        assert page[name]["line"]["color"] == line.get_color()
        shown = np.column_stack([numbers(page[name][axis]) for axis in "xy"])
        np.testing.assert_allclose(shown, np.asarray(line.get_xydata()), rtol=0, atol=1e-12)
    assert "query_url_clicks</strong> leads up to k\u00a0=\u00a02" in answer_of(app)


@pytest.mark.usefixtures("tiny_files", "no_preview")
def test_a_measure_without_cutoff_gives_way_to_a_near_one_that_names_files(monkeypatch: pytest.MonkeyPatch) -> None:
    offered: dict[str, Any] = {}
    monkeypatch.setattr(menu, "offer_file", lambda _, make, file_name, **__: offered.update({file_name: make}))
    app = open_app("cutoffs", query={"measure": "Rprec", "rel": "2"}, state={"cutoffs_exports": True})
    assert offered["qrels-cutoffs-curves-p-rel-2.csv"]().decode("utf-8-sig").startswith("Feature,k,Measure,")
    assert "by P(rel=2) (in place of Rprec, which takes no cut-off)" in answer_of(app).replace("By", "by")


@pytest.mark.parametrize("measure", ["nDCG", "ERR"])
def test_a_single_feature_of_three_queries_has_bands_at_once_with_a_closed_form_or_without(measure: str) -> None:
    data = alike((0, 1, 0, 2), {EVIL: (0, 1, 2, 0)})
    app = open_app("cutoffs", query={"measure": measure}, state={"dataset": data})
    assert " at k = 1 to " in answer_of(app).replace("\xa0", " ")
    assert "Ties matter most at k" in answer_of(app), "for no other one it could be less"
    assert any(name.endswith("of ties") for name in drawn(app))
    told = " ".join([html_of(app), *(caption.value for caption in app.caption)])
    assert ("band of ties (from the worst to the best case" in told) == (measure == "ERR")
    assert not any(name.endswith("over queries") for name in drawn(app))
    assert "Bands over queries need more queries." in told
    assert len(app.get("plotly_chart")) == 1, "one feature leads over none"
    assert "<b>x" not in answer_of(app)
    assert "nan" not in "".join(text for trace in drawn(app).values() for text in trace.get("text", ())).lower()


def test_what_would_take_long_is_counted_for_the_features_drawn_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tiecore.collection.alignment.Alignment.n_ranked", lambda _: 10**8)
    documents = range(1700)
    data = alike([d % 3 for d in documents], {f"f{n}": [d // (n + 1) for d in documents] for n in range(6)}, 1)
    app = open_app("cutoffs", query={"measure": "ERR", "cutoffs_features": ["f0", "f3"]}, state={"dataset": data})
    assert "Among the features drawn, by ERR, f3 leads" in plain(answer_of(app))
    assert max(numbers(drawn(app, chart=1)["lead"]["y"])) > 0


def test_lines_are_told_apart_by_dashes_with_no_mark_of_a_tie_break_and_of_equal_ones_both_are_seen() -> None:
    index = pd.MultiIndex.from_product([["a", "b", "c"], [1, 10]], names=["feature", "k"])
    curves = pd.DataFrame(0.5, index, ["expected", "low", "high", "tie_low", "tie_high"]).assign(open=False)
    curves["expected"] *= np.repeat([1, 1 + 1e-13, 1], 2)
    figure = curve_chart(curves, measure="nDCG", look=LIGHT, colours=COLOURS, banded=[])
    lines = [trace for trace in figure.data if trace.mode == "lines+markers"]
    assert {trace.marker.symbol for trace in lines} == {None}, "a circle, for an expectation"
    assert len({trace.line.dash for trace in lines}) == len(lines)
    widths = [trace.line.width for trace in lines]
    assert widths == sorted({*widths}, reverse=True), "the narrower lie on the wider ones"
    texts = {note.text: note.xshift for note in figure.layout.annotations}
    assert len({*texts}) == 6, "each has a sign"
    assert texts["a"] == texts["b"] == texts["c"], "names begin at one place, however long the signs are"
    assert "rings: equal values" in {entry.name for entry in entries_of(figure)}


def test_colours_do_not_depend_on_what_was_looked_at_before(tiny_data: Dataset) -> None:
    def colours(**state: object) -> list[str]:
        app = open_app("cutoffs", state={"dataset": tiny_data, **state})
        return [str(one.proto.spec) for one in app.get("plotly_chart")]

    assert colours() == colours(coloured=["bm25", "clicks", "dwell"])
    assert colours() != colours(coloured=["bm25", *sorted(one.name for one in tiny_data.used)]), "one is switched off"
