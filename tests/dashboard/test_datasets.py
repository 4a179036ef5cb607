"""What is loaded: sorted by content, renamed, taken away."""

import json
from time import process_time
from typing import Any

import pytest

from tests.dashboard.conftest import TINY_QRELS, TINY_TABLE, file_of
from tiecore.formats import Limits
from tiecore_dashboard.files import reading
from tiecore_dashboard.files.datasets import MOST_FEATURES, Dataset


def judge_of(data: Dataset) -> str:
    assert data.qrels is not None
    return data.qrels.name


RUN = "".join(f"q{q} Q0 d{d} {d + 1} {4 - d} mine\n" for q in (1, 2, 3) for d in range(4))


def test_files_are_sorted_by_content_in_any_order() -> None:
    files = [file_of("a.bin", RUN), file_of("b.bin", TINY_TABLE), file_of("c.bin", TINY_QRELS)]
    for order in ((0, 1, 2), (2, 1, 0), (1, 2, 0)):
        data = Dataset().add(files[i] for i in order)
        assert data.qrels is files[2]
        assert {feature.name for feature in data.features} == {"mine", "clicks", "visits", "constant"}


def test_the_key_follows_names_direction_use_and_what_is_loaded_but_once(tiny_data: Dataset) -> None:
    again = tiny_data.add([file_of("copy.csv", TINY_TABLE)])
    assert (again.key, again.files) == (tiny_data.key, tiny_data.files)
    left = tiny_data.remove([tiny_data.files[0].digest])
    assert (left.qrels, left.features) == (None, tiny_data.features)
    changes: list[Any] = [{"name": "other"}, {"lower_is_better": True}, {"used": False}]
    changed = [tiny_data.change(0, **change) for change in changes]
    assert len({tiny_data.key, *(data.key for data in changed)}) == 4


def test_runs_of_one_tag_are_named_by_their_files_and_a_name_that_is_taken_gets_a_number(tiny_data: Dataset) -> None:
    data = Dataset().add([file_of("one.run", RUN), file_of("two.run", RUN.replace(" 4 ", " 5 "))])
    assert [feature.name for feature in data.features] == ["one", "two"]
    for wanted, name in (("visits", "visits (2)"), ("   ", "clicks"), (" new \n name ", "new name")):
        assert tiny_data.change(0, name=wanted).features[0].name == name


def test_listing_many_features_takes_time_by_their_number_and_not_its_square(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "upload_limits", Limits)
    n_features = 10_000
    lines = [
        f"{row % 2} qid:1 {' '.join(f'{number}:1' for number in range(row, n_features, 20))}" for row in range(1, 21)
    ]
    file = file_of("wide.txt", "\n".join(lines) + "\n")
    began = process_time()
    data = Dataset().add([file])
    data = data.add([file_of("more.csv", TINY_TABLE)])
    assert process_time() - began < 3  # less than a tenth of a second; several seconds by the square
    assert len(data.features) == n_features - 1 + 3
    assert [one.name for one in data.used] == [one.name for one in data.features[:MOST_FEATURES]]
    assert len(data.change(n_features, used=True).add([file_of("copy.csv", TINY_TABLE)]).used) == MOST_FEATURES + 1


@pytest.mark.parametrize("form", ["csv", "jsonl", "txt"])
def test_grades_alone_are_a_feature_beside_those_of_people_in_whatever_form_they_come(form: str) -> None:
    rows = [(f"q{q}", f"d{d}", d % 2) for q in (1, 2, 3) for d in range(4)]
    header, row_of = {
        "csv": ("query_id,doc_id,relevance\n", "{},{},{}\n"),
        "jsonl": ("", '{{"qid": "{}", "docid": "{}", "label": {}}}\n'),
        "txt": ("", "{} 0 {} {}\n"),
    }[form]
    written = header + "".join(row_of.format(*row) for row in rows)
    data = Dataset().add([file_of(f"gpt.{form}", written), file_of(f"people.{form}", TINY_QRELS)])
    assert (judge_of(data), data.is_judge_clear) == (f"people.{form}", True)
    assert [feature.name for feature in data.used] == ["gpt"]
    assert list(data.judges) == ["people", "gpt"]
    beside = data.add([file_of("run.txt", RUN)])
    assert [feature.name for feature in beside.used] == ["mine"], (
        "grades of another judge are ranked if nothing else is"
    )


