"""The types of the Python module: mypy accepts the module and right programs, and refuses wrong ones.

usage: check-types.py CM200 SOURCE_ROOT, with the module in PYTHONPATH
"""

import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))

from tap import Tap, arguments  # noqa: E402

RIGHT = """
import cm200
import numpy as np

b = cm200.Builder("ring", nodes=8).parameter("L", 64)
b.array("a", ["$L"], "int32", init={"index": True}).array("b", like="a").scalar("c", 2.0)
b.pshift([{"type": "cshift", "dst": name, "src": "a", "dim": 1, "distance": 1} for name in ("b",)], setup="auto")
b.route(pattern="bit-reversal", words=8).repeat(3, cm200.Builder("inner").copy(dst="a", src="b"))
b.broadcast(array="a", from_=[1])
with cm200.run(b, machine="cm2", set={"exchange.cycles": 100}, param={"L": 32}) as result:
    cycles: int = result.cycles
    values: np.ndarray = result.arrays["b"]
text: str = cm200.run(cm200.Program("x.fcm", level=2), keep=["a"]).output
imp = cm200.Imp(cm200.ImpText("swap", address=["a"]).aarg("r0", "a").aadd("r0", 1))
png: bytes = cm200.Trace("x.trace").picture(at_cycle=10, panel="cube", theme="light")
table: np.ndarray = cm200.sweep(b, {"memory.page_words": range(64, 256, 64)})
"""
WRONG = """import cm200
b = cm200.Builder("ring", nodes=8)
b.pshft([])
b.cshift(dst="b", src="a", dim=1)
b.route(pattern="bitreversal")
b.pshift([{"type": "cshift", "dst": "b"}])
b.transpose(dst="a", src="b", algoritm="auto")
cm200.ImpText("x").laod("A.1", "[r0]")
cm200.ImpText("x").load("A.1")
cm200.run(b).cycels
cm200.run(b, nods=8)
b.fill(array=7, value=1.0)
"""


def mypy(folder, *words):
    done = subprocess.run(["mypy", "--python-executable", sys.executable, "--cache-dir", os.path.join(folder, "cache"), "--no-color-output",
                           *words], capture_output=True, text=True, check=False, cwd=os.environ["PYTHONPATH"])
    return done.stdout + done.stderr


def main():
    arguments(__doc__, 2, programs=["mypy"], modules=["numpy", "cffi"])
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("right.py", RIGHT), ("wrong.py", WRONG)):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        told = mypy(folder, "--disallow-untyped-defs", "--disallow-incomplete-defs", "--warn-unused-ignores", "-p", "cm200")
        tap.report("mypy finds nothing in the module", [] if told.startswith("Success") else [told])
        told = mypy(folder, "--disallow-untyped-defs", os.path.join(folder, "right.py"))
        tap.report("it accepts a program that uses all of it", [] if told.startswith("Success") else [told])
        told = mypy(folder, os.path.join(folder, "wrong.py"))
        found = {int(line) for line in re.findall(r"wrong\.py:(\d+): error", told)}
        wanted = set(range(3, WRONG.count("\n") + 1))
        tap.report("it refuses each wrong line of a program", [] if found == wanted else ["lines %s\n%s" % (sorted(wanted - found), told)])
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
