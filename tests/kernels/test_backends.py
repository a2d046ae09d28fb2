"""Both backends compute the formulas of the paper, with the same results."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

from lwcal.kernels.pure import label_counts
from lwcal.numerics.tabulate import counted, tabulate
from tests import reference
from tests.strategies import rows, scores_of_any_kind

SHARED = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


def pooled_by_hand(scores, labels):
    """Count labels per distinct score with a dictionary."""
    table = {}
    for score, label in zip(scores + 0.0, labels, strict=True):
        table.setdefault(score, [0, 0])[label] += 1
    return sorted((score, *pair) for score, pair in table.items())


@SHARED
@given(data=rows(min_size=1, both_classes=False))
def test_rows_are_pooled_exactly(backend, data):
    """Every distinct score appears once, in order, with its labels counted."""
    scores, labels = data
    table = tabulate(scores, labels.astype(np.uint8))
    assert list(zip(*counted(*table), strict=True)) == pooled_by_hand(scores, labels)


@pytest.mark.parametrize("distinct", [1, 40, 1 << 40])
@pytest.mark.parametrize("rows", [1, 200, 300_000])
def test_rows_of_groups_are_pooled_as_those_of_each(backend, rows, distinct):
    """Whether scores repeat in all groups, in some or in none; and a group may have no rows."""
    rng = np.random.default_rng(rows)
    scores = np.where(rng.random(rows) < 0.1, -0.0, rng.integers(0, distinct, rows) / distinct)
    labels, groups = rng.integers(0, 2, rows).astype(np.uint8), 2 * rng.integers(0, 9, rows) // 3
    keys, ends = backend.group_keys(scores, labels, groups, 7)
    starts = [0, *ends[:-1]]
    for start, end in zip(starts, ends, strict=True):
        keys[start:end].sort()
    *columns, sizes = backend.pool_sorted_groups(keys, ends)
    for group, (start, end) in enumerate(zip(starts, ends, strict=True)):
        mine = groups == group
        assert end - start == mine.sum()
        if not mine.any():
            assert sizes[group] == 0
            continue
        single = sizes[group] == end - start
        rows_of = slice(start, start + sizes[group])
        found = [None if c is None else c[rows_of] for c in columns]
        table = (found[0], None, found[1]) if single else (found[0], *found[2:])
        expected = tabulate(scores[mine], labels[mine])
        assert single == (len(expected[0]) == mine.sum())
        for one, other in zip(counted(*table), counted(*expected), strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("distinct", [5, 4_000, 100_000])
def test_many_rows_are_pooled_whatever_the_number_of_ties(backend, distinct):
    """Counting and sorting, the two ways to pool, agree with numpy's unique."""
    rng = np.random.default_rng(0)
    scores = rng.integers(0, distinct, 300_000) / distinct
    labels = rng.integers(0, 2, 300_000).astype(np.uint8)
    found, negatives, positives = counted(*tabulate(scores, labels))
    expected, inverse = np.unique(scores, return_inverse=True)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(positives, np.bincount(inverse, labels))
    np.testing.assert_array_equal(negatives, np.bincount(inverse, 1 - labels))


def test_minus_zero_is_zero(backend):
    """The two zeros are one score, and it is the positive one."""
    table = tabulate(np.array([-0.0, 0.0]), np.array([0, 1], dtype=np.uint8))
    assert [column.tolist() for column in table] == [[0.0], [1.0], [1.0]]
    assert not np.signbit(table[0][0])


def test_single_rows_are_kept_as_labels(backend):
    """One byte instead of two counts, where no score repeats."""
    scores, negatives, positives = tabulate(np.array([0.9, 0.1]), np.array([1, 0], dtype=np.uint8))
    assert (scores.tolist(), negatives, positives.tolist()) == ([0.1, 0.9], None, [0, 1])
    assert positives.dtype == np.uint8


