"""TAP for the checks written in Python: report(name, problems) a subtest, done() at the end."""

import os
import sys


class Tap:
    def __init__(self):
        self.count = 0
        self.failed = 0

    def report(self, name, problems=()):
        """One subtest: passed when `problems` is empty; otherwise each problem is printed below it."""
        problems = list(problems)
        self.count += 1
        self.failed += 1 if problems else 0
        print("%s %d - %s" % ("not ok" if problems else "ok", self.count, name))
        for problem in problems:
            print("".join("# %s\n" % line for line in str(problem).splitlines()), end="")
        sys.stdout.flush()
        return not problems

    def skip(self, name, why):
        self.count += 1
        print("ok %d - %s # SKIP %s" % (self.count, name, why))

    def done(self):
        """Prints the plan. The exit code is 0 either way: under TAP the lines above say what failed."""
        print("1..%d" % self.count)
        return 0


def percent():
    """The share of random cases to run; 100 in a thorough run."""
    return int(os.environ.get("CM_TEST_PERCENT", "100"))


def cases(thorough):
    """The number of random cases to run, where a thorough run has `thorough`."""
    return max(1, thorough * percent() // 100)


def arguments(usage, least):
    """Those of the command line; prints the usage, the script's docstring, and ends when there are fewer than `least`."""
    given = sys.argv[1:]
    if "--help" in given or "-h" in given:
        print(usage.strip())
        sys.exit(0)
    if len(given) < least:
        sys.stderr.write(usage.strip() + "\n")
        sys.exit(2)
    return given


def skip_all(why):
    print("1..0 # SKIP %s" % why)
    sys.exit(0)
