"""Reading of any file: its format is recognised, and its reader called."""

from __future__ import annotations

from collections.abc import Collection

import pyarrow as pa

from tiecore.errors import FormatError, listed
from tiecore.formats.limits import Limits, limits_in_force
from tiecore.formats.records import Records, Role, as_feature, refuse_long_names
from tiecore.formats.sniff import sniff
from tiecore.formats.source import Source, open_source
from tiecore.formats.trec import read_plain, read_trec


def read(
    source: Source,
    *,
    kind: Role | None = None,
    limits: Limits | None = None,
    unscored: Collection[str] = (),
) -> Records:
    """Read judgments, features or both from a path, an open file (binary or text) or bytes; plain or gzipped.

    Parameters
    ----------
    source
        What to read. Its kind (TREC qrels or run, table, LETOR, JSON) is recognised by its content.
    kind
        What the file is needed for: one that cannot serve is refused, and grades alone that are needed as a run are
        a feature, named by their file. None takes what is there.
    limits
        The most that the file may hold; else what :func:`limits_in_force` says.
    unscored
        What says in columns of scores, in CSV or TSV, that there is no score, such as ``N/A``, written just so; else an
        empty cell alone does, and any other text is an error.

    Raises
    ------
    FormatError
        What cannot be read or does not serve, with the line at fault.
    """
    limits = limits or limits_in_force()
    records = read_plain(source, kind=kind, limits=limits)
    if records is None:
        content = open_source(source, limits=limits)
        shape = sniff(content.data, file=content.name)
        # only the reader that is needed: Parquet's alone takes longer to import than a small file to be read
        if shape == "qrels" or shape == "run":
            records = read_trec(content, shape, kind=kind)
        elif shape == "json":
            from tiecore.formats.json_dicts import read_json

            records = read_json(content, kind=kind)
        elif shape == "letor":
            from tiecore.formats.letor import read_letor

            records = read_letor(content)
        elif shape == "parquet":
            from tiecore.formats.parquet import read_parquet

            records = read_parquet(content)
        else:
            from tiecore.formats.delimited import read_delimited

            records = read_delimited(content, unscored=unscored)
        pa.default_memory_pool().release_unused()  # the parser's buffers, as large as the file: back to the system
    refuse_long_names(records, limits)
    if kind == "qrels" and records.grades is None:
        found = f"has no grades, only features ({listed(records.features)})"
        raise FormatError(records.source, None, f"{found}; call the column of the grades relevance or label")
    if kind == "run":
        records = as_feature(records)
    return records
