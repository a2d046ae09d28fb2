from collections.abc import Sequence
from typing import Any

from lwcal.arrays import (
    Counted,
    FloatArray,
    IndexArray,
    KeyArray,
    Knots,
    LabelArray,
    Pooled,
    PooledGroups,
)

def within(values: FloatArray, low: float, high: float) -> bool: ...
def count_distinct(scores: FloatArray, labels: LabelArray, limit: int) -> Counted | None: ...
def count_on_grid(
    scores: FloatArray, labels: LabelArray, weights: FloatArray | None, bins: FloatArray
) -> None: ...
def label_keys(scores: FloatArray, labels: LabelArray) -> tuple[KeyArray, int]: ...
def pool_sorted_keys(keys: KeyArray) -> Pooled: ...
def group_keys(
    scores: FloatArray, labels: LabelArray, groups: IndexArray, count: int
) -> tuple[KeyArray, IndexArray]: ...
def pool_sorted_groups(keys: KeyArray, ends: IndexArray) -> PooledGroups: ...
def add_tables(
    scores: FloatArray,
    negatives: FloatArray | None,
    positives: FloatArray | LabelArray,
    other_scores: FloatArray,
    other_negatives: FloatArray | None,
    other_positives: FloatArray | LabelArray,
) -> Counted: ...
def add_to_each(
    tables: Sequence[Pooled], scores: FloatArray, negatives: FloatArray, positives: FloatArray
) -> list[Counted]: ...
def log_losses(agreement: FloatArray) -> FloatArray: ...
def median_and_mad(
    scores: FloatArray, negatives: FloatArray | None, positives: FloatArray | LabelArray
) -> tuple[float, float]: ...
def isotonic(
    scores: FloatArray, negatives: FloatArray | None, positives: FloatArray | LabelArray
) -> Knots: ...
def block_sums(
    scores: FloatArray,
    negatives: FloatArray | None,
    positives: FloatArray | LabelArray,
    starts: IndexArray,
) -> Counted: ...
def loss_weighted_isotonic(
    scores: FloatArray,
    negatives: FloatArray | None,
    positives: FloatArray | LabelArray,
    mad_factor: float,
    epsilon: float,
    scale_floor: float,
    floor: float,
    ceiling: float,
) -> tuple[float, float, FloatArray, FloatArray]: ...
def loss_weighted_isotonics(
    tables: Sequence[Pooled],
    mad_factor: float,
    epsilon: float,
    scale_floor: float,
    floor: float,
    ceiling: float,
) -> list[tuple[float, float, FloatArray, FloatArray]]: ...
def class_totals(tables: Sequence[Pooled], threshold: float) -> FloatArray: ...
def class_errors(
    scores: FloatArray, negatives: FloatArray | None, positives: FloatArray | LabelArray
) -> tuple[float, float, float, float]: ...
def log_loss(
    scores: FloatArray,
    negatives: FloatArray | None,
    positives: FloatArray | LabelArray,
    clip: float,
) -> float: ...
def ranked_pairs(
    scores: FloatArray, negatives: FloatArray | None, positives: FloatArray | LabelArray
) -> float: ...
def spread_residuals(
    scores: FloatArray,
    negatives: FloatArray | None,
    positives: FloatArray | LabelArray,
    cells: int,
) -> FloatArray: ...
def count_at_nodes(
    probabilities: FloatArray,
    weights: FloatArray | None,
    segments: IndexArray,
    clip: float,
    first: float,
    step: float,
    counts: FloatArray,
) -> None: ...
def spread_labels(
    probabilities: FloatArray,
    tables: Sequence[Pooled],
    clip: float,
    first: float,
    step: float,
    nodes: int,
) -> tuple[FloatArray, FloatArray]: ...
def offset_curvature(
    log_odds: FloatArray,
    negatives: FloatArray,
    positives: FloatArray,
    offsets: FloatArray,
    flipped: float,
    right: float,
) -> tuple[FloatArray, FloatArray]: ...
def logistic_loss(
    scores: FloatArray,
    negatives: FloatArray | None,
    positives: FloatArray | LabelArray,
    if_positive: float,
    if_negative: float,
    a: float,
    b: float,
    c: float,
    of_logs: bool,
) -> tuple[float, FloatArray, FloatArray]: ...
def interpolate(points: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray: ...
def sigmoids(slopes: FloatArray, intercepts: FloatArray, z: FloatArray) -> FloatArray: ...
def average_sigmoid(
    slopes: FloatArray, intercepts: FloatArray, weights: FloatArray, z: FloatArray
) -> FloatArray: ...
def average_entropy(
    slopes: FloatArray, intercepts: FloatArray, weights: FloatArray, z: FloatArray
) -> FloatArray: ...
def sigmoid_sums(
    slopes: FloatArray, intercepts: FloatArray, z: FloatArray, weights: FloatArray
) -> FloatArray: ...
def noise_mode(
    prior: FloatArray, clip: float, *evidence: FloatArray
) -> tuple[FloatArray, FloatArray]: ...
def noise_draws(
    tasks: Sequence[tuple[Any, ...]],
) -> list[tuple[FloatArray, FloatArray, FloatArray, FloatArray]]: ...
def regression_mode(
    features: FloatArray,
    offset: FloatArray,
    negatives: FloatArray,
    positives: FloatArray,
    prior: FloatArray,
    start: FloatArray,
) -> tuple[float, FloatArray, FloatArray]: ...
def regression_draws(
    features: FloatArray,
    offset: FloatArray,
    negatives: FloatArray,
    positives: FloatArray,
    prior: FloatArray,
    mode: FloatArray,
    information: FloatArray,
    standard: FloatArray,
    log_constant: float,
) -> tuple[FloatArray, FloatArray]: ...
def class_likelihood(
    features: FloatArray,
    labels: IndexArray,
    weights: FloatArray,
    matrix: FloatArray,
    intercepts: FloatArray,
    chances: FloatArray,
) -> tuple[float, FloatArray, FloatArray, FloatArray]: ...
def set_thread_limit(threads: int, for_process: bool) -> None: ...
