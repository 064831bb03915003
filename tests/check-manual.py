"""The manual is complete: it has every key of a workload, every page, every example and every command.

usage: check-manual.py SOURCE_ROOT CM200
"""

import glob
import json
import os
import re
import subprocess
import sys

import source
from tap import Tap, arguments


def read(root, path):
    return source.read(os.path.join(root, path))


def keys_of_steps(schema):
    """(name of the step, its keys), with the keys next to the name."""
    for kind in schema["$defs"]["step"]["allOf"]:
        step = kind["then"]
        names = list(step["properties"])
        yield names[0], list(step["properties"][names[0]].get("properties", {})) + names[1:]


def section(page, name):
    """The text below the heading that names a step, up to the next heading."""
    for part in re.split(r"^## ", page, flags=re.M)[1:]:
        title, text = part.split("\n", 1)
        if name == title:
            return text
    return None


def documents(text, key):
    return re.search(r'[`"]%s[`"]' % re.escape(key), text) is not None


def workload_problems(root):
    schema = json.loads(read(root, "configs/workload.schema.json"))
    page = read(root, "docs/workload.md")
    array = schema["$defs"]["array"]["properties"]
    problems = ["no key of the file: %s" % key for key in schema["properties"] if not documents(page, key)]
    problems += ["no key of an array: %s" % key for key in array if not documents(page, key)]
    problems += ["no key of a mesh: %s" % key for key in array["mesh"]["properties"] if not documents(page, key)]
    steps = read(root, "docs/steps.md")
    for name, keys in keys_of_steps(schema):
        text = section(steps, name)
        if text is None:
            problems.append("no section for %s" % name)
            continue
        problems += ["%s: no %s" % (name, key) for key in keys if not documents(text, key)]
    return problems


def listed_problems(root, page, folder, pattern, how):
    text = read(root, page)
    names = sorted(os.path.relpath(path, os.path.join(root, folder))
                   for path in glob.glob(os.path.join(root, folder, pattern), recursive=True))
    return ["%s is not listed" % name for name in names if name != os.path.basename(page) and how % name not in text]


def command_problems(root, cm200):
    text = read(root, "docs/README.md")
    done = subprocess.run([cm200, "help", "--json"], capture_output=True, check=True)
    names = [command["name"] for command in json.loads(done.stdout)["commands"]]
    return ["no cm200 %s" % name for name in names if "cm200 %s" % name not in text]


def main(given):
    root = os.path.realpath(given[0])
    tap = Tap()
    tap.report("docs/workload.md documents every key of the schema", workload_problems(root))
    tap.report("docs/README.md lists every page",
               listed_problems(root, "docs/README.md", "docs", "*.md", "(%s)") +
               listed_problems(root, "docs/README.md", "docs", "programs/*.md", "(%s)"))
    tap.report("programs/examples/README.md lists every example",
               listed_problems(root, "programs/examples/README.md", "programs/examples", "**/*.json", "`%s`"))
    tap.report("docs/README.md lists every command", command_problems(root, given[1]))
    return tap.done()


if __name__ == "__main__":
    sys.exit(main(arguments(__doc__, 2)))
