"""The comparison with published figures tells the clones apart, and says what comes out and what does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.published import main

HIDDEN = 1e-9
"""Too small a difference for single precision."""
QRELS = "1 0.5 a 2\n1 1 b 0\n1 1 c 1\n2 1 a 0\n2 1 b 1\n"


def run_lines(name: str, scores: dict[str, dict[str, float]]) -> str:
    return "".join(
        f"{query} Q0 {document} {rank} {score!r} {name}\n"
        for query, documents in scores.items()
        for rank, (document, score) in enumerate(documents.items(), start=1)
    )


@pytest.fixture
def trec_covid(tmp_path: Path) -> Path:
    """Make a clone of three runs: one without ties, one with ties in single precision alone, one that is lacking."""
    folder = tmp_path / "round1"
    (folder / "runs").mkdir(parents=True)
    (folder / "qrels").mkdir()
    (folder / "qrels" / "qrels-rnd1.txt").write_text(QRELS, encoding="utf-8")
    clear = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"a": 2.0, "b": 1.0}}
    nearly = {"1": {"a": 3.0, "c": 2.0, "b": 1.0}, "2": {"b": 1.0 + HIDDEN, "a": 1.0}}
    for name, scores in (("clear", clear), ("nearly", nearly)):
        (folder / "runs" / name).write_text(run_lines(name, scores), encoding="utf-8")
    # by hand: AP of clear is (5/6 + 1/2)/2; in single precision nearly has b before a by id as well, so 1 and 1
    (folder / "leaderboard.csv").write_text(
        "team,run,p@5,ndcg@10,map\nx,clear,0.3,0.7906,0.6667\nx,nearly,0.3,1,1\nx,away,0.1,0.1,0.1\n", encoding="utf-8"
    )
    (folder / "leaderboard-older.csv").write_text("run,ndcg@10\nclear,0.1\n", encoding="utf-8")
    return tmp_path


def changed(path: Path, old: str, new: str) -> None:
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


def test_official_values_stand_beside_ours(trec_covid: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(trec_covid)]) == 0
    shown = capsys.readouterr().out
    assert "2 of the 3 runs that leaderboard.csv names" in shown
    assert "| clear | 0.6667 | 0.6667 | 0.6667 | 0.6667 | 0.6667 | 0.6667 | 2 | 2 |" in shown
    assert "* scores in double precision: 2 (clear, nearly)" in shown
    assert "0 of 2 places change" in shown


def test_what_comes_out_otherwise_or_not_is_told_apart(trec_covid: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = trec_covid / "round1"
    changed(folder / "runs" / "nearly", "2 Q0 b 1 1.000000001", "2 Q0 b 1 0.999999999")
    (folder / "runs" / "clear").rename(folder / "clear")  # a part may lie flat in one folder
    assert main([str(folder)]) == 0
    shown = capsys.readouterr().out
    assert "* scores in double precision: 1 (clear)\n* scores in single precision: 1 (nearly)\n" in shown
    changed(folder / "leaderboard.csv", "0.7906", "")
    assert main([str(folder)]) == 0
    assert "| clear |  | 0.7906 |" in capsys.readouterr().out
    changed(folder / "leaderboard.csv", "clear,0.3,,", "clear,0.3,0.7907,")
    assert main([str(folder)]) == 1
    found = capsys.readouterr()
    assert "* neither: 1 (clear)" in found.out
    assert found.err == "does not come out: run clear\n"


def test_overlap_is_met_to_six_digits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # (a b) against a b with p = 1/2: from depth 2 on all agrees, at depth 1 w gives 2/3, a gives 1/2, b 1/sqrt(2)
    head = ["x,y,p", *(f"{ties}.{part}" for ties in "wab" for part in ("ext", "min", "max", "res"))]
    least = 0.5**2 * 1 + (0.6931471805599453 - 0.5 - 0.125) * 2  # (1-p)/p (p^2 A_2 + 2 (ln 2 - p - p^2/2))
    values = []
    for at_one in (2 / 3, 0.5, 0.5**0.5):
        ext = 0.5 * at_one + 0.5
        values += [ext, 0.5 * at_one + least, ext, 0.5 - least]
    (tmp_path / "rbo").mkdir()
    path = tmp_path / "rbo" / "test.csv"
    path.write_text(",".join(head) + "\n(a b),a b,0.5," + ",".join(map(repr, values)) + "\n", encoding="utf-8")
    assert main([str(tmp_path)]) == 0
    assert "| b | 1 of 1 |" in capsys.readouterr().out
    values[4] += 2e-6
    path.write_text(",".join(head) + "\n(a b),a b,0.5," + ",".join(map(repr, values)) + "\n", encoding="utf-8")
    assert main([str(tmp_path)]) == 1
    assert capsys.readouterr().err == "does not come out: pair 1, variant a\n"
