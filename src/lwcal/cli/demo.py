"""``lwcal demo``: the whole job on made-up data, in one screen."""

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
from lwcal.cli.demo_data import (
    COLUMNS,
    FALSE_ALARM,
    MISSED_FRAUD,
    Disputes,
    cases,
    make_disputes,
)
from lwcal.cli.output import write_table
from lwcal.cli.progress import late_progress
from lwcal.diagnosis import diagnose
from lwcal.errors import OutputError, message
from lwcal.files import replacing
from lwcal.plots import ReliabilityDisplay
from lwcal.plots.reliability import new_axes

ROWS = 12_000
TRAIN, CALIBRATION, TEST = slice(0, 6_000), slice(6_000, 9_000), slice(9_000, ROWS)
BRANCH = slice(9_000, 9_600)
"""Disputes of one branch: too few for their labels to tell by themselves how noisy they are."""
METRICS = {"ECE": metrics.ece, "Brier": metrics.brier, "NLL": metrics.nll, "AUC": metrics.auc}
FILES = (
    "calibration.csv",
    "calibrator.json",
    "audit.parquet",
    "calibrated.csv",
    "reliability.png",
    "disputes.csv",
)


class Scored(NamedTuple):
    """The demo's rows with the model's scores."""

    data: Disputes
    scores: FloatArray


def demo(
    out: Annotated[Path, typer.Option("--out", help="Folder for what the demo writes.")] = Path(
        "lwcal-demo"
    ),
    force: options.Force = False,
) -> None:
    """Make noisy data, train a model, calibrate it, and show what changed.

    Example: lwcal demo --out lwcal-demo
    """
    new_axes()  # no matplotlib: say so before anything is made
    _check_folder(out, force=force)
    console = Console(highlight=False, width=min(Console().width, 100))
    console.rule("[bold]lwcal demo: card disputes with unreliable labels")
    console.print(
        f"{ROWS:,} disputes. The reviewers missed {MISSED_FRAUD:.0%} of the frauds and accused "
        f"{FALSE_ALARM:.0%} of the others. A random forest learns from 6,000 of these labels and "
        "is calibrated on 3,000 more, just as unreliable.\n"
    )
    scored = score_disputes()
    with late_progress("calibrating"):
        calibrators = _fit_all(scored)
        diagnosis = diagnose(scored.scores[CALIBRATION], scored.data.y_noisy[CALIBRATION])
    console.print(f"[bold]Verdict.[/] {diagnosis}\n")
    calibrated = {name: c.predict(scored.scores[TEST]) for name, c in calibrators.items()}
    console.print(_results(scored, calibrated))
    console.print(
        "Judged on 3,000 test rows with true labels that no calibrator saw. Auto follows the "
        "verdict: it corrects for noise only as far as that is safe. The paper's LWCal and "
        "Gated-LWCal sharpen every map, which helps here and can hurt on hard tasks.\n"
    )
    _write(scored, calibrators, calibrated, out)
    _print_files(out, console)


def _check_folder(out: Path, *, force: bool) -> None:
    if out.exists() and not out.is_dir():
        raise OutputError(message("--out to be a folder", f"the file {out}"))
    existing = [name for name in FILES if (out / name).exists()]
    if existing and not force:
        raise OutputError(
            message(f"{out} without an earlier demo", existing[0], "pass --force to replace it")
        )
    out.mkdir(parents=True, exist_ok=True)


def score_disputes() -> Scored:
    """Make the disputes up, and score all of them by a forest that was trained on some."""
    from sklearn.ensemble import RandomForestClassifier  # here: no other command waits for it

    data = make_disputes(ROWS, random_state=0)
    model = RandomForestClassifier(160, min_samples_leaf=2, random_state=0, n_jobs=-1)
    with late_progress("training"):
        model.fit(data.features[TRAIN], data.y_noisy[TRAIN])
        return Scored(data, model.predict_proba(data.features)[:, 1])