def test_whole_numbers_in_json_are_grades_only_if_nothing_else_is() -> None:
    ratings = {f"q{q}": {f"d{d}": d % 2 for d in range(4)} for q in (1, 2, 3)}
    alone = Dataset().add([file_of("ratings.json", json.dumps(ratings))])
    assert alone.qrels is not None
    assert not alone.features
    beside = alone.add([file_of("qrels.txt", TINY_QRELS)])
    assert judge_of(beside) == "qrels.txt", "a guess is made anew when a likelier file comes"
    assert alone.qrels is not None
    chosen = alone.judged_by(alone.qrels.digest).add([file_of("qrels.txt", TINY_QRELS)])
    assert chosen.qrels is alone.qrels, "what was chosen stays"
    both = Dataset().add([file_of("ratings.json", json.dumps(ratings)), file_of("qrels.txt", TINY_QRELS)])
    assert judge_of(both) == "qrels.txt"
    assert [feature.name for feature in both.features] == ["ratings"]


GRADED = {name: TINY_QRELS.replace(" 2\n", f" {grade}\n") for name, grade in (("gpt", 1), ("llama", 3), ("qwen", 4))}


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (1, 3, 0, 2)])
def test_of_many_judges_the_file_called_qrels_judges_and_the_others_are_features(order: tuple[int, ...]) -> None:
    files = [file_of(f"{name}.txt", text) for name, text in GRADED.items()]
    files.append(file_of("qrels.txt", TINY_QRELS))
    data = Dataset().add(files[place] for place in order)
    assert data.qrels is files[3]
    assert data.is_judge_clear
    assert {feature.name for feature in data.used} == {"gpt", "llama", "qwen"}


def test_grades_of_another_judge_beside_features_are_no_feature_unless_somebody_says_so() -> None:
    judges, table = [file_of("qrels.txt", TINY_QRELS), file_of("gpt.txt", GRADED["gpt"])], file_of("t.csv", TINY_TABLE)
    none = Dataset()
    for data in (none.add([*judges, table]), none.add(judges).add([table]), none.add([table]).add(judges)):
        assert {feature.name for feature in data.used} == {"clicks", "visits", "constant"}
        (row,) = (row for row, feature in enumerate(data.features) if feature.name == "gpt")
        ranked = data.change(row, used=True).add([file_of("other.csv", TINY_TABLE.replace("clicks", "likes"))])
        assert "gpt" in {feature.name for feature in ranked.used}


def test_judges_of_which_none_is_called_qrels_are_asked_about_until_one_is_named() -> None:
    data = Dataset().add(file_of(f"{name}.txt", text) for name, text in GRADED.items())
    assert not data.is_judge_clear
    assert data.qrels is not None
    named = data.judged_by(data.files[2].digest)
    assert named.is_judge_clear
    assert named.qrels is data.files[2]
    assert {feature.name for feature in named.used} == {"gpt", "llama"}
    assert {*named.judged_by(data.qrels.digest).features} == {*data.features}
    assert not named.remove([data.files[2].digest]).is_judge_clear, "who was named is gone"


def test_labels_that_meet_are_preferred_to_a_file_of_judgments_that_does_not() -> None:
    letor = "".join(f"{d % 2} qid:{q} 1:{d} # d{d}\n" for q in (1, 2, 3) for d in range(4))
    elsewhere = "".join(f"{q} 0 other{d} {d % 2}\n" for q in (1, 2, 3) for d in range(4))
    for files in ([("x.train", letor), ("x.qrel", elsewhere)], [("x.qrel", elsewhere), ("x.train", letor)]):
        data = Dataset().add(file_of(*file) for file in files)
        assert judge_of(data) == "x.train"
        assert data.is_judge_clear


def test_a_labelled_table_serves_as_judgments_and_features() -> None:
    labelled = TINY_TABLE.replace("constant", "relevance")
    data = Dataset().add([file_of("labelled.csv", labelled)])
    assert data.qrels is data.files[0]
    assert [feature.name for feature in data.used] == ["clicks", "visits"]
    assert data.files[0].kind == "table, judgments and scores"
