"""The tool that changes the code a little tells what no test noticed, and leaves alone what runs elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).parent.parent / "tools" / "mutants.py"
CODE = "def larger(a, b):\n    return a if a > b else b\n"
TEST = "from small import larger\n\n\ndef test_it():\n    assert larger(1, 2) == 2\n"


@pytest.mark.skipif(os.name != "posix", reason="it forks")
def test_what_no_test_notices_is_told(tmp_path: Path) -> None:
    for name, text in {
        "small.py": CODE,
        "tests/test_small.py": TEST,
        "tests/browser/test_elsewhere.py": "raise RuntimeError",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    own = {name: value for name, value in os.environ.items() if not name.startswith(("COVERAGE", "COV_", "PYTEST"))}
    done = subprocess.run(
        [sys.executable, str(TOOL), "small.py"],
        cwd=tmp_path,
        env={**own, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "small.py: 2 mutants, 1 killed, 1 survived\n  small.py:2: a > b  →  a >= b\n" in done.stdout, done.stderr
    assert done.returncode == 1
    assert (tmp_path / "small.py").read_text() == CODE
