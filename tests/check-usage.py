"""A script of the tests without its arguments prints its usage and exits with 2, where optional programs are missing, too.

usage: check-usage.py SOURCE_ROOT

Scripts run as on a bare machine, so that one that looks for a program or module before its arguments is found anywhere.
"""

import glob
import os
import re
import subprocess
import sys
import tempfile

import bare
import source
from tap import Tap, arguments


def problems_of(path, environment):
    done = subprocess.run([sys.executable, path], stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", env=environment,
                          check=False)
    if done.returncode != 2:
        yield "it ends with exit code %s" % done.returncode
    if "usage: " not in done.stderr or "Traceback" in done.stderr:
        yield "it prints: %s" % done.stderr[-300:]


def main(given):
    root, tap = given[0], Tap()
    with tempfile.TemporaryDirectory() as folder:
        environment = bare.environment(folder)
        for path in sorted(glob.glob(os.path.join(root, "tests", "**", "*.py"), recursive=True)):
            if re.search(r'^(usage: |    parser\.add_argument\("[a-z])', source.read(path), re.M):
                tap.report("%s prints its usage" % os.path.relpath(path, root), problems_of(path, environment))
    return tap.done()


if __name__ == "__main__":
    sys.exit(main(arguments(__doc__, 1)))
