"""Questions about systems whose values are at hand: which are better, has one become worse, do judges agree?"""

from tiecore.comparing.compare import compare

__all__ = ["compare"]
