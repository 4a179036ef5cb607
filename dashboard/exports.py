"""Anything shown can be had: tables as CSV and LaTeX, charts as HTML, the view as Python code and as a command."""

from __future__ import annotations

import math
import re
import shlex
from collections import Counter
from collections.abc import Sequence

import pandas as pd

from dashboard import words
from dashboard.cached import View
from dashboard.conventions import chosen, departures
from dashboard.datasets import Dataset
from dashboard.figures.look import Figure

__all__ = [
    "PICTURE_FORMATS",
    "as_command",
    "as_csv",
    "as_html",
    "as_latex",
    "as_python",
    "chart_config",
    "file_stem",
    "settings_in_words",
]

PICTURE_FORMATS = ("svg", "png")
_WIDE = 88


def as_csv(table: pd.DataFrame) -> bytes:
    """Table with its index, full precision, UTF-8 with a mark so that spreadsheets read it rightly.

    Cells that a spreadsheet would run as a formula are kept from it by an apostrophe.
    """
    has_names = any(name is not None for name in table.index.names)
    named = table.reset_index() if has_names else table
    texts = named.select_dtypes(["object", "str", "category"]).columns
    safe = named.assign(**{column: named[column].map(_no_formula) for column in texts}) if len(texts) else named
    return safe.rename(columns=_no_formula).to_csv(index=False).encode("utf-8-sig")


def _no_formula(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell


def chart_config(stem: str, picture: str = "svg") -> dict[str, object]:
    """Configure the toolbar of a chart: a picture in one click, nothing that leaves the computer."""
    return {
        "displaylogo": False,
        "showSendToCloud": False,
        "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d", "zoomIn2d", "zoomOut2d", "zoom2d", "pan2d"],
        "toImageButtonOptions": {"format": picture, "filename": stem, "scale": 3 if picture == "png" else 1},
        "responsive": True,
    }


def as_html(figure: Figure, *, title: str, stem: str) -> str:
    """One self-contained page with a live chart; it asks nothing of any server."""
    config = chart_config(stem) | {"displayModeBar": True}
    body = figure.to_html(full_html=False, include_plotlyjs=True, include_mathjax=False, config=config)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{words.in_html(title)}</title></head><body>{body}</body></html>"
    )


def as_latex(table: pd.DataFrame, *, caption: str, formats: dict[str, str] | None = None) -> str:
    """Table for a paper, in booktabs; names are escaped."""
    formats = formats or {}
    shown = table.reset_index()
    head = " & ".join(_tex(str(column)) for column in shown.columns)
    lines = [
        " & ".join(
            _tex(_cell(value, formats.get(str(column)))) for column, value in zip(shown.columns, row, strict=True)
        )
        for row in shown.itertuples(index=False, name=None)
    ]
    kinds = "".join("r" if pd.api.types.is_numeric_dtype(kind) else "l" for kind in shown.dtypes)
    body = " \\\\\n    ".join(lines)
    return (
        "% needs \\usepackage{booktabs}\n"
        "\\begin{table}\n  \\centering\n"
        f"  \\caption{{{_tex(caption)}}}\n"
        f"  \\begin{{tabular}}{{{kinds}}}\n    \\toprule\n    {head} \\\\\n    \\midrule\n    {body} \\\\\n"
        "    \\bottomrule\n  \\end{tabular}\n\\end{table}\n"
    )


def _cell(value: object, form: str | None) -> str:
    if isinstance(value, float):
        return words.NOTHING if math.isnan(value) else format(value, form or ".4f")
    return str(value)


_TEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "−": "$-$", "–": "--", "±": r"$\pm$", "≥": r"$\ge$", "≤": r"$\le$", "▲": r"$\uparrow$", "▼": r"$\downarrow$",
}  # fmt: skip


def _tex(text: str) -> str:
    return "".join(_TEX.get(character, character) for character in text)


def file_stem(*parts: str) -> str:
    """Name of a file to download, of harmless characters.

    >>> file_stem("ranking", "nDCG(dcg='exp-log2')@10")
    'ranking-ndcg-dcg-exp-log2-10'
    """
    return "-".join(filter(None, re.split(r"[^a-z0-9]+", " ".join(parts).lower())))


