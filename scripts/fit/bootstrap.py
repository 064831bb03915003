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
    """(index of the sizes, costs) of each sample of rows, where the sizes are chosen again, too."""
    for weights in row_weights(fit.cells, samples, np.random.RandomState(seed)):
        costs, total, _ = fit.fit(weights, fit.costs)
        index = min(range(len(total)), key=lambda i: (round(total[i], 6), fit.total[i]))
        yield index, costs[index]


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


def write_machines(path, name, fit, draws):
    """The file of machines for `cm200 run --intervals`; returns the keys of each."""
    machines = [keys_of(fit.mechanism, fit.counts.settings[index], costs) for index, costs in draws]
    head = {"format": "cm200-machines/1", "machine": name,
            "source": "scripts/refit --bootstrap: rows of tables 1 to 4 of the PSHIFT paper drawn again within their rank "
                      "(seed %d); costs and sizes fitted to each draw; mechanism: %s" % (SEED, fit.mechanism.name)}
    lines = ["  %s: %s," % (json.dumps(key), json.dumps(value)) for key, value in head.items()]
    lines += ['  "machines": [', ",\n".join("    " + json.dumps(keys) for keys in machines), "  ]"]
    with open(path, "w", encoding="utf-8") as file:
        file.write("{\n%s\n}\n" % "\n".join(lines))
    return machines
