"""What `--why` prints, against a replay of the router's run.

usage: check-why.py CM200 SOURCE_ROOT

The replay knows of a run only who crossed which channel in which order (the tables `packets` and `hops`). It computes
when everything happens from the rules of docs/programs/route.md, as a longest path. A link of the chain is right when a packet
that is one word time late there makes the whole run one word time longer, no more and no less.
"""

import collections
import csv
import io
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
from tap import Tap, arguments

WORD, START = 32, 514  # cycles, configs/cm200.json
EXAMPLES = ("five-point-pshift", "relaxation", "reshape", "fft", "route-bit-reversal", "qcd")

# nodes, words, further options; all with whole packets in buffers, which is what the replay knows
REPLAYED = [
    (nodes, words, header, ["--pattern", pattern, *options])
    for nodes, words, header in ((16, 8, 1), (32, 3, 2), (8, 16, 0))
    for pattern in ("bit-reversal", "all-to-all", "random", "hot-spot", "complement")
    for options in (
        ["--switching", "cut-through", "--channels", "1"],
        ["--switching", "store-and-forward", "--buffer", "32"],
        ["--switching", "cut-through", "--routing", "adaptive", "--buffer", "40"],
        ["--switching", "store-and-forward", "--routing", "valiant", "--channels", "1", "--seed", "7", "--buffer", "64"],
    )
    if not (pattern == "bit-reversal" and nodes == 32)
]
WORMS = [
    (16, 8, 1, ["--pattern", "all-to-all", "--switching", "wormhole", "--buffer", "2"]),
    (64, 8, 1, ["--pattern", "bit-reversal", "--switching", "wormhole", "--buffer", "1", "--channels", "1"]),
    (16, 8, 1, ["--pattern", "random", "--rate", "0.4", "--warmup", "20", "--measure", "60"]),
]


