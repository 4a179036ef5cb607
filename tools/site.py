"""What `make docs` does beyond mkdocs: pages from outside of docs/, the page of formulas, the names of the reference.

Formulas become MathML, so that nothing has to be loaded to read them.
"""

from __future__ import annotations

import html
import posixpath
import re
from importlib import import_module
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

import tiecore

ROOT = Path(__file__).parent.parent
OUTSIDE = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "sample_data/README.md", "bench/*.md")
FORMULAS = "dashboard/tiecore_dashboard/pages/method/formulas.md"
_MOVED = {"README.md": "start.md", FORMULAS: "formulas.md"}  # mkdocs takes README for the index
_LINK = re.compile(r"(!?\[(?:[^\]`]|`[^`]*`)*\])\(([^)\s:]+)\)")
_NAMES = re.compile(r"^<!-- names of ([\w.]+) -->$", re.MULTILINE)
_MATH = re.compile(r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', re.DOTALL)
_LOADED = re.compile(r'<(?:script|link|img|iframe)[^>]*?(?:src|href)="((?:https?:)?//[^"]*)"')


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that stand elsewhere in the repository, by their paths there, and the page of formulas."""
    for pattern in (*OUTSIDE, FORMULAS):
        for path in sorted(ROOT.glob(pattern)):
            files.append(File.generated(config, _in_site(path), abs_src_path=str(path)))
    return files


def _in_site(path: Path) -> str:
    """Return where a file of the repository stands in the site, if it does."""
    name = path.relative_to(ROOT).as_posix()
    return _MOVED.get(name, name.removeprefix("docs/").replace("/README.md", "/about.md"))


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Lead links to where pages stand in the site, and name every public name of a room."""
    known = {file.src_uri for file in files}
    source = page.file.abs_src_path
    here = Path(source).parent if source else ROOT / "docs"
    folder = posixpath.dirname(page.file.src_uri)

    def lead(found: re.Match[str]) -> str:
        name, mark, anchor = found[2].partition("#")
        if not name:
            return found[0]
        path = (here / name).resolve()
        target = _in_site(path)
        if target in known:
            return f"{found[1]}({posixpath.relpath(target, folder or '.')}{mark}{anchor})"
        if not path.exists():
            raise PluginError(f"{page.file.src_uri} links to {found[2]}, which does not exist")
        return found[1].strip("![]")  # a file of the repository that is no page

    markdown = _LINK.sub(lead, markdown)
    return _NAMES.sub(lambda found: "\n\n".join(f"::: {found[1]}.{name}" for name in names_of(found[1])), markdown)


def names_of(room: str) -> list[str]:
    """Return the public names of a room that are no rooms themselves, and those of tiecore under tiecore alone."""
    module = import_module(room)
    return [
        name
        for name in module.__all__
        if name[:2] != "__"
        and not hasattr(getattr(module, name), "__path__")
        and (room == "tiecore" or getattr(tiecore, name, None) is not getattr(module, name))
    ]


def on_page_content(content: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Write formulas as MathML."""

    def written(found: re.Match[str]) -> str:
        return convert(html.unescape(found[2]).strip(), display="block" if found[1] == "div" else "inline")

    return _MATH.sub(written, content)


def on_post_page(output: str, page: Page, **_: Any) -> str:
    """Refuse a page that would load anything from another host."""
    foreign = _LOADED.findall(re.sub(r'<link rel="canonical"[^>]*>', "", output))
    if foreign:
        raise PluginError(f"{page.file.src_uri} loads {foreign}")
    return output
