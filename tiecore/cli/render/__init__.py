"""Reports as text on a terminal, or as CSV, JSON, Markdown and LaTeX."""

from typing import Literal

__all__ = ["Format"]

Format = Literal["table", "csv", "json", "markdown", "latex"]
