"""Tables of checked rows: nothing is lost by pooling, and audits add up."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lwcal import ScoreTable
from lwcal.noise.checked.table import CheckedTable
from tests.strategies import rows


@given(data=rows(both_classes=False), seed=st.integers(0, 9))
def test_pooled_rows_keep_labels_and_truths(data, seed):
    """The table of labels is that of the rows, and so is the table of truths."""
    scores, noisy = data
    true = np.random.default_rng(seed).integers(0, 2, len(scores))
    checked = CheckedTable.from_codes(scores, noisy, true)
    for table, labels in ((checked.labels, noisy), (checked.truths, true)):
        expected = ScoreTable.from_arrays(scores, labels)
        np.testing.assert_array_equal(table.scores, expected.scores)
        np.testing.assert_array_equal(table.positives, expected.positives)
        np.testing.assert_array_equal(table.negatives, expected.negatives)
    assert checked.n == len(scores)
    np.testing.assert_array_equal(checked.flipped, [(noisy > true).sum(), (noisy < true).sum()])
    assert checked.kept.sum() + checked.flipped.sum() == checked.n


def test_weights_are_frequencies():
    """A row of weight 3 equals that row three times."""
    scores, noisy, true = np.array([0.2, 0.7]), np.array([0, 1]), np.array([1, 1])
    weighted = CheckedTable.from_codes(scores, noisy, true, np.array([3.0, 1.0]))
    times = [3, 1]
    repeated = CheckedTable.from_codes(
        *(np.repeat(column, times) for column in (scores, noisy, true))
    )
    np.testing.assert_array_equal(weighted.truths.positives, repeated.truths.positives)
    np.testing.assert_array_equal(weighted.flipped, [0, 3])
    np.testing.assert_array_equal(repeated.flipped, [0, 3])


def test_nothing_checked_is_a_table_too():
    """It adds nothing to any other."""
    nothing = CheckedTable.nothing()
    assert nothing.n == len(nothing.truths) == len(nothing.labels) == 0
    table = ScoreTable.from_arrays([0.2, 0.7], [0, 1])
    np.testing.assert_array_equal((table + nothing.labels).scores, table.scores)
