"""The pages in the order of ``PAGES``, a folder each; the script of a page has the name of its folder.

A script reads the settings, asks :mod:`cached`, shows figures and offers exports. Rules: no formula and no reading of
files here; everything numeric comes from tiecore. Keys of widgets begin with the name of the page. Names from files go
through ``words.in_html``, ``words.in_markdown`` or ``charts.look.label``, or into tables and options, which show them
as they are. What clicks draw anew by itself is a ``page.part``, never a bare fragment, which would swallow the errors
that a user can mend.
"""

from typing import NamedTuple


class Page(NamedTuple):
    """A page of the navigation."""

    file: str
    title: str
    icon: str
    next_step: tuple[str, str] | None = None
    """File of the page to go on to, and what it answers."""


PAGES = (
    Page(
        "ranking", "Ranking", ":material/leaderboard:", ("pairs", "Which differences between two features are clear?")
    ),
    Page("pairs", "Pairs", ":material/compare_arrows:", ("queries", "Which queries make a value uncertain?")),
    Page("cutoffs", "Cut-offs", ":material/show_chart:", ("ties", "How tied are the features at each cut-off?")),
    Page("queries", "Queries", ":material/manage_search:", ("ties", "What can be done about the ties?")),
    Page("ties", "Ties", ":material/join_inner:", ("method", "How is the expectation computed?")),
    Page(
        "judges",
        "Judges",
        ":material/gavel:",
        ("pairs", "Which differences are clear under the judgments in use?"),
    ),
    Page("method", "Method", ":material/function:", ("ranking", "Back to the leaderboard")),
    Page("data", "Data", ":material/upload_file:", ("ranking", "Which features are really better?")),
)


def next_step_of(file: str, n_features: int) -> tuple[str, str] | None:
    """Return the page to go on to from a page, and what it answers.

    Of the features that take part, Ranking shows two against each other, so Pairs would repeat it, and of none it shows
    nothing.
    """
    if n_features == 0:
        return None
    steps = {page.file: page.next_step for page in PAGES}
    return steps["pairs"] if file == "ranking" and n_features <= 2 else steps[file]
