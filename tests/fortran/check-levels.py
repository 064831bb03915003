"""A higher level of optimization is not slower: the examples on 64 nodes, and programs of tests/fortran over a range of subgrids.

usage: check-levels.py CM200 FOLDER-OF-THE-SOURCE [--nodes N]
"""

import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tap  # noqa: E402

ALLOWED = 1.02  # cycles, of those of the level below
SIZES = (8, 16, 32, 64, 128)  # a side; 1 to 256 elements a node of 64


def cycles(cm200, path, nodes, level, options=()):
    command = [cm200, "run", "--json", "--nodes", nodes, "-O%d" % level, path, *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode != 0:
        raise RuntimeError("%s: exit code %d: %s" % (" ".join(command), done.returncode, done.stderr.strip()))
    return json.loads(done.stdout)["cycles"]


def check(cm200, path, nodes, options=()):
    problems = []
    before = cycles(cm200, path, nodes, 0, options)
    for level in (1, 2):
        now = cycles(cm200, path, nodes, level, options)
        if now > before * ALLOWED:
            problems.append("-O%d takes %d cycles, -O%d %d" % (level, now, level - 1, before))
        before = now
    return problems


def main():
    cm200, root, *names = tap.arguments(__doc__, 2)
    nodes = names[1] if names[:1] == ["--nodes"] else "64"
    report = tap.Tap()
    folder = os.path.join(root, "programs", "examples", "fortran")
    for name in sorted(os.listdir(folder)):
        if name.endswith((".fcm", ".f90")):
            report.report("%s is not slower at a higher level" % name, check(cm200, os.path.join(folder, name), nodes))
    for name, size in ((name, size) for name in ("subgrids.fcm", "neighbours.fcm") for size in SIZES):
        problems = check(cm200, os.path.join(root, "tests", "fortran", name), nodes, ("--param", "N=%d" % size))
        report.report("%s with arrays of %d x %d is not slower at a higher level" % (name, size, size), problems)
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
