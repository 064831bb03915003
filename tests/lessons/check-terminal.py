"""`cm200 lesson` on a terminal: pages, questions, answers, leaving; and off one: pipes and missing files.

usage: check-terminal.py CM200 SOURCE_ROOT
"""

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

from lesson import Expression, lessons  # noqa: E402: the path is set above
from tap import Tap, arguments  # noqa: E402
from terminal import LIMIT_SECONDS, Terminal  # noqa: E402

PROMPT = "[Enter: go on"
ASKED = "Your answer: "


def to_question(cm200, root):
    """A terminal that shows the first question of lesson 2."""
    terminal = Terminal([cm200, "lesson", "2"], root)
    for _ in range(2):
        terminal.wait(PROMPT)
        terminal.type("\n")
    terminal.wait(ASKED)
    return terminal


def asks_and_answers(cm200, root):
    terminal = to_question(cm200, root)
    if "Predict" not in terminal.seen or "The picture" in terminal.seen:
        yield "the question is not on the third page: %s" % terminal.seen
    terminal.type("30\n")
    terminal.wait(ASKED)
    if "swap.json" in terminal.seen:
        yield "the command ran before the last question was answered"
    terminal.type("8\n")
    terminal.wait(PROMPT)
    for text in ("You expected 30; it is 32 cycles. Why?", "You expected 8; it is 8 words. Right."):
        if text not in terminal.seen:
            yield "missing: %s in %s" % (text, terminal.seen)
    terminal.type("q\n")
    code = terminal.end()
    if code != 0:
        yield "exit code %d after q" % code


def answers_of(cm200, root, lesson):
    """What is right, question by question, from the JSON results of the lesson's commands."""
    results = {}
    for block in lesson.of("command"):
        if block.name:
            done = subprocess.run([cm200, *block.command()[1:], "--json"], cwd=root, capture_output=True, encoding="utf-8",
                                  timeout=LIMIT_SECONDS, check=False)
            results[block.name] = json.loads(done.stdout)
    return [Expression(block.value("answer"), results, root).value() for block in lesson.of("question")]


def goes_through(cm200, root, number, lesson):
    """To the end, with a right and a wrong answer in turns."""
    terminal, answers, asked = Terminal([cm200, "lesson", str(number)], root), answers_of(cm200, root, lesson), 0
    while (seen := terminal.wait_for(PROMPT, ASKED)) is not None:
        if seen == PROMPT:
            terminal.type("\n")
            continue
        value = answers[asked]
        terminal.type("%s\n" % (("%.2f" % value).removesuffix(".00") if asked % 2 == 0 else value * 3 + 7))
        asked += 1
    code, judged = terminal.end(), re.findall(r"^You expected .*(Right|Why)[.?]\s*$", terminal.seen, re.M)
    if code != 0 or asked != len(answers):
        yield "exit code %d; %d of %d questions were asked" % (code, asked, len(answers))
    if judged.count("Right") != (asked + 1) // 2 or judged.count("Why") != asked // 2:
        yield "of %d answers, right and wrong in turns, it judged %s" % (asked, judged)
    for page in lesson.pages:
        if page not in terminal.seen:
            yield "the page \"%s\" was not shown" % page
    if "<!--" in terminal.seen:
        yield "a mark is printed"


def leaves(cm200, root, key, expected):
    terminal = to_question(cm200, root)
    terminal.type(key)
    code = terminal.end()
    if code != expected:
        yield "exit code %d, expected %d: %s" % (code, expected, terminal.seen)
    if "swap.json" in terminal.seen:
        yield "it went on"


def piped(cm200, root):
    """The whole lesson, without a prompt, and with every answer."""
    done = subprocess.run([cm200, "lesson", "2"], cwd=root, stdin=subprocess.DEVNULL, capture_output=True,
                          encoding="utf-8", timeout=LIMIT_SECONDS, check=False)
    if done.returncode != 0 or done.stderr:
        yield "exit code %d: %s" % (done.returncode, done.stderr)
    questions, answers = done.stdout.count("Question: "), len(re.findall(r"^The answer: \d+", done.stdout, re.M))
    if questions == 0 or questions != answers:
        yield "%d questions, %d answers" % (questions, answers)
    if PROMPT in done.stdout or "<!--" in done.stdout:
        yield "a prompt or a mark is printed"


def closed_pipe(cm200, root):
    done = subprocess.run("%s lesson 3 | head -n 1; echo" % cm200, cwd=root, shell=True, stdin=subprocess.DEVNULL,
                          capture_output=True, encoding="utf-8", timeout=LIMIT_SECONDS, check=False)
    if not done.stdout.startswith("Lesson 3. ") or done.stderr:
        yield "it prints %r and %r" % (done.stdout, done.stderr)


