"""CONTRIBUTING.md is true: every list of places is complete for its example, and every path in it exists.

usage: check-guide.py SOURCE_ROOT

A section "How to add ..." names an example in backticks, and lists the places to change, one path in backticks at the
beginning of each item. The files of the tree that contain the example's name, in their text or their path, must be these
places and no others. Golden cases and results count only where the list names one: they hold the output of many commands.
Paths in the other text of CONTRIBUTING.md and of tests/README.md must exist.
"""

import os
import re
import sys

import source
from tap import Tap

SECTION = re.compile(r"^## How to add ([^\n]*)\n(.*?)(?=^## |\Z)", re.M | re.S)
EXAMPLE = re.compile(r"^Example: `([^`]+)`\.$", re.M)
PLACE = re.compile(r"^- `([^`]+)`:", re.M)
PATH = re.compile(r"`([\w.-]+(?:/[\w.-]+)+)`")
PAGES = ("CONTRIBUTING.md", "tests/README.md")
OUTPUT = ("tests/golden/cli/cases/", "tests/golden/results/", "tests/golden/view/cases/")


def files(root):
    for folder, names, here in os.walk(root):
        names[:] = [name for name in names if name != ".git" and
                    not os.path.exists(os.path.join(folder, name, "build.ninja"))]
        for name in here:
            yield os.path.relpath(os.path.join(folder, name), root)


def texts(root):
    """Path and text of every file but pictures and other binary files."""
    found = {}
    for path in files(root):
        try:
            found[path] = source.read(os.path.join(root, path))
        except UnicodeDecodeError:
            continue
    return found


def names(word, text):
    """Whether the text has the word, in any case, `-` and `_` the same; letters before or after make another word."""
    expression = r"(?<![A-Za-z])%s(?![A-Za-z])" % re.sub(r"[-_]", "[-_]", re.escape(word).replace(r"\-", "-"))
    return re.search(expression, text, re.I) is not None


def places_problems(text, tree):
    """What is wrong with the list of one section."""
    example = EXAMPLE.search(text)
    listed = PLACE.findall(text)
    if example is None or not listed:
        yield "the section has no line \"Example: `NAME`.\" or no list of places"
        return
    word = example.group(1)
    for path in listed:
        if path not in tree:
            yield "%s is listed, but does not exist" % path
        elif not names(word, path) and not names(word, tree[path]):
            yield "%s is listed, but does not contain %s" % (path, word)
    for path in sorted(tree):
        if path in listed or path in PAGES or path.startswith(OUTPUT):
            continue
        if names(word, path) or names(word, tree[path]):
            yield "%s contains %s, but is not listed" % (path, word)


def path_problems(root, page):
    for path in sorted(set(PATH.findall(source.read(os.path.join(root, page))))):
        if not path.startswith("build") and not os.path.exists(os.path.join(root, path)):
            yield "%s does not exist" % path


def main(arguments):
    root = os.path.realpath(arguments[0])
    tap, tree = Tap(), texts(root)
    sections = SECTION.findall(source.read(os.path.join(root, "CONTRIBUTING.md")))
    tap.report("CONTRIBUTING.md explains how to add things", [] if sections else ["no section \"How to add ...\""])
    for title, text in sections:
        tap.report("the places to add %s are complete" % title, places_problems(text, tree))
    for page in PAGES:
        tap.report("the paths in %s exist" % page, path_problems(root, page))
    return tap.done()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
