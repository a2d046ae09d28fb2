"""Compute the estimates in the background, so that answering never waits for them."""

from __future__ import annotations

import logging
from threading import Condition, Thread
from typing import TYPE_CHECKING, NamedTuple, Self

from lwcal.audit.combined_answers import combine_answers
from lwcal.audit.returned_sheet import SheetRow
from lwcal.audit.source import AuditSource
from lwcal.errors import LwcalError

if TYPE_CHECKING:
    from lwcal.audit import AuditEstimates, ClassAuditEstimates

logger = logging.getLogger(__name__)

NO_ANSWERS = "There is no estimate, because every row was skipped."
FAILED = "The estimate could not be updated. Your answers are saved. The terminal shows the error."


class LatestEstimates(NamedTuple):
    """The estimates for one revision of the sheet, or the reason why there are none."""

    revision: int
    estimates: AuditEstimates | ClassAuditEstimates | None
    reason: str = ""


class EstimateWorker:
    """A thread that computes the estimates of the latest revision, and skips older ones.

    Parameters
    ----------
    source : AuditSource
        The rows that are audited.
    earlier : list of SheetRow
        Rows that were audited before.

    Attributes
    ----------
    latest : LatestEstimates
        The last result.
    """

    def __init__(self, source: AuditSource, earlier: list[SheetRow]) -> None:
        self.latest = LatestEstimates(0, None)
        self._source = source
        self._earlier = earlier
        self._requested: tuple[list[SheetRow], int] | None = None
        self._newest = 0
        self._changed = Condition()
        self._closed = False
        # a daemon, so that an error elsewhere can end the program during a computation
        self._thread = Thread(target=self._run, name="lwcal-estimates", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """Wait for the computation that runs: compiled code must not outlive the interpreter."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join()

    def request(self, rows: list[SheetRow], revision: int) -> None:
        """Ask for the estimates of a revision."""
        with self._changed:
            if revision > self._newest:
                self._requested, self._newest = (rows, revision), revision
                self._changed.notify()

    def compute(self, rows: list[SheetRow], revision: int) -> LatestEstimates:
        """Compute the estimates of a revision. Errors become its reason."""
        try:
            return self._compute(rows, revision)
        except LwcalError as error:
            return LatestEstimates(revision, None, f"There is no estimate: {error}")
        except Exception:  # the thread must survive any error, and the page must show it
            logger.exception("The estimate could not be updated")
            return LatestEstimates(revision, None, FAILED)

    def _compute(self, rows: list[SheetRow], revision: int) -> LatestEstimates:
        source = self._source
        found = combine_answers([*self._earlier, *rows], len(source.scores))
        if not found.answered:
            return LatestEstimates(revision, None, NO_ANSWERS)
        from lwcal.audit import estimate_from_audit  # slow to import: the page need not wait for it

        columns = source.scores, source.labels, found.y_audited, found.probability
        return LatestEstimates(revision, estimate_from_audit(*columns, classes=source.codes))

    def _run(self) -> None:
        while True:
            with self._changed:
                while self._requested is None and not self._closed:
                    self._changed.wait()
                if self._requested is None or self._closed:
                    return
                requested, self._requested = self._requested, None
            self.latest = self.compute(*requested)
