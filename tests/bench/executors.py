#!/usr/bin/env python3
"""The table of docs/speed.md that compares executors on one host: a line for each kind of row.

usage: executors.py BENCH [--rounds N] [--only TEXT,TEXT...] [--executors NAME,NAME...] [--threads N] [--seconds S]

Runs `bench realtime` with each executor in turns, and keeps the shortest time of each row, because other programs of the host
lengthen times and never shorten them. Shares are of the smallest bound that any run of the row measured. The last two columns
compare the time of the first executor with that of the second: geometric mean, and least.
"""

import argparse
import math
import re
import subprocess
import sys

COLUMNS = 7  # of a row: name, time of the machine, of the host, factor, threads, bound, share


def measure(arguments, only, executor, rows):
    """Adds a run to `rows`: row -> {executor: shortest time}, and {"bound": least bound}."""
    words = [arguments.bench, "realtime", "--threads", str(arguments.threads), "--seconds", str(arguments.seconds),
             "--executor", executor, "--only", only]
    for line in subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == COLUMNS and re.fullmatch(r"[\d.]+", cells[1]):
            row = rows.setdefault(cells[0], {})
            for name, value in ((executor, cells[2]), ("bound", cells[5].split()[-1])):
                row[name] = min(row.get(name, math.inf), max(float(value), 1e-4))


def mean(values):
    return math.exp(sum(math.log(value) for value in values) / len(values))


def print_kinds(rows, executors):
    kinds = {}
    for name, row in rows.items():
        kinds.setdefault(re.match(r"\S+(?: [a-z]+\d+)?", name).group(), []).append(row)
    print("| Kind | rows | %s | %s : %s | least |" % (" | ".join("share: " + e for e in executors), executors[0], executors[1]))
    print("|---|%s" % ("---:|" * (len(executors) + 3)))
    for kind, of_kind in kinds.items():
        shares = ["%.0f %%" % (100 * mean([row["bound"] / row[e] for row in of_kind])) for e in executors]
        ratios = [row[executors[0]] / row[executors[1]] for row in of_kind]
        print("| %s | %d | %s | %.2f | %.2f |" % (kind, len(of_kind), " | ".join(shares), mean(ratios), min(ratios)))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("bench")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="")
    parser.add_argument("--executors", default="avx512,avx2,loops")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0.05)
    arguments = parser.parse_args()
    executors = arguments.executors.split(",")
    if len(executors) < 2:
        parser.error("name two executors or more")
    rows = {}
    for _ in range(arguments.rounds):
        for only in arguments.only.split(","):
            for executor in executors:
                measure(arguments, only, executor, rows)
    print_kinds(rows, executors)
    return 0


if __name__ == "__main__":
    sys.exit(main())
