"""The PSHIFT calls of figures 5, 6 and 7 of the PSHIFT paper take, call by call, the cycles of the `pshift` steps of a workload
with the same arrays. Figure 7 is a subroutine: a step `call` of a workload runs it on the arrays that the pshift steps have.

In the programs too the arrays have the places that they have in the workload. But in figure 6 the FORALL leaves tables of indices at
the upper end of node memory, and the communication tables lie below them, in other pages: bank conflicts are left out there. In
figure 7 another page is open when the subroutine begins: page faults of loads are left out there.

usage: check-figures.py CM200 FOLDER-OF-THE-SOURCE
"""

import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tap  # noqa: E402

NODES = "64"
LEFT_OUT = {"figure-6.fcm": ("bank_conflict",), "figure-7.fcm": ("load_page_fault",)}
EXAMPLES = os.path.join("programs", "examples", "fortran")

# The arrays on the CM in the order in which the program declares them, which is that of their places in node memory.
FIVE = ("src", "dst", "other", "n", "e", "s", "w")
SIX = tuple(axis + side + end for axis in "xyzt" for side in "pm" for end in ("_src", "_dst"))


def seven(lines):
    """X, Y, Z, and the local arrays, whose declarations take several lines."""
    local = re.search(r"c\.\.\.\. local arrays(.*?)c\.\.\.\. if this", " ".join(lines))
    return ["x", "y", "z"] + (re.findall(r"xs_\w+", local.group(1)) if local else [])


def source(root, name):
    with open(os.path.join(root, EXAMPLES, name), encoding="utf-8") as file:
        return [line.rstrip("\n").lower() for line in file]


def calls(lines):
    """Line of each CALL PSHIFT, and its shifts: destination, source, dimension, distance."""
    for at, line in enumerate(lines):
        if "call pshift" not in line:
            continue
        last = at
        while re.match(r"     [&*]", lines[last + 1]):
            last += 1
        text = " ".join(lines[at : last + 1])
        found = re.findall(r"cmssl_cshift,\s*(\w+),\s*(\w+),\s*(\d),\s*([+-]?\d)", text)
        yield at + 1, [{"type": "cshift", "dst": d, "src": s, "dim": int(dim), "distance": int(w)} for d, s, dim, w in found]


def workload(root, arrays, steps):
    machine = os.path.join(os.path.abspath(root), "configs", "cm200.json")
    head = {"format": "cm200-workload/1", "name": "the calls of a figure", "machine": machine, "nodes": int(NODES)}
    return {**head, "arrays": arrays, "steps": steps}


def arrays_of(name, lines):
    if name == "figure-5.fcm":
        return {array: {"shape": [128, 64], "type": "real64", "axes": ["news"] * 2} for array in FIVE}
    if name == "figure-6.fcm":
        axes = ["serial"] * 2 + ["news"] * 4
        return {array: {"shape": [3, 2, 16, 8, 8, 8], "type": "real32", "axes": axes} for array in SIX}
    arrays = {"a": {"shape": [27, 16, 16, 16], "type": "real32", "axes": ["serial"] + ["news"] * 3}}
    arrays.update({array: {"shape": [16] * 3, "type": "real32", "axes": ["news"] * 3} for array in seven(lines)})
    return arrays


def run(cm200, path):
    done = subprocess.run([cm200, "run", "--json", "--nodes", NODES, path], capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stdout + done.stderr)
    return json.loads(done.stdout)


def run_steps(cm200, root, arrays, steps):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "figure.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(workload(root, arrays, steps), file)
        return run(cm200, path)["steps"]


def charged(causes, left_out):
    return {cause: cycles for cause, cycles in causes.items() if cycles > 0 and cause not in left_out}


def check(cm200, root, name, played, left_out=()):
    """Problems of the calls in a step that played them; `left_out` are the causes that are not compared."""
    lines = source(root, name)
    found = list(calls(lines))
    by_line = {line["line"]: line for line in played["lines"]}
    steps = run_steps(cm200, root, arrays_of(name, lines), [{"pshift": shifts} for _, shifts in found])
    problems = [] if found and len(steps) == len(found) else ["%d calls, %d steps" % (len(found), len(steps))]
    for (line, _), step in zip(found, steps):
        got, wanted = (charged(causes["cycles_by_cause"], left_out) for causes in (by_line[line], step))
        if got != wanted:
            problems.append("line %d: %s, step: %s" % (line, got, wanted))
    return problems


def call_of_seven(cm200, root):
    """The subroutine of figure 7 by itself, on the workload's A, X and Y."""
    arrays = {name: array for name, array in arrays_of("figure-7.fcm", []).items()}
    path = os.path.abspath(os.path.join(root, EXAMPLES, "figure-7.fcm"))
    call = {"file": path, "subroutine": "stencil_27", "arguments": [15, 15, 15, "a", "x", "y"]}
    return run_steps(cm200, root, arrays, [{"call": call}])[0]


def main():
    cm200, root = tap.arguments(__doc__, 2)
    report = tap.Tap()
    for name in ("figure-5.fcm", "figure-6.fcm", "figure-7.fcm"):
        played = run(cm200, os.path.join(root, EXAMPLES, name))["steps"][0]
        report.report("the PSHIFTs of %s take the cycles of the pshift steps" % name, check(cm200, root, name, played, LEFT_OUT.get(name, ())))
    played = call_of_seven(cm200, root)
    report.report("those of figure 7's subroutine take them all", check(cm200, root, "figure-7.fcm", played))
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