def elsewhere(cm200, root):
    """A lesson whose file is missing, and a folder without any."""
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "bin"))
        copy = shutil.copy(cm200, os.path.join(folder, "bin"))
        done = subprocess.run([copy, "lesson", "2"], cwd=folder, capture_output=True, encoding="utf-8", check=False)
        if done.returncode != 4 or "docs/lessons" not in done.stderr:
            yield "without lessons: exit code %d: %s" % (done.returncode, done.stderr)
        shutil.copytree(os.path.join(root, "docs", "lessons"), os.path.join(folder, "docs", "lessons"))
        os.symlink(os.path.join(root, "configs"), os.path.join(folder, "configs"))
        os.remove(os.path.join(folder, "docs", "lessons", "02-one-exchange", "swap.json"))
        done = subprocess.run([copy, "lesson", "2"], cwd="/", capture_output=True, encoding="utf-8", check=False)
        if done.returncode != 4 or "swap.json" not in done.stderr:
            yield "without a workload: exit code %d: %s" % (done.returncode, done.stderr)


def own(cm200, root):
    """A lesson in another folder: by its file, by its folder, and as one of several. Its paths begin at its folder."""
    with tempfile.TemporaryDirectory() as folder:
        lesson = shutil.copytree(os.path.join(root, "programs", "examples", "lesson"), os.path.join(folder, "07-mine"))
        for words, code, expected in (
                (["07-mine/lesson.md"], 0, "The answer: 3"), (["07-mine"], 0, "cm200 lesson 07-mine --check FILE"),
                (["07-mine/"], 0, "The answer: 3"), ([lesson], 0, "The answer: 3"), (["."], 0, "1. One shift  (task)"),
                ([".", "7"], 0, "The answer: 3"), ([".", "8"], 2, "there is no lesson 8"), (["07-mine", "x"], 2, "\"x\" is not the number"),
                (["07-mine", "--check", "07-mine/solution.json"], 0, "lesson 07-mine, 07-mine/solution.json: passed, 5 of 5 points"),
                ([".", "7", "--check", "07-mine/solution.json"], 0, "lesson . 7, 07-mine/solution.json: passed"),
                (["07-mine/shift.json"], 3, "07-mine/shift.json:1:1: expected \"# \""), (["nothing"], 2, "\"nothing\" is not the number")):
            done = subprocess.run([cm200, "lesson", *words], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, encoding="utf-8", timeout=LIMIT_SECONDS, check=False)
            if done.returncode != code or expected not in done.stdout:
                yield "%s: exit code %d: %s" % (words, done.returncode, done.stdout)


VIEWED = ["docs/lessons/03-four-shifts/cshift.json", "--compare", "docs/lessons/03-four-shifts/pshift.json", "--panel", "phases",
          "--span", "visible"]
VIEWER = "#!/bin/sh\nprintf '%s ' \"$@\" >\"$0.new\" && mv \"$0.new\" \"$(dirname \"$0\")/called\"\n"


def viewer(cm200, root):
    """v after a picture starts the viewer next to the program with the picture's command; without a display it is not offered."""
    with tempfile.TemporaryDirectory() as folder:
        copy, view, called = shutil.copy(cm200, folder), os.path.join(folder, "cm200-view"), os.path.join(folder, "called")
        with open(view, "w", encoding="utf-8") as file:
            file.write(VIEWER)
        os.chmod(view, 0o755)
        for display in (":no-such-display", None):
            terminal = Terminal([copy, "lesson", "3"], root, display)
            while (seen := terminal.wait_for("v: viewer", "q: leave", ASKED)) not in ("v: viewer", None):
                terminal.type("1\n" if seen == ASKED else "\n")
            if (seen is not None) != (display is not None):
                yield "display %s: it %s the viewer" % (display, "offers" if seen else "does not offer")
            if seen is None:
                terminal.end()
                continue
            terminal.type("v\n")
            terminal.wait("q: leave")
            end = time.monotonic() + LIMIT_SECONDS  # it does not wait for the viewer, which ends with this terminal
            while not os.path.exists(called) and time.monotonic() < end:
                time.sleep(0.02)
            terminal.wait("q: leave")
            terminal.type("q\n")
            if terminal.end() != 0:
                yield "it does not end well"
        with open(called, encoding="utf-8") as file:
            words = file.read().split()
        if words != VIEWED:
            yield "cm200-view was called with %s" % words


def main(given):
    cm200, root = os.path.realpath(given[0]), os.path.realpath(given[1])
    tap = Tap()
    tap.report("a lesson asks, runs, and shows what was expected", asks_and_answers(cm200, root))
    tap.report("q as an answer leaves", leaves(cm200, root, "q\n", 0))
    tap.report("lessons of one's own", own(cm200, root))
    tap.report("the end of the input leaves", leaves(cm200, root, "\x04", 0))
    tap.report("Ctrl-C ends it", leaves(cm200, root, "\x03", 128 + signal.SIGINT))
    tap.report("off a terminal the whole lesson is printed", piped(cm200, root))
    tap.report("a pipe that is closed ends it silently", closed_pipe(cm200, root))
    tap.report("missing lessons and files are named", elsewhere(cm200, root))
    tap.report("where there is a display it opens the viewer", viewer(cm200, root))
    for number, lesson in enumerate(lessons(root), 1):
        tap.report("lesson %s, to its end" % lesson.title[2:], goes_through(cm200, root, number, lesson))
    return tap.done()


if __name__ == "__main__":
    sys.exit(main(arguments(__doc__, 2)))
