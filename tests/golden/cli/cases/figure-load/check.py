"""Figures of latency against load: error bars, open marks, bounds and titles are where the table says."""

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

SVG = "{http://www.w3.org/2000/svg}"
problems = []


def expect(what, right):
    if not right:
        problems.append(what)


def near(one, other):
    return abs(one - other) < 0.1  # coordinates have two decimals, and the scale is taken from two points


def cm200(*words):
    return subprocess.run(["cm200", *words], check=True, capture_output=True, text=True).stdout


def draw(name, *words):
    cm200("figure", *words, "-o", name)
    return xml.parse(name).getroot()


def numbers(element, *keys):
    return tuple(float(element.get(key)) for key in keys)


def texts(root):
    return ["".join(element.itertext()) for element in root.iter(SVG + "text")]


def polylines(root):
    return [[tuple(map(float, p.split(","))) for p in line.get("points").split()] for line in root.iter(SVG + "polyline")]


def marks(root):
    """(x, y, open) of the marks within the axes, from left to right."""
    inner = root.find(SVG + "svg")
    return sorted((*numbers(c, "cx", "cy"), c.get("fill") == "#ffffff") for c in inner.iter(SVG + "circle"))


def lines(root):
    inner = root.find(SVG + "svg")
    return [(*numbers(l, "x1", "y1", "x2", "y2"), l.get("stroke-dasharray")) for l in inner.iter(SVG + "line")]


class Scale:
    """Pixels of values, from the first and the fourth point of the line."""

    def __init__(self, line, rows):
        (x0, y0), (x1, y1) = (line[0], line[3])
        (a0, b0), (a1, b1) = [(row["offered"], row["mean"]) for row in (rows[0], rows[3])]
        self.x = lambda value: x0 + (value - a0) * (x1 - x0) / (a1 - a0)
        self.y = lambda value: y0 + (value - b0) * (y1 - y0) / (b1 - b0)


def table(name):
    heads, *rows = [line.split(",") for line in open(name).read().splitlines()]
    return [{k: float(v) if re.match(r"[\d.]+$", v) else v for k, v in zip(heads, row)} for row in rows]


def check_one():
    rows = table("load.csv")
    root = draw("one.svg", "load.csv")
    line = max(polylines(root), key=len)
    scale = Scale(line, rows)
    expect("points", len(line) == len(rows) and all(
        near(x, scale.x(row["offered"])) and near(y, scale.y(row["mean"])) for (x, y), row in zip(line, rows)))
    expect("marks", [is_open for _, _, is_open in marks(root)] == [row["steady"] != "yes" for row in rows])
    bars = [(x1, max(y1, y2), min(y1, y2)) for x1, y1, x2, y2, _ in lines(root) if near(x1, x2) and not near(y1, y2)]
    for row in rows:
        found = any(near(x, scale.x(row["offered"])) and near(low, scale.y(row["mean_low"])) and
                    near(high, scale.y(row["mean_high"])) for x, low, high in bars)
        expect("error bar at %g" % row["offered"], found == (row["steady"] != "no"))
    expect("bound", any(near(x1, scale.x(0.7)) and near(x2, x1) and dashes for x1, _, x2, _, dashes in lines(root)))
    expect("legend", "bound" in texts(root) and "not steady" in texts(root))
    expect("titles", "offered rate (words per node and word time)" in texts(root) and
           "mean latency (word times)" in texts(root))
    frame = root.find(SVG + "svg")
    top, height = numbers(frame, "y", "height")
    expect("the highest point, not steady, is above the figure", line[-1][1] < top)
    expect("the others are in it", all(top <= y <= top + height for _, y in line[:-1]))


def check_more():
    root = draw("two.svg", "load.csv", "other.csv", "--title", "Two", "--x-title", "load", "--y-title", "delay <t>")
    found = texts(root)
    expect("several files", "load" in found and "other" in found and "bounds" in found)
    expect("titles of axes", {"Two", "load", "delay <t>"} <= set(found))
    root = draw("accepted.svg", "load.csv", "--y", "accepted")
    expect("accepted", "accepted rate (words per node and word time)" in texts(root))


def check_far_bound():
    root = draw("far.svg", "far.csv")
    expect("a bound far beyond the points", "bound" not in texts(root) and "not steady" not in texts(root))


def check_odd_values():
    """Numbers that an axis cannot show are left out, or the figure is refused."""
    with open("odd.csv", "w") as file:
        file.write("offered,mean,mean_low,mean_high,bound\n0.1,2,-1,-0.5,-3\n0.2,3,2,4,-3\n")
    draw("odd.svg", "odd.csv", "--log", "xy")
    expect("an interval or a bound below 0 on a logarithmic axis", not re.search('="-?(nan|inf)', open("odd.svg").read()))
    with open("odd.csv", "w") as file:
        file.write("offered,mean\n-1.7e308,1\n1.7e308,2\n")
    run = subprocess.run(["cm200", "figure", "odd.csv", "-o", "huge.svg"], capture_output=True, text=True)
    expect("huge values", run.returncode == 2 and "too large" in run.stderr and not os.path.exists("huge.svg"))
    os.remove("odd.csv")
    os.remove("odd.svg")


def check_route():
    """cm200 route draws what cm200 figure draws of the table that it writes."""
    cm200("route", "--nodes", "16", "--pattern", "random", "--words", "4", "--rate", "0.1:0.5:0.1", "--measure", "500", "-q",
          "--csv", "r.csv", "--figure", "route.svg", "--title", "T")
    cm200("figure", "r.csv", "-o", "figure.svg", "--title", "T", "--width", "160", "--height", "105", "--letters", "9")
    one, other = [re.sub(r"<desc>.*?</desc>", "", open(name).read(), flags=re.S) for name in ("route.svg", "figure.svg")]
    expect("route --figure differs from figure", one == other)
    expect("metadata of route", "workload_sha256" in open("route.svg").read())
    expect("metadata of figure", "workload_sha256" in open("figure.svg").read())


check_one()
check_more()
check_far_bound()
check_odd_values()
check_route()
print("; ".join(problems) or "right", flush=True)
