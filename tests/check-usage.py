"""A script of the tests without its arguments prints its usage, and no traceback.

usage: check-usage.py SOURCE_ROOT
"""

import glob
import os
import re
import subprocess
import sys

import source
from tap import Tap, arguments


def problems_of(path):
    done = subprocess.run([sys.executable, path], stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8")
    if done.returncode in (0, None):
        yield "it ends with exit code %s" % done.returncode
    if "usage: " not in done.stderr or "Traceback" in done.stderr:
        yield "it prints: %s" % done.stderr[-300:]


def main(given):
    root, tap = given[0], Tap()
    for path in sorted(glob.glob(os.path.join(root, "tests", "**", "*.py"), recursive=True)):
        if re.search(r'^(usage: |    parser\.add_argument\("[a-z])', source.read(path), re.M):
            tap.report("%s prints its usage" % os.path.relpath(path, root), problems_of(path))
    return tap.done()


if __name__ == "__main__":
    sys.exit(main(arguments(__doc__, 1)))
