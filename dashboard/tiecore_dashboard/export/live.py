"""Live charts in pages that stand alone: the script that draws them comes along, packed, once for all charts of a page.

The whole of plotly.js has 4.8 MB. The bundle here draws what the dashboard draws (charts with two axes) and has 0.5 MB
packed; the browser unpacks it, so that a page asks nothing of any server.
"""

from __future__ import annotations

import base64
import json
from functools import cache
from itertools import count
from pathlib import Path

from tiecore_dashboard.charts.look import Figure

__all__ = ["BUNDLE", "chart", "script"]

BUNDLE = Path(__file__).parent / "assets" / "plotly-cartesian-4.1.1.min.js.gz"
"""plotly.js as its makers publish it, packed; its licence (MIT) lies beside it."""
_FONT = 'system-ui, "Segoe UI", Roboto, Arial, sans-serif'
"""A page that stands alone brings no font along."""
_NUMBERS = count(1)
_LOADER = """
// The room above a chart is enough for its legend on a phone; where the legend is lower, the chart moves up.
const fit = (chart) => {
  const legend = chart.querySelector(".legend"), margin = chart._fullLayout.margin.t;
  if (!legend || chart.dataset.width === String(chart.clientWidth)) return;
  chart.dataset.width = chart.clientWidth;
  chart.dataset.room ??= margin;
  chart.dataset.height ??= chart._fullLayout.height;
  const tops = [...chart.querySelectorAll(".xtick, .g-xtitle, .annotation")]
    .map((part) => part.getBoundingClientRect()).filter((box) => box.height).map((box) => box.top);
  tops.push(chart.getBoundingClientRect().top + chart._fullLayout._size.t);
  const free = Math.min(...tops) - legend.getBoundingClientRect().bottom - 6;
  const top = Math.min(margin - free, Number(chart.dataset.room)), less = chart.dataset.room - top;
  if (Math.abs(top - margin) < 4) return;
  const height = chart.dataset.height - less;
  chart.style.height = `${height}px`;
  Plotly.relayout(chart, { "margin.t": top, height });
};
(async () => {
  const packed = Uint8Array.from(atob(document.getElementById("plotly").textContent), (one) => one.charCodeAt(0));
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const script = document.createElement("script");
  script.textContent = await new Response(unpacked).text();
  document.head.append(script);
  for (const one of document.querySelectorAll("script.chart")) {
    const { figure, config } = JSON.parse(one.textContent);
    const chart = one.previousElementSibling;
    await Plotly.newPlot(chart, figure.data, figure.layout, config);
    fit(chart);
    new ResizeObserver(() => fit(chart)).observe(chart);
  }
})().catch((error) => {
  for (const one of document.querySelectorAll(".plotly-graph-div")) {
    one.textContent = "This browser cannot draw the chart: open the page in a newer one.";
  }
});
"""


def chart(figure: Figure, *, config: dict[str, object]) -> str:
    """Return HTML for a chart, which is drawn once :func:`script` stands behind it."""
    figure = Figure(figure)
    figure.update_layout(font_family=_FONT, hoverlabel_font_family=_FONT)
    figure.update_xaxes(automargin=True).update_yaxes(automargin=True)  # whatever font is there, no name is cut
    # "<" never ends a script or begins a comment where it is written as JSON may write it
    content = f'{{"figure": {figure.to_json()}, "config": {json.dumps(config)}}}'.replace("<", "\\u003c")
    height = int(figure.layout.height or 450)
    return (
        f'<div class="plotly-graph-div" id="chart-{next(_NUMBERS)}" style="height:{height}px;width:100%"></div>'
        f'<script type="application/json" class="chart">{content}</script>'
    )


@cache
def script() -> str:
    """Return HTML that draws all charts before it; once in a page, at its end."""
    packed = base64.b64encode(BUNDLE.read_bytes()).decode()
    return f'<script type="application/octet-stream" id="plotly">{packed}</script><script>{_LOADER}</script>'
