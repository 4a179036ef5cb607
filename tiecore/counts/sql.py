"""The same counts by SQL, written once for engines that know ``UNPIVOT``: DuckDB, Spark and their relatives."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tiecore.counts.table import joint_names
from tiecore.errors import TiecoreError, shortened

ORDER = "ORDER BY feature NULLS FIRST, query_id, score_int DESC, score_double DESC, grade"
"""Follows the query of ``counts_sql``: in this order a table takes half the room and is read more quickly."""

_OWN_NAMES = ("query_id", "grade", "n", "joint")
"""Columns that stand beside the features on the way."""
_COUNTS = """\
WITH scored AS (
{scored}
){together}
SELECT CAST(NULL AS STRING) AS feature, query_id, CAST(NULL AS BIGINT) AS score_int,
       CAST(NULL AS DOUBLE) AS score_double, CAST(relevance AS BIGINT) AS grade, count(*) AS n{no_joint}
FROM {qrels}
WHERE relevance IS NOT NULL
GROUP BY query_id, relevance"""
_JOINED = """\
    SELECT f.query_id, CAST(q.relevance AS BIGINT) AS grade, {columns}
    FROM {features} AS f
    JOIN (SELECT DISTINCT query_id FROM {qrels}) AS judged ON judged.query_id = f.query_id
    LEFT JOIN {qrels} AS q ON q.query_id = f.query_id AND q.doc_id = f.doc_id"""
_LABELLED = """\
    SELECT f.query_id, CAST(f.relevance AS BIGINT) AS grade, {columns}
    FROM {features} AS f"""
_OF_FEATURES = """
UNION ALL
SELECT feature, query_id, {whole} AS score_int, {real} AS score_double, grade, count(*) AS n{no_joint}
FROM (SELECT query_id, grade, {names} FROM scored)
UNPIVOT (score FOR feature IN ({names}))
GROUP BY feature, query_id, score, grade"""
_TOGETHER = """,
together AS (
    SELECT query_id, grade, {names}, count(*) AS n,
           row_number() OVER (PARTITION BY query_id ORDER BY grade, {names}) AS joint
    FROM scored
    GROUP BY query_id, grade, {names}
)"""
_OF_JOINT = """
UNION ALL
SELECT feature, query_id, {whole} AS score_int, {real} AS score_double, grade, n, joint
FROM (SELECT query_id, grade, n, joint, {names} FROM together)
UNPIVOT (score FOR feature IN ({names}))"""
_NO_JOINT = ", CAST(NULL AS BIGINT) AS joint"
_REPEATED = """\
SELECT query_id, doc_id, count(*) AS times
FROM {table}
GROUP BY query_id, doc_id
HAVING count(*) > 1
LIMIT 1"""


def counts_sql(
    *,
    whole: Sequence[str] = (),
    real: Sequence[str] = (),
    joint: Sequence[str] = (),
    features: str = "features",
    qrels: str | None = "qrels",
    quote: str = '"',
) -> str:
    """Return the query that makes a table of counts.

    Parameters
    ----------
    whole, real
        Columns of features: whole numbers, and all others. A null says that the feature does not score the document.
    joint
        Those of them that are counted together, so that they can break the ties of each other.
    features
        Table with columns query_id, doc_id and one for each feature.
    qrels
        Table with columns query_id, doc_id and relevance; None where relevance stands in the table of features.
    quote
        Encloses names of columns: ``"`` by the standard and in DuckDB, a backtick in Spark.
    """
    if not whole and not real:
        raise TiecoreError("no features to count: name at least one column")
    for name in (*whole, *real):
        if name.casefold() in _OWN_NAMES:
            raise TiecoreError(f"a feature cannot be called {shortened(name)} here: rename its column")
    joint_names(joint, (*whole, *real))

    def quoted(name: str) -> str:
        return quote + name.replace(quote, 2 * quote) + quote

    def listed(names: Iterable[str]) -> str:
        return ", ".join(map(quoted, names))

    columns = [f"CAST(f.{quoted(name)} AS BIGINT) AS {quoted(name)}" for name in whole]
    # 0.0 is added so that −0.0 is the same score, whatever the engine holds of it
    columns += [f"CAST(f.{quoted(name)} AS DOUBLE) + 0.0 AS {quoted(name)}" for name in real]
    scored = (_LABELLED if qrels is None else _JOINED).format(
        columns=", ".join(columns), features=features, qrels=qrels
    )
    no_joint = _NO_JOINT if joint else ""
    query = _COUNTS.format(
        scored=scored,
        together=_TOGETHER.format(names=listed(joint)) if joint else "",
        qrels=features if qrels is None else qrels,
        no_joint=no_joint,
    )
    for template, is_joint in ((_OF_FEATURES, False), (_OF_JOINT, True)):
        for names, whole_score, real_score in (
            (whole, "score", "CAST(NULL AS DOUBLE)"),
            (real, "CAST(NULL AS BIGINT)", "score"),
        ):
            some = [name for name in names if (name in joint) == is_joint]
            if some:
                query += template.format(whole=whole_score, real=real_score, names=listed(some), no_joint=no_joint)
    return query


def repeated_sql(table: str) -> str:
    """Return the query that finds a document which a table lists twice for a query; counts would count it twice."""
    return _REPEATED.format(table=table)
