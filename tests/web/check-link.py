#!/usr/bin/env python3
"""Links of the page (web/link.js) in Node.js: random states come back, damaged fragments are refused with a reason, and a text that
unpacks to more than a mebibyte is not unpacked.

usage: check-link.py ROOT [SEED]

CM_TEST_PERCENT sets how many of the 2,000 cases are tried.
"""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tap  # noqa: E402: the path is set above

CASES = 2000


def main():
    given = tap.arguments(__doc__, 1, programs=["node"])
    seed = given[1] if len(given) > 1 else "61"
    print("# seed %s" % seed)
    checks = tap.Tap()
    folder = os.path.dirname(os.path.abspath(__file__))
    done = subprocess.run(["node", os.path.join(folder, "link-cases.js"), os.path.join(given[0], "web", "link.js"), str(tap.cases(CASES)), seed],
                          capture_output=True, text=True, timeout=300)
    checks.report("states come back from links, and damaged links are refused", (done.stdout + done.stderr).splitlines()[:20])
    return checks.done()


if __name__ == "__main__":
    sys.exit(main())
