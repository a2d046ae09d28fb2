"""Audits: choose labels to check, and estimate from the checks how many labels are wrong."""

from typing import TYPE_CHECKING

from lwcal.lazy_names import lazy_names

if TYPE_CHECKING:
    from lwcal.audit.audit_estimates import AuditEstimates, estimate_from_audit
    from lwcal.audit.class_estimates import ClassAuditEstimates, WrongPair
    from lwcal.audit.class_evaluation import AuditedClassEvaluation, AuditedClassMetrics
    from lwcal.audit.evaluation import AuditedEvaluation, AuditedMetrics, evaluate_audited
    from lwcal.audit.plan import AuditPlan, plan_audit

__all__ = [
    "AuditEstimates",
    "AuditPlan",
    "AuditedClassEvaluation",
    "AuditedClassMetrics",
    "AuditedEvaluation",
    "AuditedMetrics",
    "ClassAuditEstimates",
    "WrongPair",
    "estimate_from_audit",
    "evaluate_audited",
    "plan_audit",
]

# Names are imported on first use: to plan and to answer a sheet, no calibrator is needed.
_MODULES = {
    "AuditEstimates": ".audit_estimates",
    "AuditPlan": ".plan",
    "AuditedClassEvaluation": ".class_evaluation",
    "AuditedClassMetrics": ".class_evaluation",
    "AuditedEvaluation": ".evaluation",
    "AuditedMetrics": ".evaluation",
    "ClassAuditEstimates": ".class_estimates",
    "WrongPair": ".class_estimates",
    "estimate_from_audit": ".audit_estimates",
    "evaluate_audited": ".evaluation",
    "plan_audit": ".plan",
}

__getattr__, __dir__ = lazy_names(__name__, __all__, _MODULES)
