#!/usr/bin/env python3
"""How much two threads lose when another program has a processor.

usage: busy-host.py BENCH [--rounds N] [--rows RANK:LENGTH,...]

BENCH is build/tests/bench/bench. Each row runs with one thread and with two, alone and next to a program that
computes in registers, in turns; the table has medians over the rounds, and how fast two threads were, in terms of one.
"""
import argparse
import re
import statistics
import subprocess
import sys

ROW = re.compile(r"\s+\d+\s+\d+\s+[\d.]+\s+[\d.]+\s+([\d.]+)")


def call_ms(bench, threads, row):
    command = [bench, "pshift", "--threads", str(threads), "--only", row, "--seconds", "0.2"]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return float(next(match for match in map(ROW.match, output.splitlines()) if match).group(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("bench")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rows", default="1:64,1:256,2:16,2:32,3:8")
    options = parser.parse_args()
    rows = options.rows.split(",")
    times = {}
    for _ in range(options.rounds):
        for busy in (False, True):
            other = subprocess.Popen([sys.executable, "-c", "while True: pass"]) if busy else None
            try:
                for row in rows:
                    for threads in (1, 2):
                        times.setdefault((row, busy, threads), []).append(call_ms(options.bench, threads, row))
            finally:
                if other:
                    other.kill()
                    other.wait()
    print("%-8s %12s %12s %12s   two threads, in terms of one" % ("row", "next to it", "1 thread ms", "2 threads"))
    for row in rows:
        for busy in (False, True):
            one, two = (statistics.median(times[row, busy, threads]) for threads in (1, 2))
            print("%-8s %12s %12.3f %12.3f %8.2f" % (row, "busy" if busy else "-", one, two, one / two))


if __name__ == "__main__":
    main()
