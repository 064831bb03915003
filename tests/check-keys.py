"""The viewer's keys in the manual are those of the table that the program reads (viz/control/keys.def).

usage: check-keys.py SOURCE_ROOT [--table]     --table prints the manual's rows
"""

import os
import re
import sys

import source
from tap import Tap

ROW = re.compile(r'^CM_KEY\([A-Z_]+, "[^"]*",\s*"([^"]*)",\s*"([^"]*)",', re.M)


def rows(root):
    """(keys as shown, what) of each row."""
    return ROW.findall(source.read(os.path.join(root, "viz/control/keys.def")))


def main(arguments):
    root = os.path.realpath(arguments[0])
    table = ["| %s | %s |" % row for row in rows(root)]
    if "--table" in arguments:
        print("\n".join(table))
        return 0
    tap = Tap()
    tap.report("the table of keys is read", [] if len(table) > 10 else ["%d rows" % len(table)])
    manual = source.read(os.path.join(root, "docs/viewer.md"))
    tap.report("docs/viewer.md lists the keys of viz/control/keys.def", [] if "\n".join(table) in manual else
               ["expected these rows:\n" + "\n".join(table)])
    return tap.done()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
