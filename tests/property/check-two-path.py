#!/usr/bin/env python3
"""Schedules of research/two-path replayed element by element on a whole cube, in several orders of dimensions: no channel
carries two elements at a time, and all are where the codes of both shapes want them. Prints TAP.

usage: check-two-path.py SOURCE_ROOT
"""
import os
import random
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import arguments  # noqa: E402: the path is set above

SCRIPT = arguments(__doc__, 1)[0] + "/research/two-path"


def schedule_of(delta):
    """(first, last step) of each stage of each of the four elements, as the script prints them."""
    text = subprocess.run([SCRIPT, str(delta)], stdout=subprocess.PIPE, check=True, universal_newlines=True).stdout
    rows = re.findall(r"element \d (.*)", text)
    return [[(int(a), int(b or a)) for a, b in re.findall(r"(\d+)(?:-(\d+))?", row)] for row in rows]


def choose(tasks):
    """A way for each (side, first, last): (link, step) pairs that no two share. Links 0, 1: along a side; 2, 3: from side 0,
    from side 1."""
    if not tasks:
        return []
    taken, chosen = set(), []

    def go(i):
        if i == len(tasks):
            return True
        side, first, last = tasks[i]
        ways = [[(side, t)] for t in range(first, last + 1)]
        ways += [[(2 + side, t), (1 - side, t + 1), (3 - side, t + 2)] for t in range(first, last - 1)]
        for way in ways:
            if taken.isdisjoint(way):
                taken.update(way)
                chosen.append(way)
                if go(i + 1):
                    return True
                chosen.pop()
                taken.difference_update(way)
        return False

    return chosen if go(0) else None


def control(node, ends, d, n):
    """Bit d + 1 of the number that is at `node`: the sum up to the end of its axis."""
    m, total = d + 1, node >> d + 1 & 1
    while m not in ends and m < n - 1:
        m += 1
        total ^= node >> m & 1
    return total


def replay(delta, order, schedule):
    """An axis of 2^(2 delta) is split above the dimensions of `order`. Returns what is wrong."""
    n, known, channels = 2 * delta, {}, set()
    held = {(u, s, e): u for u in range(1 << n) for s in range(delta) for e in range(4)}
    crossings = []
    for at, d in enumerate(order):
        for base in range(1 << n):
            if base >> d & 3:
                continue
            sides = []
            for stage in range(delta):
                ends = {order[(at - stage + i) % delta] for i in range(stage)}
                sides.append(0 if control(base, ends, d, n) else 1)
            if tuple(sides) not in known:
                tasks = sorted((schedule[e][j] + (j, e) for j in range(delta) for e in range(4)))
                ways = choose([(sides[j], first, last) for first, last, j, e in tasks])
                if ways is None:
                    return "no ways for sides %s" % sides
                known[tuple(sides)] = [(j, e, way) for (_, _, j, e), way in zip(tasks, ways)]
            crossings += [(j, d, base, (at - j) % delta, e, sides[j], way) for j, e, way in known[tuple(sides)]]
    for stage, d, base, s, e, side, way in sorted(crossings):
        u = base | side << d + 1
        v = u ^ 1 << d
        first, last = schedule[e][stage]
        if way[0][1] < first or way[-1][1] > last or stage > 0 and first <= schedule[e][stage - 1][1]:
            return "an element in two places"
        for link, t in way:
            over = d if link < 2 else d + 1
            for node in (u, v):
                where = node if link < 2 and link == side or link == 2 + side else node ^ 1 << d + 1
                if (where, over, t) in channels or t > 2 * delta:
                    return "two elements on one channel, or a step too many"
                channels.add((where, over, t))
        held[u, s, e], held[v, s, e] = held[v, s, e], held[u, s, e]
    for i in range(1 << n):
        before = i ^ i >> 1
        after = sum((i >> m ^ (0 if m in order else i >> m + 1)) % 2 << m for m in range(n))
        for s in range(delta):
            for e in range(4):
                if held[after, s, e] != before:
                    return "element %d is in the wrong node" % i
    return None


def judge(delta):
    schedule = schedule_of(delta)
    rising = list(range(0, 2 * delta, 2))
    mixed = rising[:]
    random.Random(delta).shuffle(mixed)
    for order in (rising, rising[::-1], mixed):
        wrong = replay(delta, order, schedule)
        if wrong:
            return "order %s: %s" % (order, wrong)
    late = [row[:] for row in schedule]
    late[0] = [(first + 1, last + 1) for first, last in late[0]]
    return None if replay(delta, rising, late) else "a broken schedule is not noticed"


def judge_all(first, last):
    """Every sequence of sides has its ways, for each delta; the script tries one after the other."""
    text = subprocess.run([SCRIPT, str(first), str(last)], stdout=subprocess.PIPE, check=True, universal_newlines=True).stdout
    for delta in range(first, last + 1):
        line = "delta = %d, K = %d: %d steps under any of the %d sequences of sides" % (delta, 4 * delta, 2 * delta + 1, 1 << delta - 1)
        if line not in text:
            return "missing: " + line
    return None


def main():
    failed = 0
    print("1..4")
    for number, delta in enumerate((3, 4, 5)):
        wrong = judge(delta)
        failed += wrong is not None
        print("%sok %d - delta = %d, K = %d in %d steps%s" % ("not " if wrong else "", number + 1, delta, 4 * delta,
              2 * delta + 1, "\n# " + wrong if wrong else ""), flush=True)
    wrong = judge_all(2, 8)
    failed += wrong is not None
    print("%sok 4 - delta = 2 to 8, any sequence of sides%s" % ("not " if wrong else "", "\n# " + wrong if wrong else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
