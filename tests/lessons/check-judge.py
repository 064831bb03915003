"""`cm200 lesson N --check` on what students hand in: each task takes its solution with any seed, also with another machine or other
data in the inputs, and refuses wrong data, a file that ends in the middle, and the solutions of all other lessons.

usage: check-judge.py CM200 SOURCE_ROOT
"""

import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from lesson import lessons  # noqa: E402: the path is set above
from tap import Tap, arguments  # noqa: E402

LIMIT_SECONDS = 60
PASSED, FAILED, BROKEN = 0, 1, 3


def judge(cm200, number, path, *more):
    done = subprocess.run([cm200, "lesson", str(number), "--check", path, "--json", *more], capture_output=True, encoding="utf-8",
                          timeout=LIMIT_SECONDS, check=False)
    judged = json.loads(done.stdout) if done.returncode in (PASSED, FAILED) else None
    return done.returncode, judged, done.stderr


def as_expected(cm200, number, path, expected, what, because=None, more=()):
    """Problems; `because` is a part of the only reason, for work that is refused."""
    code, judged, message = judge(cm200, number, path, *more)
    if code != expected:
        yield "%s: exit code %d, expected %d: %s %s" % (what, code, expected, judged, message)
    elif judged is None:
        if os.path.basename(path) not in message:
            yield "%s: the message does not name the file: %s" % (what, message)
    elif judged["passed"] != (expected == PASSED) or (judged["reasons"] == []) != judged["passed"]:
        yield "%s: %s" % (what, judged)
    elif judged["passed"] != (judged["points"] == judged["points_of"]):
        yield "%s: points: %s" % (what, judged)
    elif because and not any(because in reason for reason in judged["reasons"]):
        yield "%s: no reason has \"%s\": %s" % (what, because, judged["reasons"])


SEEDS = ("0", "1", "18446744073709551615")


def workloads(solution, task):
    """(name, text, exit code, part of the reason) of variants of a worked answer."""
    text = json.dumps(solution)
    inputs, output = task.value("inputs").split(), task.value("outputs").split()[0]
    other_machine = dict(solution, machine="/nonexistent/machine.json", nodes=1)
    wrong_data = json.loads(text)
    wrong_data["steps"].append({"compute": {"dst": output, "value": "12345"}})
    other_input = json.loads(text)
    other_input["arrays"][inputs[0]]["init"] = {"constant": 7}
    unmarked = json.loads(text)
    unmarked["check"] = False
    yield "another machine", json.dumps(other_machine), PASSED, None
    if output not in inputs:
        yield "wrong data", json.dumps(wrong_data), FAILED, "\"%s\"" % output
    yield "nothing done", json.dumps(dict(solution, steps=[])), FAILED, "\"%s\"" % output
    yield "other data in the input", json.dumps(other_input), PASSED, None
    yield "without checks of its own", json.dumps(unmarked), PASSED, None
    yield "half a file", text[:len(text) // 2], BROKEN, None


def programs(text, task):
    name, output = task.value("call").split()[0], task.value("outputs").split()[0]
    yield "another line printed", re.sub(r"(?m)^( +)END$", r"\1PRINT *, 12345\n\1END", text), PASSED, None
    yield "nothing printed", re.sub(r"(?m)^ +PRINT .*$", "      CONTINUE", text), PASSED, None
    yield "the subroutine alone", text[text.index("      SUBROUTINE"):], PASSED, None
    yield "wrong data", re.sub(r"(?m)^( +)END\n\Z", r"\1%s = 0\n\1END\n" % output.upper(), text), FAILED, "\"%s\"" % output
    yield "another subroutine", text.replace("SUBROUTINE " + name, "SUBROUTINE X" + name).replace("CALL " + name, "CALL X" + name), BROKEN, None
    yield "half a file", text[:text.index("PRINT")], BROKEN, None


def variants(cm200, root, number, task):
    solution = os.path.join(root, task.value("solution"))
    with open(solution, encoding="utf-8") as file:
        text = file.read()
    for seed in SEEDS:
        yield from as_expected(cm200, number, solution, PASSED, "the solution with seed " + seed, more=("--seed", seed))
    ending = os.path.splitext(solution)[1]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "mine" + ending)
        # What a workload names next to itself, such as an IMP.
        for name in os.listdir(os.path.dirname(solution)):
            if name.endswith(".imp"):
                os.symlink(os.path.join(os.path.dirname(solution), name), os.path.join(folder, name))
        made = workloads(json.loads(text), task) if ending == ".json" else programs(text, task)
        for what, content, expected, because in made:
            with open(path, "w", encoding="utf-8") as file:
                file.write(content)
            yield from as_expected(cm200, number, path, expected, what, because)


def of_others(cm200, root, number, every):
    for other, task in every:
        path = os.path.join(root, task.value("solution"))
        code, judged, message = judge(cm200, number, path)
        if other != number and code == PASSED:
            yield "it takes the solution of lesson %d: %s" % (other, judged)
        if code not in (PASSED, FAILED, BROKEN):
            yield "lesson %d: exit code %d: %s" % (other, code, message)


def main(given):
    cm200, root = os.path.realpath(given[0]), os.path.realpath(given[1])
    os.chdir(root)  # where a program that was built elsewhere finds the lessons
    tap = Tap()
    every = [(number, task) for number, lesson in enumerate(lessons(root), 1) for task in lesson.of("task")]
    for number, task in every:
        tap.report("task %d takes its solution, and no variant with a fault" % number, variants(cm200, root, number, task))
        tap.report("task %d refuses the solutions of others" % number, of_others(cm200, root, number, every))
    tap.report("every lesson has a task", [] if len(every) == len(lessons(root)) else ["%d tasks" % len(every)])
    return tap.done()


if __name__ == "__main__":
    sys.exit(main(arguments(__doc__, 2)))
