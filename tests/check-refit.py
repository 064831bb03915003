"""research/refit: the machine holds the output of the fit, and the statistics are what they say.

usage: check-refit.py CM200 SOURCE_ROOT
"""

import itertools
import json
import os
import re
import subprocess
import sys
import tempfile

from tap import Tap, arguments, usage_error

GIVEN = arguments(__doc__, 2, modules=["numpy"])

import numpy as np  # noqa: E402: without it the check was skipped above

TIMEOUT_SECONDS = 300


class Refit:
    def __init__(self, cm200, root, cache):
        self.command = [sys.executable, os.path.join(root, "research", "refit"), "--program", os.path.abspath(cm200),
                        "--cache", cache]

    def run(self, *arguments):
        return subprocess.run(self.command + list(arguments), capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL, timeout=TIMEOUT_SECONDS)


def check_machine(refit):
    done = refit.run("--check")
    if done.returncode != 0 or done.stderr:
        yield done.stdout + done.stderr


def check_changed_machine(refit):
    """A cost that the fit did not find is found."""
    done = refit.run("--check", "--set", "exchange.cycles=150")
    if done.returncode != 1:
        yield "exit code %d, expected 1" % done.returncode
    if "exchange.cycles is 150" not in done.stdout:
        yield "it does not name the cost: %s" % done.stdout


def check_choices(root, mechanisms):
    """The list of choices has exactly the keys that configs/cm200.json calls fitted."""
    for name in ("cm200.json", "cm200-first-fit.json"):
        with open(os.path.join(root, "configs", name), encoding="utf-8") as file:
            machine = json.load(file)
        fitted = {"%s.%s" % (section, key) for section, entry in machine.items() if isinstance(entry, dict)
                  for key, number in entry.items() if isinstance(number, dict) and number["status"] == "fitted"}
        listed = {key for _, keys in mechanisms.CHOICES + mechanisms.ELAPSED_CHOICES for key in keys}
        for key in sorted(fitted ^ listed):
            yield "%s: %s is %s" % (name, key, "not in the list" if key in fitted else "not fitted")


def check_base(root, counts, mechanisms):
    """The shipped machine is the one that the mechanisms change, with the shipped mechanism in it."""
    numbers = []
    for name in ("cm200.json", "cm200-first-fit.json"):
        with open(os.path.join(root, "configs", name), encoding="utf-8") as file:
            numbers.append(counts.numbers_of(json.load(file)))
    shipped = mechanisms.SHIPPED
    settings = dict(setting.split("=") for setting in shipped.settings)
    free = {key for cost in shipped.costs for key in cost.keys} | {key for key, _ in shipped.sizes}
    for key in sorted(numbers[0].keys() | numbers[1].keys()):
        if key in free or key.startswith("front_end.") and key.endswith("_us"):
            continue
        expected = int(settings.get(key, numbers[1].get(key, -1)))
        if numbers[0].get(key) != expected:
            yield "%s is %s, the mechanism makes it %d" % (key, numbers[0].get(key), expected)


def check_mechanisms(mechanisms):
    names = [mechanism.name for mechanism in mechanisms.MECHANISMS]
    if len(set(names)) != len(names):
        yield "two have one name"
    for mechanism in mechanisms.MECHANISMS:
        costs = [cost.name for cost in mechanism.costs]
        if len(set(costs)) != len(costs):
            yield "%s: two costs have one name" % mechanism.name
        both = {name for name, _ in mechanism.sizes} & {setting.split("=")[0] for setting in mechanism.settings}
        for key in sorted(both):
            yield "%s: %s is both set and searched" % (mechanism.name, key)


def exhaustive(known, events, costs):
    """Least absolute log errors among all costs that fit as many cells exactly as there are costs, or are 0."""
    best = np.inf
    for free in itertools.product((False, True), repeat=costs):
        free = np.flatnonzero(free)
        for cells in itertools.combinations(range(len(known)), len(free)):
            part = events[np.ix_(cells, free)]
            if len(free) and abs(np.linalg.det(part)) < 1e-12:
                continue
            found = np.zeros(costs)
            found[free] = np.linalg.solve(part, 1 - known[list(cells)]) if len(free) else []
            model = known + events @ found
            if (found >= 0).all() and (model > 0).all():
                best = min(best, np.abs(np.log(model)).sum())
    return best


