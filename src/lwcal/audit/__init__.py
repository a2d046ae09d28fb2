"""Audits: choose labels to check, and estimate from the checks how many labels are wrong."""

from lwcal.audit.audit_estimates import AuditEstimates, estimate_from_audit
from lwcal.audit.class_estimates import ClassAuditEstimates, WrongPair
from lwcal.audit.evaluation import AuditedEvaluation, AuditedMetrics, evaluate_audited
from lwcal.audit.plan import AuditPlan, plan_audit

__all__ = [
    "AuditEstimates",
    "AuditPlan",
    "AuditedEvaluation",
    "AuditedMetrics",
    "ClassAuditEstimates",
    "WrongPair",
    "estimate_from_audit",
    "evaluate_audited",
    "plan_audit",
]
