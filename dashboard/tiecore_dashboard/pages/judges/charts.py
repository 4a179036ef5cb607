"""The places of the features under each judge."""

from collections.abc import Mapping

import plotly.graph_objects as go

from tiecore.comparing import Judges
from tiecore_dashboard.charts.look import MOST_COLOURED, Look, label
from tiecore_dashboard.pages.ranking.charts import courses_chart


def farthest_movers(found: Judges) -> list[str]:
    """Return the features whose place depends most on the judge, as many as can be told apart."""
    places = found.leaderboards["place"].unstack("judge")
    moved = (places.max(axis=1) - places.min(axis=1)).sort_values(ascending=False, kind="stable")
    return [str(name) for name in moved[moved > 0].index[:MOST_COLOURED]]


def judges_chart(found: Judges, *, look: Look, colours: Mapping[str, str]) -> go.Figure:
    """Draw the place of each feature under each judge, in the order under the first.

    ``colours``: of the features that are not to step back.
    """
    judges = list(found.studies)
    boards = found.leaderboards
    places = boards["place"].unstack("judge")[judges].sort_values(judges[0], kind="stable")
    values = boards["value"].unstack("judge")[judges].loc[places.index]
    names = [str(name) for name in places.index]
    return courses_chart(
        names,
        [label(judge, 22) for judge in judges],
        places=places.to_numpy(),
        values=values.to_numpy(),
        colours=colours,
        look=look,
    )
