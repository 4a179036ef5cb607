"""The archives, built once for all tests of them."""

import os
import sys
import tomllib
from pathlib import Path

import pytest

from tests.cli.running import ended

ROOT = Path(__file__).parent.parent.parent
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = PYPROJECT["project"]
PATIENCE = 60.0  # seconds


def build(source: Path, target: str, into: Path, **variables: str) -> Path:
    command = (sys.executable, "-m", "hatchling", "build", "-t", target, "-d", into)
    done = ended(*command, cwd=source, env=os.environ | variables)
    assert done.returncode == 0, done.stderr
    (found,) = into.glob("*.whl" if target == "wheel" else "*.tar.gz")
    return found


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, "wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, "sdist", tmp_path_factory.mktemp("sdist"))
