"""Every command, number, picture, question and task of docs/lessons is what the programs give.

usage: check-lessons.py BUILD SOURCE_ROOT [--lesson N]... [--write] [--costs]

A failure names file, line and sentence. --write puts the computed numbers into the lessons and draws the pictures again;
quoted output is left to its author. --costs changes costs of the machines, one at a time, in a copy, and expects that
sentences which depend on them are named, and others not.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import picture  # noqa: E402: the path is set above
from lesson import Broken, Expression, lessons, same, shown_as  # noqa: E402
from tap import Tap  # noqa: E402

TIMEOUT_SECONDS = 120
COLUMNS = 100
PICTURES_MAX_BYTES = 1000 * 1000
HOST = ((re.compile(r"real-time factor +\S+ \(.* on this host\)"), "real-time factor HOST"),
        (re.compile(r"\b\d+ threads?\b"), "N threads"))
# Costs to change, and a lesson with a sentence that then is false, as a part of this sentence, which may have no number.
COSTS = (
    ("configs/cm200.json", "exchange", "cycles", 150, "03-", "On the CM-200"),
    ("configs/cube8.json", "exchange", "cycles", 64, "02-", "cycles"),
    ("configs/cube8.json", "memory", "page_words", 128, "03-", "The whole call takes"),
    ("configs/cube8.json", "front_end", "imp_start_cycles", 10, "13-", "Two IMPs, whose starts take 100"),
    ("configs/cube8.json", "memory", "load_page_fault_cycles", 0, "11-", "as much as if the wires cost"),
    ("configs/cm200.json", "memory", "heap_base_words", 0, "05-", "three arrays are in one page"),
)


def normalise(lines):
    for line in lines:
        for pattern, word in HOST:
            line = pattern.sub(word, line)
        yield line.rstrip()


def fits(quoted, printed):
    if not quoted:
        return not printed
    if quoted[0] == "...":
        return any(fits(quoted[1:], printed[skip:]) for skip in range(len(printed) + 1))
    return bool(printed) and quoted[0] == printed[0] and fits(quoted[1:], printed[1:])


class Desk:
    """A folder with programs and data, where commands are run."""

    def __init__(self, build, root, folder):
        for name in ("programs", "docs", "configs"):
            os.symlink(os.path.join(root, name), os.path.join(folder, name))
        self.folder, self.build, self.memory = folder, build, {}
        self.viewer = os.access(os.path.join(build, "cm200-view"), os.X_OK)
        kept = {key: value for key, value in os.environ.items() if key.endswith("SAN_OPTIONS")}
        self.environment = dict(kept, PATH="/usr/bin:/bin", LC_ALL="C.UTF-8", NO_COLOR="1", HOME="/nonexistent",
                                SDL_VIDEODRIVER="dummy")

    def run(self, words):
        """(exit code, what was printed) of a command; each is run once."""
        key = tuple(words)
        if words[0] not in ("cm200", "cm200-view"):
            raise Broken("a command begins with cm200 or cm200-view, not with %s" % words[0])
        if key not in self.memory:
            done = subprocess.run([os.path.join(self.build, words[0]), *words[1:]], cwd=self.folder, env=self.environment,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  timeout=TIMEOUT_SECONDS, check=False)
            self.memory[key] = (done.returncode, done.stdout.decode("utf-8", "backslashreplace"))
        return self.memory[key]

    def result(self, words):
        code, printed = self.run(words + ["--json"])
        if code != 0:
            raise Broken("exit code %d: %s" % (code, printed))
        return json.loads(printed)


def results_of(desk, lesson):
    return {block.name: desk.result(block.command()) for block in lesson.of("command") if block.name}


def form_problems(lesson, number):
    if not re.match(r"# %d\. \S" % number, lesson.title):
        yield "line 1: expected \"# %d. Title\", found %s" % (number, lesson.title)
    if not lesson.of("question"):
        yield "it asks nothing"
    for block in lesson.of("question"):
        keys = [key for key, _ in block.pairs()]
        if sorted(set(keys) - {"unit", "near", "given"}) != ["answer", "ask"]:
            yield "line %d: a question has ask and answer" % block.line
        names = re.findall(r"(?:^| )([\w-]+):/", block.value("answer", ""))
        if not any(other.name in names and other.page == block.page and other.line > block.line
                   for other in lesson.of("command")):
            yield "line %d: no command of the answer follows on the same page" % block.line
    for line, text in enumerate(lesson.plain, 1):
        if len(re.sub(r"<!--.*?-->", "", text)) > COLUMNS and not text.startswith("|"):
            yield "line %d: longer than %d columns" % (line, COLUMNS)


def listing_problems(lesson):
    """Listings of JSON and Fortran in the text are lines of a file in the lesson's folder."""
    folder = os.path.dirname(lesson.path)
    texts = []
    for name in os.listdir(folder):
        if name.endswith((".json", ".fcm")):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                texts.append("".join(file.read().split()))
    for listing in re.findall(r"(?:^    .*\n)+", "\n".join(lesson.plain) + "\n", re.M):
        bare = ["".join(line.split()) for line in listing.splitlines()]
        if re.match(r"    ([{\"]|[A-Z]\w* = )", listing) and not any(all(line in text for line in bare) for text in texts):
            yield "no file of the folder has:\n%s" % listing


