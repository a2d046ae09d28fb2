"""Audits: which labels made the map, which to check, and what the checks showed."""

from lwcal.audit.evaluation import AuditedEvaluation, evaluate_audited
from lwcal.audit.findings import AuditFindings, audit_findings
from lwcal.audit.plan import AuditPlan, plan_audit

__all__ = [
    "AuditFindings",
    "AuditPlan",
    "AuditedEvaluation",
    "audit_findings",
    "evaluate_audited",
    "plan_audit",
]
