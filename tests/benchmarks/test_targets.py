"""Every target of the speed benchmark is met by a fast run and missed by a slow one."""

import pytest
from benchmarks.methods import GATED, LWCAL, SORT
from benchmarks.promises import Promise, WorstPromise
from benchmarks.results import FIT, Results
from benchmarks.targets import RANGES, TARGETS
from benchmarks.timing import Timing

from benchmarks import grid
from tests.benchmarks.made_up import grid_results, whole_run


@pytest.fixture(scope="module")
def runs():
    """A run far better than every target, and one far worse."""
    return {good: whole_run(good=good) for good in (True, False)}


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.what)
def test_each_target_has_its_direction(runs, target):
    """A fast run meets it, a slow run misses it."""
    assert target.describe_measured(runs[True]).endswith(": met")
    assert target.describe_measured(runs[False]).endswith(": **missed**")


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.what)
def test_a_target_without_measurements_says_so(target):
    """Nothing is taken for met that did not run."""
    assert target.describe_measured(Results()) == "not measured"


@pytest.mark.parametrize(("fewest", "most", "faster"), RANGES)
def test_one_size_behind_the_others_is_what_counts(fewest, most, faster):
    """The worst of a range is compared with the target of the range, and its size is printed."""
    worst = grid.within(fewest, most)[-1]
    found = grid_results(faster=2 * faster, slow={(worst, GATED): 2.5})
    (target,) = (
        aim for aim in TARGETS if isinstance(aim, WorstPromise) and aim.sizes[-1:] == (worst,)
        and aim.what.startswith(GATED) and "scikit-learn" in aim.what
    )  # fmt: skip
    assert target.target == faster
    shown = target.describe_measured(found)
    assert (
        shown
        == f"{0.8 * faster:.{2 if faster < 10 else 1}f} times as fast at {worst:,} rows: **missed**"
    )


def test_ranges_start_and_end_on_the_grid():
    """So that the ends are measured, too."""
    for fewest, most, _ in RANGES:
        assert {fewest, most} <= set(grid.SIZES)


@pytest.mark.parametrize(
    ("at_least", "met"), [(True, [False, True, True]), (False, [True, True, False])]
)
def test_the_target_itself_is_met(at_least, met):
    """At least and at most include the number."""
    aim = WorstPromise("fit", 2.0, at_least, "times as fast", lambda results, rows: None, ())
    assert [aim.is_met(value) for value in (1.99, 2.0, 2.01)] == met
    assert aim.describe_target() == f"at {'least' if at_least else 'most'} 2 times as fast"


def test_fewer_rows_give_a_value_without_a_verdict():
    """The value at the most rows that ran."""
    found = Results()
    for rows in (10, 100):
        found.add_timing(FIT, "continuous", rows, LWCAL, Timing(rows, rows, 3))
    found.add_timing(FIT, "continuous", 1_000, SORT, Timing(1.0, 1.0, 3))
    aim = Promise(
        "fit", 3, False, "s", lambda found, rows: found.value(FIT, "continuous", rows, LWCAL),
        FIT, 1_000, lambda found, rows: f" (at {rows})",
    )  # fmt: skip
    assert aim.describe_measured(found) == "100.0 s (at 100) at 100 rows; not measured at 1,000"


@pytest.mark.parametrize(
    ("sizes", "seconds", "shown"),
    [
        ((10, 20), [1.0, 2.0], "2.00 s at 20 rows: met"),
        ((10, 20), [4.0, 2.0], "4.00 s at 10 rows: **missed**"),
        ((10, 20, 30), [1.0, 2.0], "2.00 s at 20 rows; not measured at 30"),
        ((10, 20, 30, 40), [1.0, 2.0], "2.00 s at 20 rows; not measured from 30 to 40"),
        ((10, 20, 30, 40), [1.0, 4.0], "4.00 s at 20 rows: **missed**"),
    ],
)
def test_a_range_is_met_only_as_a_whole(sizes, seconds, shown):
    """One size can miss it; only all sizes can meet it."""
    known = dict(zip(sizes, seconds, strict=False))
    aim = WorstPromise("fit", 3, False, "s", lambda results, rows: known.get(rows), sizes)
    assert aim.describe_measured(Results()) == shown
