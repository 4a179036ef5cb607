"""The dashboard puts nothing in the place of what other libraries hold; private names of theirs are for the linter."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "dashboard"
OURS = {"tiecore", "tiecore_dashboard", *sys.stdlib_module_names}
THEIRS = {
    *("data-test-connection-state", "dispatchEvent"),  # the connection, and a touch beside open settings
    *('data-testid="stExpandSidebarButton"', 'data-testid*="-primary"', "data-tag"),
    *("stMainBlockContainer", "stElementToolbar", 'aria-label^="Help for"'),
    *("modebar-container", "xtick", "annotation", 'data-index="0"', "role=group"),
}
"""Parts of Streamlit and Plotly that have no key of ours, and what is done as if by hand: no more than these."""


def foreign_names(tree: ast.AST) -> set[str]:
    """Return the names under which a module knows what it has imported from other libraries."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = {(one.asname or one.name).split(".")[0]: one.name.split(".")[0] for one in node.names}
            found |= {name for name, library in names.items() if library not in OURS}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] not in OURS:
            found |= {one.asname or one.name for one in node.names}
    return found


def base_of(node: ast.expr) -> str:
    """Return the name that a chain of attributes, items and calls begins with."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def trespasses(source: str) -> Iterator[str]:
    tree = ast.parse(source)
    foreign = foreign_names(tree)
    for node in ast.walk(tree):
        targets = node.targets if isinstance(node, ast.Assign | ast.Delete) else []
        targets = [node.target] if isinstance(node, ast.AugAssign) else targets
        if isinstance(node, ast.Call) and base_of(node) == "setattr":
            targets = node.args[:1]
        for target in targets:
            inside = base_of(target)
            is_theirs = inside in foreign and not isinstance(target, ast.Name | ast.Subscript)
            if is_theirs or (isinstance(node, ast.Call) and inside in foreign) or inside == "vars":
                yield f"line {target.lineno}: sets {ast.unparse(target)}"


@pytest.mark.parametrize(
    "source",
    [
        "import uvicorn\nuvicorn.Server = 1",
        "import uvicorn\nvars(uvicorn)['Server'] = 1",
        "import uvicorn\nsetattr(uvicorn, 'Server', 1)",
        "from streamlit.x import y\ny.z.flush = 1",
    ],
)
def test_what_is_looked_for_is_found(source: str) -> None:
    assert list(trespasses(source))


def test_no_module_of_the_dashboard_reaches_into_another_library() -> None:
    paths = [*FOLDER.rglob("*.py")]
    assert len(paths) > 30
    found = {str(path): list(trespasses(path.read_text(encoding="utf-8"))) for path in paths}
    assert {path: wrong for path, wrong in found.items() if wrong} == {}


def names_of_others(path: Path, own: set[str]) -> set[str]:
    """Return classes, ids and attributes that are not ours and that a script, or a style of the whole page, uses."""
    text = re.sub(r"(?sm)/\*.*?\*/|^\s*//[^\n]*|<script>.*", "", path.read_text(encoding="utf-8"))
    taken = r"(?:querySelector\w*|closest|matches)\((.*?)\)" if path.suffix == ".js" else r"([^{};]+)\{"
    selectors = " ".join(re.findall(taken, text))
    found = set(re.findall(r"\[(.*?)\]", selectors)) - {"role=status", "role=radiogroup"}
    found |= set(re.findall(r"[.#]([a-zA-Z][\w-]*)", re.sub(r"\[.*?\]", "", selectors)))
    found |= set(re.findall(r"dispatchEvent|\.click\(", text))
    return {one for one in found - own if not one.startswith(("st-key-", "class*="))}


def test_scripts_and_styles_lean_on_few_names_that_are_not_ours() -> None:
    paths = [path for kind in ("py", "html", "js") for path in FOLDER.rglob(f"*.{kind}")]
    sources = " ".join(path.read_text(encoding="utf-8") for path in paths)
    classes = re.findall(r'(?:class=|classList.toggle\(|toggleAttribute\()"([^"]*)"', sources)
    own = {*" ".join(classes).split(), *re.findall(r"data-[a-z]+(?==)", sources)}
    found = set()
    for path in [*FOLDER.rglob("*.js"), *FOLDER.rglob("*.css"), *FOLDER.rglob("*.html")]:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"\._[a-z]|__react|getOwnPropertyDescriptor|cloneNode", text), path.name
        if path.suffix == ".js" or path.parent.parent.name == "app":  # other styles hold for their component alone
            found |= names_of_others(path, own)
    assert found == THEIRS


def test_no_rule_makes_the_browser_style_the_whole_page_anew_at_each_change() -> None:
    assets = FOLDER / "tiecore_dashboard" / "app" / "assets"
    styles = "".join((assets / name).read_text(encoding="utf-8") for name in ("style.css", "shell.html"))
    always = re.sub(r"(?sm)^@media (?:print|\(max-)(?:[^\n]*\} *\}$|.*?^\})|/\*.*?\*/", "", styles)
    whole = r"(?:^|[,{};]\s*)(?:body|div|html|main|:root|#\w+)?:has\(|\[class[^\]]*\]\s*[ >+~]\s*[*.\w:]"
    assert not re.search(whole, always)
    assert all(re.search(whole, f"a {{}}\n{one} {{}}") for one in ("body:has(.x) p", ":has(.x) + p", "[class*=x] > *"))
