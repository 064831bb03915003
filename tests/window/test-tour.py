"""The guided tour: its texts state numbers of its runs, its keys work, and every station has a picture.

usage: test-tour.py CM200 CM200_VIEW SOURCE_ROOT

The numbers are computed here, from results and exports of cm200 for the same workloads; the texts come from --log-state.
"""

import csv
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from tap import Tap, arguments  # noqa: E402: the path is set above

RUN_SECONDS = 120
STATION = re.compile(r'CM_STATION\((\w+), (\w+), (\d+), ("[^"]*"),\s+("[^"]*"), (\d+),\s+("[^"]*"),\s*((?:"[^"]*"\s*)+)\)')
START_PHASE, EXCHANGE_PHASE = "start", "exchange"


def text_of(literals):
    return "".join(re.findall(r'"([^"]*)"', literals))


class Tests:
    def __init__(self, cm200, view, root, folder):
        self.cm200, self.view, self.root, self.folder = cm200, view, root, folder
        self.tap = Tap()
        with open(os.path.join(root, "viz/model/stations.def"), encoding="utf-8") as file:
            self.stations = [{"name": row[0], "run": row[1], "seconds": int(row[2]), "title": text_of(row[6]),
                              "text": text_of(row[7])}
                             for row in STATION.findall(file.read())]

    def call(self, *arguments, code=0, **environment):
        done = subprocess.run(arguments, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=RUN_SECONDS, check=False,
                              env=dict(os.environ, **environment))
        if done.returncode != code:
            raise RuntimeError("%s: exit %d: %s" % (" ".join(arguments), done.returncode, done.stderr))
        return done.stdout if code == 0 else done.stderr

    def station(self, name, keys=""):
        """The log line of a station's picture, after some keys."""
        picture = os.path.join(self.folder, "station.png")
        if os.path.exists(picture):
            os.remove(picture)
        options = ["--press", keys] if keys else []
        text = self.call(self.view, "--demo", str(name), "--screenshot", picture, "--log-state", "-", *options)
        with open(picture, "rb") as file:
            self.picture = file.read()
        return json.loads(text.splitlines()[0])

    def workload(self, path, nodes):
        """Result, cycles by phase, packets and exchanges' words of a workload."""
        trace = os.path.join(self.folder, "run.trace")
        result = json.loads(self.call(self.cm200, "run", "--json", os.path.join(self.root, path), "--nodes", str(nodes),
                                      "--machine", os.path.join(self.root, "configs/cm200.json"), "--trace", trace))
        phases = {}
        for row in csv.DictReader(self.export(trace, "cycles")):
            phases[row["phase"]] = phases.get(row["phase"], 0) + int(row["cycles"])
        packets = list(csv.DictReader(self.export(trace, "packets"))) if "route" in path else []
        return {"result": result, "phases": phases, "packets": packets, "trace": trace}

    def export(self, trace, what):
        return self.call(self.cm200, "export", trace, "--format", "csv", "--what", what).splitlines()

    def check(self, name, test, *arguments):
        problems = []
        try:
            problems.extend(test(self, *arguments) or ())
        except (RuntimeError, OSError, ValueError, KeyError, IndexError, subprocess.SubprocessError) as problem:
            problems.append("%s: %s" % (type(problem).__name__, problem))
        self.tap.report(name, problems)


def says(line, expected):
    """The numbers of a station's text, in order; d0 and d1 are names."""
    found = [int(number.replace(",", "")) for number in re.findall(r"(?<![\w])\d[\d,]*(?<!,)", line["tour"]["text"])]
    if found != expected:
        yield "the text has %s, the runs say %s: %s" % (found, expected, line["tour"]["text"])


def is_table(tests):
    if len(tests.stations) < 8:
        yield "%d stations are read from the table" % len(tests.stations)
    seconds = sum(station["seconds"] for station in tests.stations)
    if not 270 <= seconds <= 330:
        yield "the tour takes %d seconds, not about five minutes" % seconds
    for station in tests.stations:
        plain = re.sub(r"\{\w+\}|\bd\d\b", "", station["text"])
        if re.search(r"\d", plain):
            yield "%s: a number is typed in the text: %s" % (station["name"], plain)
    if tests.stations[-1]["title"] != "Why one PSHIFT beats four CSHIFTs":
        yield "it ends with %s" % tests.stations[-1]["title"]


def has_pictures(tests):
    pictures = set()
    for number, station in enumerate(tests.stations):
        line = tests.station(number + 1)
        if line["tour"]["name"] != station["name"] or "{" in line["tour"]["text"]:
            yield "station %d: %s" % (number + 1, line["tour"])
        if tests.picture in pictures or "tour" not in line["places"]:
            yield "station %d looks like another, or has no text" % (number + 1)
        pictures.add(tests.picture)


def has_shift_numbers(tests):
    ring = tests.workload("viz/app/demo/ring.json", 8)
    yield from says(tests.station("cube"), [8, 3, 2])
    yield from says(tests.station("ring"), [8, ring["result"]["exchanges"]])
    with open(os.path.join(tests.root, "configs/cm200.json"), encoding="utf-8") as file:
        machine = json.load(file)
    exchange = machine["exchange"]["cycles"]
    exchange = exchange["value"] if isinstance(exchange, dict) else exchange
    yield from says(tests.station("exchange"), [exchange])


