"""Whether what the manual concludes survives the doubt about the costs: each comparison on every machine of a bootstrap.

A conclusion compares the cycles of two runs. The same machines run both (`cm200 run --intervals`), so a doubt that both
share cancels. It survives when the range of the ratio over 95 % of the machines lies on one side of 1.
"""

import json
import os
import subprocess
import sys
from collections import namedtuple

from .bootstrap import outer

Conclusion = namedtuple("Conclusion", "claim page larger smaller")

FIVE_PSHIFT = ("run", "programs/examples/five-point-pshift.json")
FIVE_CSHIFT = ("run", "programs/examples/five-point-cshift.json")
FFT = ("fft", "--array", "1048576", "--mesh", "2048", "--transform", "forward", "--order", "pre", "--output", "bit-reversed")


def shifts_alone(workload):
    """Without the arithmetic that follows."""
    return dict(workload, steps=[step for step in workload["steps"] if "combine" not in step])


def looped(workload):
    return dict(workload, steps=[dict(step, setup="looped") if "pshift" in step else step for step in workload["steps"]])


CONCLUSIONS = (
    Conclusion("a five-point stencil with four CSHIFTs takes longer than with one PSHIFT", "README", FIVE_CSHIFT, FIVE_PSHIFT),
    Conclusion("its shifts alone", "README", FIVE_CSHIFT + (shifts_alone,), FIVE_PSHIFT + (shifts_alone,)),
    Conclusion("a looped setup is slower than an unrolled one", "pshift", FIVE_PSHIFT + (looped,), FIVE_PSHIFT),
    Conclusion("an FFT step by step is slower than with a pipeline", "fft-transform", FFT + ("--code", "binary", "--stepwise"),
               FFT + ("--code", "binary")),
    Conclusion("an FFT is slower with mesh axes in Gray code than in binary", "fft-transform", FFT + ("--code", "gray"),
               FFT + ("--code", "binary")),
    Conclusion("an FFT in complex128 takes longer than in complex64", "fft-transform",
               FFT + ("--code", "binary", "--type", "complex128"), FFT + ("--code", "binary")),
)


class Runner:
    """Runs of the program on the machines of a file."""

    def __init__(self, program, root, machines):
        self.program, self.root, self.machines = program, root, machines

    def cycles(self, what):
        """Cycles on each machine; the last entry may be a function that changes the workload."""
        arguments, text = [os.path.join(self.root, a) if str(a).startswith("programs/") else a for a in what], None
        if callable(arguments[-1]):
            change = arguments.pop()
            with open(arguments.pop(), encoding="utf-8") as file:
                workload = change(json.load(file))
            workload["machine"] = os.path.join(self.root, "configs", "cm200.json")
            text = json.dumps(workload)
            arguments.append("-")
        command = [self.program, *arguments, "--timing-only", "--json", "--intervals=" + self.machines]
        done = subprocess.run(command, input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
                              check=False)
        if done.returncode != 0:
            sys.exit("research/refit: %s failed:\n%s" % (" ".join(command), done.stderr))
        document = json.loads(done.stdout)
        return document["cycles"], document["intervals"]["cycles_by_machine"]


def compare(runner, conclusion):
    """Ratio of cycles on the machine as it is, its range over the machines, and whether that is on one side of 1."""
    (large, larger), (small, smaller) = runner.cycles(conclusion.larger), runner.cycles(conclusion.smaller)
    low, high = outer([a / b for a, b in zip(larger, smaller)])
    return large / small, low, high, low > 1


def table(runner):
    yield "| Conclusion | Page | Ratio | 95 % of the machines | Survives |"
    yield "|---|---|---|---|---|"
    for conclusion in CONCLUSIONS:
        ratio, low, high, survives = compare(runner, conclusion)
        yield "| %s | %s | %.2f | %.2f to %.2f | %s |" % (conclusion.claim, conclusion.page, ratio, low, high,
                                                        "yes" if survives else "no")