def command_problems(desk, block):
    try:
        code, printed = desk.run(block.command())
    except Broken as error:
        return [str(error)]
    if code != 0:
        return ["exit code %d: %s" % (code, printed)]
    quoted, lines = block.quoted(), printed.rstrip("\n").split("\n")
    if not quoted or fits(list(normalise(quoted)), list(normalise(lines))):
        return []
    return ["quoted:"] + quoted + ["printed:"] + lines


def number_problems(desk, lesson, results):
    for line, shown, expression, sentence in lesson.results():
        try:
            value = Expression(expression, results, desk.folder).value()
            if not same(value, shown):
                yield "%s:%d: \"%s\": %s is %s" % (lesson.folder, line, sentence, shown, shown_as(value, shown))
        except (Broken, KeyError, IndexError, TypeError, ValueError, ZeroDivisionError) as error:
            yield "%s:%d: %s: %r" % (lesson.folder, line, expression, error)


def given_problems(desk, block, results):
    """A number that a question gives is in its words, and is what the expression says."""
    for key, text in block.pairs():
        shown, _, expression = text.partition(" = ")
        if key != "given":
            continue
        if not re.search(r"(?<![\d.,])%s(?![\d])" % re.escape(shown), block.value("ask")):
            yield "line %d: the question does not give %s" % (block.line, shown)
        value = Expression(expression, results, desk.folder).value()
        if not same(value, shown):
            yield "line %d: \"%s\": %s is %s" % (block.line, block.value("ask"), shown, shown_as(value, shown))


def answer_problems(desk, block, results):
    try:
        value = Expression(block.value("answer"), results, desk.folder).value()
        wrong = [] if isinstance(value, (int, float, str)) else ["the answer is %r" % value]
        return wrong + list(given_problems(desk, block, results))
    except (Broken, KeyError, IndexError, TypeError, ValueError, ZeroDivisionError) as error:
        return [repr(error)]


def draw(desk, lesson, block, path):
    """Draws a picture to `path` instead of the lesson's folder."""
    words, file = block.command(), "docs/lessons/%s/%s" % (lesson.folder, block.name)
    if "--screenshot" not in words or words[words.index("--screenshot") + 1] != file:
        raise Broken("line %d: expected --screenshot %s" % (block.line, file))
    code, printed = desk.run([path if word == file else word for word in words])
    if code != 0:
        raise Broken("exit code %d: %s" % (code, printed))


def picture_problems(desk, lesson, block):
    kept = os.path.join(os.path.dirname(lesson.path), block.name)
    with tempfile.TemporaryDirectory() as folder:
        made = os.path.join(folder, "made.png")
        try:
            draw(desk, lesson, block, made)
            with open(kept, "rb") as old, open(made, "rb") as new:
                if picture.content(old.read()) != picture.content(new.read()):
                    yield "%s is not what its command draws; --write draws it" % block.name
        except (Broken, OSError) as error:
            yield str(error)
    if not re.search(r"!\[[^]]+\]\(%s\)" % re.escape(block.name), lesson.text):
        yield "the text does not show it"


def task_problems(desk, lesson, block):
    """The solution passes; what a student starts from, the reference if nothing else, has the right data, and does not pass."""
    number = str(int(lesson.folder[:2]))
    for path, expected in ((block.value("solution"), 0), (block.value("start", block.value("reference")), 1)):
        code, printed = desk.run(["cm200", "lesson", number, "--check", path, "--seed", "1", "--json"])
        if code != expected:
            yield "%s: exit code %d: %s" % (path, code, printed)
            continue
        judged = json.loads(printed)
        if judged["passed"] != (expected == 0) or (expected == 1 and len(judged["reasons"]) != 1):
            yield "%s: %s" % (path, printed)



def write(desk, lesson):
    """The computed numbers into the text, the pictures into the folder."""
    results, lines = results_of(desk, lesson), lesson.text.split("\n")
    for line, shown, expression, _ in lesson.results():
        value = shown_as(Expression(expression, results, desk.folder).value(), shown)
        mark = "<!--= %s -->" % expression
        lines[line - 1] = re.sub(re.escape(shown) + r"(\**)" + re.escape(mark), lambda m, v=value, k=mark: v + m.group(1) + k,
                                 lines[line - 1], count=1)
    with open(lesson.path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))
    for block in lesson.of("picture") if desk.viewer else ():
        draw(desk, lesson, block, os.path.join(os.path.dirname(lesson.path), block.name))


