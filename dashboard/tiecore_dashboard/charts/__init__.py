"""Values to plotly figures, a file for each family; nothing here knows Streamlit or files.

A figure is a function from numbers (frames and arrays of tiecore) and a :class:`~tiecore_dashboard.charts.look.Look`
to a ``go.Figure``. It computes no statistic. A ``measure`` is the name that an axis or a table gives its values; its
axis runs backwards unless ``higher_is_better``, so that better is always right or above. If some features are
``highlighted``, the others step back. ``tie_breaks`` are the columns to mark. Every point that stands for a feature, a
pair or a query carries its name as the first entry of its ``customdata``, which is what a page reads after a click.
Names are shown through :func:`~tiecore_dashboard.charts.look.label`, so that what stands in a file never becomes
markup.
"""
