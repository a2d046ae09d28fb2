"""Write the golden files of the current schema: ``python -m tests.artifact.make_golden``.

Run when a schema version or a calibrator is born; what is there is never rewritten.
"""

import json
from pathlib import Path

import numpy as np

import lwcal
from lwcal.artifact import SCHEMA_VERSION
from lwcal.calibrators import CALIBRATORS

FOLDER = Path(__file__).parent / "golden"
POINTS = np.linspace(0, 1, 41)


def main():
    """Fit every calibrator to fixed rows, and store it with what it predicts."""
    rng = np.random.default_rng(20261115)
    scores = rng.beta(0.7, 0.7, 120).round(3)
    labels = (rng.random(120) < 0.2 + 0.6 * scores).astype(int)
    folder = FOLDER / f"v{SCHEMA_VERSION}"
    folder.mkdir(parents=True, exist_ok=True)
    for method, calibrator in CALIBRATORS.items():
        if (folder / f"{method}.json").exists():
            continue
        fitted = calibrator().fit(scores, labels)
        lwcal.save(fitted, folder / f"{method}.json")
        expected = fitted.predict(POINTS).tolist()
        (folder / f"{method}.expected.json").write_text(json.dumps(expected))


if __name__ == "__main__":
    main()
