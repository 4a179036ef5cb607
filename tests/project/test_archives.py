"""The archives hold what they should, say what they need, and pass what a registry looks at."""

import re
import sys
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

import pytest
from packaging.requirements import Requirement

from tests.cli.running import ended
from tests.project.conftest import PROJECT, PYPROJECT, ROOT, build

pytestmark = pytest.mark.slow


def names_in(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {info.filename for info in archive.infolist() if not info.is_dir()}


def described(wheel: Path, name: str) -> str:
    with zipfile.ZipFile(wheel) as archive:
        (path,) = (path for path in archive.namelist() if path.endswith(f".dist-info/{name}"))
        return archive.read(path).decode()


def unpack(sources: Path, folder: Path) -> Path:
    with tarfile.open(sources) as archive:
        archive.extractall(folder, filter="data")
    (unpacked,) = (path for path in folder.iterdir() if path.is_dir())
    return unpacked


def files_under(*folders: str) -> set[str]:
    found = (path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file())
    return {path.relative_to(ROOT).as_posix() for path in found if "__pycache__" not in path.parts}


def in_the_wheel(path: str) -> str:
    path = path.removeprefix("dashboard/")
    if path == "app.py" or path.startswith(".streamlit/"):
        return f"tiecore_dashboard/start/{path}"
    return f"tiecore_dashboard/{path}" if path.startswith("sample_data/") else path


def test_the_wheel_holds_both_packages_with_the_sample_inside_and_nothing_else(wheel: Path) -> None:
    folder = f"tiecore-{PROJECT['version']}.dist-info"
    told = {f"{folder}/{name}" for name in ("METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE")}
    ours = {in_the_wheel(path) for path in files_under("tiecore", "dashboard", "sample_data")}
    assert names_in(wheel) == ours | told


def test_the_source_archive_gives_the_same_wheel(wheel: Path, sources: Path, tmp_path: Path) -> None:
    source = unpack(sources, tmp_path)
    (source / "tiecore/kernel/_kernel.1234").touch()  # which another process is compiling
    assert described(build(source, "wheel", tmp_path), "RECORD") == described(wheel, "RECORD")


def test_a_wheel_without_the_compiled_library_is_for_every_machine(sources: Path, tmp_path: Path) -> None:
    pure = build(unpack(sources, tmp_path), "wheel", tmp_path, TIECORE_KERNEL="off")
    assert pure.name == f"tiecore-{PROJECT['version']}-py3-none-any.whl"
    assert not {name for name in names_in(pure) if name.endswith(".so")}


@pytest.mark.skipif(sys.platform != "linux", reason="tags of other systems are taken as they are")
def test_a_wheel_with_the_compiled_library_is_for_every_linux_that_it_runs_on(wheel: Path) -> None:
    if "tiecore/kernel/_kernel.so" not in names_in(wheel):
        pytest.skip("the library is not compiled here")
    (name,) = re.findall(r"-py3-none-(manylinux_2_\d+_\w+)\.whl$", wheel.name)
    assert f"\nTag: py3-none-{name}\n" in described(wheel, "WHEEL")
    assert f'the following platform tag: "{name}"' in checked_by("auditwheel", "show", wheel)


def test_a_registry_takes_the_archives_which_hold_no_more_than_needed(wheel: Path, sources: Path) -> None:
    assert checked_by("twine", "check", "--strict", wheel, sources).count("PASSED") == 2
    assert checked_by("check_wheel_contents", wheel).endswith(": OK")
    with tarfile.open(sources) as archive:
        names = [PurePosixPath(name) for name in archive.getnames()]
    beside = {".gitignore", "CHANGELOG.md", "LICENSE", "PKG-INFO", "README.md", "hatch_build.py", "pyproject.toml"}
    assert {path.parts[1] for path in names} == {"tiecore", "dashboard", "sample_data"} | beside


def checked_by(tool: str, *arguments: object) -> str:
    pytest.importorskip(tool)
    done = ended(sys.executable, "-m", tool, *arguments, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    return " ".join(done.stdout.split())


def test_the_metadata_name_licences_python_versions_and_an_extra_for_the_dashboard(wheel: Path) -> None:
    told = described(wheel, "METADATA")
    assert "\nLicense-Expression: MIT AND CC-BY-4.0\n" in told
    versions = re.findall(r"^Classifier: Programming Language :: Python :: (3\.\d+)$", told, re.MULTILINE)
    assert f"\nRequires-Python: >={versions[0]}\n" in told
    assert versions == ["3.11", "3.12", "3.13", "3.14"]
    needed = [*map(Requirement, re.findall(r"^Requires-Dist: (.+)$", told, re.MULTILINE))]
    always = {requirement.name for requirement in needed if requirement.marker is None}
    assert always == {"numpy", "pandas", "pyarrow", "scipy", "click", "rich"}
    extra = {one.name for one in needed if one.marker and one.marker.evaluate({"extra": "dashboard"})}
    assert extra - always == {"streamlit", "plotly", "matplotlib"}


def test_every_requirement_has_a_floor_and_a_ceiling() -> None:
    texts = [*PYPROJECT["build-system"]["requires"], *PROJECT["dependencies"]]
    for extra in PROJECT["optional-dependencies"].values():
        texts += extra
    for requirement in map(Requirement, texts):
        if requirement.name != PROJECT["name"]:
            assert sorted(one.operator for one in requirement.specifier) == ["<", ">="], str(requirement)
