"""The audit record of a loss-weighted fit (paper, step 6 of the algorithm)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from lwcal import kernels
from lwcal.arrays import BoolArray, FloatArray, LabelArray
from lwcal.calibrators import LWCal
from lwcal.errors import OutputError, ParameterError, message, missing_extra
from lwcal.files import PathLike, check_writable, replacing, write_json
from lwcal.rows import ArrayLike, as_labels, as_scores, check_same_length


@dataclass(frozen=True, eq=False)
class AuditTable:
    """One row per calibration row, in the order they came, and the scalars of the fit.

    Attributes
    ----------
    score : float64 array
        The model's score.
    y : uint8 array
        The label the fit saw, 1 for the positive class.
    loss : float64 array
        Loss of that label under the score (paper, Eq. 1).
    weight : float64 array
        How much the row counted in the fit (paper, Eq. 2).
    contradicts : bool array
        Whether the label contradicts the model's decision.
    p_raw, p_calibrated : float64 arrays
        The probability before and after calibration.
    summary : dict
        ``method``, ``n``, and the fit's ``m``, ``s``, ``d`` and, when gated, ``rho``.
    """

    score: FloatArray
    y: LabelArray
    loss: FloatArray
    weight: FloatArray
    contradicts: BoolArray
    p_raw: FloatArray
    p_calibrated: FloatArray
    summary: dict[str, Any]

    def __len__(self) -> int:
        """Count the rows."""
        return len(self.score)

    def columns(self) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
        """Name and values of every column."""
        for field in fields(self):
            if field.name != "summary":
                yield field.name, getattr(self, field.name)

    def to_arrow(self) -> Any:
        """Convert to a ``pyarrow.Table`` whose metadata holds the summary."""
        try:
            import pyarrow as pa
        except ImportError:
            raise missing_extra("pyarrow", "cli", "an Arrow table") from None
        metadata = {f"lwcal.{name}": str(value) for name, value in self.summary.items()}
        return pa.table(dict(self.columns()), metadata=metadata)

    def write(self, path: PathLike, *, overwrite: bool = True) -> None:
        """Write as Parquet or CSV, by the ending of the name.

        Parquet carries the summary in its metadata; beside a CSV file it is written to
        ``NAME.summary.json``.
        """
        suffix = Path(path).suffix.lower()
        if suffix not in (".parquet", ".csv"):
            raise OutputError(message("a name ending in .parquet or .csv", f"{path}"))
        check_writable(path, overwrite=overwrite)
        table = self.to_arrow()
        with replacing(path, overwrite=overwrite) as temporary:
            if suffix == ".parquet":
                from pyarrow import parquet

                parquet.write_table(table, temporary)
            else:
                from pyarrow import csv

                csv.write_csv(table, temporary)
        if suffix == ".csv":
            write_json(self.summary, Path(path).with_suffix(".summary.json"), overwrite=True)


def audit_table(calibrator: LWCal, scores: ArrayLike, y: ArrayLike) -> AuditTable:
    """Show what every label did in a loss-weighted fit.

    Parameters
    ----------
    calibrator : LWCal or GatedLWCal
        Fitted on these rows.
    scores, y : one-dimensional
        The rows, in any order.

    Examples
    --------
    >>> import lwcal
    >>> scores, labels = [0.1, 0.4, 0.6, 0.9], [0, 1, 1, 0]
    >>> audit = audit_table(lwcal.LWCal().fit(scores, labels), scores, labels)
    >>> audit.contradicts
    array([False,  True, False,  True])
    >>> audit.weight.round(2)
    array([0.73, 0.42, 0.58, 0.07])
    """
    if not isinstance(calibrator, LWCal):
        raise ParameterError(
            message(
                "an LWCal or GatedLWCal",
                type(calibrator).__name__,
                "other calibrators give every label the same weight",
            )
        )
    checked = as_scores(scores)
    labels = as_labels(y, pos_label=calibrator.pos_label)
    check_same_length(len(checked), len(labels), "y")
    loss = kernels.log_losses(np.where(labels == 1, checked, 1.0 - checked))
    return AuditTable(
        score=checked,
        y=labels,
        loss=loss,
        weight=calibrator.reliability_weights(loss),
        contradicts=(checked >= calibrator.threshold) != (labels == 1),
        p_raw=checked,
        p_calibrated=calibrator.predict(checked),
        summary={
            "method": type(calibrator).__name__,
            "n": calibrator.n_,
            **calibrator.diagnostics_,
        },
    )
