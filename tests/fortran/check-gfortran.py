"""Programs as standard Fortran, compiled by gfortran: they print what the same program prints that gfortran reads itself,
what a program written by hand prints, or what an example must print.

usage: check-gfortran.py CM200 SOURCE_ROOT
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import Tap, arguments, skip_all  # noqa: E402: the path is set above

FLAGS = ["-O1", "-ffp-contract=off", "-fno-frontend-optimize", "-fwrapv", "-w"]
NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:[Ee][-+]?\d+)?")


class Failed(Exception):
    pass


def run(command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, text=True, **more)
    if done.returncode != 0:
        raise Failed("%s: exit %d\n%s" % (" ".join(command), done.returncode, done.stdout))
    return done.stdout


def output_of(source, folder):
    """What the program prints that gfortran makes of a file."""
    program = os.path.join(folder, "program")
    run(["gfortran"] + FLAGS + ["-J", folder, "-o", program, source])
    return run([program], cwd=folder)


def written(cm200, source, folder, order="cm"):
    target = os.path.join(folder, "written.f90")
    run([cm200, "compile", "--to", "fortran", "--cshift-order", order, "-o", target, source])
    return target


def lines_that_differ(found, expected):
    if found == expected:
        return []
    pairs = zip(found.splitlines() + [""] * 1000, expected.splitlines())
    return ["printed %r, not %r" % pair for pair in pairs if pair[0] != pair[1]][:3] or ["printed more lines"]


def compare(cm200, source, same, folder, order):
    """`same`: what gfortran reads itself."""
    expected = output_of(same, folder)
    if len(expected) < 100:
        raise Failed("%s prints too little for a test" % same)
    return lines_that_differ(output_of(written(cm200, source, folder, order), folder), expected)


def splitmix64(seed, k):
    mask = 2 ** 64 - 1
    z = (seed + (k + 1) * 0x9E3779B97F4A7C15) & mask
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return z ^ (z >> 31)


def check_random(cm200, root, folder):
    """docs/fortran.md, "Random numbers": seed 1; 24, 53 and 31 bits."""
    found = NUMBER.findall(output_of(written(cm200, os.path.join(root, "tests/fortran/random.fcm"), folder), folder))
    expected = [(splitmix64(1, k) >> 40) / 2 ** 24 for k in range(4)]
    expected += [(splitmix64(1, k) >> 11) / 2 ** 53 for k in range(4, 6)]
    expected += [(splitmix64(1, k) >> 33) % 1000 for k in range(6, 8)]
    expected += [(splitmix64(7, 0) >> 11) / 2 ** 53]
    return [] if [float(n) for n in found] == expected else ["printed %s, not %s" % (found, expected)]


def check_example(cm200, source, folder, zeros):
    """An example prints `zeros` differences from another way to compute the same, and no other zero at a line's end."""
    text = output_of(written(cm200, source, folder), folder)
    ends = [float(NUMBER.findall(line)[-1]) for line in text.splitlines()]
    return [] if ends.count(0.0) == zeros else ["printed\n%s" % text]


def main(given):
    cm200, root = os.path.abspath(given[0]), os.path.abspath(given[1])
    tap = Tap()
    here = os.path.join(root, "tests", "fortran")
    examples = os.path.join(root, "programs", "examples", "fortran")
    cases = [("%s is read as gfortran reads it" % name, compare, (os.path.join(here, name), os.path.join(here, name)), "f90")
             for name in ("units.f90", "control.f", "arrays.f90")]
    cases.append(("machine.fcm is the program written by hand", compare,
                  (os.path.join(here, "machine.fcm"), os.path.join(here, "machine.same.f90")), "cm"))
    with tempfile.TemporaryDirectory() as folder:
        for title, check, files, order in cases:
            report(tap, title, lambda: check(cm200, *files, folder, order))
        report(tap, "random numbers are splitmix64's", lambda: check_random(cm200, root, folder))
        for name, zeros in (("figure-5", 1), ("figure-6", 8), ("figure-7", 1)):
            report(tap, "%s agrees with CSHIFT" % name,
                   lambda: check_example(cm200, os.path.join(examples, name + ".fcm"), folder, zeros))
    return tap.done()


def report(tap, title, check):
    try:
        tap.report(title, check())
    except (Failed, subprocess.TimeoutExpired) as fault:
        tap.report(title, [str(fault)])


if __name__ == "__main__":
    if shutil.which("gfortran") is None:
        skip_all("gfortran is not installed")
    sys.exit(main(arguments(__doc__, 2)))