def call(*words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    if done.returncode not in (0, 1):
        raise RuntimeError("%s: exit %d\n%s" % (" ".join(words), done.returncode, done.stderr))
    return done.stdout


class Story:
    """What --why prints: steps, and the chains of the router's runs."""

    def __init__(self, text):
        self.steps, self.chains = [], []
        self.total = int(re.search(r" takes (\d+) cycles: ", text).group(1))
        rows = self.steps
        for line in text.splitlines():
            if line.startswith("      cycles"):
                continue
            row = re.match(r" +(\d+) +(\d+)  (.*)$", line)
            if row:
                rows.append((int(row.group(1)), int(row.group(2)), row.group(3)))
            elif "the last packet is" in line:
                rows = []
                self.chains.append((line, rows))


def check_sums(story):
    """Every cycle in one row: the rows of the steps add up, those of a chain lie end to end and add up to its step."""
    if sum(cycles for cycles, _, _ in story.steps) != story.total:
        yield "the steps do not add up to %d cycles" % story.total
    for cycles, _, text in story.steps:
        causes = [int(number) for number in re.findall(r" (\d+)(?:,|$)", text.split(": ", 1)[1])]
        if sum(causes) != cycles:
            yield "the causes of %r do not add up to %d cycles" % (text, cycles)
    for title, rows in story.chains:
        step = [step for step in story.steps if step[2].startswith(title.split(":")[0] + ":")][0]
        at = rows[0][1]
        for cycles, first, _ in rows:
            if first != at:
                yield "%s: a row begins at %d, the one before ends at %d" % (title, first, at)
            at = first + cycles
        if sum(row[0] for row in rows) != step[0]:
            yield "%s: its rows do not add up to %d cycles" % (title, step[0])


def table(cm200, trace, what):
    return list(csv.DictReader(io.StringIO(call(cm200, "export", trace, "--format", "csv", "--what", what))))


class Replay:
    """When everything happens, from the order on the channels and the rules of the router."""

    def __init__(self, packets, hops, words, header, whole, buffer_words):
        self.created = {int(p["packet"]): int(p["created_cycle"]) for p in packets}
        self.paths, over = collections.defaultdict(list), collections.defaultdict(list)
        self.seen, self.node = {}, {}
        for hop in hops:
            packet = int(hop["packet"])
            channel = (int(hop["node"]), int(hop["dimension"]), int(hop["channel"]))
            key = (packet, len(self.paths[packet]))
            self.paths[packet].append(channel)
            over[channel].append(key)
            self.seen[key], self.node[key] = int(hop["first_cycle"]), channel[0]
        body, room = words * WORD, max(buffer_words // words, 1)
        ahead = (words if whole else 1) + header
        self.after = collections.defaultdict(list)  # key -> (key before it, cycles between)
        for packet, path in self.paths.items():
            for k in range(1, len(path)):
                self.after[packet, k].append(((packet, k - 1), ahead * WORD))
        for keys in over.values():
            for i, key in enumerate(keys):
                if i > 0:
                    self.after[key].append((keys[i - 1], body))
                staying = [other for other in keys[:i] if other[1] + 1 < len(self.paths[other[0]])]
                if staying and key[1] + 1 < len(self.paths[key[0]]):
                    self.after[key[0], key[1] + 1].append(((staying[-1][0], staying[-1][1] + 1), body))
                if key[1] + 1 < len(self.paths[key[0]]) and len(staying) >= room:
                    other = staying[-room]
                    self.after[key].append(((other[0], other[1] + 1), body))
        sources = collections.defaultdict(list)
        for packet in sorted(self.paths):
            sources[self.paths[packet][0][0]].append(packet)
        for sent in sources.values():
            for before, packet in zip(sent, sent[1:]):
                self.after[packet, 0].append(((before, 0), body))
        self.body = body

    def times(self, late=None):
        """The longest path to each hop; `late`: a hop that starts a word time later than it could."""
        times = {}
        for root in self.seen:
            stack = [root]
            while stack:
                key = stack[-1]
                missing = [before for before, _ in self.after[key] if before not in times]
                if missing and key not in times:
                    stack.extend(missing)
                    continue
                stack.pop()
                if key not in times:
                    start = self.created[key[0]] if key[1] == 0 else 0
                    times[key] = max([start] + [times[before] + cycles for before, cycles in self.after[key]])
                    times[key] += WORD if key == late else 0
        return times

    def end(self, late=None):
        return max(self.times(late).values()) + self.body


def links(replay, rows):
    """The hops that the rows of a chain name."""
    for cycles, first, text in rows:
        row = re.match(r"packet (\d+): (\d+(?: > \d+)+)(?:;|$)", text)
        if row is None:
            continue
        packet, path = int(row.group(1)), [int(node) for node in row.group(2).split(" > ")]
        starts = [k for k in range(len(replay.paths[packet])) if replay.seen[packet, k] == first]
        if len(starts) != 1:
            yield None, "packet %d gets no channel at cycle %d" % (packet, first)
            continue
        for i, node in enumerate(path[:-1]):
            if replay.node[packet, starts[0] + i] != node:
                yield None, "packet %d is not at node %d" % (packet, node)
            else:
                yield (packet, starts[0] + i), None


def check_replay(cm200, machine, folder, nodes, words, header, options):
    trace = os.path.join(folder, "run.trace")
    text = call(cm200, "route", "--nodes", str(nodes), "--words", str(words), "--set", "router.header_words=%d" % header,
                "--machine", machine, "--trace", trace, "--quiet", "--why", *options)
    story = Story(text)
    yield from check_sums(story)
    hops = table(cm200, trace, "hops")
    buffer_words = int(options[options.index("--buffer") + 1]) if "--buffer" in options else 16
    replay = Replay(table(cm200, trace, "packets"), hops, words, header, "store-and-forward" in options, buffer_words)
    times = replay.times()
    wrong = [key for key in times if times[key] != replay.seen[key]]
    if wrong:
        key = min(wrong, key=lambda key: replay.seen[key])
        yield "the replay has hop %d of packet %d at %d, the trace at %d" % (key[1], key[0], times[key], replay.seen[key])
        return
    end = replay.end()
    for key, problem in links(replay, story.chains[0][1]):
        if problem:
            yield problem
        elif replay.end(late=key) != end + WORD:
            yield "packet %d, late at node %d, does not delay the run" % (key[0], replay.node[key])


def check_worm(cm200, machine, folder, nodes, words, header, options):
    trace = os.path.join(folder, "worm.trace")
    story = Story(call(cm200, "route", "--nodes", str(nodes), "--words", str(words), "--machine", machine,
                       "--set", "router.header_words=%d" % header, "--trace", trace, "--quiet", "--why", *options))
    yield from check_sums(story)
    crossed = {(int(hop["packet"]), int(hop["node"])) for hop in table(cm200, trace, "hops")}
    for _, _, row in story.chains[0][1]:
        named = re.match(r"packet (\d+): (\d+) >", row)
        if named and (int(named.group(1)), int(named.group(2))) not in crossed:
            yield "%r: the packet was never there" % row


def main():
    cm200, root = arguments(__doc__, 2)[:2]
    os.environ["LC_ALL"] = "C"
    tap = Tap()
    machine = os.path.join(root, "configs", "cm200.json")
    with tempfile.TemporaryDirectory() as folder:
        for case in REPLAYED:
            tap.report("%d nodes, %d words, header %d, %s" % (*case[:3], " ".join(case[3])),
                       check_replay(cm200, machine, folder, *case))
        for case in WORMS:
            tap.report("%d nodes, %s" % (case[0], " ".join(case[3])), check_worm(cm200, machine, folder, *case))
        for example in EXAMPLES:
            workload = os.path.join(root, "programs", "examples", example + ".json")
            tap.report(example, check_sums(Story(call(cm200, "run", "--quiet", "--why", "--timing-only", workload))))
    return tap.done()


sys.exit(main())
