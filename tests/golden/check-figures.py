"""The figures that `cm200 validate --plot` draws are complete, and those of docs/figures are up to date.

usage: check-figures.py CM200 SOURCE_ROOT

To draw the kept ones again: build/cm200 validate --plot docs/figures
"""

import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from tap import Tap, usage_error  # noqa: E402: the path is set above

TIMEOUT_SECONDS = 60
SVG = "{http://www.w3.org/2000/svg}"
# What each picture must say: its axes' names and its legend.
TEXTS = {
    "figure-08": ["subgrid length L", "speedup", "rank 1, published", "rank 4, simulated"],
    "figure-09": ["subgrid length L", "CM time (ms)", "published", "simulated", "equation 2"],
    "figure-10": ["subgrid length L", "CM time (ms)", "published", "simulated", "equation 2"],
    "figure-11": ["subgrid length L", "CM time (ms)", "published", "simulated", "equation 2", "all powers"],
}


def draw(cm200, folder):
    done = subprocess.run([os.path.abspath(cm200), "validate", "--quiet", "--plot", folder],
                          env=dict(os.environ, LC_ALL="C"), capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=TIMEOUT_SECONDS, check=False)
    if done.returncode not in (0, 1):  # 1: a bound is missed, which other tests judge
        yield "exit code %d" % done.returncode
    if done.stderr:
        yield "it says: %s" % done.stderr


def picture_problems(path, texts):
    try:
        root = xml.etree.ElementTree.parse(path).getroot()
    except (OSError, xml.etree.ElementTree.ParseError) as fault:
        yield str(fault)
        return
    if root.tag != SVG + "svg":
        yield "it is a %s" % root.tag
    shown = " ".join("".join(element.itertext()) for element in root.iter(SVG + "text"))
    for text in texts:
        if " ".join(text.split()) not in " ".join(shown.split()):
            yield "nowhere in it: %s" % text


def read(path):
    """A figure, without the number of the release that drew it."""
    try:
        with open(path, encoding="utf-8") as file:
            return re.sub(r"cm200 \d+\.\d+\.\d+", "cm200 RELEASE", file.read())
    except OSError as fault:
        return "%s\n" % fault


def kept_problems(kept, found):
    old, new = read(kept).splitlines(), read(found).splitlines()
    problems = ["kept %r, now %r" % pair for pair in zip(old, new) if pair[0] != pair[1]]
    if len(old) != len(new):
        problems.append("kept %d lines, now %d" % (len(old), len(new)))
    return problems[:5] + ["draw them again: build/cm200 validate --plot docs/figures"] if problems else []


def main(arguments):
    if len(arguments) != 2:
        usage_error(__doc__)
    cm200, kept = arguments[0], os.path.join(os.path.realpath(arguments[1]), "docs", "figures")
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        tap.report("the figures are made without complaint", draw(cm200, folder))
        for name, texts in TEXTS.items():
            name += ".svg"
            tap.report("docs/figures/%s is up to date" % name,
                       kept_problems(os.path.join(kept, name), os.path.join(folder, name)))
            tap.report("%s says what it shows" % name, picture_problems(os.path.join(folder, name), texts))
    return tap.done()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
