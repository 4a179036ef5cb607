"""Systems whose values are at hand: which are clearly better, whether one has become worse, whether judges agree."""

from tiecore.comparing.compare import compare
from tiecore.comparing.gate import Gate, gate, gate_values
from tiecore.comparing.grades import Nearest, agreement_of_grades, nearest
from tiecore.comparing.judges import Judges, judges

__all__ = ["Gate", "Judges", "Nearest", "agreement_of_grades", "compare", "gate", "gate_values", "judges", "nearest"]
