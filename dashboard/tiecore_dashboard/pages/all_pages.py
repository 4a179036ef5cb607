"""Every page, in the order of the menu."""

PAGES = {
    "ranking": ("Ranking", ":material/leaderboard:"),
    "pairs": ("Pairs", ":material/compare_arrows:"),
    "cutoffs": ("Cut-offs", ":material/show_chart:"),
    "queries": ("Queries", ":material/manage_search:"),
    "ties": ("Ties", ":material/join_inner:"),
    "judges": ("Judges", ":material/gavel:"),
    "method": ("Method", ":material/function:"),
    "data": ("Data", ":material/upload_file:"),
}
"""Folders to titles and icons."""
