"""Engines that reduce and calibrate data too large for memory, with the same functions each.

``reduce(source, score=, label=)`` gives a :class:`~lwcal.ScoreTable`, from which every calibrator
fits; ``apply(source, calibrator, score=, out=)`` writes the rows with their probabilities.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lwcal.engines import duckdb, spark

__all__ = ["duckdb", "spark"]


def __getattr__(name: str) -> Any:
    if name in __all__:  # imported when first used: an engine is an extra
        return import_module(f"lwcal.engines.{name}")
    raise AttributeError(f"module 'lwcal.engines' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
