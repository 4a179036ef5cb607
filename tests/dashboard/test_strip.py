"""What is shown, and what takes no part, is said above every page."""

import html
import io
from dataclasses import replace

import pytest

import tiecore
from tests.dashboard.conftest import alike, html_of, loaded, open_app
from tiecore_dashboard.files.datasets import Dataset
from tiecore_dashboard.files.joined import fitted
from tiecore_dashboard.files.reading import Problem


def run(name: str, *queries: str) -> str:
    return "".join(f"{query} Q0 d{d} 1 {d} {name}\n" for query in queries for d in range(4))


def test_what_is_compared_and_who_takes_no_part_is_said_in_brief() -> None:
    files = {"<q>": "".join(f"q{q} 0 d{d} {d % 2}\n" for q in range(4) for d in range(4)), "a": run("a", "q0", "q1")}
    shown = html_of(open_app(query={"measure": "AP"}, state={"dataset": fitted(loaded(**files))}))
    for fact in ("<strong>&lt;q&gt;</strong>", "4 queries", "16 judgments", "1 feature", "AP"):
        assert f">{fact}</span>" in shown
    assert "left out" not in shown
    turned = html_of(open_app(state={"dataset": fitted(loaded(**files)).change(0, lower_is_better=True)}))
    assert "<span>lower a is better</span>" in turned
    shown = html_of(open_app(state={"dataset": fitted(loaded(**files, b=run("b", "x")))}))
    assert "b is left out; the page Data says why." in shown
    shown = html_of(open_app(state={"dataset": fitted(loaded(**files, b=run("b", "x"), c=run("c", "y")))}))
    assert "b and c are left out; the page Data says why." in shown


def test_where_nothing_is_relevant_from_the_chosen_grade_every_page_says_so() -> None:
    for page in ("ranking", "queries"):
        shown = html_of(open_app(page, query={"measure": "AP", "rel": "5"}))
        assert "No judged document has grade 5 or higher, so nothing is relevant by AP(rel=5)." in shown
    assert "nothing is relevant" not in html_of(open_app(query={"measure": "AP"}))
    tied = fitted(loaded(qrels="q1 0 a 0\n", a="q1 Q0 a 1 1 t\nq1 Q0 b 2 1 t\n"))
    shown = html_of(open_app(state={"dataset": tied}, query={"measure": "Judged", "k": "1"}))
    assert "Judged@1" in shown
    assert "nothing is relevant" not in shown, "for ties change the value"


def test_the_sample_is_not_taken_for_a_file_that_was_not_read(sample_data: Dataset) -> None:
    waiting = replace(sample_data, problems=(Problem("komma.csv", None, "holds decimal commas"),))
    shown = html_of(open_app(state={"dataset": waiting}))
    assert "komma.csv is not read yet, so this is still the sample; the page" in shown


def test_many_queries_without_judgments_are_a_warning() -> None:
    judged = [f"q{q}" for q in range(20)]
    qrels = "".join(f"{query} 0 d{d} {d % 2}\n" for query in judged for d in range(4))

    def told(**unknown: int) -> str:
        runs = {name: run(name, *judged, *(f"x{q}" for q in range(n))) for name, n in unknown.items()}
        return html_of(open_app(state={"dataset": fitted(loaded(qrels=qrels, **runs))}))

    assert "without judgments" not in told(a=2)
    assert "a: 5 queries without judgments left out." in told(a=5)
    assert "3 features: up to 5 queries without judgments left out." in told(a=5, b=4, c=3)


def test_empty_cells_that_can_make_a_feature_better_are_a_warning_until_they_are_ranked_last() -> None:
    rows = [(q, d) for q in range(3) for d in range(4)]
    table = "query_id,doc_id,gpt,claude\n" + "".join(f"q{q},d{d},{'' if d else q},{d}\n" for q, d in rows)
    data = loaded(qrels__txt="".join(f"q{q} 0 d{d} {d % 2}\n" for q, d in rows), t__csv=table)
    said = "has no score for 9 of 12 judged documents; these are not ranked, which alone can decide a comparison."
    for missing, is_said in (("unranked", True), ("last", False)):
        shown = html.unescape(html_of(open_app(query={"missing": missing}, state={"dataset": data})))
        assert (f"<strong>gpt</strong> {said} Advanced can rank them last." in shown) == is_said


@pytest.mark.parametrize("queries", ["all judged", "common"])
def test_the_warnings_of_the_evaluation_stand_on_every_page(queries: str) -> None:
    qrels = "".join(f"q{q} 0 d{d} {d % 2}\n" for q in range(4) for d in range(4))
    some = "".join(f"q{q} Q0 d{d} 1 {d} some\n" for q in range(2) for d in range(4))
    foreign = "".join(f"q{q} Q0 {'x' * (d % 2)}d{d} 1 {d} foreign\n" for q in range(4) for d in range(4))
    data = loaded(qrels__txt=qrels, some__run=some, foreign__run=foreign)
    kind = "common" if queries == "common" else "qrels"
    texts = [io.BytesIO(text.encode()) for text in (qrels, some, foreign)]
    expected = tiecore.evaluate(texts[0], texts[1:], ["nDCG@10"], queries=kind).warnings  # type: ignore[arg-type]
    assert len(expected) == 2
    for page in ("ranking", "pairs", "cutoffs", "queries", "ties"):
        app = open_app(page, query={"queries": queries}, state={"dataset": data})
        shown = html.unescape(html_of(app))
        assert expected[0].replace("'some'", "<strong>some</strong>") in shown
        # told of by judged@k, and on one page
        assert ("have a judgment" in shown) == (page == "ranking")


@pytest.mark.parametrize(
    ("judged", "n_runs", "said"),
    [
        (9, 2, "documents of each query, 80 % (b) have a judgment; most measures count the others as not relevant."),
        (8, 2, "documents of each query, 80 % (a) and 70 % (b) have a judgment;"),
        (7, 2, "documents of each query, 70 % (a) and 60 % (b) have a judgment;"),
        (7, 4, "documents of each query, 40 % to 70 % (4 features) have a judgment;"),
    ],
)
def test_few_judged_documents_are_a_note_and_very_few_a_warning(judged: int, n_runs: int, said: str) -> None:
    qrels = "".join(f"q{q} 0 d{d} {d % 2}\n" for q in range(9) for d in range(judged))
    listed = [(q, d) for q in range(9) for d in range(10)]
    runs = {one: "".join(f"q{q} Q0 d{d + n} 1 {-d} x\n" for q, d in listed) for n, one in enumerate("abcd"[:n_runs])}
    shown = html.unescape(html_of(open_app(state={"dataset": fitted(loaded(qrels=qrels, **runs))})))
    assert shown.count(f"Of the first 10 {said}") == 1
    notes = shown.partition('class="notes"')[2]
    assert ("Check that the document ids agree" in shown) == (judged < 8) == (said not in notes)


def test_a_tie_break_that_knows_the_grades_is_named_on_every_page_with_values() -> None:
    data = alike([1, 1, *[0] * 8], {"flat": [1] * 10}, 30)
    for page in ("ranking", "queries", "cutoffs"):
        warnings = html_of(open_app(page, state={"dataset": data})).partition('class="warnings"')[2]
        assert "file order gives flat 1.0000 in nDCG@10, near the best that ties allow" in warnings
