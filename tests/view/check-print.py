"""No text of the viewer lies over other text, in any panel and at any size; compared runs have one scale; panels fill the picture.

usage: check-print.py CM200_VIEW CM200 SOURCE_ROOT

Pictures are SVG, in which text has its place and its length.
"""

import html
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from tap import Tap, arguments  # noqa: E402: the path is set above

SMALL, MIDDLE, LARGE = "640x480", "900x600", "1280x800"
STATES = ([], ["--span", "visible", "--pin", "5"], ["--press", "Home"], ["--press", "T"], ["--press", "O U U"], ["--layout", "heat"],
          ["--layout", "lamps", "--theme", "light", "--text", "large"], ["--pin", "3:1:0", "--span", "window"])
PROGRAM_KEYS = ("Shift+S", "Shift+E", "Shift+F", "Shift+G", "Shift+H", "(Shift+)Backspace", "Shift+B", "Shift+Return")  # of --debug
LEAST = 2.0  # points by which boxes of text must overlap in both directions to be unreadable
ELEMENT = re.compile(r'<rect x="(-?[\d.]+)" y="(-?[\d.]+)" width="([\d.]+)" height="([\d.]+)" fill="[^"]*"(?P<part> fill-opacity)?'
                     r'|<text x="(-?[\d.]+)" y="(-?[\d.]+)"[^>]*font-size="([\d.]+)"[^>]*textLength="([\d.]+)"[^>]*>([^<]*)<')


def draw(view, folder, *options):
    path = os.path.join(folder, "picture.svg")
    subprocess.run([view, *options, "--screenshot", path], check=True, capture_output=True, text=True, timeout=60)
    with open(path, encoding="utf-8") as file:
        return re.sub(r"<clipPath.*?</clipPath>", "", file.read())


def boxes(svg):
    """Rectangles (left, top, right, bottom, None) and texts (..., text) in the order in which they are drawn."""
    for match in ELEMENT.finditer(svg):
        if match.group(10) is not None:
            x, y, size, length = (float(match.group(i)) for i in (6, 7, 8, 9))
            yield x, y - 0.74 * size, x + length, y + 0.2 * size, html.unescape(match.group(10))
        elif not match.group("part"):
            x, y, w, h = (float(match.group(i)) for i in (1, 2, 3, 4))
            yield x, y, x + w, y + h, None


def overlap(a, b):
    return min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])


def hides(rect, text):
    """Whether a rectangle is over all of a text, so that the text cannot be seen."""
    return rect[0] <= text[0] + 1 and rect[1] <= text[1] + 1 and rect[2] >= text[2] - 1 and rect[3] >= text[3] - 1


def overprinted(svg):
    texts = []
    for box in boxes(svg):
        if box[4] is None:
            if box[2] - box[0] > 8 and box[3] - box[1] > 8:
                texts = [text for text in texts if not hides(box, text)]
            continue
        for text in texts:
            if min(overlap(text, box)) > LEAST:
                yield "%r at %d,%d over %r" % (box[4], box[0], box[1], text[4])
        texts.append(box)


def panels_of(root):
    """The panels that can be shown alone without --debug."""
    with open(os.path.join(root, "viz", "model", "panels.def"), encoding="utf-8") as file:
        return [name for name in re.findall(r"^CM_VIEW_PANEL\(\w+, (\w+)\)", file.read(), re.M) if name != "program"]


def pictures(panels):
    """The options of the pictures that are looked at."""
    for size in (SMALL, MIDDLE):
        for state in STATES:
            yield ["--size", size, *state]
    yield ["--size", LARGE]
    for panel in panels:
        yield ["--panel", panel, "--size", MIDDLE]
        yield ["--panel", panel, "--size", SMALL, *STATES[1]]
    for state in STATES[3:]:
        yield ["--panel", "machine", "--size", SMALL, *state]
        yield ["--panel", "cube", "--size", MIDDLE, *state]


def check_overprints(tap, runs):
    for name, trace, more in runs.traces:
        problems = ["%s: %s" % (" ".join(options), each) for options in pictures(runs.panels)
                    for each in overprinted(draw(runs.view, runs.folder, trace, *more, *options))]
        tap.report("%s: no text lies over other text" % name, problems[:12])


def check_keys(tap, runs):
    """The pages of the list of keys have every key and what it does, uncut, however small the picture is."""
    _, trace, _ = runs.traces[0]
    table = subprocess.run([runs.view, "--keys"], check=True, capture_output=True, text=True, timeout=60).stdout.splitlines()
    wanted = {line[:19].strip() for line in table} | {line[19:].strip() for line in table}
    for size in ("390x600", "340x240", "640x400", MIDDLE, LARGE):
        shown, page, pages = set(), 0, 1
        while page < pages:
            texts = [box[4] for box in boxes(draw(runs.view, runs.folder, trace, "--size", size, "--press",
                                                  " ".join(["H"] + ["PageDown"] * page))) if box[4] is not None]
            pages = next((int(text.split()[3].rstrip(":")) for text in texts if re.match(r"page \d+ of \d+", text)), 1)
            shown |= set(texts)
            page += 1
        missing = sorted(text for text in wanted - shown if "program:" not in text and text not in PROGRAM_KEYS)
        tap.report("%s: %d pages have all keys, uncut" % (size, pages), ["%r is missing" % text for text in missing[:5]])


