"""Judge the verdict on several classes by checked labels: ``python -m benchmarks.class_checks``.

Rewrites a table of docs/benchmarks/many-classes.md. A stopped run is resumed. Use ``--quick`` and
``--page`` for a quick run, and ``--development`` for the tasks on which rules are chosen.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import lwcal
from benchmarks.class_verdicts import HARM, PAGE, ROWS, TOO_RARE, run
from benchmarks.engine_report import fill_between
from benchmarks.report import table as pipe_table
from lwcal import metrics
from lwcal_study.classes.cells import LEARNERS, ClassCell, ClassScores, fit_and_score
from lwcal_study.classes.noise import CLASS_NOISES, SUITE_NOISES
from lwcal_study.classes.tasks import class_tasks_of
from lwcal_study.environment import machine
from lwcal_study.real.noise import INSTANCE

RESULTS = Path(__file__).parents[1] / "results" / "class-checks"
MARKS = "<!-- verdicts by checks -->", "<!-- end of the verdicts by checks -->"
CHECKED = (25, 100)
BY_ROW = [name for name in SUITE_NOISES if CLASS_NOISES[name].kind == INSTANCE]
BY_CLASS = [name for name in SUITE_NOISES if CLASS_NOISES[name].rate and name not in BY_ROW]
SITUATIONS = {True: "wrong labels depend on the row", False: "wrong labels depend on the class"}


def cells(part: Any) -> list[ClassCell]:
    """Every task with every learner: with noise that depends on the row, and with other noise."""
    tasks = [task.name for task in class_tasks_of("clean", part) if task.name != TOO_RARE]
    places = [(task, learner) for task in tasks for learner in LEARNERS]
    return [
        ClassCell(task, learner, noises[place % len(noises)], 0, rows=ROWS)
        for noises in (BY_ROW, BY_CLASS)
        for place, (task, learner) in enumerate(places)
    ]


def judge(cell: ClassCell) -> list[dict[str, Any]]:
    """The verdict, the interval, and what Audited changes on test rows.

    The model has learnt from labels like these, or from right ones.
    """
    with threadpool_limits(1), lwcal.thread_limit(1):
        return [
            _judged(cell, fit_and_score(cell, trained_on_truth=truth), checked)
            for truth in (False, True)
            for checked in CHECKED
        ]


def _judged(cell: ClassCell, rows: ClassScores, checked: int) -> dict[str, Any]:
    given = {"classes": rows.classes}
    budget = min(checked, len(rows.y_noisy))
    picked = lwcal.plan_audit(rows.calibration, rows.y_noisy, budget, random_state=0, **given).rows
    truths = np.full(len(rows.y_noisy), np.nan)
    truths[picked] = rows.y_clean[picked]
    known = {"y_audited": truths, **given}
    found = lwcal.diagnose(rows.calibration, rows.y_noisy, methods=[], **known)
    fitted = lwcal.Audited().fit(rows.calibration, rows.y_noisy, **known)
    raw, new = (
        metrics.class_evaluate(rows.y_test, p, **given)["nll"]
        for p in (rows.test, fitted.predict(rows.test))
    )
    reading = found.readings.noise_holds
    refused = found.recommendation.refuses_rows or reading is None
    return {
        "by_row": cell.noise in BY_ROW,
        "checked": checked,
        "action": found.recommendation.action,
        "ratio": new / raw,
        "interval": None if refused else [reading.gain.low, reading.gain.high],
    }


def lines(verdicts: list[dict[str, Any]]) -> Iterator[list[str]]:
    """One line of the table for each kind of noise and number of checked labels."""
    for by_row, situation in SITUATIONS.items():
        for checked in CHECKED:
            own = [
                one
                for one in verdicts
                if (one["by_row"], one["checked"]) == (by_row, checked) and one["interval"]
            ]
            deployed = [one["ratio"] for one in own if one["action"] == "deploy"]
            asked = [one for one in own if one["action"] not in ("deploy", "keep raw")]
            yield [
                situation,
                str(checked),
                f"{len(deployed)} of {len(own)}",
                str(sum(ratio > HARM for ratio in deployed)),
                f"{max(deployed):.2f}" if deployed else "",
                f"{sum(deployed) / len(deployed):.2f}" if deployed else "",
                str(len(asked)),
                f"{sum(map(_holds, own)) / len(own):.0%}" if own else "",
                str(sum(map(_misleads, own))),
            ]


def _holds(one: dict[str, Any]) -> bool:
    low, high = one["interval"]
    return bool(low <= 1.0 - one["ratio"] <= high)


def _misleads(one: dict[str, Any]) -> bool:
    """Whether a fall is sure where log loss rises by 2%, or a rise where it falls by 2%."""
    low, high = one["interval"]
    return bool((low > 0.0 and one["ratio"] > HARM) or (high < 0.0 and one["ratio"] < 2.0 - HARM))


def main(arguments: Sequence[str] | None = None) -> None:
    """Judge, and rewrite the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="two cells")
    parser.add_argument("--development", action="store_true", help="print development tasks only")
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--results", type=Path, default=RESULTS)
    options = parser.parse_args(arguments)
    part = "development" if options.development else "judged"
    wanted = cells(part)
    if options.quick:
        wanted = [wanted[0], wanted[-1]]
    verdicts = run(wanted, options.results / f"{part}.jsonl", judge)
    header = [
        "situation",
        "checked labels",
        "deployed",
        "of these over 2% worse",
        "worst",
        "mean",
        "asked for more",
        "90% interval holds the change",
        "sure of the wrong direction",
    ]
    text = pipe_table(header, list(lines(verdicts)))
    print(text)
    if not options.development:
        today = datetime.now(UTC).date().isoformat()
        note = f"On {today}, {machine()}; by `python -m benchmarks.class_checks`."
        fill_between(options.page, *MARKS, f"{text}\n{note}\n")


if __name__ == "__main__":
    main()
