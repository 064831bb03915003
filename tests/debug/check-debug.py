"""`cm200 debug`: sessions through a pipe and on a terminal.

usage: check-debug.py CM200 SOURCE_ROOT [--libedit] [--scripts N] [--seed S]

In a pipe: cycles and causes are those of `cm200 run`, for workloads, IMPs and Fortran programs; mistakes have place and hint,
and end with status 3; random commands (N scripts) never end the program in any other way. On a terminal: the prompt, completion
(with libedit), an empty line, Ctrl-C in a long run, Ctrl-D.
"""

import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from tap import Tap, arguments, cases  # noqa: E402: the path is set above
from terminal import LIMIT_SECONDS, Terminal  # noqa: E402

EXAMPLES = "programs/examples/"
PROGRAMS = (
    [EXAMPLES + "hand-written.json"],
    [EXAMPLES + "five-point-pshift.json", "--nodes", "64"],
    [EXAMPLES + "route-bit-reversal.json", "--nodes", "64"],
    [EXAMPLES + "call-relax.json"],
    [EXAMPLES + "fortran/life.fcm", "--nodes", "16"],
    [EXAMPLES + "fortran/jacobi.fcm", "--nodes", "8", "-O", "1"],
)
SMALL = """      PROGRAM SMALL
      INTEGER, ARRAY(16) :: A, B
      INTEGER I
CMF$  LAYOUT A(:NEWS), B(:NEWS)
      A = 3
      DO I = 1, 4
         CALL MORE(A)
         B = CSHIFT(A, 1, 1) + A
      END DO
      PRINT *, SUM(B)
      END
      SUBROUTINE MORE(X)
      INTEGER, ARRAY(16) :: X
CMF$  LAYOUT X(:NEWS)
      X = X + 1
      END
"""
WORDS = ("step next line iterate finish continue until back break breaks delete where list node print memory info help s n l i f c u b"
         " d w p x h exchange load unload loop cause channel read write access cycle instruction count as any start"
         " hex int real32 real64 r f r0 r1 r5 f0 f3 f31 A B C context sequencer arrays causes channels result a mean mean+1 r0+2"
         " /steps/0 swap-and-mean+4 hand-written.imp:23 small.fcm:8 0 1 2 3 5 7 17 100 176 0x10 -1 99999999999999999999 1e9 % # ''"
         ).split()


def session(cm200, root, words, text):
    return subprocess.run([cm200, "debug", *words], input=text, capture_output=True, text=True, cwd=root,
                          timeout=LIMIT_SECONDS, check=False)


def result_of(cm200, root, words):
    done = subprocess.run([cm200, "run", "--json", "--quiet", *words], capture_output=True, text=True, cwd=root, check=True)
    return json.loads(done.stdout)


def causes_of(output):
    return {name: int(count) for count, name in re.findall(r"^ +(\d+)  (\w+)$", output, re.M)}


def check_cycles(tap, cm200, root):
    problems = []
    for words in PROGRAMS:
        done = session(cm200, root, words, "step 3\nnext 2\nbreak exchange\ncontinue 2\nback\ndelete\ncontinue\ninfo causes\n")
        found, wanted = causes_of(done.stdout), result_of(cm200, root, words)
        if done.returncode != 0 or found.pop("cycles", None) != wanted["cycles"]:
            problems.append("%s: status %d, cycles of run: %s\n%s" % (words[0], done.returncode, wanted["cycles"], done.stderr))
        if found != {name: count for name, count in wanted["cycles_by_cause"].items() if count}:
            problems.append("%s: %s, by run %s" % (words[0], found, wanted["cycles_by_cause"]))
    tap.report("cycles and causes are those of cm200 run", problems)


