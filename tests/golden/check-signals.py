"""One SIGINT or SIGTERM ends every command within a second, whatever the command is doing.

usage: check-signals.py CM200 SOURCE_ROOT [SEED]

Each command is long, and gets a signal at ten random moments, of which CM_TEST_PERCENT are tried. A command that is over before,
or that a signal finds at its end, must have its usual exit code.
"""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from tap import Tap, arguments, cases  # noqa: E402: the path is set above

MOMENTS = 10
LATEST_SECONDS = 1  # of a signal
# The promise is one second of a host that does nothing else. A test host does, and the programs have assertions.
END_SECONDS = 5
HANGS_SECONDS = 60
STEPS = 20000  # of the traced run
LOOP = {"repeat": {"times": 100000000, "steps": [{"cshift": {"dst": "b", "src": "a", "dim": 1, "distance": 1}}]}}
BIG = {"format": "cm200-workload/1", "nodes": 64, "arrays": {"a": {"shape": [512, 512], "type": "real64", "init": {"random": 1}},
                                                             "b": {"like": "a"}}, "check": True, "steps": [LOOP]}
ROUTE = {"format": "cm200-workload/1", "nodes": 2048, "arrays": {"a": {"shape": [8], "type": "real64"}},
         "steps": [{"route": {"pattern": "random", "rate": 1.0, "warmup": 1000000000, "measure": 1000000000}}]}
NODE = "program t\ndo\nj = j + 1\nend do\nend\n"
PRINTS = "program t\ndo\nprint *, 'a line of a program that prints'\nend do\nend\n"
SPREADS = "program t\nreal, array(256, 256) :: x\ndo\nx = x + 1\nend do\nend\n"

COMMANDS = (
    "run big.json",
    "run -t 2 big.json",
    "run --processes 2 big.json",
    "run --trace big.trace big.json",
    "run -o r.json --save b=b.npy big.json",
    "run --timing-only --why traced.json",
    "run --timing-only --explain traced.json",
    "run route.json",
    "run --processes 2 route.json",
    "run loop.f90",
    "run --check array.f90",
    "run prints.f90",
    "run --max-output 1G --json prints.f90",
    "run --explain loop.f90",
    "run -",
    "check -",
    "check many.f90 many.f90 many.f90 many.f90",
    "compile many.f90 --to fortran",
    "layout many.f90",
    "debug loop.f90",
    "debug big.json",
    "asm many.imp -o many.img",
    "route -n 2048 --pattern random --rate 0.01:1:0.001 --past-saturation --warmup 100000 --measure 1000000",
    "route -n 2048 --pattern all-to-all --words 4096",
    "route -n 2048 --pattern random --switching wormhole --words 65536 --rate 0.9 --measure 100000000",
    "shift -n 2048 --by 1:1000 --words 65536 --csv s.csv",
    "fft -n 2048 --array 2048x2048",
    "reshape -n 2048 --from 2048x2048 --to 1024x4096",
    "sweep big.json --over memory.page_words=64,128,256 --csv t.csv --jobs 2",
    "figure many.csv --x run --y cycles -o f.svg",
    "export u.trace --format chrome",
    "export u.trace --format vcd -o u.vcd",
    "export u.trace --format csv --what windows --windows 100000",
    "export u.trace --format html -o u.html",
    "diff u.trace u.trace",
    "diff one.json two.json",
    "validate",
    "validate --applications",
    "lesson 3 --check endless.json --max-cycles 1000000000000000",
    "lesson 12 --check smooth.fcm",
)


class Signals:
    def __init__(self, cm200, root, folder):
        self.cm200, self.root, self.folder = cm200, root, folder
        traced = dict(BIG, check=False, steps=[{"repeat": dict(LOOP["repeat"], times=STEPS)}])
        for name, workload in (("big.json", BIG), ("route.json", ROUTE), ("traced.json", traced)):
            self.write(name, json.dumps(dict(workload, machine=os.path.join(root, "configs", "cm200.json"))))
        for name, text in (("loop.f90", NODE), ("prints.f90", PRINTS), ("array.f90", SPREADS),
                           ("loop.fcm", "      PROGRAM T\n10    GOTO 10\n      END\n"),
                           ("smooth.fcm", "      SUBROUTINE SMOOTH(U, N)\n      REAL U(N, N)\n10    GOTO 10\n      END\n"),
                           ("many.f90", "program t\n" + "".join("x%d = %d\n" % (i, i) for i in range(40000)) + "end\n"),
                           ("many.imp", ".imp many\n" + "    load A.1, [r0]\n    exchange\n" * 200000 + "    halt\n"),
                           ("many.csv", "run,cycles\n" + "".join("%d,%d\n" % (i, i * i % 97) for i in range(200000)))):
            self.write(name, text)
        lesson = json.loads(self.read(os.path.join(root, "docs", "lessons", "03-four-shifts", "solution.json")) or "{}")
        lesson.update(machine=os.path.join(root, "configs", "cube8.json"))
        if "steps" in lesson:
            lesson["steps"] = [{"repeat": {"times": 1000000000000, "steps": lesson["steps"]}}]
        self.write("endless.json", json.dumps(lesson))
        result = {"format": "cm200-result/1", "steps": [{"op": "copy", "cycles": i} for i in range(200000)]}
        self.write("one.json", json.dumps(result))
        self.write("two.json", json.dumps(dict(result, steps=result["steps"][::-1])))
        subprocess.run([cm200, "run", "--timing-only", "--quiet", "--trace", "u.trace", "traced.json"], cwd=folder, check=True)

    def read(self, path):
        try:
            with open(path, encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def begin(self, command):
        process = subprocess.Popen([self.cm200, *command.split()], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, cwd=self.folder)
        if command.startswith("debug"):
            process.stdin.write(b"continue\n")
            process.stdin.flush()
        return process

    def send(self, command, moment, number):
        """What is wrong with a command that gets a signal at a moment."""
        with self.begin(command) as process:
            time.sleep(moment)
            over = process.poll() is not None
            process.send_signal(number)
            begin = time.monotonic()
            if command.startswith("debug"):  # goes on after SIGINT, and ends with its input
                process.stdin.close()
            try:
                process.wait(timeout=HANGS_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
            seconds = time.monotonic() - begin
            err = process.stderr.read()
        where = "signal %d after %.3f s: " % (number, moment)
        if seconds > END_SECONDS:
            yield where + "%.1f s until the end" % seconds
        if process.returncode in (128 + number, -number):  # -number: before the program has begun
            return
        if process.returncode not in (0, 1, 2, 3) or (not over and b"interrupted" in err and not command.startswith("debug")):
            yield where + "exit code %d: %s" % (process.returncode, err)


def main():
    given = arguments(__doc__, 2)
    seed = int(given[2]) if len(given) > 2 else random.randrange(1 << 30)
    dice = random.Random(seed)
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        signals = Signals(os.path.abspath(given[0]), os.path.abspath(given[1]), folder)
        for command in COMMANDS:
            problems = []
            for _ in range(cases(MOMENTS)):
                number = dice.choice((signal.SIGINT, signal.SIGTERM))
                problems += signals.send(command, LATEST_SECONDS * dice.random() ** 2, number)
            tap.report("a signal ends %s (seed %d)" % (command, seed), problems)
    return tap.done()


sys.exit(main())
