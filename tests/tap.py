"""TAP for the checks written in Python: report(name, problems) a subtest, done() at the end.

A check looks at its arguments first and at optional programs and modules afterwards: arguments(usage, least, programs, modules)
does both in this order. A check whose optional module is imported at the top calls it above that import.
"""

import importlib
import os
import shutil
import signal
import sys

# A shell ignores Ctrl-C in what it runs in the background, and programs inherit that. A test that sends SIGINT would wait for ever.
signal.signal(signal.SIGINT, signal.default_int_handler)

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


def usage_error(usage):
    """Prints the usage on standard error and ends with exit code 2."""
    sys.stderr.write(usage.strip() + "\n")
    sys.exit(2)


def arguments(usage, least, programs=(), modules=()):
    """Returns the arguments of the command line, and skips the check if one of the programs or modules is missing.

    Fewer than `least` arguments are a usage error, whatever is missing. --help prints the usage, the docstring of the script.
    """
    given = sys.argv[1:]
    if "--help" in given or "-h" in given:
        print(usage.strip())
        sys.exit(0)
    if len(given) < least:
        usage_error(usage)
    skip_without(programs, modules)
    return given


def skip_without(programs=(), modules=()):
    """Skips the whole check, naming what is missing, unless all programs are in PATH and all modules can be imported."""
    missing = [program for program in programs if shutil.which(program) is None]
    missing += ["python3-" + module for module in modules if not has_module(module)]
    if missing:
        skip_all("not installed: %s" % ", ".join(missing))


def has_module(name):
    try:
        importlib.import_module(name)
    except ImportError:
        return False
    return True


def skip_all(why):
    print("1..0 # SKIP %s" % why)
    sys.exit(0)
