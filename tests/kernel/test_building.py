"""The compiled part is made where there is a compiler, and installation succeeds without it everywhere else."""

import ctypes
import os
import shutil
import sys
from pathlib import Path

import pytest

from hatch_build import BUILT, KERNEL, compile_kernel, platform_of
from tests.cli.running import ended

ROOT = Path(__file__).parent.parent.parent
COMPILER = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler here")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a copy of what the compiler reads, with a library of an older source."""
    (tmp_path / KERNEL).mkdir(parents=True)
    shutil.copy(ROOT / KERNEL / "kernel.c", tmp_path / KERNEL)
    (tmp_path / BUILT).write_bytes(b"older")
    return tmp_path


@COMPILER
def test_the_library_is_made_where_there_is_a_compiler(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.delenv("TIECORE_KERNEL", raising=False)
    assert compile_kernel(checkout)
    assert hasattr(ctypes.CDLL(str(checkout / BUILT)), "tiecore_open")
    assert sorted(path.name for path in (checkout / KERNEL).iterdir()) == ["_kernel.so", "kernel.c"]


@pytest.mark.parametrize(("name", "value"), [("CC", "no-such-compiler"), ("CC", "false"), ("TIECORE_KERNEL", "off")])
def test_without_a_compiler_there_is_no_library_and_no_error(
    name: str, value: str, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    assert not compile_kernel(checkout)
    assert [path.name for path in (checkout / KERNEL).iterdir()] == ["kernel.c"]


def test_a_source_that_does_not_compile_is_no_error(checkout: Path) -> None:
    (checkout / KERNEL / "kernel.c").write_text("not C")
    assert not compile_kernel(checkout)
    (checkout / KERNEL / "kernel.c").unlink()
    assert not compile_kernel(checkout)


@pytest.mark.parametrize(
    ("library", "platform"),
    [
        (b"\0GLIBC_2.2.5\0GLIBC_2.14\0", "manylinux_2_17_x86_64"),
        (b"\0GLIBC_2.38\0GLIBC_2.3\0", "manylinux_2_38_x86_64"),
        (b"of another C library", "linux_x86_64"),
    ],
)
def test_a_wheel_names_the_oldest_systems_that_its_library_runs_on(
    library: bytes, platform: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sysconfig.get_platform", lambda: "linux-x86_64")
    assert platform_of(library) == platform


@pytest.mark.slow
@pytest.mark.timeout(600)
@COMPILER
def test_nothing_is_read_or_written_behind_the_end(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The equality tests, by a library that checks every access and all that C leaves undefined."""
    monkeypatch.setenv("CC", "cc -fsanitize=address,undefined -fno-sanitize-recover=all")
    if not compile_kernel(checkout):
        pytest.skip("the compiler has no sanitizers")
    program = (
        "import pathlib, sys, pytest; from tiecore.kernel import library; "
        "library.BUILT = pathlib.Path(sys.argv[1]); assert library.is_there(); sys.exit(pytest.main(sys.argv[2:]))"
    )
    tests = [f"tests/kernel/test_{name}.py" for name in ("reading", "matching")]
    checks = ended("cc", "-print-file-name=libasan.so", check=True).stdout.strip()
    env = os.environ | {"LD_PRELOAD": checks, "ASAN_OPTIONS": "detect_leaks=0", "TIECORE_KERNEL": ""}
    options = ("-q", "--timeout=600", "-p", "no:cacheprovider")
    done = ended(sys.executable, "-c", program, checkout / BUILT, *tests, *options, cwd=ROOT, env=env, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
