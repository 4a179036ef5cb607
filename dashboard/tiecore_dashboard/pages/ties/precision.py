"""The part *precision* of the page Ties: what a coarser number format does to the leaderboard, and to one feature."""

from tiecore.diagnostics import hidden_ties, precision_board, precision_curve
from tiecore_dashboard.app import page
from tiecore_dashboard.export import offers
from tiecore_dashboard.export.reproduce import Recipe, quoted
from tiecore_dashboard.pages.ties.answer import hidden_answer, precision_answer, precision_board_answer
from tiecore_dashboard.pages.ties.charts import precision_board_chart, precision_chart
from tiecore_dashboard.pages.ties.repairs import feature_for
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.state.choices import choose_part

FORMATS = ("bfloat16", "float16", "int8", "float32")
"""Number formats in which scores are stored to save room."""


def show_precision(view: View) -> None:
    """Show the leaderboard in a coarser format, then one feature in every precision, and hidden ties."""
    name, higher = str(view.measure), view.measure.higher_is_better
    precision = choose_part("How would my leaderboard look in", FORMATS, key="ties_format")
    with page.progress("Rounding scores", key=(view.key, precision)) as report:
        board = cached.study(view, precision_board, precision=precision, progress=report)
    page.say(precision_board_answer(board, precision=precision, measure=name))
    look = page.look()
    page.chart(
        precision_board_chart(board, precision=precision, measure=name, look=look, higher_is_better=higher),
        key="ties_precision_board",
        alt=f"Expectation of each feature in float64 and in {precision}",
        on_click="highlight",
        stem=f"leaderboard in {precision}",
    )
    page.note(
        "Rounding merges scores into ties; their order is averaged over. *int8* maps the scores of a feature linearly "
        "to −127 … 127."
    )
    feature = feature_for(view, "How coarsely may this feature be stored?")
    with page.progress("Rounding one feature", of="precisions", key=(view.key, feature)) as report:
        curve = cached.study(view, precision_curve, feature=feature, progress=report)
    page.say(precision_answer(curve, feature=feature, measure=name))
    page.chart(
        precision_chart(curve, measure=name, look=look, higher_is_better=higher),
        key="ties_precision",
        alt=f"Expectation and tied share of {feature} in each precision",
        stem=f"precision {feature}",
    )
    with page.progress("Looking for hidden ties", key=view.key) as report:
        hidden = cached.study(view, hidden_ties, progress=report)
    page.say(hidden_answer(hidden))
    if (hidden["restore"] != "").any():
        page.note("Choose that precision in the sidebar, under *Score precision*, to have the ties back.")
    offers.offer(
        view,
        name="precision",
        tables={"Leaderboard": board, "Precisions": curve, "Hidden ties": hidden},
        recipe=Recipe(
            shows=[
                f"precision_board(evaluation, {{measure}}, precision={quoted(precision)})",
                f"precision_curve(evaluation, {quoted(feature)}, {quoted(name)})",
                "hidden_ties(evaluation)",
            ],
            diagnostics=["hidden_ties", "precision_board", "precision_curve"],
            command="ties",
            arguments=["--part", "precision,hidden"],
            feature=feature,
        ),
    )
