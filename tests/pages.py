"""Pages in Markdown as tests read them: their code blocks, their links, and the changes that they walk through."""

import doctest
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from click.testing import CliRunner

from tiecore.cli import app

ROOT = Path(__file__).parent.parent
SAMPLE = ROOT / "sample_data"
FORMULAS = ROOT / "dashboard" / "tiecore_dashboard" / "pages" / "method" / "formulas.md"
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of a page."""

    page: Path
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page.name}, line {self.line}"


def pages() -> list[Path]:
    return [
        *(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "SECURITY")),
        *sorted((ROOT / "docs").glob("*.md")),
        FORMULAS,
    ]


def blocks(page: Path, *languages: str) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    found = [Block(page, text.count("\n", 0, m.start()) + 2, m[1], m[2]) for m in _BLOCK.finditer(text)]
    return [block for block in found if not languages or block.language in languages]


def without_blocks(page: Path) -> str:
    return _BLOCK.sub("", page.read_text(encoding="utf-8"))


def assert_python(page: Path) -> int:
    """Run the Python of a page as one session: it gives what it shows. Returns how many blocks there were."""
    found = blocks(page, "python")
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    text = "\n".join(block.text for block in found)
    runner.run(doctest.DocTestParser().get_doctest(text, {}, page.name, None, 0))
    assert runner.summarize(verbose=False).failed == 0, f"the Python of {page.name} gives something else; see above"
    return len(found)


def assert_command(block: Block) -> None:
    """Run the command of a console block: it writes what is shown, to the letter; ``…`` is a line left out or more."""
    command, shown = block.text.split("\n", 1)
    assert command.startswith("$ tiecore "), f"{block}: a console block is one command of tiecore"
    result = CliRunner().invoke(app, shlex.split(command)[2:])
    found = "\n".join(line.rstrip() for line in result.stdout.splitlines())
    pattern = "\n.*?".join(re.escape(part.strip("\n")) for part in re.split(r"^…$", shown, flags=re.MULTILINE))
    assert re.fullmatch(pattern, found, re.DOTALL), f"{block} writes\n{found}\n{result.stderr}"


def links(page: Path) -> list[str]:
    return [unquote(target) for target in _LINK.findall(without_blocks(page))]


def slugs(page: Path) -> set[str]:
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in _HEADING.findall(without_blocks(page)))
    return {heading.strip().replace(" ", "-") for heading in plain}


def apply(block: Block, root: Path) -> list[Path]:
    """Carry out a ``diff`` block on a copy of the repository, without line numbers: each hunk fits in one place only.

    Returns the files that were changed or made.
    """
    changed = []
    for name, hunks in _files_of(block.text):
        path = root / name
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        for hunk in hunks:
            lines = hunk.splitlines(keepends=True)
            old = "".join(line[1:] or "\n" for line in lines if line[:1] != "+")
            new = "".join(line[1:] or "\n" for line in lines if line[:1] != "-")
            places = text.count(old) if text else 1
            assert places == 1, f"{block}: these lines stand {places} times in {name}:\n{old}"
            text = text.replace(old, new) if text else new
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        changed.append(path)
    return changed


def _files_of(diff: str) -> Iterator[tuple[str, list[str]]]:
    for part in re.split(r"^(?=--- )", diff, flags=re.MULTILINE)[1:]:
        head, *hunks = re.split(r"^@@.*\n", part, flags=re.MULTILINE)
        name = re.search(r"^\+\+\+ (?:b/)?(\S+)$", head, re.MULTILINE)
        assert name, f"no +++ line in\n{head}"
        yield name[1], hunks
