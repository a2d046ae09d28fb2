"""The files that ``lwcal demo`` writes."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from lwcal.arrays import FloatArray, LabelArray
from lwcal.artifact import save
from lwcal.atomic_files import replacing
from lwcal.audit.sheet import ANSWER, CODE, PROBABILITY
from lwcal.calibrators import GatedLWCal, label_weights
from lwcal.cli.audit.sheets import codes_of
from lwcal.cli.demo_data import BRANCH, CALIBRATION, COLUMNS, TEST, ScoredDisputes, cases
from lwcal.cli.demo_story import Checks, Story
from lwcal.cli.output import write_table
from lwcal.errors import OutputError, message
from lwcal.plots import ReliabilityDisplay
from lwcal.plots.reliability import new_axes

EXPLAINED = {
    ("calibration.csv", "checked.csv"): "the rows of step 1; the same with the checks",
    ("calibrator.json", "audited.json"): "the calibrators Auto and Audited",
    ("calibrated.csv", "reliability.png"): "test rows with Auto's probabilities; a picture",
    ("label_weights.parquet",): "the weight of every label in Gated-LWCal",
    ("disputes.csv",): "evidence, to check yourself (lwcal audit serve)",
}
"""What is in the files."""
FILES = [name for names in EXPLAINED for name in names]


def check_folder(out: Path, *, force: bool) -> None:
    """Make the folder; refuse one that holds files of a demo."""
    if out.exists() and not out.is_dir():
        raise OutputError(message("--out to be a folder", f"the file {out}"))
    existing = [name for name in FILES if (out / name).exists()]
    if existing and not force:
        raise OutputError(
            f"{out} already holds files of a demo, such as {existing[0]}; pass --force to replace "
            "them."
        )
    out.mkdir(parents=True, exist_ok=True)


def write_files(scored: ScoredDisputes, story: Story, out: Path) -> None:
    """Write all of them, over those of an earlier demo."""
    calibration = _frame(scored, CALIBRATION)
    write_table(calibration, out / "calibration.csv", overwrite=True)
    write_table(_with_checks(calibration, story.checks), out / "checked.csv", overwrite=True)
    save(story.calibrators["Auto"], out / "calibrator.json", overwrite=True)
    save(story.calibrators["Audited"], out / "audited.json", overwrite=True)
    gated = story.calibrators["Gated-LWCal"]
    assert isinstance(gated, GatedLWCal)  # which weights every label
    rows = scored.scores[CALIBRATION], scored.data.y_noisy[CALIBRATION]
    label_weights(gated, *rows).write(out / "label_weights.parquet", overwrite=True)
    test = _frame(scored, TEST).append_column("p_calibrated", pa.array(story.calibrated["Auto"]))
    write_table(test, out / "calibrated.csv", overwrite=True)
    _draw(scored.data.y_true[TEST], story.calibrated, out / "reliability.png")
    branch = pa.table(cases(scored.data, scored.scores, BRANCH))
    write_table(branch, out / "disputes.csv", overwrite=True)


def _frame(scored: ScoredDisputes, rows: slice) -> Any:
    columns: dict[str, Any] = {
        name: scored.data.features[rows, k] for k, name in enumerate(COLUMNS)
    }
    return pa.table({**columns, "score": scored.scores[rows], "label": scored.data.y_noisy[rows]})


def _with_checks(rows: Any, checks: Checks) -> Any:
    """Add the checked labels, in the columns that ``lwcal audit merge`` writes."""
    picked = checks.plan.rows
    scores, labels = (rows[name].to_numpy()[picked] for name in ("score", "label"))
    codes = dict(zip(picked.tolist(), map(str, codes_of(checks.plan, scores, labels)), strict=True))
    answers = [int(checks.y_audited[k]) if k in codes else None for k in range(len(rows))]
    chances = [float(checks.probability[k]) if k in codes else None for k in range(len(rows))]
    table = rows.append_column(PROBABILITY, pa.array(chances, pa.float64()))
    table = table.append_column(CODE, pa.array([codes.get(k) for k in range(len(rows))]))
    return table.append_column(ANSWER, pa.array(answers, pa.int64()))


def _draw(y_true: LabelArray, calibrated: Mapping[str, FloatArray], path: Path) -> None:
    ax = new_axes()
    for name in ("raw score", "Auto", "Audited"):
        ReliabilityDisplay.from_predictions(y_true, calibrated[name], name=name, ax=ax)
    ax.set_title("Before and after calibration, against true labels")
    with replacing(path, overwrite=True) as temporary:
        ax.figure.savefig(temporary, dpi=150, bbox_inches="tight")
