"""What ten times the documents cost."""

from __future__ import annotations

from collections.abc import Mapping

from bench.rows.base import ALL_COLUMNS, Results, Row, Table, Verdict, has, seconds_text
from bench.run import PROCESS, Contender

__all__ = ["growth_row"]


def growth_row(pairs: Mapping[str, tuple[int, int]], *, title: str, is_large: bool) -> Row:
    """Compare a number of queries with about ten times as many; pairs by where the work begins."""
    contenders = {"idle": Contender(tool="tiecore", gives="imported only", task="files.idle", part=PROCESS)}
    for begin, sizes in pairs.items():
        for size, n_queries in zip(("small", "large"), sizes, strict=True):
            contenders[f"{begin} {size}"] = Contender(
                tool="tiecore",
                gives=f"from {begin}, {n_queries:,} queries",
                task=f"{begin}.growth",
                arguments={"n_queries": n_queries},
                runs=2 if is_large else None,
            )

    def factors(results: Results, begin: str) -> tuple[float, float, float, float]:
        small, large, idle = results[f"{begin} small"], results[f"{begin} large"], results["idle"].peak
        return (
            large.counts["documents"] / small.counts["documents"],
            large.seconds["work"] / small.seconds["work"],
            large.processor["work"] / small.processor["work"],
            (large.peak - idle) / (small.peak - idle),
        )

    def table(results: Results) -> Table:
        lines = [["from", "documents", "time", "processor", "memory above that of the import"]]
        for begin in pairs:
            names = [f"{begin} small", f"{begin} large"]
            for name in names:
                found = results[name]
                if found.problem:
                    lines.append([begin, found.problem, "", "", ""])
                    continue
                memory = f"{found.peak - results['idle'].peak:.0f} MB"
                times = [seconds_text(found.seconds["work"]), seconds_text(found.processor["work"])]
                lines.append([begin, f"{found.counts['documents']:,}", *times, memory])
            if has(results, *names, "idle"):
                lines.append(["", *(f"× {factor:.1f}" for factor in factors(results, begin))])
        return lines

    def verdicts(results: Results) -> list[Verdict]:
        found = []
        for begin in pairs:
            work, mark = f"growth from {begin}: documents ×10", "time ×10–12, memory ×10"
            if not has(results, "idle", f"{begin} small", f"{begin} large"):
                found.append(Verdict(work, mark, "not measured", None))
                continue
            documents, time, busy, memory = factors(results, begin)
            met = time <= 1.2 * documents and memory <= 1.05 * documents
            found.append(
                Verdict(
                    work,
                    mark,
                    f"documents ×{documents:.1f}: time ×{time:.1f} (processor time ×{busy:.1f}), memory ×{memory:.1f}",
                    met,
                )
            )
        return found

    return Row(
        title=title,
        text=f"{ALL_COLUMNS.capitalize()} of in-degree, P@10, AP, RR, nDCG@10, inside the process. Memory is the peak "
        "of the process less that of one that only imports tiecore. Smaller factors than the mark count as reached.",
        contenders=contenders,
        verdicts=verdicts,
        table=table,
        texts=[(n_queries, "short") for n_queries in pairs.get("files", ())],
        is_large=is_large,
    )
