"""Fusing does not cost: at -O2 each group of statements takes at most the cycles of its statements at -O0.

Random programs have groups of assignments of whole arrays, with and without shifts, a line each. The first line of a group has the cycles
of all. The page that is open before a group may differ between the levels, so one page fault is allowed. Every second program shifts arrays onto
themselves, also through several shifts and under WHERE. -O1 may then join such shifts in one PSHIFT, with copies, where -O0 shifts in place.

usage: check-fusing.py CM200 [--cases N] [--seed N]
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tap  # noqa: E402

PAGE_FAULT = 3  # cycles: a page fault and a bank conflict
ALLOWED = {1: 1.1, 2: 1.0}  # cycles, of those at -O0
ALLOWED_ONTO = {1: 1.25, 2: 1.0}  # of programs that shift arrays onto themselves
STATEMENTS = re.compile(r"(\d+) statements in")


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.onto = seed % 2 == 1
        pick = self.random.choice
        self.nodes = pick((16, 64, 128))
        self.shape = pick(((4096,), (16384,), (512, 32), (64, 64), (128, 128), (1024,), (32, 32, 32), (60, 40)))
        self.types = {name: pick(("REAL", "REAL", "DOUBLE PRECISION", "INTEGER")) for name in "ABCDEFGH"}
        self.lines = ["      PROGRAM P", "      INTEGER K"]
        shape = ", ".join(str(n) for n in self.shape)
        self.lines += ["      %s %s(%s)" % (type_, name, shape) for name, type_ in sorted(self.types.items())]
        for _ in range(self.random.randint(2, 5)):
            for _ in range(self.random.randint(1, 7)):
                self.statement()
            self.lines.append("      K = K + 1")
        self.lines.append("      END")

    def operand(self, target, shifts):
        name = self.random.choice([n for n in sorted(self.types) if self.types[n] == self.types[target]])
        may = self.onto or name != target
        return self.shifted(name) if may and self.random.random() < shifts else name

    def shifted(self, name):
        dim, by = self.random.randint(1, len(self.shape)), self.random.choice((-2, -1, 1, 1, 2))
        return "%s(%s, DIM=%d, SHIFT=%d)" % (self.random.choice(("CSHIFT", "CSHIFT", "EOSHIFT")), name, dim, by)

    def statement(self):
        target = self.random.choice(sorted(self.types))
        shifts = self.random.choice((0, 0, 0.3, 0.6))
        if self.onto and self.random.random() < 0.15:
            value = " + ".join([self.shifted(target) for _ in range(self.random.randint(2, 4))] + [self.operand(target, 0)])
            if self.random.random() < 0.3:
                target = "WHERE (%s > %d) %s" % (target, self.random.randint(0, 4), target)
        elif self.onto and self.random.random() < 0.2:
            value = self.random.choice(("", "2 * ", self.operand(target, 0) + " - ")) + self.shifted(target)
        elif self.random.random() < 0.3:
            value = str(self.random.randint(0, 9))
        else:
            value = " + ".join(self.operand(target, shifts) for _ in range(self.random.randint(1, 4)))
        self.lines.append("      %s = %s" % (target, value))


def lines_of(cm200, path, nodes, level):
    command = [cm200, "run", "--json", "--nodes", str(nodes), "-O%d" % level, path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode != 0:
        raise RuntimeError("%s: exit code %d: %s" % (" ".join(command), done.returncode, done.stderr.strip()))
    return {line["line"]: line for line in json.loads(done.stdout)["steps"][0]["lines"]}


def check(cm200, seed, folder):
    program = Program(seed)
    path = os.path.join(folder, "p.f90")
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join(program.lines) + "\n")
    allowed = ALLOWED_ONTO if program.onto else ALLOWED
    plain, problems = lines_of(cm200, path, program.nodes, 0), []
    for level in (1, 2):
        for first, line in lines_of(cm200, path, program.nodes, level).items():
            note = line.get("note", "")
            statements = STATEMENTS.search(note)
            most = sum(plain[first + i]["cycles"] for i in range(int(statements.group(1)) if statements else 1))
            if line["cycles"] > most * allowed[level] + PAGE_FAULT:
                problems.append("seed %d, %d nodes, line %d: %d cycles at -O%d, %d at -O0 (%s)"
                                % (seed, program.nodes, first, line["cycles"], level, most, note))
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cm200")
    parser.add_argument("--cases", type=int, default=tap.cases(60))
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    report, problems = tap.Tap(), []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.seed, options.seed + options.cases):
            problems += check(os.path.abspath(options.cm200), seed, folder)
    report.report("%d random programs, seeds from %d: no group takes more than its statements at -O0" % (options.cases, options.seed),
                  problems)
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
