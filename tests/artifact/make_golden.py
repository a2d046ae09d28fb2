"""Write the golden files of the current schema: ``python -m tests.artifact.make_golden``.

Run it for a new schema version, a new calibrator or a new optional field. Existing files are never
rewritten: a folder holds the files as they were written when it was made.
"""

import json
from pathlib import Path

import numpy as np

import lwcal
from lwcal.artifact import SCHEMA_VERSION
from lwcal.calibrators import CALIBRATORS

FOLDER = Path(__file__).parent / "golden"
CLASSES = FOLDER / f"v{SCHEMA_VERSION}-classes"
"""Files of four classes, of the calibrators that take them."""
NEWEST = FOLDER / f"v{SCHEMA_VERSION}-noise"
"""Files with every optional field, of the calibrators that write one."""
ADJUSTED = FOLDER / f"v{SCHEMA_VERSION}-adjusted"
"""Files of calibrators whose base rate was changed after the fit."""
POINTS = np.linspace(0, 1, 41)
CLASS_POINTS = np.random.default_rng(1).dirichlet([0.3] * 4, 20).round(4)
CLASS_POINTS[:, 3] = 1.0 - CLASS_POINTS[:, :3].sum(axis=1)


def main():
    """Fit every calibrator to fixed rows, and store it with what it predicts."""
    rng = np.random.default_rng(20261115)
    scores = rng.beta(0.7, 0.7, 120).round(3)
    labels = (rng.random(120) < 0.2 + 0.6 * scores).astype(int)
    for method, calibrator in CALIBRATORS.items():
        given = labels if calibrator is not lwcal.Reviewed else opinions(labels, 2)
        fitted = calibrator().fit(scores, given)
        folder = FOLDER / f"v{SCHEMA_VERSION}" if fitted.noise_ is None else NEWEST
        store(fitted, folder / method, POINTS)
        if issubclass(calibrator, lwcal.calibrators.ClassCalibrator):
            rows, classes = class_rows()
            given = classes if calibrator is not lwcal.Reviewed else opinions(classes, 3)
            store(calibrator().fit(rows, given), CLASSES / method, CLASS_POINTS)
    adjusted = lwcal.shift.undo_sampling(lwcal.NoiseAware().fit(scores, labels), 0.25)
    store(adjusted, ADJUSTED / "noise-aware", POINTS)
    fitted = lwcal.MatrixScaling().fit(*class_rows())
    store(
        lwcal.shift.to_base_rate(fitted, [0.1, 0.2, 0.3, 0.4]),
        ADJUSTED / "matrix-scaling",
        CLASS_POINTS,
    )


def opinions(labels, reviewers):
    """Labels of several reviewers, each of whom takes every seventh row for its neighbour."""
    shifted = [np.roll(labels, 1 + who) for who in range(reviewers)]
    rows = np.arange(len(labels))
    return np.stack(
        [np.where(rows % 7 == who, other, labels) for who, other in enumerate(shifted)], axis=1
    )


def class_rows():
    """Overconfident scores of four classes, and labels of which every fifth is wrong."""
    rng = np.random.default_rng(20261117)
    truth = rng.dirichlet([0.3] * 4, 400)
    labels = (rng.random((400, 1)) > truth.cumsum(axis=1)[:, :-1]).sum(axis=1)
    labels = np.where(rng.random(400) < 0.2, (labels + 1) % 4, labels)
    scores = truth**1.5 + 1e-9
    return scores / scores.sum(axis=1, keepdims=True), np.array(["a", "b", "c", "d"])[labels]


def store(fitted, path, points):
    """Write the file and what it predicts, unless they are there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.with_suffix(".json").exists():
        return
    lwcal.save(fitted, path.with_suffix(".json"))
    expected = json.dumps(fitted.predict(points).tolist())
    path.with_suffix(".expected.json").write_text(expected)


if __name__ == "__main__":
    main()
