"""The places of the systems under each judge."""

from collections.abc import Collection

import plotly.graph_objects as go

from tiecore.comparing import Judges
from tiecore_dashboard.charts.look import Look, colours_of, label
from tiecore_dashboard.pages.ranking.charts import MOST_COLOURED, courses_chart


def judges_chart(found: Judges, *, look: Look, highlighted: Collection[str] = ()) -> go.Figure:
    """Draw the place of each system under each judge, in the order under the first.

    Those that move farthest have a colour, or those that are ``highlighted`` if there are any.
    """
    judges = list(found.studies)
    boards = found.leaderboards
    places = boards["place"].unstack("judge")[judges].sort_values(judges[0], kind="stable")
    values = boards["value"].unstack("judge")[judges].loc[places.index]
    moved = (places.max(axis=1) - places.min(axis=1)).sort_values(ascending=False, kind="stable")
    names = [str(name) for name in places.index]
    return courses_chart(
        names,
        [label(judge, 22) for judge in judges],
        places=places.to_numpy(),
        values=values.to_numpy(),
        chosen=set(highlighted) & set(names) or set(moved[moved > 0].index[:MOST_COLOURED]),
        colours=colours_of(names, look),
        look=look,
    )