def _fit_all(scored: Scored) -> dict[str, Calibrator]:
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


def _results(scored: Scored, calibrated: Mapping[str, FloatArray]) -> Table:
    y_true = scored.data.y_true[TEST]
    shown = Table(title="What calibration changed (lower is better, but for AUC)")
    shown.add_column("score")
    for name in METRICS:
        shown.add_column(name, justify="right")
    shown.add_column("NLL against raw", justify="right")
    raw = metrics.nll(y_true, calibrated["raw score"])
    for name, probability in calibrated.items():
        values = [f"{metric(y_true, probability):.3f}" for metric in METRICS.values()]
        change = metrics.nll(y_true, probability) / raw - 1
        shown.add_row(name, *values, "" if name == "raw score" else f"{change:+.0%}")
    return shown


def _write(
    scored: Scored,
    calibrators: Mapping[str, Calibrator],
    calibrated: Mapping[str, FloatArray],
    out: Path,
) -> None:
    rows = scored.scores[CALIBRATION], scored.data.y_noisy[CALIBRATION]
    write_table(_frame(scored, CALIBRATION), out / "calibration.csv", overwrite=True)
    save(calibrators["Auto"], out / "calibrator.json", overwrite=True)
    gated = calibrators["Gated-LWCal"]
    assert isinstance(gated, GatedLWCal)  # the one that gives every label a weight of its own
    label_weights(gated, *rows).write(out / "audit.parquet", overwrite=True)
    test = _frame(scored, TEST).append_column("p_calibrated", pa.array(calibrated["Auto"]))
    write_table(test, out / "calibrated.csv", overwrite=True)
    _draw(scored.data.y_true[TEST], calibrated, out / "reliability.png")
    branch = pa.table(cases(scored.data, scored.scores, BRANCH))
    write_table(branch, out / "disputes.csv", overwrite=True)


def _draw(y_true: LabelArray, calibrated: Mapping[str, FloatArray], path: Path) -> None:
    ax = new_axes()
    for name in ("raw score", "Auto"):
        ReliabilityDisplay.from_predictions(y_true, calibrated[name], name=name, ax=ax)
    ax.set_title("Before and after, on true labels")
    with replacing(path, overwrite=True) as temporary:
        ax.figure.savefig(temporary, dpi=150, bbox_inches="tight")


def _frame(scored: Scored, rows: slice) -> pa.Table:
    columns: dict[str, np.ndarray[tuple[int, ...], np.dtype[np.generic]]] = {
        name: scored.data.features[rows, k] for k, name in enumerate(COLUMNS)
    }
    return pa.table({**columns, "score": scored.scores[rows], "label": scored.data.y_noisy[rows]})


def _print_files(out: Path, console: Console) -> None:
    shown = Table(show_header=False, box=None)
    explained = (
        "scores and noisy labels the calibrator was fitted on",
        "the calibrator: one JSON file, the whole model",
        "every label under Gated-LWCal: loss, weight, contradiction, before and after",
        "new scores with a calibrated column",
        "the reliability picture",
        "disputes with evidence, to check labels on (lwcal audit serve)",
    )
    for name, what in zip(FILES, explained, strict=True):
        shown.add_row(str(out / name), what)
    console.print(shown)
    table, calibrator = out / "calibration.csv", out / "mine.json"
    lwcal = _command()
    console.print(
        "\nTo do the same with a file of your own, start from these:\n"
        f"  {lwcal} diagnose {table}\n"
        f"  {lwcal} fit {table} --out {calibrator}\n"
        f"  {lwcal} report {calibrator} {table} --out {out / 'mine.html'}\n"
        f"  {lwcal} apply {calibrator} {table} --out {out / 'mine.csv'}",
        soft_wrap=True,
        markup=False,
    )


def _command() -> str:
    """What to type: the name, if that is what a shell finds under it, or else the path."""
    found = which("lwcal")
    return "lwcal" if found and Path(found) == Path(sys.argv[0]) else sys.argv[0]
