"""Random CM Fortran programs against gfortran, bit for bit, on random numbers of nodes; and transform.f90 with the notes of its profile.

usage: check-random.py CM200 FORTRAN-ORDER [--cases N] [--rounding N] [--onto N] [--seed S] [--keep FOLDER]

Programs with sums, EXP and the like (--rounding) are written for gfortran with the machine's order of evaluation (FORTRAN-ORDER, the
program of tests/fortran/order). A program is skipped if that order depends on values that are known only when it runs.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import oracle  # noqa: E402
import tap  # noqa: E402
from random_onto import Onto  # noqa: E402
from random_program import Program  # noqa: E402
from random_stencils import Stencils  # noqa: E402
from rounding_program import RoundingProgram  # noqa: E402


LEVELS = ("-O0", "-O1", "-O2")


def write(text, seed, folder):
    path = os.path.join(folder, "random-%d.f90" % seed)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path, str(2 ** random.Random(seed).randint(0, 11))


def compare(cm200, path, nodes, wanted):
    return ["%s nodes, %s: %s" % (nodes, level, problem) for level in LEVELS
            for problem in oracle.compare(wanted, oracle.simulated(cm200, path, ["--nodes", nodes, level]))]


def check(cm200, _, seed, folder, __):
    path, nodes = write(Program(seed).text(), seed, folder)
    return compare(cm200, path, nodes, oracle.expected(cm200, path, folder))


def check_shifts(cm200, _, seed, folder, __):
    path, nodes = write(Stencils(seed).text(), seed, folder)
    return compare(cm200, path, nodes, oracle.expected(cm200, path, folder))


def check_rounding(cm200, order, seed, folder, shared):
    """Returns None if the program is skipped."""
    path, nodes = write(RoundingProgram(seed).text(), seed, folder)
    try:
        wanted = oracle.expected_order(order, path, nodes, folder, shared)
    except oracle.Failure as failure:
        if "order of evaluation unknown: " in str(failure):
            return None
        raise
    return compare(cm200, path, nodes, wanted)


def check_onto(cm200, _, seed, folder, counts):
    """Counts in `counts` the runs, those that need more memory, and those that store results in bands."""
    program, problems = Onto(seed), []
    path, _ = write(program.text(), seed, folder)
    wanted, memory = oracle.expected(cm200, path, folder), "memory.words=%d" % program.memory()
    for level in LEVELS:
        command = [cm200, "run", "--json", level, "--nodes", str(program.nodes), "--set", memory, path]
        done = subprocess.run(command, capture_output=True, text=True, timeout=oracle.SECONDS, check=False)
        counts["runs"] += 1
        if done.returncode != 0 and "node memory" in done.stderr:
            counts["refused"] += 1
            continue
        if done.returncode != 0:
            problems.append("%s: exit code %d: %s" % (level, done.returncode, done.stderr.strip()[-300:]))
            continue
        step = json.loads(done.stdout)["steps"][0]
        counts["bands"] += any("stored in bands" in line.get("note", "") for line in step["lines"])
        problems += ["%s: %s" % (level, problem) for problem in oracle.compare(wanted, "\n".join(step["output"]))]
    return problems


def report_onto(report, programs, options):
    counts, problems = {"runs": 0, "refused": 0, "bands": 0}, []
    for seed in range(options.seed, options.seed + options.onto):
        with tempfile.TemporaryDirectory() as folder:
            try:
                found = check_onto(*programs, seed, folder, counts)
            except oracle.Failure as failure:
                found = [failure]
            if found and options.keep:
                shutil.copy(os.path.join(folder, "random-%d.f90" % seed), options.keep)
        problems += ["seed %d: %s" % (seed, problem) for problem in found]
    # few programs may all need more memory
    if counts["runs"] >= 60 and (counts["bands"] * 5 < counts["runs"] or counts["refused"] * 3 > counts["runs"]):
        problems.append("of %(runs)d runs %(refused)d need more memory and %(bands)d store results in bands" % counts)
    report.report("%d random programs with little node memory print what gfortran prints, seeds from %d" % (options.onto, options.seed),
                  problems)
    return counts


def check_all(programs, function, seeds, keep):
    """Problems of all programs, and how many of them were skipped."""
    problems, skipped = [], 0
    with tempfile.TemporaryDirectory() as shared:
        for seed in seeds:
            with tempfile.TemporaryDirectory() as folder:
                try:
                    found = function(*programs, seed, folder, shared)
                except oracle.Failure as failure:
                    found = [failure]
                if found and keep:
                    shutil.copy(os.path.join(folder, "random-%d.f90" % seed), keep)
            skipped += found is None
            problems += ["seed %d: %s" % (seed, problem) for problem in found or []]
    return problems, skipped


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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cm200")
    parser.add_argument("order", metavar="FORTRAN-ORDER")
    parser.add_argument("--cases", type=int, default=tap.cases(60))
    parser.add_argument("--rounding", type=int, default=tap.cases(12))
    parser.add_argument("--onto", type=int, default=tap.cases(20))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", help="a folder for the programs that fail")
    options = parser.parse_args()
    tap.skip_without(programs=["gfortran"])
    report, programs = tap.Tap(), (options.cm200, options.order)
    for function, what, count in ((check, "programs", options.cases), (check_shifts, "programs of many shifts", (options.cases + 2) // 3)):
        problems, _ = check_all(programs, function, range(options.seed, options.seed + count), options.keep)
        report.report("%d random %s print what gfortran prints, seeds from %d" % (count, what, options.seed), problems)
    problems, skipped = check_all(programs, check_rounding, range(options.seed, options.seed + options.rounding), options.keep)
    if skipped * 2 > options.rounding:
        problems.append("the order of evaluation is unknown in more than half of the programs")
    report.report("%d random programs that round print what gfortran prints in the machine's order, %d not known, seeds from %d"
                  % (options.rounding, skipped, options.seed), problems)
    report_onto(report, programs, options)
    with tempfile.TemporaryDirectory() as folder:
        report.report("transform.f90 prints what gfortran prints, and the library refuses only what it says",
                      check_transform(options.cm200, folder))
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
