"""Diagnose rows with a column of scores for each class; two columns are judged as one."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lwcal.calibrators import Calibrator
from lwcal.calibrators.audited import NOTHING
from lwcal.diagnosis.class_comparison import DEFAULT_CLASS_METHODS
from lwcal.diagnosis.class_diagnosis import ClassDiagnosis, diagnose_classes
from lwcal.diagnosis.column_diagnosis import Diagnosis, diagnose_counts
from lwcal.diagnosis.comparison import DEFAULT_METHODS
from lwcal.multiclass.checked_classes import AuditedClasses


def diagnose_any_classes(
    audited: AuditedClasses,
    *,
    calibrator: Calibrator | None = None,
    methods: Iterable[str] | None = None,
    confidence: float = 0.9,
    on_progress: Callable[[], None] = lambda: None,
) -> Diagnosis | ClassDiagnosis:
    """Diagnose rows of any number of classes; see :func:`lwcal.diagnose`."""
    if audited.everything.n_classes == 2:
        return diagnose_counts(
            audited.unchecked.two_class_table(),
            audited.checked.two_class_table() if audited.checked.n else NOTHING,
            calibrator=calibrator,
            methods=DEFAULT_METHODS if methods is None else methods,
            confidence=confidence,
            on_progress=on_progress,
        )
    return diagnose_classes(
        audited.everything,
        audited,
        calibrator=calibrator,
        methods=DEFAULT_CLASS_METHODS if methods is None else methods,
        confidence=confidence,
        on_progress=on_progress,
    )
