"""Changes the code a little, again and again, and tells which changes no test noticed.

    python tools/mutants.py tiecore/measures/linear.py [FILE …] [--tests tests/test_laws.py …] [--results FOLDER]

The files themselves stay as they are. The tests are collected once; for each mutant the process forks, and in the child
the functions get the changed code before the tests run that go through the changed line, quick ones first, until one
fails. Whichever survives is tried on all the tests of its file. What is only carried out when a module is loaded
is changed by loading everything anew. A run that is interrupted goes on where it was.
"""

from __future__ import annotations

import argparse
import ast
import gc
import json
import os
import pickle
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib.machinery import SourceFileLoader
from itertools import accumulate
from pathlib import Path
from types import CodeType, FunctionType

import coverage
import pytest
from mutations import Mutation, mutations_of

ROOT = Path.cwd()
OPTIONS = ["--capture=sys", "-q", "-n", "0", "-p", "no:cacheprovider", "-p", "no:rerunfailures", "--no-header"]
ELSEWHERE = ["tests/browser", "tests/test_packaging.py"]  # what they try runs in other processes
MEMORY = 8 << 30  # bytes that a mutant may address
ENOUGH = 10.0  # seconds of work of the tests for one mutant: the quickest ones, as many as fit
PATIENCE = 60.0  # seconds, beyond ten times the work of the tests: the machine may be busy
HUNG, NOT_THERE = -signal.SIGKILL, 71

Living = dict[tuple[str, int], list[FunctionType]]  # by qualified name and line


def in_child(work: Callable[[], int], log: Path, patience: float) -> int:
    """Do the work in a forked process; returns its exit code, or the negative signal that ended it."""
    child = os.fork()
    if child == 0:
        code = 70
        try:
            os.setpgrp()
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(output, 1)
            os.dup2(output, 2)
            code = work()
        finally:
            sys.stdout.flush()
            os._exit(code)
    deadline = time.monotonic() + patience
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > deadline:
            os.killpg(child, signal.SIGKILL)
        time.sleep(0.002)


def run(items: list[pytest.Item], note: Callable[[pytest.Item], None] = lambda _: None) -> int:
    """Run collected tests until one fails, as pytest does."""
    for item, following in zip(items, [*items[1:], None], strict=True):
        note(item)
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if item.session.testsfailed:
            return 1
    return 0


def measured(items: list[pytest.Item], files: list[str], into: Path) -> int:
    """Run the tests on the code as it is; writes the seconds of each and the tests of each line."""
    cover = coverage.Coverage(data_file=None, branch=False, include=files, config_file=False)
    begun: dict[str, float] = {}
    for node in {node for item in items for node in item.listchain()}:  # here every line counts, whoever runs it
        node.own_markers = [marker for marker in node.own_markers if marker.name != "untraced"]

    def note(item: pytest.Item) -> None:
        begun[item.nodeid] = time.process_time()
        cover.switch_context(item.nodeid)

    cover.start()
    code = run(items, note)
    cover.stop()
    times = [*begun.values(), time.process_time()]
    seconds = {test: after - before for test, before, after in zip(begun, times, times[1:], strict=False)}
    lines = {file: cover.get_data().contexts_by_lineno(file) for file in files}
    tests = {file: {n: set(names) - {""} for n, names in found.items()} for file, found in lines.items()}
    into.write_bytes(pickle.dumps((seconds, tests)))
    return code


def functions_of(path: str) -> Living:
    """Return the living functions of a file."""
    found: Living = {}
    for thing in gc.get_objects():
        if type(thing) is FunctionType and thing.__code__.co_filename == path:
            found.setdefault((thing.__code__.co_qualname, thing.__code__.co_firstlineno), []).append(thing)
    return found


