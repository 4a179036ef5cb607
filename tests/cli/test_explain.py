"""`tiecore explain` names the conventions that give a reported number, or says how near the nearest comes."""

import json

import tiecore
from tests.cli.running import SAMPLE, answer, unexplained
from tiecore.cli.commands import Explain
from tiecore.cli.reports.explain import report

FILES = (SAMPLE / "qrels.txt", SAMPLE / "bm25.run.gz")


def test_the_tie_break_that_gives_the_numbers_is_named_and_every_heading_explained() -> None:
    measures = ["nDCG@10", "AP"]
    values = tiecore.evaluate(*FILES, measures, ["trec_eval"]).summary["trec_eval"].to_numpy()
    numbers = [f"{name}={value:.4f}" for name, value in zip(measures, values, strict=True)]
    text = " ".join(answer("explain", *FILES, *numbers).split())
    assert "with ties broken by docid-desc (as trec_eval)" in text
    content = json.loads(answer("explain", *FILES, *numbers, "-f", "json"))
    assert content["conventions"][0]["order"] == "docid-desc"
    assert [row["measure"] for row in content["ranges"]] == measures

    request = Explain(qrels=str(FILES[0]), feature=str(FILES[1]), reported=tuple(numbers))
    assert all(unexplained(sheet) <= {"measure", *measures} for sheet in report(request).sheets)


def test_a_number_that_no_convention_gives_is_told_from_one_that_ties_could_and_a_depth_is_a_whole_number() -> None:
    text = answer("explain", *FILES, "RR=0.9999", "-f", "markdown")
    rows = text.splitlines()
    at = next(row for row in rows if "depth" in row).split("|").index(" depth ")
    depths = {row.split("|")[at].strip() for row in rows if row.count("|") > at and "ranked" in row}
    assert "–" in depths
    assert all(depth.isdecimal() for depth in depths - {"–"})
    assert len(depths) > 1
    assert "gives RR = 0.9999" in text
    assert "lies outside" in text


def test_a_value_that_is_not_the_reported_number_does_not_look_like_it() -> None:
    content = json.loads(answer("explain", *FILES, "RR=0.5", "-f", "json"))
    near = f"{content['ranges'][0]['low'] - 1e-8:.9f}"
    rows = answer("explain", *FILES, f"RR={near}", "-f", "markdown").splitlines()
    row = next(row for row in rows if row.startswith("| RR"))
    _, reported, _, low, *_ = (cell.strip() for cell in row.strip("|").split("|"))
    assert float(reported) < float(low)
