"""Files that ``-o`` writes: whole or not at all."""

import errno
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

import pytest

from tests.cli.running import TINY_FILES, answer, ended, environment, mistake, raising, run
from tiecore.cli.render import output as output_module
from tiecore.errors import TiecoreError
from tiecore.files import written_whole


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "old.csv"
    path.write_text("what was there")
    return path


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_what_fails_half_way_leaves_no_new_file_and_the_old_one_as_it_was(
    monkeypatch: pytest.MonkeyPatch, old: Path, error: BaseException
) -> None:
    def half(report: Any, stream: TextIO, format: str) -> None:
        stream.write("half of a report\n" * 10_000)
        raise error

    monkeypatch.setattr(output_module, "_write", half)
    for path in (old, old.with_name("new.csv")):
        result = run("evaluate", *TINY_FILES, "-o", path)
        assert result.exit_code == (2 if isinstance(error, OSError) else 130)
        assert not result.stdout
        assert isinstance(error, KeyboardInterrupt) or f"error: cannot write to {path}: No space left" in result.stderr
    assert list(old.parent.iterdir()) == [old]
    assert old.read_text() == "what was there"


def test_a_file_that_is_written_over_keeps_its_mode_and_link_and_a_new_one_is_usual(old: Path, tmp_path: Path) -> None:
    old.chmod(0o640)
    link = old.with_name("link.csv")
    link.symlink_to(old.name)
    answer("evaluate", *TINY_FILES, "-o", link)
    assert link.is_symlink()
    assert old.read_text().startswith("measure,feature,")
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    assert sorted(old.parent.iterdir()) == [link, old]
    answer("evaluate", *TINY_FILES, "-o", tmp_path / "a.csv")
    (tmp_path / "b.csv").touch()
    assert (tmp_path / "a.csv").stat().st_mode == (tmp_path / "b.csv").stat().st_mode


def test_a_folder_that_takes_no_new_file_still_takes_the_old_one(monkeypatch: pytest.MonkeyPatch, old: Path) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) == old)
    answer("evaluate", *TINY_FILES, "-o", old)
    assert old.read_text().startswith("measure,feature,")


def test_what_may_not_be_written_is_refused_before_work_and_writing(monkeypatch: pytest.MonkeyPatch, old: Path) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    monkeypatch.setattr("tiecore.evaluation.engine.evaluate", raising(AssertionError("the work was done")))
    new = old.with_name("new.csv")
    assert mistake("evaluate", *TINY_FILES, "-o", new) == (
        f"cannot write to {new}: Permission denied; give another file to -o"
    )
    assert run("evaluate", *TINY_FILES, "-o", old).exit_code == 2
    with pytest.raises(PermissionError), written_whole(old):
        pass
    assert old.read_text() == "what was there"


def test_a_planted_link_named_as_the_unfinished_file_is_unused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Somebody who may write into the folder guesses the name of the unfinished file and makes it a link to ours."""
    victim = tmp_path / "victim.txt"
    victim.write_text("precious")
    for name in (f".tiecore-{os.getpid()}.part", f".tiecore-{bytes(16).hex()}.part"):
        (tmp_path / name).symlink_to(victim)
    answer("evaluate", *TINY_FILES, "-o", tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text().startswith("measure,feature,")
    monkeypatch.setattr("os.urandom", bytes)
    assert "File exists" in mistake("evaluate", *TINY_FILES, "-o", tmp_path / "out.csv")
    assert victim.read_text() == "precious"


def test_a_file_that_others_may_not_read_cannot_be_read_while_it_is_rewritten(old: Path) -> None:
    old.chmod(0o600)
    with written_whole(old) as file:
        (part,) = old.parent.glob(".tiecore-*")
        assert stat.S_IMODE(part.stat().st_mode) == 0o600
        file.write("new")
    assert (old.read_text(), stat.S_IMODE(old.stat().st_mode)) == ("new", 0o600)


def test_a_link_to_nothing_yet_gets_its_file_and_a_link_to_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "later.csv").symlink_to(tmp_path / "folder" / "new.csv")
    answer("evaluate", *TINY_FILES, "-o", tmp_path / "later.csv")
    assert (tmp_path / "later.csv").is_symlink()
    assert (tmp_path / "folder" / "new.csv").read_text().startswith("measure,feature,")
    (tmp_path / "loop.csv").symlink_to("loop.csv")
    assert "symbolic links" in mistake("evaluate", *TINY_FILES, "-o", tmp_path / "loop.csv")


def test_a_dash_and_dev_stdout_are_standard_output(tmp_path: Path) -> None:
    usual = answer("evaluate", *TINY_FILES, "-f", "csv")
    assert answer("evaluate", *TINY_FILES, "-f", "csv", "-o", "-") == usual
    if not Path("/dev/stdout").exists():
        pytest.skip("this system has no /dev/stdout")
    command = (sys.executable, "-m", "tiecore", "evaluate", *TINY_FILES, "-f", "csv", "-o", "/dev/stdout")
    with (tmp_path / "redirected.csv").open("wb") as file:
        ended(*command, capture_output=False, stdout=file, env=environment(), check=True)
    assert (tmp_path / "redirected.csv").read_text() == usual


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="open files have no paths here")
@pytest.mark.parametrize("piped", [0, 1], ids=["judgments", "features"])
def test_an_input_may_be_a_pipe(piped: int) -> None:
    """Whoever looks into it takes away what the reader needs."""
    reader, writer = os.pipe()
    with os.fdopen(writer, "wb") as file:
        file.write(TINY_FILES[piped].read_bytes())
    files = [*TINY_FILES]
    files[piped] = Path(f"/dev/fd/{reader}")
    try:
        assert answer("evaluate", *files, "-f", "csv") == answer("evaluate", *TINY_FILES, "-f", "csv")
    finally:
        os.close(reader)


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "pipe.csv"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    yield path
    os.close(reader)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_and_a_device_are_written_to_and_not_replaced(pipe: Path) -> None:
    answer("evaluate", *TINY_FILES, "-o", pipe)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    answer("evaluate", *TINY_FILES, "-o", os.devnull)
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


def test_a_place_that_cannot_even_be_looked_at_is_refused_before_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "is_dir", raising(OSError(errno.EACCES, "Permission denied", "locked")))
    with pytest.raises(TiecoreError, match="Permission denied"):
        output_module.check_output(Path("locked/out.csv"), [])