def bars(svg):
    """Lengths of the bars of causes next to their numbers of cycles, over all columns: (cycles, points)."""
    rects, found = [], []
    for box in boxes(svg):
        if box[4] is None:
            if 7.5 <= box[3] - box[1] <= 8.5 and box[2] - box[0] > 10:
                rects.append(box)
        elif rects and re.fullmatch(r"[+\u2212]?[\d,]+", box[4]) and abs((box[1] + box[3]) / 2 - (rects[-1][1] + rects[-1][3]) / 2) < 4:
            found.append((int(re.sub(r"\D", "", box[4])), rects[-1][2] - rects[-1][0]))
            rects = []
    return found


def check_comparison(tap, runs, root):
    lesson = os.path.join(root, "docs", "lessons", "03-four-shifts")
    files = [os.path.join(lesson, "cshift.json"), "--compare", os.path.join(lesson, "pshift.json"), "--span", "visible"]
    found = bars(draw(runs.view, runs.folder, *files))
    cycles = [each[0] for each in found]
    scale = [length / number for number, length in found if number > 100]
    problems = [] if 768 in cycles and 256 in cycles else ["no bars of 768 and 256 cycles: %s" % cycles]
    if not scale or max(scale) / min(scale) > 1.1:
        problems.append("points per cycle go from %.4f to %.4f" % (min(scale, default=0), max(scale, default=0)))
    tap.report("bars of 768 and 256 cycles of two runs have one scale", problems)
    ticks = re.findall(r'<text x="([\d.]+)"[^>]*>(\d00|1,\d00|2,000)</text>', draw(runs.view, runs.folder, *files, "--press", "Z"))
    widths = []
    for (x, first), (y, second) in zip(ticks, ticks[1:]):
        if int(second.replace(",", "")) - int(first.replace(",", "")) == 500:
            widths.append(float(y) - float(x))
    tap.report("time axes of two runs have one scale, aligned by steps, too",
               [] if len(widths) >= 6 and max(widths) - min(widths) < 12 else ["widths of 500 cycles: %s" % widths])


def check_filled(tap, runs):
    """What a panel shows alone reaches the lower half of the picture."""
    _, trace, _ = runs.traces[0]
    shown = [(panel, []) for panel in runs.panels if panel != "array"] + [("why", ["--press", "O U"])]
    for panel, state in shown:
        svg = draw(runs.view, runs.folder, trace, "--panel", panel, *state)
        drawn = [box for box in boxes(svg) if box[1] > 80 and box[3] < 700 and box[2] - box[0] < 1000]
        low = max((box[3] for box in drawn), default=0)
        tap.report("%s %s alone fills the picture" % (panel, state), [] if low > 450 else ["it ends at %d of 800" % low])


class Runs:
    def __init__(self, view, cm200, root, folder):
        self.view, self.folder, self.panels = view, folder, panels_of(root)
        self.traces = []
        route = ["route", "--pattern", "hot-spot", "--hot", "5", "--words", "4", "--warmup", "50", "--measure", "200"]
        examples = os.path.join(root, "programs", "examples")
        for name, arguments_of, more in (
                ("64 nodes, packets", [*route, "--nodes", "64", "--rate", "0.05"], []),
                ("2,048 nodes, packets", [*route, "--nodes", "2048", "--rate", "0.002"], []),
                ("8 nodes", ["run", "--nodes", "8", os.path.join(examples, "five-point-pshift.json")], []),
                ("16 nodes", ["run", "--nodes", "16", os.path.join(examples, "five-point-pshift.json")], []),
                ("64 nodes, two runs", ["run", os.path.join(examples, "five-point-cshift.json")],
                 ["--compare", os.path.join(examples, "five-point-pshift.json")])):
            trace = os.path.join(folder, "%d.trace" % len(self.traces))
            subprocess.run([cm200, *arguments_of, "--quiet", "--trace", trace], check=True, capture_output=True, timeout=120)
            self.traces.append((name, trace, more))


def main():
    view, cm200, root = [os.path.abspath(path) for path in arguments(__doc__, 3)[:3]]
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(view, cm200, root, folder)
        check_filled(tap, runs)
        check_keys(tap, runs)
        check_comparison(tap, runs, root)
        check_overprints(tap, runs)
    return tap.done()


sys.exit(main())
