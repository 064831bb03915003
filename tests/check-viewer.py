"""The viewer's manual has the keys and the panels of the lists that the program reads.

usage: check-viewer.py SOURCE_ROOT [--table]     --table prints the manual's rows of keys
"""

import os
import re
import sys

import source
from tap import Tap, arguments

KEY = re.compile(r'^CM_KEY\([A-Z_]+, "[^"]*",\s*"([^"]*)",\s*"([^"]*)",', re.M)
PANEL = re.compile(r"^CM_VIEW_PANEL\(\w+, (\w+)\)$", re.M)
TITLE = re.compile(r'^const struct cm_panel cm_panel_(\w+) = \{\n    \.title = "([^"]+)",$', re.M)


def key_rows(root):
    """(keys as shown, what) of each row."""
    return KEY.findall(source.read(os.path.join(root, "viz/control/keys.def")))


def panel_problems(root):
    """A panel is a file that defines it, with a title that heads a section of the manual."""
    manual = source.read(os.path.join(root, "docs/panels.md"))
    names = PANEL.findall(source.read(os.path.join(root, "viz/model/panels.def")))
    if not names:
        yield "viz/model/panels.def: no panel is listed"
    for name in names:
        path = "viz/draw/panel_%s.c" % name
        found = os.path.exists(os.path.join(root, path)) and dict(TITLE.findall(source.read(os.path.join(root, path))))
        if not found or name not in found:
            yield "%s does not define cm_panel_%s, beginning with its title" % (path, name)
        elif "\n## %s\n" % found[name] not in manual:
            yield 'docs/panels.md has no section "## %s"' % found[name]


def main(given):
    root = os.path.realpath(given[0])
    table = ["| %s | %s |" % row for row in key_rows(root)]
    if "--table" in given:
        print("\n".join(table))
        return 0
    tap = Tap()
    tap.report("the table of keys is read", [] if len(table) > 10 else ["%d rows" % len(table)])
    manual = source.read(os.path.join(root, "docs/viewer.md"))
    tap.report("docs/viewer.md lists the keys of viz/control/keys.def", [] if "\n".join(table) in manual else
               ["expected these rows:\n" + "\n".join(table)])
    tap.report("each panel has its file, and its section in docs/panels.md", panel_problems(root))
    return tap.done()


if __name__ == "__main__":
    sys.exit(main(arguments(__doc__, 1)))
