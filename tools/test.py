"""Runs the tests in three parts and ends with one line that counts them all.

    python -m tools.test          what guards a change
    python -m tools.test --all    the slow tests too, and many more examples of every property

The tests in the browser run first and alone: nothing else keeps them waiting, and they leave most libraries compiled.
The other two run side by side, as much work each, so that each test is collected once. Where CI is set, and with --all,
those of the rooms run under coverage, which takes half as long again: the tests of its own room must reach every line
and branch of tiecore.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.etree import ElementTree

OTHERS = ("tests/laws", "tests/dashboard", "tests/project")
ROOMS = tuple(f"--ignore={folder}" for folder in (*OTHERS, "tests/browser"))
COVERAGE = ("--cov", "--cov-report=term") if os.environ.get("CI") or "--all" in sys.argv else ()
PARTS = {"rooms": (*COVERAGE, *ROOMS, "tests", "tiecore"), "others": OTHERS, "browser": ("tests/browser",)}


def main() -> int:
    """Run every part, whatever comes of the others; return the status of the first that failed."""
    chosen = ["--timeout=3600"] if "--all" in sys.argv else ["-m", "not slow"]
    # Matrices of tests are small: the threads for large ones cost each process that is started a tenth of a second.
    environment = {"OPENBLAS_NUM_THREADS": "1"} | os.environ
    if "--all" in sys.argv:
        environment.setdefault("TIECORE_HYPOTHESIS", "thorough")
    reports = {name: Path(".venv", f"{name}.xml") for name in PARTS}
    started, found = time.monotonic(), Counter[str]()

    def run(name: str) -> subprocess.CompletedProcess[bytes]:
        """Run a part; what the one beside another says is kept until both have ended."""
        reports[name].unlink(missing_ok=True)
        command = [sys.executable, "-m", "pytest", *chosen, f"--junitxml={reports[name]}", *PARTS[name]]
        kept = subprocess.PIPE if name == "others" else None
        return subprocess.run(command, check=False, env=environment, stdout=kept, stderr=subprocess.STDOUT)

    with ThreadPoolExecutor(2) as side_by_side:
        ended = [run("browser"), *side_by_side.map(run, ("rooms", "others"))]
    sys.stdout.buffer.write(ended[-1].stdout)
    status = next((part.returncode for part in ended if part.returncode), 0)
    for report in filter(Path.exists, reports.values()):
        for suite in ElementTree.parse(report).getroot():
            found.update({kind: int(suite.get(kind, 0)) for kind in ("tests", "failures", "errors", "skipped")})
    failed = found["failures"] + found["errors"]
    passed = found["tests"] - failed - found["skipped"]
    print(f"All three parts took {time.monotonic() - started:.0f} s; status {status}")
    print(f"{passed} passed, {failed} failed, {found['skipped']} skipped")
    return status


if __name__ == "__main__":
    sys.exit(main())
