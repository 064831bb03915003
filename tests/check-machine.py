"""Compares everything that lists the keys of a machine description with sim/machine/config.def, the only list.

usage: check-machine.py SOURCE_ROOT           compare; prints TAP
       check-machine.py SOURCE_ROOT --table   print the table of docs/machine.md, to paste there

Compared are configs/machine.schema.json (keys, ranges, descriptions), the shipped machines (every number with its
source), and the table of docs/machine.md (keys, units, ranges, and what cm200.json says).
"""

import json
import os
import re
import sys

from tap import Tap, arguments

LINE = re.compile(r'^CM_CONFIG\((\w+), (\w+), (u32|u64), (\d+), (\d+),\s*"([^"]*)"\)', re.M)
CLOCK = ("", "clock_hz", 1, 10 ** 12, "cycles a second")
OTHERS = ["$schema", "format", "name", "notes"]
SHIPPED = ("cm200.json", "cm200-first-fit.json", "cm2.json", "cube8.json")
TABLE = re.compile(r"<!-- keys -->\n(.*?)<!-- end of keys -->", re.S)


def read(root, *parts):
    with open(os.path.join(root, *parts), encoding="utf-8") as file:
        return file.read()


def read_keys(root):
    """(section, key, minimum, maximum, what) of each key; the clock, which has no section, first."""
    text = read(root, "sim", "machine", "config.def")
    found = [(m[1], m[2], int(m[4]), int(m[5]), m[6]) for m in LINE.finditer(text)]
    if len(found) != len(re.findall(r"^CM_CONFIG\(", text, re.M)):
        sys.exit("check-machine.py: can't read every line of sim/machine/config.def")
    return [CLOCK] + found


def unit_of(key):
    if key.endswith("cycles"):
        return "cycles"
    if key.endswith("words"):
        return "32-bit words"
    if key.endswith("_us"):
        return "microseconds"
    if key.endswith("_ns"):
        return "nanoseconds"
    return "Hz" if key.endswith("_hz") else ""


def describe(key, what):
    unit = unit_of(key)
    return "%s (%s)" % (what, unit) if unit else what


def in_section(document, section):
    return document[section] if section else document


def schema_problems(schema, section, key, low, high, what):
    """What the schema says of one key that config.def does not."""
    place = schema["properties"][section] if section else schema
    entry = place.get("properties", {}).get(key)
    if entry is None:
        yield "the schema does not have it"
        return
    if key not in place["required"]:
        yield "the schema does not require it"
    expected = {"$ref": "#/$defs/number", "description": describe(key, what), "minimum": low, "maximum": high,
                "properties": {"value": {"minimum": low, "maximum": high}}}
    for member in sorted(expected.keys() | entry.keys()):
        if entry.get(member) != expected.get(member):
            yield "%s is %r, expected %r" % (member, entry.get(member), expected.get(member))


def check_schema(tap, root, keys):
    schema = json.loads(read(root, "configs", "machine.schema.json"))
    for section, key, low, high, what in keys:
        path = "%s.%s" % (section, key) if section else key
        try:
            problems = list(schema_problems(schema, section, key, low, high, what))
        except KeyError as fault:
            problems = ["the schema lacks %s" % fault]
        tap.report("the schema agrees on %s" % path, problems)
    sections = {section for section, *_ in keys if section}
    known = {section: {key for s, key, *_ in keys if s == section} for section in sections}
    extra = sorted(schema["properties"].keys() - sections - set(OTHERS) - {"clock_hz"})
    for section in sorted(sections & schema["properties"].keys()):
        extra += sorted("%s.%s" % (section, key)
                        for key in schema["properties"][section]["properties"].keys() - known[section])
    tap.report("the schema has no other keys", ("%s is not in config.def" % name for name in extra))
    objects = [("the top level", schema), ("a number", schema["$defs"]["number"])]
    objects += [(section, schema["properties"].get(section, {})) for section in sorted(sections)]
    tap.report("the schema is strict everywhere", ("%s allows unknown keys" % name for name, entry in objects
                                                   if entry.get("additionalProperties") is not False))
    expected = sections | {"format", "name", "clock_hz"}
    tap.report("the schema requires every section, format, name and clock_hz, and nothing else",
               sorted(expected ^ set(schema["required"])))


def check_shipped(tap, root, keys):
    for name in SHIPPED:
        machine = json.loads(read(root, "configs", name))
        problems = []
        for section, key, low, high, _ in keys:
            number = in_section(machine, section).get(key)
            if not isinstance(number, dict) or set(number) != {"value", "source", "status"}:
                problems.append("%s.%s is not given with its source and status" % (section, key))
            elif not low <= number["value"] <= high:
                problems.append("%s.%s is out of range" % (section, key))
        tap.report("%s: every number has its source" % name, problems)


def table(root, keys):
    machine = json.loads(read(root, "configs", "cm200.json"))
    lines = ["| Key | What it is | Unit | Range | CM-200 | Status | Source |", "|---|---|---|---|---|---|---|"]
    for section, key, low, high, what in keys:
        number = in_section(machine, section)[key]
        lines.append("| `%s` | %s | %s | %d..%d | %d | %s | %s |" % (
            "%s.%s" % (section, key) if section else key, what, unit_of(key) or "-", low, high,
            number["value"], number["status"], number["source"]))
    return "\n".join(lines) + "\n"


def check_table(tap, root, keys):
    found = TABLE.search(read(root, "docs", "machine.md"))
    if not found:
        tap.report("docs/machine.md has the table of keys", ["no text between <!-- keys --> and <!-- end of keys -->"])
        return
    shown, expected = found[1].strip().split("\n"), table(root, keys).strip().split("\n")
    problems = ["missing: %s" % line for line in expected if line not in shown]
    problems += ["wrong: %s" % line for line in shown if line not in expected]
    if not problems and shown != expected:
        problems = ["the order differs from config.def"]
    tap.report("the table of docs/machine.md is that of config.def and cm200.json", problems)


def main(given):
    root = given[0]
    keys = read_keys(root)
    if "--table" in given:
        print(table(root, keys), end="")
        return 0
    tap = Tap()
    check_schema(tap, root, keys)
    check_shipped(tap, root, keys)
    check_table(tap, root, keys)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main(arguments(__doc__, 1)))
