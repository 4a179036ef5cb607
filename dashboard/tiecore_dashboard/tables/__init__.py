"""Title, explanation and format of every column, in the order shown; a module a page."""
