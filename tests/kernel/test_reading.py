"""Plain TREC files are read alike by compiled code and by NumPy and Arrow: the same columns, or the same refusal."""

import os
import random
import re
import struct
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernel import ways
from tests.kernel.ways import COMPILED, WAYS, way
from tiecore.errors import FormatError
from tiecore.formats import Limits, read
from tiecore.formats.trec import read_plain
from tiecore.kernel import library

MUTANTS = 8000 if os.environ.get("TIECORE_HYPOTHESIS") == "thorough" else 250
RUN = b"q1 Q0 d1 1 2.5 tag\nq1 Q0 d2 2 2.5 tag\nq2 Q0 a-much-longer-id/of-39-letters-and-digits 1 -1e-3 tag\n"
QRELS = b"q1 0 d1 1\nq1 0 d2 -1\nq2 0 d1 0\n"


def found(path: Path, **given: Any) -> object:
    """Return all that a file comes to, floats to the bit, or why it is refused."""
    try:
        records = read(path, **given)
    except FormatError as error:
        return str(error)
    return {
        **{name: getattr(records, name) for name in ("source", "kind", "stem", "ignored")},
        "query": (records.query.type, records.query.dictionary.to_pylist(), records.query.indices.to_pylist()),
        "document": (records.document.type, records.document.to_pylist()),
        "grades": _exact(records.grades),
        "features": {name: _exact(scores) for name, scores in records.features.items()},
        "rank": _exact(records.rank),
        "lines": [records.line(row) for row in range(len(records.document))],
    }


def _exact(values: Any) -> object:
    return None if values is None else (values.dtype, values.tobytes())


def is_quick(path: Path) -> bool:
    return read_plain(path, kind=None, limits=Limits()) is not None


def alike(path: Path, **given: Any) -> object:
    return ways.alike(lambda: found(path, **given))


