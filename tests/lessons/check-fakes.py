"""`cm200 lesson N --mark FOLDER` on answers that do not do the work, of which fakes.py has a list: none passes, each gets a row with
its reason, and those without end are stopped. Solutions between them pass, in files and in folders.

usage: check-fakes.py CM200 SOURCE_ROOT
"""

import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from fakes import altered, fakes  # noqa: E402: the path is set above
from lesson import lessons  # noqa: E402
from tap import Tap, arguments  # noqa: E402

SEED = 200
LIMIT_SECONDS = 300
LIMITS = ["--max-seconds", "2", "--max-cycles", "400000", "--max-output", "10k"]
PRINTS = "      PROGRAM P\n      PRINT *, 63, 0\n      END\n"
ENDLESS = "      PROGRAM P\n10    PRINT *, 1\n      GOTO 10\n      END\n"


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def mark(cm200, lesson, folder, *more):
    """(exit code, rows of the table, standard output, messages) of a class."""
    table = os.path.join(folder, "marks.csv")
    done = subprocess.run([cm200, "lesson", str(lesson), "--mark", folder, "--csv", table, "--seed", str(SEED), *LIMITS, *more],
                          capture_output=True, encoding="utf-8", timeout=LIMIT_SECONDS, check=False)
    if done.returncode != 0:
        return done.returncode, {}, done.stdout, done.stderr
    with open(table, encoding="utf-8", newline="") as file:
        rows = {row["name"]: row for row in csv.DictReader(file)}
    return done.returncode, rows, done.stdout, done.stderr


def copy_solution(root, task, folder, name):
    """A solution under another name, with the IMP that it names. Returns its ending."""
    source = os.path.join(root, task.value("solution"))
    ending = os.path.splitext(source)[1]
    shutil.copy(source, os.path.join(folder, name + ending))
    for other in os.listdir(os.path.dirname(source)):
        if other.endswith(".imp"):
            shutil.copy(os.path.join(os.path.dirname(source), other), folder)
    return ending


def faked(cm200, root, number, task, handed):
    """Hands in the fakes of a lesson, with a solution."""
    with tempfile.TemporaryDirectory() as folder:
        write(folder, "print.fcm", PRINTS)
        write(folder, "endless.fcm", ENDLESS)
        copy_solution(root, task, folder, "a solution")
        for what, ending, text, _ in handed:
            write(folder, what + ending, text)
        code, rows, printed, messages = mark(cm200, number, folder)
        if code != 0 or messages:
            yield "exit code %d: %s" % (code, messages)
            return
        names = {what for what, _, _, _ in handed} | {"a solution"}
        if not names <= set(rows):
            yield "no row for %s" % (names - set(rows))
            return
        passed = [name for name in rows if rows[name]["passed"] == "yes"]
        if passed != ["a solution"]:
            yield "passed: %s; the solution: %s" % (passed, rows["a solution"])
        if "1 of %d passed, seed %d" % (len(rows), SEED) not in printed:
            yield "printed: %s" % printed
        for what, _, _, reason in handed:
            row = rows[what]
            if row["passed"] != "yes" and (not row["reason"] or reason not in row["reason"]):
                yield "%s: the reason is %s" % (what, row["reason"])
            if row["points"] != "0":
                yield "%s: %s points: %s" % (what, row["points"], row["reason"])


