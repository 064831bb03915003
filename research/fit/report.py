"""The tables of research/refit, as Markdown: docs/fidelity.md holds them between marks, and a test compares."""

import numpy as np

from . import machine, solve
from .counts import ROUTINES
from .nest import PAIRS, folds

FAR = 0.07  # an error beyond this is listed


def percent(value):
    return "%.1f %%" % (100 * value) if value >= 0.09995 else "%.2f %%" % (100 * value)


def three(errors):
    return tuple(percent(size) for size in solve.median_mean_worst(errors))


def table(heads, rows):
    lines = ["| %s |" % " | ".join(heads), "|%s" % ("---|" * len(heads))]
    return "\n".join(lines + ["| %s |" % " | ".join(str(cell) for cell in row) for row in rows])


def keys_text(keys):
    """`a.x`, `a.y`, with what they have in common only once."""
    section = keys[0].split(".")[0] + "."
    return ", ".join("`%s`" % (key[len(section):] if i and key.startswith(section) else key)
                     for i, key in enumerate(keys))


def fitted_table(costs, best, held):
    return table(("Cost", "Key", "Cycles", "On tables 1 and 3 alone"),
                 [(cost.name, keys_text(cost.keys), cycles, other)
                  for cost, cycles, other in zip(costs, best, held)])


def groups(cells):
    """Name and cells of each line of the table of errors."""
    yield "all", np.ones(cells.count, dtype=bool)
    for rank in range(1, 5):
        yield "table %d" % rank, cells.rank == rank
    for i, routine in enumerate(ROUTINES):
        yield routine, cells.routine == i


def speedups(cells, errors):
    """Errors of CSHIFT over PSHIFT, from those of their times."""
    ratio = 1 + errors
    return ratio[cells.routine == 1] / ratio[cells.routine == 0] - 1


