"""What the page shows, as numbers: computing ends here, and rendering begins."""

from __future__ import annotations

from dataclasses import dataclass

from lwcal.arrays import FloatArray
from lwcal.diagnosis import Diagnosis
from lwcal.metrics import ReliabilityCurve


@dataclass(frozen=True)
class Quality:
    """One number about the probabilities, before and after, with intervals where there are any."""

    name: str
    before: float
    after: float
    before_interval: tuple[float, float] | None = None
    after_interval: tuple[float, float] | None = None


@dataclass(frozen=True, eq=False)
class LabelView:
    """Reliability before and after, judged by one kind of labels.

    Attributes
    ----------
    key, title, note : str
        Name for programs, name for people, and what to keep in mind.
    n : int or float
        Rows, or their weight, that the view rests on.
    before, after : ReliabilityCurve
    qualities : tuple of Quality
        NLL, Brier score and ECE.
    classes : tuple of Quality
        Errors within each class.
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
    """Rows in bins, by increasing probability.

    Attributes
    ----------
    weight : float64 array
        Rows, or their weight.
    positives : float64 array
        Expected true positives: the sum of the calibrated probabilities.
    """

    weight: FloatArray
    positives: FloatArray


@dataclass(frozen=True, eq=False)
class Thresholds:
    """Rows by raw score and by calibrated probability: all that the explorer needs.

    Attributes
    ----------
    edges : float64 array
        Lower ends of the bins, from 0: the thresholds that can be chosen.
    before, after : Bins
    """

    edges: FloatArray
    before: Bins
    after: Bins


@dataclass(frozen=True, eq=False)
class Histograms:
    """Rows, or their weight, in bins of equal width from 0 to 1, by score and by probability."""

    before: FloatArray
    after: FloatArray


@dataclass(frozen=True, eq=False)
class MapCurve:
    """Probability that the calibrator gives to scores from 0 to 1."""

    scores: FloatArray
    probabilities: FloatArray


@dataclass(frozen=True, eq=False)
class WeightHistogram:
    """Rows by their weight in LWCal, in bins of equal width from 0 to 1.

    Attributes
    ----------
    agreeing, contradicting : float64 arrays
        Rows whose label agrees with the model's decision, and rows whose label does not.
    """

    agreeing: FloatArray
    contradicting: FloatArray


@dataclass(frozen=True)
class Suspect:
    """A label that is likely to be wrong.

    Attributes
    ----------
    identity : str
        The row's id, or its number, counted from 0.
    score, probability : float
        Raw score, and calibrated.
    label : str
        As it is in the data.
    wrong : float
        Probability that the label is wrong under the noise model.
    loss : float
        Loss of the label under the raw score, which LWCal weighs rows by.
    """

    identity: str
    score: float
    probability: float
    label: str
    wrong: float
    loss: float


@dataclass(frozen=True)
class Fingerprint:
    """A name, and the SHA-256 of what it stands for."""

    name: str
    sha256: str


@dataclass(frozen=True)
class Provenance:
    """How to make the page again.

    Attributes
    ----------
    created : str
        When, in ISO 8601.
    command : str
        What to type.
    inputs : tuple of Fingerprint
    versions : tuple of pairs of str
        Names and versions of the software.
    """

    created: str
    command: str
    inputs: tuple[Fingerprint, ...]
    versions: tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False)
class ReportData:
    """Everything that the page shows.

    Attributes
    ----------
    title, method : str
    fitted_rows : int or float
        Rows that the calibrator was fitted to.
    identity_name : str
        Name of the column that identifies rows.
    diagnosis : Diagnosis
    views : tuple of LabelView
    map_curve : MapCurve
    histograms : Histograms
    thresholds : Thresholds
    weights : WeightHistogram
    suspects : tuple of Suspect
        Most suspicious first.
    provenance : Provenance
    """

    title: str
    method: str
    fitted_rows: float
    identity_name: str
    diagnosis: Diagnosis
    views: tuple[LabelView, ...]
    map_curve: MapCurve
    histograms: Histograms
    thresholds: Thresholds
    weights: WeightHistogram
    suspects: tuple[Suspect, ...]
    provenance: Provenance
