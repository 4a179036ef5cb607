"""What the numbers say, in sentences; a module a page.

Each function takes tables of tiecore and gives HTML in which names are escaped. Nothing is computed here but counts.
"""

__all__ = ["SAME"]

SAME = 1e-12
"""Values that differ by no more are equal."""