def check_least_absolute_errors(solve):
    generator = np.random.RandomState(5)
    for case in range(20):
        events = generator.uniform(0, 1, (11, 3)) * [1, 10, 0.1]
        costs = generator.uniform(0, 1, 3) * [1, 0.1, 10 * (case % 3)]
        known = np.full(11, 0.05)
        scale = np.exp(generator.laplace(0, 0.03, 11)) / (known + events @ costs)
        known, events = known * scale, events * scale[:, None]
        found, total, _ = solve.fit(known[None], events[None], np.ones((1, 11)), np.zeros((1, 3)))
        least = exhaustive(known, events, 3)
        if (found < 0).any():
            yield "case %d: a cost is below 0: %s" % (case, found)
        if total[0] > 1.02 * least + 1e-9:
            yield "case %d: errors add up to %.6f, at least %.6f" % (case, total[0], least)


def check_unknown_costs_are_held(solve):
    """Costs that always occur together can't be told apart: the later one is held, and the fit is as good."""
    generator = np.random.RandomState(6)
    events = generator.uniform(0.1, 1, (10, 3))
    events[:, 2] = 2 * events[:, 0]
    known = 1 - events @ [0.2, 0.3, 0.05]
    found, total, own = solve.fit(known[None], events[None], np.ones((1, 10)), np.array([[9.0, 9.0, 0.05]]))
    if own[0].tolist() != [True, True, False]:
        yield "told apart: %s" % own[0]
    if np.abs(found[0] - [0.2, 0.3, 0.05]).max() > 1e-4 or total[0] > 1e-6:
        yield "costs %s, errors %g" % (found[0], total[0])


def check_criterion(solve):
    """Schwarz's criterion against the likelihood written out."""
    errors = np.array([0.01, -0.02, 0.03, 0.0, 0.05])
    scale = np.abs(errors).mean()
    likelihood = np.prod(np.exp(-np.abs(errors) / scale) / (2 * scale))
    expected = -2 * np.log(likelihood) + 4 * np.log(5)
    found = solve.bic(np.abs(errors).sum(), 5, 5, 3)
    if abs(found - expected) > 1e-9:
        yield "%g, expected %g" % (found, expected)


def check_folds(nest, counts, refit_counter):
    cells = refit_counter.cells()
    for name, scheme in nest.folds(cells):
        for fold in scheme:
            if not 0 < fold.held.sum() < cells.count:
                yield "%s: %s holds out %d cells" % (name, fold.name, fold.held.sum())
        together = sum(fold.held.astype(int) for fold in scheme)
        if len(scheme) > 1 and (together != 1).any():
            yield "%s: a cell is held out %s times" % (name, sorted(set(together)))


def check_nothing_leaks(nest, counter, mechanisms):
    """What the rest of a fold chooses, and predicts from, does not depend on the cells held out."""
    costs = mechanisms.SHIPPED.costs
    own = mechanisms.Mechanism("two", (), (("memory.block_words", (128, 256)),), costs)
    chosen = []
    for factor in (1.0, 3.0):
        made = nest.Nest(counter, [own])
        fit = made.fits[0]
        fold = nest.Fold("rank 2", made.cells.rank == 2)
        scale = np.where(fold.held, factor, 1.0)
        fit.counts.known = fit.counts.known * scale
        fit.counts.events = fit.counts.events * scale[:, None]
        chosen.append(fit.choose(fold))
    if chosen[0][0] != chosen[1][0] or np.abs(chosen[0][1] - chosen[1][1]).max() > 1e-6:
        yield "%s, and with other cells held out %s" % (chosen[0], chosen[1])


def check_bounds(nest, counter, mechanisms):
    """A bound is judged on what the nest predicts, and a result that is worse than the record fails."""
    for value, target, recorded, expected in ((0.039, 0.04, 0.05, "met"), (0.05, 0.04, 0.05, "missed, as recorded"),
                                              (0.052, 0.04, 0.05, "WORSE"), (0.041, 0.04, 0.03, "WORSE")):
        found = nest.verdict(value, target, recorded)
        if found != expected:
            yield "%g, target %g, record %g: %s" % (value, target, recorded, found)
    own = nest.Nest(counter, [mechanisms.Mechanism("one", (), (), mechanisms.SHIPPED.costs)])
    values = [value for _, value, _, _ in nest.judged(own)]
    fit, even = own.fits[0], nest.Fold("tables 2 and 4", own.cells.rank % 2 == 0)
    _, costs, _, _ = fit.choose(even)
    sizes = np.abs(fit.errors(0, costs, even.held))
    if len(values) != 3 or abs(values[0] - np.median(sizes)) > 1e-9 or abs(values[1] - sizes.max()) > 1e-9:
        yield "judged: %s; tables 2 and 4: median %g, worst %g" % (values, np.median(sizes), sizes.max())