def codes_of(code: CodeType) -> Iterator[CodeType]:
    """Yield a code object and all those inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes_of(constant)


def changed_in_place(path: str, mutation: Mutation, tree: ast.Module, items: list[pytest.Item], living: Living) -> int:
    """Give the functions of the file their changed code, and run the tests."""
    mutation.apply()
    changed = 0
    for code in codes_of(compile(tree, path, "exec")):
        for function in living.get((code.co_qualname, code.co_firstlineno), ()):
            changed += function.__code__ != code
            function.__code__ = code
    return run(items) if changed else NOT_THERE


def changed_when_loaded(path: str, mutation: Mutation, tree: ast.Module, items: list[pytest.Item], _: Living) -> int:
    """Load everything anew, the changed code in the place of the file, and run the tests."""
    mutation.apply()
    original = SourceFileLoader.get_code

    def get_code(self: SourceFileLoader, fullname: str) -> CodeType | None:
        return compile(tree, path, "exec") if self.path == path else original(self, fullname)

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign, assignment]
    for name in [name for name in sys.modules if name.partition(".")[0] in ("tiecore", "dashboard", "tests")]:
        del sys.modules[name]
    names = {item.nodeid for item in items}

    class Chosen:
        def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
            items[:] = [item for item in items if item.nodeid in names]

    files = list(dict.fromkeys(name.partition("::")[0] for name in names))
    code = int(pytest.main([*files, "-x", *OPTIONS], plugins=[Chosen()]))
    return 0 if code == 5 else code  # none collected


def functions_in(tree: ast.Module) -> set[int]:
    """Return the lines that belong to the body of a function."""
    inside: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            inside |= set(range(node.body[0].lineno, (node.end_lineno or 0) + 1))
    return inside


class Trial:
    """Pytest plugin: in place of running the tests once, runs them on every mutant."""

    def __init__(self, files: list[str], results: Path, seconds: float, every: int) -> None:
        self.files = files
        self.every = every
        self.results = results
        self.stop = time.monotonic() + seconds
        self.file = results / "results.jsonl"
        self.known: dict[tuple[object, ...], list[object]] = {}
        if self.file.exists():
            self.known = {tuple(row[:4]): row for row in map(json.loads, self.file.read_text().splitlines())}
        self.rows: list[list[object]] = []

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try all mutants."""
        paths = {name: str((ROOT / name).resolve()) for name in self.files}
        cache = self.results / "tests.pickle"
        if not cache.exists():
            part = cache.with_suffix(".part")
            if in_child(partial(measured, session.items, list(paths.values()), part), self.results / "log", 3600.0):
                pytest.exit(f"the tests fail on the code as it is: see {self.results / 'log'}", 3)
            part.rename(cache)
        seconds, tests_of_line = pickle.loads(cache.read_bytes())
        self.items = {item.nodeid: item for item in session.items}
        self.seconds = {test: spent for test, spent in seconds.items() if test in self.items}
        self.living_of_file = {path: functions_of(path) for path in paths.values()}
        gc.freeze()  # so that a child copies no more of the memory than it changes
        for name, path in paths.items():
            if not self.try_all(name, path, tests_of_line[path]):
                print(f"stopped in {name}; the same command goes on there")
                break
        print(report(self.rows))
        return True

    def try_all(self, name: str, path: str, tests_of_line: dict[int, set[str]]) -> bool:
        """Try the mutants of one file; False if time is up."""
        tree = ast.parse(Path(path).read_text())
        bodies = functions_in(tree)
        everything = set().union(*tests_of_line.values()) or set(self.seconds)
        for number, mutation in enumerate(mutations_of(tree)):
            if number % self.every:
                continue
            identity = (name, number, mutation.before, mutation.after)
            if identity not in self.known:
                if time.monotonic() > self.stop:
                    return False
                begun = time.monotonic()
                here = tests_of_line.get(mutation.line, set())
                outcome = "not applied"
                if mutation.line in bodies:
                    outcome = self.outcome(changed_in_place, path, mutation, tree, here)
                    if outcome == "survived" and len(here) < len(everything):
                        outcome = self.outcome(changed_in_place, path, mutation, tree, everything)
                if outcome == "not applied":
                    outcome = self.outcome(changed_when_loaded, path, mutation, tree, self.seconds)
                row = [*identity, mutation.line, outcome, round(time.monotonic() - begun, 2)]
                self.known[identity] = row
                with self.file.open("a") as file:
                    file.write(json.dumps(row) + "\n")
                if outcome == "survived":
                    print(f"{name}:{mutation.line}: {mutation.before}  →  {mutation.after}", flush=True)
            self.rows.append(self.known[identity])
        return True

    def outcome(
        self, how: Callable[..., int], path: str, mutation: Mutation, tree: ast.Module, tests: Iterable[str]
    ) -> str:
        """Run the given tests on one mutant."""
        quickest = sorted((test for test in tests if test in self.seconds), key=self.seconds.__getitem__)
        spent = accumulate(self.seconds[test] for test in quickest)
        names = [test for test, total in zip(quickest, spent, strict=True) if total <= ENOUGH]
        by_file: Counter[str] = Counter()
        for test in names:
            by_file[test.partition("::")[0]] += self.seconds[test]  # type: ignore[assignment]
        names.sort(key=lambda test: (by_file[test.partition("::")[0]], test.partition("::")[0], self.seconds[test]))
        work = partial(how, path, mutation, tree, [self.items[test] for test in names], self.living_of_file[path])
        code = in_child(work, self.results / "log", PATIENCE + 10 * sum(by_file.values()))
        return {0: "survived", HUNG: "hung", NOT_THERE: "not applied"}.get(code, "killed")


def report(rows: list[list[object]]) -> str:
    """Counts by file, and the survivors."""
    lines = []
    for name in dict.fromkeys(row[0] for row in rows):
        outcomes = Counter(row[5] for row in rows if row[0] == name)
        lines.append(f"{name}: {outcomes.total()} mutants, " + ", ".join(f"{n} {o}" for o, n in outcomes.most_common()))
    lines += [f"  {row[0]}:{row[4]}: {row[2]}  →  {row[3]}" for row in rows if row[5] == "survived"]
    return "\n".join(lines)


def main() -> int:
    """Try all mutants of the files; returns 1 if any survived."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--tests", nargs="+", default=["tests"])
    parser.add_argument("--results", type=Path, default=Path("build/mutants"))
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so long; a second call goes on")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="try each N-th mutant only")
    chosen = parser.parse_args()
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = "1"  # a forked process has no use for the threads of its parent
    chosen.results.mkdir(parents=True, exist_ok=True)
    trial = Trial(chosen.files, chosen.results, chosen.seconds, chosen.every)
    left_out = [f"--ignore={path}" for path in ELSEWHERE]
    code = int(pytest.main([*chosen.tests, *OPTIONS, *left_out], plugins=[trial]))
    return code or int(any(row[5] == "survived" for row in trial.rows))


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main())
