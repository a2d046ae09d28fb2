"""``lwcal demo``: the whole job on fictional data, on one screen."""

import sys
from collections.abc import Mapping
from pathlib import Path
from shutil import which
from typing import Annotated, NamedTuple

import numpy as np
import pyarrow as pa
import typer
from rich.console import Console
from rich.table import Table

from lwcal import metrics
from lwcal.arrays import FloatArray, LabelArray
from lwcal.artifact import save
from lwcal.calibrators import (
    Auto,
    Calibrator,
    GatedLWCal,
    Identity,
    Isotonic,
    LWCal,
    NoiseAware,
    Platt,
    label_weights,
)
from lwcal.cli import options
from lwcal.cli.console import late_progress
from lwcal.cli.demo_data import (
    COLUMNS,
    FALSE_ALARM,
    MISSED_FRAUD,
    Disputes,
    cases,
    make_disputes,
)
from lwcal.cli.output import write_table
from lwcal.diagnosis import diagnose
from lwcal.errors import OutputError, message
from lwcal.files import replacing
from lwcal.plots import ReliabilityDisplay
from lwcal.plots.reliability import new_axes

ROWS = 12_000
TRAIN, CALIBRATION, TEST = slice(0, 6_000), slice(6_000, 9_000), slice(9_000, ROWS)
BRANCH = slice(9_000, 9_600)
"""Disputes of one branch: too few to estimate the noise from their labels alone."""
METRICS = {"ECE": metrics.ece, "Brier": metrics.brier, "log loss": metrics.nll, "AUC": metrics.auc}
FILES = (
    "calibration.csv",
    "calibrator.json",
    "label_weights.parquet",
    "calibrated.csv",
    "reliability.png",
    "disputes.csv",
)


class ScoredDisputes(NamedTuple):
    """The disputes with the scores of the model."""

    data: Disputes
    scores: FloatArray


def demo(
    out: Annotated[Path, typer.Option("--out", help="Folder for the files of the demo.")] = Path(
        "lwcal-demo"
    ),
    force: options.Force = False,
) -> None:
    """Generate noisy data, train a model, calibrate it, and show the effect.

    Example: lwcal demo --out lwcal-demo
    """
    new_axes()  # reports a missing matplotlib before any work is done
    _check_folder(out, force=force)
    console = Console(highlight=False, width=min(Console().width, 100))
    console.rule("[bold]lwcal demo: card disputes with unreliable labels")
    console.print(
        f"This demo generates {ROWS:,} fictional card disputes. The positive class is fraud "
        f"(label 1). The reviewers missed {MISSED_FRAUD:.0%} of the frauds, and called "
        f"{FALSE_ALARM:.0%} of the honest payments fraud. A random forest is trained on 6,000 of "
        "these labels, and calibrated on 3,000 others that are equally noisy.\n"
    )
    scored = score_disputes()
    with late_progress("calibrating"):
        calibrators = _fit_all(scored)
        diagnosis = diagnose(scored.scores[CALIBRATION], scored.data.y_noisy[CALIBRATION])
    console.print(f"[bold]Verdict.[/] {diagnosis}\n")
    calibrated = {name: c.predict(scored.scores[TEST]) for name, c in calibrators.items()}
    console.print(_results(scored, calibrated))
    console.print(
        "The metrics are computed on 3,000 test rows with true labels, which no calibrator saw. "
        "Auto follows the verdict and corrects for noise only as far as that is safe. The paper's "
        "LWCal and Gated-LWCal always push probabilities towards 0 and 1. That helps here, and "
        "can hurt on hard tasks.\n"
    )
    _write(scored, calibrators, calibrated, out)
    _print_files(out, console)


def _check_folder(out: Path, *, force: bool) -> None:
    if out.exists() and not out.is_dir():
        raise OutputError(message("--out to be a folder", f"the file {out}"))
    existing = [name for name in FILES if (out / name).exists()]
    if existing and not force:
        raise OutputError(
            f"{out} already holds files of a demo, such as {existing[0]}; pass --force to replace "
            "them."
        )
    out.mkdir(parents=True, exist_ok=True)


def score_disputes() -> ScoredDisputes:
    """Generate the disputes, train a forest on some of them, and score all."""
    from sklearn.ensemble import RandomForestClassifier  # a slow import

    data = make_disputes(ROWS, random_state=0)
    model = RandomForestClassifier(160, min_samples_leaf=2, random_state=0, n_jobs=-1)
    with late_progress("training"):
        model.fit(data.features[TRAIN], data.y_noisy[TRAIN])
        model.n_jobs = 1  # threads add the trees in any order, which changes the last digit
        return ScoredDisputes(data, model.predict_proba(data.features)[:, 1])


