"""Compare tables of new rows, with labels and without, with those of the fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from lwcal.adjustments import other_base_rate
from lwcal.arrays import FloatArray
from lwcal.calibrators import Calibrator, GatedLWCal
from lwcal.estimates import Estimate
from lwcal.metrics.binned_error import binned_error
from lwcal.metrics.calibration import N_BINS
from lwcal.metrics.noise_correction import estimates
from lwcal.metrics.resampling import Resampling
from lwcal.monitoring.grading import DriftTest, change_of_labels, judge
from lwcal.monitoring.label_tests import Change, Labels, compare_groups, compare_labels
from lwcal.monitoring.permutation import Counted, are_many, groups_are_many, with_exact_p
from lwcal.monitoring.statistics import Found, compare_scores, compare_shares
from lwcal.monitoring.telling import Telling, as_count, rows_needed
from lwcal.monitoring.verdict import CONFIDENCE, Monitoring, Snapshot
from lwcal.noise.logit_counts import pool_by_logit
from lwcal.noise.rates import RatePosterior
from lwcal.reference import Reference
from lwcal.table import ScoreTable

RESAMPLING = Resampling(CONFIDENCE, n_resamples=200, random_state=0)
AS_LABELLED = RatePosterior.known((0.0, 0.0))
"""Labels are not corrected: only the change of the calibration error matters, not its size."""
TESTS = 4
"""Tests of rows with labels."""


class NewTables(NamedTuple):
    """New rows: those with a label, and those without, which are counted as negatives."""

    labelled: ScoreTable | None
    unlabelled: ScoreTable | None = None

    @property
    def tables(self) -> list[ScoreTable]:
        """The tables that have rows."""
        return [table for table in self if table is not None]

    @property
    def n(self) -> float:
        """Number of rows, or their total weight."""
        return as_count(sum(table.n for table in self.tables))

    def in_bins(self, reference: Reference) -> FloatArray:
        """Weight of all rows in each bin of the fit."""
        first, *others = (
            reference.counts(table.scores, table.negatives + table.positives)
            for table in self.tables
        )
        return sum(others, start=first)


def together(rows: Sequence[NewTables]) -> NewTables:
    """Rows of several tables in one."""
    labelled = [one.labelled for one in rows if one.labelled is not None]
    unlabelled = [one.unlabelled for one in rows if one.unlabelled is not None]
    return NewTables(
        ScoreTable.merge(labelled) if labelled else None,
        ScoreTable.merge(unlabelled) if unlabelled else None,
    )


def compare_tables(reference: Reference, calibrator: Calibrator, new: NewTables) -> Monitoring:
    """Compare new rows with those of the fit, and judge them alone."""
    fitted = reference.table()
    d_fitted = _disagreement_at_fit(fitted, calibrator)
    counted = counted_rows(reference, calibrator, new)
    found = changes(counted, change_of_labels(TESTS))
    # the highest scores can be few among many rows
    many = are_many(counted), groups_are_many(counted)
    few = {name: one for name, one in found.items() if not many[name == "groups"]}
    found |= with_exact_p(few, counted, TESTS)
    tests = judge_rows(found, fitted, calibrator, new)
    labelled = new.labelled
    telling = Telling(
        0 if labelled is None else as_count(labelled.n),
        found["labels"].power if "labels" in found else None,
        rows_needed(counted.before, change_of_labels(TESTS), counted.fitted_rows),
    )
    if labelled is None:
        before = _snapshot(fitted, d_fitted, calibrator, None)
        return Monitoring(before, Snapshot(new.n, None, None, None, None), tests, telling)
    d_new = labelled.disagreement(calibrator.threshold)
    error = _error(pool_by_logit(labelled), calibrator)
    after = Snapshot(new.n, labelled.base_rate, d_new, calibrator.gate(d_new), error)
    before = _snapshot(fitted, d_fitted, calibrator, _error(fitted, calibrator))
    other = other_base_rate(calibrator.adjustments_, labelled.base_rate, labelled.n)
    return Monitoring(before, after, tests, telling, other_base_rate=other)


def counted_rows(reference: Reference, calibrator: Calibrator, new: NewTables) -> Counted:
    """What the tests look at."""
    fitted = reference.table()
    before, weight = Labels(*reference.informative_labels()), new.in_bins(reference)
    rows = reference.informative_rows()
    labelled = new.labelled
    if labelled is None:
        return Counted(before, weight, rows=rows)
    after = Labels(
        reference.counts(labelled.scores, labelled.negatives),
        reference.counts(labelled.scores, labelled.positives),
    )
    d_fitted = _disagreement_at_fit(fitted, calibrator)
    d_new = labelled.disagreement(calibrator.threshold)
    disagreeing = (d_fitted * float(rows.sum()), d_new * labelled.n)
    moved = _moved(reference, calibrator, labelled, after.weight)
    return Counted(before, weight, after, disagreeing, moved=moved, rows=rows)


def _moved(
    reference: Reference, calibrator: Calibrator, labelled: ScoreTable, weight: FloatArray
) -> FloatArray:
    """Rise of the calibrated probability from the mean score of each bin to that of new rows."""
    sums = reference.counts(
        labelled.scores, labelled.scores * (labelled.negatives + labelled.positives)
    )
    means = np.where(weight > 0.0, sums / np.maximum(weight, 1e-300), reference.scores)
    return calibrator.map_(np.clip(means, 0.0, 1.0)) - calibrator.map_(reference.scores)


def changes(counted: Counted, change: Change) -> dict[str, Found]:
    """Test new rows for each kind of change; without labels only the scores."""
    before, weight, after, disagreeing, _, moved, _ = counted
    rows = counted.fitted_rows
    tests = {"scores": compare_scores(rows, weight)}
    if after is None or disagreeing is None or moved is None:
        return tests
    totals = (float(rows.sum()), float(after.weight.sum()))
    return {
        **tests,
        "disagreement": compare_shares(disagreeing, totals),
        "groups": compare_groups(before, after, moved, rows),
        "labels": compare_labels(before, after, change=change),
    }


def judge_rows(
    found: Mapping[str, Found],
    fitted: ScoreTable,
    calibrator: Calibrator,
    new: NewTables,
    adjusted: Sequence[float] | None = None,
) -> tuple[DriftTest, ...]:
    """Grade the tests of new rows; by default their p-values are adjusted for these alone."""
    labelled = new.labelled
    return judge(
        found,
        gated=isinstance(calibrator, GatedLWCal),
        enough_rows=labelled is not None and labelled.n >= fitted.n,
        adjusted=adjusted,
    )


def _disagreement_at_fit(fitted: ScoreTable, calibrator: Calibrator) -> float:
    """Return the share of contradicting labels among the rows of the fit.

    LWCal measured it during its fit, before any change of the base rate. The bins of a reference
    give it exactly for the default threshold, which all other calibrators have.
    """
    measured = None if calibrator.adjustments_ else calibrator.diagnostics_.get("d")
    return fitted.disagreement(calibrator.threshold) if measured is None else measured


def _snapshot(
    table: ScoreTable, d: float, calibrator: Calibrator, ece: Estimate | None
) -> Snapshot:
    return Snapshot(table.n, table.base_rate, d, calibrator.gate(d), ece)


def _error(table: ScoreTable, calibrator: Calibrator) -> Estimate:
    """Estimate the ECE of the calibrated probabilities against the labels as they are.

    What sampling is expected to add is subtracted.
    """
    calibrated = calibrator.map_(table.scores)
    judged = ScoreTable.from_counts(calibrated, table.negatives, table.positives)
    return estimates(judged, AS_LABELLED, {"": binned_error(judged, N_BINS)}, RESAMPLING)[""]
