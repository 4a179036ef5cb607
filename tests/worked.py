"""Values worked by hand: the one judge that sees a wrong definition.

Groups stand top first, a number is a grade, ``None`` an unjudged document; ``w(j)`` is the discount 1/log2(j + 1).
"""

import math
from dataclasses import dataclass
from fractions import Fraction as F  # noqa: N817  # a table of fractions reads best with one letter

from tests.oracle import Groups

Number = F | float | int


def w(*ranks: int) -> float:
    return math.fsum(1 / math.log2(rank + 1) for rank in ranks)


@dataclass(frozen=True, slots=True)
class Worked:
    """One hand-worked row; None where the working gives no number."""

    measure: str
    groups: Groups
    working: str
    expected: Number
    worst: Number | None = None
    best: Number | None = None
    variance: Number | None = None
    unretrieved: tuple[int, ...] = ()

    def __str__(self) -> str:
        groups = "".join("[" + ",".join("-" if g is None else str(g) for g in group) + "]" for group in self.groups)
        return f"{self.measure} {groups}" + (f" missing {list(self.unretrieved)}" if self.unretrieved else "")

    @property
    def scores(self) -> list[int]:
        return [-place for place, group in enumerate(self.groups) for _ in group]

    @property
    def grades(self) -> list[int | None]:
        return [grade for group in self.groups for grade in group]


def untied(*grades: int | None) -> Groups:
    return tuple((grade,) for grade in grades)


def sure(measure: str, groups: Groups, working: str, exact: Number, *, unretrieved: tuple[int, ...] = ()) -> Worked:
    """Return a row in which ties leave no doubt: expected, worst and best are one value, the variance is 0."""
    return Worked(measure, groups, working, exact, exact, exact, 0, unretrieved)


INSQ_1 = sum(F(1, (rank + 1) ** 2) for rank in range(1, 1001))
"""What the first 1000 ranks weigh to a reader who wants a gain of 1."""

MIDDLE = ((0,), (1, 0, 1), (0,))
TWO_OF_THREE = ((1, 1, 0),)
TWO_OF_FOUR = ((1, 1, 0, 0),)
MISSING_ONE = ((1, 0), (0, 1, 1, 0), (1,))
CLASSIC_1 = untied(1, 0, 1, 0, 0, 1, 0, 0, 1, 1)
CLASSIC_2 = untied(0, 1, 0, 0, 1, 1, 1, 1, 0, 0)
GRADED = untied(3, 2, 3, 0, 1)
COOPER = ((0, 0, 0), (1, 1, 0, 0, 0))

