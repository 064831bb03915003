"""Figures 1, 2 and 4 of FFT mappings, as cm200 fft draws them, against a second computation of what they show.

usage: check-fft-figures.py CM200 [--cases N] [--seed S]

Of random shapes and mappings: the wires of --diagram are followed character by character from the bits of an index to
those of the mesh, and the lines of --svg from box to box; they must be the permutation that is dealt here card by card.
The ways of a broadcast, and the patterns of --table, must be the sets that spread here from point to point.
"""

import argparse
import itertools
import os
import random
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from tap import Tap, cases  # noqa: E402: the path is set above

SVG = "{http://www.w3.org/2000/svg}"


def deal(array, mesh):
    """Where the cards go, dealt as in section 5 of the paper: {(p, q): (i, j)}. Bits are counted by axis, 0 first."""
    decks = [list(range(bits)) for bits in array]
    hands = [[] for _ in mesh]
    went = {}
    local = sum(array) - sum(mesh)
    dealt = [(p, q) for p, deck in enumerate(decks) for q in deck]
    stay = dealt[:max(local, 0)]
    for p, q in stay:
        decks[p].remove(q)
        went[p, q] = ("l", len(went))
    while any(decks):
        for p, deck in enumerate(decks):
            for i, hand in enumerate(hands):
                if deck and len(hand) < mesh[i]:
                    went[p, deck[0]] = (i, len(hand))
                    hand.append((p, deck.pop(0)))
    return went


def listed(array, mesh, numbers):
    """The same of a list of positions, local bits lowest."""
    names = [("l", j) for j in range(max(sum(array) - sum(mesh), 0))]
    names += [(i, j) for i, bits in enumerate(mesh) for j in range(bits)]
    cards = [(p, q) for p, bits in enumerate(array) for q in range(bits)]
    return {card: names[number] for card, number in zip(cards, numbers)}


class Case:
    def __init__(self, generator, idle):
        bits = generator.randint(0, 7)
        nodes = generator.randint(bits + 1, bits + 3) if idle else generator.randint(0, bits)
        self.array = self.split(generator, bits, generator.randint(1, 3))
        self.mesh = self.split(generator, nodes, generator.randint(1, 3))
        mapping = generator.choice(["identical", "shuffle", "bits"])
        if mapping == "bits" and bits == 0:
            mapping = "identical"
        numbers = list(range(bits))
        if mapping == "shuffle":
            self.went = deal(self.array, self.mesh)
        else:
            if mapping == "bits":
                numbers = generator.sample(range(max(bits, nodes)), bits)
                mapping = "bits:" + ",".join(map(str, numbers))
            self.went = listed(self.array, self.mesh, numbers)
        self.words = ["--array", self.shape(self.array), "--mesh", self.shape(self.mesh), "--mapping", mapping,
                      "--order", generator.choice(["pre", "post"])]
        self.axes = sorted(generator.sample(range(len(self.array)), generator.randint(1, len(self.array))))
        self.source = generator.randrange(2 ** bits)
        self.broadcast = ["--broadcast", str(self.source), "--axes", ",".join(map(str, self.axes))]

    @staticmethod
    def split(generator, bits, axes):
        counts = [0] * axes
        for _ in range(bits):
            counts[generator.randrange(axes)] += 1
        return counts

    @staticmethod
    def shape(counts):
        return "x".join(str(2 ** bits) for bits in reversed(counts))

    def steps(self):
        """(p, q) in the machine's order: those within nodes last."""
        order = [(p, q) for p in self.axes for q in range(self.array[p])]
        if self.words[-1] == "pre":
            order = [(p, q) for p in self.axes for q in reversed(range(self.array[p]))]
        return [s for s in order if self.went[s][0] != "l"] + [s for s in order if self.went[s][0] == "l"]

    def coordinates(self, point):
        """Of a point, axis 0 first."""
        for bits in self.array:
            yield point % 2 ** bits
            point //= 2 ** bits

    def partner(self, point, step):
        p, q = step
        return point ^ 2 ** (sum(self.array[:p]) + q)

    def spread(self):
        """The points with the value after each step, and where each has it from."""
        home = list(self.coordinates(self.source))
        points = range(2 ** sum(self.array))
        holders = {x for x in points if all(list(self.coordinates(x))[p] == home[p] for p in self.axes)}
        sets, sender, came = [holders], {}, {x: 0 for x in holders}
        for number, step in enumerate(self.steps(), 1):
            new = {self.partner(x, step) for x in holders} - holders
            for x in new:
                sender[x], came[x] = self.partner(x, step), number
            holders = holders | new
            sets.append(holders)
        return sets, sender, came

    def node(self, point):
        """Mesh coordinates of a point, axis 0 first."""
        at = [0] * len(self.mesh)
        for (p, q), (i, j) in self.went.items():
            if i != "l" and list(self.coordinates(point))[p] >> q & 1:
                at[i] |= 1 << j
        return tuple(at)


def follow(lines):
    """The wires of a diagram, from label to label."""
    begin = next(n for n, line in enumerate(lines) if re.match(r"  \s*\d+:\d", line))
    end = next(n for n in range(begin + 1, len(lines)) if re.match(r"  \s*[\dl]+:\d", lines[n]))
    width = max(map(len, lines)) + 1
    grid = [line.ljust(width) for line in lines[begin + 1:end]]
    below = {match.start(): match.group() for match in re.finditer(r"\S+", lines[end])}
    wires = {}
    for match in re.finditer(r"\S+", lines[begin]):
        row, column = 0, match.start() + 1
        while grid[row][column] != "'":
            assert grid[row][column] in "|+", "no way down from %s at row %d" % (match.group(), row)
            row += 1
        side = 1 if grid[row][column + 1] in "-.+" else -1
        column += side
        while grid[row][column] != ".":
            assert grid[row][column] in "-+", "no way along from %s" % match.group()
            column += side
        for row in range(row + 1, len(grid)):
            assert grid[row][column] in "|+", "no way down to the mesh from %s" % match.group()
        wires[match.group()] = below[column - 1]
    return wires