def check_imp(tap, cm200, root):
    imp = EXAMPLES + "hand-written.imp"
    problems = []
    done = session(cm200, root, [imp, "--nodes", "8", "--param", "half=0.5"], "continue\nnode 3\nmemory mean 4\n")
    # In Gray code node 3 is the third, its neighbour along dimension 0 the fourth; 256 elements each.
    if done.returncode != 0 or "640 641 642 643" not in done.stdout:
        problems.append(done.stdout + done.stderr)
    for words, message in (([imp], "has no value; give --param half=NUMBER"), ([imp, "--param", "half=x"], "expected NAME=NUMBER"),
                           ([imp, "--param", "a=1"], "no scalar argument"), ([imp, "--load", "a=b"], "--load is for CM Fortran")):
        done = session(cm200, root, words, "")
        if done.returncode != 2 or message not in done.stderr:
            problems.append("%s: status %d: %s" % (words, done.returncode, done.stderr))
    tap.report("an IMP runs by itself, with arrays for its addresses and --param for its scalars", problems)


def check_gdb(tap, cm200, root):
    """Words of gdb do what the debugger's own commands do; an array is printed, and a line needs no file where there is one."""
    program = [EXAMPLES + "fortran/jacobi.fcm", "--nodes", "8"]
    theirs = session(cm200, root, program, "break 20\nr\nregisters\nbt\nprint U 2\nni\nrc\nquit\n")
    ours = session(cm200, root, program,
                   "break %s:20\ncontinue\nprint r\nwhere\nmemory u 2\nnext\nback break\nquit\n" % program[0])
    shown = [[line for line in done.stdout.splitlines() if not line.startswith("(cm200)")] for done in (theirs, ours)]
    problems = [] if theirs.returncode == ours.returncode == 0 and shown[0] == shown[1] and len(shown[0]) > 6 else [
        theirs.stdout + theirs.stderr + ours.stdout + ours.stderr]
    tap.report("words of gdb are taken", problems)


def check_mistakes(tap, cm200, root):
    cases = (
        ("brek exchange", ':2:1: unknown command "brek"', 'did you mean "break"?'),
        ("break exchnge", ':2:7: "exchnge" is not a place', 'did you mean "exchange"?'),
        ("break cause exchnge", ":2:13: unknown cause", 'did you mean "exchange"?'),
        ("break cause", ":2:12: expected a cause", "one of: load, "),
        ("break channel 8 0", ":2:15: the number of a node is at most 7", ""),
        ("break channel 1 3", ":2:17: a dimension is at most 2", ""),
        ("break 12", ":2:7: no file is shown here", "FILE:LINE"),
        ("delete 4", ":2:8: no breakpoint has number 4", "breaks lists them"),
        ("print q", ":2:7: unknown thing to print", "one of: r, f, A"),
        ("print f3 as double", ":2:13: unknown type", "one of: hex, int"),
        ("memory nowhere", ':2:8: "nowhere" is not an address', "info arrays"),
        ("memory 99999999999", ":2:8: address 99999999999 is beyond node memory", ""),
        ("step two", ':2:6: "two" is not a number', ""),
        ("step 1 2", ':2:8: "2" is one word too many', ""),
        ("iterate", ":2:1: no loop is open here", "where"),
        ("info result", ":2:6: the program has not ended", "continue"),
        ("x" * 2000, ":2:1: a command has at most 1023 characters", ""),
        ("help " + "x " * 20, "a command has at most 16 words", ""),
    )
    problems = []
    for command, message, hint in cases:
        done = session(cm200, root, [EXAMPLES + "hand-written.json"], "node\n%s\ncontinue\n" % command)
        if done.returncode != 3 or message not in done.stderr or hint not in done.stderr:
            problems.append("%s: status %d: %s" % (command[:40], done.returncode, done.stderr))
        if "the program has ended" not in done.stdout:
            problems.append("%s: the commands after it were not done" % command[:40])
    done = session(cm200, root, [EXAMPLES + "fortran/heat.fcm", "--nodes", "8"], "break heat.fcm:19\nstep\nbreak 14\nbreak 20\n")
    if done.returncode != 3 or done.stderr.count("the next one is line 21") != 2 or "breakpoint 1: line" not in done.stdout:
        problems.append("lines without a statement: %s" % done.stderr)
    done = session(cm200, root, [EXAMPLES + "hand-written.json"], "step\nbreak 18\nbreak 19\n")
    if done.returncode != 3 or "the next one is line" not in done.stderr:
        problems.append("lines without an instruction: %s" % done.stderr)
    done = session(cm200, root, [EXAMPLES + "hand-written.json"], "continue\nstep\nback\n")
    if done.returncode != 3 or "the program has ended" not in done.stderr or "halt" not in done.stdout:
        problems.append("after the end: %s" % done.stderr)
    done = session(cm200, root, ["nowhere.json"], "")
    if done.returncode != 4:
        problems.append("a missing file: status %d" % done.returncode)
    tap.report("mistakes have place and hint, and end with status 3", problems)