@pytest.mark.parametrize("rows", [1, 7, 300, 5_000, 200_001])
def test_single_rows_give_what_their_counts_give(backend, rows):
    """Every kernel that takes a table takes both of its forms."""
    rng = np.random.default_rng(rows)
    scores = rng.random(rows)
    table = tabulate(scores, (rng.random(rows) < scores).astype(np.uint8))
    counts = counted(*table)
    starts = np.unique(rng.integers(0, rows, 9))
    for name, arguments in {
        "median_and_mad": (),
        "isotonic": (),
        "loss_weighted_isotonic": (1.5, 1e-6, 1e-12, 0.05, 1.0),
        "block_sums": (starts,),
        "logistic_loss": (0.9, 0.1, 1.2, 0.8, -0.1, True),
        "class_errors": (),
        "spread_residuals": (100,),
    }.items():
        kernel = getattr(backend, name)
        for found, expected in zip(
            kernel(*table, *arguments), kernel(*counts, *arguments), strict=True
        ):
            np.testing.assert_array_equal(found, expected)
    for found, expected in zip(
        *(backend.spread_labels(scores, [one], 1e-6, -9.0, 0.25, 73) for one in (table, counts)),
        strict=True,
    ):
        np.testing.assert_array_equal(found, expected)


def several_tables(sizes=(1, 7, 300, 5_000), seed=0):
    """Tables in both forms."""
    rng = np.random.default_rng(seed)
    columns = [(rng.random(n), rng.integers(0, 2, n).astype(np.uint8)) for n in sizes]
    tables = [tabulate(*one) for one in columns]
    return [*tables, *(counted(*one) for one in tables)]


@pytest.mark.parametrize("threshold", [0.0, 0.5, 1.0])
def test_labels_of_several_tables_are_added_up(backend, threshold):
    """On both sides of a score, of which the rows belong to the upper side."""
    tables = [*several_tables(), (np.array([0.2, 0.5, 0.5]), np.ones(3), np.array([0.5, 2.0, 0.0]))]
    found = backend.class_totals(tables, threshold)
    for (scores, *labels), totals in zip(tables, found, strict=True):
        negatives, positives = label_counts(*labels)
        above = scores >= threshold
        sides = [
            labels[rows].sum() for rows in (~above, above) for labels in (negatives, positives)
        ]
        np.testing.assert_allclose(totals, sides, rtol=1e-14)
    assert backend.class_totals([], threshold).shape == (0, 4)


def test_several_tables_give_what_each_gives(backend):
    """Fits and sums, whichever form the tables have; none gives nothing."""
    tables = several_tables()
    rule = 1.5, 1e-6, 1e-12, 0.05, 1.0
    for (*found, x, y), table in zip(
        backend.loss_weighted_isotonics(tables, *rule), tables, strict=True
    ):
        *expected, knots, values = backend.loss_weighted_isotonic(*table, *rule)
        assert found == expected
        np.testing.assert_array_equal((x, y), (knots, values))
    rng = np.random.default_rng(1)
    scores = np.sort(np.append(rng.random(20), tables[1][0]))  # some are also in a table
    others = rng.random((2, len(tables), len(scores)))
    for found, table, *counts in zip(
        backend.add_to_each(tables, scores, *others), tables, *others, strict=True
    ):
        expected = backend.add_tables(*table, scores, *counts)
        assert all(map(np.array_equal, found, expected))
    assert backend.loss_weighted_isotonics([], *rule) == []
    assert backend.add_to_each([], scores, *others[:, :0]) == []


@SHARED
@given(data=rows(both_classes=False), cut=st.integers(1, 100))
def test_tables_of_parts_add_up(backend, data, cut):
    """To that of all rows, whichever form the parts have."""
    scores, labels = data[0], data[1].astype(np.uint8)
    cut = min(cut, len(scores) - 1)
    parts = tabulate(scores[:cut], labels[:cut]), tabulate(scores[cut:], labels[cut:])
    for one, other in (parts, (parts[0], counted(*parts[1])), [counted(*part) for part in parts]):
        found = backend.add_tables(*one, *other)
        for column, expected in zip(found, counted(*tabulate(scores, labels)), strict=True):
            np.testing.assert_array_equal(column, expected)


