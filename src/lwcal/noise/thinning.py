"""Fewer weighted points with the same mean."""

from __future__ import annotations

from math import isqrt

import numpy as np

from lwcal.arrays import FloatArray, IndexArray


def thin(points: FloatArray, weights: FloatArray, most: int) -> tuple[FloatArray, FloatArray]:
    """Merge neighbouring points in the plane until at most ``most`` are left.

    The origin ("no noise") keeps its exact weight. The rest of the plane is cut into strips of
    equal weight, and the strips into cells; each cell becomes one point, the mean of its points.
    The overall mean stays the same, and nothing is random.

    >>> grid = np.array([[a, b] for a in (0.1, 0.2, 0.3) for b in (0.1, 0.2, 0.3)])
    >>> points, weights = thin(grid, np.full(9, 1 / 9), most=5)
    >>> len(points), (weights @ points).round(6)
    (4, array([0.2, 0.2]))
    """
    elsewhere = (points[:, 0] != 0.0) | (points[:, 1] != 0.0)
    kept = elsewhere & (weights > 0.0)
    merged, merged_weights = _merge_neighbours(points[kept], weights[kept], most - 1)
    at_origin = float(weights[~elsewhere].sum())
    if at_origin == 0.0:
        return merged, merged_weights
    return np.vstack([np.zeros(2), merged]), np.append(at_origin, merged_weights)


def _merge_neighbours(
    points: FloatArray, weights: FloatArray, most: int
) -> tuple[FloatArray, FloatArray]:
    if len(points) > 0 and (points == points[0]).all():
        return points[:1], np.array([weights.sum()])
    if len(points) <= most:
        return points, weights
    return _merge(points, weights, _cells(points, weights, isqrt(most)))


def _cells(points: FloatArray, weights: FloatArray, per_side: int) -> IndexArray:
    """Number of the cell of each point: strips by the first column, cut by the second."""
    one_group = np.zeros(len(points), dtype=np.intp)
    strips = _parts(points[:, 0], weights, one_group, per_side)
    return strips * per_side + _parts(points[:, 1], weights, strips, per_side)


def _parts(values: FloatArray, weights: FloatArray, groups: IndexArray, count: int) -> IndexArray:
    """Divide the values of each group, by their order, into parts of about equal weight."""
    order = np.lexsort((values, groups))
    ordered, group = weights[order], groups[order]
    totals = np.bincount(group, ordered)
    before = np.cumsum(totals) - totals
    middles = (np.cumsum(ordered) - ordered / 2 - before[group]) / totals[group]
    parts = np.empty(len(values), dtype=np.intp)
    parts[order] = np.clip(middles * count, 0, count - 1)
    return parts


def _merge(
    points: FloatArray, weights: FloatArray, cells: IndexArray
) -> tuple[FloatArray, FloatArray]:
    total = np.asarray(np.bincount(cells, weights), dtype=np.float64)
    used = total > 0.0
    sums = [np.bincount(cells, weights * column)[used] for column in points.T]
    return np.column_stack(sums) / total[used][:, None], total[used]
