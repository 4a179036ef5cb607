"""Examples that the help shows; all run in the folder of the sample data."""

from __future__ import annotations

from tiecore.cli.folders import sample_data

__all__ = ["EXAMPLES", "epilog"]

EXAMPLES: dict[str, tuple[tuple[str, str], ...]] = {
    "evaluate": (
        ("Four measures of four features", "tiecore evaluate qrels.txt indegree.run clicks.csv"),
        ("What tie-breaks make of it", "tiecore evaluate qrels.txt clicks.csv bm25.run.gz -t trec_eval,input"),
        ("Lower is better for one feature", "tiecore evaluate qrels.txt pages.parquet --ascending quality_score"),
        ("Measures by name, as a LaTeX table", "tiecore evaluate qrels.txt clicks.csv -m AP,nDCG@5 -f latex"),
        ("Every query, to a file", "tiecore evaluate qrels.txt indegree.run -m ERR@20 --per-query -o err.csv"),
    ),
    "ties": (
        ("Where do cuts at 5 and 10 fall?", "tiecore ties qrels.txt clicks.csv pages.parquet -k 5 -k 10"),
        ("Does an order know relevance?", "tiecore ties qrels.txt clicks.csv -t input,docid-asc --part bias"),
        ("Which queries are to blame?", "tiecore ties qrels.txt title_match.json --feature title_match"),
    ),
    "stability": (
        ("What can ties do to the order?", "tiecore stability qrels.txt clicks.csv bm25.run.gz -t input"),
        ("All pairs, to a file", "tiecore stability qrels.txt pages.parquet -m AP --part pairs -o pairs.csv"),
    ),
    "count": (("A file for every other command", "tiecore count qrels.txt clicks.csv indegree.run -o counts.parquet"),),
    "dashboard": (
        ("On the sample data", "tiecore dashboard"),
        ("On your own files", "tiecore dashboard --qrels qrels.txt --features indegree.run clicks.csv"),
    ),
}
"""What each shows, and its command, by the name of the command."""


def epilog(command: str, *, only: int | None = None) -> str:
    """Write the examples of a command for its help, in the markup of rich."""
    shown = (
        f"[dim]{what}{':' * (not what.endswith('?'))}[/dim]\n  {example}" for what, example in EXAMPLES[command][:only]
    )
    return "\n".join(["\b", f"[bold]Examples[/bold], in {_sample_folder()}", *shown])


def _sample_folder() -> str:
    folder = sample_data()
    return "the folder sample_data" if folder is None else str(folder).replace("[", r"\[")
