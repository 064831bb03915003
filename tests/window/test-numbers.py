"""The numbers in the viewer's pictures are the numbers of the result.

usage: test-numbers.py CM200 CM200_VIEW SOURCE_ROOT

Each example runs with --json and --trace. The viewer then writes, in --log-state, the numbers that its panels draw from,
summed over the whole run and over parts of it. They must equal those of the result. The words of the router on each channel,
and the words of an exchange, are computed here.
"""

import json
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from tap import Tap, arguments  # noqa: E402: the path is set above

RUN_SECONDS = 120


class Tests:
    def __init__(self, cm200, view, root, folder):
        self.cm200, self.view, self.root, self.folder = cm200, view, root, folder
        self.tap = Tap()

    def call(self, *arguments):
        done = subprocess.run(arguments, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=RUN_SECONDS, check=False)
        if done.returncode != 0:
            raise RuntimeError("%s: exit %d: %s" % (" ".join(arguments), done.returncode, done.stderr))
        return done.stdout

    def numbers(self, trace, first, end, *options):
        """The numbers that the panels draw from when the time axis shows [first, end), and the other members of the log line."""
        text = self.call(self.view, trace, "--span", "visible", "--show", "%d:%d" % (first, end), *options,
                         "--screenshot", os.path.join(self.folder, "picture.png"), "--log-state", "-")
        line = json.loads(text.splitlines()[0])
        if (line["from"], line["to"]) != (first, end):
            raise RuntimeError("the interval is %d to %d, asked for was %d to %d" % (line["from"], line["to"], first, end))
        return dict(line["numbers"][0], notice="notice" in line["places"])

    def check(self, name, test, *arguments):
        problems = []
        try:
            problems.extend(test(self, *arguments))
        except (RuntimeError, OSError, ValueError, KeyError, IndexError, subprocess.SubprocessError) as problem:
            problems.append("%s: %s" % (type(problem).__name__, problem))
        self.tap.report(name, problems)


def same_causes(shown, result):
    for cause in sorted(set(shown) | set(result)):
        if shown.get(cause, 0) != result.get(cause, 0):
            yield "%s: %d cycles in the viewer, %d in the result" % (cause, shown.get(cause, 0), result.get(cause, 0))


def whole_run(tests, example):
    trace = os.path.join(tests.folder, "run.trace")
    workload = os.path.join(tests.root, "programs", "examples", example)
    result = json.loads(tests.call(tests.cm200, "run", "--json", "--trace", trace, workload))
    cycles, channels = result["cycles"], result["channels"]
    whole = tests.numbers(trace, 0, cycles)
    yield from same_causes(whole["cycles_by_cause"], result["cycles_by_cause"])
    if whole["notice"]:
        yield "a notice is shown over a trace that has all of the run"
    if sum(whole["cycles_by_phase"].values()) != cycles:
        yield "the phases add up to %d cycles, the run has %d" % (sum(whole["cycles_by_phase"].values()), cycles)
    shown, wanted = sum(whole["dimension_cycles"]), channels["mean_busy_cycles"] * channels["channels"]
    if abs(shown - wanted) > 1e-9 * max(1, wanted):
        yield "all channels are busy for %d cycles in the viewer, %g in the result" % (shown, wanted)
    most = dict(channels["busiest"], cycles=channels["max_busy_cycles"]) if channels["max_busy_cycles"] > 0 else None
    first = whole["busiest"][0] if whole["busiest"] else None
    if first != most:
        yield "the busiest channel is %s in the viewer, %s in the result" % (first, most)
    middle = cycles // 3
    parts = [tests.numbers(trace, 0, middle), tests.numbers(trace, middle, cycles)]
    for name in ("cycles_by_cause", "cycles_by_phase"):
        sums = {key: sum(part[name][key] for part in parts) for key in whole[name]}
        yield from same_causes(sums, whole[name])
    sums = [sum(both) for both in zip(*(part["dimension_cycles"] for part in parts))]
    if sums != whole["dimension_cycles"]:
        yield "by dimension two parts add up to %s, the whole is %s" % (sums, whole["dimension_cycles"])


