"""Least absolute errors, many fits at once; the errors of fits; and what a fit's likelihood is worth.

The error of a cell is the logarithm of simulated / published. Least absolute errors are the most likely costs if errors
follow Laplace's distribution: most cells are close, a few are far off, and the far ones do not pull the rest.
"""

import numpy as np

ROUNDS = 50
LINEAR_ROUNDS = 25
FLOOR = 1e-5  # an error below this counts as this, or the weights of cells that fit exactly have no bound
TELLS = 1e-6  # of a cost's events: less than this share that no other costs have tells nothing


def log_errors(known, events, costs):
    return np.log(np.maximum(known + np.einsum("...ij,...j->...i", events, costs), 1e-3))


def identified(events, weights):
    """Which costs the cells of weight can tell apart. A cost whose events are a mixture of those before it is not: the
    first costs are kept. Arrays are [fit, cell, cost] and [fit, cell]."""
    basis = events * (weights > 0)[..., None]
    size = np.linalg.norm(basis, axis=1)
    found = np.zeros(size.shape, dtype=bool)
    for j in range(events.shape[2]):
        rest = np.linalg.norm(basis[:, :, j], axis=1)
        found[:, j] = (size[:, j] > 0) & (rest > TELLS * size[:, j])
        unit = np.where(found[:, j], 1 / np.maximum(rest, 1e-300), 0)[:, None] * basis[:, :, j]
        basis[:, :, j + 1:] -= unit[:, :, None] * np.einsum("si,sij->sj", unit, basis[:, :, j + 1:])[:, None, :]
    return found


def descend(known, events, weights, costs, free):
    """Least squares with weights renewed so that their sum becomes that of absolute errors: first of relative errors,
    which are linear, then Newton's steps on log errors. Costs that are not free stay."""
    scale = np.maximum((events * (weights > 0)[..., None]).max(axis=1), 1e-12)
    unit = events / scale[:, None, :] * free[:, None, :]
    base = known + np.einsum("sij,sj->si", events, costs * ~free)
    at, floor = np.zeros_like(costs), 1.0
    one = np.eye(events.shape[2])
    for step in range(ROUNDS):
        model = base + (unit @ at[..., None])[..., 0]
        if step < LINEAR_ROUNDS:
            error, slope = model - 1, unit
        else:
            model = np.maximum(model, 0.02)
            error, slope = np.log(model), unit / model[..., None]
        left = np.swapaxes(slope * (weights / np.maximum(np.abs(error), floor))[..., None], 1, 2)
        matrix = left @ slope
        ridge = 1e-9 * np.trace(matrix, axis1=1, axis2=2)[:, None] + 1e-300
        matrix += one * (ridge + ~free)[:, None, :]
        at = at - np.linalg.solve(matrix, left @ error[..., None])[..., 0] * free
        floor = max(floor / 2, FLOOR)
    return np.where(free, at / scale, costs)


def polish(known, events, weights, costs, free):
    """The costs that fit as many cells exactly as there are free costs: those that are closest to it already. Least
    absolute errors are such costs, mostly; where the sum of errors is not less than before, the costs stay."""
    many, _, size = events.shape
    error = np.where(weights > 0, np.abs(log_errors(known, events, costs)), np.inf)
    cells = np.argsort(error, axis=1, kind="stable")[:, :size]
    matrix = np.take_along_axis(events, cells[..., None], axis=1)
    right = 1 - np.take_along_axis(known, cells, axis=1)
    fixed = np.argsort(free, axis=1, kind="stable")  # costs that are not free come first
    number = free.sum(axis=1)
    for r in range(size):
        at = np.flatnonzero(number <= r)
        cost = fixed[at, r - number[at]]
        matrix[at, r] = np.eye(size)[cost]
        right[at, r] = costs[at, cost]
    found = (np.linalg.pinv(matrix, rcond=1e-10) @ right[..., None])[..., 0]
    found = np.where(free, found, costs)
    before, after = (weighted_errors(known, events, weights, c) for c in (costs, found))
    better = (after <= before * (1 + 1e-9)) & (found >= 0).all(axis=1)
    return np.where(better[:, None], found, costs)


def weighted_errors(known, events, weights, costs):
    return (weights * np.abs(log_errors(known, events, costs))).sum(axis=1)


def fit(known, events, weights, held):
    """The costs, none below 0, of least absolute log errors over the weighted cells; a cost that these cells can't tell is
    that of `held`. Returns (costs, sum of weighted absolute errors, which costs the cells own)."""
    own = identified(events, weights)
    free = own.copy()
    costs = np.where(own, 0.0, held)
    pending = np.arange(len(known))
    while len(pending):
        part = known[pending], events[pending], weights[pending]
        found = descend(*part, costs[pending], free[pending])
        share = np.where(free[pending], found * (part[1] * part[2][..., None]).sum(axis=1), 0)
        worst = share.argmin(axis=1)
        below = share[np.arange(len(pending)), worst] < -1e-9
        costs[pending] = found
        pending, worst = pending[below], worst[below]
        free[pending, worst] = False  # a cost that would be below 0 is 0
        costs[pending, worst] = 0.0
    costs = polish(known, events, weights, costs, free)
    return costs, weighted_errors(known, events, weights, costs), own


def median_mean_worst(errors):
    """Of relative errors: the median, mean and largest of their sizes."""
    sizes = np.abs(errors)
    return float(np.median(sizes)), float(sizes.mean()), float(sizes.max())


def bic(total, cells, effective, parameters):
    """Schwarz's criterion, -2 log likelihood + parameters log(observations): Laplace's errors of mean size total / cells,
    the scale of which is one more parameter. Cells that are not independent count as `effective` observations."""
    return 2 * effective * (np.log(2 * total / cells) + 1) + (parameters + 1) * np.log(effective)
