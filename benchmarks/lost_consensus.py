"""See whether chance decides where a consensus is lost: ``python -m benchmarks.lost_consensus``.

Repeats the consensus on the tasks of the last ``make opinions`` with simulated reviewers on which
``Reviewed`` has fewer right labels than a rival, beside what somebody would say who knows every
error rate, and the best scaling. Rewrites a table of docs/benchmarks/several-opinions.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import softmax
from threadpoolctl import threadpool_limits

import lwcal
from benchmarks.engine_report import fill_between
from benchmarks.near_copies import PAGE
from benchmarks.report import table as pipe_table
from lwcal_study.environment import machine
from lwcal_study.leaderboard.grid import OPINION_KINDS
from lwcal_study.leaderboard.opinions import ways
from lwcal_study.leaderboard.opinions.losses import by_task, cells_of
from lwcal_study.leaderboard.opinions.methods import THRICE, TWICE, consensus, reviewed, voted
from lwcal_study.leaderboard.opinions.ways import Asked, Fit
from lwcal_study.leaderboard.scores_file import SCORES, read_scores
from lwcal_study.opinions.cells import INDEPENDENT, OpinionCell, OpinionScores, fit_and_score
from lwcal_study.real.cells import LEARNERS

RESULTS = Path(__file__).parents[1] / "results" / "opinions"
MARKS = "<!-- lost consensus -->", "<!-- end of lost consensus -->"
LEAST = 1e-12


def lost(folder: Path) -> Iterator[tuple[str, Asked]]:
    """Tasks on which a rival has more right labels, by how often rows are labelled."""
    cells = cells_of(read_scores(folder / SCORES), OPINION_KINDS[INDEPENDENT][0])
    right = by_task(cells, "consensus_accuracy")
    for asked in (TWICE, THRICE):
        rivals = right[[voted(asked).name, consensus(asked).name]].max(axis=1)
        for task in right.index[right[reviewed(asked).name] < rivals]:
            yield task, asked


def all_known(rows: OpinionScores, asked: Asked) -> Any:
    """Probability of each class for somebody who knows matrices and a scaling of clean labels."""
    scaled = ways.clean(rows, asked).calibrator.predict(ways.given(rows.calibration))
    logs = np.log(np.maximum(ways.of_all_classes(scaled), LEAST))
    labels = ways.labels_of(rows, asked)
    row, who = np.nonzero(~np.isnan(labels))
    np.add.at(logs, row, np.log(rows.matrices[who, :, labels[row, who].astype(int)]))
    return softmax(logs, axis=1)


def compared(task: str, asked: Asked) -> list[str]:
    """One row of the table, over all learners."""
    right: dict[str, list[Any]] = {}
    for learner in LEARNERS:
        rows = fit_and_score(OpinionCell(task, learner, INDEPENDENT, 0))
        fits: dict[str, Fit] = {
            method.way: method.fit(rows, asked)
            for method in (voted(asked), consensus(asked), reviewed(asked))
        }
        truths = {way: fit.consensus for way, fit in fits.items()}
        truths["known"] = all_known(rows, asked)
        for way, truth in truths.items():
            right.setdefault(way, []).append(truth.argmax(axis=1) == rows.y_clean)
    found = {way: np.concatenate(parts) for way, parts in right.items()}
    ours, known = found.pop(reviewed(asked).way), found.pop("known")
    best = max(found.values(), key=np.sum)
    only = f"{(ours & ~best).sum()} and {(best & ~ours).sum()}"
    counts = [f"{part.sum():,}" for part in (best, ours, known)]
    return [f"{task}, {asked.title}", f"{len(ours):,}", *counts, only]


def main(arguments: Sequence[str] | None = None) -> None:
    """Compare, and rewrite the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args(arguments)
    body = []
    with threadpool_limits(1), lwcal.thread_limit(1):
        for task, asked in lost(options.results):
            body.append(compared(task, asked))
            print(*body[-1], sep=" | ", flush=True)
    header = [
        "task",
        "rows of three learners",
        "right: the best rival",
        "`Reviewed`",
        "everything known",
        "right by `Reviewed` alone, and by the rival alone",
    ]
    today = datetime.now(UTC).date().isoformat()
    note = f"On {today}, {machine()}; by `python -m benchmarks.lost_consensus`.\n"
    fill_between(options.page, *MARKS, f"{pipe_table(header, body)}\n{note}")


if __name__ == "__main__":
    main()