def test_scores_without_weight_are_left_out_of_a_sum(backend):
    """Wherever they are, and also if two corrected counts cancel."""
    one = (
        np.array([0.1, 0.3, 0.4, 0.7]),
        np.array([0.0, 2.0, 0.5, 0.0]),
        np.array([0.0, 1.0, 0.0, 0.5]),
    )
    other = np.array([0.2, 0.4, 0.9]), np.array([1.5, -0.5, 0.0]), np.zeros(3)
    found = backend.add_tables(*one, *other)
    expected = [0.2, 0.3, 0.7], [1.5, 2.0, 0.0], [0.0, 1.0, 0.5]
    assert [column.tolist() for column in found] == list(expected)
    assert [column.tolist() for column in backend.add_tables(*other, *one)] == list(expected)


@SHARED
@given(data=rows(), cuts=st.lists(st.integers(0, 100), max_size=5))
def test_blocks_are_summed(backend, data, cuts):
    """Both counts, and score times count."""
    table = tabulate(data[0], data[1].astype(np.uint8))
    scores, negatives, positives = counted(*table)
    starts = np.unique([0, *(cut for cut in cuts if cut < len(scores))])
    ends = [*starts[1:], len(scores)]
    found = backend.block_sums(*table, starts)
    columns = (negatives, positives, scores * (negatives + positives))
    for column, sums in zip(columns, found, strict=True):
        expected = [column[a:b].sum() for a, b in zip(starts, ends, strict=True)]
        np.testing.assert_allclose(sums, expected, rtol=1e-12)


@pytest.mark.parametrize("odd", [np.nan, -0.1, 1.1, np.inf])
def test_values_within_a_range(backend, odd):
    """The ends belong to it, NaN does not, and one value among many is found."""
    values = np.linspace(0.0, 1.0, 300_000)
    assert backend.within(values, 0.0, 1.0)
    assert backend.within(values[:0], 0.0, 1.0)
    values[299_000] = odd
    assert not backend.within(values, 0.0, 1.0)


@SHARED
@given(data=rows())
def test_median_and_mad_are_numpys(backend, data):
    """Selection over sorted runs gives numpy's median of the repeated rows."""
    scores, labels = data
    loss = reference.losses(scores, labels)
    m, s = backend.median_and_mad(*tabulate(scores, labels.astype(np.uint8)))
    assert m == pytest.approx(np.median(loss), rel=1e-12, abs=1e-15)
    assert s == pytest.approx(np.median(np.abs(loss - np.median(loss))), rel=1e-9, abs=1e-14)


def test_median_and_mad_of_many_rows(backend):
    """With enough rows to cross every internal block boundary."""
    rng = np.random.default_rng(1)
    scores = rng.random(100_001)
    labels = (rng.random(100_001) < scores).astype(np.uint8)
    loss = reference.losses(scores, labels)
    m, s = backend.median_and_mad(*tabulate(scores, labels))
    assert m == pytest.approx(np.median(loss), rel=1e-13)
    assert s == pytest.approx(np.median(np.abs(loss - np.median(loss))), rel=1e-12)


@SHARED
@given(data=rows())
def test_isotonic_is_scikit_learns(backend, data):
    """Same fitted function, at the data and between them."""
    scores, labels = data
    table = tabulate(scores, labels.astype(np.uint8))
    # scikit-learn pools scores that differ by rounding, so use scores that it distinguishes
    if len(table[0]) > 1 and np.diff(table[0]).min() < 1e-9:
        return
    x, y = backend.isotonic(*table)
    points = np.concatenate([scores, np.linspace(0, 1, 101)])
    expected = IsotonicRegression(out_of_bounds="clip").fit(scores, labels).predict(points)
    np.testing.assert_allclose(backend.interpolate(points, x, y), expected, atol=1e-9)