def has_stencil_numbers(tests):
    four, one = (tests.workload("programs/examples/five-point-%s.json" % kind, 64) for kind in ("cshift", "pshift"))
    a, b = four["result"], one["result"]
    # Every node sends the same in each exchange here, so the words of an exchange are those of the run, shared evenly.
    words = [run["words_sent"] // run["exchanges"] // 64 for run in (a, b)]
    starts = [run["phases"][START_PHASE] for run in (four, one)]
    times = [run["phases"][EXCHANGE_PHASE] for run in (four, one)]
    saved = a["cycles"] - b["cycles"]
    if sum(step["op"] == "cshift" for step in a["steps"]) != 4:
        yield "the first run does not have four CSHIFTs"
    if 2 * (starts[0] - starts[1] + times[0] - times[1]) <= saved:
        yield "exchanges and starts are not most of what is saved"
    yield from says(tests.station("four"), [64, words[0], a["exchanges"]])
    yield from says(tests.station("one"), [words[1], b["exchanges"], a["exchanges"]])
    yield from says(tests.station("compare"), [a["cycles"], b["cycles"]])
    yield from says(tests.station("pshift"), [times[0] // a["exchanges"], words[0], words[1], b["exchanges"], a["exchanges"],
                                              times[1], times[0], starts[1], starts[0], saved])


def has_packet_numbers(tests):
    run = tests.workload("programs/examples/route-bit-reversal.json", 64)
    first = run["result"]["steps"][0]
    sent = [packet for packet in run["packets"] if int(packet["created_cycle"]) < first["cycles"]]
    longest = max(run["packets"], key=lambda packet: int(packet["queueing_cycles"]))
    number = run["packets"].index(longest)
    why = tests.call(tests.cm200, "run", "--quiet", "--why", "--nodes", "64",
                     os.path.join(tests.root, "programs/examples/route-bit-reversal.json"))
    chain = re.search(r"the last packet is %d,.*?\n\n" % number, why, re.S)
    if chain is None:
        yield "the packet that waits longest is not the last of its step: " + why
        return
    hops = [row.count("\u2192") for row in chain.group(0).strip().splitlines()[2:]]
    links = sum(hops) + hops.count(0)  # a row of the table is a packet's way; its channels, or being sent, are the links
    with open(os.path.join(tests.root, "configs/cm200.json"), encoding="utf-8") as file:
        word = json.load(file)["router"]["word_cycles"]
    word = word["value"] if isinstance(word, dict) else word
    yield from says(tests.station("router"), [len(sent), word])
    yield from says(tests.station("wait"), [number] + [int(longest[key]) for key in
                                                       ("source_node", "destination_node", "queueing_cycles", "hops")])
    yield from says(tests.station("why"), [number, links, number])
    yield from says(tests.station("why", "U U U"), [number, links, number])  # also while the chain is walked


def has_keys(tests):
    """Space pauses, the arrows go to stations, Escape ends the tour and leaves its picture."""
    text = tests.call(tests.view, "--demo", "ring", "--press", "Right Left Left Space Right Space Escape Right Q",
                      "--log-state", "-", SDL_VIDEODRIVER="dummy")
    lines = [json.loads(line) for line in text.splitlines()]
    seen = [(line["event"], line["tour"] and (line["tour"]["name"], line["tour"]["paused"])) for line in lines
            if line["event"].startswith("key")]
    expected = [("key Right", ("router", False)), ("key Left", ("ring", False)), ("key Left", ("exchange", False)),
                ("key Space", ("exchange", True)), ("key Right", ("ring", True)), ("key Space", ("ring", False)),
                ("key Escape", None), ("key Right", None), ("key Q", None)]
    if seen != expected:
        yield "%s" % seen
    cycles = [line["cycle"] for line in lines if line["event"] in ("key Escape", "key Right")]
    if cycles[-1] != cycles[-2] + 1:
        yield "after Escape, Right does not go a cycle forward: %s" % cycles


def refuses(tests):
    for options, words in ((["--demo", "99"], "no station"), (["--demo", "--nodes", "8"], "its own runs"),
                           (["--demo", "--pin", "3"], "its own runs")):
        message = tests.call(tests.view, *options, code=2)
        if words not in message:
            yield "%s: %s" % (options, message)


def main():
    cm200, view, root = arguments(__doc__, 3)
    with tempfile.TemporaryDirectory() as folder:
        tests = Tests(os.path.abspath(cm200), os.path.abspath(view), os.path.abspath(root), folder)
        tests.check("the table is a tour of five minutes without typed numbers", is_table)
        tests.check("every station has a picture of its own", has_pictures)
        tests.check("numbers of shifts", has_shift_numbers)
        tests.check("numbers of four CSHIFTs and one PSHIFT", has_stencil_numbers)
        tests.check("numbers of packets", has_packet_numbers)
        tests.check("Space, the arrows and Escape", has_keys)
        tests.check("options that the tour does not take", refuses)
        return tests.tap.done()


sys.exit(main())
