"""Spark: rows on a cluster, as a DataFrame of the user's session, classic or Spark Connect.

Spark counts with its own GROUP BY, and the driver receives only counts. The workers apply a map to
Arrow arrays. They need numpy and pyarrow, but not this package.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lwcal.engines.spark import session  # noqa: F401  # first: it reports a missing pyspark

# isort: split
from lwcal.engines.spark.applying import apply
from lwcal.engines.spark.class_reducing import reduce_classes
from lwcal.engines.spark.opinion_reducing import reduce_opinions
from lwcal.engines.spark.reducing import reduce, reduce_groups

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
_STAGES = {"ScoreCalibrator", "ScoreCalibratorModel"}


def __getattr__(name: str) -> Any:
    if name in _STAGES:
        return getattr(import_module("lwcal.engines.spark.pipeline"), name)
    raise AttributeError(f"module 'lwcal.engines.spark' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
