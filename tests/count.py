"""Runs `meson test` and counts subtests: python3 tests/count.py BUILD [--thorough] [MESON TEST OPTIONS].

Without --thorough, random tests take QUICK_PERCENT of their cases, and tests of the suite "slow" are left out unless tests are
named. The variable CM_TEST_PERCENT sets another share.

Meson counts programs; people want to know how many behaviours were tested. Every program prints TAP, and Meson's log
keeps what each printed, so the subtests are counted here. A program that dies, times out, stops before its plan is
done, or prints nothing counts as failed, whatever its subtests said. The last line is "N passed, N failed, N skipped".
"""

import json
import os
import re
import subprocess
import sys

RESULT = re.compile(r"(not )?ok\b(?:\s+\d+)?\s*(?:-\s*)?(?P<name>[^#\n]*)(?:#\s*(?P<directive>SKIP|TODO)\b)?", re.I)
PLAN = re.compile(r"1\.\.(\d+)\s*(#\s*SKIP\b)?", re.I)
GOOD = ("OK", "EXPECTEDFAIL")
QUICK_PERCENT = 10  # of the cases of random tests; docs/testing.md has what these find
REASON_LINES = 12  # of a failure's explanation; the whole is in Meson's log
OPTIONS_WITH_VALUE = ("--suite", "--no-suite", "--repeat", "--timeout-multiplier", "-t", "--wrapper", "--wrap", "--num-processes", "-j",
                      "--logbase", "--maxfail", "--test-args")  # of meson test
EXIT_SKIPPED = 77  # the exit code by which a test that prints no TAP says that it was skipped


class Count:
    def __init__(self):
        self.passed = 0
        self.failed = 0
        self.skipped = 0
        self.failures = []

    def fail(self, test, what, number=1):
        self.failed += number
        self.failures.append("%s: %s" % (test, what))

    def line(self):
        return "%d passed, %d failed, %d skipped" % (self.passed, self.failed, self.skipped)


def count_subtest(count, test, match):
    """Counts one TAP line. A TODO is an expected failure: known, so not failed, but not passed either."""
    bad = match.group(1) is not None
    directive = (match.group("directive") or "").upper()
    if directive == "SKIP" or (directive == "TODO" and bad):
        count.skipped += 1
    elif bad or directive == "TODO":
        what = "passed, though expected to fail: " if directive == "TODO" else ""
        count.fail(test, what + match.group("name").strip())
    else:
        count.passed += 1


def count_tap(count, test, output):
    """Counts a program's TAP; returns (lines seen, lines planned or None, whether the plan says skip)."""
    seen, planned, skip_all = 0, None, False
    explains = 0  # lines still shown of those marked "#" that follow a failure and say why; Meson shows none
    for line in output.splitlines():
        plan = PLAN.match(line)
        match = RESULT.match(line)
        if plan:
            planned, skip_all = int(plan.group(1)), plan.group(2) is not None
        elif match:
            seen += 1
            failed_before = count.failed
            count_subtest(count, test, match)
            explains = REASON_LINES if count.failed > failed_before else 0
        elif explains > 0 and line.startswith("#"):
            explains -= 1
            count.failures[-1] += "\n    " + line[1:].strip()
    return seen, planned, skip_all


def count_program(count, entry):
    test, result, code = entry["name"], entry["result"], entry.get("returncode")
    failed_before = count.failed
    seen, planned, skip_all = count_tap(count, test, entry.get("stdout") or "")
    if planned is not None and seen < planned:
        count.fail(test, "stopped after %d of %d subtests" % (seen, planned), planned - seen)
    if seen == 0 and planned is None:
        if result in GOOD:
            count.passed += 1
        elif result == "SKIP" and code == EXIT_SKIPPED:
            count.skipped += 1
        elif result == "SKIP":
            count.fail(test, "printed no result")
        else:
            count.fail(test, "%s (exit code %s)" % (result, code))
    elif skip_all and seen == 0:
        count.skipped += 1
    elif planned is None and count.failed == failed_before:
        count.fail(test, "stopped before printing its plan, %s (exit code %s)" % (result, code))
    elif result not in GOOD + ("SKIP",) and count.failed == failed_before:
        count.fail(test, "%s (exit code %s)" % (result, code))


def read_log(build):
    """The entries of the newest testlog*.json (`--setup NAME` gives it another name)."""
    folder = os.path.join(build, "meson-logs")
    names = [os.path.join(folder, n) for n in os.listdir(folder) if re.fullmatch(r"testlog.*\.json", n)]
    if not names:
        return []
    with open(max(names, key=os.path.getmtime), encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def forget_logs(build):
    folder = os.path.join(build, "meson-logs")
    for name in os.listdir(folder) if os.path.isdir(folder) else []:
        if re.fullmatch(r"testlog.*", name):
            os.remove(os.path.join(folder, name))


def names_tests(options):
    """Returns whether a word is a test's name: it is not an option, and not the value of the option before it."""
    before = [""] + options[:-1]
    return any(not word.startswith("-") and option not in OPTIONS_WITH_VALUE for option, word in zip(before, options))


def main(arguments):
    if not arguments:
        sys.exit("usage: count.py BUILD [MESON TEST OPTIONS]")
    build, options = arguments[0], [word for word in arguments[1:] if word != "--thorough"]
    thorough = "--thorough" in arguments
    if not thorough:
        os.environ.setdefault("CM_TEST_PERCENT", str(QUICK_PERCENT))
        if not names_tests(options):
            options += ["--no-suite", "slow"]
    command = ["meson", "test", "-C", build, "--setup", "all", "--print-errorlogs"] + options
    if any(option in ("--list", "-h", "--help") for option in options):
        return subprocess.call(command)
    forget_logs(build)
    sys.stdout.flush()
    code = subprocess.call(command, stdin=subprocess.DEVNULL)
    count = Count()
    entries = read_log(build)
    for entry in entries:
        count_program(count, entry)
    if code != 0 and count.failed == 0:
        count.fail("meson test", "exit code %d%s" % (code, "" if entries else ", nothing was run"))
    elif not entries:
        count.fail("meson test", "no test was selected")
    sys.stdout.write("".join("failed: %s\n" % failure for failure in count.failures))
    print(count.line())
    return 1 if count.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