def check_parts_of_costs(bootstrap, mechanisms):
    """Cycles of a cost with two keys are shared between them, and none is lost."""
    mechanism = mechanisms.SHIPPED
    for cycles in range(8):
        keys = bootstrap.keys_of(mechanism, ("memory.banks=4",), [cycles] * len(mechanism.costs))
        both = sum(keys[key] for key in mechanisms.TRANSFER.keys)
        if both != cycles or keys["memory.banks"] != 4 or keys["exchange.cycles"] != max(cycles, 1):
            yield "%d cycles: %s" % (cycles, keys)


def check_machines(root, nest, counts, bootstrap, mechanisms, counter, folder):
    """The file of machines: as many as promised, in the ranges of their draws, and the simulator takes it."""
    path = os.path.join(folder, "machines")
    own = mechanisms.Mechanism("two", (), (("memory.block_words", (128, 256)),), mechanisms.SHIPPED.costs)
    fit = nest.Fit(counts.Counts(counter, own, counter.cells()))
    draws = list(bootstrap.with_sizes(fit))
    coverage = bootstrap.Coverage(fit, draws)
    bootstrap.write_machines(path, counter.name, fit, draws, coverage)
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    machines = document["machines"]
    if document["format"] != "cm200-machines/1" or len(machines) != 200:
        yield "format %s, %d machines" % (document["format"], len(machines))
    if set(document["keys"]) != {key for cost in mechanisms.SHIPPED.costs for key in cost.keys} | {"memory.block_words"}:
        yield "keys: %s" % document["keys"]
    if len({json.dumps(machine) for machine in machines}) < 100:
        yield "most machines are the same"
    example = os.path.join(root, "programs", "examples", "five-point-pshift.json")
    done = subprocess.run([counter.program, "run", "--json", "--timing-only", "--intervals=" + path, example],
                          capture_output=True, text=True, check=False, timeout=TIMEOUT_SECONDS)
    if done.returncode != 0:
        yield "the simulator refuses the file: %s" % done.stderr
        return
    cycles = json.loads(done.stdout)["intervals"]["cycles_by_machine"]
    command = [counter.program, "run", "--json", "--timing-only", example]
    for key, value in zip(document["keys"], machines[7]):
        command += ["--set", "%s=%d" % (key, value)]
    alone = json.loads(subprocess.run(command, capture_output=True, text=True, check=True, timeout=TIMEOUT_SECONDS).stdout)
    if cycles[7] != alone["cycles"]:
        yield "machine 7: %d cycles, alone %d" % (cycles[7], alone["cycles"])


def check_coverage(nest, counts, bootstrap, mechanisms, counter):
    """Coverage by counting: a cell's range is that of the draws without its row; widened ranges hold what they promise."""
    own = mechanisms.Mechanism("as it is", (), (), mechanisms.SHIPPED.costs)
    fit = nest.Fit(counts.Counts(counter, own, counter.cells()))
    draws = list(bootstrap.with_sizes(fit, 60))
    coverage = bootstrap.Coverage(fit, draws)
    known, events = fit.counts.known[0], fit.counts.events[0]
    inside = widened = 0
    for cell in range(fit.cells.count):
        found = sorted(known[cell] + sum(e * c for e, c in zip(events[cell], costs))
                       for _, costs, weights in draws if weights[cell] == 0)
        out = int(0.025 * len(found))
        low, high = found[out], found[len(found) - 1 - out]
        inside += low <= 1 <= high
        widened += low * (1 + coverage.widening[0]) <= 1.000001 and high * (1 + coverage.widening[1]) >= 0.999999
    if abs(coverage.plain - inside / fit.cells.count) > 1e-9 or abs(coverage.widened - widened / fit.cells.count) > 1e-9:
        yield "%.3f and %.3f, counted %d and %d" % (coverage.plain, coverage.widened, inside, widened)
    if not coverage.plain <= coverage.widened or coverage.widened < bootstrap.COVERED:
        yield "widened from %.3f to %.3f" % (coverage.plain, coverage.widened)


def check_streams(counter, fixed):
    """Addresses of local moves against the simulator: what is left of its accesses and page faults are the transfers, four
    each, but for the first of a move."""
    from fit import streams
    cells, causes = counter.cells(), counter.causes((), fixed)
    for i, cell in enumerate(causes):
        place = (int(cells.rank[i]), int(cells.length[i]), "PSHIFT")
        found = streams.events(streams.plain(place, counter.numbers), counter.numbers)
        left = cell["load"] + cell["store"] - found["load"]
        faults = cell["load_page_fault"] + cell["store_page_fault"] - found["load_page_fault"]
        if left != 4 * cell["indirect"] or not left - 4 * cells.rank[i] <= faults <= left:
            yield "%s: %d accesses and %d faults left, %d transfers" % (cells.name(i), left, faults, cell["indirect"])
    memory = tuple(sorted((k, v) for k, v in counter.numbers.items() if k.startswith("memory.")))
    same = streams.difference("library_banks", (2, 16, "CSHIFT"), memory, counter.numbers["memory.banks"], ())
    if any(same.values()):
        yield "as many banks as before change %s" % same
    batch = streams.batches(*[streams.np.arange(10) + base for base in (0, 100)], 4)
    if list(batch[:9]) != [0, 1, 2, 3, 100, 101, 102, 103, 4] or len(batch) != 20:
        yield "a batch is %s" % batch


