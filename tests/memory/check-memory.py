"""Peak memory of cm200: within 10 % of the planes touched plus 20 MB, and small for small jobs.

usage: check-memory.py CM200 SOURCE_ROOT [--skip REASON]

A plane is the word that all nodes hold at one address: nodes x 4 bytes. The planes touched are those of the arrays and of
the communication tables. Linux counts the memory of the process that starts a child into the child's peak until the child
runs its own program, so a peak reads no lower than this script's own, about 12 MB; the bounds hold all the same.
"""

import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from tap import Tap, arguments, skip_all  # noqa: E402: the path is set above

MB = 1000000
NODES = 2048
WORD_BYTES = 4
ALLOWED_SHARE = 1.1
ALLOWED_BYTES = 20 * MB


def peak_bytes(command):
    """Runs a command and returns the most memory that it had resident, from getrusage."""
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            output.seek(0)
            raise RuntimeError("%s: exit code %d\n%s" % (" ".join(command), child.returncode,
                                                         output.read().decode("utf-8", "backslashreplace")))
    return usage.ru_maxrss * 1024


class Bench:
    def __init__(self, cm200, root):
        self.cm200 = os.path.abspath(cm200)
        self.root = os.path.realpath(root)
        self.tap = Tap()

    def example(self, name):
        return os.path.join(self.root, "programs", "examples", name)

    def run(self, path, *options):
        return peak_bytes([self.cm200, "run", "--quiet", "--json", *options, path])

    def report(self, name, peak, limit):
        problems = ["%.1f MB, at most %.1f MB expected" % (peak / MB, limit / MB)] if peak > limit else []
        self.tap.report("%s (%.1f MB of %.1f)" % (name, peak / MB, limit / MB), problems)

    def workload(self, arrays, steps, options=()):
        """Peak of a workload on the whole machine."""
        workload = {"format": "cm200-workload/1", "machine": os.path.join(self.root, "configs", "cm200.json"),
                    "nodes": NODES, "arrays": arrays, "steps": steps}
        with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
            json.dump(workload, file)
            file.flush()
            return self.run(file.name, *options)

    def planes(self, name, arrays, steps, words, options=()):
        """A workload that touches `words` planes stays within the bound."""
        limit = ALLOWED_SHARE * words * NODES * WORD_BYTES + ALLOWED_BYTES
        self.report(name, self.workload(arrays, steps, options), limit)


def cshift(dst, distance):
    return {"type": "cshift", "dst": dst, "src": "src", "dim": 1, "distance": distance}


def main(given):
    if "--skip" in given:
        skip_all(given[given.index("--skip") + 1])
    if sys.platform != "linux":
        skip_all("peak memory is read as Linux counts it")
    bench = Bench(*given)

    # Two arrays of 31 words and a table of 2: 64 words of the 1,048,576, at both ends of node memory.
    few = {"src": {"shape": [31 * NODES], "type": "real32", "init": {"random": 1}}, "dst": {"like": "src"}}
    bench.planes("2,048 nodes with 64 words in use", few, [{"pshift": [cshift("dst", 1)]}], 64)
    bench.planes("the same without data", few, [{"pshift": [cshift("dst", 1)]}], 0, ("--timing-only",))

    # Three arrays of 4,096 REAL*8 elements a node: 67 MB each.
    many = {"src": {"shape": [4096 * NODES], "type": "real64", "init": {"random": 1}},
            "plus": {"like": "src"}, "minus": {"like": "src"}}
    steps = [{"pshift": [cshift("plus", 1), cshift("minus", -1)]}]
    words = 3 * 4096 * 2 + 4
    bench.planes("2,048 nodes with arrays of 201 MB", many, steps, words)
    bench.planes("the same with two threads", many, steps, words, ("--threads", "2"))

    # A source that is a destination needs a temporary as large.
    in_place = {"src": {"shape": [8192 * NODES], "type": "real64", "init": {"random": 1}}}
    bench.planes("2,048 nodes, an array of 134 MB shifted in place", in_place, [{"pshift": [cshift("src", 1)]}],
                 2 * 8192 * 2 + 2)

    bench.report("the five-point example", bench.run(bench.example("five-point-pshift.json")), 50 * MB)
    bench.report("the largest example without data",
                 bench.run(bench.example("timing/rank-one-16384.json"), "--timing-only"), 60 * MB)
    return bench.tap.done()


if __name__ == "__main__":
    sys.exit(main(arguments(__doc__, 2)))
