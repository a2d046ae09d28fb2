"""Answers that were sorted alone, and sheets with only one of the answers, are refused."""

import numpy as np
import pytest
from scipy.stats import hypergeom

from lwcal.audit.answer_patterns import chance_of_more, check_pattern
from lwcal.audit.answers import ClassNames
from lwcal.audit.returned_sheet import SheetRow
from lwcal.audit.row_codes import PlanId, RowCode
from lwcal.audit.sheet import OWN, make_sheet
from lwcal.audit.source import AuditSource
from lwcal.errors import InputError

NAMES = ClassNames(("good", "bad"))


def drawn(seed, n=120, share=0.3, wrong=0.15):
    """Labels and truths of rows in random order."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < share).astype(int)
    return truth ^ (rng.random(n) < wrong), truth


def check(labels, answers, order=None, plans=1):
    """Check a sheet; an answer is a class, "" or "skip"."""
    cells = [NAMES.name(one) if isinstance(one, int) else one for one in answers]
    rows = [
        SheetRow(
            k,
            one if isinstance(one, int) else None,
            RowCode(PlanId(len(labels), k % plans, 0), k + 1, 0.5, ""),
            "",
        )
        for k, one in enumerate(answers)
    ]
    order = range(len(rows)) if order is None else order
    source = AuditSource("s.csv", np.zeros(len(labels)), np.asarray(labels), NAMES)
    sheet = make_sheet([*OWN], [["", "", "", cells[k]] for k in order])
    check_pattern([rows[k] for k in order], source, sheet, "a.csv", OWN.answer)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.7])
def test_only_one_of_the_answers_is_refused(share):
    """The message has the numbers, and says what to do; the order of the sheet does not matter."""
    labels, truth = drawn(0, share=share)
    marked = [1 if one else "" for one in truth.tolist()]
    with pytest.raises(InputError, match=r"of them 'bad'.*write 'good' there"):
        check(labels, marked)
    with pytest.raises(InputError, match=f"{truth.sum()} answers, all of them 'bad'"):
        check(labels, marked, order=np.argsort(-truth, kind="stable").tolist())


def test_sheets_that_were_left_are_fine():
    """Whatever the base rate is, also with rows that nobody could decide."""
    rng = np.random.default_rng(1)
    for seed in range(200):
        labels, truth = drawn(seed, share=[0.01, 0.03, 0.5, 0.98][seed % 4])
        answers = truth.tolist()
        end = int(rng.integers(5, 121))
        check(labels, answers[:end] + [""] * (120 - end))
        passed = rng.random(120) < 0.3
        check(labels, ["" if skip else one for one, skip in zip(answers, passed, strict=True)])


def test_rows_that_were_skipped_are_not_blank():
    """And sheets of several plans have no order."""
    labels, truth = drawn(0)
    check(labels, [1 if one else "skip" for one in truth.tolist()])
    check(labels, [1 if one else "" for one in truth.tolist()], plans=2)


@pytest.mark.parametrize("positives", [4, 8, 12])
def test_twenty_five_answers_in_two_blocks(positives):
    """Refused if they do not follow the labels; fine if they do."""
    rng = np.random.default_rng(positives)
    answers = [0] * (25 - positives) + [1] * positives
    labels = rng.permutation(answers)
    with pytest.raises(InputError, match="probably sorted alone"):
        check(labels, answers)
    if positives < 12:
        check(np.array(answers), answers)


def test_few_answers_may_stand_together():
    """It happens by chance."""
    check(np.array([0, 1, 0, 1]), [0, 0, 1, 1])
    check(np.array([0, 1, 0, 1]), ["", "", "", ""])


def test_the_chance_is_that_of_scipy():
    """Of a hypergeometric distribution."""
    for inside, n, outside, others in ((5, 20, 3, 40), (20, 20, 0, 40), (2, 6, 9, 9)):
        expected = hypergeom.sf(inside - 1, n + others, inside + outside, n)
        assert chance_of_more(inside, n, outside, others) == pytest.approx(expected, rel=1e-9)
