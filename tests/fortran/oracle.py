"""gfortran as the oracle of CM Fortran: a program is written as standard Fortran 90, compiled by gfortran and run. Its output is compared
with the output of cm200, as values. `cm200 compile --to fortran` writes the program, or, with the machine's order of evaluation,
tests/fortran/order."""

import hashlib
import math
import os
import subprocess

# Without these gfortran rounds or regroups in ways that the machine cannot follow.
FLAGS = ["-O1", "-ffp-contract=off", "-fno-frontend-optimize", "-fwrapv", "-fcx-fortran-rules"]
SECONDS = 120


class Failure(Exception):
    pass


def run(command, what, folder=None):
    """The standard output of a command, which must succeed."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, cwd=folder, check=False)
    except subprocess.TimeoutExpired:
        raise Failure("%s takes more than %d s" % (what, SECONDS)) from None
    if done.returncode != 0:
        raise Failure("%s: exit code %d\n%s%s" % (what, done.returncode, done.stdout[-1000:], done.stderr[-2000:]))
    return done.stdout


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def modules(text, folder):
    """Compiles the modules in front of a program once for all programs that have the same; the options that use them, and the
    rest of the text."""
    end = text.rfind("\nend module\n") + len("\nend module\n")
    name = "m" + hashlib.sha256(text[:end].encode()).hexdigest()[:16]
    built = os.path.join(folder, name)
    if not os.path.isdir(built):
        os.mkdir(built)
        write(os.path.join(built, "modules.f90"), text[:end])
        run(["gfortran", *FLAGS, "-c", "modules.f90"], "gfortran", built)
    return ["-I", built, os.path.join(built, "modules.o")], text[end:]


def expected(cm200, program, folder):
    """Returns the output of gfortran's program."""
    return built(run([cm200, "compile", program, "--to", "fortran"], "cm200 compile"), folder)


def expected_order(order, program, nodes, folder, shared=None):
    """Returns the output of gfortran's program with the machine's order of evaluation.

    `order` is the program of tests/fortran/order, and `shared` a folder for modules that several programs use."""
    machine = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "configs", "cm200.json")
    return built(run([order, machine, nodes, program], "fortran-order"), folder, shared)


def built(text, folder, shared=None):
    source, binary, more = os.path.join(folder, "program.f90"), os.path.join(folder, "program"), []
    if shared is not None and "module cm200_machine\n" in text:
        more, text = modules(text, shared)
    write(source, text)
    run(["gfortran", *FLAGS, "-o", binary, source, *more], "gfortran", folder)
    return run([binary], "gfortran's program", folder)


def simulated(cm200, program, options=()):
    """What cm200 prints."""
    return run([cm200, "run", "--quiet", program, *options], "cm200 run")


def number(token):
    """A token as a float, or None."""
    try:
        return float(token.replace("D", "E").replace("d", "e"))
    except ValueError:
        return None


def values(text):
    """Numbers and words, complex numbers as their parts."""
    for sign in "(),":
        text = text.replace(sign, " ")
    return text.split()


def differs(a, b, relative):
    """Whether two tokens differ: words and integers exactly, NaNs equal NaNs, real numbers by more than `relative`."""
    if a == b:
        return False
    x, y = number(a), number(b)
    if x is None or y is None or (a.lstrip("+-").isdigit() and b.lstrip("+-").isdigit()):
        return True
    if math.isnan(x) or math.isnan(y):
        return math.isnan(x) != math.isnan(y)
    return abs(x - y) > relative * max(abs(x), abs(y)) if relative else x != y


def compare(wanted, got, relative=0.0):
    """The first few differences of two outputs, as text."""
    a, b = values(wanted), values(got)
    problems = []
    if len(a) != len(b):
        problems.append("gfortran prints %d values, cm200 %d" % (len(a), len(b)))
    for i, (x, y) in enumerate(zip(a, b)):
        if differs(x, y, relative):
            problems.append("value %d: gfortran prints %s, cm200 %s" % (i + 1, x, y))
        if len(problems) == 5:
            break
    return problems
