"""Compiled kernels refuse arrays of the wrong length, and no value leads outside their memory."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from lwcal import kernels
from lwcal.kernels import pure
from lwcal.kernels.noise_model import Evidence, NoisePrior
from lwcal.kernels.rate_priors import SymmetricRates

compiled = pytest.importorskip("lwcal.kernels.compiled")

FIVE, FOUR, NONE = np.full(5, 0.5), np.full(4, 0.5), np.empty(0)
LABELS, FEW_LABELS, NO_LABELS = (np.zeros(n, dtype=np.uint8) for n in (5, 4, 0))
TWO, THREE, SQUARE = np.ones(2), np.ones(3), np.full((2, 2), 0.5)
FEATURES, CODES = np.ones((2, 3)), np.array([0, 1, 0])
BINS = np.zeros((9, 4))
PRIOR = NoisePrior(0.0, 0.5, 0.8, 0.75, 1.5, SymmetricRates(2.0, 3.0)).numbers
EVIDENCE = Evidence(FIVE, FIVE, FIVE, FOUR, FOUR, FOUR, FOUR)
FAULTY_EVIDENCE = [EVIDENCE._replace(**{name: np.ones(3)}) for name in EVIDENCE._fields]
REGRESSION = (np.ones((2, 5)), FIVE, FIVE, FIVE, np.ones((2, 3)))
FAULTY_REGRESSIONS = [
    (np.ones((2, 4)), *REGRESSION[1:]),
    (np.ones((3, 5)), *REGRESSION[1:]),
    (REGRESSION[0], FIVE, FOUR, FIVE, REGRESSION[4]),
    (REGRESSION[0], FIVE, FIVE, FOUR, REGRESSION[4]),
    (*REGRESSION[:4], np.ones((2, 2))),
]
NO_FEATURES = np.ones((0, 5))
STARTS = np.array([0, 2])
BOUNDS = (1.0, 1e-6, 1e-12, 0.05, 1.0)


def _task(*given):
    """The only one of a call."""
    return ([given],)


TABLES = [(FIVE, None, LABELS), (FIVE, FIVE, FIVE)]
FAULTY_TABLES = [(FIVE, None, FEW_LABELS)], [*TABLES, (FIVE, FIVE, FOUR)], [(NONE, NONE, NONE)]
PLACES = np.array([0, 8, 1, 2, 3])
ZEROS, KEYS = np.zeros(5, dtype=np.int64), np.zeros(5, dtype=np.uint64)
TEN, PAIRS = np.full(10, 0.5), np.ones((2, 5))
LENGTHS = {
    "add_to_each": [
        *((one, FIVE, PAIRS, PAIRS) for one in FAULTY_TABLES),
        (TABLES, FIVE, PAIRS[:1], PAIRS),
        (TABLES, FIVE, PAIRS, np.ones((2, 4))),
        (TABLES, FOUR, PAIRS, PAIRS),
    ],
    "count_at_nodes": [
        (FIVE, FOUR, PLACES, 1e-6, 0.0, 0.25, BINS),
        (FIVE, None, PLACES[:4], 1e-6, 0.0, 0.25, BINS),
    ],
    "class_totals": [(one, 0.5) for one in FAULTY_TABLES],
    "loss_weighted_isotonics": [(one, *BOUNDS) for one in FAULTY_TABLES],
    "offset_curvature": [
        (FIVE, PAIRS, PAIRS, FIVE, 0.0, 1.0),
        (FIVE, PAIRS[:1], PAIRS, TWO, 0.0, 1.0),
        (FIVE, PAIRS, np.ones((2, 4)), TWO, 0.0, 1.0),
    ],
    "add_tables": [
        (FIVE, FIVE, FOUR, FIVE, FIVE, FIVE),
        (FIVE, FIVE, FIVE, FIVE, None, FEW_LABELS),
        (NONE, NONE, NONE, FIVE, FIVE, FIVE),
    ],
    "count_distinct": [(FIVE, FEW_LABELS, 10), (FOUR, LABELS, 10), (NONE, NO_LABELS, 10)],
    "count_on_grid": [
        (FIVE, FEW_LABELS, None, BINS),
        (FIVE, LABELS, FOUR, BINS),
        (FIVE, LABELS, None, np.zeros((0, 4))),
    ],
    "group_keys": [(FIVE, FEW_LABELS, ZEROS, 1), (FIVE, LABELS, ZEROS[:4], 1)],
    "label_keys": [(FIVE, FEW_LABELS), (NONE, NO_LABELS)],
    "pool_sorted_groups": [(KEYS, np.array([2, 4])), (KEYS, np.array([2, 6])), (KEYS, ZEROS[:0])],
    "median_and_mad": [(FIVE, FIVE, FOUR), (FIVE, FOUR, FIVE), (NONE, NONE, NONE)],
    "isotonic": [
        (FIVE, FIVE, FOUR),
        (FIVE, FOUR, FIVE),
        (NONE, NONE, NONE),
        (FIVE, None, FEW_LABELS),
        (NONE, None, NO_LABELS),
    ],
    "logistic_loss": [(FIVE, FIVE, FOUR, *(1.0,) * 5, True), (NONE, NONE, NONE, *(1.0,) * 5, True)],
    "class_likelihood": [
        (FEATURES, CODES[:2], THREE, TWO, TWO, SQUARE),
        (FEATURES, CODES, TWO, TWO, TWO, SQUARE),
        (FEATURES, CODES, THREE, THREE, TWO, SQUARE),
        (FEATURES, CODES, THREE, np.eye(3), TWO, SQUARE),
        (FEATURES, CODES, THREE, np.ones((2, 3)), TWO, SQUARE),
        (FEATURES, CODES, THREE, TWO, THREE, SQUARE),
        (FEATURES, CODES, THREE, TWO, TWO, np.eye(3)),
        (FEATURES, CODES, THREE, TWO, TWO, np.ones((2, 3))),
        (np.ones((2, 0)), CODES[:0], THREE[:0], TWO, TWO, SQUARE),
    ],
    "class_errors": [(FIVE, FIVE, FOUR), (NONE, NONE, NONE)],
    "log_loss": [(FIVE, FIVE, FOUR, 1e-6), (NONE, NONE, NONE, 1e-6)],
    "ranked_pairs": [(FIVE, FIVE, FOUR), (NONE, NONE, NONE)],
    "spread_residuals": [(FIVE, FIVE, FOUR, 9), (FIVE, FIVE, FIVE, 0)],
    "spread_labels": [
        *((TEN, one, 1e-6, 0.0, 0.25, 9) for one in FAULTY_TABLES),
        (FIVE, TABLES, 1e-6, 0.0, 0.25, 9),
    ],
    "block_sums": [(FIVE, FIVE, FOUR, STARTS), (FIVE, None, FEW_LABELS, STARTS)],
    "loss_weighted_isotonic": [(FIVE, FIVE, FOUR, *BOUNDS), (NONE, NONE, NONE, *BOUNDS)],
    "interpolate": [(FIVE, FIVE, FOUR), (FIVE, FOUR, FIVE), (FIVE, NONE, NONE)],
    "sigmoids": [(FIVE, FOUR, FIVE)],
    "sigmoid_sums": [(FIVE, FOUR, FIVE, FIVE), (FIVE, FIVE, FIVE, FOUR)],
    "average_entropy": [(FIVE, FOUR, FIVE, FIVE), (FIVE, FIVE, FOUR, FIVE)],
    "average_sigmoid": [(FIVE, FOUR, FIVE, FIVE), (FIVE, FIVE, FOUR, FIVE)],
    "noise_mode": [
        (PRIOR[:9], 1e-9, *EVIDENCE),
        *((PRIOR, 1e-9, *one) for one in FAULTY_EVIDENCE),
    ],
    "noise_draws": [
        _task(PRIOR, np.ones(2), np.eye(3), np.ones((3, 4, 3)), 0.0, 1e-9, *EVIDENCE),
        _task(PRIOR, np.ones(3), np.eye(2), np.ones((3, 4, 3)), 0.0, 1e-9, *EVIDENCE),
        _task(PRIOR, np.ones(3), np.ones((3, 2)), np.ones((3, 4, 3)), 0.0, 1e-9, *EVIDENCE),
        _task(PRIOR, np.ones(3), np.eye(3), np.ones((3, 4, 2)), 0.0, 1e-9, *EVIDENCE),
        _task(PRIOR, np.ones(3), np.eye(3), np.ones((3, 0, 3)), 0.0, 1e-9, *EVIDENCE),
        _task(PRIOR, np.ones(3), np.eye(3), np.ones((0, 4, 3)), 0.0, 1e-9, *EVIDENCE),
        *(
            _task(PRIOR, np.ones(3), np.eye(3), np.ones((3, 4, 3)), 0.0, 1e-9, *one)
            for one in FAULTY_EVIDENCE
        ),
    ],
    "regression_mode": [(*one, TWO) for one in FAULTY_REGRESSIONS]
    + [(*REGRESSION, THREE), (NO_FEATURES, FIVE, FIVE, FIVE, np.ones((0, 3)), NONE)],
    "regression_draws": [
        *((*one, TWO, np.eye(2), np.ones((3, 4, 2)), 0.0) for one in FAULTY_REGRESSIONS),
        (*REGRESSION, THREE, np.eye(2), np.ones((3, 4, 2)), 0.0),
        (*REGRESSION, TWO, np.eye(3), np.ones((3, 4, 2)), 0.0),
        (*REGRESSION, TWO, np.ones((2, 3)), np.ones((3, 4, 2)), 0.0),
        (*REGRESSION, TWO, np.eye(2), np.ones((3, 4, 3)), 0.0),
        (*REGRESSION, TWO, np.eye(2), np.ones((3, 0, 2)), 0.0),
    ],
}
ONE_ARRAY = {"log_losses", "pool_sorted_keys", "within"}


def test_every_kernel_is_covered():
    """A new kernel needs a line here, unless it takes one array only."""
    assert set(LENGTHS) | ONE_ARRAY == set(kernels.KERNELS)


@pytest.mark.parametrize(
    ("name", "arguments"), [(name, one) for name, several in LENGTHS.items() for one in several]
)
def test_wrong_lengths_are_refused(name, arguments):
    """With an exception, not with memory that belongs to others."""
    with pytest.raises(ValueError, match=r"expected \d+ rows|is empty"):
        getattr(compiled, name)(*arguments)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("isotonic", (FIVE, None, FIVE)),
        ("isotonic", (FIVE, FIVE, LABELS)),
        ("log_loss", (FIVE, FIVE, FIVE, 0.0)),
        ("log_loss", (FIVE, FIVE, FIVE, float("nan"))),
        ("spread_labels", (TEN, TABLES, 1e-6, 0.0, 0.25, 1)),
        ("spread_labels", (TEN, TABLES, 1e-6, 0.0, 0.0, 9)),
        ("spread_labels", (TEN, TABLES, 0.0, 0.0, 0.25, 9)),
        ("count_at_nodes", (FIVE, None, PLACES + 1, 1e-6, 0.0, 0.25, BINS)),
        ("count_at_nodes", (FIVE, None, PLACES - 1, 1e-6, 0.0, 0.25, BINS)),
        ("count_at_nodes", (FIVE, None, PLACES, 1e-6, 0.0, 0.25, BINS[:, :1].copy())),
        ("block_sums", (FIVE, None, LABELS, np.array([0, 5]))),
        ("group_keys", (FIVE, LABELS, ZEROS + 1, 1)),
        ("group_keys", (FIVE, LABELS, ZEROS - 1, 1)),
        ("pool_sorted_groups", (KEYS, np.array([3, 2, 5]))),
        ("pool_sorted_groups", (KEYS, np.array([-1, 5]))),
        ("block_sums", (FIVE, None, LABELS, np.array([-1, 3]))),
        ("block_sums", (FIVE, None, LABELS, np.array([3, 3]))),
        ("noise_mode", (np.where(np.arange(11) == 6, 3.0, PRIOR), 1e-9, *EVIDENCE)),
        ("noise_mode", (np.where(np.arange(11) == 6, np.nan, PRIOR), 1e-9, *EVIDENCE)),
        ("regression_mode", (np.ones((9, 5)), FIVE, FIVE, FIVE, np.ones((9, 3)), np.ones(9))),
        ("class_likelihood", (FEATURES, np.array([0, 1, 2]), THREE, TWO, TWO, SQUARE)),
        ("class_likelihood", (FEATURES, np.array([0, 1, -1]), THREE, TWO, TWO, SQUARE)),
    ],
)
def test_what_would_be_read_wrongly_is_refused(name, arguments):
    """Labels in the place of counts, the reverse, blocks beyond the table, unknown classes.

    And nodes that are too few, or at one place; and segments that are not there.
    """
    with pytest.raises(ValueError, match="must"):
        getattr(compiled, name)(*arguments)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("count_on_grid", (FIVE, LABELS, None, np.zeros((9, 3)))),
        ("count_at_nodes", (FIVE, None, PLACES, 1e-6, 0.0, 0.25, BINS.astype(np.float32))),
        ("count_on_grid", (FIVE, LABELS, None, np.zeros((9, 4), dtype=np.float32))),
        ("noise_draws", _task(PRIOR, FIVE, np.eye(3), np.ones((12, 3)), 0.0, 1e-9, *EVIDENCE)),
        ("pool_sorted_keys", (np.zeros(5),)),
        ("pool_sorted_groups", (np.zeros(5), np.array([5]))),
        ("interpolate", (np.zeros((5, 2)), FIVE, FIVE)),
    ],
)
def test_wrong_shapes_and_types_are_refused(name, arguments):
    """Arrays that a kernel writes to are never copied, since the result would be lost."""
    with pytest.raises(TypeError):
        getattr(compiled, name)(*arguments)


@given(scores=npst.arrays(np.float64, st.integers(1, 20), elements=st.floats()))
def test_the_grid_takes_scores_only(scores):
    """A score is an address there: NaN and values outside [0, 1] are refused before any write."""
    bins = np.full((9, 4), (np.inf, -np.inf, 0.0, 0.0))
    before, labels = bins.copy(), np.ones(len(scores), dtype=np.uint8)
    if ((scores >= 0) & (scores <= 1)).all():
        compiled.count_on_grid(scores, labels, None, bins)
        assert bins[:, 3].sum() == len(scores)
    else:
        with pytest.raises(ValueError, match=r"\[0, 1\]"):
            compiled.count_on_grid(scores, labels, None, bins)
        np.testing.assert_array_equal(bins, before)


def test_any_label_but_zero_counts_as_positive():
    """In both backends, instead of writing beside the bin."""
    for backend in (compiled, pure):
        bins = np.full((2, 4), (np.inf, -np.inf, 0.0, 0.0))
        backend.count_on_grid(np.array([0.1, 0.2]), np.array([0, 255], np.uint8), None, bins)
        np.testing.assert_array_equal(bins[0], [0.1, 0.2, 1.0, 1.0])


@given(
    points=npst.arrays(np.float64, st.integers(1, 50), elements=st.floats()),
    knots=st.lists(st.floats(0, 1), min_size=1, max_size=9, unique=True),
)
def test_interpolation_of_any_number_is_numpys(points, knots):
    """NaN gives NaN, and the map is constant beyond its knots, as in numpy."""
    x = np.sort(np.array(knots)) + 0.0
    y = np.linspace(0.1, 0.9, len(x))
    with np.errstate(all="ignore"):
        expected = pure.interpolate(points, x, y)
    np.testing.assert_allclose(compiled.interpolate(points, x, y), expected, atol=1e-14)


@pytest.mark.parametrize(
    "change", [lambda a: a[::2], lambda a: a[::-1][:4], np.float32, np.asfortranarray]
)
def test_other_layouts_and_types_are_copied(change):
    """Columns of a matrix, reversed arrays and other numbers give what a contiguous copy gives."""
    matrix = np.random.default_rng(0).random((8, 8))
    given = [change(np.sort(column)) for column in (matrix[:, 0], matrix[0], matrix[:, 3])]
    copies = [np.array(column, dtype=np.float64, order="C") for column in given]
    given[2] = given[2].astype(np.float64)  # its type says whether it holds counts or labels
    found, expected = compiled.isotonic(*given), compiled.isotonic(*copies)
    np.testing.assert_array_equal(found, expected)
    points = (given[0], np.array([0.2, 0.7]), np.array([0.1, 0.9]))
    np.testing.assert_array_equal(
        compiled.interpolate(*points), compiled.interpolate(copies[0], *points[1:])
    )