# Ties and their moments, measure by measure.
TIED: tuple[Worked, ...] = (
    Worked("P@3", MIDDLE, "ranks 2 and 3 hold 2/3 each: (4/3)/3", F(4, 9), F(1, 3), F(2, 3), F(2, 81)),
    Worked("R@3", MIDDLE, "(4/3)/2; 1 or 2 found", F(2, 3), F(1, 2), 1, F(1, 18)),
    Worked("F1@3", MIDDLE, "2(4/3)/(3 + 2); 2/5 or 4/5", F(8, 15), F(2, 5), F(4, 5), F(8, 225)),
    Worked("AP@3", MIDDLE, "orders 110, 101, 011: (7/12 + 1/4 + 1/6)/3", F(1, 3), F(1, 6), F(7, 12), F(7, 216)),
    Worked("RR@3", MIDDLE, "(1/2 + 1/2 + 1/3)/3", F(4, 9), F(1, 3), F(1, 2), F(1, 162)),
    Worked("nDCG@3", MIDDLE, "(2/3)(w2 + w3)/(1 + w2) = .462284", F(2, 3) * w(2, 3) / w(1, 2)),
    Worked("AP@2", TWO_OF_FOUR, "11, 10 (2 of 6), 01 (2 of 6), 00: (1 + 2/2 + 2/4 + 0)/6", F(5, 12), 0, 1, F(7, 72)),
    Worked("AP@5", MISSING_ONE, "N_rel 5", F(197, 600), F(9, 50), F(29, 60), F(3073, 360000), (1,)),
    Worked("P(rel=2)@1", ((2, 1),), "half the time", F(1, 2), 0, 1, F(1, 4)),
    Worked("R", ((1, 0), (0, 1)), "ties do not matter to the whole list: 2 of 3", F(2, 3), F(2, 3), F(2, 3), 0, (1,)),
    Worked("F1@1", TWO_OF_THREE, "2(2/3)/(1 + 3); (1/2)²(2/3)(1/3)", F(1, 3), 0, F(1, 2), F(1, 18), (1,)),
    Worked("AP(rel=2)", ((1, 2, None),), "(1 + 1/2 + 1/3)/3", F(11, 18), F(1, 3), 1, F(13, 162)),
    Worked("DCG(dcg='exp-log2')@1", ((2, 0),), "gains 3 and 0", F(3, 2), 0, 3, F(9, 4)),
    Worked("nDCG@1", ((2, None),), "(1 + 0)/2, the ideal is the missing 4", F(1, 4), 0, F(1, 2), F(1, 16), (4,)),
    Worked("CG@2", ((3,), (2, 0)), "3 + 1", 4, 3, 5, 1),
    Worked("CG", ((3, -2), (2, 0)), "ties do not matter to the whole list: 3 + 2", 5, 5, 5, 0),
    Worked("Success@1", ((0, 1),), "half the time", F(1, 2), 0, 1, F(1, 4)),
    Worked("Success@2", TWO_OF_FOUR, "1 - (2·1)/(4·3)", F(5, 6), 0, 1, F(5, 36)),
    Worked("Success(rel=2)@1", ((2, 1, 1),), "one in three", F(1, 3), 0, 1, F(2, 9)),
    Worked("Rprec", ((1,), (1, 0, 0)), "two relevant, rank 2 holds 1/3: (1 + 1/3)/2", F(2, 3), F(1, 2), 1, F(1, 18)),
    Worked("RBP(rel=1, p=0.5)", ((1, 0),), "(1/2 + 1/4)/2", F(3, 8), F(1, 4), F(1, 2), F(1, 64)),
    Worked("P(judged_only=True)@1", ((None, 0, -1, 1),), "of 0 and 1 either is first", F(1, 2), 0, 1, F(1, 4)),
    Worked("nDCG(judged_only=True)@1", ((None, 2, 1),), "(2 + 1)/2, over 2", F(3, 4), F(1, 2), 1, F(1, 16)),
    Worked("nDCG(gains={2:3})@1", ((2, 1),), "(3 + 1)/2, over 3", F(2, 3), F(1, 3), 1, F(1, 9)),
    Worked(
        "Accuracy",
        ((1, 0), (1, 0, 0)),
        "9/2 + 2/2 of 6 pairs: 1/2 + 2, then 2/2; 3/12 + 2·4/12",
        F(7, 12),
        F(1, 3),
        F(5, 6),
        F(11, 432),
    ),
    Worked("Accuracy(rel=2)", ((2, None),), "half the time", F(1, 2), 0, 1, F(1, 4)),
    Worked("BPM@2", ((0, 0, 1),), "as RR@2: 1 or 1/2 or 0", F(1, 2), 0, 1, F(1, 6)),
    Worked(
        "BPM(T=2)@3", ((1,), (0, 1, 1, 0)), "2/2 in a half, 2/3 in a third, else 1/3", F(7, 9), F(1, 3), 1, F(5, 81)
    ),
    Worked("NERR8(max_rel=2)@2", ((1, 0),), "(1/2)/(1 + 1/2) or (0 + 1/2)/2", F(7, 24), F(1, 4), F(1, 3)),
    Worked("NERR9(max_rel=2)@2", ((1, 0),), "(1/2)/(1 + 1/4) or (1/4)/(1 + 1/2)", F(17, 60), F(1, 6), F(2, 5)),
    Worked("NERR10(p=0.5, max_rel=1)", ((1, 0),), "1, or (1/2)/(1 + 1/2)", F(2, 3), F(1, 3), 1),
    Worked("NERR11(max_rel=1)", ((1, 0),), "1, or (4/9)/(1 + 4/9)", F(17, 26), F(4, 13), 1),
    Worked("IPrec@0", ((0, 1),), "1 or 1/2", F(3, 4), F(1, 2), 1),
    Worked("IPrec@1", ((1, 0, 1),), "2/2, or 2/3 twice", F(7, 9), F(2, 3), 1),
    Worked("IPrec@0.5", ((1, 0), (1, 0)), "at 1: 1, at 2: 2/3 or 1/2, the second at 3 or 4", F(19, 24), F(1, 2), 1),
    Worked("Compat(p=0.5)", ((1, 0),), "all, or (1/4)/(1 + 1/4)", F(3, 5), F(1, 5), 1),
    Worked("Compat(p=0.5, normalize=False)", ((1, 0),), "(5/4)/(3/2), or (1/4)/(3/2)", F(1, 2), F(1, 6), F(5, 6)),
    Worked("Compat(p=0.5)", ((2, 1),), "all, or (1/2)/(3/2)", F(2, 3), F(1, 3), 1),
    sure("SetP", ((1, 0, None),), "1/3", F(1, 3)),
    sure("SetP(judged_only=True)", ((1, 0, None, -1),), "1/2", F(1, 2)),
    sure("SetR", ((1, 0),), "1/2", F(1, 2), unretrieved=(1,)),
    sure("SetF", ((1, 0),), "P 1/2, R 1", F(2, 3)),
    sure("SetAP", ((1, 0),), "1/2", F(1, 2)),
    sure("NumRet", ((1, 0),), "two", 2),
    sure("NumRel", ((1, 0),), "one listed, one not", 2, unretrieved=(1, 0)),
    sure("NumQ", ((1, 0),), "a query", 1),
    Worked("Judged@1", ((None, None, 0),), "one in three", F(1, 3), 0, 1, F(2, 9)),
    Worked("Bpref", ((1, 0, 0),), "one relevant: only the first bad one counts", F(1, 3), 0, 1),
    Worked("Bpref", TWO_OF_THREE, "0 or 1 of 2 bad ones above each: 1 and 1/2", F(3, 4), F(1, 2), 1, None, (0,)),
    Worked("Bpref(rel=2)", ((1, 2, None),), "grade 1 is the one bad document", F(1, 2), 0, 1),
    Worked("ERR(max_rel=1)", ((1, 0),), "stop 1/2 at rank 1 or 2: (1/2 + 1/4)/2", F(3, 8), F(1, 4), F(1, 2)),
    Worked("ERR", ((1, 0),), "of a scale up to 4, stop 1/16 at rank 1 or 2", F(3, 64), F(1, 32), F(1, 16)),
    Worked("ERR(max_rel=2)", ((2, 1),), "3/4 + (1/4)(1/4)/2, or 1/4 + (3/4)(3/4)/2", F(21, 32), F(17, 32), F(25, 32)),
    Worked("ESL", COOPER, "3 above, 3 spread over 3 places about 2 relevant ones: 3 + 3/3", 4, 6, 3),
    Worked("ESL(s=2)", ((1,), (1, 0, 0)), "one more wanted of one: 0 + 2/2", 1, 2, 0),
    Worked("ESL", ((0,),), "1 listed, then the missing pair: 1 + 1/2", F(3, 2), 2, 1, None, (1, 0)),
    Worked("PRR", COOPER, "1/(1 + 4), 1/(1 + 6), 1/(1 + 3)", F(1, 5), F(1, 7), F(1, 4)),
    Worked("GMAP", ((0, 1),), "as AP: (1 + 1/2)/2", F(3, 4), F(1, 2), 1),
)

