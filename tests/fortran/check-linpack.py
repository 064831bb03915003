"""The LU factors of programs/examples/fortran/linpack.fcm against an elimination of our own, in plain loops on one list of rows.

The matrix is made again from the hash that the program describes. Both eliminations take the largest element of a column, the first of
equals, and multiply by its reciprocal, so pivots must agree but for roundings of sums in another order, and so must the solution.
A thorough run also solves the smallest problem of research/linpack.json on 2,048 nodes: the seconds are the frozen ones.

usage: check-linpack.py CM200 FOLDER-OF-THE-SOURCE
"""

import ast
import json
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tap  # noqa: E402

# N, P, Q and nodes: square and flat grids, several grid places in a node, and one node.
CASES = ((64, 4, 4, 16), (96, 8, 4, 32), (64, 4, 16, 64), (64, 8, 8, 16), (40, 4, 4, 1))
ALLOWED = 1e-9
WORD = 0xFFFFFFFF


def hashed(row, column):
    """The element in a row and a column, both from 1."""
    number = (row * 1640531527 & WORD) ^ (column * 1013904223 & WORD)
    for shift, factor in ((15, 739982445), (13, 695872825)):
        number = (number ^ number >> shift) * factor & WORD
    return (number >> 8) / 16777216.0 - 0.5


def eliminate(n):
    """The pivots, and the solution where all unknowns should be 1."""
    rows = [[hashed(i, j) for j in range(1, n + 1)] for i in range(1, n + 1)]
    for row in rows:
        row.append(sum(row))
    pivots = []
    for k in range(n):
        place = max(range(k, n), key=lambda i: abs(rows[i][k]))  # the first of equals
        rows[k], rows[place] = rows[place], rows[k]
        pivots.append(rows[k][k])
        for i in range(k + 1, n):
            factor = rows[i][k] * (1.0 / pivots[k])
            for j in range(k, n + 1):
                rows[i][j] -= factor * rows[k][j]
    unknowns = [0.0] * n
    for k in reversed(range(n)):
        known = sum(rows[k][j] * unknowns[j] for j in range(k + 1, n))
        unknowns[k] = (rows[k][n] - known) / pivots[k]
    return pivots, unknowns


def read_npy(path):
    """The shape and the numbers, the first index fastest."""
    with open(path, "rb") as file:
        data = file.read()
    length = struct.unpack_from("<H", data, 8)[0]
    header = ast.literal_eval(data[10:10 + length].decode("ascii"))
    if header["descr"] != "<f8" or not (header["fortran_order"] or len(header["shape"]) == 1):
        raise ValueError("%s: %r" % (path, header))
    return header["shape"], struct.unpack_from("<%dd" % ((len(data) - 10 - length) // 8), data, 10 + length)


def solve(cm200, program, case, folder):
    """The pivots and the solution of the machine."""
    n, p, q, nodes = case
    names = [os.path.join(folder, name) for name in ("pivots.npy", "x.npy")]
    command = [cm200, "run", "--quiet", "--nodes", str(nodes), "--save", "PIVOTS=" + names[0], "--save", "X=" + names[1],
               "--param", "N=%d" % n, "--param", "P=%d" % p, "--param", "Q=%d" % q, program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode != 0:
        raise RuntimeError("%s: exit code %d: %s" % (" ".join(command), done.returncode, done.stderr.strip()))
    (m, grid_rows, grid_columns), x = read_npy(names[1])
    # Unknown j is X(j / Q, any, mod(j, Q)), from 0; each column of the grid's nodes sets it in all of its nodes.
    unknowns = [x[j // q + m * grid_rows * (j % grid_columns)] for j in range(n)]
    return read_npy(names[0])[1], unknowns


def differences(what, found, expected):
    for k, (a, b) in enumerate(zip(found, expected)):
        if not abs(a - b) <= ALLOWED * max(1.0, abs(b)):
            yield "%s %d: %r, expected %r" % (what, k + 1, a, b)


def frozen_differences(cm200, root, program):
    """What differs from the smallest problem that research/linpack keeps."""
    with open(os.path.join(root, "research", "linpack.json"), encoding="utf-8") as file:
        name, kept = next(iter(json.load(file)["after"].items()))
    command = [cm200, "run", "--quiet", "--param", "TIMES=true", "--param", "N=" + name, "--param", "P=32", "--param", "Q=64", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True)
    seconds = [float(word) for word in done.stdout.splitlines()[0].split()[-2:]]
    if seconds != [kept["cm_seconds"], kept["elapsed_seconds"]]:
        yield "%s seconds, kept are %s and %s" % (seconds, kept["cm_seconds"], kept["elapsed_seconds"])


def main():
    cm200, root = tap.arguments(__doc__, 2)
    program = os.path.join(root, "programs", "examples", "fortran", "linpack.fcm")
    report = tap.Tap()
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            pivots, unknowns = solve(cm200, program, case, folder)
        expected_pivots, expected_unknowns = eliminate(case[0])
        problems = [*differences("pivot", pivots, expected_pivots), *differences("unknown", unknowns, expected_unknowns)]
        report.report("%d unknowns on a grid of %d x %d, %d nodes" % case, problems)
    if tap.percent() == 100:
        report.report("the rate is the one that research/linpack keeps", frozen_differences(cm200, root, program))
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
