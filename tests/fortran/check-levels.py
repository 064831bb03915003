"""A higher level of optimization is not slower: the examples on 64 nodes, and tests/fortran/subgrids.fcm over a range of subgrids.

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

# Where -O2 is slower, and by how much: its halos are exchanged array by array, and here each of two arrays has one neighbour, while
# the PSHIFT of -O1 serves both arrays with the same exchanges.
SLOWER = {("matmul.fcm", 2): 1.04}


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
        if now > before * SLOWER.get((os.path.basename(path), level), ALLOWED):
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
    path = os.path.join(root, "tests", "fortran", "subgrids.fcm")
    for size in SIZES:
        problems = check(cm200, path, nodes, ("--param", "N=%d" % size))
        report.report("arrays of %d x %d are not slower at a higher level" % (size, size), problems)
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
