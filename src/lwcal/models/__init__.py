"""Fitted models of other libraries, as classifiers that cannot be fitted again."""

from lwcal.models.fitted import FittedModel, needs_adapter

__all__ = ["FittedModel", "needs_adapter"]