def routed(tests, nodes, words, descending):
    """Bit reversal by e-cube, a channel a dimension: which packets cross which channel is worked out here."""
    trace = os.path.join(tests.folder, "route.trace")
    result = json.loads(tests.call(tests.cm200, "route", "--nodes", str(nodes), "--pattern", "bit-reversal", "--words",
                                   str(words), "--channels", "1", "--routing", "e-cube", "--order",
                                   "descending" if descending else "ascending", "--trace", trace, "--json"))
    dimensions = nodes.bit_length() - 1
    packets = {}
    for node in range(nodes):
        at, target = node, int(format(node, "0%db" % dimensions)[::-1], 2)
        for d in sorted(range(dimensions), reverse=descending):
            if (at ^ target) >> d & 1:
                packets[at, d] = packets.get((at, d), 0) + 1
                at ^= 1 << d
    whole = tests.numbers(trace, 0, result["cycles"])
    sums = [sum(count for (_, d), count in packets.items() if d == dimension) for dimension in range(dimensions)]
    cycles = [each / count for each, count in zip(whole["dimension_cycles"], sums) if count > 0]
    idle = [each for each, count in zip(whole["dimension_cycles"], sums) if count == 0]
    if len(set(cycles)) != 1 or any(idle):
        yield "by dimension %s cycles in the viewer; %s packets" % (whole["dimension_cycles"], sums)
        return
    if cycles[0] * max(packets.values()) != result["channels"]["max_busy_cycles"]:
        yield "a packet takes %g cycles of a channel, the busiest has %d packets" % (cycles[0], max(packets.values()))
    found = [(channel["node"], channel["dimension"], channel["cycles"]) for channel in whole["busiest"]]
    wanted = sorted(((node, d, count * cycles[0]) for (node, d), count in packets.items()),
                    key=lambda row: (-row[2], row[0], row[1]))
    if not found or found != wanted[:len(found)]:
        yield "the busiest channels are %s in the viewer, expected %s" % (found, wanted[:len(found)])


