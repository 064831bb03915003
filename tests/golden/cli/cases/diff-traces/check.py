"""Prints whether a diff of traces agrees with the results and exported tables of the same runs."""

import csv
import json
import sys


def table(name):
    with open(name, newline="") as file:
        return list(csv.DictReader(file))


def changes(first, second):
    """The numbers that differ, of two dicts."""
    keys = list(first) + [key for key in second if key not in first]
    return {key: (first.get(key), second.get(key)) for key in keys if first.get(key) != second.get(key)}


def printed(diff, group, prefix):
    return {entry["path"][len(prefix):]: (entry["a"], entry["b"]) for entry in diff[group]
            if entry["path"].startswith(prefix)}


def busy(name):
    return {"node %s dimension %s channel %s" % (row["node"], row["dimension"], row["channel"]): int(row["busy_cycles"])
            for row in table(name + "-channels.csv")}


def check_counts(a, b, diff, names):
    problems = []
    for key in ("cycles", "exchanges"):
        expected = {"": (a[key], b[key])} if a[key] != b[key] else {}
        if printed(diff, "totals", "/" + key) != expected:
            problems.append(key)
    if printed(diff, "causes", "/cycles_by_cause/") != changes(a["cycles_by_cause"], b["cycles_by_cause"]):
        problems.append("causes")
    for step, other in zip(a["steps"], b["steps"]):
        if step["where"] == other["where"] and step["op"] == other["op"]:
            expected = changes(step["cycles_by_cause"], other["cycles_by_cause"])
            if printed(diff, "steps", step["where"] + "/cycles_by_cause/") != expected:
                problems.append(step["where"])
    sums = [busy(name) for name in names]
    expected = {key: pair for key, pair in changes(*sums).items() if any(pair)}
    if printed(diff, "channels", "/channels/node ") != {key[5:]: pair for key, pair in expected.items()}:
        problems.append("channels")
    sizes = [abs(entry["change"]) for entry in diff["channels"] if entry["change"] is not None]
    if sizes != sorted(sizes, reverse=True):
        problems.append("channels are not in order")
    return problems


def check_first(diff, names):
    """The first packet that differs in the exported tables is not before the first difference."""
    first = diff["first_difference"]
    if diff["same"]:
        return ["first_difference"] if first is not None else []
    if first["packet"] is None:
        before = [first[side]["first_cycle"] for side in "ab" if first[side] is not None]
        return [] if min(before) == first["cycle"] else ["first cycle"]
    packets = [table(name + "-packets.csv") for name in names]
    other = [n for n, (one, two) in enumerate(zip(*packets)) if one != two]
    return [] if other and other[0] == first["packet"] else ["first packet %s, %s" % (first["packet"], other[:1])]


def main():
    names = sys.argv[1:3]
    a, b = (json.load(open(name + ".json")) for name in names)
    diff = json.load(open(sys.argv[3]))
    problems = check_counts(a, b, diff, names) + check_first(diff, names)
    same = {key: value for key, value in a.items() if key != "host"} == {key: value for key, value in b.items() if key != "host"}
    if same != diff["same"]:
        problems.append("same")
    print("; ".join(problems) or "agrees with results and tables")


main()
