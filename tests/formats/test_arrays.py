"""Arrays of Arrow made of NumPy's and of texts, and back, are those that Arrow itself makes."""

import numpy as np
import pyarrow as pa
import pytest

from tiecore.formats import arrays
from tiecore.formats.arrays import arrow_numbers, arrow_texts, numpy_numbers

KINDS = [np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint64, np.float32, np.float64]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("numbers", [[], [7], [3, 1, 2]])
def test_numbers_go_to_arrow_and_back(numbers: list[int], kind: type[np.generic]) -> None:
    own = np.array(numbers, dtype=kind)
    array = arrow_numbers(own)
    assert array.equals(pa.array(own))
    for column in (array, array[1:], *(pa.chunked_array([array] * n, array.type) for n in range(3))):
        back = numpy_numbers(column)
        assert back.dtype == own.dtype
        assert back.tolist() == column.to_pylist()


@pytest.mark.parametrize("texts", [[], [""], ["a", "", "bc"], ["日本", "é", "\0", "a\0", "👍"]])
@pytest.mark.parametrize("most_bytes", [2**31 - 1, 0])
def test_texts_are_those_of_arrow(texts: list[str], most_bytes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "MOST_BYTES", most_bytes)
    array = arrow_texts(texts)
    array.validate(full=True)
    is_large = sum(len(text.encode()) for text in texts) > most_bytes
    assert array.type == (pa.large_string() if is_large else pa.string())
    assert array.to_pylist() == texts


@pytest.mark.parametrize("wrong", [None, 1, b"a", float("nan"), "\ud800"])
def test_what_is_no_text_is_refused(wrong: object) -> None:
    with pytest.raises((TypeError, UnicodeEncodeError)):
        arrow_texts(["a", wrong])  # type: ignore[list-item]
