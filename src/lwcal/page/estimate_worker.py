"""What the answers say so far, computed beside the answering, never in its way."""

from __future__ import annotations

from threading import Condition, Thread
from typing import NamedTuple

from lwcal.audit import AuditFindings, audit_findings
from lwcal.audit.checking import Entry, Source
from lwcal.audit.rounds import combine
from lwcal.errors import LwcalError


class Estimate(NamedTuple):
    """Findings of one state of the sheet, or why there are none."""

    revision: int
    findings: AuditFindings | None
    reason: str = ""


class Estimator:
    """A thread that computes the newest state it was given, and leaves out those between.

    Parameters
    ----------
    source : Source
        The rows that are audited.
    earlier : list of Entry
        Rows that were audited before.
    """

    def __init__(self, source: Source, earlier: list[Entry]) -> None:
        self.latest = Estimate(0, None)
        self._source = source
        self._earlier = earlier
        self._wanted: tuple[list[Entry], int] | None = None
        self._asked = 0
        self._changed = Condition()
        # a daemon: a computation does not keep the program from ending
        Thread(target=self._work, daemon=True).start()

    def want(self, entries: list[Entry], revision: int) -> None:
        """Ask for the findings of a state."""
        with self._changed:
            if revision > self._asked:
                self._wanted, self._asked = (entries, revision), revision
                self._changed.notify()

    def compute(self, entries: list[Entry], revision: int) -> Estimate:
        """Compute the findings of a state."""
        source = self._source
        try:
            audit = combine([*self._earlier, *entries], len(source.scores))
            if not audit.answered:
                return Estimate(revision, None, "The estimate begins with the first answer.")
            found = audit_findings(source.scores, source.labels, audit.y_audited, audit.probability)
        except LwcalError as error:
            return Estimate(revision, None, f"No estimate: {error}")
        return Estimate(revision, found)

    def _work(self) -> None:
        while True:
            with self._changed:
                while self._wanted is None:
                    self._changed.wait()
                wanted, self._wanted = self._wanted, None
            self.latest = self.compute(*wanted)