def check_ends(tap, cm200, root):
    problems = []
    for text in ("", "quit\n", "quit", "# nothing\n\n\n", "help\nq\nstep\n"):
        done = session(cm200, root, [EXAMPLES + "hand-written.json"], text)
        if done.returncode != 0 or done.stderr or "cycle 0  step 1: imp at /steps/0" not in done.stdout:
            problems.append("%r: status %d: %s" % (text, done.returncode, done.stderr))
    done = session(cm200, root, [EXAMPLES + "hand-written.json"], "step\n\n\nnode 1\n\nstep\n")
    places = re.findall(r"swap-and-mean\+(\d+)", done.stdout)
    if places != ["0", "1", "2", "3"]:
        problems.append("empty lines: %s" % places)
    tap.report("the end of the input is a quit; an empty line repeats what may be repeated", problems)


def check_back(tap, cm200, root):
    """What is printed at a stop is printed again when it is gone back to."""
    problems = []
    shown = "where\nprint r\nprint f\nprint A\nprint B\nprint C\nprint context\nprint sequencer\nmemory 170 40\ninfo causes\n"
    shown += "info channels\n"
    for words in PROGRAMS:
        for first in (5, 30):
            done = session(cm200, root, words, "node 5\nstep %d\n%sstep 9\nback 9\n%s" % (first, shown, shown))
            parts = done.stdout.split("(cm200) where\n")
            before, after = (parts + ["", ""])[1:3]
            if done.returncode != 0 or before.split("(cm200) step 9")[0] != after or not after:
                problems.append("%s after %d steps: status %d\n%s\n%s" % (words[0], first, done.returncode, before, after))
    tap.report("back shows the same registers, transposers and memory", problems)


def check_random(tap, cm200, root, count, seed):
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        small = os.path.join(folder, "small.fcm")
        with open(small, "w", encoding="utf-8") as file:
            file.write(SMALL)
        programs = [[EXAMPLES + "hand-written.json"], [EXAMPLES + "route-bit-reversal.json", "--nodes", "16"], [small, "--nodes", "4"],
                    [EXAMPLES + "hand-written.imp", "--nodes", "4", "--param", "half=2"]]
        for number in range(count):
            draw = random.Random("%d %d" % (seed, number))
            lines = [" ".join(draw.choice(WORDS) for _ in range(draw.randint(0, 4))) for _ in range(30)]
            words = draw.choice(programs)
            done = session(cm200, root, words, "\n".join(lines) + "\n")
            if done.returncode not in (0, 3) or (done.returncode == 3) != bool(done.stderr):
                problems.append("script %d of seed %d, %s: status %d\n%s\n%s" % (
                    number, seed, words, done.returncode, "\n".join(lines), done.stderr[-2000:]))
    tap.report("random commands (%d scripts) are done or refused" % count, problems)


