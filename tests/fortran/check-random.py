"""Random CM Fortran programs against gfortran, bit for bit, on random numbers of nodes; and transform.f90 with the notes of its profile.

usage: check-random.py CM200 [--cases N] [--seed S] [--keep FOLDER]
"""

import argparse
import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import oracle  # noqa: E402
import tap  # noqa: E402
from random_program import Program  # noqa: E402
from random_stencils import Stencils  # noqa: E402


LEVELS = ("-O0", "-O1", "-O2")


def check(cm200, kind, seed, folder):
    path = os.path.join(folder, "%s-%d.f90" % (kind.__name__.lower(), seed))
    with open(path, "w", encoding="utf-8") as file:
        file.write(kind(seed).text())
    nodes = str(2 ** random.Random(seed).randint(0, 11))
    wanted = oracle.expected(cm200, path, folder)
    return ["%s nodes, %s: %s" % (nodes, level, problem) for level in LEVELS
            for problem in oracle.compare(wanted, oracle.simulated(cm200, path, ["--nodes", nodes, level]))]


# Parts of lines of transform.f90 that --profile marks as done in the front end because the library refused.
REFUSED = {"l = matmul(l, l)"}


def check_transform(cm200, folder):
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "transform.f90")
    wanted, problems = oracle.expected(cm200, path, folder), []
    for nodes in ("1", "8", "64", "2048"):
        for level in LEVELS:
            got = oracle.simulated(cm200, path, ["--nodes", nodes, level])
            problems += ["%s nodes, %s: %s" % (nodes, level, problem) for problem in oracle.compare(wanted, got)]
    lines = oracle.run([cm200, "run", "--profile", path], "cm200 run --profile").splitlines()
    refused = [lines[i - 1].strip() for i, line in enumerate(lines) if "| front end: " in line]
    if len(refused) != len(REFUSED) or not all(any(line.endswith(part) for part in REFUSED) for line in refused):
        problems.append("the library refused %s, not %s" % (refused, sorted(REFUSED)))
    return problems


def check_all(options, kind, cases):
    problems = []
    for seed in range(options.seed, options.seed + cases):
        with tempfile.TemporaryDirectory() as folder:
            try:
                found = check(options.cm200, kind, seed, options.keep or folder)
            except oracle.Failure as failure:
                found = [failure]
        problems += ["seed %d: %s" % (seed, problem) for problem in found]
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cm200")
    parser.add_argument("--cases", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", help="a folder for the programs that fail")
    options = parser.parse_args()
    if oracle.gfortran() is None:
        tap.skip_all("gfortran is not installed")
    report = tap.Tap()
    for kind, what, cases in ((Program, "programs", options.cases), (Stencils, "programs of many shifts", (options.cases + 2) // 3)):
        report.report("%d random %s print what gfortran prints, seeds from %d" % (cases, what, options.seed),
                      check_all(options, kind, cases))
    with tempfile.TemporaryDirectory() as folder:
        report.report("transform.f90 prints what gfortran prints, and the library refuses only what it says",
                      check_transform(options.cm200, folder))
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
