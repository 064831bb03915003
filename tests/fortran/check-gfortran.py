"""Programs as standard Fortran, compiled by gfortran: they print what the same program prints that gfortran reads itself,
what a program written by hand prints, or what an example must print.

usage: check-gfortran.py CM200 SOURCE_ROOT
"""

import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import Tap, arguments  # noqa: E402: the path is set above

FLAGS = ["-O1", "-ffp-contract=off", "-fno-frontend-optimize", "-fwrapv", "-fno-range-check",
         "-ffree-line-length-none", "-w"]
SEED = 1994
EXPRESSIONS = 500
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


def written(cm200, source, folder):
    target = os.path.join(folder, "written.f90")
    run([cm200, "compile", "--to", "fortran", "-o", target, source])
    return target


def lines_that_differ(found, expected):
    if found == expected:
        return []
    pairs = zip(found.splitlines() + [""] * 1000, expected.splitlines())
    return ["printed %r, not %r" % pair for pair in pairs if pair[0] != pair[1]][:3] or ["printed more lines"]


def compare(cm200, source, same, folder):
    """`same`: what gfortran reads itself."""
    expected = output_of(same, folder)
    if len(expected) < 100:
        raise Failed("%s prints too little for a test" % same)
    return lines_that_differ(output_of(written(cm200, source, folder), folder), expected)


def random_integer(draw, depth):
    """An expression whose value depends on how its operators bind; it divides by numbers from 2 on only."""
    if depth == 0:
        return draw.choice(["i", "j", "k", str(draw.randint(1, 9))])
    text = random_integer(draw, 0)
    for _ in range(draw.randint(1, 4)):
        operator = draw.choice(["+", "-", "*", "/", "**"])
        if operator in ("/", "**"):
            text += " %s %s" % (operator, draw.choice(["k", "n"]))
        elif draw.random() < 0.3:
            text += " %s (%s)" % (operator, random_integer(draw, depth - 1))
        else:
            text += " %s %s" % (operator, random_integer(draw, 0))
    return "-" * draw.randint(0, 1) + text


def random_logical(draw, depth):
    parts = []
    for _ in range(draw.randint(1, 5)):
        part = ".not. " * draw.randint(0, 1)
        kind = draw.randint(0, 2) if depth > 0 else 0
        if kind == 0:
            part += draw.choice(["l", "m", ".true.", ".false."])
        elif kind == 1:
            part += "%s %s %s" % (random_integer(draw, 1), draw.choice(["==", "/=", "<", ".le.", ".gt.", ">="]),
                                  random_integer(draw, 1))
        else:
            part += "(%s)" % random_logical(draw, depth - 1)
        parts.append(part)
    text = parts[0]
    for part in parts[1:]:
        text += " %s %s" % (draw.choice([".and.", ".or.", ".eqv.", ".neqv."]), part)
    return text


def check_operators(cm200, folder):
    """The tree has brackets around every operation, so gfortran's own precedence has no part in it."""
    draw = random.Random(SEED)
    lines = ["integer i, j, k, n", "logical l, m", "i = 5; j = -3; k = 2; n = 3; l = .true.; m = .false."]
    for _ in range(EXPRESSIONS):
        lines.append("print *, " + (random_integer(draw, 2) if draw.random() < 0.5 else random_logical(draw, 2)))
    source, tree = os.path.join(folder, "operators.f90"), os.path.join(folder, "tree.f90")
    with open(source, "w", encoding="ascii") as file:
        for line in lines + ["end"]:
            file.write(line.replace(" ** ", " ** &\n & ").replace(" .or. ", " &\n .or. ") + "\n")
    run([cm200, "compile", "--to", "tree", "-o", tree, source])
    return lines_that_differ(output_of(tree, folder), output_of(source, folder))


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
    cases = [("%s is read as gfortran reads it" % name, compare, (os.path.join(here, name), os.path.join(here, name)))
             for name in ("units.f90", "control.f", "arrays.f90")]
    cases.append(("machine.fcm is the program written by hand", compare,
                  (os.path.join(here, "machine.fcm"), os.path.join(here, "machine.same.f90"))))
    with tempfile.TemporaryDirectory() as folder:
        for title, check, files in cases:
            report(tap, title, lambda: check(cm200, *files, folder))
        report(tap, "operators bind as gfortran binds them, in %d expressions of seed %d" % (EXPRESSIONS, SEED),
               lambda: check_operators(cm200, folder))
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
    sys.exit(main(arguments(__doc__, 2, programs=["gfortran"])))
