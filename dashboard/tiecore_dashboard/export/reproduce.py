"""What reproduces a view outside of the dashboard: Python code, and lines for the shell."""

import json
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tiecore.measures import Measure
from tiecore_dashboard.files.datasets import Dataset, names_in
from tiecore_dashboard.files.reading import File
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.state.conventions import departures

_WIDE = 80
_SAMPLE = "# sample_data is a folder in the repository of tiecore"
_OF_DIAGNOSTICS = re.compile(r"(\w+)\(evaluation")


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a page does with the evaluation."""

    shows: Sequence[str] = ('evaluation.board({measure}).rows.loc[:, :"holm"]',)
    """Expressions of Python to print one after another; the first ``{measure}`` stands for the name of the measure."""
    measures: Sequence[Measure] = ()
    """What is evaluated instead of the measure of the view."""
    command: str = "stability evaluate"
    """Of ``tiecore``, several of them with a space between; empty where there is none that shows the same."""
    gives: str = "The same numbers"
    """What code gives of what the page shows, and the command too if ``command_gives`` does not name less."""
    command_gives: str = ""
    feature: str = ""
    """Feature that the command is about."""
    is_judged: bool = False
    """Whether the systems are compared under each judge."""
    arguments: Sequence[str] = ()
    """Further ones of the command."""


LEADERBOARD = Recipe()
JUDGED = Recipe(
    shows=["found.leaderboards", "found.agreement", "found.swapped", "found.only"], is_judged=True, command="judges"
)


def as_python(view: View, recipe: Recipe = LEADERBOARD) -> str:
    """Code that gives the numbers of the view again, with the files where they lie or under the names they had."""
    data, judges = view.dataset, view.dataset.judges if recipe.is_judged else {}
    lines = [*[_SAMPLE] * data.is_sample, "import tiecore"]
    if used := sorted({found[1] for shown in recipe.shows if (found := _OF_DIAGNOSTICS.match(shown))}):
        lines.append(f"from tiecore.diagnostics import {', '.join(used)}")
    lines.append("")
    files, qrels = data.used_files, data.file(data.judgments or "")
    judging = [data.file(digest) for digest in judges.values()] or [qrels]
    is_enough = data.counts is not None or (_stands_as_it_is(data) and not (judges and files == [qrels]))
    loading, table_of = _read_in_code([*([] if is_enough else files), *(one for one in judging if one.asked)])
    features = "None" if files == [qrels] else _in_lines([file.written for file in files])
    features = features if is_enough else _chosen_in_code(data, table_of)
    lines += loading
    if any(file.asked is not None for file in data.files):
        lines.insert(0, "import pandas as pd")
    if judges:
        lines += ["found = tiecore.judges(", f"    {_judges_in_code(data, table_of)},", f"    {features},"]
        lines.append(f"    {quoted(str(view.measure))},")
    else:
        lines += ["evaluation = tiecore.evaluate(", f"    {_grades_in_code(qrels, table_of)},", f"    {features},"]
        lines.append(f"    measures={_in_lines([str(one) for one in recipe.measures or (view.measure,)])},")
        lines += [f"    tie_breaks={_in_lines(view.tie_breaks)},"] * bool(view.tie_breaks)
    for one, label in departures(view.settings.options):
        lines.append(f"    {one.field}={quoted(one.values[label])},")
    if data.counts is not None and not _stands_as_it_is(data):
        lines.append(f"    only={_in_lines([one.column for one in data.used])},  # names are those of the file")
    if turned := [one.name if data.counts is None else one.column for one in data.used if one.lower_is_better]:
        lines.append(f"    ascending={_in_lines(turned)},")
    measure = quoted(str(view.measure))
    lines += [")", *(f"print({shown.replace('{measure}', measure, 1)}.to_string())" for shown in recipe.shows)]
    return "\n".join(lines) + "\n"


def as_command(view: View, recipe: Recipe = LEADERBOARD) -> str:
    """Lines for the shell that give the numbers of the view again; empty where no command does."""
    data = view.dataset
    named = names_in(data.used_files)
    name_of = {one.name: named[one.place] for one in data.features if one.place in named}
    if not recipe.command or len({*named.values()}) < len(named):  # the command cannot tell two of one name apart
        return ""
    qrels, files = data.file(data.judgments or ""), data.used_files
    judging = {name: data.file(one) for name, one in data.judges.items()} if recipe.is_judged else {}
    if any(file.asked for file in (qrels, *files, *judging.values())) or "=" in "".join(judging):
        return ""  # nor can it be told which column is which, or where the name of a judge ends
    parts = [] if judging else [_as_argument(qrels.written)]
    parts += [_as_argument(file.written) for file in files if files != [qrels]]
    parts += [part for name, file in judging.items() for part in ("-j", f"{name}={file.written}")]
    for measure in recipe.measures or (view.measure,):
        parts += ["-m", str(measure)]
    for name in view.tie_breaks if not judging else ():
        policy, _, argument = name.partition(":")
        parts += ["-t", _escaped(f"feature:{name_of[argument]}" if policy == "feature" else name)]
    for one, label in departures(view.settings.options):
        parts += [f"--{one.field.replace('_', '-')}", one.values[label]]
    for feature in data.used:
        if feature.lower_is_better:
            parts += ["--ascending", _escaped(name_of[feature.name])]
        if feature.name == recipe.feature:
            parts += ["--feature", name_of[feature.name]]
    used = [name_of[feature.name] for feature in data.used]
    if used != [*named.values()]:
        if judging:  # all that the files hold takes part
            return ""
        parts += [part for name in used for part in ("--only", _escaped(name))]
    parts += recipe.arguments
    lines = ([one, *parts, *["--top", "0"] * (one != "evaluate")] for one in recipe.command.split())
    command = "\n".join(f"tiecore {shlex.join(line)}" for line in lines)
    if used != [feature.name for feature in data.used]:
        command += "\n# names are those of the files"
    return command + f"\n{_SAMPLE}" * data.is_sample


def _as_argument(path: str) -> str:
    """Return a path that the command does not take for an option or for standard input."""
    return f"./{path}" if path.startswith("-") else path


def _escaped(name: str) -> str:
    """Name in an option that takes lists with commas."""
    return name.replace(",", "\\,")


def quoted(text: str) -> str:
    """Text as Python writes it."""
    return json.dumps(text, ensure_ascii=False) if text.isprintable() else repr(text)


def _in_lines(texts: Iterable[str]) -> str:
    """List of texts in Python."""
    return _in_rows("[]", map(quoted, texts))


def _in_rows(brackets: str, entries: Iterable[str]) -> str:
    """Entries between brackets in Python, on one line or as many on each as find room."""
    rows = [""]
    for entry in entries:
        if rows[-1] and len(rows[-1]) + len(entry) > _WIDE:
            rows.append("")
        rows[-1] += f" {entry},"
    inside = "\n".join(f"       {row}" for row in rows)
    inside = f"\n{inside}\n    " if rows[1:] else inside.strip(" ,")
    return f"{brackets[0]}{inside}{brackets[1]}"


def _stands_as_it_is(data: Dataset) -> bool:
    """Whether giving the files is enough: nothing renamed, left out or moved."""
    if any(file.asked is not None for file in data.used_files):
        return False
    return list(names_in(data.used_files).items()) == [(feature.place, feature.name) for feature in data.used]


def _grades_in_code(file: File, table_of: Mapping[str, str]) -> str:
    if file.asked is None:
        return quoted(file.written)
    return f'{table_of[file.digest]}[["query_id", "doc_id", "relevance"]]'


def _judges_in_code(data: Dataset, table_of: Mapping[str, str]) -> str:
    named = {quoted(name): _grades_in_code(data.file(one), table_of) for name, one in data.judges.items()}
    return _in_rows("{}", (f"{name}: {code}" for name, code in named.items()))


def _asked_in_code(file: File) -> str:
    """Read a table whose columns had to be asked for, under the names that they were given."""
    assert file.asked is not None
    question, answer = file.asked
    names = answer.names(question)
    if not question.delimiter:
        renamed = {old: new for old, new in zip(question.columns, names, strict=True) if old != new}
        return f"pd.read_parquet({quoted(file.written)}).rename(columns={renamed})"
    separated = f"sep={quoted(question.delimiter)}" + ', decimal=","' * bool(question.decimal_comma)
    separated += ', thousands="."' * ("." in question.decimal_comma)
    separated += f", na_values={question.unscored_texts}" * bool(question.unscored)
    return (
        f"pd.read_csv(\n    {quoted(file.written)}, {separated}, header=None, "
        f"skiprows={int(question.has_header)},\n    names={_in_lines(names)},\n"
        '    converters={"query_id": str, "doc_id": str},  # as written: 007 is not 7\n)'
    )


def _read_in_code(files: Iterable[File]) -> tuple[list[str], dict[str, str]]:
    """Read each file once; also returns what the table of each is called, by digest."""
    loading, table_of = [], dict[str, str]()
    for number, file in enumerate(dict.fromkeys(files), start=1):
        table_of[file.digest] = f"table_{number}"
        read = f"tiecore.read_features({quoted(file.written)})" if file.asked is None else _asked_in_code(file)
        loading.append(f"table_{number} = {read}")
    return [*loading, *[""] * bool(loading)], table_of


def _chosen_in_code(data: Dataset, table_of: Mapping[str, str]) -> str:
    """Take the features one by one, under the names that the user gave them."""
    entries = [
        f"        {quoted(feature.name)}: "
        f'{table_of[feature.file]}[["query_id", "doc_id", {quoted(feature.column)}]]'
        f"{'.dropna()' * (data.file(feature.file).asked is not None)},"
        for feature in data.used
    ]
    return "\n".join(["{", *entries, "    }"])


def as_agreement(data: Dataset, to: str) -> str:
    """Code that compares the grades of judges with those of one again."""
    needed = ["import pandas as pd"] * any(file.asked is not None for file in data.files)
    loading, table_of = _read_in_code(file for file in map(data.file, data.judges.values()) if file.asked)
    called = ["found = nearest(", f"    {_judges_in_code(data, table_of)},", f"    {quoted(to)},", ")"]
    lines = [*needed, "from tiecore.comparing import nearest", "", *loading, *called, "print(found.table.to_string())"]
    return "\n".join(lines) + "\n"


def as_comparison(data: Dataset, measure: Measure, *, shows: str, needs: str = "tiecore") -> tuple[str, str]:
    """Code, and a line for the shell, that compare systems by values that were measured elsewhere again."""
    files = [file.written for file in data.files]
    is_named = str(measure) != "value"
    arguments = [_in_lines(files), *([quoted(str(measure))] if is_named else [])]
    parts = ["tiecore", "compare", *map(_as_argument, files), "--top", "0", *(["-m", str(measure)] if is_named else [])]
    if not measure.higher_is_better:
        arguments.append("higher_is_better=False")
        parts.append("--lower-is-better")
    code = f"import {needs}\n\nfound = tiecore.compare({', '.join(arguments)})\nprint({shows}.to_string())\n"
    return code, shlex.join(parts)
