"""Spark: rows on a cluster, through a DataFrame of the user's session, classic or Connect.

Spark counts, by its own GROUP BY; only counts come to the driver. Applying a map happens on the
workers, on Arrow's memory, and needs numpy and pyarrow there, but not this package.
"""

from lwcal.engines.spark import session  # noqa: F401  # says so where Spark is not as it must be

# isort: split
from lwcal.engines.spark.applying import apply
from lwcal.engines.spark.pipeline import ScoreCalibrator, ScoreCalibratorModel
from lwcal.engines.spark.reducing import reduce, reduce_groups

__all__ = ["ScoreCalibrator", "ScoreCalibratorModel", "apply", "reduce", "reduce_groups"]
