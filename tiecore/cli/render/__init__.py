"""Reports as text on a terminal, or as CSV, JSON, Markdown and LaTeX."""
