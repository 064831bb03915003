"""The tables of Johnsson and Ho (1990) as published, number by number, against what `cm200 reshape --table` prints.

usage: check-figures.py CM200

Figures 3, 4 and 5 are in figure-N.txt, a row a line as the paper has them; figure 1 is a drawing of 16 elements in an
array of 1 x 16 and of 4 x 4: an element of an odd row changes places with the one opposite in its Gray-coded row.
"""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(os.path.dirname(HERE)))

from tap import Tap, arguments  # noqa: E402: the path is set above


def table(cm200, *options):
    """The rows that the command prints, as lists of words, without headings, bars and marks."""
    done = subprocess.run([cm200, "reshape", "--table", *options], capture_output=True, text=True, check=True)
    rows = [line.replace("|", " ").replace("*", " ").split() for line in done.stdout.splitlines()]
    return [row for row in rows if row[0].isdigit()]


def published(number):
    with open(os.path.join(HERE, "figure-%d.txt" % number), encoding="ascii") as file:
        return [line.split() for line in file]


def figure_1():
    """Element i before at the Gray code of i, after in row i div 4 at the Gray code of i mod 4."""
    gray = lambda i: i ^ i >> 1  # noqa: E731
    after = {gray(i // 4) << 2 | gray(i % 4): i for i in range(16)}
    return [[i, gray(i), i >> 2 & 1, after[gray(i)]] for i in range(16)]


def main(given):
    cm200 = given[0]
    tap = Tap()
    found = [[int(row[0]), int(row[1], 2), int(row[2]), int(row[3])] for row in table(cm200, "--from", "16", "--to", "4x4")]
    tap.report("figure 1: 1 x 16 to 4 x 4", [] if found == figure_1() else ["the numbers differ"])
    both = [first + second[2:] for first, second in zip(
        table(cm200, "--from", "8", "--to", "2x2x2", "--order", "1,0"),
        table(cm200, "--from", "8", "--to", "2x2x2", "--order", "0,1"))]
    tap.report("figure 3: 8 to 2 x 2 x 2, two orders", [] if both == published(3) else ["the numbers differ"])
    found = table(cm200, "--from", "16", "--to", "2x2x2x2", "--order", "2,1,0")
    tap.report("figure 4: Gray code to binary code", [] if found == published(4) else ["the numbers differ"])
    found = table(cm200, "--from", "16", "--to", "2x2x2x2", "--algorithm", "gray-binary")
    tap.report("figure 5: concurrent conversion", [] if found == published(5) else ["the numbers differ"])
    problems = []
    for place, start in enumerate("210"):
        rows = table(cm200, "--from", "16", "--to", "2x2x2x2", "--algorithm", "gray-binary", "--start", start)
        wanted = [[int(number) for number in row[2 + 3 * place:5 + 3 * place]] for row in published(5)]
        if [[int(row[i]) for i in (3, 5, 7)] for row in rows] != wanted:
            problems.append("sequence %s differs" % start)
    tap.report("figure 5: each sequence on its own", problems)
    tap.done()


main(arguments(__doc__, 1))
