"""How much memory the server may take, and what follows from it for files and results."""

import os

from tiecore.formats.limits import FixedLimits

LARGEST_UPLOAD = 200 * 2**20
"""Bytes that an upload may have as it is sent."""
_GIB = 2**30
_USUAL = 4


def memory() -> int:
    """Return the bytes that the server should stay below, as ``tiecore dashboard --memory`` sets them."""
    return int(float(os.environ.get("TIECORE_MEMORY") or _USUAL) * _GIB)


def most_kept() -> int:
    """Return the bytes that results of all visitors take together."""
    return memory() * 2 // 5


def most_together() -> int:
    """Return the bytes that the files of one visitor may have."""
    return memory() // 4


def upload_limits() -> FixedLimits:
    """Return what an upload may hold: what reading and evaluating it takes fits beside the results of others.

    A row takes about 120 bytes while it is read and 60 afterwards, a number 16 and 8, a value of JSON 250.
    """
    share = memory() // _GIB or 1
    return FixedLimits(
        rows=2_500_000 * share,
        cells=20_000_000 * share,
        columns=2_000,
        json_values=1_000_000 * share,
        name=1024,
        unpacked=memory() // 8,
    )