def check_usage(refit):
    for arguments, words in ((("--check", "--counts"), "one at a time"), (("--machines", "x"), "belongs to --bootstrap"),
                             (("--program", "/nowhere"), "no program /nowhere")):
        done = refit.run(*arguments)
        if done.returncode == 0 or words not in done.stderr:
            yield "%s: exit code %d, %s" % (" ".join(arguments), done.returncode, done.stderr)


def check_counts(refit, root, cm200):
    """The counts times the machine's costs are the cycles that `cm200 validate` prints, of every cell."""
    done = subprocess.run([cm200, "validate", "--json"], capture_output=True, text=True, check=False,
                          timeout=TIMEOUT_SECONDS)
    cycles = [row[routine]["cycles"] for row in json.loads(done.stdout)["rows"] for routine in ("pshift", "cshift")]
    with open(os.path.join(root, "configs", "cm200.json"), encoding="utf-8") as file:
        machine = json.load(file)
    cost = {"start": machine["front_end"]["imp_start_cycles"], "runtime_call": machine["front_end"]["runtime_call_cycles"],
            "exchange": machine["exchange"]["cycles"], "bank_conflict": machine["memory"]["bank_conflict_cycles"],
            "loop": machine["sequencer"]["loop_iteration_cycles"], "address": machine["sequencer"]["address_cycles"]}
    cost = {cause: number["value"] for cause, number in cost.items()}
    cost["indirect"] = sum(machine["transposer"]["indirect_%s_cycles" % way]["value"] for way in ("load", "unload"))
    lines = refit.run("--counts").stdout.split("\n")
    names = lines[0].split(",")[4:]
    if len(lines) != 56:
        yield "%d lines" % len(lines)
    for line, expected in zip(lines[1:], cycles):
        found = sum(int(n) * cost.get(name, 1) for name, n in zip(names, line.split(",")[4:]))
        if found != expected:
            yield "%s: %d cycles, validate prints %d" % (re.sub(r"((?:[^,]*,){2}[^,]*).*", r"\1", line), found, expected)


def main(given):
    if len(given) != 2:
        usage_error(__doc__)
    cm200, root = given[0], os.path.realpath(given[1])
    sys.dont_write_bytecode = True
    sys.path.insert(0, os.path.join(root, "research"))
    from fit import bootstrap, counts, mechanisms, nest, solve
    tap = Tap()
    with tempfile.TemporaryDirectory() as cache:
        refit = Refit(cm200, root, cache)
        counter = counts.Counter(os.path.abspath(cm200), os.path.join(root, "configs", "cm200.json"), cache)
        tap.report("configs/cm200.json holds the output of the fit", check_machine(refit))
        tap.report("a machine with another cost does not", check_changed_machine(refit))
        tap.report("every number that the tables chose is listed, and called fitted", check_choices(root, mechanisms))
        tap.report("configs/cm200.json has the shipped mechanism", check_base(root, counts, mechanisms))
        tap.report("the mechanisms are well formed", check_mechanisms(mechanisms))
        tap.report("counts times costs are the cycles of cm200 validate", check_counts(refit, root, cm200))
        tap.report("fits have least absolute errors, and no cost below 0", check_least_absolute_errors(solve))
        tap.report("costs that the cells can't tell apart are held", check_unknown_costs_are_held(solve))
        tap.report("Schwarz's criterion is that of Laplace's errors", check_criterion(solve))
        tap.report("each scheme holds every cell out once", check_folds(nest, counts, counter))
        tap.report("what a fold chooses does not depend on the cells held out", check_nothing_leaks(nest, counter, mechanisms))
        tap.report("bounds are judged on predictions", check_bounds(nest, counter, mechanisms))
        tap.report("costs with two keys are shared", check_parts_of_costs(bootstrap, mechanisms))
        tap.report("the file of machines has 200 that the simulator takes",
                   check_machines(root, nest, counts, bootstrap, mechanisms, counter, cache))
        tap.report("coverage is counted over the draws without a row",
                   check_coverage(nest, counts, bootstrap, mechanisms, counter))
        tap.report("addresses of local moves give the simulator's counts", check_streams(counter, mechanisms.SHIPPED.costs))
        tap.report("wrong usage is refused", check_usage(refit))
    return tap.done()


if __name__ == "__main__":
    sys.exit(main(GIVEN))
