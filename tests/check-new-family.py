"""What scripts/new-family writes: the files and registrations of a family, and nothing else.

usage: check-new-family.py SOURCE_ROOT
"""

import os
import shutil
import subprocess
import sys
import tempfile

from tap import Tap, arguments

CHANGED = ("cm200.h", "meson.build", "programs/meson.build", "tests/check-structure.py")
NEW = ("programs/knot/knot.c", "programs/knot/knot.h", "programs/knot/meson.build")
LINES = {
    "cm200.h": '#include "programs/knot/knot.h"',
    "meson.build": "  'programs/knot': knot_headers,",
    "programs/meson.build": "subdir('knot')",
    "tests/check-structure.py": '    "programs/knot": CORE + ("programs/knot",),',
}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def run(copy, *given):
    return subprocess.run([sys.executable, os.path.join(copy, "scripts", "new-family"), *given], capture_output=True,
                          encoding="utf-8", check=False)


def listing(folder):
    return sorted(os.path.relpath(os.path.join(here, name), folder) for here, _, names in os.walk(folder) for name in names)


def copy_of(root, folder):
    for path in CHANGED + ("scripts/new-family",):
        os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
        shutil.copyfile(os.path.join(root, path), os.path.join(folder, path))


def rules_of(path):
    """FAMILIES and ALLOWED of a check-structure.py."""
    text = read(path)
    scope = {}
    exec(compile(text[text.index("SIM = "):text.index("ROOMS = ")], path, "exec"), scope)
    return scope["FAMILIES"], scope["ALLOWED"]


def written_problems(root, copy):
    if listing(copy) != sorted(CHANGED + NEW + ("scripts/new-family",)):
        yield "the files are %s" % listing(copy)
        return
    for path in CHANGED:
        before, after = read(os.path.join(root, path)).split("\n"), read(os.path.join(copy, path)).split("\n")
        if after.count(LINES[path]) != 1:
            yield "%s has the line %d times: %s" % (path, after.count(LINES[path]), LINES[path])
        if path != "tests/check-structure.py" and [line for line in after if line != LINES[path]] != before:
            yield "%s: other lines are changed" % path
    header = read(os.path.join(copy, "programs/knot/knot.h"))
    if not header.startswith("/*\n * Ties knots.\n */\n#ifndef CM_PROGRAMS_KNOT_KNOT_H\n"):
        yield "the header begins: %s" % header[:100]


def rules_problems(root, copy):
    families, allowed = rules_of(os.path.join(root, "tests/check-structure.py"))
    new_families, new_allowed = rules_of(os.path.join(copy, "tests/check-structure.py"))
    if set(new_families) - set(families) != {"programs/knot"} or len(new_families) != len(families) + 1:
        yield "FAMILIES is %s" % (new_families,)
    for room in allowed:
        if set(new_allowed[room]) - set(allowed[room]) - {"programs/knot"} or set(allowed[room]) - set(new_allowed[room]):
            yield "%s may include %s" % (room, new_allowed[room])
    if "programs/knot" not in new_allowed["programs/workload"] or "programs/system" not in new_allowed["programs/knot"]:
        yield "the rules of the new family are missing"


def refusal_problems(copy, code, *given):
    before = {path: read(os.path.join(copy, path)) for path in listing(copy)}
    done = run(copy, *given)
    if done.returncode != code or not done.stderr or "Traceback" in done.stderr:
        yield "exit code %d: %s" % (done.returncode, done.stderr[-300:])
    if {path: read(os.path.join(copy, path)) for path in listing(copy)} != before:
        yield "files are changed"


def main(given):
    root, tap = given[0], Tap()
    with tempfile.TemporaryDirectory() as copy:
        copy_of(root, copy)
        tap.report("without a name it prints its usage", refusal_problems(copy, 2))
        for name in ("Knot", "9knots", "../knot"):
            tap.report("it refuses the name %s" % name, refusal_problems(copy, 1, name))
        done = run(copy, "knot", "Ties knots.")
        tap.report("it makes a family", [] if done.returncode == 0 else [done.stderr])
        tap.report("the family is registered once, and other lines stay", written_problems(root, copy))
        tap.report("the family may include programs/system, and rooms above may include it", rules_problems(root, copy))
        tap.report("it refuses a family that exists", refusal_problems(copy, 1, "knot"))
    return tap.done()


if __name__ == "__main__":
    sys.exit(main(arguments(__doc__, 1)))
