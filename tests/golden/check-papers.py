"""docs/papers.md: the commands that it names run, the tests that it names exist, and each row has both, or a reason.

usage: check-papers.py CM200 SOURCE_ROOT
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from tap import Tap, arguments  # noqa: E402: the path is set above

TIMEOUT_SECONDS = 120

# Long, and run by the tests in their rows.
RUN_ELSEWHERE = (
    "cm200 validate --applications",
    "cm200 validate --model",
    "cm200 validate --plot . --quiet",
)


def rows(text):
    """The cells of each row: item, what it is, command, test."""
    for line in text.splitlines():
        if line.startswith("| ") and not line.startswith("| Item"):
            yield [cell.strip() for cell in line.strip("|").split("|")]


def run(command, cm200, root):
    words = shlex.split(command)
    words[0] = cm200 if words[0] == "cm200" else os.path.join(root, words[0])
    with tempfile.TemporaryDirectory() as folder:
        for name in ("configs", "programs"):  # which the commands name as from the source
            os.symlink(os.path.join(root, name), os.path.join(folder, name))
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False)
    if done.returncode != 0:
        return ["exit code %d: %s" % (done.returncode, done.stderr)]
    return []


def missing(test, root):
    path, _, name = test.partition(":")
    full = os.path.join(root, path)
    if not os.path.exists(full):
        return ["%s does not exist" % path]
    if name:
        with open(full, encoding="utf-8") as file:
            if not re.search(r"\b%s\b" % re.escape(name), file.read()):
                return ["%s has no %s" % (path, name)]
    return []


def main():
    cm200, root = (os.path.abspath(path) for path in arguments(__doc__, 2)[:2])
    tap = Tap()
    commands = []
    with open(os.path.join(root, "docs", "papers.md"), encoding="utf-8") as file:
        table = list(rows(file.read()))
    for row in table:
        problems = [] if len(row) == 4 and all(row) else ["expected four cells, none empty: %s" % row]
        named = re.findall(r"`((?:cm200|(?:scripts|research)/)[^`]*)`", row[2])
        tests = re.findall(r"`(tests/[^`]*)`", row[3])
        if not named and not row[2].startswith("none: "):
            problems.append("neither a command nor the reason why not: %s" % row[2])
        if not tests and not row[3].startswith("none: "):
            problems.append("neither a test nor the reason why not: %s" % row[3])
        for test in tests:
            problems += missing(test, root)
        tap.report(row[0], problems)
        commands += [command for command in named if command not in commands]
    for command in RUN_ELSEWHERE:
        tap.report("%s is in the list" % command, [] if command in commands else ["it is not"])
    for command in commands:
        if command in RUN_ELSEWHERE:
            continue
        tap.report(command, run(command, cm200, root))
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
