"""CONTRIBUTING.md and docs/architecture.md are true: lists of places are complete, and what they name exists.

usage: check-guide.py SOURCE_ROOT

A section "How to add ..." names an example in backticks, and lists the places to change, one path in backticks at the
beginning of each item. The files of the tree that contain the example's name, in their text or their path, must be these
places and no others. Where the name is a common word, "Example: `fill`, found by `A`, `B`." gives the texts to look for.
Golden cases, results and tests/faults count only where the list names one: they hold many commands and their output.
Paths in the other text of CONTRIBUTING.md, tests/README.md, docs/testing.md and docs/architecture.md must exist.

A diagram of docs/architecture.md is a fenced block. Its names are a function with "()", a name that begins with "cm_", and a
file "NAME.c", "NAME.h" or "NAME.def". Each must be in the source.
"""

import os
import re
import sys

import source
from tap import Tap, arguments

SECTION = re.compile(r"^## How to add ([^\n]*)\n(.*?)(?=^## |\Z)", re.M | re.S)
EXAMPLE = re.compile(r"^Example: `([^`]+)`(?:, found\sby ([^.]*(?:\.\w[^.]*)*))?\.$", re.M)
PLACE = re.compile(r"^- `([^`]+)`:", re.M)
PATH = re.compile(r"`([\w.-]+(?:/[\w.-]+)+)`")
PAGES = ("CONTRIBUTING.md", "tests/README.md", "docs/testing.md", "docs/architecture.md")
DIAGRAMS = "docs/architecture.md"
FENCED = re.compile(r"^```\n(.*?)^```$", re.M | re.S)
FUNCTION = re.compile(r"\b(\w+)\(\)|\b(cm_\w+)")
FILE = re.compile(r"[\w/-]+\.(?:c|h|def)\b")
PRODUCT = ("base/", "fortran/", "programs/", "report/", "sim/", "trace/", "viz/")
OUTPUT = ("docs/figures/", "tests/faults/", "tests/golden/cli/cases/", "tests/golden/results/", "tests/golden/view/cases/")


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


def searcher(example):
    """The function that says whether a file belongs to the example: it takes path and text."""
    if example.group(2) is None:
        word = example.group(1)
        return lambda path, text: names(word, path) or names(word, text)
    spellings = re.findall(r"`([^`]+)`", example.group(2))
    return lambda path, text: any(spelling in path or spelling in text for spelling in spellings)


def places_problems(text, tree):
    """What is wrong with the list of one section."""
    example = EXAMPLE.search(text)
    listed = PLACE.findall(text)
    if example is None or not listed:
        yield "the section has no line \"Example: `NAME`.\" or no list of places"
        return
    word, contains = example.group(1), searcher(example)
    for path in listed:
        if path not in tree:
            yield "%s is listed, but does not exist" % path
        elif not contains(path, tree[path]):
            yield "%s is listed, but does not contain %s" % (path, word)
    for path in sorted(tree):
        if path in listed or path in PAGES or path.startswith(OUTPUT):
            continue
        if "isa/isa.def" in listed and path.startswith("programs/"):
            continue  # uses the instruction
        if contains(path, tree[path]):
            yield "%s contains %s, but is not listed" % (path, word)


def path_problems(root, page):
    for path in sorted(set(PATH.findall(source.read(os.path.join(root, page))))):
        if not path.startswith("build") and not os.path.exists(os.path.join(root, path)):
            yield "%s does not exist" % path


def code_words(tree):
    """The words of the product's C files."""
    found = set()
    for path, text in tree.items():
        if path.startswith(PRODUCT) and path.endswith((".c", ".h", ".def")):
            found.update(re.findall(r"\w+", text))
    return found


def diagram_problems(diagram, tree, words):
    """Names of a diagram that the source lacks."""
    for name in sorted({first or second for first, second in FUNCTION.findall(diagram)}):
        if name not in words:
            yield "%s is not in the source" % name
    for name in sorted(set(FILE.findall(diagram))):
        if not any(path == name or path.endswith("/" + name) for path in tree):
            yield "there is no file %s" % name


def main(given):
    root = os.path.realpath(given[0])
    tap, tree = Tap(), texts(root)
    sections = SECTION.findall(source.read(os.path.join(root, "CONTRIBUTING.md")))
    tap.report("CONTRIBUTING.md explains how to add things", [] if sections else ["no section \"How to add ...\""])
    for title, text in sections:
        tap.report("the places to add %s are complete" % title, places_problems(text, tree))
    for page in PAGES:
        tap.report("the paths in %s exist" % page, path_problems(root, page))
    diagrams, words = FENCED.findall(tree[DIAGRAMS]), code_words(tree)
    tap.report("the names in the diagrams of %s exist (diagrams: %d)" % (DIAGRAMS, len(diagrams)),
               [problem for diagram in diagrams for problem in diagram_problems(diagram, tree, words)]
               if diagrams else ["there is no diagram"])
    return tap.done()


if __name__ == "__main__":
    sys.exit(main(arguments(__doc__, 1)))
