"""The fit that configs/cm200.json holds: whole cycles, the shipped mechanism and sizes, and three targets."""

import itertools

import numpy as np

from . import solve

TARGETS = (0.025, 0.04, 0.15)  # of median, mean and worst error
CONTROL = 5  # cycles of a control instruction: chosen, not fitted (docs/fidelity.md)
CONFLICTS = range(5)  # cycles of a bank conflict that are tried
REACH = 3  # cycles that a step of the search changes each cost by, at most
GAIN = 0.01  # of the badness: a machine that is not worse than the best by this keeps its costs


def relative_errors(known, events, costs):
    return known + np.asarray(costs, dtype=float) @ events.T - 1


def badness(known, events, costs):
    """Median, mean and worst error, each as a share of its target: what the fit makes small. Of a list of costs."""
    sizes = np.abs(relative_errors(known, events, np.atleast_2d(costs)))
    return (np.median(sizes, axis=1) / TARGETS[0] + sizes.mean(axis=1) / TARGETS[1] + sizes.max(axis=1) / TARGETS[2])


def start(known, events, names, given):
    """Least absolute errors with some costs given, in whole cycles."""
    fixed = np.array([float(given.get(name, 0)) for name in names])
    free = np.array([name not in given for name in names])
    found, _, _ = solve.fit((known + events @ fixed)[None], (events * free)[None], np.ones((1, len(known))),
                            np.zeros((1, len(names))))
    return np.round(found[0] * free + fixed)


def fit(known, events, names, control=CONTROL):
    """
    Whole cycles of each cost, those of a control instruction given. A bank conflict, a few cycles, is tried cycle by
    cycle, the others fitted to each; then the best is improved by small steps as long as one helps.
    """
    reach = [(0,) if name in ("control", "conflict") else range(-REACH, REACH + 1) for name in names]
    steps = np.array(list(itertools.product(*reach)), dtype=float)
    best = min((start(known, events, names, {"control": control, "conflict": cycles}) for cycles in CONFLICTS),
               key=lambda costs: badness(known, events, costs)[0])
    while True:
        tried = best + steps
        tried = tried[(tried >= 0).all(axis=1)]
        judged = badness(known, events, tried)
        if judged.min() >= badness(known, events, best)[0]:
            return tuple(int(cost) for cost in best)
        best = tried[judged.argmin()]


def keep(known, events, best, present):
    """The costs that a machine with the present ones should have: its own, unless the best gain something."""
    gain = badness(known, events, present)[0] - badness(known, events, best)[0]
    return (tuple(best) if gain >= GAIN else tuple(present)), gain
