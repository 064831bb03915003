"""Prints whether a diff names every value in which two results differ, once, with its change, and no other."""

import json
import sys


def leaves(value, path):
    """(path, value) of what is not a container, or is empty."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from leaves(inner, path + "/" + key.replace("~", "~0").replace("/", "~1"))
    elif isinstance(value, list) and value:
        for number, inner in enumerate(value):
            yield from leaves(inner, "%s/%d" % (path, number))
    else:
        yield path, value


def flat(result, left_out):
    """All values by path, but some; those of a step below the place that it names."""
    rest = {key: value for key, value in result.items() if key not in left_out}
    found = dict(leaves(rest, ""))
    for step in result["steps"]:
        found.update(leaves(step, step["where"]))
    return found


def main():
    a, b, diff = (json.load(open(path)) for path in sys.argv[1:])
    left_out = {"host", "steps"} | ({"overrides"} if "machine_values" in a and "machine_values" in b else set())
    first, second = flat(a, left_out), flat(b, left_out)
    places = [{step["where"] for step in result["steps"]} for result in (a, b)]
    for place in places[0] ^ places[1]:  # a step that one lacks is named by its cycles alone
        for values in (first, second):
            for path in [path for path in values if path.startswith(place + "/") and path != place + "/cycles"]:
                del values[path]
    expected = {path: (first.get(path), second.get(path)) for path in set(first) | set(second)
                if path not in first or path not in second or first[path] != second[path]}
    printed = [entry for group in ("made_of", "totals", "causes", "steps", "channels", "other") for entry in diff[group]]
    problems = [path for path in expected if path not in {entry["path"] for entry in printed}]
    problems += [entry["path"] for entry in printed if expected.get(entry["path"]) != (entry["a"], entry["b"])]
    for entry in printed:
        numbers = all(type(entry[side]) in (int, float) for side in "ab")
        if numbers and entry["change"] is not None and entry["change"] != entry["b"] - entry["a"]:
            problems.append(entry["path"] + ": change")
    if len(printed) != len(expected) or diff["same"] != (not expected):
        problems.append("%d printed, %d expected" % (len(printed), len(expected)))
    changes = [abs(entry["change"]) for entry in diff["causes"] if entry["change"] is not None]
    if changes != sorted(changes, reverse=True):
        problems.append("causes are not in order")
    print("; ".join(problems) or "%d differences are right" % len(expected))


main()
