"""How far the costs could be other ones: fits to resampled measurements.

Rows: 13, 7, 4 and 3 rows drawn with replacement from the tables, PSHIFT and CSHIFT of a row together, so that ranks keep
their weight. Residuals: the fitted times, each row off by the pair of errors of a row drawn from all.
"""

import json

import numpy as np

from . import solve

SEED = 1994
SAMPLES = 1000
MACHINES = 200
LEVEL = 0.95  # part of the machines within a range
COVERED = 0.90  # part of the held-out cells that ranges are to hold; where they don't, they are widened


def row_weights(cells, samples, generator):
    """How often each cell is drawn, in each sample."""
    weights = np.zeros((samples, cells.count))
    for rank in sorted(set(cells.rank)):
        rows = sorted(set(cells.row[cells.rank == rank]))
        drawn = generator.choice(rows, (samples, len(rows)))
        for row in rows:
            weights[:, cells.row == row] = (drawn == row).sum(axis=1)[:, None]
    return weights


def from_rows(fit, samples=SAMPLES, seed=SEED):
    """Costs fitted to resampled rows, in the sizes of the full fit."""
    weights = row_weights(fit.cells, samples, np.random.RandomState(seed))
    known, events = (np.repeat(of[fit.best][None], samples, axis=0) for of in (fit.counts.known, fit.counts.events))
    return solve.fit(known, events, weights, np.repeat(fit.costs[fit.best][None], samples, axis=0))[0]


def from_residuals(fit, samples=SAMPLES, seed=SEED):
    """Costs fitted to the fitted times with errors drawn from all rows."""
    generator = np.random.RandomState(seed)
    known, events, costs = fit.counts.known[fit.best], fit.counts.events[fit.best], fit.costs[fit.best]
    errors = solve.log_errors(known, events, costs).reshape(-1, 2)  # a row has two cells
    drawn = errors[generator.randint(0, len(errors), (samples, len(errors)))].reshape(samples, -1)
    # A measurement is the fitted time / e^error: counts relative to it, instead of to the published time.
    scale = np.exp(drawn) / (known + events @ costs)
    return solve.fit(known * scale, events * scale[..., None], np.ones(scale.shape),
                     np.repeat(costs[None], samples, axis=0))[0]


def with_sizes(fit, samples=MACHINES, seed=SEED):
    """(index of the sizes, costs, weights of the cells) of each sample of rows, where the sizes are chosen again, too."""
    for weights in row_weights(fit.cells, samples, np.random.RandomState(seed)):
        costs, total, _ = fit.fit(weights, fit.costs)
        index = min(range(len(total)), key=lambda i: (round(total[i], 6), fit.total[i]))
        yield index, costs[index], weights


def outer(values, level=LEVEL):
    """The values that leave out the same part at both ends."""
    ordered = np.sort(values)
    out = int((1 - level) / 2 * len(ordered))
    return ordered[out], ordered[len(ordered) - 1 - out]


class Coverage:
    """How many published times lie within the range of the machines that were fitted without them: of each cell, over the
    draws that lack its row. Where too few do, ranges are widened by how far the others are off: so far that of the cells
    at most 2.5 % lie below a range, and at most 2.5 % above."""

    def __init__(self, fit, draws):
        self.ranges = []
        for cell in range(fit.cells.count):
            self.ranges.append(outer([1 + fit.errors(index, costs)[cell] for index, costs, weights in draws
                                      if weights[cell] == 0]))
        self.plain = self.part(0.0, 0.0)
        below = [min(1 / low - 1, 0.0) for low, _ in self.ranges]
        above = [max(1 / high - 1, 0.0) for _, high in self.ranges]
        enough = self.plain >= COVERED
        self.widening = (0.0, 0.0) if enough else (float(outer(below)[0]), float(outer(above)[1]))
        self.widened = self.part(*self.widening)

    def part(self, below, above):
        inside = [low * (1 + below) <= 1 + 1e-9 and high * (1 + above) >= 1 - 1e-9 for low, high in self.ranges]
        return sum(inside) / len(inside)


def keys_of(mechanism, settings, costs):
    """The machine keys of a fit, in whole cycles."""
    keys = {key: int(value) for key, value in (setting.split("=") for setting in settings)}
    for cost, cycles in zip(mechanism.costs, costs):
        left = max(int(round(cycles)), 1 if cost.name == "exchange" else 0)
        for i, key in enumerate(cost.keys):
            share = cost.shares[i] if cost.shares else 1.0
            keys[key] = left if not cost.shares or i + 1 == len(cost.keys) else int(left * share)
            if cost.shares:
                left -= keys[key]
    return keys


def write_machines(path, name, fit, draws, coverage):
    """The file of machines for `cm200 run --intervals` (docs/workload.md)."""
    machines = [keys_of(fit.mechanism, fit.counts.settings[index], costs) for index, costs, _ in draws]
    keys = sorted(machines[0])
    head = {"format": "cm200-machines/1",
            "made_by": "research/refit --bootstrap --machines, for the %s: rows of tables 1 to 4 of the PSHIFT paper drawn again "
                       "within their rank (seed %d); costs and sizes fitted to each draw; mechanism: %s"
                       % (name, SEED, fit.mechanism.name),
            "level": LEVEL, "coverage": round(coverage.widened, 4),
            "widening": [round(part, 4) for part in coverage.widening], "keys": keys}
    lines = ["  %s: %s," % (json.dumps(key), json.dumps(value)) for key, value in head.items()]
    lines += ['  "machines": [', ",\n".join("    " + json.dumps([one[key] for key in keys]) for one in machines), "  ]"]
    with open(path, "w", encoding="utf-8") as file:
        file.write("{\n%s\n}\n" % "\n".join(lines))