def follow_svg(path):
    """The same of a picture: boxes by their middle."""
    root = xml.etree.ElementTree.parse(path).getroot()
    labels = {}
    boxes = [(float(b.get("x")) + float(b.get("width")) / 2, float(b.get("y")), float(b.get("height")))
             for b in root.iter(SVG + "rect") if b.get("x")]
    texts = [t for t in root.iter(SVG + "text") if ":" in t.text and t.get("text-anchor") == "middle"]
    for text in texts:
        x, y = map(float, re.match(r"translate\((\S+) (\S+)\)", text.get("transform")).groups())
        middle, top, height = next(b for b in boxes if abs(b[0] - x) < 0.1 and b[1] < y < b[1] + b[2])
        labels[round(middle, 1), round(top, 1)] = text.text
        labels[round(middle, 1), round(top + height, 1)] = text.text
    return {labels[round(float(line.get("x1")), 1), round(float(line.get("y1")), 1)]:
            labels[round(float(line.get("x2")), 1), round(float(line.get("y2")), 1)]
            for line in root.iter(SVG + "line")}


def members(pattern, width):
    """The coordinates that a pattern stands for, axis 0 first."""
    assert [len(part) for part in pattern.split(",")] == [max(bits, 1) for bits in reversed(width)], pattern
    parts = []
    for part in reversed(pattern.split(",")):
        parts.append([int("".join(bits), 2) for bits in itertools.product(*("01" if c == "*" else c for c in part))])
    return set(itertools.product(*parts))


def compare(what, found, expected):
    return [] if found == expected else ["%s: %s, expected %s" % (what, found, expected)]


class Checks:
    def __init__(self, cm200, folder):
        self.cm200, self.svg = cm200, os.path.join(folder, "figure.svg")

    def lines(self, words):
        done = subprocess.run([self.cm200, "fft", *words], capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    def bits(self, case):
        expected = {"%d:%d" % card: "%s:%d" % place for card, place in case.went.items()}
        lines = self.lines([*case.words, "--diagram", "--svg", self.svg])
        found = follow(lines) if expected else {}
        return compare("diagram", found, expected) + compare("svg", follow_svg(self.svg), expected)

    def table(self, case):
        sets = case.spread()[0]
        lines = self.lines([*case.words, *case.broadcast, "--table"])[1:]
        problems = compare("rows", len(lines), len(sets))
        for line, step, holders in zip(lines, [None, *case.steps()], sets):
            # The first row has no step.
            cells = re.split(r"\s\s+", line.strip())
            points, pattern, nodes, at = cells[-4:]
            problems += compare("points of " + line, int(points.replace(",", "")), len(holders))
            problems += compare("who in " + line, members(pattern, case.array),
                                {tuple(case.coordinates(x)) for x in holders})
            problems += compare("nodes of " + line, members(at, case.mesh), {case.node(x) for x in holders})
            problems += compare("count of nodes", int(nodes.replace(",", "")), len({case.node(x) for x in holders}))
            if step is not None:
                i, j = case.went[step]
                sent = "local" if i == "l" else "sd(%d,%d)" % (i, 2 ** j)
                problems += compare("step", cells[1:3], ["(%d, %d)" % step, sent])
        return problems

    def ways(self, case):
        sets, sender, came = case.spread()
        lines = self.lines([*case.words, *case.broadcast, "--diagram", "--svg", self.svg])[3:]
        problems = compare("points", len(lines), 2 ** sum(case.array))
        for x, line in enumerate(lines):
            cells = line.split()
            row = ["." if n < came[x] else "*" if n > came[x] or n == 0 else "<%d" % sender[x] for n in range(len(sets))]
            problems += compare("point %d" % x, [cells[0], *cells[2:]], [str(x), *row])
        return problems + self.ways_svg(sets, sender, came)

    def ways_svg(self, sets, sender, came):
        root = xml.etree.ElementTree.parse(self.svg).getroot()
        dots = [(float(c.get("cx")), float(c.get("cy")), c.get("fill")) for c in root.iter(SVG + "circle")]
        columns, rows = (sorted({dot[k] for dot in dots}) for k in (0, 1))
        full = {(columns.index(x), rows.index(y)) for x, y, fill in dots if fill != "#ffffff"}
        expected = {(n, x) for n, holders in enumerate(sets) for x in holders}
        problems = compare("dots", full, expected)
        sent = {(columns.index(float(line.get("x2"))), rows.index(float(line.get("y1"))),
                 rows.index(float(line.get("y2")))) for line in root.iter(SVG + "line")
                if line.get("stroke") == "#c1440e" and line.get("y1") != line.get("y2")}
        return problems + compare("ways", sent, {(came[x], y, x) for x, y in sender.items()})


def main():
    parser = argparse.ArgumentParser(description="figures of FFT mappings")
    parser.add_argument("cm200")
    parser.add_argument("--cases", type=int, default=cases(40))
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    tap = Tap()
    generator = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as folder:
        checks = Checks(os.path.abspath(arguments.cm200), folder)
        for number in range(arguments.cases):
            case = Case(generator, number % 4 == 3)
            for check in (checks.bits, checks.table, checks.ways):
                try:
                    problems = check(case)
                except AssertionError as error:
                    problems = [str(error)]
                tap.report("%s of case %d: %s" % (check.__name__, number, " ".join(case.words + case.broadcast)),
                           problems)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