def _fit_all(scored: ScoredDisputes) -> dict[str, Calibrator]:
    calibrators: dict[str, Calibrator] = {
        "raw score": Identity(),
        "Platt": Platt(),
        "isotonic": Isotonic(),
        "LWCal": LWCal(),
        "Gated-LWCal": GatedLWCal(),
        "NoiseAware": NoiseAware(),
        "Auto": Auto(),
    }
    rows = scored.scores[CALIBRATION], scored.data.y_noisy[CALIBRATION]
    return {name: calibrator.fit(*rows) for name, calibrator in calibrators.items()}


def _results(scored: ScoredDisputes, calibrated: Mapping[str, FloatArray]) -> Table:
    y_true = scored.data.y_true[TEST]
    table = Table(title="Effect of calibration (lower is better, except for AUC)")
    table.add_column("score")
    for name in METRICS:
        table.add_column(name, justify="right")
    table.add_column("log loss vs raw", justify="right")
    raw = metrics.nll(y_true, calibrated["raw score"])
    for name, probability in calibrated.items():
        values = [f"{metric(y_true, probability):.3f}" for metric in METRICS.values()]
        change = metrics.nll(y_true, probability) / raw - 1
        table.add_row(name, *values, "" if name == "raw score" else f"{change:+.0%}")
    return table


def _write(
    scored: ScoredDisputes,
    calibrators: Mapping[str, Calibrator],
    calibrated: Mapping[str, FloatArray],
    out: Path,
) -> None:
    rows = scored.scores[CALIBRATION], scored.data.y_noisy[CALIBRATION]
    write_table(_frame(scored, CALIBRATION), out / "calibration.csv", overwrite=True)
    save(calibrators["Auto"], out / "calibrator.json", overwrite=True)
    gated = calibrators["Gated-LWCal"]
    assert isinstance(gated, GatedLWCal)  # which weights every label
    label_weights(gated, *rows).write(out / "label_weights.parquet", overwrite=True)
    test = _frame(scored, TEST).append_column("p_calibrated", pa.array(calibrated["Auto"]))
    write_table(test, out / "calibrated.csv", overwrite=True)
    _draw(scored.data.y_true[TEST], calibrated, out / "reliability.png")
    branch = pa.table(cases(scored.data, scored.scores, BRANCH))
    write_table(branch, out / "disputes.csv", overwrite=True)


def _draw(y_true: LabelArray, calibrated: Mapping[str, FloatArray], path: Path) -> None:
    ax = new_axes()
    for name in ("raw score", "Auto"):
        ReliabilityDisplay.from_predictions(y_true, calibrated[name], name=name, ax=ax)
    ax.set_title("Before and after calibration, against true labels")
    with replacing(path, overwrite=True) as temporary:
        ax.figure.savefig(temporary, dpi=150, bbox_inches="tight")


def _frame(scored: ScoredDisputes, rows: slice) -> pa.Table:
    columns: dict[str, np.ndarray[tuple[int, ...], np.dtype[np.generic]]] = {
        name: scored.data.features[rows, k] for k, name in enumerate(COLUMNS)
    }
    return pa.table({**columns, "score": scored.scores[rows], "label": scored.data.y_noisy[rows]})


def _print_files(out: Path, console: Console) -> None:
    table = Table(show_header=False, box=None)
    explained = (
        "scores and noisy labels for fitting",
        "the fitted calibrator: one JSON file",
        "the weight of every label in Gated-LWCal",
        "new scores with their calibrated probabilities",
        "reliability diagram",
        "disputes with evidence, for checking labels (lwcal audit serve)",
    )
    for name, what in zip(FILES, explained, strict=True):
        table.add_row(str(out / name), what)
    console.print(table)
    rows, calibrator = out / "calibration.csv", out / "mine.json"
    lwcal = _command()
    console.print(
        "\nTry these commands, then use them on your own file:\n"
        f"  {lwcal} diagnose {rows}\n"
        f"  {lwcal} fit {rows} --out {calibrator}\n"
        f"  {lwcal} report {calibrator} {rows} --out {out / 'mine.html'}\n"
        f"  {lwcal} apply {calibrator} {rows} --out {out / 'mine.csv'}",
        soft_wrap=True,
        markup=False,
    )


def _command() -> str:
    """What to type: the name if a shell finds this program under it, otherwise the path."""
    found = which("lwcal")
    return "lwcal" if found and Path(found) == Path(sys.argv[0]) else sys.argv[0]
