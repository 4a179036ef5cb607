"""The compiled part is made where there is a compiler, and installation succeeds without it everywhere else."""

from __future__ import annotations

import ctypes
import shutil
from pathlib import Path

import pytest

from hatch_build import BUILT, KERNEL, compile_kernel

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a copy of what the compiler reads, with a library of an older source."""
    (tmp_path / KERNEL).mkdir(parents=True)
    shutil.copy(ROOT / KERNEL / "kernel.c", tmp_path / KERNEL)
    (tmp_path / BUILT).write_bytes(b"older")
    return tmp_path


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler here")
def test_the_library_is_made_where_there_is_a_compiler(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.delenv("TIECORE_KERNEL", raising=False)
    assert compile_kernel(checkout)
    assert hasattr(ctypes.CDLL(str(checkout / BUILT)), "tiecore_open")
    assert sorted(path.name for path in (checkout / KERNEL).iterdir()) == ["_kernel.so", "kernel.c"]


@pytest.mark.parametrize(
    ("name", "value"), [("CC", "no-compiler-of-this-name"), ("CC", "false"), ("TIECORE_KERNEL", "off")]
)
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
