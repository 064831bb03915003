"""Hot spots in the viewer: scale, callouts, neighbourhoods and heat maps say what the result says.

usage: check-hot.py CM200_VIEW CM200 SOURCE_ROOT

Pictures are SVG, in which text is text and shapes are shapes.
"""

import html
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from tap import Tap, arguments  # noqa: E402: the path is set above

HOT = 32
ROUTE = ["--pattern", "hot-spot", "--hot", str(HOT), "--words", "4", "--warmup", "50", "--measure", "400"]
LEAST_COLUMN = 3  # pixels of a column of the heat map


class Runs:
    def __init__(self, view, cm200, folder):
        self.view, self.cm200, self.folder = view, cm200, folder

    def route(self, nodes, rate, *more):
        """A trace of a hot spot and its result."""
        trace = os.path.join(self.folder, "%d.trace" % nodes)
        done = subprocess.run([self.cm200, "route", "--nodes", str(nodes), "--rate", rate, *ROUTE, *more, "--trace", trace, "--json"],
                              check=True, capture_output=True, text=True, timeout=120)
        return trace, json.loads(done.stdout)

    def svg(self, *options):
        path = os.path.join(self.folder, "picture.svg")
        subprocess.run([self.view, *options, "--screenshot", path], check=True, capture_output=True, text=True, timeout=60)
        with open(path, encoding="utf-8") as file:
            return file.read()

    def texts(self, *options):
        return [html.unescape(text) for text in re.findall(r"<text[^>]*>([^<]*)</text>", self.svg(*options))]


def percent(part):
    return "%.1f %%" % (100 * part)


def missing(wanted, texts):
    return ["no text %r" % text for text in wanted if text not in texts]


def busiest(result):
    """The busiest channel of a run: sender, receiver, share of the cycles."""
    channels = result["channels"]
    node, dimension = channels["busiest"]["node"], channels["busiest"]["dimension"]
    return node, node ^ 1 << dimension, channels["max_busy_cycles"] / result["cycles"]


def check_labels(tap, runs, trace, result, nodes):
    sender, receiver, share = busiest(result)
    label = "%d \u2192 %d: %s" % (sender, receiver, percent(share))
    end = "colours end at the busiest, " + percent(share)
    for layout in ("grid", "heat", "lamps"):
        for size in ("1280x800", "900x600"):
            texts = runs.texts(trace, "--layout", layout, "--size", size)
            problems = missing([label], texts)
            problems += [] if any(text.startswith(end) for text in texts) else ["the legend does not say %r" % end]
            problems += [] if any(text.startswith("hot spot %d: " % HOT) for text in texts) else ["the hot spot has no label"]
            tap.report("%d nodes, %s, %s: busiest channel, hot spot and scale have their numbers" % (nodes, layout, size), problems)
    texts = runs.texts(trace, "--range", "absolute")
    tap.report("%d nodes: the absolute scale ends at 100 %%" % nodes,
               [] if any(text.startswith("colours end at 100 %") for text in texts) else ["the legend says something else"])
    same = runs.texts(trace, "--press", "Shift+X") == texts
    tap.report("%d nodes: a key chooses it, too" % nodes, [] if same else ["the texts differ"])


def check_neighbourhood(tap, runs, trace, result):
    sender, receiver, share = busiest(result)
    dimension = (sender ^ receiver).bit_length() - 1
    texts = runs.texts(trace, "--panel", "cube", "--pin", str(HOT))
    tap.report("a pinned node has its eleven neighbours next to it",
               missing(["Cube: neighbours of %d" % HOT] + [str(HOT ^ 1 << d) for d in range(11)], texts))
    texts = runs.texts(trace, "--panel", "cube", "--press", "T")
    near = [str(node ^ 1 << d) for node in (sender, receiver) for d in range(11)]
    problems = missing(["Cube: neighbours of %d and %d" % (sender, receiver)] + near, texts)
    if not any(text.startswith("d%d " % dimension) and "%.1f" % (100 * share) in text for text in texts):
        problems.append("the busiest channel's load %.1f is not on its row" % (100 * share))
    tap.report("the busiest channel has the neighbours of both its ends, and loads", problems)


def check_heat(tap, runs, trace):
    """Columns of the heat map are those of its rectangles that are as high as a row."""
    svg = runs.svg(trace, "--panel", "machine", "--layout", "heat")
    sizes = [(int(float(w)), int(float(h))) for w, h in re.findall(r'<rect [^>]*width="([\d.]+)" height="([\d.]+)"', svg)]
    heights = [h for _, h in sizes]
    row = max(set(heights), key=heights.count)
    narrow = min(w for w, h in sizes if h == row)
    tap.report("columns of the heat map of 2,048 nodes are at least %d pixels wide" % LEAST_COLUMN,
               [] if narrow >= LEAST_COLUMN and heights.count(row) > 400 else
               ["%d rectangles of height %d, the narrowest %d wide" % (heights.count(row), row, narrow)])


def check_even(tap, runs, root):
    """Where all channels are equally busy, and in one instruction, nothing is labelled."""
    workload = os.path.join(root, "programs", "examples", "five-point-pshift.json")
    for options in ([], ["--span", "visible"]):
        found = [text for text in runs.texts(workload, *options) if re.fullmatch(r"\d+ \u2192 \d+: .*%", text)]
        tap.report("no callouts where many channels are equally busy %s" % options, found)


def main():
    view, cm200, root = [os.path.abspath(path) for path in arguments(__doc__, 3)[:3]]
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(view, cm200, folder)
        small, result = runs.route(64, "0.05")
        check_labels(tap, runs, small, result, 64)
        large, result = runs.route(2048, "0.002")
        check_labels(tap, runs, large, result, 2048)
        check_neighbourhood(tap, runs, large, result)
        check_heat(tap, runs, large)
        check_even(tap, runs, root)
    return tap.done()


sys.exit(main())
