"""The counts of exchanges that docs/programs/pshift.md documents, against the program.

usage: check-exchanges.py CM200 SOURCE_ROOT

Grids of shifts run without data; `exchanges` of every step must be what the formulas of docs/programs/pshift.md say, written out
here once more. Where the page gives bounds, the count must lie within them. The cycles of its worked example are compared,
too, and what README.md makes of them. How an array lies on the nodes is taken from
`cm200 layout`; everything else follows from the formulas.
"""

import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from tap import Tap, usage_error  # noqa: E402: the path is set above

TIMEOUT_SECONDS = 120
SEED = 1994
CHANNELS = 2  # a dimension
WORDS = {"real32": 1, "real64": 2, "complex64": 2, "complex128": 4, "int32": 1, "logical": 1}
STEPS_A_RUN = 400
SRAM = "sequencer.sram_words=1073741824"  # setups of one run stay loaded together
END_OFF = ("eoshift_0", "eoshift_1")


def ceil_divide(a, b):
    return -(-a // b)


class Axis:
    """An axis of the node grid, as `cm200 layout` describes it, and W: local elements for each place along it."""

    def __init__(self, entry, local_elements):
        self.length = entry["length"]
        self.order = entry["order"]
        self.bits = len(entry["cube_dimensions"])
        self.nodes = entry["nodes"]
        self.local = entry["local_length"]
        self.first_dimension = min(entry["cube_dimensions"], default=0)
        self.padded = entry["padded"]
        self.width = local_elements // self.local


# PSHIFT: counts in exchanges of one axis.

def reduced(axis, kind, distance):
    """A circular distance by the shorter way."""
    if kind != "cshift":
        return distance
    distance %= axis.length
    return distance - axis.length if distance > axis.length // 2 else distance


def taken(axis, distance):
    """Whether the IMP takes a (reduced) distance."""
    size, local = abs(distance), axis.local
    if axis.order != "news" or axis.padded:
        return False
    if size <= 2 * local:
        return True
    return size < axis.length and size % local == 0 and (size // local).bit_count() == 1


def two_parts(axis, distance):
    """Of a shift: elements along the axis that hop once (a), those that hop twice (b), and k of their 2^k nodes."""
    size, local, nodes = abs(distance), axis.local, axis.nodes
    if nodes == 1:
        return 0, 0, 0
    if size <= local:
        return size, 0, 0
    if nodes == 2:
        return 2 * local - size, 0, 0  # the rest has no source: end-off, beyond the edge
    if size <= 2 * local:
        return 2 * local - size, size - local, 1
    return 0, local, (size // local).bit_length() - 1


def one_axis(axis, shifts, words):
    """Least and most exchanges that one or two shifts (reduced distances) of an axis take; equal where exact."""
    units = axis.width * ceil_divide(words, CHANNELS)
    parts = []
    for distance in shifts:
        a, b, k = two_parts(axis, distance)
        parts.append((a * units, b * units, k, distance > 0))
    if words < CHANNELS:
        return one_word(axis, parts)
    if len(parts) == 1:
        a, b, _, _ = parts[0]
        return (a + b + (b > 0),) * 2
    return two_words(axis, parts)


def two_words(axis, parts):
    """Two shifts whose units fill both channels."""
    (a1, b1, k1, up1), (a2, b2, k2, up2) = parts
    b = b1 + b2
    everything = a1 + a2 + b + (b > 0)
    if b == 0:
        exact = max(a1, a2) if up1 != up2 and axis.nodes > 2 else everything
        return exact, exact
    half_way = any(part[1] and 2 << part[2] == axis.nodes for part in parts)
    if half_way and axis.nodes == 4 and up1 != up2:
        return (max(a1, a2) + b + 1,) * 2
    if half_way or up1 == up2:
        return everything, everything
    if not (b1 and b2):
        exact = b + (max(a1 + 1, a2) if b1 else max(a1, a2 + 1))
        return exact, exact
    if b1 == b2 == 1 and k1 != k2:
        return 2, 2
    least = b + max(a1, a2, min(a1, a2) + 1)
    return least, least


def one_word(axis, parts):
    """Units of one word, of which two share a dimension."""
    least = max(max(a, b + (b > 0)) for a, b, _, _ in parts)
    total = sum(a + b for a, b, _, _ in parts)
    hop_twice = [part for part in parts if part[1]]
    if len(parts) == 1 or not hop_twice or any(k > 1 for _, _, k, _ in parts):
        return least, least
    if len(hop_twice) == 1 and parts[0][3] != parts[1][3] and axis.nodes > 4:
        return least, least
    return least, max(least, ceil_divide(total, 2) + 1)


def pshift_bounds(axes, shifts, words):
    """Of a whole call: axes don't wait for each other. `shifts`: (kind, axis number, distance); refused ones run alone."""
    by_axis = [[] for _ in axes]
    for kind, a, distance in shifts:
        by_axis[a].append(reduced(axes[a], kind, distance))
    each = [one_axis(axis, distances, words) for axis, distances in zip(axes, by_axis) if distances]
    return max(low for low, _ in each), max(high for _, high in each)


# The run-time library.

def hops(axis, nodes_further):
    """Exchanges that bring a unit that many nodes further."""
    displacement = nodes_further % axis.nodes
    if displacement == 0:
        return 0
    if axis.order == "send":
        return axis.bits - (displacement & -displacement).bit_length() + 1
    if displacement > axis.nodes // 2:
        displacement = axis.nodes - displacement
    count, scale = 0, 0
    while displacement:
        if displacement & 1:
            count += 1 if scale == 0 else 2
            displacement += 1 if displacement & 3 == 3 else -1
        displacement >>= 1
        scale += 1
    return count


def pass_exchanges(axis, distance, places=None):
    """Hops of one pass over the ring of all places; `places` are those, of the whole axis, that it fills."""
    total = 0
    for i in range(axis.local):
        if places is None or any(c * axis.local + i in places for c in range(axis.nodes)):
            total += hops(axis, (i + distance) // axis.local)
    return total


def runtime_exchanges(axis, kind, distance, words):
    units = axis.width * ceil_divide(words, CHANNELS)
    length = axis.length
    if kind != "cshift":
        return 0 if abs(distance) >= length else units * pass_exchanges(axis, distance)
    distance %= length
    if not axis.padded or distance == 0:
        return units * pass_exchanges(axis, distance - length if distance > length // 2 else distance)
    return units * (pass_exchanges(axis, distance) +
                    pass_exchanges(axis, distance - length, range(length - distance, length)))


# Boundary arrays.

def place(axes, index):
    """Node and local element of an array's element."""
    node, local, stride = 0, 0, 1
    for axis, i in zip(axes, index):
        c = i // axis.local
        node |= (c ^ c >> 1 if axis.order == "news" else c) << axis.first_dimension
        local += i % axis.local * stride
        stride *= axis.local
    return node, local


def gray_rank(word):
    rank = 0
    while word:
        rank ^= word
        word >>= 1
    return rank


def boundary_exchanges(axes, edge_axes, along, distance, words):
    """Third step with a boundary array: for each local element of it, the ways between the translations that occur."""
    length = axes[along].length
    size = min(abs(distance), length)
    ranges = [range(axis.length) for axis in axes]
    ranges[along] = range(length - size, length) if distance > 0 else range(size)
    translations = {}
    for index in itertools.product(*ranges):
        source, element = place(edge_axes, index[:along] + index[along + 1:])
        translations.setdefault(element, set()).add(source ^ place(axes, index)[0])
    total = 0
    for found in translations.values():
        at = 0
        for translation in sorted(found, key=gray_rank):
            total += (at ^ translation).bit_count()
            at = translation
    return total * ceil_divide(words, CHANNELS)


# Running.

class Program:
    def __init__(self, cm200, root):
        self.cm200 = os.path.abspath(cm200)
        self.machine = os.path.join(os.path.realpath(root), "configs", "cm200.json")

    def run(self, workload, *arguments):
        with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
            json.dump(workload, file)
            file.flush()
            done = subprocess.run([self.cm200, *arguments, file.name], stdin=subprocess.DEVNULL, capture_output=True,
                                  timeout=TIMEOUT_SECONDS, check=False)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.decode("utf-8", "backslashreplace"))
        return json.loads(done.stdout)

    def workload(self, nodes, array, steps=(), edge=None):
        arrays = {"src": array}
        for i in range(14):
            arrays["d%d" % i] = {"like": "src"}
        if edge is not None:
            arrays["edge"] = edge
        return {"format": "cm200-workload/1", "machine": self.machine, "nodes": nodes, "arrays": arrays,
                "steps": list(steps)}

    def axes(self, workload, name="src"):
        """How the array of that name lies on the nodes."""
        step = {"copy": {"dst": "d0", "src": "src"}}
        array = self.run(dict(workload, steps=[step]), "layout", "--json")["arrays"][name]
        return [Axis(entry, array["local_elements"]) for entry in array["axes"]]

    def steps(self, workload, steps):
        """The results of steps, run without data."""
        results = []
        for first in range(0, len(steps), STEPS_A_RUN):
            chunk = dict(workload, steps=steps[first:first + STEPS_A_RUN])
            results += self.run(chunk, "run", "--json", "--quiet", "--timing-only", "--set", SRAM)["steps"]
        return results


def pshift_step(shifts, setup):
    return {"pshift": [{"type": kind, "dst": "d%d" % i, "src": "src", "dim": axis + 1, "distance": distance}
                       for i, (kind, axis, distance) in enumerate(shifts)], "setup": setup}


def compare(tap, name, cases):
    """`cases`: what, least, most, found."""
    cases = list(cases)
    problems = ["%s: expected %s, found %d" % (what, low if low == high else "%d to %d" % (low, high), found)
                for what, low, high, found in cases if not low <= found <= high]
    exact = sum(low == high for _, low, high, _ in cases)
    tap.report("%s: %d cases, %d of them exact" % (name, len(cases), exact), problems[:20])


def check_calls(tap, program, name, workload, words, calls):
    axes = program.axes(workload)
    setups = ("unrolled", "looped")
    steps = [pshift_step(call, setups[i % 2]) for i, call in enumerate(calls)]
    results = program.steps(workload, steps)
    cases = []
    for call, result in zip(calls, results):
        assert result["path"] == "imp", (call, result["path"])
        cases.append(("%s" % (call,), *pshift_bounds(axes, call, words), result["exchanges"]))
    compare(tap, name, cases)


def distances_of(axis):
    near = range(-2 * axis.local, 2 * axis.local + 1)
    powers = [sign * axis.local << k for k in range(2, axis.bits) for sign in (1, -1)]
    far = [axis.length + 1, -axis.length - 2]  # circular: the same as 1 and -2
    return list(near) + powers, far


def check_one_axis(tap, program, nodes, local, width, array_type):
    """All pairs of distances on one axis of `nodes` nodes."""
    array = {"shape": [nodes * local, width], "type": array_type, "axes": ["news", "serial"]}
    workload = program.workload(nodes, array)
    axis = program.axes(workload)[0]
    distances, far = distances_of(axis)
    calls = [[("cshift", 0, d)] for d in distances + far if taken(axis, reduced(axis, "cshift", d))]
    calls += [[("eoshift_0", 0, d)] for d in distances if taken(axis, d)]
    for d1, d2 in itertools.product(distances, repeat=2):
        kinds = [kind for kind in ("cshift", "eoshift_1")
                 if taken(axis, reduced(axis, kind, d1)) and taken(axis, reduced(axis, kind, d2))]
        calls += [[(kind, 0, d1), (kind, 0, d2)] for kind in kinds]
    check_calls(tap, program, "PSHIFT, %d nodes, L = %d, %s, %d wide" % (nodes, local, array_type, width), workload,
                WORDS[array_type], calls)


def check_random_axes(tap, program, rng, nodes, shape, array_type):
    """Calls with shifts along several axes."""
    workload = program.workload(nodes, {"shape": shape, "type": array_type})
    axes = program.axes(workload)
    calls = []
    while len(calls) < 200:
        call = []
        for a, axis in enumerate(axes):
            distances, _ = distances_of(axis)
            kind = rng.choice(("cshift",) + END_OFF)
            chosen = [rng.choice(distances) for _ in range(rng.randint(0, 2))]
            call += [(kind, a, d) for d in chosen if taken(axis, reduced(axis, kind, d))]
        if call:
            calls.append(call)
    check_calls(tap, program, "PSHIFT, %d nodes, %s %s" % (nodes, "x".join(map(str, shape)), array_type), workload,
                WORDS[array_type], calls)


def check_formula(tap, program):
    """Section 6.2 on its own: |S| <= L both ways along every axis of more than two nodes."""
    cases = []
    for nodes, shape, array_type in ((64, [64, 64], "real64"), (64, [32, 24], "real32"), (512, [16, 24, 32], "complex128"),
                                     (2048, [64, 32, 32, 8], "complex64")):
        workload = program.workload(nodes, {"shape": shape, "type": array_type})
        axes = program.axes(workload)
        calls = []
        for s in range(1, max(axis.local for axis in axes) + 1):
            calls.append([("cshift", a, sign * min(s, axis.local)) for a, axis in enumerate(axes) if axis.nodes > 2
                          for sign in (1, -1)])
        for call, result in zip(calls, program.steps(workload, [pshift_step(call, "auto") for call in calls])):
            wanted = ceil_divide(WORDS[array_type], 2) * max(axes[a].width * abs(d) for _, a, d in call)
            cases.append(("%d nodes %s %s" % (nodes, shape, call), wanted, wanted, result["exchanges"]))
    compare(tap, "PSHIFT, section 6.2", cases)


def check_runtime(tap, program, nodes, shape, orders, array_type):
    workload = program.workload(nodes, {"shape": shape, "type": array_type, "axes": orders})
    axes = program.axes(workload)
    steps, wanted, names = [], [], []
    for a, axis in enumerate(axes):
        for distance in range(-axis.length - 2, axis.length + 3):
            for kind in ("cshift", "eoshift"):
                names.append("%s %s %s, %s along %d by %d" % (nodes, shape, orders, kind, a + 1, distance))
                steps.append({kind: {"dst": "d0", "src": "src", "dim": a + 1, "distance": distance}})
                wanted.append(runtime_exchanges(axis, kind, distance, WORDS[array_type]))
    results = program.steps(workload, steps)
    compare(tap, "run-time library, %d nodes, %s %s %s" % (nodes, "x".join(map(str, shape)), "/".join(orders), array_type),
            ((name, w, w, result["exchanges"]) for name, w, result in zip(names, wanted, results)))


def check_boundaries(tap, program, nodes, shape, array_type):
    """End-off shifts with a boundary array, by the run-time library: the shift's exchanges and the boundary's."""
    cases = []
    for along in range(len(shape)):
        edge = {"shape": shape[:along] + shape[along + 1:], "type": array_type}
        workload = program.workload(nodes, {"shape": shape, "type": array_type}, edge=edge)
        axes, edge_axes = program.axes(workload), program.axes(workload, "edge")
        distances = [d for d in range(-4, 5) if d] + [-shape[along], shape[along]]
        steps = [{"eoshift": {"dst": "d0", "src": "src", "dim": along + 1, "distance": d, "boundary": "edge"}}
                 for d in distances]
        for d, result in zip(distances, program.steps(workload, steps)):
            wanted = (runtime_exchanges(axes[along], "eoshift", d, WORDS[array_type]) +
                      boundary_exchanges(axes, edge_axes, along, d, WORDS[array_type]))
            cases.append(("%s along %d by %d" % (shape, along + 1, d), wanted, wanted, result["exchanges"]))
    compare(tap, "boundary arrays, %d nodes, %s %s" % (nodes, "x".join(map(str, shape)), array_type), cases)


# The worked example, and what README.md says of it.

ROW = re.compile(r"^\| \**([a-z_, ]+?)\** \| \**([0-9,+ ]+?)\** \|", re.M)


def number(text):
    return int(text.replace(",", ""))


def example(program, root, name):
    done = subprocess.run([program.cm200, "run", "--json", "--timing-only", os.path.join(root, "programs/examples", name)],
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_SECONDS, check=True)
    return json.loads(done.stdout)


def example_problems(root, step):
    """The table of cycles in docs/programs/pshift.md has every cause with its cycles, and their sum."""
    with open(os.path.join(root, "docs", "programs", "pshift.md"), encoding="utf-8") as file:
        shown = dict(ROW.findall(file.read().split("| Cause | Cycles | From |")[1].split("\n\n")[0]))
    found = {}
    for names, cycles in shown.items():
        found.update(zip(names.split(", "), map(number, cycles.split(" + "))))
    expected = {cause: cycles for cause, cycles in step["cycles_by_cause"].items() if cycles > 0}
    expected["sum"] = step["cycles"]
    if found != expected:
        yield "the page has %s, the program %s" % (found, expected)


def readme_problems(root, pshift, cshift):
    """README.md: cycles with CSHIFTs, of all and of the shifts, and how many times as many these are."""
    with open(os.path.join(root, "README.md"), encoding="utf-8") as file:
        text = " ".join(file.read().split())
    match = re.search(r"takes (\d+) exchanges and ([\d,]+) cycles, ([\d.]+) times as many. The shifts alone take ([\d,]+) "
                      r"cycles instead of ([\d,]+), ([\d.]+) times as many", text)
    shifts = [sum(step["cycles"] for step in run["steps"] if step["op"] != "combine") for run in (cshift, pshift)]
    expected = (cshift["exchanges"], cshift["cycles"], "%.2f" % (cshift["cycles"] / pshift["cycles"]), shifts[0], shifts[1],
                "%.2f" % (shifts[0] / shifts[1]))
    found = match and tuple(word if "." in word else number(word) for word in match.groups())
    if found != expected:
        yield "README.md has %s, expected %s" % (found, expected)


def check_example(tap, program, root):
    pshift, cshift = (example(program, root, "five-point-%s.json" % name) for name in ("pshift", "cshift"))
    tap.report("the cycles of the worked example, cause by cause", example_problems(root, pshift["steps"][0]))
    tap.report("README.md compares the example with CSHIFTs", readme_problems(root, pshift, cshift))


def main(arguments):
    if len(arguments) != 2:
        usage_error(__doc__)
    program, tap, rng = Program(*arguments), Tap(), random.Random(SEED)
    check_formula(tap, program)
    check_example(tap, program, arguments[1])
    for nodes, local, width, array_type in (
            (1, 4, 2, "real64"), (2, 3, 1, "real64"), (2, 4, 2, "real32"), (4, 1, 1, "real64"), (4, 3, 2, "complex64"),
            (4, 4, 1, "real32"), (8, 1, 1, "complex128"), (8, 3, 2, "real64"), (8, 5, 1, "int32"), (16, 2, 3, "real64"),
            (16, 3, 1, "logical"), (64, 1, 1, "real64"), (64, 2, 1, "complex128")):
        check_one_axis(tap, program, nodes, local, width, array_type)
    for nodes, shape, array_type in ((64, [32, 16], "real64"), (128, [8, 16, 32], "real32"), (32, [8, 8, 4], "complex128")):
        check_random_axes(tap, program, rng, nodes, shape, array_type)
    for nodes, shape, orders, array_type in (
            (16, [48], ["news"], "real64"), (16, [41], ["news"], "real32"), (16, [48], ["send"], "complex128"),
            (16, [43], ["send"], "real64"), (32, [13, 10], ["send", "news"], "real64"),
            (8, [9, 4], ["news", "serial"], "real32")):
        check_runtime(tap, program, nodes, shape, orders, array_type)
    for nodes, shape, array_type in ((16, [16, 16], "real64"), (32, [8, 12], "real32"), (8, [4, 6, 5], "complex128")):
        check_boundaries(tap, program, nodes, shape, array_type)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
