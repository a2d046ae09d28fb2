"""Spark: rows on a cluster, as a DataFrame of the user's session, classic or Spark Connect.

Spark counts with its own GROUP BY, and the driver receives only counts. The workers apply a map to
Arrow arrays. They need numpy and pyarrow, but not this package.
"""

from typing import TYPE_CHECKING

from lwcal.engines.spark import session  # noqa: F401  # first: it reports a missing pyspark

# isort: split
from lwcal.engines.spark.applying import apply
from lwcal.engines.spark.class_reducing import reduce_classes
from lwcal.engines.spark.opinion_reducing import reduce_opinions
from lwcal.engines.spark.reducing import reduce, reduce_groups
from lwcal.lazy_names import lazy_names

if TYPE_CHECKING:
    from lwcal.engines.spark.pipeline import ScoreCalibrator, ScoreCalibratorModel

__all__ = [
    "ScoreCalibrator",
    "ScoreCalibratorModel",
    "apply",
    "reduce",
    "reduce_classes",
    "reduce_groups",
    "reduce_opinions",
]

# Imported on first use: only the stages of a pipeline need calibrators, which are slow to import.
_STAGES = dict.fromkeys(("ScoreCalibrator", "ScoreCalibratorModel"), ".pipeline")

__getattr__, __dir__ = lazy_names(__name__, __all__, _STAGES)
