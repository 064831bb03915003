"""The example programs, and those of tests/fortran/programs as users write them, against gfortran, on several numbers of nodes.

usage: check-examples.py CM200 FORTRAN-ORDER FOLDER-OF-THE-SOURCE [--nodes N] [NAME ...]
"""

import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import oracle  # noqa: E402
import tap  # noqa: E402

NODES = ("1", "64", "2048")
LEVELS = ("-O1", "-O2")
# A thorough run takes all of both. Any other one takes for each program one number of nodes and one level, in turn.
LEAST_NODES = {"figure-6.fcm": 64, "five-point.fcm": 64}  # its arrays need the memory of so many

# Number of nodes on which programs with the machine's order of evaluation are compared bit for bit.
ORDER_NODES = "64"

# Programs that add many real numbers in the machine's order, or take EXP and the like of the machine: how far their values may be apart.
RELATIVE = {
    "conjugate-gradients.fcm": 1e-9,
    "fft.fcm": 1e-12,
    "heat.fcm": 1e-5,
    "n-body.fcm": 1e-12,
    "shallow-water.fcm": 1e-9,
}


def check_order(cm200, order, path):
    """With the machine's order of evaluation gfortran prints the same bits."""
    with tempfile.TemporaryDirectory() as folder:
        wanted = oracle.expected_order(order, path, ORDER_NODES, folder)
    got = oracle.simulated(cm200, path, ["--nodes", ORDER_NODES])
    return ["order of evaluation, %s nodes: %s" % (ORDER_NODES, problem) for problem in oracle.compare(wanted, got)]


def check(cm200, order, path, all_nodes, levels):
    with tempfile.TemporaryDirectory() as folder:
        wanted = oracle.expected(cm200, path, folder)
    problems = check_order(cm200, order, path) if os.path.basename(path) in RELATIVE else []
    for nodes in all_nodes:
        got = oracle.simulated(cm200, path, ["--nodes", nodes])
        for problem in oracle.compare(wanted, got, RELATIVE.get(os.path.basename(path), 0.0)):
            problems.append("%s nodes: %s" % (nodes, problem))
        for level in levels:
            if oracle.simulated(cm200, path, ["--nodes", nodes, level]) != got:
                problems.append("%s nodes: %s prints something else than -O0" % (nodes, level))
    return problems


def programs(root):
    """Folder and name of each."""
    for folder in (os.path.join(root, "programs", "examples", "fortran"), os.path.join(root, "tests", "fortran", "programs")):
        for name in sorted(os.listdir(folder)):
            if name.endswith((".fcm", ".f90")):
                yield folder, name


def main():
    cm200, order, root, *names = tap.arguments(__doc__, 3, programs=["gfortran"])
    given = None
    if names[:1] == ["--nodes"]:
        given, names = names[1], names[2:]
    report = tap.Tap()
    for number, (folder, name) in enumerate(programs(root)):
        if names and name not in names:
            continue
        nodes = [given] if given else [nodes for nodes in NODES if int(nodes) >= LEAST_NODES.get(name, 1)]
        levels = LEVELS
        if tap.percent() < 100:
            nodes, levels = [nodes[number % len(nodes)]], [LEVELS[number % 2]]
        try:
            problems = check(cm200, order, os.path.join(folder, name), nodes, levels)
        except oracle.Failure as failure:
            problems = [failure]
        report.report("%s prints what gfortran prints" % name, problems)
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
