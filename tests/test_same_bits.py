"""The same rows give the same bits, from any number of threads and in any order."""

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import lwcal
from lwcal.noise import flip_labels

ROWS = 24_000  # BLAS shares products of such vectors among its threads


@pytest.fixture(scope="module")
def noisy():
    """Distinct scores, and labels of which some are wrong."""
    rng = np.random.default_rng(0)
    scores = rng.beta(0.6, 0.9, ROWS)
    truth = (rng.random(ROWS) < scores).astype(int)
    return scores, flip_labels(truth, rate=0.15, random_state=1).labels


def _everything(scores, y):
    fitted = {name: make().fit(scores, y) for name, make in lwcal.calibrators.CALIBRATORS.items()}
    verdict = lwcal.diagnose(scores, y, methods=["platt", "noise-aware"])
    metrics = lwcal.metrics.corrected_evaluate(y, scores, noise_rates=verdict.noise, n_resamples=20)
    return {
        **{name: lwcal.artifact.to_document(one) for name, one in fitted.items()},
        "diagnose": verdict.to_dict(),
        "evaluate": lwcal.metrics.evaluate(y, scores),
        "corrected": metrics,
        "monitor": lwcal.monitor(fitted["isotonic"], scores, y).to_dict(),
    }


@pytest.fixture(scope="module")
def from_one_thread(noisy):
    """What a single thread finds."""
    with threadpool_limits(1):
        return _everything(*noisy)


@pytest.mark.parametrize("threads", [2, 4, 8])
def test_any_number_of_threads(noisy, from_one_thread, threads):
    """Of the linear algebra; those of the kernels and of DuckDB have tests of their own."""
    with threadpool_limits(threads):
        assert _everything(*noisy) == from_one_thread


def test_any_order_of_rows(noisy, from_one_thread):
    """Calibrators, verdict, metrics and monitoring see counts, not rows."""
    order = np.random.default_rng(1).permutation(ROWS)
    assert _everything(*(column[order] for column in noisy)) == from_one_thread