def test_isotonic_of_many_rows_is_scikit_learns(backend):
    """Pieces that were pooled in parallel are joined correctly."""
    rng = np.random.default_rng(2)
    scores = rng.random(600_000)
    labels = (rng.random(600_000) < scores).astype(np.uint8)
    x, y = backend.isotonic(*tabulate(scores, labels))
    expected = IsotonicRegression(out_of_bounds="clip").fit(scores, labels).predict(scores)
    np.testing.assert_allclose(backend.interpolate(scores, x, y), expected, atol=1e-12)


@pytest.mark.parametrize("rows", [511, 512, 1025, 9_000])
@pytest.mark.parametrize("shape", ["random", "rising", "falling", "level", "waves"])
def test_isotonic_of_counts_in_any_order_of_their_means(backend, rows, shape):
    """Rows join in rounds within a part, and parts are joined afterwards."""
    rng = np.random.default_rng(rows)
    place = np.arange(rows) / rows
    means = {
        "random": rng.random(rows),
        "rising": place,
        "falling": 1.0 - place,
        "level": np.full(rows, 0.25),
        "waves": 0.5 + 0.5 * np.sin(60.0 * place),
    }[shape]
    totals = rng.integers(1, 4, rows) * 4.0
    positives = means * totals
    x, y = backend.isotonic(place, totals - positives, positives)
    regression = IsotonicRegression(out_of_bounds="clip")
    expected = regression.fit(place, means, sample_weight=totals).predict(place)
    np.testing.assert_allclose(backend.interpolate(place, x, y), expected, atol=1e-12)


@SHARED
@given(
    knots=st.lists(scores_of_any_kind.map(abs), min_size=1, max_size=20, unique=True),
    points=st.lists(scores_of_any_kind, min_size=1, max_size=30),
    seed=st.integers(0, 100),
)
def test_interpolation_stays_between_the_knots_and_never_falls(backend, knots, points, seed):
    """A map is monotone, passes through its knots, and stays in their range."""
    x = np.sort(np.array(knots))
    y = np.sort(np.random.default_rng(seed).random(len(x)))
    np.testing.assert_array_equal(backend.interpolate(x, x, y), y)
    points = np.sort(np.array(points))
    values = backend.interpolate(points, x, y)
    assert (np.diff(values) >= 0).all()
    assert values.min() >= y[0]
    assert values.max() <= y[-1]


def test_interpolation_is_numpys(backend):
    """Compared with numpy's interp, on random maps with few and many knots."""
    rng = np.random.default_rng(3)
    for size in (1, 2, 17, 5_000):
        x = np.unique(rng.random(size) ** 3)
        y = np.sort(rng.random(len(x)))
        points = np.concatenate([rng.random(3_000) ** 3, x, [0.0, 1.0]])
        expected = np.interp(points, x, y)
        np.testing.assert_allclose(backend.interpolate(points, x, y), expected, atol=1e-14)


def test_few_points_and_many_are_interpolated_alike(backend):
    """To the same bits, though few points are looked up in another way."""
    rng = np.random.default_rng(4)
    x, y = np.sort(rng.random((2, 700)), axis=1)
    points = np.concatenate([rng.random(500), x[:3], x[-3:], [0.0, 1.0]])
    together = backend.interpolate(points, x, y)
    alone = [backend.interpolate(points[i : i + 1], x, y)[0] for i in range(len(points))]
    np.testing.assert_array_equal(alone, together)


def test_losses_are_accurate_to_the_last_places(backend):
    """The logarithm agrees with numpy's over the whole range of use."""
    agreement = np.concatenate([np.geomspace(2.0**-40, 1 - 2.0**-40, 20_000), [0.0, 1.0]])
    expected = -np.log(np.clip(agreement, 2.0**-40, 1 - 2.0**-40))
    np.testing.assert_allclose(backend.log_losses(agreement), expected, rtol=5e-16, atol=1e-16)