def errors_table(cells, errors, held):
    rows = [("%s (%d)" % (name, where.sum()),) + three(errors[where]) for name, where in groups(cells)]
    rows.append(("speedups, CM time (%d)" % (cells.count // 2),) + three(speedups(cells, errors)))
    even = cells.rank % 2 == 0
    rows.append(("tables 2 and 4, costs fitted on 1 and 3 (%d)" % even.sum(),) + three(held[even]))
    return table(("Cells", "Median", "Mean", "Worst"), rows)


def cells_table(cells, errors):
    """Rows with a cell that is off by more than FAR, and both their errors."""
    rows = []
    for row in range(cells.row.max() + 1):
        at = np.flatnonzero(cells.row == row)
        if np.abs(errors[at]).max() > FAR:
            rows.append(("rank %d, length %d" % (cells.rank[at[0]], cells.length[at[0]]),) +
                        tuple("%.0f, %.0f (%+.1f %%)" % (cells.cycles[i], cells.cycles[i] * (1 + errors[i]),
                                                       100 * errors[i]) for i in at))
    return table(("Row", "PSHIFT: cycles published, simulated", "CSHIFT: cycles published, simulated"), rows)


def control_table(known, events, names, cells):
    rows, odd = [], cells.rank % 2 == 1
    for control in range(11):
        best = machine.fit(known, events, names, control)
        held = machine.fit(known[odd], events[odd], names, control)
        rows.append((control,) + tuple(c for c, name in zip(best, names) if name != "control") + three(machine.relative_errors(known, events, best)) +
                    (three(machine.relative_errors(known, events, held)[~odd])[0],
                     "%.2f" % machine.badness(known, events, best)[0],
                     "%.2f" % machine.badness(known[odd], events[odd], held)[0]))
    return table(("Control",) + tuple(name for name in names if name != "control") + ("Median", "Mean", "Worst", "Held out", "Objective", "on 1 and 3"), rows)


def choices_table(choices, elapsed, numbers):
    rows = []
    for i, (name, keys) in enumerate(choices + elapsed):
        values = ["%d" % numbers[key] for key in keys]
        text = "%s each" % values[0] if len(values) > 1 and len(set(values)) == 1 else ", ".join(values)
        rows.append((i + 1, name, keys_text(keys), text,
                     "CM times" if i < len(choices) else "elapsed times"))
    return table(("", "Choice", "Key", "Value", "Chosen by"), rows)


def sizes_text(fit, index):
    """The sizes of a choice, as page / banks / block / first array."""
    named = {setting.split("=")[0].split(".")[1]: setting.split("=")[1] for setting in fit.counts.settings[index]
             if setting.split("=")[0] in fit.sizes}
    return ", ".join("%s %s" % item for item in named.items()) or "-"


def mechanisms_table(nest):
    schemes = dict(folds(nest.cells))
    rows = []
    for fit in nest.fits:
        rows.append((fit.mechanism.name, len(fit.total), fit.parameters) + three(fit.in_sample()) +
                    ("%.1f" % fit.bic(54), "%.1f" % fit.bic(27)) +
                    three(nest.predict(fit, schemes["tables 2 and 4"])) +
                    (three(nest.predict(fit, schemes["one rank out"]))[1],))
    return table(("Mechanism", "Memories", "Chosen", "Median", "Mean", "Worst", "BIC 54", "BIC 27",
                  "2, 4: median", "mean", "worst", "Rank out: mean"), rows)


def sizes_table(fit):
    """Of each value of each size: the best fit with it."""
    rows = []
    for name, values in fit.mechanism.sizes:
        for value in values:
            at = [i for i, settings in enumerate(fit.counts.choices) if settings[name] == value]
            best = min(at, key=lambda i: fit.total[i])
            rows.append(("`%s`" % name, value if value >= 0 else "%d before the end of a page" % -value) +
                        three(fit.errors(best, fit.costs[best])))
    return table(("Size", "Value", "Median", "Mean", "Worst"), rows)


def nested_table(nest, fit):
    rows = []
    for name, scheme in folds(nest.cells):
        errors, names = nest.predict_chosen(scheme)
        by_cells, _ = nest.predict_chosen(scheme, rows=False)
        chosen = sorted(set(names), key=lambda one: (-names.count(one), one))
        many = "; ".join("%s%s" % (one, " (%d)" % names.count(one) if len(names) > 1 else "") for one in chosen[:3])
        rows.append((name, len(errors)) + three(nest.predict(fit, scheme)) + three(errors) +
                    (three(by_cells)[1], many + ("; %d others" % (len(chosen) - 3) if len(chosen) > 3 else "")))
    return table(("Held out", "Cells", "Shipped: median", "mean", "worst", "Chosen: median", "mean", "worst",
                  "mean, BIC of cells", "Mechanism that the rest chooses"), rows)


def fold_table(nest, fit):
    """What the rest of each larger fold chooses in the shipped mechanism."""
    rows = [("nothing", sizes_text(fit, fit.best)) + tuple("%.1f" % cost for cost in fit.costs[fit.best])]
    schemes = dict(folds(nest.cells))
    for scheme in ["tables %d and %d" % pair for pair in PAIRS] + ["one rank out", "one routine out"]:
        for fold in schemes[scheme]:
            index, costs, _, known = nest.choice(fit, fold)
            rows.append((fold.name, sizes_text(fit, index)) +
                        tuple("%.1f%s" % (cost, "" if own else " (held)") for cost, own in zip(costs, known)))
    return table(("Held out", "Sizes") + tuple(cost.name for cost in fit.mechanism.costs), rows)


def ranges(costs):
    low, middle, high = np.percentile(costs, (2.5, 50, 97.5), axis=0)
    return ["%.1f to %.1f" % pair for pair in zip(low, high)], middle


def ranges_table(fit, rows, residuals):
    by_rows, by_residuals = ranges(rows)[0], ranges(residuals)[0]
    return table(("Cost", "Fitted", "95 %, rows drawn again", "95 %, errors drawn again"),
                 [(cost.name, "%.1f" % value, one, other) for cost, value, one, other in
                  zip(fit.mechanism.costs, fit.costs[fit.best], by_rows, by_residuals)])


def correlations_table(fit, rows):
    names = [cost.name for cost in fit.mechanism.costs]
    found = np.corrcoef(rows.T)
    return table([""] + names, [[name] + ["%+.2f" % value for value in line] for name, line in zip(names, found)])


def shares_table(fit, draws):
    """How often each value of a size is chosen when it is fitted to each draw of rows."""
    drawn = [fit.counts.choices[index] for index, *_ in draws]
    rows = []
    for name, values in fit.mechanism.sizes:
        counts = ["%s: %.0f %%" % (value if value >= 0 else "%d before the end" % -value,
                                   100 * sum(one[name] == value for one in drawn) / len(drawn)) for value in values]
        rows.append(("`%s`" % name, ", ".join(counts)))
    return table(("Size", "Chosen in %d draws" % len(drawn)), rows)
