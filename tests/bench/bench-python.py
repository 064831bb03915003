"""What the Python module adds to runs: PYTHONPATH=build/python /usr/bin/python3 tests/bench/bench-python.py

Prints seconds of a grid of 100 x 100 runs without data (docs/python.md: under 10), and what 200 MB of array in and out cost in
time and in memory beyond the arrays themselves: peak memory grows by a copy if there is one.
"""

import resource
import time

import cm200
import numpy as np

SIDE = 5120  # of a real64 array: 210 MB


def grid():
    work = cm200.Builder("grid", nodes=64)
    work.array("a", [64, 64], "real32").array("b", like="a")
    work.cshift(dst="b", src="a", dim=1, distance=1)
    begin, used = time.perf_counter(), time.process_time()
    table = cm200.sweep(work, {"memory.page_words": range(100, 200), "exchange.cycles": range(100, 200)}, timing_only=True)
    print("%d runs without data: %.2f s, of the processor %.2f s" % (
        len(table), time.perf_counter() - begin, time.process_time() - used))


def peak_mb():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def arrays():
    work = cm200.Builder("large", nodes=64)
    work.array("a", [SIDE, SIDE], "real64")
    work.fill(array="a", value=0)
    run = cm200.Run(work, check=False)
    values, out = np.ones((SIDE, SIDE), order="F"), np.zeros((SIDE, SIDE), order="F")
    run.arrays.write("a", values)
    run.arrays.read("a", out=out)  # node memory is there from now on
    before = peak_mb()
    begin = time.process_time()
    run.arrays.write("a", values)
    between = time.process_time()
    run.arrays.read("a", out=out)
    end = time.process_time()
    assert (out == 1).all()
    print("%.0f MB in: %.2f s of the processor; out: %.2f s; memory beyond the arrays and the nodes: %.0f MB" % (
        values.nbytes / 1e6, between - begin, end - between, peak_mb() - before))


if __name__ == "__main__":
    grid()
    arrays()
