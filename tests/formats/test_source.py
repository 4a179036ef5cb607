"""Bytes, paths and open files are the same to the readers."""

import bz2
import gzip
import io
import lzma
from pathlib import Path
from typing import Any

import pytest

from tests.formats.written import ids
from tiecore.errors import FormatError
from tiecore.formats import Limits, read
from tiecore.formats.records import Kind
from tiecore.formats.source import label_of, stem_of

RUN = b"q1 Q0 d1 1 2.5 clicks\nq1 Q0 d2 2 2.5 clicks\nq2 Q0 d1 1 0 clicks\n"


def rows(source: Any) -> tuple[list[tuple[str, str]], list[float]]:
    records = read(source)
    return ids(records), next(iter(records.features.values())).tolist()


EXPECTED = ([("q1", "d1"), ("q1", "d2"), ("q2", "d1")], [2.5, 2.5, 0.0])


class Dribble(io.RawIOBase):
    """A binary file that cannot seek and gives three bytes at a time."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def read(self, size: int = -1) -> bytes:
        piece, self.data = self.data[:3], self.data[3:]
        return piece


@pytest.mark.parametrize(
    "pack", [bytes, gzip.compress, lambda data: gzip.compress(data[:30]) + gzip.compress(data[30:])]
)
def test_every_source_gives_the_same_rows(pack: Any, tmp_path: Path) -> None:
    packed = pack(RUN)
    path = tmp_path / "clicks.run"
    path.write_bytes(packed)
    sources: list[Any] = [packed, bytearray(packed), path, str(path), io.BytesIO(packed), Dribble(packed)]
    for source in sources:
        assert rows(source) == EXPECTED
    with path.open("rb") as file:
        assert rows(file) == EXPECTED
        assert not file.closed


def test_text_files_are_read_like_binary_ones_from_where_they_stand(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_bytes(RUN)
    with path.open(encoding="utf-8") as file:
        records = read(file)
    assert (records.source, records.stem, ids(records)) == (str(path), "a", EXPECTED[0])
    assert rows(io.StringIO(RUN.decode())) == EXPECTED
    begun = io.BytesIO(b"not for us\n" + RUN)
    begun.readline()
    assert rows(begun) == EXPECTED
    for source, name in ((b"x", "<bytes>"), (io.BytesIO(b"x"), "<file>")):
        assert label_of(source) == name
        assert label_of(source, "upload") == "upload"


@pytest.mark.parametrize(
    ("label", "stem"),
    [
        ("a/b/clicks.run", "clicks"),
        ("clicks.tsv.gz", "clicks"),
        ("C:\\data\\clicks.CSV.GZ", "clicks"),
        ("run.bm25", "run.bm25"),
        ("in.degree.missing.txt", "in.degree.missing"),
        (".csv", ".csv"),
        (".gz", ".gz"),
        ("<bytes>", "<bytes>"),
        ("folder/", "folder/"),
    ],
)
def test_the_stem_is_the_name_without_endings_that_only_tell_the_kind(label: str, stem: str) -> None:
    assert stem_of(label) == stem


@pytest.mark.parametrize("padding", [b"", b"\0", bytes(200_000)])
@pytest.mark.parametrize("piece", [1, 7, 1 << 16])
def test_gzip_members_are_read_one_after_the_other(padding: bytes, piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tiecore.formats.source.READ", piece if len(padding) < 9 else 1 << 16)
    monkeypatch.setattr("tiecore.formats.source.CHUNK", 5)
    members = [RUN[:30], b"", RUN[30:], b""]
    packed = b"".join(gzip.compress(member) + padding for member in members)
    assert len(read(packed).query) == len(read(RUN).query)


def test_members_without_end_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tiecore.formats.source.MOST_MEMBERS", 10)
    assert len(read(gzip.compress(b"") * 9 + gzip.compress(RUN)).query)
    with pytest.raises(FormatError, match="holds more than 10 gzip members; unpack it"):
        read(gzip.compress(b"") * 10 + gzip.compress(RUN))


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "is empty; expected judgments or scores"),
        (gzip.compress(b""), "is empty"),
        (b"\xef\xbb\xbf", "holds nothing but blanks"),
        (b" \n\t\r\n", "holds nothing but blanks"),
        (gzip.compress(RUN)[:-9], "the gzip data end too early"),
        (gzip.compress(RUN)[:40] + b"\x00" * 9 + gzip.compress(RUN)[49:], "the gzip data are damaged"),
        (gzip.compress(RUN) + b"more", "the gzip data are damaged"),
        (b"PK\x03\x04" + b"\0" * 30, "is a zip archive or an Excel workbook; unpack it"),
        (bz2.compress(RUN), "is bzip2 data; unpack it"),
        (lzma.compress(RUN), "is xz data"),
        (b"\x28\xb5\x2f\xfd rest", "is zstandard data"),
        (b"%PDF-1.7", "is a PDF document"),
        (RUN.decode().encode("utf-16"), "is UTF-16 text; save it as UTF-8"),
        (RUN.decode().encode("utf-16-le"), "NUL bytes: binary data or UTF-16 text"),
        (b"q 0 d 1\rq 0 e 1\r", "its lines end in CR alone"),
        (b"\xb4\x1c,\x19q)\n", "line 1: byte 0xB4 is not UTF-8"),
        (b"a" * (1 << 21), "line 1: has a line of more than 1,048,575 bytes"),
    ],
    ids=lambda value: value if isinstance(value, str) else f"{len(value)} bytes",  # gzip writes the time into its bytes
)
def test_what_is_no_text_is_refused_by_what_it_is(data: bytes, problem: str) -> None:
    with pytest.raises(FormatError, match=problem) as caught:
        read(data)
    assert caught.value.file == "<bytes>"


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        (".", "is a directory; give the files in it one by one"),
        ("nowhere.run", r"nowhere\.run: does not exist"),
        ("file/below", "cannot be read: not a directory"),
        ("a\0b", "cannot be read: embedded null byte"),
    ],
)
def test_paths_that_cannot_be_read_are_refused_by_name(path: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(RUN)
    with pytest.raises(FormatError, match=problem):
        read(tmp_path / path)


def test_open_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "latin.run"
    path.write_bytes("caf\xe9 Q0 d 1 1 t\n".encode("latin-1"))
    with path.open(encoding="utf-8") as text, pytest.raises(FormatError, match="is not UTF-8 text"):
        read(text)
    with path.open("wb") as file, pytest.raises(FormatError, match="cannot be read"):
        read(file)
    with io.BytesIO(RUN) as closed:
        pass
    with pytest.raises(FormatError, match="<file>: cannot be read: i/o operation on closed file"):
        read(closed)


def test_what_is_no_source_is_a_mistake_of_the_program() -> None:
    with pytest.raises(TypeError, match="expected a path, bytes or an open file, got int"):
        read(3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("device", "told"), [("/dev/zero", "holds more than 1 MB"), ("/proc/self/mem", "cannot be read")]
)
def test_what_is_no_file_at_all_is_refused(device: str, told: str) -> None:
    if not Path(device).exists():
        pytest.skip(f"there is no {device} here")
    with pytest.raises(FormatError, match=f"{device}: {told}"):
        read(device, limits=Limits(unpacked=2**20))


SEEN: list[tuple[str, Kind]] = [
    ("q 0 d 1\n", "qrels"),
    ("q\t0\td\t1\n", "qrels"),
    ("q;1 0 d|2 1\n", "qrels"),
    ("1 0:1 2:3 4\n", "qrels"),
    ("q\u00a0x 0 d\u3000y 1\n", "qrels"),
    ("q Q0 d 1 2 t\n", "run"),
    ("#1 Q0 d 1 2 t\n", "run"),
    ("{q} Q0 d 1 2 t\n", "run"),
    ('"q" Q0 d,e 1 2 t\n', "run"),
    ("\n \n q Q0 d 1 2 t\n", "run"),
    ("1 qid:1 1:2\n", "letor"),
    ("1 qid:1\n", "letor"),
    ("-1.0 qid:q 1:2 2:3 4:5 5:6\n", "letor"),
    ("1 qid:1 1:0 # 5\n", "letor"),
    ("# a comment of words\n\n# and one more\n1 qid:1 1:2\n", "letor"),
    ("query_id,doc_id,s\na,b,1\n", "table"),
    ("query Q0 docno rank score tag\n".replace(" ", "\t") + "q\tQ0\td\t1\t2\tt\n", "table"),
    ("topic\tdocno\tlabel\n1\t2\t3\n", "table"),
    ("a;QID;DocID \n1;2;3\n", "table"),
    ('"qid","docid","s"\n"a","b","1"\n', "table"),
    ('{"q": {"d": 1}}', "json"),
    ('\n {\n "q": {"d": 1}}', "json"),
    ('[ {"qid": 1, "docid": 2, "s": 3}]', "table"),
]


@pytest.mark.parametrize(("text", "kind"), SEEN)
def test_the_kind_is_seen_in_the_content(text: str, kind: Kind) -> None:
    records = read(text.encode())
    assert records.kind == kind
    assert len(records.query) == 1
