"""Tiles of a ranked list: a tile a document, bands around ties, a line at the cut-off."""

from __future__ import annotations

import re

import pytest

from tiecore_dashboard.charts.look import LIGHT
from tiecore_dashboard.charts.tiles import Tile, tiles

GROUPS = [
    [Tile(2, is_relevant=True, name="<b>d1</b>")],
    [Tile(1, is_relevant=True), Tile(0, is_relevant=False), Tile(None, is_relevant=False)],
    [Tile(0, is_relevant=False)] * 2,
]


def drawn(cut: int | None = None, deciding: tuple[int, ...] = ()) -> str:
    return tiles(GROUPS, look=LIGHT, deciding=deciding, cut=cut).partition('<p class="tiles"')[2]


def test_a_tile_a_document_says_its_grade_and_names_are_text() -> None:
    html = drawn()
    assert re.findall(r"<i class=.*?>(.*?)</i>", html) == ["2", "1", "0", "–", "0", "0"]
    assert "&lt;b&gt;d1&lt;/b&gt;, grade 2, relevant, rank 1" in html
    assert "not judged, ranks 2–4" in html
    assert "<b>d1" not in html


def test_bands_hold_the_ties_and_only_what_is_there_stands_in_the_legend() -> None:
    html = drawn(deciding=(1,)).replace("\u2060", "")
    assert re.findall(r'<span class="(tie.*?)"><span>(\d+–\d+)', html) == [("tie decides", "2–4"), ("tie", "5–6")]
    whole = tiles(GROUPS, look=LIGHT, deciding=[1])
    assert all(name in whole for name in ("order decides", "changes nothing", "not judged", "not relevant"))
    assert "tie</span>" in tiles(GROUPS, look=LIGHT), "what it decides is not known"
    alone = tiles(GROUPS[:1], look=LIGHT)
    assert not any(name in alone for name in ("decides<", "changes nothing", "not judged", "not relevant"))


@pytest.mark.parametrize("cut", [1, 3, 4, 5])
def test_as_many_tiles_as_the_cut_off_says_lie_before_the_line(cut: int) -> None:
    before, _, after = drawn(cut).partition(f"<b>cut after {cut}</b>")
    assert before.count("<i ") == cut
    assert "beyond" not in before
    assert after.count("beyond") == after.count("<i ") == 6 - cut


@pytest.mark.parametrize("cut", [None, 6, 10])
def test_a_list_that_ends_before_the_cut_off_has_no_line(cut: int | None) -> None:
    assert "cut after" not in drawn(cut)
