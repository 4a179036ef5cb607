"""Prints versions of libraries in the form that ``pip --constraint`` reads.

python -m tools.versions lowest   the lowest that pyproject.toml allows, of what tiecore itself needs
python -m tools.versions used     those of this environment, for constraints.txt
"""

from __future__ import annotations

import re
import sys
import tomllib
from importlib.metadata import distributions
from pathlib import Path

PROJECT = Path(__file__).parent.parent / "pyproject.toml"


def lowest() -> list[str]:
    """Return the floor of each requirement, so that none can be promised and forgotten."""
    needed = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["dependencies"]
    return [re.sub(r">=([\d.]+).*", r"==\1", requirement) for requirement in needed]


def used() -> list[str]:
    """Return name and version of all that is installed here, but for tiecore itself and the installer."""
    found = {one.name.lower().replace("_", "-"): one.version for one in distributions()}
    return [f"{name}=={found[name]}" for name in sorted(found.keys() - {"pip", "setuptools", "tiecore"})]


if __name__ == "__main__":
    sys.stdout.write("".join(f"{line}\n" for line in {"lowest": lowest, "used": used}[sys.argv[1]]()))
