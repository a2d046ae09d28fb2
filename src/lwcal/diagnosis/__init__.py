"""Diagnose scores and labels: whether they can be calibrated on, and how."""

from lwcal.diagnosis.class_comparison import DEFAULT_CLASS_METHODS, ClassComparison
from lwcal.diagnosis.class_diagnosis import ClassDiagnosis
from lwcal.diagnosis.class_ranking import ClassRanking
from lwcal.diagnosis.class_readings import ClassReading, ClassReadings
from lwcal.diagnosis.column_diagnosis import Diagnosis
from lwcal.diagnosis.comparing import compare
from lwcal.diagnosis.comparison import DEFAULT_METHODS, Candidate, Comparison, TimeSplit
from lwcal.diagnosis.diagnosing import diagnose
from lwcal.diagnosis.opinion_diagnosis import OpinionDiagnosis
from lwcal.diagnosis.protocol import Verdict, deployment_protocol
from lwcal.diagnosis.ranking import Ranking
from lwcal.diagnosis.readings import Reading, Readings
from lwcal.diagnosis.recommendation import Recommendation

__all__ = [
    "DEFAULT_CLASS_METHODS",
    "DEFAULT_METHODS",
    "Candidate",
    "ClassComparison",
    "ClassDiagnosis",
    "ClassRanking",
    "ClassReading",
    "ClassReadings",
    "Comparison",
    "Diagnosis",
    "OpinionDiagnosis",
    "Ranking",
    "Reading",
    "Readings",
    "Recommendation",
    "TimeSplit",
    "Verdict",
    "compare",
    "deployment_protocol",
    "diagnose",
]
