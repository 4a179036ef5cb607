"""Systems whose values are at hand: which are clearly better, whether one has become worse, whether judges agree."""

from tiecore.comparing.compare import compare

__all__ = ["compare"]
