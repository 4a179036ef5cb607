"""The pictures of docs/ can be taken anew: what they are cut to is on the pages."""

import pytest
from playwright.sync_api import Browser

from tools.doc_pictures import PICTURES, take


@pytest.mark.slow
@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_of_docs_can_be_taken(name: str, browser: Browser, address: str) -> None:
    assert take(browser, address, PICTURES[name]).startswith(b"\x89PNG")