def check(tap, desk, lesson, number):
    tap.report("%s has its form" % lesson.folder, form_problems(lesson, number))
    tap.report("%s: listings" % lesson.folder, listing_problems(lesson))
    for block in lesson.of("command"):
        tap.report("%s:%d: %s" % (lesson.folder, block.line, " ".join(block.command())), command_problems(desk, block))
    try:
        results = results_of(desk, lesson)
    except Broken as error:
        tap.report("%s: results" % lesson.folder, [str(error)])
        return
    tap.report("%s: %d numbers" % (lesson.folder, len(list(lesson.results()))), number_problems(desk, lesson, results))
    for block in lesson.of("question"):
        tap.report("%s:%d: the question has an answer" % (lesson.folder, block.line), answer_problems(desk, block, results))
    for block in lesson.of("picture"):
        if desk.viewer:
            tap.report("%s: %s" % (lesson.folder, block.name), picture_problems(desk, lesson, block))
        else:
            tap.skip("%s: %s" % (lesson.folder, block.name), "cm200-view is not built")
    for block in lesson.of("task"):
        tap.report("%s: the task" % lesson.folder, task_problems(desk, lesson, block))


def teaching_problems(root, every):
    """docs/teaching.md has a row for each lesson, with the points of its task, and no other row of a lesson."""
    with open(os.path.join(root, "docs", "teaching.md"), encoding="utf-8") as file:
        rows = re.findall(r"(?m)^\| (\d+)\. .* \| (\d+) \| .* \| (\d+) points \|$", file.read())
    expected = [(str(number), lesson.of("task")[0].value("points")) for number, lesson in enumerate(every, 1)]
    if [(number, points) for number, _, points in rows] != expected:
        yield "rows of docs/teaching.md: %s, expected %s" % (rows, expected)
    if not all(10 <= int(minutes) <= 15 for _, minutes, _ in rows):
        yield "docs/lessons/README.md says that a lesson takes 10 to 15 minutes: %s" % rows


def false_sentences(desk, lesson):
    """Of the text and of the questions."""
    results = results_of(desk, lesson)
    yield from number_problems(desk, lesson, results)
    for block in lesson.of("question"):
        for problem in given_problems(desk, block, results):
            yield "%s: %s" % (lesson.folder, problem)


def check_costs(tap, build, root, all_lessons):
    for file, section, key, value, folder, words in COSTS:
        with tempfile.TemporaryDirectory() as copy:
            for name in ("configs", "docs", "programs"):
                shutil.copytree(os.path.join(root, name), os.path.join(copy, name))
            path = os.path.join(copy, file)
            with open(path, encoding="utf-8") as opened:
                machine = json.load(opened)
            machine[section][key]["value"] = value
            with open(path, "w", encoding="utf-8") as opened:
                json.dump(machine, opened)
            with tempfile.TemporaryDirectory() as place:
                desk, named = Desk(build, copy, place), []
                for lesson in all_lessons:
                    named += list(false_sentences(desk, lesson))
            expected = [problem for problem in named if problem.startswith(folder) and words in problem]
            print("# %s.%s = %d in %s: %d sentences are no longer true" % (section, key, value, file, len(named)))
            tap.report("%s.%s of %s: sentences of %s are named" % (section, key, file, folder),
                       [] if expected else ["named are:"] + named)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("root")
    parser.add_argument("--lesson", type=int, action="append")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--costs", action="store_true")
    given = parser.parse_args()
    build, root, tap = os.path.realpath(given.build), os.path.realpath(given.root), Tap()
    every = list(enumerate(lessons(root), 1))
    chosen = [(number, lesson) for number, lesson in every if not given.lesson or number in given.lesson]
    if given.costs:
        check_costs(tap, build, root, [lesson for _, lesson in chosen])
        return tap.done()
    with tempfile.TemporaryDirectory() as folder:
        desk = Desk(build, root, folder)
        for number, lesson in chosen:
            if given.write:
                write(desk, lesson)
            else:
                check(tap, desk, lesson, number)
    if given.write:
        return 0
    with open(os.path.join(root, "docs", "lessons", "README.md"), encoding="utf-8") as file:
        listed = file.read()
    tap.report("README.md of the lessons lists them all", [
        lesson.title for _, lesson in every
        if "| [%s](%s/lesson.md) |" % (lesson.title.partition(". ")[2], lesson.folder) not in listed])
    tap.report("docs/teaching.md has the tasks' points", teaching_problems(root, [lesson for _, lesson in every]))
    size = sum(os.path.getsize(os.path.join(os.path.dirname(lesson.path), block.name))
               for _, lesson in every for block in lesson.of("picture"))
    tap.report("pictures take %d bytes" % size, ["at most %d" % PICTURES_MAX_BYTES] if size > PICTURES_MAX_BYTES else [])
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
