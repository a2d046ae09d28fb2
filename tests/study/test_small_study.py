"""The calibrators reproduce the figures that were measured before they were written."""

import numpy as np
import pytest

from tests.study.small_study import cell_eces

MEASURED = {"raw": 0.177, "isotonic": 0.130, "lwcal": 0.101, "gated": 0.110, "oracle": 0.053}
"""Mean ECE over 432 cells, from an independent prototype."""


@pytest.fixture(scope="module")
def found():
    """One seed: 72 of the 432 cells."""
    return cell_eces(seeds=[0])


@pytest.mark.parametrize("method", MEASURED)
def test_mean_ece_is_the_measured_one_within_sampling_error(found, method):
    """Within three standard errors of the mean over the cells run here."""
    values = found[method]
    error = values.std() / np.sqrt(len(values))
    assert abs(values.mean() - MEASURED[method]) < 3 * error


def test_the_order_of_the_methods_is_the_papers(found):
    """Oracle, LWCal, Gated-LWCal, isotonic, raw."""
    means = {method: values.mean() for method, values in found.items()}
    assert sorted(means, key=means.get) == ["oracle", "lwcal", "gated", "isotonic", "raw"]
