"""Checks of numbers of draws and seeds."""

from __future__ import annotations

import numpy as np

from tiecore.errors import TiecoreError, shortened


def check_draws(number: object, *, least: int, name: str = "draws") -> None:
    """Refuse what is not a whole number of draws."""
    if not isinstance(number, int | np.integer):
        raise TiecoreError(f"{name} must be a whole number, found {shortened(number)}")
    if number < least:
        raise TiecoreError(f"{name} must be {least} or more, found {shortened(number)}")


def check_seed(seed: object) -> None:
    """Refuse what is not a seed."""
    check_draws(seed, least=0, name="seed")
