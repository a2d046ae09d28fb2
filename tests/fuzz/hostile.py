"""Arrays that are almost right, and arrays that are not."""

import numpy as np

VALUES = (np.nan, np.inf, -np.inf, -1.0, 1.5, 1e300, -1e300, 5e-324, -0.0, 1.0 + 2**-52, 2.0**63)
WEIGHTS = (0.0, -1.0, np.nan, np.inf, 1e-300, 1e300, 1e-90, 1e14, 0.5, 3.0)
LONGEST = 40


def length(rng):
    """Often short, sometimes nothing."""
    return int(rng.integers(0, LONGEST))


def scores(rng, n):
    """Probabilities, as a rule; with ties, extremes, or values that are none."""
    kind = rng.integers(8)
    if kind < 3:
        found = rng.random(n)
    elif kind < 5:
        found = rng.integers(0, 5, n) / 4
    elif kind == 5:
        found = np.full(n, rng.random())
    elif kind == 6:
        found = 10.0 ** rng.uniform(-320, 0, n)
    else:
        found = rng.normal(size=n) * 10.0 ** rng.integers(-3, 4)
    if n and rng.random() < 0.2:
        found[rng.integers(n, size=1 + rng.integers(3))] = rng.choice(VALUES)
    return form(rng, found)


def labels(rng, n):
    """Two classes, as a rule; of any type, with missing ones, or of one or three classes."""
    found = rng.integers(0, 2, n)
    kind = rng.integers(12)
    if kind == 0:
        return rng.integers(0, 3, n)
    if kind == 1:
        return np.full(n, rng.integers(2))
    if kind == 2:
        return np.array(["no", "Yes", "yes"])[found]
    if kind == 3:
        return found.astype(object) if not n else [None, *found[1:].tolist()]
    if kind == 4:
        return np.where(rng.random(n) < 0.1, np.nan, found)
    if kind == 5:
        return found.astype(bool)
    return found


def weights(rng, n):
    """Usually none; sometimes of an absurd size."""
    kind = rng.integers(6)
    if kind < 3:
        return None
    if kind == 3:
        return rng.integers(0, 4, n)
    if kind == 4:
        return rng.random(n) * 10.0 ** rng.integers(-100, 16)
    return rng.choice(WEIGHTS, n)


def checked(rng, n):
    """Checked labels of some rows; the others are missing."""
    found = rng.integers(0, 2, n).astype(object)
    found[rng.random(n) < 0.7] = None
    return found


def columns(rng):
    """Scores, labels and weights, of one length as a rule."""
    n = length(rng)
    other = n + (rng.random() < 0.03)
    return scores(rng, n), labels(rng, other), weights(rng, n)


def form(rng, found):
    """The same values as another object."""
    kind = rng.integers(14)
    if kind == 0:
        return found.tolist()
    if kind == 1:
        return found[:, None]
    if kind == 2:
        return np.repeat(found, 2)[::2]
    if kind == 3:
        with np.errstate(over="ignore"):
            return found.astype(np.float32)
    if kind == 4:
        return found.astype(object)
    if kind == 5:
        return found.astype(str)
    if kind == 6 and rng.random() < 0.3:
        return np.stack([1 - found, found], axis=1)
    if kind == 7 and rng.random() < 0.3:
        return found.astype(complex)
    found.flags.writeable = False
    return found
