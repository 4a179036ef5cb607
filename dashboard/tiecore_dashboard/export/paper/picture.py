"""A chart of the pages as PDF, SVG or PNG. The browser is not needed for it, nor any program beside Python."""

from __future__ import annotations

import io
import re
import threading
import warnings
from xml.etree import ElementTree

import matplotlib as mpl

from tiecore_dashboard.charts.look import Figure
from tiecore_dashboard.export.paper.drawing import Drawn
from tiecore_dashboard.export.paper.sheet import Kind, Sheet
from tiecore_dashboard.export.paper.texts import families, width_of

__all__ = ["height_on", "picture"]

_PIXELS_PER_INCH = 300
_LOCK = threading.Lock()  # the settings and the font cache of matplotlib belong to the process
_SVG = "http://www.w3.org/2000/svg"


def picture(figure: Figure, sheet: Sheet, kind: Kind, *, title: str = "", dots: int = _PIXELS_PER_INCH) -> bytes:
    """Return a chart as a file.

    Parameters
    ----------
    figure
        Drawn with the look of the sheet: :func:`~tiecore_dashboard.export.paper.sheet.figure_on`.
    sheet
        Width, letters, ink.
    kind
        ``pdf``, with its fonts; ``svg``, with texts as texts; ``png``.
    title
        For the properties of the file.
    dots
        Per inch, of a PNG.
    """
    with _LOCK, mpl.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing", UserWarning)  # drawn as an empty box
        _settings()
        drawing = Drawn(figure, sheet).drawing
        written = io.BytesIO()
        about = {"Title": title, "Creator": "tiecore"}
        if kind == "png":
            drawing.savefig(written, format="png", dpi=dots, metadata={"Title": title})
        elif kind == "svg":
            drawing.savefig(written, format="svg", metadata=about | {"Date": None})
            return _with_lengths(written.getvalue())
        else:
            drawing.savefig(written, format="pdf", metadata=about | {"CreationDate": None})
        return written.getvalue()


def height_on(figure: Figure, sheet: Sheet) -> float:
    """Return the points that a chart is high on a sheet."""
    with _LOCK, mpl.rc_context():
        _settings()
        return Drawn(figure, sheet).height


def _settings() -> None:
    mpl.rcdefaults()  # whatever the settings of the user are, a figure is the same everywhere
    mpl.rcParams.update(
        {
            "font.family": "sans-serif",
            "font.sans-serif": [*families(), "Verdana", "Arial", "Helvetica", "sans-serif"],
            "text.parse_math": False,  # a dollar in a name is a dollar
            "svg.fonttype": "none",
            "svg.hashsalt": "tiecore",
            "pdf.fonttype": 42,
            "hatch.linewidth": 0.7,
            "text.hinting": "none",
        }
    )


def _with_lengths(svg: bytes) -> bytes:
    """Write into each text of an SVG how long it is, so that it stays inside the picture with any other font too."""
    for prefix, address in (("", _SVG), ("xlink", "http://www.w3.org/1999/xlink")):
        ElementTree.register_namespace(prefix, address)
    root = ElementTree.fromstring(svg)
    for text in root.iter(f"{{{_SVG}}}text"):
        size = re.search(r"font(?:-size)?:[^;]*?([\d.]+)px", text.get("style", ""))
        content = "".join(text.itertext())
        if size and content.strip():
            text.set("textLength", f"{width_of(content, float(size[1])):.2f}")
            text.set("lengthAdjust", "spacingAndGlyphs")
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="utf-8")
