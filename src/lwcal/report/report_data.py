"""The numbers that the page shows, between computing and rendering."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from lwcal.adjustments import Adjustment
from lwcal.arrays import FloatArray
from lwcal.decisions import Policy
from lwcal.diagnosis import Diagnosis, Readings
from lwcal.metrics import ReliabilityCurve
from lwcal.reviews.summary import ReviewSummary
from lwcal.segments import SegmentVerdict


@dataclass(frozen=True)
class Quality:
    """One metric before and after calibration, with intervals where it has any.

    Attributes
    ----------
    name : str
        What the page calls it.
    key : str
        Short name of the metric, such as ``nll``.
    before, after : float
    before_interval, after_interval : pairs of float, optional
    """

    name: str
    key: str
    before: float
    after: float
    before_interval: tuple[float, float] | None = None
    after_interval: tuple[float, float] | None = None


@dataclass(frozen=True, eq=False)
class LabelView:
    """Reliability before and after calibration, judged by one kind of labels.

    Attributes
    ----------
    key, title, note : str
        Short name, heading, and what a reader should keep in mind.
    n : int or float
        Number of rows behind the view, or their weight.
    before, after : ReliabilityCurve
    qualities : tuple of Quality
        Log loss, Brier score and ECE.
    classes : tuple of Quality
        Errors within each class. Empty if only one class occurs.
    """

    key: str
    title: str
    note: str
    n: float
    before: ReliabilityCurve
    after: ReliabilityCurve
    qualities: tuple[Quality, ...]
    classes: tuple[Quality, ...]


@dataclass(frozen=True, eq=False)
class Bins:
    """Rows in bins of increasing probability.

    Attributes
    ----------
    weight : float64 array
        Number of rows in each bin, or their weight.
    positives : float64 array
        Expected number of true positives: the sum of the calibrated probabilities.
    """

    weight: FloatArray
    positives: FloatArray


@dataclass(frozen=True, eq=False)
class Thresholds:
    """Rows by raw score and by calibrated probability, for the threshold explorer.

    Attributes
    ----------
    edges : float64 array
        Lower ends of the bins, from 0. These are the thresholds that can be chosen.
    before, after : Bins
    """

    edges: FloatArray
    before: Bins
    after: Bins


@dataclass(frozen=True, eq=False)
class Histograms:
    """Number of rows, or their weight, by score and by probability in bins of equal width."""

    before: FloatArray
    after: FloatArray


@dataclass(frozen=True, eq=False)
class MapCurve:
    """Calibrated probability of scores from 0 to 1."""

    scores: FloatArray
    probabilities: FloatArray


@dataclass(frozen=True, eq=False)
class WeightHistogram:
    """Number of rows by the weight of their label in LWCal, in bins of equal width from 0 to 1.

    Attributes
    ----------
    agreeing, contradicting : float64 arrays
        Rows whose label agrees with the model's decision, and rows whose label contradicts it.
    """

    agreeing: FloatArray
    contradicting: FloatArray


@dataclass(frozen=True)
class Suspect:
    """A label that is likely to be wrong.

    Attributes
    ----------
    identity : str
        The id of the row, or its number, counted from 0.
    score, probability : float
        Raw score and calibrated probability.
    label : str
        The label as it is in the data.
    wrong : float or None
        Probability that the label is wrong; None if noise does not fit the labels.
    loss : float
        Loss of the label under the raw score. LWCal weights rows by it.
    """

    identity: str
    score: float
    probability: float
    label: str
    wrong: float | None
    loss: float


@dataclass(frozen=True)
class Fingerprint:
    """The name of an input and its SHA-256."""

    name: str
    sha256: str


@dataclass(frozen=True)
class Reproduction:
    """How to reproduce the page.

    Attributes
    ----------
    created : str
        Time of creation, in ISO 8601.
    command : str
        Command or function call that created the page.
    inputs : tuple of Fingerprint
    versions : tuple of pairs of str
        Names and versions of the software.
    calibrator_file : str
        Name of the calibrator's file; empty if it did not come from a file.
    rows_arguments : str
        What a command needs to read the rows: the name of their file, and options for its columns.
    new_rows_arguments : str
        The same for new rows, which need no labels.
    weight : str or None
        Column of weights, which the fit takes and an audit does not.
    """

    created: str
    command: str
    inputs: tuple[Fingerprint, ...]
    versions: tuple[tuple[str, str], ...]
    calibrator_file: str = ""
    rows_arguments: str = "FILE"
    new_rows_arguments: str = "NEW.csv"
    weight: str | None = None


class AuditCounts(NamedTuple):
    """Number of checked labels, and how many of them were wrong."""

    checked: int
    wrong: int


class SegmentTable(NamedTuple):
    """In which segments a calibrator holds.

    Attributes
    ----------
    name : str
        What the segments are: the name of their column.
    verdicts : tuple of SegmentVerdict
        The largest segment first.
    """

    name: str
    verdicts: tuple[SegmentVerdict, ...]


@dataclass(frozen=True, eq=False)
class ReportData:
    """Everything that the page shows.

    Attributes
    ----------
    title, method : str
    positive_class : str or None
        The positive class as people read it; None if it is not recorded.
    n : int or float
        Number of rows, or their weight.
    fitted_rows : int or float
        Number of rows that the calibrator was fitted to, or their weight.
    fitted_here : bool
        Whether it was fitted to the rows of this page.
    fitted_checks : int
        Number of checked rows among those that it was fitted to.
    identity_name : str
        Name of the column that identifies rows.
    diagnosis : Diagnosis
        The verdict, and what it rests on.
    readings : Readings
        Both readings of the labels, for the calibrator on this page.
    audit : AuditCounts or None
        What the checks found, if the verdict rests on them.
    views : tuple of LabelView
    map_curve : MapCurve
    histograms : Histograms
    thresholds : Thresholds
    weights : WeightHistogram
    suspects : tuple of Suspect, or None
        The unchecked labels most likely to be wrong, the most likely first. None if the report
        was made from a table, which holds no single rows.
    reproduction : Reproduction
    reviews : ReviewSummary or None
        What the calibrator knows of reviewers, if it was fitted to their opinions.
    adjustments : tuple of Adjustment
        Changes of the base rate after the fit.
    segments : SegmentTable or None
        In which segments the calibrator holds, if these are known.
    policy : Policy or None
        Thresholds and reviews by costs, if these are known.
    """

    title: str
    method: str
    positive_class: str | None
    n: float
    fitted_rows: float
    fitted_here: bool
    fitted_checks: int
    identity_name: str
    diagnosis: Diagnosis
    readings: Readings
    audit: AuditCounts | None
    views: tuple[LabelView, ...]
    map_curve: MapCurve
    histograms: Histograms
    thresholds: Thresholds
    weights: WeightHistogram
    suspects: tuple[Suspect, ...] | None
    reproduction: Reproduction
    reviews: ReviewSummary | None = None
    adjustments: tuple[Adjustment, ...] = ()
    segments: SegmentTable | None = None
    policy: Policy | None = None

    @property
    def knows_noise(self) -> bool:
        """Whether the rows say how many labels are wrong."""
        return knows_noise(self.diagnosis)


def knows_noise(diagnosis: Diagnosis) -> bool:
    """Whether the rows of a diagnosis say how many labels are wrong."""
    return diagnosis.noise.fits and not diagnosis.recommendation.refuses_rows
