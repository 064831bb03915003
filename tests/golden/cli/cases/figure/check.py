"""Figures show the numbers of their results: lengths of bars, points of curves, colours, sizes, metadata."""

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

ROOT = sys.argv[1]
SVG = "{http://www.w3.org/2000/svg}"
problems = []


def expect(what, right):
    if not right:
        problems.append(what)


def cm200(*words, **others):
    return subprocess.run(["cm200", *words], check=True, capture_output=True, **others).stdout


def draw(name, *words):
    cm200("figure", *words, "-o", name)
    return xml.parse(name).getroot()


def texts(root):
    return ["".join(element.itertext()) for element in root.iter(SVG + "text")]


def pieces(root):
    """(fill, x, y, width, height) of what is drawn within the axes."""
    inner = root.find(SVG + "svg")
    return [(r.get("fill"), *(float(r.get(k)) for k in ("x", "y", "width", "height"))) for r in inner.iter(SVG + "rect")]


def near(one, other):
    return abs(one - other) <= 1e-3 * max(abs(one), abs(other), 1)


def viewer_colours():
    rows = re.findall(r"CM_VIEW_ROLE\(PHASE_(\w+), 0x\w+, 0xff(\w+)u\)", open(ROOT + "/viz/draw/colour_roles.def").read())
    return {name: "#" + colour for name, colour in rows}


def check_bars(results):
    root = draw("bars.svg", *results, "--width", "120mm", "--height", "80")
    expect("size", root.get("width") == "120mm" and root.get("height") == "80mm")
    bars = {}
    for fill, x, y, width, height in pieces(root):
        bars.setdefault(x, []).append((y + height, height))
    expect("bars", len(bars) == len(results))
    scale = None
    for (x, found), name in zip(sorted(bars.items()), results):
        causes = [c for c in json.load(open(name))["cycles_by_cause"].values() if c > 0]
        scale = scale or found[0][1] / causes[0]
        expect("pieces of " + name, len(found) == len(causes) and all(near(h, c * scale) for (_, h), c in zip(found, causes)))
        for (low, height), (above, _) in zip(found, found[1:]):
            expect("pieces of %s do not meet" % name, near(low - height, above))
    for cause, cycles in json.load(open(results[0]))["cycles_by_cause"].items():
        expect("legend has " + cause, (texts(root).count(cause) == 1) == (cycles > 0))
    about = root.find(SVG + "desc").text
    for name in results:
        result = json.load(open(name))
        expect("metadata", result["workload_sha256"] in about and result["version"] in about and "nodes %d" % result["nodes"] in about)
    expect("overrides", "memory.page_words=1024" in about)


def check_phases():
    root = draw("phases.svg", "t.trace")
    colours = viewer_colours()
    table = cm200("export", "t.trace", "--format", "csv", "--what", "cycles").decode().splitlines()
    totals = {}
    for row in (dict(zip(table[0].split(","), line.split(","))) for line in table[1:]):
        totals[row["phase"]] = totals.get(row["phase"], 0) + int(row["cycles"])
    names = {"start": "START", "control": "CONTROL", "local move": "MOVE", "load": "LOAD", "exchange": "EXCHANGE",
             "unload": "UNLOAD", "boundary": "BOUNDARY", "FPU": "FPU", "router": "ROUTER"}
    found = {fill: height for fill, x, y, width, height in pieces(root)}
    scale = found[colours["LOAD"]] / totals["load"]
    for phase, cycles in totals.items():
        if cycles > 0:
            expect("phase " + phase, near(found.get(colours[names[phase]], 0), cycles * scale))
    strip = draw("strip.svg", "t.trace", "a.json", "--kind", "strip")
    rows = sorted({y for _, x, y, width, height in pieces(strip)})
    lengths = [sum(width for _, x, y, width, height in pieces(strip) if y == row) for row in rows]
    expect("strips are as long as the run", len(rows) == 2 and near(*lengths))


def check_curve():
    cm200("sweep", ROOT + "/programs/examples/five-point-pshift.json", "--over", "memory.page_words=256,512,1024",
          "--over", "option.nodes=32,64", "--csv", "s.csv", "-q")
    rows = [line.split(",") for line in open("s.csv").read().splitlines()]
    cycles = [float(row[rows[0].index("cycles")]) for row in rows[1:] if row[2] == "32"]
    root = draw("curve.svg", "s.csv", "--kind", "curve", "--x", "memory.page_words", "--group", "option.nodes", "--log", "x")
    lines = [[tuple(map(float, p.split(","))) for p in l.get("points").split()] for l in root.iter(SVG + "polyline")]
    expect("lines", len(lines) == 2 and all(len(line) == 3 for line in lines))
    (x0, y0), (x1, y1), (x2, y2) = lines[0]
    expect("x is logarithmic", abs((x1 - x0) - (x2 - x1)) < 0.05)
    expect("y", abs((y1 - y0) / (y2 - y0) - (cycles[1] - cycles[0]) / (cycles[2] - cycles[0])) < 0.01)
    expect("titles", "memory.page_words (words)" in texts(root) and "cycles" in texts(root) and "32" in texts(root))


def check_pdf():
    run = subprocess.run(["cm200", "figure", "a.json", "-o", "a.pdf"], capture_output=True, text=True)
    if run.returncode == 2 and "no cairo" in run.stderr and ".svg" in run.stderr:
        return
    content = open("a.pdf", "rb").read()
    expect("PDF", run.returncode == 0 and content.startswith(b"%PDF-") and b"FontFile" in content)
    sizes = [float(value) for value in re.search(rb"/MediaBox \[ ?0 0 ([\d.]+) ([\d.]+)", content).groups()]
    expect("PDF: size %s" % sizes, abs(sizes[0] - 85 * 72 / 25.4) < 0.01 and abs(sizes[1] - 60 * 72 / 25.4) < 0.01)
    os.remove("a.pdf")


def without_release(name):
    """A figure without the number of the release that drew it."""
    return re.sub(r"((?:cm200|version|version&quot;: &quot;) ?)\d+\.\d+\.\d+", r"\1RELEASE", open(name).read())


def check_page():
    """The commands of the manual's page make its pictures."""
    page = open(ROOT + "/docs/figures.md").read()
    os.symlink(ROOT + "/programs", "programs")
    os.symlink(ROOT + "/configs", "configs")
    for block in re.findall(r"```sh\n(.*?)```", page, re.S):
        subprocess.run(["sh", "-e", "-c", block], check=True)
    for name in re.findall(r"\]\(figures/([\w.]+)\)", page):
        path = ROOT + "/docs/figures/" + name
        expect("docs/figures/%s is not what the commands of the page make" % name, without_release(name) == without_release(path))
    os.remove("programs")
    os.remove("configs")


workload = ROOT + "/programs/examples/five-point-pshift.json"
open("a.json", "wb").write(cm200("run", "--json", workload))
open("b.json", "wb").write(cm200("run", "--json", workload, "--set", "memory.page_words=1024"))
cm200("run", "-q", "--trace", "t.trace", workload)
check_bars(["a.json", "b.json"])
check_phases()
check_curve()
check_pdf()
check_page()
print("; ".join(problems) or "right", flush=True)
