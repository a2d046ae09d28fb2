"""No argument leads a compiled kernel outside its memory; a sanitized build would tell."""

import os
from contextlib import suppress

import numpy as np
import pytest

from lwcal import kernels
from tests.fuzz import hostile

compiled = pytest.importorskip("lwcal.kernels.compiled")

COUNT = int(os.environ.get("LWCAL_FUZZ_KERNELS", "3000"))
"""Calls over all kernels; ``make sanitize`` asks for more."""
F, L, K, N = "floats", "labels", "keys", "number"
ARGUMENTS = {
    "add_tables": (F, "negatives", "positives", F, "negatives", "positives"),
    "count_distinct": (F, L, "limit"),
    "count_on_grid": (F, L, "weights", "bins"),
    "group_keys": (F, L, "segments", "groups"),
    "pool_sorted_groups": (K, "ends"),
    "label_keys": (F, L),
    "pool_sorted_keys": (K,),
    "log_losses": (F,),
    "within": (F, N, N),
    "median_and_mad": (F, "negatives", "positives"),
    "isotonic": (F, "negatives", "positives"),
    "logistic_loss": (F, "negatives", "positives", N, N, N, N, N, "flag"),
    "class_errors": (F, "negatives", "positives"),
    "class_likelihood": ("matrix", "codes", "of rows", "diagonal", "diagonal", "square"),
    "log_loss": (F, "negatives", "positives", N),
    "ranked_pairs": (F, "negatives", "positives"),
    "spread_residuals": (F, "negatives", "positives", "cells"),
    "spread_labels": ("of tables", "tables", N, N, N, "cells"),
    "count_at_nodes": (F, "weights", "segments", N, N, N, "each"),
    "add_to_each": ("tables", F, "each", "each"),
    "class_totals": ("tables", N),
    "loss_weighted_isotonics": ("tables", N, N, N, N, N),
    "offset_curvature": (F, "each", "each", "offsets", N, N),
    "block_sums": (F, "negatives", "positives", "starts"),
    "loss_weighted_isotonic": (F, "negatives", "positives", N, N, N, N, N),
    "interpolate": (F, F, F),
    "sigmoids": (F, F, F),
    "sigmoid_sums": (F, F, F, F),
    "average_sigmoid": (F, F, F, F),
    "average_entropy": (F, F, F, F),
    "noise_mode": ("prior", N, F, F, F, F, F, F, "four"),
    "noise_draws": ("prior", "mode", "information", "standard", N, N, F, F, F, F, F, F, "four"),
    "regression_mode": ("features", F, F, F, "coefficients", "mode"),
    "regression_draws": ("features", F, F, F, "coefficients", "mode", "information", "standard", N),
}


def test_every_kernel_is_fuzzed():
    """A new kernel needs a line here."""
    assert set(ARGUMENTS) == set(kernels.KERNELS)


@pytest.mark.parametrize("name", ARGUMENTS)
def test_any_argument(name):
    """Results or exceptions of Python: nothing else ends the call."""
    kernel = getattr(compiled, name)
    for seed in range(COUNT // len(ARGUMENTS)):
        rng = np.random.default_rng(seed)
        n = hostile.length(rng)
        with suppress(ValueError, TypeError, OverflowError), np.errstate(all="ignore"):
            given = tuple(_argument(rng, kind, n) for kind in ARGUMENTS[name])
            if name == "noise_draws":
                kernel([given] * (seed % 4))
            else:
                kernel(*given)


def _argument(rng, kind, n):
    if rng.random() < 0.02:
        n = hostile.length(rng)  # of another length than the others
    if kind == "floats":
        found = rng.random(n) if rng.random() < 0.7 else rng.choice(hostile.VALUES, n)
        return np.sort(found) if rng.random() < 0.5 else found
    if kind == "labels":
        return rng.integers(0, 2 if rng.random() < 0.8 else 256, n).astype(np.uint8)
    if kind == "keys":
        return np.sort(rng.integers(0, 2**63, n).astype(np.uint64) * np.uint64(rng.integers(1, 3)))
    if kind == "cells":
        return int(rng.integers(0, 40))
    if kind == "groups":
        return max(n % 4, 1)
    if kind == "ends":
        return np.array([n // 3, n // 2, n + rng.integers(2)])
    if kind == "flag":
        return bool(rng.integers(2))
    if kind == "starts":
        return np.sort(rng.integers(-1 if rng.random() < 0.1 else 0, n + 2, n % 7))
    if kind == "positives":
        return _argument(rng, "floats" if rng.random() < 0.5 else "labels", n)
    if kind in ("weights", "negatives"):
        return None if rng.random() < 0.5 else _argument(rng, "floats", n)
    if kind == "tables":
        columns = F, "negatives", "positives"
        return [tuple(_argument(rng, one, n) for one in columns) for _ in range(n % 4)]
    if kind in ("of tables", "offsets"):
        return _argument(rng, F, n * (n % 4) if kind == "of tables" else n % 4)
    if kind == "each":
        return rng.choice((*hostile.VALUES, 0.5), (n % 4, n))
    if kind == "segments":
        return rng.integers(-1 if rng.random() < 0.1 else 0, max(n % 4, 1), n)
    if kind == "bins":
        return np.zeros((int(rng.integers(0, 30)), 4))
    if kind in SHAPES:
        return _of_noise(rng, kind, n)
    if kind in ("matrix", "codes", "of rows", "diagonal", "square"):
        return _of_classes(rng, kind, n)
    if kind == "limit":
        return int(rng.choice([-1, 0, 1, 7, 2**31, 2**62]))
    return float(rng.choice((*hostile.VALUES, 0.5, 1e-6, 1.0)))


SHAPES = {
    "prior": lambda size, n: (11,),
    "mode": lambda size, n: (size,),
    "information": lambda size, n: (size, size),
    "standard": lambda size, n: (3, 8, size),
    "four": lambda size, n: (4,),
    "features": lambda size, n: (size, n),
    "coefficients": lambda size, n: (size, 3),
}


def _of_noise(rng, kind, n):
    """Arrays for a model with n % 3 + 2 parameters, now and then of another shape."""
    size = 2 + (n if rng.random() < 0.98 else n + 1) % 3
    shape = SHAPES[kind](size, n)
    found = rng.normal(size=shape) if rng.random() < 0.8 else rng.choice(hostile.VALUES, shape)
    if kind == "prior":
        found[6] = n % 3 if rng.random() < 0.9 else found[6]
    if kind == "information" and rng.random() < 0.8:
        found += 9.0 * np.eye(size)
    return found


def _of_classes(rng, kind, n):
    """Arrays for so many rows of n % 5 classes, now and then of another shape."""
    classes = n % 5 if rng.random() < 0.98 else 7
    if kind == "codes":
        return rng.integers(-1 if rng.random() < 0.02 else 0, max(classes, 1), n)
    if kind == "of rows":
        return _argument(rng, "floats", n)
    shape = {"matrix": (classes, n), "square": (classes, classes)}.get(kind, (classes,))
    if kind == "diagonal" and rng.random() < 0.3:
        shape = (classes, classes)
    return rng.choice((*hostile.VALUES, 0.5), shape) if rng.random() < 0.3 else rng.random(shape)
