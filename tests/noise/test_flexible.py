"""The flexible rival: it knows any smooth shape, and pays for it."""

import numpy as np
import pytest
from scipy.special import expit

from lwcal import ScoreTable
from lwcal.noise.checked.table import CheckedTable
from lwcal.noise.flexible import _log_evidence, flexible_log_evidence
from lwcal.noise.hypotheses import CLEAN_HYPOTHESIS
from lwcal.noise.inference import infer
from lwcal.noise.logit_counts import LogitCounts, pool_by_logit
from tests.noise.simulated import sample


def counts_of(scores, labels):
    """Counts as inference takes them."""
    return LogitCounts.from_table(pool_by_logit(ScoreTable.from_arrays(scores, labels)))


def line_evidence(scores, labels):
    """Evidence of the line through the log-odds."""
    table = pool_by_logit(ScoreTable.from_arrays(scores, labels))
    return infer(table, [CLEAN_HYPOTHESIS]).components[0].log_evidence


def test_one_parameter_is_integrated_as_by_quadrature():
    """Laplace's method against a fine grid, for one coefficient and many rows."""
    rng = np.random.default_rng(0)
    z = rng.normal(0, 1, 400)
    y = (rng.random(400) < expit(1.3 * z)).astype(float)
    sd = 0.8
    grid = np.linspace(-4, 4, 8001)
    line = (1.0 + sd * grid[:, None]) * z
    density = line @ y - np.logaddexp(0, line).sum(axis=1) - 0.5 * grid**2
    top = density.max()
    integral = np.log(np.exp(density - top).sum() * (grid[1] - grid[0])) + top
    expected = integral - 0.5 * np.log(2 * np.pi)
    rows = z, 1 - y, y
    found, mode = _log_evidence(z[None], rows, np.array([sd]), np.zeros(1))
    assert found == pytest.approx(expected, abs=0.02)
    assert mode / sd == pytest.approx(grid[density.argmax()], abs=1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_a_step_is_explained_better_than_by_a_line(seed):
    """By more than strong evidence, from 3,000 rows."""
    rng = np.random.default_rng(seed)
    scores = expit(rng.normal(-1.0, 0.7, 3000))
    labels = (rng.random(3000) < np.where(scores > np.median(scores), 0.4, 0.1)).astype(int)
    assert flexible_log_evidence(counts_of(scores, labels)) > line_evidence(scores, labels) + 3


@pytest.mark.parametrize("seed", range(3))
def test_a_line_is_explained_better_by_a_line(seed):
    """Freedom that is not needed costs evidence."""
    drawn = sample(np.random.default_rng(seed), 3000, line=(1.3, 0.2))
    rival = flexible_log_evidence(counts_of(drawn.scores, drawn.noisy))
    assert rival < line_evidence(drawn.scores, drawn.noisy)


def test_checked_truths_count_as_labels_and_errors_contradict():
    """Rows that were found right are like any other; a wrong label rules out that all are right."""
    drawn = sample(np.random.default_rng(1), 300, line=(1.3, 0.2))
    table = ScoreTable.from_arrays(drawn.scores[20:], drawn.noisy[20:])
    codes = drawn.scores[:20], drawn.noisy[:20]
    right = CheckedTable.from_codes(*codes, drawn.noisy[:20])
    together = flexible_log_evidence(LogitCounts.from_table(table, right))
    everything = ScoreTable.from_arrays(drawn.scores, drawn.noisy)
    assert together == pytest.approx(flexible_log_evidence(LogitCounts.from_table(everything)))
    wrong = np.where(np.arange(20) == 0, 1 - drawn.noisy[:20], drawn.noisy[:20])
    contradicted = LogitCounts.from_table(table, CheckedTable.from_codes(*codes, wrong))
    assert flexible_log_evidence(contradicted) < together - 20
