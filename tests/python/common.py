"""What the checks of the Python module share. A check is a script with functions test_NAME, whose docstrings say what they show."""

import os
import subprocess
import sys
import traceback

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))

from tap import Tap, arguments  # noqa: E402

CM200, ROOT = (os.path.realpath(path) for path in arguments(sys.modules["__main__"].__doc__, 2, modules=["numpy", "cffi"]))


class Skipped(Exception):
    """Something that a test needs is missing."""


def expect(good, what):
    if not good:
        raise AssertionError(what)


def refused(kind, call):
    try:
        call()
    except kind as error:
        return error
    raise AssertionError("nothing was refused")


def printed(*words):
    return subprocess.run([CM200, *words], capture_output=True, text=True, check=True).stdout


def example(name):
    return os.path.join(ROOT, "programs", "examples", name)


def program(name):
    return os.path.join(ROOT, "programs", "examples", "fortran", name)


def run_tests(tests):
    """Runs the functions test_NAME of a script, in order. Returns the exit code."""
    tap = Tap()
    for name, test in list(tests.items()):
        if not name.startswith("test_"):
            continue
        try:
            test()
            problems = []
        except Skipped as missing:
            tap.skip(test.__doc__, str(missing))
            continue
        except Exception:  # pylint: disable=broad-exception-caught
            problems = [traceback.format_exc()]
        tap.report(test.__doc__, problems)
    return tap.done()
