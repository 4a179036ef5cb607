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

from tools.formulas_page import formulas_page

__all__ = ["on_files", "on_page_content", "on_page_markdown", "on_post_page"]

ROOT = Path(__file__).parent.parent
OUTSIDE = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "sample_data/README.md", "bench/*.md")
_LINK = re.compile(r"(!?\[(?:[^\]`]|`[^`]*`)*\])\(([^)\s:]+)\)")
_NAMES = re.compile(r"^<!-- names of ([\w.]+) -->$", re.MULTILINE)
_MATH = re.compile(r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', re.DOTALL)
_LOADED = re.compile(r'<(?:script|link|img|iframe)[^>]*?(?:src|href)="((?:https?:)?//[^"]*)"')


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that stand elsewhere in the repository, by their paths there, and the page of formulas."""
    for pattern in OUTSIDE:
        for path in sorted(ROOT.glob(pattern)):
            name = path.relative_to(ROOT).as_posix()
            name = "start.md" if name == "README.md" else name  # mkdocs takes README for the index
            files.append(File.generated(config, name.replace("/README.md", "/about.md"), abs_src_path=str(path)))
    files.append(File.generated(config, "formulas.md", content=formulas_page()))
    return files


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
        target = path.relative_to(ROOT).as_posix().removeprefix("docs/")
        target = {"README.md": "start.md"}.get(target, target.replace("/README.md", "/about.md"))
        if target in known:
            return f"{found[1]}({posixpath.relpath(target, folder or '.')}{mark}{anchor})"
        if not path.exists():
            raise PluginError(f"{page.file.src_uri} links to {found[2]}, which does not exist")
        return found[1].strip("![]")  # a file of the repository that is no page

    markdown = _LINK.sub(lead, markdown)
    return _NAMES.sub(lambda found: "\n\n".join(f"::: {found[1]}.{name}" for name in names_of(found[1])), markdown)


def names_of(room: str) -> list[str]:
    """Return the public names of a room that are no rooms themselves."""
    module = import_module(room)
    return [name for name in module.__all__ if name[:2] != "__" and not hasattr(getattr(module, name), "__path__")]


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
