#!/usr/bin/env python3
"""Conjecture 1 of the reshape paper is false: schedules of research/conjecture replayed here, its bounds, and reshapes on the
machine by detour. Prints TAP.

usage: check-conjecture.py CM200 SOURCE_ROOT
"""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import arguments  # noqa: E402: the path is set above

CM200, ROOT = arguments(__doc__, 2)[:2]
SCRIPT = ROOT + "/research/conjecture"


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, universal_newlines=True).stdout


def gray(number):
    return number ^ number >> 1


def replayed(n, k, text):
    """Steps of a printed schedule, or what is wrong with it. An element is named by the node it comes from."""
    at = {(node, e): node for node in range(1 << n) for e in range(k)}
    steps = 0
    for line in text.splitlines():
        found = re.match(r"step (\d+): (.*)", line)
        if not found:
            continue
        steps += 1
        channels, moves = set(), []
        for move in found.group(2).split(", "):
            node, element, place, dimension = map(int, re.match(r"(\d+)\.(\d+) at (\d+) over (\d+)$", move).groups())
            if at[node, element] != place or (place, dimension) in channels or dimension >= n:
                return "step %d: %s" % (steps, move)
            channels.add((place, dimension))
            moves.append((node, element, place ^ 1 << dimension))
        for node, element, place in moves:
            at[node, element] = place
    # Element i is in node gray(i) before and in node i afterwards.
    lost = [key for key, place in at.items() if gray(place) != key[0]]
    return "%s is in the wrong node" % (lost[0],) if lost else steps


def check_schedule(n, k, most):
    text = output(SCRIPT, "schedule", str(n), str(k), "--steps", str(most), "--print")
    steps = replayed(n, k, text)
    if steps != most or steps * n >= k * (n - 1):
        return "n = %d, K = %d: %s" % (n, k, steps)
    lines = text.splitlines()
    broken = [line for line in lines if not line.startswith("step 3:")]
    doubled = [line + ", " + line.split(": ")[1].split(", ")[0] if line.startswith("step 3:") else line for line in lines]
    for bad in (broken, doubled):
        if isinstance(replayed(n, k, "\n".join(bad)), int):
            return "a broken schedule is not noticed"
    return None


def check_smallest():
    """A schedule for the smallest K of each n; below it divisible elements need more steps, which `least` proves."""
    for n, k, steps in ((3, 11, 7), (4, 7, 5), (5, 7, 5), (6, 8, 6)):
        wrong = check_schedule(n, k, steps)
        if wrong is not None:
            return wrong
    for n, k, steps in ((3, 11, 7), (4, 7, 5)):
        text = output(SCRIPT, "least", str(n))
        below = ", ".join(map(str, range(1, k)))
        if "K = %d in %d steps; proved impossible for K = %s; not decided: none" % (k, steps, below) not in text:
            return text
    return None


def check_flow():
    """Elements that have to leave three nodes of the 3-cube, or those that they stand for in larger ones, and the links for it."""
    for n in (3, 4, 5):
        top = n - 3
        leaving = sum(gray(number) >> top in (3, 6, 7) and number >> top not in (3, 6, 7) for number in range(1 << n))
        links = sum((node ^ 1 << d) >> top not in (3, 6, 7) for node in range(1 << n) if node >> top in (3, 6, 7) for d in range(n))
        if leaving * 5 != links * 3:
            return "n = %d: %d leave over %d links" % (n, leaving, links)
        text = output(SCRIPT, "flow", str(n))
        if "at least 0.6 K (%d K elements over %d links); 0.6 K found (12 for K = 20)" % (leaving, links) not in text:
            return text
    return None


def check_machine():
    for n, k in ((3, 6), (4, 5), (5, 3), (6, 3)):
        step = json.loads(output(CM200, "reshape", "--machine", ROOT + "/configs/cm200.json", "--from", str(1 << n + k),
                                 "--to", "x".join(["2"] * (n + k)), "--nodes", str(1 << n), "--algorithm", "detour",
                                 "--json"))["steps"][0]
        if step["steps"] * n >= (n - 1 << k) or step["exchanges"] != step["steps"] or step["elements_per_node"] != 1 << k:
            return "n = %d, K = %d: %d steps, %d exchanges" % (n, 1 << k, step["steps"], step["exchanges"])
        if step["checked"] is not True or step["link_load_max"] > step["steps"]:
            return "n = %d, K = %d: not checked, or a link with more elements than steps" % (n, 1 << k)
    return None


def main():
    checks = ((lambda: check_schedule(3, 60, 37), "n = 3, K = 60 in 37 steps, replayed"),
              (lambda: check_schedule(5, 32, 20), "n = 5, K = 32 in 20 steps, replayed"),
              (check_flow, "n = 3 to 5: the busiest link carries 0.6 K"),
              (check_smallest, "the smallest K for n = 3 to 6"),
              (check_machine, "fewer steps than the conjecture on the machine, n = 3 to 6"))
    print("1..%d" % len(checks))
    for number, (check, what) in enumerate(checks, 1):
        wrong = check()
        if wrong is not None:
            print("# " + wrong.strip())
        print("%sok %d - %s" % ("not " if wrong is not None else "", number, what), flush=True)


main()