def a_class(cm200, root, number, task):
    """Folders and files of students, good, missing, doubled and strange ones."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("anna", "ben", "empty", "two", ".hidden"):
            os.mkdir(os.path.join(folder, name))
        ending = copy_solution(root, task, os.path.join(folder, "anna"), "mine")
        copy_solution(root, task, folder, "carl")
        write(folder, "carl.txt", "a note\n")
        for name in ("first", "second"):
            copy_solution(root, task, os.path.join(folder, "two"), name)
        write(os.path.join(folder, "ben"), "notes.txt", "I did not do it\n")
        write(folder, "dora.txt", "nor I\n")
        os.mkfifo(os.path.join(folder, "pipe" + ending))
        os.symlink("/nonexistent", os.path.join(folder, "link" + ending))
        code, rows, printed, messages = mark(cm200, number, folder)
        expected = {"anna": "yes", "ben": "no", "carl": "yes", "dora": "no", "empty": "no", "link": "no", "pipe": "no", "two": "no"}
        found = {name: row["passed"] for name, row in rows.items() if not name.endswith("solution") and name not in ("swap", "three")}
        if code != 0 or found != expected:
            yield "exit code %d, %s, %s %s" % (code, found, printed, messages)
            return
        for name, part in (("ben", "there is no file"), ("dora", "there is no file"), ("empty", "there is no file"),
                           ("two", "2 files may be the solution: first"), ("link", "link")):
            if part not in rows[name]["reason"]:
                yield "%s: %s" % (name, rows[name]["reason"])
        if rows["anna"]["points"] != task.value("points") or rows["ben"]["points"] != "0":
            yield "points: %s" % rows
        done = subprocess.run([cm200, "lesson", str(number), "--mark", folder, "--seed", "1", *LIMITS], capture_output=True,
                              encoding="utf-8", timeout=LIMIT_SECONDS, check=False)
        if done.returncode != 0 or not re.search(r"(?m)^  anna +yes +%s *$" % task.value("points"), done.stdout):
            yield "without --csv: %s %s" % (done.stdout, done.stderr)


def refused(cm200, root):
    """What is wrong with the command line."""
    for words, code, part in ((["1", "--mark", "/nonexistent"], 4, "/nonexistent"), (["1", "--csv", "x.csv"], 2, "--mark"),
                              (["1", "--mark", ".", "--check", "a.json"], 2, "cannot be combined"),
                              (["1", "--seed", "7"], 2, "--check"), (["1", "--max-seconds", "7"], 2, "--check"),
                              (["1", "--check", "a.json", "--seed", "x"], 2, "a number"), (["--mark", "."], 2, "the number of a lesson")):
        done = subprocess.run([cm200, "lesson", *words], cwd=root, capture_output=True, encoding="utf-8", check=False)
        if done.returncode != code or part not in done.stderr:
            yield "%s: exit code %d: %s" % (words, done.returncode, done.stderr)


def seeds(cm200, root, number, task):
    """The seed that is printed gives the same judgement again, and another seed other data."""
    with tempfile.TemporaryDirectory() as folder:
        path = write(folder, "fake.json", next(text for n, what, _, text, _ in fakes() if n == 3 and what == "copies of the input"))
        command = [cm200, "lesson", str(number), "--check", path]
        first = subprocess.run(command, capture_output=True, encoding="utf-8", check=False).stdout
        seed = re.search(r"seed (\d+)", first).group(1)
        again = subprocess.run(command + ["--seed", seed], capture_output=True, encoding="utf-8", check=False).stdout
        if first != again:
            yield "%s and %s" % (first, again)
        drawn = {re.search(r"seed (\d+)", subprocess.run(command, capture_output=True, encoding="utf-8", check=False).stdout).group(1)
                 for _ in range(4)}
        if len(drawn) < 2:
            yield "the same seed four times: %s" % drawn


def parts(cm200, root, number, task):
    """Right data with too many exchanges get points by how far they come from the reference to the limit."""
    with tempfile.TemporaryDirectory() as folder:
        text = next(text for n, what, _, text, _ in fakes() if n == 3 and what == "six calls")
        half = text.replace('{"cshift": {"dst": "east"', '{"pshift": [{"type": "cshift", "dst": "east"', 1)
        half = half.replace('"distance": 1}}, {"cshift": {"dst": "west"', '"distance": 1}, {"type": "cshift", "dst": "west"', 1)
        half = half.replace('"distance": -1}}', '"distance": -1}]}', 1)
        write(folder, "half.json", half)
        write(folder, "none.json", text)
        _, rows, _, messages = mark(cm200, number, folder)
        got = {name: (row["passed"], row["points"]) for name, row in rows.items()}
        # 80 of 96 exchanges: 16 of the 80 that can be saved
        if got != {"half": ("no", "2"), "none": ("no", "0")}:
            yield "%s %s" % (rows, messages)


def interrupted(cm200, root, number):
    """Ctrl-C ends the marking, and its children."""
    with tempfile.TemporaryDirectory() as folder:
        write(folder, "endless.fcm", next(text for n, what, _, text, _ in fakes() if n == number and what == "a loop without end"))
        process = subprocess.Popen([cm200, "lesson", str(number), "--mark", folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   start_new_session=True)
        time.sleep(1)
        os.killpg(process.pid, signal.SIGINT)
        process.communicate(timeout=LIMIT_SECONDS)
        if process.returncode != 130:
            yield "exit code %d" % process.returncode


def main(given):
    cm200, root = os.path.realpath(given[0]), os.path.realpath(given[1])
    os.chdir(root)  # where a program that was built elsewhere finds the lessons
    tap = Tap()
    tasks = {number: lesson.of("task")[0] for number, lesson in enumerate(lessons(root), 1)}
    every = list(fakes())
    for number, task in tasks.items():
        if task.value("solution").endswith(".json"):
            with open(task.value("solution"), encoding="utf-8") as file:
                every += [(number, "altered, " + what, ".json", text, reason) for what, text, reason in altered(json.load(file), task)]
    for number in sorted({fake[0] for fake in every}):
        handed = [fake[1:] for fake in every if fake[0] == number]
        tap.report("none of %d fakes passes task %d" % (len(handed), number), faked(cm200, root, number, tasks[number], handed))
    for number in (2, 3, 14):
        tap.report("a class hands in task %d" % number, a_class(cm200, root, number, tasks[number]))
    tap.report("a seed gives the same judgement again", seeds(cm200, root, 3, tasks[3]))
    tap.report("right data get a part of the points", parts(cm200, root, 3, tasks[3]))
    tap.report("an interrupt ends the marking", interrupted(cm200, root, 12))
    tap.report("wrong options are refused", refused(cm200, root))
    return tap.done()


if __name__ == "__main__":
    sys.exit(main(arguments(__doc__, 2)))
