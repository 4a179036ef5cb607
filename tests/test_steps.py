"""How many steps lie between a call and its number: a reader has to follow each of them."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import tiecore
from tiecore.evaluation.engine import evaluate_alignment

ROOT = Path(tiecore.__file__).parent
QRELS = {"q": {"a": 0, "b": 1, "c": 2}}
RUN = {"q": {"a": 2.0, "b": 1.0, "c": 1.0}}


def steps(call: Callable[[], object]) -> tuple[set[str], set[tuple[str, int]]]:
    call()  # what is imported or kept the first time is no step
    found: set[tuple[str, int]] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and not code.co_name.startswith("<") and Path(code.co_filename).is_relative_to(ROOT):
            found.add((code.co_filename, code.co_firstlineno))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
    return {file for file, _ in found}, found


def test_a_value_of_three_documents_takes_twelve_files_and_sixty_functions() -> None:
    files, functions = steps(lambda: tiecore.evaluate(QRELS, {"run": RUN}, ["nDCG@10"]).values)
    assert len(files) <= 12
    assert len(functions) <= 60


def test_one_more_measure_goes_through_ten_files() -> None:
    alignment = tiecore.evaluate(QRELS, {"run": RUN}, ["nDCG@10"]).values.alignment
    files, _ = steps(lambda: evaluate_alignment(alignment, ["AP"]).values)
    assert len(files) <= 10
