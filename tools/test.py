"""Runs the tests in three parts and ends with one line that counts them all.

    python -m tools.test          what guards a change
    python -m tools.test --all    the slow tests too, and many more examples of every property

The tests in the browser run first and alone: nothing else keeps them waiting, and they leave most libraries compiled.
The files of the other two parts are shared out among the processors. Where CI is set, and with --all, those of the
rooms run under coverage, which takes half as long again: the tests of its own room must reach every line and branch of
tiecore.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

OTHERS = ("tests/laws", "tests/dashboard", "tests/project")
ROOMS = tuple(f"--ignore={folder}" for folder in (*OTHERS, "tests/browser"))
COVERAGE = ("--cov", "--cov-report=term") if os.environ.get("CI") or "--all" in sys.argv else ()
SHARED = ("-n", "logical", "--maxprocesses", "8", "--dist", "loadfile")  # each takes half a gigabyte
PARTS = {
    "browser": ("tests/browser",),
    "rooms": (*SHARED, *COVERAGE, *ROOMS, "tests", "tiecore"),
    "others": (*SHARED, *OTHERS),
}


def main() -> int:
    """Run every part, whatever comes of the others; return the status of the last that failed."""
    chosen = ["--timeout=3600"] if "--all" in sys.argv else ["-m", "not slow"]
    # Matrices of tests are small: the threads for large ones cost each process that is started a tenth of a second.
    environment = {"OPENBLAS_NUM_THREADS": "1"} | os.environ
    if "--all" in sys.argv:
        environment.setdefault("TIECORE_HYPOTHESIS", "thorough")
    started, status, found = time.monotonic(), 0, Counter[str]()
    for name, options in PARTS.items():
        report = Path(".venv", f"{name}.xml")
        report.unlink(missing_ok=True)
        command = [sys.executable, "-m", "pytest", *chosen, f"--junitxml={report}", *options]
        status = subprocess.run(command, check=False, env=environment).returncode or status
        if report.exists():
            for suite in ElementTree.parse(report).getroot():
                found.update({kind: int(suite.get(kind, 0)) for kind in ("tests", "failures", "errors", "skipped")})
    failed = found["failures"] + found["errors"]
    passed = found["tests"] - failed - found["skipped"]
    print(f"All three parts took {time.monotonic() - started:.0f} s; status {status}")
    print(f"{passed} passed, {failed} failed, {found['skipped']} skipped")
    return status


if __name__ == "__main__":
    sys.exit(main())
