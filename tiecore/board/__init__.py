"""The leaderboard of one measure with all that is known of it: one object for pages, figures, reports and tables."""

from tiecore.board.board import COLUMNS, Board
from tiecore.board.duel import Duel, duel
from tiecore.board.of_evaluation import board

__all__ = ["COLUMNS", "Board", "Duel", "board", "duel"]
