"""Exports of traces, read by independent programs: jq and a JSON Schema, vcd2fst and fst2vcd, Python's csv.

usage: check-exports.py CM200 SOURCE_ROOT

The numbers in an export are compared with the result of the run that was traced.
"""

import collections
import csv
import io
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
from tap import Tap, arguments

GIVEN = arguments(__doc__, 2, programs=["jq", "vcd2fst", "fst2vcd"], modules=["jsonschema"])

import jsonschema  # noqa: E402: without it the check was skipped above

EXAMPLES = ("five-point-pshift", "five-point-cshift", "stencil-27", "reshape", "shift-mesh", "route-bit-reversal", "fft")
DETAIL = "five-point-pshift"
MACHINE_DIMENSIONS = 11  # of the CM-200, whatever a run uses of them
CROWDED = "stencil-27"


class Run:
    """A traced run of an example, with its result."""

    def __init__(self, cm200, root, folder, example, more=()):
        self.cm200 = cm200
        self.folder = folder
        self.trace = os.path.join(folder, example + ".trace")
        workload = os.path.join(root, "programs", "examples", example + ".json")
        self.result = json.loads(self.call("run", "--json", "--trace", self.trace, *more, workload))

    def call(self, *arguments):
        done = subprocess.run([self.cm200, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              cwd=self.folder, check=False)
        if done.returncode != 0:
            raise RuntimeError("cm200 %s: exit %d: %s" % (" ".join(arguments), done.returncode, done.stderr))
        return done.stdout

    def export(self, form, *arguments):
        return self.call("export", self.trace, "--format", form, *arguments)

    def table(self, what, *arguments):
        return list(csv.DictReader(io.StringIO(self.export("csv", "--what", what, *arguments)), strict=True))

    @property
    def microseconds(self):
        return self.result["cycles"] * 1e6 / self.result["clock_hz"]


def jq(program, text):
    done = subprocess.run(["jq", "-e", "-c", program], input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError("jq: %s" % done.stderr)
    return json.loads(done.stdout)


def check_chrome(run, schema):
    text = run.export("chrome")
    validator = jsonschema.Draft7Validator(schema)
    for error in list(validator.iter_errors(json.loads(text)))[:5]:
        yield "%s: %s" % (list(error.absolute_path), error.message)
    spent = jq('[.traceEvents[] | select(.cat == "phase") | .args.cycles] | add', text)
    if spent != run.result["cycles"]:
        yield "the phases have %d cycles, the run %d" % (spent, run.result["cycles"])
    steps = jq('[.traceEvents[] | select(.cat == "step") | .args.cycles] | add', text)
    if steps != run.result["cycles"]:
        yield "the steps have %d cycles, the run %d" % (steps, run.result["cycles"])
    last = jq('[.traceEvents[] | select(.ph == "X") | .ts + .dur] | max', text)
    if abs(last - run.microseconds) > 0.001:
        yield "the last event ends at %g us, the run at %g us" % (last, run.microseconds)
    exchanges = jq('[.traceEvents[] | select(.cat == "phase" and .name == "exchange") | .args.instructions] | add // 0',
                   text)
    counted = sum(step["exchanges"] for step in run.result["steps"])
    if exchanges != counted:
        yield "%d exchanges, the result has %d" % (exchanges, counted)
    if counted and jq('[.traceEvents[] | select(.ph == "C" and .args.max_busy_percent > 0)] | length', text) == 0:
        yield "no dimension is ever busy"


def check_budget(run):
    for events in (1000, 2000):
        text = run.export("chrome", "--events", str(events))
        count = jq(".traceEvents | length", text)
        if count > events + 50:
            yield "%d events where about %d are allowed" % (count, events)
        spent = jq('[.traceEvents[] | select(.cat == "phase" or .cat == "window") | .args.cycles] | add', text)
        if spent != run.result["cycles"]:
            yield "with %d events: %d cycles, the run has %d" % (events, spent, run.result["cycles"])


def close(a, b):
    return abs(a - b) <= 1e-6 * max(1.0, abs(a), abs(b))


def check_channels(run):
    rows = run.table("channels")
    total = sum(int(row["busy_cycles"]) for row in rows)
    uses = [step["channels"] for step in run.result["steps"]]  # a step may use one channel of two
    expected = sum(use["mean_busy_cycles"] * use["channels"] for use in uses)
    if not close(total, expected):
        yield "all channels together are busy for %d cycles, by the result %g" % (total, expected)
    if len(run.result["steps"]) == 1:
        most = max((int(row["busy_cycles"]) for row in rows), default=0)
        if most != run.result["steps"][0]["channels"]["max_busy_cycles"]:
            yield "the busiest channel has %d cycles, by the result %d" % (
                most, run.result["steps"][0]["channels"]["max_busy_cycles"])
    for row in rows:
        if int(row["to_node"]) != int(row["node"]) ^ 1 << int(row["dimension"]):
            yield "node %s, dimension %s leads to %s" % (row["node"], row["dimension"], row["to_node"])


def check_cycles(run):
    """By cause the table adds up to the result, by phase to the other table of the trace; two halves make the whole."""
    rows = run.table("cycles")
    causes = {name: cycles for name, cycles in run.result["cycles_by_cause"].items() if cycles}
    found = {}
    for row in rows:
        found[row["cause"]] = found.get(row["cause"], 0) + int(row["cycles"])
    if found != causes:
        yield "by cause %s, the result has %s" % (found, causes)
    told = jq(".otherData.cycles_by_phase_and_cause", run.export("chrome"))
    if [[phase, cause, str(cycles)] for phase, part in told.items() for cause, cycles in part.items()] != [
            [row["phase"], row["cause"], row["cycles"]] for row in rows]:
        yield "chrome has other cycles: %s" % told
    half = run.result["cycles"] // 2
    parts = {}
    for part in (("--to-cycle", str(half)), ("--from-cycle", str(half))):
        for row in run.table("cycles", *part) if half > 0 else rows:
            key = row["phase"], row["cause"]
            parts[key] = parts.get(key, 0) + int(row["cycles"])
    if half > 0 and parts != {(row["phase"], row["cause"]): int(row["cycles"]) for row in rows}:
        yield "the halves make %s" % parts


def check_windows(run):
    """Two halves and the whole: channels add up, and windows agree with channels about the mean of a dimension."""
    cycles = run.result["cycles"]
    half = cycles // 2
    whole = [int(row["busy_cycles"]) for row in run.table("channels")]
    first = [int(row["busy_cycles"]) for row in run.table("channels", "--to-cycle", str(half))]
    second = [int(row["busy_cycles"]) for row in run.table("channels", "--from-cycle", str(half))]
    if [a + b for a, b in zip(first, second)] != whole:
        yield "the halves do not add up to the whole"
    rows = run.table("windows", "--windows", "7")
    channels = run.table("channels")
    dimensions = 1 + max(int(row["dimension"]) for row in rows)
    for dimension in range(dimensions):
        mine = [row for row in rows if int(row["dimension"]) == dimension]
        if int(mine[0]["first_cycle"]) != 0 or int(mine[-1]["end_cycle"]) != cycles:
            yield "the windows do not cover the run"
        busy = sum((int(row["end_cycle"]) - int(row["first_cycle"])) * float(row["mean_busy_fraction"]) for row in mine)
        of_dimension = [int(row["busy_cycles"]) for row in channels if int(row["dimension"]) == dimension]
        if abs(busy - sum(of_dimension) / len(of_dimension)) > 1e-3 * max(1.0, busy):
            yield "dimension %d: windows say %g cycles a channel, channels %g" % (
                dimension, busy, sum(of_dimension) / len(of_dimension))
        if any(float(row["mean_busy_fraction"]) > float(row["max_busy_fraction"]) + 1e-6 for row in mine):
            yield "dimension %d: the mean is above the maximum" % dimension
    parts = {first: run.table("channels", "--from-cycle", first, "--to-cycle", end)
             for first, end in {(row["first_cycle"], row["end_cycle"]) for row in rows}}
    for row in rows:
        most = max(float(one["busy_fraction"]) for one in parts[row["first_cycle"]]
                   if one["dimension"] == row["dimension"])
        if abs(min(most, 1) - float(row["max_busy_fraction"])) > 2e-6:
            yield "cycles %s to %s, dimension %s: %s is not the share of the busiest channel, %g" % (
                row["first_cycle"], row["end_cycle"], row["dimension"], row["max_busy_fraction"], most)


def check_packets(run):
    rows = run.table("packets")
    sent = sum(step["delivered"] for step in run.result["steps"])
    if len(rows) != sent:
        yield "%d packets, the result delivered %d" % (len(rows), sent)
    for row in rows:
        parts = [int(row[name + "_cycles"]) for name in ("queueing", "header", "body")]
        if sum(parts) != int(row["latency_cycles"]):
            yield "packet %s: %s do not add up to %s" % (row["packet"], parts, row["latency_cycles"])
            return


def read_vcd(text):
    """{signal: [(time, value)]} of a VCD, and its time scale in picoseconds."""
    names, changes, time, scale, scope = {}, collections.defaultdict(list), 0, None, []
    tokens = iter(text.split("\n"))
    for line in tokens:
        words = line.split()
        if not words:
            continue
        if words[0] == "$timescale":
            if "$end" not in words:
                words += next(tokens).split()
            amount = "".join(words[1:]).replace("$end", "")
            scale = int("".join(c for c in amount if c.isdigit())) * {"n": 1000, "p": 1}[amount.strip("0123456789")[0]]
        elif words[0] == "$scope":
            scope.append(words[2])
        elif words[0] == "$upscope":
            scope.pop()
        elif words[0] == "$var":
            names[words[3]] = ".".join(scope + [words[4].split("[")[0]])
        elif words[0].startswith("#"):
            time = int(words[0][1:])
        elif words[0][0] == "b" and len(words) == 2:
            changes[names[words[1]]].append((time, words[0][1:]))
    return changes, scale


def widened(value, width):
    """A value of a VCD may leave out digits on the left: z and x go on, others become 0."""
    return (value[0] if value[0] in "xz" else "0") * (width - len(value)) + value


def busy_by_vcd(changes, width, end):
    """Time that each channel is not idle: {node: [time by bit]}."""
    busy = {}
    for name, values in changes.items():
        if ".node" not in name:
            continue
        spent = [0] * width
        for (time, value), following in zip(values, values[1:] + [(end, "")]):
            for bit, digit in enumerate(reversed(widened(value, width))):
                spent[bit] += (following[0] - time) if digit != "z" else 0
        busy[int(name.rsplit("node", 1)[1])] = spent
    return busy


def check_phases(run, changes, scale):
    """The time of each phase is that of its causes in the result, without the control between instructions."""
    values = next(values for name, values in changes.items() if name.endswith(".phase"))
    spent, end = {}, run.result["cycles"]
    cycle = 1e12 / scale / run.result["clock_hz"]
    for (time, value), (following, _) in zip(values, values[1:] + [(round(end * cycle), "")]):
        spent[value] = spent.get(value, 0) + (following - time) / cycle
    causes = run.result["cycles_by_cause"]
    for phase, names in (("0000", ("start", "runtime_call")), ("0100", ("exchange",)), ("1000", ("router",))):
        expected = sum(causes.get(name, 0) for name in names)
        if abs(spent.get(phase, 0) - expected) > 0.5:
            yield "phase %s: %g cycles by the VCD, %d by the result" % (phase, spent.get(phase, 0), expected)


def check_vcd(run):
    path = os.path.join(run.folder, "run.vcd")
    run.call("export", run.trace, "--format", "vcd", "-o", path, "--gtkw", os.path.join(run.folder, "run.gtkw"))
    with open(path, encoding="utf-8") as file:
        if "bit c * %d + d is channel c" % MACHINE_DIMENSIONS not in file.read(2000):
            yield "the comment of the header places the channels otherwise"
    fst = os.path.join(run.folder, "run.fst")
    done = subprocess.run(["vcd2fst", path, fst], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)
    if done.returncode != 0:
        yield "vcd2fst: %s" % done.stdout
        return
    back = subprocess.run(["fst2vcd", fst], stdout=subprocess.PIPE, text=True, check=True).stdout
    changes, scale = read_vcd(back)
    starts = [value for name, values in changes.items() if "instruction" in name for time, value in values if time == 0]
    if not starts or any(set(value) != {"x"} for value in starts):
        yield "the front end starts an IMP, which is not an instruction: %s, expected x" % starts
    yield from check_phases(run, changes, scale)
    rows = run.table("channels")
    width = 2 * MACHINE_DIMENSIONS
    cycle = 1e12 / scale / run.result["clock_hz"]
    busy = busy_by_vcd(changes, width, round(run.result["cycles"] * cycle))
    for row in rows:
        bit = int(row["channel"]) * MACHINE_DIMENSIONS + int(row["dimension"])
        found = busy[int(row["node"])][bit] / cycle
        if abs(found - int(row["busy_cycles"])) > 0.01 * max(100, int(row["busy_cycles"])):
            yield "node %s, bit %d: %g cycles by the VCD, %s by the trace" % (row["node"], bit, found,
                                                                              row["busy_cycles"])
            return
    with open(os.path.join(run.folder, "run.gtkw"), encoding="utf-8") as file:
        shown = [line.split("[")[0].strip() for line in file if line.startswith("cm200.")]
    unknown = [name for name in shown if name not in changes]
    if unknown or not shown:
        yield "the save file shows signals that do not exist: %s" % unknown


def check_refusals(run):
    for arguments, code in ((["--format", "vcd", "--from-cycle", "9999999999"], 3), (["--format", "png"], 2), ([], 2),
                            (["--format", "csv", "--what", "nodes"], 2), (["--format", "chrome", "--gtkw", "x"], 2)):
        done = subprocess.run([run.cm200, "export", run.trace, *arguments], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode != code or not done.stderr:
            yield "%s: exit %d, expected %d: %s" % (arguments, done.returncode, code, done.stderr)


def guarded(check, *arguments):
    """The problems of a check; an exception is one."""
    try:
        yield from check(*arguments)
    except (RuntimeError, KeyError, ValueError, subprocess.CalledProcessError) as error:
        yield "%s: %s" % (type(error).__name__, error)


def main(given):
    cm200, root = os.path.realpath(given[0]), os.path.realpath(given[1])
    with open(os.path.join(os.path.dirname(__file__), "chrome-trace.schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="cm200-export-") as folder:
        for example in EXAMPLES:
            try:
                run = Run(cm200, root, folder, example)
            except RuntimeError as error:
                tap.report("%s: a traced run" % example, [str(error)])
                continue
            tap.report("%s: chrome: by schema and jq" % example, guarded(check_chrome, run, schema))
            tap.report("%s: csv: channels" % example, guarded(check_channels, run))
            tap.report("%s: csv: cycles" % example, guarded(check_cycles, run))
            tap.report("%s: csv: windows" % example, guarded(check_windows, run))
            if run.result["nodes"] <= 64:
                tap.report("%s: vcd: through fst and back" % example, guarded(check_vcd, run))
            if example.startswith("route"):
                tap.report("%s: csv: packets" % example, guarded(check_packets, run))
            if example == CROWDED:
                tap.report("%s: chrome: a budget of events" % example, guarded(check_budget, run))
            if example == DETAIL:
                tap.report("bad options are refused", guarded(check_refusals, run))
        try:
            run = Run(cm200, root, folder, DETAIL, ("--trace-window", "0:1000000"))
            tap.report("%s: vcd: exact bits" % DETAIL, guarded(check_vcd, run))
        except RuntimeError as error:
            tap.report("%s: a traced run with its bits" % DETAIL, [str(error)])
    return tap.done()


if __name__ == "__main__":
    sys.exit(main(GIVEN))