@pytest.mark.parametrize("scale", [1e-6, 0.01, 0.3, 50.0])
@pytest.mark.parametrize("digits", [3, 12])
def test_weighted_isotonic_weighs_as_the_paper_says(backend, scale, digits):
    """Compared with weights computed row by row and scikit-learn's weighted fit."""
    rng = np.random.default_rng(4)
    scores = np.round(rng.random(3_000), digits)
    labels = (rng.random(3_000) < scores).astype(np.uint8)
    table = tabulate(scores, labels)
    m, s, x, y = backend.loss_weighted_isotonic(*table, 0.0, scale, 1e-12, 0.05, 1.0)
    assert (m, s) == backend.median_and_mad(*table)
    with np.errstate(over="ignore"):
        sigmoid = 1 / (1 + np.exp((reference.losses(scores, labels) - m) / scale))
    expected = reference.isotonic(scores, labels, np.clip(sigmoid, 0.05, 1.0))(scores)
    np.testing.assert_allclose(backend.interpolate(scores, x, y), expected, atol=1e-9)


def test_the_scale_is_a_multiple_of_the_deviation_with_a_floor(backend):
    """``mad_factor * s + epsilon``, at least ``scale_floor``."""
    rng = np.random.default_rng(5)
    scores = rng.random(500)
    table = tabulate(scores, (rng.random(500) < scores).astype(np.uint8))
    _, s = backend.median_and_mad(*table)

    def fit(*scale):
        return backend.loss_weighted_isotonic(*table, *scale, 0.05, 1.0)

    for scale, same in [
        ((2.0, 0.25, 1e-12), (0.0, 2.0 * s + 0.25, 1e-12)),
        ((0.0, 1e-9, 0.5), (0.0, 0.5, 1e-12)),
    ]:
        for found, expected in zip(fit(*scale), fit(*same), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("tied", [False, True])
def test_a_floor_of_zero_drops_rows(backend, tied):
    """Rows without weight do not count, and do not affect the pooling of their neighbours."""
    scores = np.array([0.001, 0.2, 0.4, 0.6, 0.8, 0.999])
    labels = np.array([1, 0, 0, 1, 1, 0], dtype=np.uint8)
    table = tabulate(np.tile(scores, 1 + tied), np.tile(labels, 1 + tied))
    *_, x, y = backend.loss_weighted_isotonic(*table, 0.0, 1e-3, 1e-12, 0.0, 1.0)
    np.testing.assert_array_equal(x, [0.2, 0.4, 0.6, 0.8])
    np.testing.assert_array_equal(y, [0.0, 0.0, 1.0, 1.0])


def test_a_table_may_begin_with_corrected_counts_below_zero(backend):
    """A mean far below 0 is a block like any other."""
    counts = np.array([[3.0, 1.0, 0.0], [-2.0, 1.0, 1.0]])
    x, y = backend.isotonic(np.array([0.2, 0.5, 0.8]), *counts)
    np.testing.assert_array_equal(x, [0.2, 0.5, 0.8])
    np.testing.assert_array_equal(y, [-2.0, 0.5, 1.0])


def test_many_neighbours_without_weight(backend):
    """A whole part of the rows, and of the first ones too, may have no weight."""
    scores = np.linspace(0.001, 0.999, 6_000)
    labels = (scores > 0.5).astype(np.uint8)
    labels[:1_500], labels[-1_500:] = 1, 0  # contradict the score, so their weight is 0
    *_, x, y = backend.loss_weighted_isotonic(scores, None, labels, 0.0, 1e-6, 1e-12, 0.0, 1.0)
    assert scores[1_500] <= x[0] < x[-1] < scores[-1_500]
    assert (y[0], y[-1]) == (0.0, 1.0)


@SHARED
@given(data=rows(min_size=1, both_classes=False), weighted=st.booleans())
def test_rows_are_counted_on_a_grid(backend, data, weighted):
    """Lowest score, highest score and both counts of every bin; rows of weight 0 are skipped."""
    scores, labels = data
    weights = np.arange(len(scores)) % 3.0 if weighted else None
    bins = np.full((9, 4), (np.inf, -np.inf, 0.0, 0.0))
    for part in (slice(None, 1), slice(1, None)):
        given = None if weights is None else weights[part]
        backend.count_on_grid(scores[part], labels[part].astype(np.uint8), given, bins)
    counted = np.ones(len(scores)) if weights is None else weights
    for place, (low, high, negatives, positives) in enumerate(bins):
        inside = (np.floor(scores * 8) == place) & (counted > 0)
        assert low == (scores[inside].min() if inside.any() else np.inf)
        assert high == (scores[inside].max() if inside.any() else -np.inf)
        assert negatives == counted[inside & (labels == 0)].sum()
        assert positives == counted[inside & (labels == 1)].sum()
    assert not np.signbit(bins[:, 0]).any()


@pytest.mark.parametrize("of_logs", [True, False])
def test_the_logistic_loss_and_its_derivatives(backend, of_logs):
    """The loss row by row, and central differences of loss and gradient."""
    rng = np.random.default_rng(0)
    scores = np.unique(np.concatenate([rng.random(700), [0.0, 1.0]]))
    negatives, positives = rng.random((2, len(scores)))
    at, targets, step = np.array([1.3, 0.7, -0.2]), (0.97, 0.01), 1e-5
    clipped = np.clip(scores, 2.0**-40, 1 - 2.0**-40)
    logs = np.log(clipped), -np.log1p(-clipped)
    first, second = logs if of_logs else (scores, 0.0)
    linear = at[0] * first + at[1] * second + at[2]
    target = positives * targets[0] + negatives * targets[1]
    expected = (negatives + positives) @ np.logaddexp(0.0, linear) - target @ linear

    def evaluate(point):
        return backend.logistic_loss(scores, negatives, positives, *targets, *point, of_logs)

    loss, gradient, hessian = evaluate(at)
    assert loss == pytest.approx(expected, rel=1e-12)
    around = [(evaluate(at + step * e), evaluate(at - step * e)) for e in np.eye(3)]
    slopes = [(above[0] - below[0]) / (2 * step) for above, below in around]
    np.testing.assert_allclose(gradient, slopes, rtol=1e-6, atol=1e-5)
    bends = [(above[1] - below[1]) / (2 * step) for above, below in around]
    np.testing.assert_allclose(hessian, bends, rtol=1e-6, atol=1e-5)


@SHARED
@given(data=rows(min_size=1, both_classes=False))
def test_sums_for_metrics(backend, data):
    """Each as its definition says, row by row."""
    scores, labels = data
    table = tabulate(scores, labels.astype(np.uint8))
    error = np.abs(labels - scores)
    expected = [error[labels == k].sum() for k in (0, 1)]
    expected += [(error[labels == k] ** 2).sum() for k in (0, 1)]
    np.testing.assert_allclose(backend.class_errors(*table), expected, rtol=1e-12, atol=1e-15)
    losses = -np.log(np.clip(1.0 - error, 1e-6, 1.0 - 1e-6))
    assert backend.log_loss(*table, 1e-6) == pytest.approx(losses.sum(), rel=1e-9)
    differences = np.subtract.outer(scores[labels == 1], scores[labels == 0])
    pairs = (differences > 0).sum() + 0.5 * (differences == 0).sum()
    assert backend.ranked_pairs(*table) == pairs
    cells = backend.spread_residuals(*table, 50)
    assert cells.sum() == pytest.approx((labels - scores).sum(), abs=1e-12)


@pytest.mark.parametrize("single", [True, False])
def test_labels_are_spread_over_nodes_of_the_log_odds(backend, single):
    """Every label counts once, and the mean of the log-odds stays; in any order of the rows."""
    rng = np.random.default_rng(0)
    log_odds = rng.permutation(np.linspace(-2.0, 2.5, 2_000))
    labels = rng.integers(0, 2, 2_000).astype(np.uint8)
    weight = np.ones(2_000) if single else rng.random(2_000)
    columns = weight * (1 - labels), weight * labels
    table = (log_odds, *((None, labels) if single else columns))
    p = 1 / (1 + np.exp(-log_odds))
    (found,) = zip(*backend.spread_labels(p, [table], 1e-6, -2.0, 0.25, 19), strict=True)
    nodes = -2.0 + 0.25 * np.arange(19)
    for counts, expected in zip(found, columns, strict=True):
        assert counts.sum() == pytest.approx(expected.sum())
        assert counts @ nodes == pytest.approx(expected @ log_odds)
    lowest = columns[0][log_odds < -1.75] @ ((-1.75 - log_odds[log_odds < -1.75]) / 0.25)
    assert found[0][0] == pytest.approx(lowest)
    two = np.array([0.0, 1.0])
    beyond = backend.spread_labels(two, [(two, None, labels[:2])], 1e-6, 0.0, 1.0, 2)
    assert np.sum(beyond) == pytest.approx(2.0)


def test_labels_of_several_tables_are_counted_apart(backend):
    """Each table has its own row, and takes its own probabilities."""
    tables = several_tables()
    spacing = 1e-6, -9.0, 0.25, 73
    together = backend.spread_labels(np.concatenate([one[0] for one in tables]), tables, *spacing)
    for place, table in enumerate(tables):
        alone = backend.spread_labels(table[0], [table], *spacing)
        for counts, (expected,) in zip(together, alone, strict=True):
            np.testing.assert_allclose(counts[place], expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_rows_in_any_order_are_counted_at_nodes_as_tables_are(backend, weighted):
    """Of several segments, on top of what was counted before."""
    rng = np.random.default_rng(0)
    n, spacing = 1_300, (1e-6, -9.0, 0.25)
    p, segments = rng.random(n), rng.integers(0, 3, n)
    p[:2] = 0.0, 1.0
    weights = rng.random(n) if weighted else None
    found = np.ones((4, 73))
    backend.count_at_nodes(p, weights, segments, *spacing, found)
    np.testing.assert_array_equal(found[3], 1.0)
    for segment in range(3):
        chosen = np.flatnonzero(segments == segment)
        chosen = chosen[np.argsort(p[chosen])]
        weight = weights[chosen] if weighted else np.ones(len(chosen))
        table = p[chosen], np.zeros(len(chosen)), weight
        _, (expected,) = backend.spread_labels(p[chosen], [table], *spacing, 73)
        np.testing.assert_allclose(found[segment] - 1.0, expected, rtol=1e-9, atol=1e-12)


def test_the_likelihood_of_an_offset_has_this_slope_and_information(backend):
    """The slope is that of the log-likelihood, the information its expected curvature."""
    rng = np.random.default_rng(0)
    log_odds, offsets = np.sort(rng.normal(0.0, 3.0, 21)), rng.normal(size=7)
    total, flipped, right = rng.random((7, 21)), 0.1, 0.8

    def label(offset):
        return flipped + (right - flipped) / (1 + np.exp(-(log_odds + offset[:, None])))

    def log_likelihood(offset, positives):
        p = label(offset)
        return (positives * np.log(p) + (total - positives) * np.log(1 - p)).sum(axis=1)

    for positives in (total * rng.random((7, 21)), total * label(offsets)):
        found, information = backend.offset_curvature(
            log_odds, total - positives, positives, offsets, flipped, right
        )
        step = 1e-4
        below, here, above = (log_likelihood(offsets + d, positives) for d in (-step, 0.0, step))
        np.testing.assert_allclose(found, (above - below) / (2 * step), atol=1e-7)
    # labels are now as expected, so the curvature is the expected one
    np.testing.assert_allclose(information, (2 * here - above - below) / step**2, rtol=1e-4)