def as_python(view: View) -> str:
    """Code that gives the numbers of the view again, with the files where they lie or under the names they had."""
    data, options = view.dataset, view.settings.options
    lines = ["import tiecore", ""]
    if _stands_as_it_is(data):
        features = _files_in_code(data)
    else:
        features, loading = _chosen_in_code(data)
        lines += [*loading, ""]
    lines += ["evaluation = tiecore.evaluate(", f"    {_qrels_in_code(data)},", f"    {features},"]
    lines.append(f"    measures=[{_quoted(str(view.measure))}],")
    if view.tie_breaks:
        lines.append(f"    tie_breaks=[{', '.join(map(_quoted, view.tie_breaks))}],")
    for convention, value in departures(options):
        lines.append(f"    {convention.field}={_quoted(value)},")
    turned = [feature.name for feature in data.used if feature.lower_is_better]
    if turned:
        lines.append(f"    ascending=[{', '.join(map(_quoted, turned))}],")
    lines += [")", f"print(evaluation.leaderboard({_quoted(str(view.measure))}))"]
    return "\n".join(lines) + "\n"


def as_command(view: View) -> str:
    """Line for the shell that gives the numbers of the view again."""
    data, options = view.dataset, view.settings.options
    qrels = data.qrels
    files = dict.fromkeys(feature.file for feature in data.used)
    parts = ["tiecore", "evaluate", qrels.written if qrels else ""]
    parts += [
        data.file(digest).written for digest in files if qrels is None or [digest] != [qrels.digest] or len(files) > 1
    ]
    parts += ["-m", str(view.measure)]
    for name in view.tie_breaks:
        parts += ["-t", name]
    for convention, value in departures(options):
        parts += [convention.flag, value]
    for feature in data.used:
        if feature.lower_is_better:
            parts += ["--ascending", _names_in_files(data)[feature.file, feature.column]]
    command = shlex.join(parts)
    if not _stands_as_it_is(data):
        command += "\n# names are those of the files, and every feature in them is listed"
    return command


def _names_in_files(data: Dataset) -> dict[tuple[str, str], str]:
    """Names that the features have where nobody has renamed them, by file and column, in the order of the files."""
    files = [data.file(digest) for digest in dict.fromkeys(feature.file for feature in data.used)]
    tags = Counter(column for file in files for column in file.records.features)
    return {
        (file.digest, column): file.records.stem if file.records.kind == "run" and tags[column] > 1 else column
        for file in files
        for column in file.records.features
    }


def _stands_as_it_is(data: Dataset) -> bool:
    """Whether giving the files is enough: nothing renamed, left out or moved."""
    chosen = [((feature.file, feature.column), feature.name) for feature in data.used]
    return list(_names_in_files(data).items()) == chosen


def _qrels_in_code(data: Dataset) -> str:
    return _quoted(data.qrels.written) if data.qrels else "None"


def _files_in_code(data: Dataset) -> str:
    files = [data.file(digest) for digest in dict.fromkeys(feature.file for feature in data.used)]
    if data.qrels is not None and [file.digest for file in files] == [data.qrels.digest]:
        return "None"
    names = [_quoted(file.written) for file in files]
    on_one_line = f"[{', '.join(names)}]"
    if len(on_one_line) <= _WIDE:
        return on_one_line
    return "\n".join(["[", *(f"        {name}," for name in names), "    ]"])


def _chosen_in_code(data: Dataset) -> tuple[str, list[str]]:
    """Take the features one by one, under the names that the user gave them."""
    loading = []
    variable_of: dict[str, str] = {}
    for digest in dict.fromkeys(feature.file for feature in data.used):
        variable = f"table_{len(variable_of) + 1}"
        variable_of[digest] = variable
        loading.append(f"{variable} = tiecore.read_features({_quoted(data.file(digest).written)})")
    entries = [
        f"        {_quoted(feature.name)}: "
        f'{variable_of[feature.file]}[["query_id", "doc_id", {_quoted(feature.column)}]],'
        for feature in data.used
    ]
    return "\n".join(["{", *entries, "    }"]), loading


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"' if text.isprintable() else repr(text)


def settings_in_words(view: View) -> Sequence[str]:
    """Settings of the view, a sentence each, for reports."""
    conventions = [
        f"{one.title}: {label} ({one.meanings.get(label, 'rounded')})." for one, label in chosen(view.settings.options)
    ]
    return (
        f"Measure: {view.measure}.",
        f"Tie-breaks compared: {', '.join(view.tie_breaks) or 'none'}.",
        *conventions,
    )
