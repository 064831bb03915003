"""What scripts/mutate makes of the sources: its copy of them, and the places that it changes.

usage: check-mutate.py SOURCE_ROOT
"""

import importlib.machinery
import importlib.util
import os
import sys
import tempfile

from tap import Tap, arguments

sys.dont_write_bytecode = True

SOURCE = """\
#define LIMIT 4
static int table[] = {1, 2};

/* if (1 < 2) */
int f(int a)
{
    if (a < LIMIT) /* a < 3 */
        a += 2;
    call("1 < 2", a);
    assert(a > 1);
    return a;
}
"""


def load(root):
    loader = importlib.machinery.SourceFileLoader("mutate", os.path.join(root, "scripts", "mutate"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutate", loader))
    loader.exec_module(module)
    return module


def write(root, path, text):
    os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
    with open(os.path.join(root, path), "w", encoding="utf-8") as file:
        file.write(text)


def content(folder):
    """Path -> text and time of each file."""
    found = {}
    for here, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(here, name)
            with open(path, encoding="utf-8") as file:
                found[os.path.relpath(path, folder)] = (file.read(), os.stat(path).st_mtime_ns)
    return found


def copies(mutate, scratch):
    """What is wrong with a copy that is made again after the sources changed."""
    root, copy = os.path.join(scratch, "root"), os.path.join(scratch, "copy")
    for path in ("a.c", "sim/b.c", "sim/old/c.c"):
        write(root, path, "old\n")
    mutate.copy_tree(root, ["a.c", "sim/b.c", "sim/old/c.c"], copy)
    before = content(copy)
    write(root, "sim/b.c", "new\n")
    write(root, "d.c", "d\n")
    mutate.copy_tree(root, ["a.c", "sim/b.c", "d.c"], copy)
    after = content(copy)
    if sorted(before) != ["a.c", "sim/b.c", "sim/old/c.c"]:
        yield "the first copy has %s" % sorted(before)
    if {path: text for path, (text, _) in after.items()} != {"a.c": "old\n", "sim/b.c": "new\n", "d.c": "d\n"}:
        yield "the second copy has %s" % after
    if before["a.c"] != after.get("a.c"):
        yield "a.c is the same, and has a new time"
    if os.path.exists(os.path.join(copy, "sim", "old")):
        yield "the folder sim/old is empty and still there"


def places(mutate, scratch):
    write(scratch, "f.c", SOURCE)
    mutate.ROOT = scratch
    found = sorted(mutant.apply(SOURCE.split("\n"))[mutant.line].strip() for mutant in mutate.mutants_of("f.c"))
    wanted = ['if (!(a < LIMIT)) /* a < 3 */', 'if (a <= LIMIT) /* a < 3 */', ';', ';', 'a += 3;', 'a -= 2;']
    if found != sorted(wanted):
        yield "found %s" % found
    if any(mutant.function != (5, 11) for mutant in mutate.mutants_of("f.c")):
        yield "the function is not lines 6 to 12"


def main(given):
    tap = Tap()
    mutate = load(given[0])
    with tempfile.TemporaryDirectory() as scratch:
        tap.report("the copy has the files of the tree and no others", copies(mutate, scratch))
        tap.report("only code is changed: not comments, strings, tables, macros or asserts", places(mutate, scratch))
    return tap.done()


if __name__ == "__main__":
    sys.exit(main(arguments(__doc__, 1)))
