"""The pictures of docs/gallery.md are what its commands draw.

usage: check-gallery.py CM200_VIEW CM200 SOURCE_ROOT [--write]

SVG is compared byte by byte, PNG pixel by pixel. --write draws the pictures of docs/figures again.
"""

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "window"))

from pictures import read_png  # noqa: E402: the path is set above
from tap import Tap, arguments  # noqa: E402

PICTURES = 10
MOST_BYTES = 600000  # of all pictures
FOLDERS = ("docs", "programs", "configs")  # that the commands name


def commands(manual):
    for block in re.findall(r"^```sh\n(.*?)^```", manual, re.M | re.S):
        yield from block.splitlines()


def run(line, programs, folder):
    words = shlex.split(line)
    done = subprocess.run([programs[words[0]], *words[1:]], cwd=folder, capture_output=True, text=True, timeout=120)
    return [] if done.returncode == 0 else ["%s: exit code %d: %s" % (line, done.returncode, done.stderr)]


def content(path):
    """A picture without what only depends on the library that compressed it."""
    if path.endswith(".png"):
        picture = read_png(path)
        return picture.width, picture.height, hashlib.sha256(b"".join(picture.rows)).hexdigest()
    with open(path, encoding="utf-8") as file:
        return re.sub(r"<desc>.*?</desc>", "", file.read(), flags=re.S)


def main():
    words = arguments(__doc__, 3)
    view, cm200, root = [os.path.abspath(path) for path in words[:3]]
    write = "--write" in words[3:]
    tap = Tap()
    with open(os.path.join(root, "docs", "gallery.md"), encoding="utf-8") as file:
        manual = file.read()
    names = re.findall(r"\]\(figures/(gallery-[\w.-]+)\)", manual)
    kept = [os.path.join(root, "docs", "figures", name) for name in names]
    with tempfile.TemporaryDirectory() as folder:
        for name in FOLDERS:
            os.symlink(os.path.join(root, name), os.path.join(folder, name))
        problems = [each for line in commands(manual) for each in run(line, {"cm200": cm200, "cm200-view": view}, folder)]
        tap.report("all commands run", problems)
        for name, path in zip(names, kept):
            drawn = os.path.join(folder, name)
            if write:
                shutil.copy(drawn, path)
            tap.report(name, [] if os.path.exists(path) and content(drawn) == content(path) else ["the command draws something else"])
    sizes = sum(os.path.getsize(path) for path in kept)
    tap.report("%d pictures" % PICTURES, [] if len(names) == len(set(names)) == PICTURES else [str(names)])
    tap.report("they are small", [] if sizes <= MOST_BYTES else ["%d bytes" % sizes])
    found = {name for name in os.listdir(os.path.join(root, "docs", "figures")) if name.startswith("gallery-")}
    tap.report("no others are kept", sorted(found - set(names)))
    return tap.done()


sys.exit(main())
