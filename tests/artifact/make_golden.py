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
NEWEST = FOLDER / f"v{SCHEMA_VERSION}-noise"
"""Files with every optional field, of the calibrators that write one."""
POINTS = np.linspace(0, 1, 41)


def main():
    """Fit every calibrator to fixed rows, and store it with what it predicts."""
    rng = np.random.default_rng(20261115)
    scores = rng.beta(0.7, 0.7, 120).round(3)
    labels = (rng.random(120) < 0.2 + 0.6 * scores).astype(int)
    for method, calibrator in CALIBRATORS.items():
        fitted = calibrator().fit(scores, labels)
        folder = FOLDER / f"v{SCHEMA_VERSION}" if fitted.noise_ is None else NEWEST
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / f"{method}.json").exists():
            continue
        lwcal.save(fitted, folder / f"{method}.json")
        expected = fitted.predict(POINTS).tolist()
        (folder / f"{method}.expected.json").write_text(json.dumps(expected))


if __name__ == "__main__":
    main()