@pytest.mark.parametrize("name", WAYS)
@pytest.mark.parametrize(
    "data",
    [
        RUN,
        QRELS,
        RUN.removesuffix(b"\n"),
        RUN.replace(b"\n", b"\r\n"),
        RUN.replace(b" ", b"\t"),
        QRELS.replace(b" ", b" \t "),
        b"  " + QRELS.replace(b"\n", b" \n"),
        RUN.replace(b"tag", b"other", 1),
        QRELS.replace(b"-1", b"+007"),
        RUN.replace(b"q2", b"q3") + RUN,
    ],
)
def test_plain_files_are_read_in_one_pass_where_there_is_a_library(name: str, data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "clicks.run"
    path.write_bytes(data)
    assert isinstance(alike(path), dict)
    with way(name):
        assert is_quick(path) == (name == "library")


@pytest.mark.parametrize(
    "data",
    [
        RUN + b"\n",  # an empty line, behind which lines and rows no longer keep their distance
        RUN.replace(b"\n", b"\n\n"),
        b"\n" + RUN,
        RUN + b"q1 Q0 d3 1 2\n",
        RUN + b"q1 Q0 d3 1 2 tag and more\n",
        b"\xef\xbb\xbf" + RUN,
        *(RUN.replace(b"d1", document) for document in ("é".encode(), b"\xe9", b"a\0b", b"a\x01b", b"a\rb")),
        *(RUN.replace(b" 1 ", b" %b " % rank) for rank in (b"1.0", b"01", b"-0", b"+1", b"123456789012345678")),
        *(RUN.replace(b"-1e-3", score) for score in b"+1e-3 nan -inf 1e400 9007199254740993 0x10".split()),
        *(RUN.replace(b"-1e-3", score) for score in b"1e 1e+ 1e00001 - . 1,5".split()),
        *(QRELS.replace(b"-1", grade) for grade in (b"1.0", b"0.5", b"-", b"9" * 20)),
        b"BZh" + RUN,  # begins as packed data do
        b"# qid:1\n" + QRELS,
        b"2 qid:1 1:0.5 2:0.3\n",  # LETOR with as many fields as qrels
        b"query_id 0 doc_id relevance\n",
        b"q 0 " + b"d" * (1 << 17) + b" 1\n",
        QRELS + b"q 0 " + b"d" * (1 << 17) + b" 1\n",
        b"",
        b"\n\n",
        b"q 0 d 1",  # a line that has no end could be longer
    ],
)
def test_what_is_unusual_is_left_to_the_other_readers(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "clicks.run"
    path.write_bytes(data)
    alike(path)
    if len(data) < 1 << 17:  # a longer line may fit in between what is read at a time
        assert not is_quick(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize("name", WAYS)
def test_a_pipe_is_read_once(name: str, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(QRELS,))
    writer.start()
    with way(name):
        assert len(read(pipe).document) == 3
    writer.join()


DIGITS = st.text("0123456789", min_size=1, max_size=22)
NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False, width=64).map(repr),
    st.floats(-1e6, 1e6).map(repr),
    st.floats(-100, 100, width=32).map(repr),
    st.integers(0, 2**64 - 1).flatmap(lambda digits: st.integers(-25, 25).map(lambda power: f"{digits}e{power}")),
    st.builds(
        "{}{}.{}{}".format, st.sampled_from(["", "-"]), DIGITS, DIGITS, st.sampled_from(["", "e-7", "E3", "e+20"])
    ),
)
"""Numbers of every length, many of them in the middle between two doubles or next to it."""


@COMPILED
@given(st.lists(NUMBERS, min_size=1, max_size=30))
@settings(deadline=None)
def test_numbers_are_read_as_the_nearest_doubles(tmp_path_factory: pytest.TempPathFactory, numbers: list[str]) -> None:
    path = tmp_path_factory.mktemp("numbers") / "numbers.run"
    numbers = [number for number in numbers if abs(float(number)) < 2**53] or ["0"]
    path.write_text("".join(f"q Q0 d{place} 1 {number} tag\n" for place, number in enumerate(numbers)))
    (scores,) = read(path).features.values()
    assert is_quick(path) or any(re.search(r"e[-+]?\d{5}", number) for number in numbers)
    assert [struct.pack("d", score) for score in scores] == [struct.pack("d", float(number)) for number in numbers]


def halfway_numbers(rng: random.Random) -> str:
    """Return a decimal of up to 19 digits as near to the middle between two doubles as they allow."""
    double = rng.uniform(0.5, 1.0) * 10.0 ** rng.randint(-2, 2)
    above = struct.unpack("q", struct.pack("d", double))[0] + 1
    middle = (int(double * 2**70) + int(struct.unpack("d", struct.pack("q", above))[0] * 2**70)) // 2
    decimals = rng.randint(15, 18)
    digits = middle * 10**decimals // 2**70 + rng.randint(0, 1)
    return f"{digits // 10**decimals}.{digits % 10**decimals:0{decimals}d}"


@COMPILED
def test_numbers_in_the_middle_between_two_doubles_are_rounded_once(tmp_path: Path) -> None:
    rng = random.Random(7)
    numbers = [halfway_numbers(rng) for _ in range(20_000)]
    path = tmp_path / "numbers.run"
    path.write_text("".join(f"q Q0 d{place} 1 {number} tag\n" for place, number in enumerate(numbers)))
    (scores,) = read(path).features.values()
    assert is_quick(path)
    assert scores.tolist() == list(map(float, numbers))


PIECES = [
    *(b" ", b"  ", b"\t", b"\n", b"\n\n", b"\r", b"\r\n", b"\0", b"\x0b", b"\x1c", b"\x7f", b"\xe9", "é".encode()),
    *(b"q1", b"Q0", b"0", b"d1", b"1", b"-1", b"+1", b"01", b"1.0", b"-0", b"-0.0", b".5", b"5.", b"1e3", b"1E-3"),
    *(b"nan", b"inf", b"1e400", b"1e-400", b"9007199254740992", b"9007199254740993", b"0.1234567890123456789"),
    *(b"#", b'"', b"'", b",", b":", b"{", b"[", b"d" * 40, b"tag", b"qid:1", b"\xef\xbb\xbf", b"1" * 30),
]


def mutated(data: bytes, rng: random.Random) -> bytes:
    for _ in range(rng.choice([1, 1, 2, 4])):
        begin = rng.randrange(len(data) + 1)
        end = min(len(data), begin + rng.choice([0, 0, 1, 2, 5, 40]))
        data = data[:begin] + rng.choice([b"", *PIECES]) + data[end:]
    return data


@pytest.mark.parametrize("whole", [RUN * 3, QRELS * 3], ids=["run", "qrels"])
def test_files_that_went_wrong_come_to_the_same_whoever_reads_them(whole: bytes, tmp_path: Path) -> None:
    rng = random.Random(len(whole))
    path = tmp_path / "clicks.run"
    for _ in range(MUTANTS):
        path.write_bytes(mutated(whole, rng))
        alike(path, kind=rng.choice([None, None, "run", "qrels"]))


@COMPILED
def test_lines_that_lie_across_what_is_read_at_a_time_are_whole(tmp_path: Path) -> None:
    rng = random.Random(3)
    path = tmp_path / "long.run"
    lines = [
        f"q{rng.randrange(3000)} Q0 {'d' * rng.randrange(1, 90)}{place} {place} {rng.random() * 100} "
        f"{'t' * rng.choice([1, 1, 1, 30])}\n"
        for place in range(20_000)
    ]
    path.write_text("".join(lines))
    assert is_quick(path)
    alike(path)
    path.write_text("".join(lines).replace(" ", "\t").removesuffix("\n"))
    alike(path)


@COMPILED
def test_columns_outlive_their_neighbours(tmp_path: Path) -> None:
    """Each column is memory of its own: scores are kept when ids are not."""
    path = tmp_path / "clicks.run"
    path.write_bytes(RUN)
    every = [read(path).features["tag"] for _ in range(100)]
    assert all(scores.tolist() == [2.5, 2.5, -1e-3] for scores in every)


@COMPILED
def test_the_library_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIECORE_KERNEL", "off")
    assert library._library.__wrapped__() is None
    monkeypatch.delenv("TIECORE_KERNEL")
    assert library._library.__wrapped__() is not None


def test_a_library_of_another_source_is_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    changed = tmp_path / "kernel.c"
    changed.write_bytes(library.SOURCE.read_bytes() + b"\n")
    monkeypatch.setattr(library, "SOURCE", changed)
    assert library._library.__wrapped__() is None
    monkeypatch.setattr(library, "BUILT", changed)  # no library at all
    assert library._library.__wrapped__() is None
