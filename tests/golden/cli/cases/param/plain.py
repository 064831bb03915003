"""Prints a workload with its parameters' values written out, as Python computes them: plain.py WORKLOAD [NAME=INTEGER...]."""

import json
import sys
from fractions import Fraction


def value(text, names):
    text = text[1:].replace("(-", "(0-")
    result = eval(text.replace("/", "//"), {}, names)
    assert result == eval(text, {}, {name: Fraction(number) for name, number in names.items()})
    return int(result)


def plain(node, names):
    if isinstance(node, dict):
        return {key: plain(inner, names) for key, inner in node.items()}
    if isinstance(node, list):
        return [plain(inner, names) for inner in node]
    return value(node, names) if isinstance(node, str) and node.startswith("$") else node


workload = json.load(open(sys.argv[1]))
changed = dict(argument.split("=") for argument in sys.argv[2:])
names = {}
for name, number in workload.pop("parameters").items():
    names[name] = int(changed[name]) if name in changed else plain(number, names)
print(json.dumps(plain(workload, names)))
