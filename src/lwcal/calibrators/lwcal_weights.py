"""The weight of every label in a loss-weighted fit (paper, step 6 of the algorithm)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lwcal import kernels
from lwcal._version import __version__
from lwcal.arrays import BoolArray, FloatArray, LabelArray
from lwcal.atomic_files import check_writable, replacing, write_json
from lwcal.errors import InputError, OutputError, ParameterError, message, missing_extra
from lwcal.files import PathLike
from lwcal.rows import ArrayLike, as_labels, as_scores, as_weights, check_same_length
from lwcal.table import ScoreTable

if TYPE_CHECKING:
    from lwcal.calibrators.lwcal import LWCal

FORMATS = (".parquet", ".csv")
ROUNDING, GRID_ROUNDING = 1e-9, 1e-4
"""Differences between the losses of equal rows, and of rows on a grid."""


@dataclass(frozen=True, eq=False)
class LabelWeights:
    """The weight of every label in an LWCal fit, in the order of the rows.

    Attributes
    ----------
    id : array or None
        Ids of the rows, if they were given.
    row_weight : float64 array or None
        Weights of the rows, if the fit had them.
    score : float64 array
        The model's score.
    y : uint8 array
        The label, 1 for the positive class.
    loss : float64 array
        Loss of the label under the score (paper, Eq. 1).
    weight : float64 array
        Weight of the label in the fit (paper, Eq. 2).
    contradicts : bool array
        Whether the label contradicts the model's decision.
    p_raw, p_calibrated : float64 arrays
        Probability before and after calibration.
    summary : dict
        ``method``, ``lwcal_version``, ``n``, every parameter of the method, and the diagnostics
        ``m``, ``s``, ``d`` and, if gated, ``rho``.
    """

    id: np.ndarray[Any, Any] | None
    row_weight: FloatArray | None
    score: FloatArray
    y: LabelArray
    loss: FloatArray
    weight: FloatArray
    contradicts: BoolArray
    p_raw: FloatArray
    p_calibrated: FloatArray
    summary: dict[str, Any]

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.score)

    def columns(self) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
        """Iterate over the names and values of the columns that there are."""
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name != "summary" and value is not None:
                yield field.name, value

    def to_arrow(self) -> Any:
        """Convert to a ``pyarrow.Table`` whose metadata holds the summary."""
        try:
            import pyarrow as pa
        except ImportError:
            raise missing_extra("pyarrow", "cli", "an Arrow table") from None
        metadata = {f"lwcal.{name}": str(value) for name, value in self.summary.items()}
        return pa.table(dict(self.columns()), metadata=metadata)

    def write(self, path: PathLike, *, overwrite: bool = False) -> None:
        """Write a Parquet or CSV file, depending on the ending of the name.

        A Parquet file holds the summary in its metadata. The summary of a CSV file
        ``NAME.csv`` is written to ``NAME.summary.json``.

        Parameters
        ----------
        path : path
            Name of the file, ending in ``.parquet`` or ``.csv``.
        overwrite : bool, default False
            Replace existing files. Otherwise nothing is written if one of them exists.
        """
        for file in files_written(path):
            check_writable(file, overwrite=overwrite)
        table = self.to_arrow()
        if Path(path).suffix.lower() == ".parquet":
            from pyarrow import parquet

            with replacing(path, overwrite=overwrite) as temporary:
                parquet.write_table(table, temporary)
            return
        from pyarrow import csv

        with replacing(path, overwrite=overwrite) as temporary:
            csv.write_csv(table, temporary)
        write_json(self.summary, _summary_path(path), overwrite=overwrite)


def files_written(path: PathLike) -> list[Path]:
    """Return the files that :meth:`LabelWeights.write` writes for this name.

    >>> [file.name for file in files_written("weights.csv")]
    ['weights.csv', 'weights.summary.json']
    """
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        raise OutputError(message(f"a name ending in {' or '.join(FORMATS)}", f"{path}"))
    return [Path(path), *([_summary_path(path)] if suffix == ".csv" else [])]


def _summary_path(path: PathLike) -> Path:
    return Path(path).with_suffix(".summary.json")


def label_weights(
    calibrator: LWCal,
    scores: ArrayLike,
    y: ArrayLike,
    *,
    ids: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    scale: str | None = None,
) -> LabelWeights:
    """Return loss and weight of every label in a loss-weighted fit.

    Parameters
    ----------
    calibrator : LWCal or GatedLWCal
        Fitted to these rows.
    scores, y : one-dimensional
        The rows of the fit, in any order. Other rows are refused.
    ids : one-dimensional, optional
        Ids of the rows, which are kept beside their weights.
    sample_weight : one-dimensional, optional
        Weights of the rows, if the fit had them.
    scale : {"probability", "percent", "logit"}, optional
        Scale of the scores; that of the fit by default.

    Returns
    -------
    LabelWeights

    Examples
    --------
    >>> import lwcal
    >>> scores, labels = [0.1, 0.4, 0.6, 0.9], [0, 1, 1, 0]
    >>> found = lwcal.label_weights(lwcal.LWCal().fit(scores, labels), scores, labels)
    >>> found.contradicts
    array([False,  True, False,  True])
    >>> found.weight.round(2)
    array([0.73, 0.42, 0.58, 0.07])
    """
    from lwcal.calibrators.lwcal import LWCal  # slow to import, and the columns have names without

    if not isinstance(calibrator, LWCal):
        raise ParameterError(
            message(
                "an LWCal or GatedLWCal",
                type(calibrator).__name__,
                "other calibrators have no label weights",
            )
        )
    checked = as_scores(scores, scale=calibrator.scale_of(scale))
    labels = as_labels(y, pos_label=calibrator.pos_label)
    check_same_length(len(checked), len(labels), "y")
    kept_ids = None if ids is None else np.asarray(ids)
    if kept_ids is not None:
        check_same_length(len(checked), len(kept_ids), "ids")
    weights = None if sample_weight is None else as_weights(sample_weight, len(checked))
    _check_fitted_rows(calibrator, ScoreTable.from_arrays(checked, labels, weights))
    loss = kernels.log_losses(np.where(labels == 1, checked, 1.0 - checked))
    return LabelWeights(
        id=kept_ids,
        row_weight=weights,
        score=checked,
        y=labels,
        loss=loss,
        weight=calibrator.reliability_weights(loss),
        contradicts=(checked >= calibrator.threshold) != (labels == 1),
        p_raw=checked,
        p_calibrated=calibrator.map_.apply_unchecked(checked),
        summary={
            "method": type(calibrator).__name__,
            "lwcal_version": __version__,
            "n": calibrator.n_,
            **{name: _plain(value) for name, value in calibrator.get_params().items()},
            **calibrator.diagnostics_,
        },
    )


def _plain(value: Any) -> Any:
    """A parameter in a type of JSON; a positive class may have any type."""
    value = value.item() if isinstance(value, np.generic) else value
    return value if value is None or isinstance(value, str | int | float) else str(value)


def _check_fitted_rows(calibrator: LWCal, table: ScoreTable) -> None:
    """Refuse rows that were not fitted: their number or their losses differ."""
    found = {"n": table.n, **calibrator.diagnostics_of(table)}
    fitted = {"n": calibrator.n_, **calibrator.diagnostics_}
    # a fit to scores that were rounded to a grid has slightly other losses
    tolerance = ROUNDING if calibrator.grid_ is None else GRID_ROUNDING
    for name, value in found.items():
        if not np.isclose(value, fitted[name], rtol=tolerance, atol=tolerance):
            raise InputError(
                message(
                    f"the rows of the fit, with {name} = {fitted[name]:g}",
                    f"rows with {name} = {value:g}",
                    "label weights say what each label did in the fit; pass its rows",
                )
            )
