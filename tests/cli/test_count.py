"""The command that counts: its file stands for judgments and features in every other command."""

import io
from pathlib import Path

import pandas as pd

from tests.cli.running import TINY_FILES, answer, mistake


def assert_same(found: str, direct: str) -> None:
    """Hold tables against each other, without the chance of the first place: sums are added up in another order."""
    left, right = (pd.read_csv(io.StringIO(text)).drop(columns="first", errors="ignore") for text in (found, direct))
    pd.testing.assert_frame_equal(left, right, check_exact=False, rtol=0, atol=1e-12)


def test_features_counted_together_break_the_ties_of_each_other(tmp_path: Path) -> None:
    counts = tmp_path / "counts.parquet"
    assert answer("count", *TINY_FILES, "--joint", "visits,stars", "-o", counts) == ""
    options = ["-t", "feature:visits", "-m", "AP", "--only", "stars,visits", "-f", "csv"]
    assert_same(answer("evaluate", counts, *options), answer("evaluate", *TINY_FILES, *options))
    assert "'stars' alone" in mistake("count", *TINY_FILES, "--joint", "stars", "-o", counts)


def test_a_table_in_many_parts_becomes_one_file_that_holds_no_documents(tmp_path: Path) -> None:
    folder, counts = tmp_path / "parts", tmp_path / "counts.parquet"
    folder.mkdir()
    answer("count", *TINY_FILES, "-o", folder / "part.parquet")
    assert answer("count", folder, "--ascending", "visits", "-o", counts) == ""
    assert answer("evaluate", counts) == answer("evaluate", folder, "--ascending", "visits")
    assert "holds none" in mistake("evaluate", counts, "-t", "trec_eval")
    assert "counts already" in mistake("count", folder, TINY_FILES[1], "-o", counts)
