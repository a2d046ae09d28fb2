"""The numbers that the page of several classes shows, between computing and rendering."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from lwcal.adjustments import Adjustment
from lwcal.arrays import FloatArray
from lwcal.diagnosis.class_diagnosis import ClassDiagnosis
from lwcal.diagnosis.class_readings import ClassReadings
from lwcal.metrics import ReliabilityCurve
from lwcal.report.report_data import AuditCounts, Quality, Reproduction
from lwcal.reviews.summary import ReviewSummary


class BothCurves(NamedTuple):
    """Reliability before and after calibration."""

    before: ReliabilityCurve
    after: ReliabilityCurve


class ClassPanel(NamedTuple):
    """Reliability of the probability of one class."""

    name: str
    curves: BothCurves


@dataclass(frozen=True, eq=False)
class ClassView:
    """Reliability before and after calibration, judged by one kind of labels.

    Attributes
    ----------
    key, title, note : str
        Short name, heading, and what a reader should keep in mind.
    n : float
        Number of rows behind the view, or their weight.
    top : BothCurves
        Reliability of the most probable class.
    qualities : tuple of Quality
        Log loss, Brier score and ECE of the most probable class.
    panels : tuple of ClassPanel
        Reliability of single classes, the most frequent ones.
    """

    key: str
    title: str
    note: str
    n: float
    top: BothCurves
    qualities: tuple[Quality, ...]
    panels: tuple[ClassPanel, ...]


class TopHistograms(NamedTuple):
    """Number of rows by their highest probability, in bins of equal width."""

    before: FloatArray
    after: FloatArray


class FittedNumbers(NamedTuple):
    """The calibrator as it was fitted.

    Attributes
    ----------
    method : str
        Its name on the command line.
    n : float
        Number of rows that it was fitted to, or their weight.
    sampled_from : float or None
        Number of rows of which these were a sample.
    diagnostics : dict of str to float
        What the fit found.
    meanings : mapping of str to str
        What the names of the diagnostics mean.
    hypotheses : dict of str to float
        Probability of each explanation of the labels of its fit; empty if it has no noise model.
    """

    method: str
    n: float
    sampled_from: float | None
    diagnostics: dict[str, float]
    meanings: Mapping[str, str]
    hypotheses: dict[str, float]

    @property
    def checks(self) -> float:
        """Number of checked rows among those of the fit."""
        return self.diagnostics.get("audited", 0.0)


@dataclass(frozen=True, eq=False)
class ClassReportData:
    """Everything that the page of a calibrator of more than two classes shows.

    Attributes
    ----------
    title : str
    names : tuple of str
        The classes as people read them, in the order of the columns.
    n : float
        Number of rows, or their weight.
    sampled_from : float or None
        Number of rows of which these are a sample.
    fitted : FittedNumbers
    fitted_here : bool
        Whether it was fitted to the rows of this page.
    refitted : bool
        Whether the first reading judges fits that did not see the rows.
    changes_nothing : bool
        Whether no probability of these rows changes by more than half a percentage point.
    diagnosis : ClassDiagnosis
        The verdict, and what it rests on.
    readings : ClassReadings
        Both readings of the labels, for the calibrator on this page.
    audit : AuditCounts or None
        What the checks found, if the verdict rests on them.
    views : tuple of ClassView
    histograms : TopHistograms
    reproduction : Reproduction
    reviews : ReviewSummary or None
        What the calibrator knows of reviewers, if it was fitted to their opinions.
    adjustments : tuple of Adjustment
        Changes of the base rate after the fit.
    """

    title: str
    names: tuple[str, ...]
    n: float
    sampled_from: float | None
    fitted: FittedNumbers
    fitted_here: bool
    refitted: bool
    changes_nothing: bool
    diagnosis: ClassDiagnosis
    readings: ClassReadings
    audit: AuditCounts | None
    views: tuple[ClassView, ...]
    histograms: TopHistograms
    reproduction: Reproduction
    reviews: ReviewSummary | None = None
    adjustments: tuple[Adjustment, ...] = ()

    @property
    def method(self) -> str:
        """Name of the calibrator on the command line."""
        return self.fitted.method

    @property
    def is_corrected(self) -> bool:
        """Whether reliability is also judged by labels that were corrected for noise."""
        return any(view.key == "corrected" for view in self.views)

    @property
    def confidence(self) -> float:
        """Level of all intervals."""
        return self.diagnosis.noise.confidence

    def name_of(self, label: Any) -> str:
        """The name of a class."""
        return self.names[self.diagnosis.classes.index(label)]
