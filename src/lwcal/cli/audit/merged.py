"""What a merge of checked labels gives: a calibrator, a verdict, and what is told about them."""

from collections.abc import Callable
from typing import Any, NamedTuple

from rich.console import Console

from lwcal.calibrators import Audited
from lwcal.diagnosis import Recommendation


class Merged(NamedTuple):
    """The result of a merge.

    Attributes
    ----------
    calibrator : Audited
        Fitted to all labels and to the checked ones.
    recommendation : Recommendation
        The verdict, by the checked labels.
    document : dict
        What was found, for programs.
    show : callable
        Prints what was found, for people.
    """

    calibrator: Audited
    recommendation: Recommendation
    document: dict[str, Any]
    show: Callable[[Console], None]
