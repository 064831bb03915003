"""Words on the wires as numbers of their array's type, in the viewer.

usage: check-words.py CM200_VIEW CM200 SOURCE_ROOT

Elements of an array hold their own numbers, so the element that the viewer names says which number must be on the wire. Traces
without types, as older releases wrote them, still open; types change nothing else, and are the same for any number of threads.
"""

import json
import os
import re
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from tap import Tap, arguments  # noqa: E402: the path is set above

TYPES = ("int32", "real32", "real64", "complex64", "complex128")
BLOCK_TYPES = 7  # docs/trace-file.md


class Runs:
    def __init__(self, view, cm200, root, folder):
        self.view, self.cm200, self.folder = view, cm200, folder
        self.machine = os.path.join(root, "configs", "cm200.json")

    def record(self, kind, threads):
        workload = {"format": "cm200-workload/1", "name": kind, "nodes": 8, "machine": self.machine,
                    "arrays": {"a": {"shape": [64], "type": kind, "init": {"index": True}}, "b": {"shape": [64], "type": kind}},
                    "steps": [{"cshift": {"dst": "b", "src": "a", "dim": 1, "distance": 1}}]}
        path = os.path.join(self.folder, kind + ".json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(workload, file)
        trace = os.path.join(self.folder, "%s-%d.trace" % (kind, threads))
        subprocess.run([self.cm200, "run", path, "--threads", str(threads), "--trace", trace, "--trace-window", "0:100000"],
                       check=True, capture_output=True, timeout=60)
        return trace

    def words(self, trace):
        """Of the channels of three nodes that carry a word in the first exchange that has any: the log's numbers."""
        found = []
        for node in (0, 3, 5):
            for dimension in range(3):
                for channel in range(2):
                    done = subprocess.run([self.view, trace, "--press", "Ctrl+Right", "--pin", "%d:%d:%d" % (node, dimension, channel),
                                           "--screenshot", os.path.join(self.folder, "x.png"), "--size", "64x64",
                                           "--log-state", "-"], check=True, capture_output=True, text=True, timeout=60)
                    numbers = json.loads(done.stdout.splitlines()[0])["numbers"][0]
                    held = [each for each in numbers["held"] if (each["from"], each["dimension"], each["channel"]) ==
                            (node, dimension, channel)]
                    if numbers["word"] is not None:
                        found.append((numbers["word"], numbers.get("value"), held[0]["word"] if held else ""))
        return found


def read(path):
    with open(path, "rb") as file:
        return file.read()


def without_types(data):
    """The trace without its TYPES blocks."""
    kept, at = data[:12], 12
    while at < len(data):
        kind, length = data[at], struct.unpack_from("<I", data, at + 1)[0]
        end = at + 9 + length
        kept += data[at:end] if kind != BLOCK_TYPES else b""
        at = end
    return kept


def problem(kind, word, value, element):
    """None, or what is wrong with the text of a word of an element, which holds its number from 0."""
    match = re.fullmatch(r"a\((\d+)\)", element)
    if value is None or match is None:
        return "no value or no element: %r %r" % (value, element)
    number = float(int(match.group(1)) - 1)
    if value == "the lower half of a real64":
        return None if kind in ("real64", "complex128") else "a half"
    shown = float(value.split()[0])
    if "imaginary" in value:
        number = 0.0
    expected = {"int32": "(int32)", "real32": "(real32)", "complex64": "(real32, ", "real64": "(real64",
                "complex128": "(real64, "}[kind]
    if shown != number or expected not in value:
        return "word 0x%08x of %s is %r, not %g" % (word, element, value, number)
    return None


def check_type(tap, runs, kind):
    trace = runs.record(kind, 1)
    words = runs.words(trace)
    problems = [problem(kind, *each) for each in words]
    tap.report("%s: each word is the number of its element" % kind,
               [each for each in problems if each] if words else ["no word crossed a channel"])
    tap.report("%s: any number of threads" % kind, [] if read(trace) == read(runs.record(kind, 4)) else ["the traces differ"])
    return trace, words


def check_old(tap, runs, trace, words):
    old = os.path.join(runs.folder, "old.trace")
    with open(old, "wb") as file:
        file.write(without_types(read(trace)))
    tap.report("there were types to leave out", [] if read(old) != read(trace) else ["no TYPES block"])
    tap.report("a trace without types has the words, as all that they may be",
               [] if runs.words(old) == [(word, None, element) for word, value, element in words] else ["the words differ"])
    tables = [subprocess.run([runs.cm200, "export", path, "--format", "csv", "--what", "cycles"], check=True, capture_output=True,
                             timeout=60).stdout for path in (trace, old)]
    tap.report("and the same cycles", [] if tables[0] == tables[1] else ["they differ"])


def main():
    view, cm200, root = [os.path.abspath(path) for path in arguments(__doc__, 3)[:3]]
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(view, cm200, root, folder)
        for kind in TYPES:
            trace, words = check_type(tap, runs, kind)
        check_old(tap, runs, trace, words)
    return tap.done()


sys.exit(main())
