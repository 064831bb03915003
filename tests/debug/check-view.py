"""`cm200-view --debug`: a program stepped through next to the picture of its run.

usage: check-view.py CM200_VIEW CM200 SOURCE_ROOT

Without a window: what the panel shows is known for the hand-written microprogram, and agrees with the prompt of `cm200 debug`
and with `cm200 run` for others; keys and commands move it; a refused command ends with status 3; pictures follow.
"""

import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from tap import Tap, arguments  # noqa: E402: the path is set above

EXAMPLES = "programs/examples/"
HAND = [EXAMPLES + "hand-written.json"]
EXCHANGE = ["--do", "break exchange; continue; node 3"]


class Viewer:
    def __init__(self, view, cm200, root, folder):
        self.view, self.cm200, self.root, self.folder = view, cm200, root, folder

    def run(self, words, picture="a.png"):
        picture = os.path.join(self.folder, picture)
        return subprocess.run([self.view, "--debug", *words, "--log-state", "-", "--screenshot", picture],
                              capture_output=True, text=True, cwd=self.root, timeout=120)

    def shown(self, words, picture="a.png"):
        """The last state that was logged, with the texts of the panel as "texts"."""
        done = self.run(words, picture)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        state = json.loads(done.stdout.splitlines()[-1])
        state["texts"] = [" ".join(row["text"].split()) for row in state["program"]["rows"]]
        return state

    def prompt(self, words, text):
        return subprocess.run([self.cm200, "debug", *words], input=text, capture_output=True, text=True, cwd=self.root,
                              timeout=120).stdout

    def bytes_of(self, picture):
        with open(os.path.join(self.folder, picture), "rb") as file:
            return file.read()


def next_line(state):
    return [row["text"].split()[0] for row in state["program"]["rows"] if row["next"]]


def check(tap, name, found, expected):
    tap.report(name, [] if found == expected else ["found %r" % (found,), "expected %r" % (expected,)])


def check_hand(tap, viewer):
    """The microprogram of docs/debug.md: its exchange is line 23, at cycle 153, and takes 120 cycles."""
    at = viewer.shown(HAND + EXCHANGE)
    check(tap, "it stops in front of the exchange, and the picture shows that cycle",
          (at["program"]["cycle"], at["cycle"], next_line(at)), (153, 153, ["23"]))
    check(tap, "slots of node 3 hold what it sends",
          [text for text in at["texts"] if text.startswith(("A.", "B."))],
          ["A.1 8 0x41000000 dim 0, channel 0, loaded", "A.17 9 0x41100000 dim 0, channel 1, loaded"])
    after = viewer.shown(HAND + EXCHANGE + ["--press", "Shift+S"], "b.png")
    check(tap, "a step later the neighbour's words are there",
          [text for text in after["texts"] if text.startswith("B.")],
          ["B.1 12 0x41400000 dim 0, channel 0", "B.17 13 0x41500000 dim 0, channel 1"])
    check(tap, "a step is the key Shift+S, and takes the exchange's 120 cycles", after["program"]["cycle"], 273)
    tap.report("the picture follows", [] if viewer.bytes_of("a.png") != viewer.bytes_of("b.png") else ["it is the same"])
    back = viewer.shown(HAND + EXCHANGE + ["--press", "Shift+S Backspace"], "c.png")
    check(tap, "back is back", (back["program"]["cycle"], [row for row in back["texts"] if row.startswith(("A.", "B."))]),
          (153, [row for row in at["texts"] if row.startswith(("A.", "B."))]))
    pinned = viewer.shown(HAND + EXCHANGE + ["--press", "L"])
    check(tap, "a pin that moves takes the panel along",
          pinned["pin"]["node"] != 3 and any("node %d: context set" % pinned["pin"]["node"] in text
                                             for text in pinned["texts"]), True)


def check_keys(tap, viewer):
    check(tap, "Shift+G goes to the breakpoint, and on to its second hit",
          viewer.shown(HAND + ["--do", "break exchange", "--press", "Shift+G Shift+G"])["program"]["cycle"], 302)
    broken = viewer.shown(HAND + EXCHANGE + ["--press", "Shift+B"])
    check(tap, "Shift+B sets a breakpoint on the line",
          [row["breakpoint"] for row in broken["program"]["rows"] if row["next"]], [2])
    gone = viewer.shown(HAND + EXCHANGE + ["--press", "Shift+B Shift+B"])
    check(tap, "and deletes it", [row["breakpoint"] for row in gone["program"]["rows"] if row["next"]], [0])
    here = viewer.shown(HAND + ["--press", "Home Ctrl+Right Shift+H"])
    check(tap, "Shift+H runs to the cursor", (here["program"]["cycle"], here["cycle"]), (153, 153))
    early = viewer.shown(HAND + ["--do", "break cycle 300; continue", "--press", "G 1 5 3 Return Shift+H"])
    check(tap, "and back to it", early["program"]["cycle"], 153)
    ended = viewer.shown(HAND + ["--press", "Shift+G"])
    check(tap, "without breakpoints it goes to the end", ended["program"]["cycle"], 449)
    check(tap, "which is said", "cycle 449 the program has ended" in ended["texts"], True)


def check_others(tap, viewer):
    """The place is that of the prompt, which has tests of its own; the last cycle is that of the run."""
    programs = ((["--nodes", "8", EXAMPLES + "fortran/heat.fcm"], "break heat.fcm:18 count 2;continue;step;step;step"),
                (["--nodes", "8", "-O", "1", EXAMPLES + "fortran/jacobi.fcm"], "break cause exchange;continue;next;next"),
                (["--nodes", "8", "--param", "half=0.25", EXAMPLES + "hand-written.imp"], "break exchange;continue;back"),
                (["--nodes", "64", EXAMPLES + "route-bit-reversal.json"], "break channel 5 3;continue;next"),
                (["--nodes", "64", EXAMPLES + "five-point-pshift.json"], "break cycle 2500;continue;finish"))
    for words, commands in programs:
        lines = viewer.prompt(words, commands.replace(";", "\n") + "\n").splitlines()
        last = " ".join([line for line in lines if line.startswith("cycle ")][-1].split())
        state = viewer.shown(words + ["--do", commands])
        tap.report("%s: the place of the prompt" % words[-1],
                   [] if last[:100] in [text[:100] for text in state["texts"]] else ["%r is not in %r" % (last, state["texts"])])


def check_mistakes(tap, viewer):
    cases = ((HAND + ["--do", "brake exchange"], 3, "unknown command"),
             (HAND + ["--compare", EXAMPLES + "copy.json"], 2, "--debug steps through one program"),
             (["--nodes", "8", EXAMPLES + "hand-written.imp"], 2, "half has no value"),
             (["-"], 2, "the program is read twice"))
    for words, code, message in cases:
        done = viewer.run(words)
        check(tap, "%s is refused" % " ".join(words), (done.returncode, message in done.stderr), (code, True))
    done = subprocess.run([viewer.view, *HAND, "--do", "step", "--screenshot", "x.png"], capture_output=True, text=True,
                          cwd=viewer.root, timeout=120)
    check(tap, "--do needs --debug", (done.returncode, "--do is for --debug" in done.stderr), (2, True))


def main():
    view, cm200, root = arguments(__doc__, 3)[:3]
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        viewer = Viewer(os.path.abspath(view), os.path.abspath(cm200), root, folder)
        check_hand(tap, viewer)
        check_keys(tap, viewer)
        check_others(tap, viewer)
        check_mistakes(tap, viewer)
    return tap.done()


sys.exit(main())