# No ties: any ordinary program must agree.
UNTIED: tuple[Worked, ...] = (
    sure("P@2", untied(1, 0, 1), "1/2", F(1, 2)),
    sure("P@4", untied(1, 0, 1), "2/4: the fourth rank is empty", F(1, 2)),
    sure("P(rel=2)@3", untied(1, 2, None), "1/3", F(1, 3)),
    sure("R", untied(1, 0, 1), "2 of 3", F(2, 3), unretrieved=(1,)),
    sure("R@1", untied(1, 0, 1), "1 of 2", F(1, 2)),
    sure("F1@2", untied(1, 0, 1), "P 1/2, R 1/2", F(1, 2)),
    sure("F1@5", untied(1, 0, 1, 0, 1), "P 3/5, R 1: 2·3/(5 + 3)", F(3, 4)),
    sure("AP", CLASSIC_1, "(1/1 + 2/3 + 3/6 + 4/9 + 5/10)/5", F(28, 45)),
    sure("AP", CLASSIC_2, "(1/2 + 2/5 + 3/6 + 4/7 + 5/8)/5", F(727, 1400)),
    sure("AP@1", untied(1, 1), "divided by all relevant documents, not by k", F(1, 2)),
    sure("AP", untied(1, 0), "(1/1)/4: three were not retrieved", F(1, 4), unretrieved=(1, 1, 1, 0)),
    sure("RR", CLASSIC_2, "first at rank 2", F(1, 2)),
    sure("RR", untied(0, None, 1), "first at rank 3", F(1, 3)),
    sure("RR@2", untied(0, None, 1), "not by rank 2", 0),
    sure("DCG@5", GRADED, "3 + 2w2 + 3w3 + w5 = 6.148712", 3 + 2 * w(2) + 3 * w(3) + w(5)),
    sure("DCG", untied(-2, 1), "a negative grade gains 0: w2", w(2)),
    sure("DCG(dcg='exp-log2')", untied(1, 2), "1 + 3w2", 1 + 3 * w(2)),
    sure("DCG(dcg='exp-log2')@3", untied(3, None, 2, 1), "7 + 3w3", F(17, 2)),
    sure("nDCG@3", GRADED, "(3 + 2w2 + 3w3)/(3 + 3w2 + 2w3) = .9778", (4.5 + 2 * w(2)) / (4 + 3 * w(2))),
    sure("nDCG@4", GRADED, "(3 + 2w2 + 3w3)/(3 + 3w2 + 2w3 + w4) = .9112", (4.5 + 2 * w(2)) / (4 + 3 * w(2) + w(4))),
    sure("nDCG", untied(1), "the ideal holds the missing one too: 1/(1 + w2)", 1 / w(1, 2), unretrieved=(1,)),
    sure("nDCG(dcg='exp-log2')", untied(1, 2), "(1 + 3w2)/(3 + w2)", (1 + 3 * w(2)) / (3 + w(2))),
    sure("nDCG(dcg='exp-log2')@1", untied(1, 2), "1/3", F(1, 3)),
    sure("nDCG", untied(0, -1, None), "nothing to gain", 0),
    sure("CG", untied(3, -1, 2), "3 + 0 + 2", 5),
    sure("CG@2", untied(3, -1, 2), "3 + 0", 3),
    sure("Success@1", untied(0, 1), "not at rank 1", 0),
    sure("Success@2", untied(0, 1), "at rank 2", 1),
    sure("Rprec", untied(1, 0, 1), "two relevant, one of them by rank 2", F(1, 2)),
    sure("Rprec", untied(1, 0), "three relevant, two of them missing", F(1, 3), unretrieved=(1, 1)),
    sure("RBP(rel=1, p=0.5)", untied(1, 0, 1), "1/2 + 1/8", F(5, 8)),
    sure("RBP(rel=1)", untied(0, 1), "(1/5)(4/5)", F(4, 25)),
    sure("RBP(rel=2, p=0.5)@2", untied(1, 2, 2), "1/4", F(1, 4)),
    sure("RBP(p=0.5, max_rel=2)", untied(1, None, 2, -1), "1/4 + 1/8", F(3, 8)),
    sure("RBP(p=0.5, max_rel=4)@2", untied(1, 2, 4), "1/8 + 1/8", F(1, 4)),
    sure("P(judged_only=True)@2", untied(None, 1, -1, 0), "1 0 are left", F(1, 2)),
    sure("AP(judged_only=True)", untied(None, 1, None, 0, 1), "1 0 1 are left: (1 + 2/3)/2", F(5, 6)),
    sure("nDCG(judged_only=True)@1", untied(None, 1), "1/1", 1),
    sure("nDCG(gains={1:0,2:3})", untied(1, 2, 3), "(3w2 + 3w3)/(3 + 3w2)", w(2, 3) / w(1, 2)),
    sure("Accuracy", untied(1, 0, 1, None), "3 of 4 pairs", F(3, 4)),
    sure("Accuracy", untied(0, None), "nothing relevant is listed", 0, unretrieved=(1,)),
    sure("Accuracy", untied(1, 2), "nothing else is listed", 1),
    sure("SDCG(max_rel=4)@3", untied(4, None, 2), "(1 + w3/2)/(1 + w2 + w3)", F(5, 4) / w(1, 2, 3)),
    sure("SDCG(max_rel=1)@3", untied(1), "1/(1 + w2 + w3), though no more are relevant", 1 / w(1, 2, 3)),
    sure("INSQ(max_rel=2)", untied(2, 0, 1), "1/4 + 1/32 over Σ 1/(j + 1)²", F(9, 32) / INSQ_1),
    sure("INSQ(max_rel=2, T=0.5)", untied(0, 2), "(1/4) over Σ 1/j²", F(1, 4) / (INSQ_1 + 1 - 1 / F(1001) ** 2)),
    sure("BPM@10", untied(0, 0, 1, 1), "the first at rank 3", F(1, 3)),
    sure("BPM(T=1.5)@10", untied(0, 1, 0, 1), "the second at rank 4", F(1, 2)),
    sure("BPM(T=3, rel=2)@5", untied(2, 1, None, 3), "two found when five are looked at", F(2, 5)),
    sure("BPM@3", (), "nothing is listed", 0, unretrieved=(1,)),
    Worked("NERR8(max_rel=2)@3", untied(1, 2, 0), "(1/2 + 1/2)/(1 + 1/2)", F(2, 3), F(2, 3), F(2, 3)),
    Worked("NERR8(min_rel=1, max_rel=3)@3", untied(2), "(1/2)/(1 + 1/2 + 1/2)", F(1, 4), F(1, 4), F(1, 4)),
    Worked("NERR9(max_rel=4)@3", untied(2, 0, 4), "(1/2 + 1/6)/(1 + 1/4 + 1/6)", F(8, 17), F(8, 17), F(8, 17)),
    Worked("NERR10(p=0.5, max_rel=2)", untied(1, None, 2), "(1/2 + 1/8)/(1 + 1/4 + 1/8)", F(5, 11), F(5, 11), F(5, 11)),
    Worked("NERR11(max_rel=2)", untied(1, 2), "(1/2 + 2/9)/(1 + 2/9)", F(13, 22), F(13, 22), F(13, 22)),
    Worked("IPrec@0.1", untied(0, 1, 0, 1), "2/4 or 1/2", F(1, 2), F(1, 2), F(1, 2)),
    Worked("IPrec@0.5", untied(0, 1, 1), "later is better: 2/3", F(2, 3), F(2, 3), F(2, 3)),
    Worked("IPrec@1", untied(1, 0), "one is missing", 0, 0, 0, None, (1,)),
    Worked("IPrec(rel=2)@0.5", untied(1, 2), "1/2", F(1, 2), F(1, 2), F(1, 2), None, (2,)),
    Worked("Compat(p=0.5)", untied(0, 2, 1), "ideal 2 1: (1/4 + 1/6)/(1 + 1/2 + 1/6)", F(1, 4), F(1, 4), F(1, 4)),
    Worked("Compat(p=0.5)", untied(1, 0), "ideal 2 1, one missing: (1/4)/(3/2)", F(1, 6), F(1, 6), F(1, 6), None, (2,)),
    Worked("Compat(p=0.5)", untied(0, None), "nothing to find", 0, 0, 0),
    sure("SetP", untied(1, 0, 1, None), "2/4", F(1, 2)),
    sure("SetP(relative=True)", untied(1, 0, 0), "1 of 2 that could be", F(1, 2), unretrieved=(1,)),
    sure("SetP(relative=True)", untied(1, 0), "1 of 2 listed, of 3 relevant", F(1, 2), unretrieved=(1, 1)),
    sure("SetR(rel=2)", untied(2, 1), "1 of 2", F(1, 2), unretrieved=(3,)),
    sure("SetF", untied(1, 0), "P 1/2, R 1/3", F(2, 5), unretrieved=(1, 1)),
    sure("SetF(beta=0.5)", untied(0, 0, 1, None, 1), "P 2/5, R 2/3: (3/2)/(5/2 + 3/4)", F(6, 13), unretrieved=(1,)),
    sure("SetAP", untied(1, 0), "(1/2)(1/3)", F(1, 6), unretrieved=(1, 1)),
    sure("NumRet", untied(1, 0, None), "three", 3, unretrieved=(1,)),
    sure("NumRet(rel=2)", untied(1, 2, 3), "two", 2),
    sure("NumRel(rel=2)", untied(1, 2), "one listed, one not", 2, unretrieved=(3,)),
    sure("NumQ", untied(1), "a query", 1),
    sure("Judged@2", untied(1, None, 0), "1/2", F(1, 2)),
    sure("Judged@4", untied(1, None, 0), "2/4: the fourth rank is empty", F(1, 2), unretrieved=(1,)),
    Worked("Bpref", CLASSIC_1, "(1 + 4/5 + 2/5 + 0 + 0)/5", F(11, 25), F(11, 25), F(11, 25)),
    Worked("Bpref", CLASSIC_2, "(4/5 + 2/5 + 2/5 + 2/5 + 2/5)/5", F(12, 25), F(12, 25), F(12, 25)),
    Worked("Bpref", untied(0, 1), "one of two relevant, above 1 of 2 bad", F(1, 4), F(1, 4), F(1, 4), None, (1, -1)),
    Worked("ERR(max_rel=1)", untied(1, 0, 1), "1/2 + (1/2)(1/2)/3", F(7, 12), F(7, 12), F(7, 12)),
    Worked("ERR(max_rel=2)", untied(2, 1), "3/4 + (1/4)(1/4)/2", F(25, 32), F(25, 32), F(25, 32)),
    Worked("ERR", untied(1), "stop 1/16, whatever grade the missing one has", F(1, 16), F(1, 16), F(1, 16), None, (2,)),
    Worked("ERR", untied(-1, 4), "(15/16)/2", F(15, 32), F(15, 32), F(15, 32)),
    Worked("ERR@2", untied(0, None, 1), "nothing by rank 2", 0, 0, 0),
    Worked("ESL", untied(0, 1), "one in vain", 1, 1, 1),
    Worked("ESL(s=2)", untied(1, None, 1, 0), "one in vain", 1, 1, 1),
    Worked("ESL(s=5)", untied(0, 1, 0), "only one can be found, what follows it is not read", 1, 1, 1),
    Worked("ESL", untied(0, None), "nothing to find: all three in vain", 3, 3, 3, None, (0,)),
    Worked("PRR", untied(0, 1), "1/(1 + 1)", F(1, 2), F(1, 2), F(1, 2)),
    Worked("PRR(s=2)", untied(1, 0, 1), "2/(2 + 1)", F(2, 3), F(2, 3), F(2, 3)),
    Worked("PRR(s=5)", untied(0, 1, 0), "only one can be found: 1/(1 + 1)", F(1, 2), F(1, 2), F(1, 2)),
    Worked("PRR", untied(0, None), "nothing to find", 0, 0, 0),
    Worked("GMAP", untied(0, 1), "as AP", F(1, 2), F(1, 2), F(1, 2)),
    Worked("GMAP", untied(1, 0), "as AP: one was not retrieved", F(1, 2), F(1, 2), F(1, 2), None, (1,)),
)

ROWS = TIED + UNTIED
