"""Judge the verdict on several classes by labels alone: ``python -m benchmarks.class_verdicts``.

Rewrites a table of docs/benchmarks/many-classes.md. A stopped run is resumed. Use ``--quick`` and
``--page`` for a quick run, and ``--development`` for the tasks on which rules are chosen.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

import lwcal
from benchmarks.engine_report import fill_between
from benchmarks.report import table as pipe_table
from lwcal import metrics
from lwcal_study.classes.cells import LEARNERS, ClassCell, fit_and_score
from lwcal_study.classes.noise import CLASS_NOISES, DEFAULT, SUITE_NOISES
from lwcal_study.classes.tasks import class_tasks_of
from lwcal_study.environment import machine

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "benchmarks" / "many-classes.md"
RESULTS = ROOT / "results" / "class-verdicts"
MARKS = "<!-- verdicts -->", "<!-- end of the verdicts -->"
ROWS = 3000
"""Rows of a task: half of them train, and a quarter is calibrated."""
TOO_RARE = "mglearn_marital"
"""A development task: of so many rows, one in a rare class is left, which cannot be divided."""
HARM = 1.02
NOISES = [name for name in SUITE_NOISES if CLASS_NOISES[name].rate]
DEFAULT_NOISES = [name for name, noise in CLASS_NOISES.items() if noise.kind == DEFAULT]


Judge: TypeAlias = Callable[[ClassCell], list[dict[str, Any]]]


class Situation(NamedTuple):
    """Whose labels are right: those that the model learnt, and those that it is calibrated on."""

    name: str
    trained_on_truth: bool
    right_labels: bool
    to_default: bool = False


SITUATIONS = (
    Situation("noisy labels, and a model trained on labels like them", False, False),
    Situation("noisy labels, and a model trained on right ones", True, False),
    Situation("right labels", True, True),
    Situation("a default class, and a model trained on labels like these", False, False, True),
    Situation("a default class, and a model trained on right labels", True, False, True),
)


def cells(part: Any, seeds: Sequence[int]) -> list[ClassCell]:
    """Every task with every learner: each with one of the five kinds of noise, then a default."""
    tasks = [task.name for task in class_tasks_of("clean", part) if task.name != TOO_RARE]
    places = [(task, learner, seed) for seed in seeds for task in tasks for learner in LEARNERS]
    return [
        ClassCell(task, learner, noises[place % len(noises)], seed, rows=ROWS)
        for noises in (NOISES, DEFAULT_NOISES)
        for place, (task, learner, seed) in enumerate(places)
    ]


def judge(cell: ClassCell) -> list[dict[str, Any]]:
    """The verdict in each situation, and the log loss of the raw scores and of Auto."""
    found = []
    to_default = cell.noise in DEFAULT_NOISES
    with threadpool_limits(1), lwcal.thread_limit(1):
        scored = {truth: fit_and_score(cell, trained_on_truth=truth) for truth in (False, True)}
        for situation in (one for one in SITUATIONS if one.to_default == to_default):
            rows = scored[situation.trained_on_truth]
            labels = rows.y_clean if situation.right_labels else rows.y_noisy
            given = {"classes": rows.classes}
            verdict = lwcal.diagnose(rows.calibration, labels, methods=[], **given).recommendation
            fitted = lwcal.Auto().fit(rows.calibration, labels, **given)
            raw, new = (
                metrics.class_evaluate(rows.y_test, p, **given)["nll"]
                for p in (rows.test, fitted.predict(rows.test))
            )
            found.append(
                {"situation": situation.name, "action": verdict.action, "raw": raw, "auto": new}
            )
    return found


def run(wanted: list[ClassCell], path: Path, judge: Judge) -> list[dict[str, Any]]:
    """Judge the cells that are not in the file yet, and add them to it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    known = {}
    if path.exists():
        lines = path.read_text(encoding="utf-8").splitlines()
        known = {line["cell"]: line["verdicts"] for line in map(json.loads, lines)}
    missing = [cell for cell in wanted if cell.name not in known]
    judged = Parallel(n_jobs=-1, return_as="generator")(delayed(judge)(cell) for cell in missing)
    with path.open("a", encoding="utf-8") as handle:
        for cell, verdicts in zip(missing, judged, strict=True):
            known[cell.name] = verdicts
            handle.write(json.dumps({"cell": cell.name, "verdicts": verdicts}) + "\n")
            handle.flush()
    return [verdict for cell in wanted for verdict in known[cell.name]]


def lines(verdicts: list[dict[str, Any]]) -> Iterator[list[str]]:
    """One line of the table for each situation."""
    for situation in SITUATIONS:
        own = [verdict for verdict in verdicts if verdict["situation"] == situation.name]
        deployed = [one["auto"] / one["raw"] for one in own if one["action"] == "deploy"]
        ratios = [one["auto"] / one["raw"] for one in own]
        yield [
            situation.name,
            f"{len(deployed)} of {len(own)}",
            str(sum(ratio > HARM for ratio in deployed)),
            f"{max(deployed):.2f}" if deployed else "",
            f"{sum(deployed) / len(deployed):.2f}" if deployed else "",
            str(sum(ratio > HARM for ratio in ratios)),
            f"{max(ratios):.2f}",
        ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Judge, and rewrite the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="two cells")
    parser.add_argument("--development", action="store_true", help="print development tasks only")
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--results", type=Path, default=RESULTS)
    options = parser.parse_args(arguments)
    part = "development" if options.development else "judged"
    wanted = cells(part, [0])
    if options.quick:
        wanted = [wanted[0], wanted[-1]]
    verdicts = run(wanted, options.results / f"{part}.jsonl", judge)
    header = [
        "situation",
        "deployed",
        "of these over 2% worse",
        "worst",
        "mean",
        "`Auto` over 2% worse, whatever the verdict",
        "worst",
    ]
    text = pipe_table(header, list(lines(verdicts)))
    print(text)
    if not options.development:
        today = datetime.now(UTC).date().isoformat()
        note = f"On {today}, {machine()}; by `python -m benchmarks.class_verdicts`."
        fill_between(options.page, *MARKS, f"{text}\n{note}\n")


if __name__ == "__main__":
    main()
