"""JSON as evaluation libraries exchange it, and as language models that grade write it."""

import json
from time import process_time
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tests.formats.written import features, grades, ids
from tiecore.errors import FormatError
from tiecore.formats import read
from tiecore.formats.json_dicts import from_dict


def test_numbers_are_a_feature_and_whole_numbers_grades_as_well_unless_the_role_decides() -> None:
    records = read(b'{"q1": {"001": 2, "NA": 0}, "q2": {}, "q3": {"\xc3\xa9": true}}')
    assert records.kind == "json"
    assert ids(records) == [("q1", "001"), ("q1", "NA"), ("q3", "é")]
    assert records.query.type == pa.dictionary(pa.int32(), pa.string())
    assert features(records) == {"<bytes>": [2, 0, 1]}
    assert grades(records) == [2, 0, 1]
    assert read(b'{"q": {"d": 2.0}}').grades is not None
    for number in ("0.5", "Infinity", "-Infinity", "1e300"):
        records = read(f'{{"q": {{"d": {number}}}}}'.encode())
        assert records.grades is None
        assert records.features["<bytes>"].tolist() == [float(number.lower().replace("infinity", "inf"))]
    data = b'{"q": {"d": 1, "e": 0}}'
    assert not read(data, kind="qrels").features
    assert read(data, kind="run").grades is None
    both = read(data)
    assert both.grades is not None
    assert list(both.features) == ["<bytes>"]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("shape", ["lines", "list"])
def test_records_are_a_table_whether_they_stand_in_a_list_or_one_a_line(shape: str, indent: int | None) -> None:
    records = [
        {"query_id": 7, "doc_id": "}\n{", "relevance": 3, "gpt": 2, "why": "}"},
        {"query_id": 7, "doc_id": "b", "relevance": 0, "gpt": None, "llama": 2**60 + 1},
    ]
    if shape == "list":
        text = json.dumps(records, indent=indent)
    else:
        text = "\r\n \n".join(json.dumps(record, indent=indent) for record in records)
    found = read(text.encode())
    assert ids(found) == [("7", "}\n{"), ("7", "b")]
    assert grades(found) == [3, 0]
    assert list(found.features) == ["gpt", "llama"]
    np.testing.assert_array_equal(found.features["gpt"], [2, np.nan])
    assert int(found.features["llama"][1]) == 2**60 + 1
    assert found.ignored == ("why",)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{}", "found no document"),
        ('{"q": {}}', "found no document"),
        ('{"q": [1, 2]}', "or records .*, found a list for query 'q'"),
        ('{"q": 1}', "found a number for query 'q'"),
        ('[["q", "d", 1]]', 'expected {query: {document: number}} or records {"query_id": …, .*, found a list$'),
        ("[]", "found a list$"),
        ('[{"q": 1}, 2]', "found a list$"),
        ('[{"q": 1}]', "no query column among 'q'"),
        ('{"qid": "q", "docid": "d"}\n{"qid": "q", "s": 1}', "row 2: 'docid' is null; every row needs an id"),
        ('{"qid": "q", "docid": "d"}\n{"qid": "q" "s": 1}', "line 2: no JSON from column 13 on"),
        ('[{"qid": "q", "docid": "d", "\\ud800": 1}]', r"a name that is no text: '\\ud800' has half"),
        ('{"q": {"d": {"e": 1}}}', "found one level more; split a file of several features .document 'd' of query 'q'"),
        ('{"q": {"d": 1, "e": "2"}}', "expected a number, found text .document 'e' of query 'q'"),
        ('{"q": {"d": null}}', "expected a number, found null"),
        ('{"q": {"d": NaN}}', "found NaN; leave out what is not scored .document 'd' of query 'q'"),
        ('{"q": {"d": 1, "d": 2}}', "the key 'd' comes twice in one object; keep one of them"),
        ('{"q": {"d": 1}, "q": {"e": 2}}', "the key 'q' comes twice"),
        ('{"q": {"d": 1' + "0" * 400 + "}}", "the score an integer of 1329 bits is beyond 2.53"),
        ('{"q": {"d": ' + "1" * 5000 + "}}", ": is .*, or has a number of thousands of digits; expected"),
        ('{"q":' * 50_000, "is nested too deeply, .*; expec|no JSON from column 250001"),  # Python 3.14 goes as deep
        ('{"": {"d": 1}}', "holds an id that is empty; every query and every document needs one"),
        ('{"q": {"d": 1, "": 1}}', "holds an id that is empty"),
        ('{"q": {"a": 1, "b\\ud800": 1, "c": 1}}', r"an id or a name that is no text: 'b\\ud800' has half"),
        ('{"q": {"d": 1}', "line 1: no JSON from column 15 on .Expecting ',' delimiter.$"),
        ('{"q": {"d": 1}}\n{"r": {"d": 1}}', "no query column among 'q', 'r'"),
    ],
)
def test_other_shapes_are_refused(text: str, problem: str) -> None:
    with pytest.raises(FormatError, match=problem):
        read(text.encode())


@pytest.mark.parametrize(
    ("nested", "problem"),
    [
        ({1: {"a": 1}}, "ids must be strings"),
        ({"1": {"a": 1.0}, 2: {}}, "ids must be strings"),
        ({"1": {2: 1.0}}, "ids must be strings"),
        ({"1": {b"a": 1.0}}, "ids must be strings"),
        ({"1": {"a": 1.0, None: 1.0}}, "ids must be strings"),
        ({"1": {"\udc80": 1}}, "holds an id or a name that is no text"),
        ({"\udc80": {"a": 1}}, "holds an id or a name that is no text"),
        ({"1": {"a": 1j}}, "expected a number, found an object of complex"),
        ({"1": {"a": [1, 2], "b": 3}}, "expected a number, found a list"),
        ({"1": {"a": [1, 2], "b": [3, 4]}}, "expected a number, found a list"),
        ({"a": 1}, r"found a query whose value is no mapping; several features are \{name: \{query"),
    ],
)
def test_other_shapes_of_dicts_are_refused(nested: Any, problem: str) -> None:
    with pytest.raises(FormatError, match=problem):
        from_dict(nested, source="f", kind="run")


def test_a_key_that_comes_twice_is_found_in_time_that_grows_with_the_file_and_not_with_its_square() -> None:
    documents = ", ".join(f'"d{number}": 1' for number in [*range(100_000), 99_999])
    began = process_time()
    with pytest.raises(FormatError, match="the key 'd99999' comes twice"):
        read(f'{{"q": {{{documents}}}}}'.encode())
    assert process_time() - began < 20  # a fraction of a second; minutes by the square


def test_grades_that_are_wanted_have_to_be_whole() -> None:
    with pytest.raises(FormatError, match=r"the grade '0.5' is not a whole number; .* .document 'e' of query 'q'"):
        read(b'{"q": {"d": 1, "e": 0.5}}', kind="qrels")
    for grade in (1e300, 2**60, -(2**63)):
        with pytest.raises(FormatError, match=r"qrels: the grade '-?[19].*' is too large.*document 'd' of query 'q'"):
            from_dict({"q": {"d": grade}}, source="qrels", kind="qrels")