def check_terminal(tap, cm200, root, libedit):
    problems = []
    terminal = Terminal([cm200, "debug", EXAMPLES + "hand-written.json"], root)
    for typed, answer in (("step\n", "swap-and-mean+0"), ("\n", "swap-and-mean+1"), ("brek\n", "did you mean")):
        terminal.wait("(cm200) ")
        terminal.type(typed)
        if not terminal.wait(answer):
            problems.append("%r: expected %r\n%s" % (typed, answer, terminal.seen))
    if libedit:
        for typed, answer in (("brea\t cause exch\t\n", "breakpoint 1: cycles for exchange"), ("info arr\t\n", "words in each node")):
            terminal.type(typed)
            if not terminal.wait(answer):
                problems.append("%r: expected %r\n%s" % (typed, answer, terminal.seen))
    terminal.wait("(cm200) ")
    if libedit:
        terminal.wait_for_editor()
    terminal.type("half a com\x03")
    terminal.wait("(cm200) ")
    terminal.type("where\n")
    if not terminal.wait("; point "):
        problems.append("Ctrl-C at the prompt\n%s" % terminal.seen)
    terminal.wait("(cm200) ")
    if libedit:
        terminal.wait_for_editor()
    terminal.type("\x04")
    code = terminal.end()
    if code != 0:
        problems.append("Ctrl-D: status %s\n%s" % (code, terminal.seen))
    tap.report("a terminal has a prompt%s; Ctrl-D ends" % (" and completion" if libedit else ""), problems)


def check_interrupt(tap, cm200, root):
    problems = []
    terminal = Terminal([cm200, "debug", "--nodes", "8", EXAMPLES + "fortran/jacobi.fcm"], root)
    terminal.wait("(cm200) ")
    terminal.type("until cycle 100000\n")
    terminal.wait("cycle 100")
    terminal.wait("(cm200) ")
    for _ in range(2):
        terminal.type("continue\n")
        time.sleep(0.1)
        terminal.type("\x03")
        if not terminal.wait("interrupted"):
            problems.append("Ctrl-C does not stop the run\n%s" % terminal.seen)
        terminal.wait("(cm200) ")
    terminal.type("\x03")
    terminal.wait("(cm200) ", limit=2)  # no second prompt if the signal came before the program read
    terminal.type("step\n")
    if not terminal.wait("cycle ") or "interrupted" in terminal.seen[terminal.seen.rindex("step"):]:
        problems.append("Ctrl-C at the prompt stops the next command\n%s" % terminal.seen)
    terminal.type("delete\nwhere\n")
    if not terminal.wait("; point "):
        problems.append("no prompt after Ctrl-C\n%s" % terminal.seen)
    terminal.type("quit\n")
    code = terminal.end()
    if code != 0:
        problems.append("quit: status %s\n%s" % (code, terminal.seen))
    terminal = Terminal([cm200, "debug", "--nodes", "8", EXAMPLES + "fortran/jacobi.fcm"], root)
    terminal.wait("(cm200) ")
    terminal.type("continue\n")
    time.sleep(0.1)
    os.kill(terminal.pid, signal.SIGTERM)
    code = terminal.end()
    if code != 128 + signal.SIGTERM:
        problems.append("SIGTERM: status %s\n%s" % (code, terminal.seen))
    tap.report("Ctrl-C stops a long run, which goes on from there", problems)


def main():
    given = arguments(__doc__, 2)
    cm200, root, options = os.path.abspath(given[0]), given[1], given[2:]

    def number(name, usual):
        return int(options[options.index(name) + 1]) if name in options else usual
    tap = Tap()
    check_cycles(tap, cm200, root)
    check_imp(tap, cm200, root)
    check_gdb(tap, cm200, root)
    check_mistakes(tap, cm200, root)
    check_ends(tap, cm200, root)
    check_back(tap, cm200, root)
    check_random(tap, cm200, root, number("--scripts", cases(60)), number("--seed", 17))
    check_terminal(tap, cm200, root, "--libedit" in options)
    check_interrupt(tap, cm200, root)
    return tap.done()


sys.exit(main())
