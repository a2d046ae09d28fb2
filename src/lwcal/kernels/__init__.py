"""The inner loops, compiled to machine code where possible.

Every function in :data:`KERNELS` exists twice: in ``pure`` (numpy) and in ``compiled`` (C++, if
the extension was built). The names here refer to the compiled one if it can be imported. Set the
environment variable ``LWCAL_PURE=1`` before the import to force numpy.

Kernels do not check values. Callers pass scores in [0, 1] and labels 0 or 1. They release the lock
of the interpreter, so several Python threads can work at the same time.
"""

from lwcal.kernels.backend import KERNELS, available_backends, backend, backend_name
from lwcal.kernels.threads import thread_limit

__all__ = ["KERNELS", "available_backends", "backend", "backend_name", "thread_limit"]

add_tables = backend.add_tables
add_to_each = backend.add_to_each
average_entropy = backend.average_entropy
average_sigmoid = backend.average_sigmoid
block_sums = backend.block_sums
class_errors = backend.class_errors
class_likelihood = backend.class_likelihood
class_totals = backend.class_totals
count_at_nodes = backend.count_at_nodes
count_distinct = backend.count_distinct
count_on_grid = backend.count_on_grid
group_keys = backend.group_keys
interpolate = backend.interpolate
isotonic = backend.isotonic
label_keys = backend.label_keys
log_loss = backend.log_loss
log_losses = backend.log_losses
logistic_loss = backend.logistic_loss
loss_weighted_isotonic = backend.loss_weighted_isotonic
loss_weighted_isotonics = backend.loss_weighted_isotonics
median_and_mad = backend.median_and_mad
noise_draws = backend.noise_draws
noise_mode = backend.noise_mode
offset_curvature = backend.offset_curvature
pool_sorted_groups = backend.pool_sorted_groups
pool_sorted_keys = backend.pool_sorted_keys
ranked_pairs = backend.ranked_pairs
regression_draws = backend.regression_draws
regression_mode = backend.regression_mode
sigmoid_sums = backend.sigmoid_sums
sigmoids = backend.sigmoids
spread_labels = backend.spread_labels
spread_residuals = backend.spread_residuals
within = backend.within
