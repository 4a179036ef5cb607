"""The examples of docs/plugins.md that need a library run where it is installed."""

import warnings

import pytest
import pytrec_eval

from tests.pages import ROOT, Block, blocks

BLOCKS = [block for block in blocks(ROOT / "docs" / "plugins.md", "python") if ">>>" not in block.text]


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_the_code_without_a_prompt_runs(block: Block, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pytrec_eval, "RelevanceEvaluator", pytrec_eval.RelevanceEvaluator)  # a block replaces it
    library = next(line.split()[1] for line in block.text.splitlines() if line.startswith(("import ", "from ")))
    for needed in ("lightgbm", "xgboost", "catboost"):
        if needed in block.text:
            pytest.importorskip(needed)
    pytest.importorskip(library, exc_type=ImportError)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the libraries
        exec(compile(block.text, str(block), "exec"), {})