def loads_of_nodes(tests):
    """What nodes are coloured by, from the tables that cm200 export writes."""
    trace = os.path.join(tests.folder, "loads.trace")
    result = json.loads(tests.call(tests.cm200, "route", "--nodes", "64", "--pattern", "bit-reversal", "--words", "8",
                                   "--trace", trace, "--json"))
    table = {}
    for what in ("channels", "packets", "hops"):
        text = tests.call(tests.cm200, "export", trace, "--format", "csv", "--what", what)
        rows = [line.split(",") for line in text.splitlines()]
        table[what] = [{key: int(value or -1) for key, value in zip(rows[0], row) if "fraction" not in key}
                       for row in rows[1:]]
    for first, end in ((0, result["cycles"]), (result["cycles"] // 5, result["cycles"] // 2)):
        wanted = {name: [0] * 64 for name in ("waits", "sent", "received")}
        for packet in table["packets"]:
            if packet["created_cycle"] < end and packet["arrived_cycle"] > first:
                wanted["sent"][packet["source_node"]] += packet["words"]
                wanted["received"][packet["destination_node"]] += packet["words"]
        before = {packet["packet"]: packet["created_cycle"] for packet in table["packets"]}
        for hop in sorted(table["hops"], key=lambda hop: hop["first_cycle"]):
            asked = min(hop["asked_cycle"], before[hop["packet"]])
            wanted["waits"][hop["node"]] += max(0, min(hop["first_cycle"], end) - max(asked, first))
            before[hop["packet"]] = hop["end_cycle"]
        if first == 0:
            for name in ("busiest", "mean", "total", "1"):
                of = [[row["busy_cycles"] for row in table["channels"] if row["node"] == node and
                       (name != "1" or row["dimension"] == 1)] for node in range(64)]
                wanted[name] = [sum(row) if name in ("mean", "total") else max(row) for row in of]
        for name, loads in wanted.items():
            shown = tests.numbers(trace, first, end, "--load", name)["node_loads"]
            if shown != loads:
                yield "%s in cycles %d to %d: %s, expected %s" % (name, first, end, shown, loads)
            if not any(loads):
                yield "%s in cycles %d to %d: nothing to see" % (name, first, end)


def crowded(tests):
    """More hops than are recorded one by one: the sums are still the result's, and a notice says what is missing."""
    trace = os.path.join(tests.folder, "crowded.trace")
    result = json.loads(tests.call(tests.cm200, "route", "--nodes", "2048", "--timing-only", "--pattern", "random",
                                   "--rate", "0.3", "--words", "4", "--trace", trace, "--json"))
    whole, channels = tests.numbers(trace, 0, result["cycles"]), result["channels"]
    if not whole["notice"]:
        yield "no notice is shown"
    first = dict(channels["busiest"], cycles=channels["max_busy_cycles"])
    if whole["busiest"][0] != first:
        yield "the busiest channel is %s in the viewer, %s in the result" % (whole["busiest"][0], first)
    wanted = channels["mean_busy_cycles"] * channels["channels"]
    if abs(sum(whole["dimension_cycles"]) - wanted) > 1e-9 * wanted:
        yield "all channels are busy for %d cycles in the viewer, %g in the result" % (
            sum(whole["dimension_cycles"]), wanted)


def words(tests):
    """On 8 nodes with 4 elements each the first exchange sends the first two of each node: the words on the wires are known."""
    workload = os.path.join(tests.root, "programs", "examples", "hand-written.json")
    for node, channel in ((0, 0), (0, 1), (5, 0), (5, 1)):
        found = []
        for keys in ("Home Ctrl+Right", "Home"):
            text = tests.call(tests.view, workload, "--trace-window", "0:100000", "--pin", "%d:0:%d" % (node, channel),
                              "--press", keys, "--screenshot", os.path.join(tests.folder, "picture.png"),
                              "--log-state", "-")
            found.append(json.loads(text.splitlines()[0])["numbers"][0]["word"])
        place = node ^ node >> 1 ^ node >> 2  # the node's number in Gray order
        wanted = struct.unpack("<I", struct.pack("<f", 4 * place + channel))[0]
        if found != [wanted, None]:
            yield "node %d, channel %d: %s in the exchange and at the start, expected %s" % (
                node, channel, found, [wanted, None])


def whose_words(tests, step, array, code, least):
    """The element that a node's slot is said to hold is the word on its channel: element i of the array is i."""
    workload = {"format": "cm200-workload/1", "name": "whose", "machine": os.path.join(tests.root, "configs", "cm200.json"),
                "nodes": 8, "arrays": {"a": dict(array, init={"index": True}), "b": {"like": "a"}}, "steps": [step]}
    path = os.path.join(tests.folder, "whose.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(workload, file)

    def look(pin, exchanges):
        text = tests.call(tests.view, path, "--trace-window", "0:1000000", "--pin", pin,
                          "--press", " ".join(["Home"] + ["Ctrl+Right"] * exchanges),
                          "--screenshot", os.path.join(tests.folder, "picture.png"), "--log-state", "-")
        return json.loads(text.splitlines()[0])["numbers"][0]

    named = 0
    for exchanges, node in ((1, 0), (1, 5), (3, 3), (6, 6)):
        for held in look(str(node), exchanges)["held"]:
            indices = re.fullmatch(r"\w+\(([\d,]+)\)", held["word"])
            word = look("%d:%d:%d" % (held["from"], held["dimension"], held["channel"]), exchanges)["word"]
            if indices is None or word is None or held["transposer"] != "A":
                continue
            element, stride = 0, 1
            for index, side in zip(indices.group(1).split(","), array["shape"]):
                element += (int(index) - 1) * stride
                stride *= side
            named += 1
            found = struct.unpack(code, struct.pack("<I", word))[0]
            if found != element:
                yield "node %d, exchange %d: %s is said to go to a channel that carries element %g" % (
                    node, exchanges, held["word"], found)
    if named < least:
        yield "%d words have a name, expected %d at least" % (named, least)


def methods(tests):
    """The description in a trace has the names that the keys of steps choose, given or by default."""
    text = {"format": "cm200-workload/1", "name": "methods", "machine": os.path.join(tests.root, "configs", "cm200.json"),
            "nodes": 8, "arrays": {"a": {"shape": [16, 8], "type": "real32"}},
            "steps": [{"route": {"pattern": "transpose", "routing": "valiant"}},
                      {"reshape": {"array": "a", "shape": [8, 16], "algorithm": "rotate"}}]}
    with open(os.path.join(tests.folder, "methods.json"), "w", encoding="utf-8") as file:
        json.dump(text, file)
    tests.call(tests.cm200, "run", "--quiet", "--trace", "methods.trace", "methods.json")
    with open(os.path.join(tests.folder, "methods.trace"), "rb") as file:
        found = re.search(rb'"methods": (\[\{.*?\}\])', file.read())
    steps = {step["where"]: step for step in json.loads(found.group(1))}
    for where, key, name in (("/steps/0", "routing", "valiant"), ("/steps/0", "pattern", "transpose"),
                             ("/steps/0", "switching", "cut-through"), ("/steps/1", "algorithm", "rotate")):
        if steps[where][key] != name:
            yield "%s has %s %s, expected %s" % (where, key, steps[where][key], name)


def boundaries(tests):
    """An end-off shift computes nothing: what it does after its exchanges is the boundary, of one value or of an array."""
    for boundary in (1.5, "edge"):
        workload = {
            "format": "cm200-workload/1", "name": "end-off", "machine": os.path.join(tests.root, "configs", "cm200.json"),
            "nodes": 8,
            "arrays": {"a": {"shape": [32, 8], "type": "real32", "init": {"random": 1}}, "b": {"like": "a"},
                       "edge": {"shape": [8], "type": "real32", "init": {"random": 2}}},
            "steps": [{"eoshift": {"dst": "b", "src": "a", "dim": 1, "distance": -1, "boundary": boundary}}],
        }
        with open(os.path.join(tests.folder, "end-off.json"), "w", encoding="utf-8") as file:
            json.dump(workload, file)
        trace = os.path.join(tests.folder, "end-off.trace")
        result = json.loads(tests.call(tests.cm200, "run", "--json", "--trace", trace, "end-off.json"))
        phases = tests.numbers(trace, 0, result["cycles"])["cycles_by_phase"]
        if phases["boundary"] == 0 or phases["FPU"] != 0:
            yield "boundary %s: %d cycles of boundary, %d of the FPU" % (boundary, phases["boundary"], phases["FPU"])


def named_like_the_compiled(tests):
    """A hand-written microprogram stays one, whatever its name."""
    folder = os.path.join(tests.root, "programs", "examples")
    with open(os.path.join(folder, "hand-written.imp"), encoding="utf-8") as file:
        text = file.read()
    with open(os.path.join(folder, "hand-written.json"), encoding="utf-8") as file:
        workload = json.load(file)
    workload["machine"] = os.path.join(tests.root, "configs", "cm200.json")
    phases = []
    for name in ("swap-and-mean", "boundary-swap"):
        with open(os.path.join(tests.folder, "hand-written.imp"), "w", encoding="utf-8") as file:
            file.write(text.replace("swap-and-mean", name))
        with open(os.path.join(tests.folder, "hand-written.json"), "w", encoding="utf-8") as file:
            json.dump(workload, file)
        trace = os.path.join(tests.folder, "named.trace")
        result = json.loads(tests.call(tests.cm200, "run", "--json", "--trace", trace, "hand-written.json"))
        phases.append(tests.numbers(trace, 0, result["cycles"])["cycles_by_phase"])
    yield from same_causes(phases[1], phases[0])


def main(given):
    cm200, view, root = (os.path.realpath(path) for path in given[:3])
    with tempfile.TemporaryDirectory(prefix="cm200-numbers-") as folder:
        tests = Tests(cm200, view, root, folder)
        for example in sorted(os.listdir(os.path.join(root, "programs", "examples"))):
            if example.endswith(".json"):
                tests.check(example, whole_run, example)
        for nodes, length, descending in ((16, 8, False), (64, 5, True), (512, 3, False)):
            tests.check("route: bit reversal on %d nodes" % nodes, routed, nodes, length, descending)
        tests.check("route: what nodes are coloured by", loads_of_nodes)
        tests.check("route: more than is recorded one by one", crowded)
        tests.check("the words on the wires", words)
        tests.check("methods of the steps", methods)
        tests.check("whose words: a shift", whose_words, {"cshift": {"dst": "b", "src": "a", "dim": 1, "distance": 1}},
                    {"shape": [16, 8], "type": "real32"}, "<f", 4)
        tests.check("whose words: an FFT's exchanges", whose_words, {"fft": {"array": "a"}},
                    {"shape": [64], "type": "int32", "mesh": {"shape": [2, 2, 2], "mapping": "identical"}}, "<i", 6)
        tests.check("whose words: a reshape", whose_words, {"reshape": {"array": "a", "shape": [8, 16]}},
                    {"shape": [16, 8], "type": "real32"}, "<f", 0)
        tests.check("boundaries are recorded as such", boundaries)
        tests.check("a microprogram named boundary", named_like_the_compiled)
    return tests.tap.done()


if __name__ == "__main__":
    sys.exit(main(arguments(__doc__, 3)))
