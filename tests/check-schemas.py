"""Validates the shipped files against the JSON Schemas, and sees that the schemas refuse bad ones.

usage: check-schemas.py SOURCE_ROOT

The machines of configs/ must match configs/machine.schema.json, programs/examples/**/*.json configs/workload.schema.json. Each
file of tests/golden/schema-bad is a list of edits, each of which makes a shipped file wrong:
  {"schema": "machine" | "workload", "base": "configs/cm200.json",
   "cases": [{"name": "...", "set": {"/pointer": value}, "remove": ["/pointer"]}]}
The messages must name the key that an edit changes, or that "names" says.
"""

import copy
import glob
import json
import os
import sys

from tap import Tap, arguments, skip_all

GIVEN = arguments(__doc__, 1, modules=["jsonschema"])

import jsonschema  # noqa: E402: without it the check was skipped above


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def problems_of(validator, document):
    found = sorted(validator.iter_errors(document), key=lambda error: [str(part) for part in error.absolute_path])
    return ["/%s: %s" % ("/".join(map(str, error.absolute_path)), error.message) for error in found]


def step_into(document, part):
    return document[int(part)] if isinstance(document, list) else document[part]


def edit(document, pointer, apply):
    """Applies apply(container, key) at an RFC 6901 pointer; the last part may be new, "-" appends to a list."""
    parts = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    for part in parts[:-1]:
        document = step_into(document, part)
    key = parts[-1]
    if isinstance(document, list):
        key = len(document) if key == "-" else int(key)
    apply(document, key)


def put(value):
    def apply(container, key):
        if isinstance(container, list) and key == len(container):
            container.append(value)
        else:
            container[key] = value
    return apply


def drop(container, key):
    del container[key]


def make_bad(document, case):
    bad = copy.deepcopy(document)
    for pointer in case.get("remove", []):
        edit(bad, pointer, drop)
    for pointer, value in case.get("set", {}).items():
        if pointer == "":
            return value
        edit(bad, pointer, put(value))
    return bad


def check_bad(tap, root, path, validators):
    group = load(path)
    if not os.path.exists(os.path.join(root, group["base"])):
        return tap.report("refused: %s" % os.path.basename(path), ["there is no %s to edit" % group["base"]])
    document = load(os.path.join(root, group["base"]))
    for case in group["cases"]:
        name = "the %s schema refuses: %s" % (group["schema"], case["name"])
        try:
            bad = make_bad(document, case)
        except (KeyError, IndexError) as fault:
            tap.report(name, ["the edit does not fit %s: no %s" % (group["base"], fault)])
            continue
        tap.report(name, message_problems(case, problems_of(validators[group["schema"]], bad)))
    return True


# What a validator says about alternatives: it names no key.
VAGUE = ("under any of the given schemas", "under each of", "should not be valid under")


def message_problems(case, problems):
    """A refusal says what is wrong where: each key that was changed is in a message or in its place."""
    if not problems:
        yield "it was accepted"
    yield from (problem for problem in problems if any(words in problem for words in VAGUE))
    pointers = [case["names"]] if "names" in case else [*case.get("set", {}), *case.get("remove", [])]
    for pointer in pointers:
        key = next((part for part in reversed(pointer.split("/")) if part and part != "-" and not part.isdigit()), "")
        if not any(key in problem for problem in problems):
            yield "%s is not named: %s" % (key, problems)


def make_validator(tap, root, name):
    path = os.path.join(root, "configs", "%s.schema.json" % name)
    schema = load(path)
    chosen = jsonschema.validators.validator_for(schema)
    try:
        chosen.check_schema(schema)
        tap.report("%s.schema.json is a valid schema" % name)
    except jsonschema.SchemaError as fault:
        tap.report("%s.schema.json is a valid schema" % name, [fault.message])
    return chosen(schema)


def main(given):
    root = given[0]
    missing = [name for name in ("machine", "workload")
               if not os.path.exists(os.path.join(root, "configs", "%s.schema.json" % name))]
    if missing:
        skip_all("no schema for: %s" % ", ".join(missing))
    tap = Tap()
    validators = {name: make_validator(tap, root, name) for name in ("machine", "workload")}
    machines = sorted(path for path in glob.glob(os.path.join(root, "configs", "*.json"))
                      if not path.endswith((".schema.json", "-machines.json")))
    workloads = sorted(glob.glob(os.path.join(root, "programs", "examples", "**", "*.json"), recursive=True))
    for name, paths in (("machine", machines), ("workload", workloads)):
        tap.report("there are %s files to check" % name, [] if paths else ["none was found"])
        for path in paths:
            tap.report("%s matches the %s schema" % (os.path.relpath(path, root), name),
                       problems_of(validators[name], load(path)))
    for path in sorted(glob.glob(os.path.join(root, "tests", "golden", "schema-bad", "*.json"))):
        check_bad(tap, root, path, validators)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main(GIVEN))
