"""Chooses, of all that a fuzz target has learnt, the few inputs to keep in the tree.

usage: keep-corpus.py PROGRAM TARGET KEPT_FOLDER FOLDER...

PROGRAM is built with libFuzzer. The inputs of KEPT_FOLDER and the others are merged (-merge=1 finds what each reaches); kept
are, one after the other, those that reach most that the kept ones don't, at most 40 and 15,000 bytes. They are written as
KEPT_FOLDER/00, 01, ...; files with another name, inputs that once failed, stay.
"""

import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import arguments  # noqa: E402: the path is set above

FILES_MAX = 40
BYTES_MAX = 15000


def merge(program, target, folders, scratch):
    """The inputs with the features that each reaches: [(path, size, set)]."""
    control, made = os.path.join(scratch, "control"), os.path.join(scratch, "merged")
    os.mkdir(made)
    subprocess.run([program, "--target=" + target, "-merge=1", "-merge_control_file=" + control, made] + folders,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    lines = open(control, encoding="utf-8").read().splitlines()
    count = int(lines[0])
    paths = lines[2:2 + count]
    reached = {}
    for line in lines[2 + count:]:
        match = re.match(r"FT (\d+) (.*)", line)
        if match:
            reached[int(match.group(1))] = set(match.group(2).split())
    return [(path, os.path.getsize(path), reached.get(i, set())) for i, path in enumerate(paths)]


def choose(inputs):
    """Greedy: the next one reaches the most for its size."""
    chosen, left, room = [], list(inputs), BYTES_MAX
    while left and len(chosen) < FILES_MAX:
        fits = [one for one in left if one[1] <= room and one[2]]
        if not fits:
            break
        best = max(fits, key=lambda one: (len(one[2]) / (one[1] + 200), -one[1]))
        chosen.append(best)
        room -= best[1]
        left = [(path, size, features - best[2]) for path, size, features in left if path != best[0]]
    return chosen


def main(given):
    program, target, kept, others = os.path.realpath(given[0]), given[1], given[2], given[3:]
    os.makedirs(kept, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        inputs = merge(program, target, [os.path.realpath(folder) for folder in [kept] + others], scratch)
        chosen = choose(inputs)
        contents = [open(path, "rb").read() for path, _, _ in chosen]
    every = set().union(*(features for _, _, features in inputs))
    reached = set().union(*(features for _, _, features in chosen))
    for name in os.listdir(kept):
        if name.isdigit():
            os.unlink(os.path.join(kept, name))
    for number, content in enumerate(contents):
        with open(os.path.join(kept, "%02d" % number), "wb") as file:
            file.write(content)
    print("%s: %d of %d inputs, %d bytes, %d of %d features" % (
        target, len(chosen), len(inputs), sum(map(len, contents)), len(reached), len(every)))
    return 0


if __name__ == "__main__":
    sys.exit(main(arguments(__doc__, 3)))
