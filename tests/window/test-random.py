"""Random keys, clicks, drags, wheels and sizes for cm200-view in a window of an Xvfb: it goes on, or ends with exit code 0.

usage: test-random.py CM200_VIEW SOURCE_ROOT [SEED]

It takes CM_WINDOW_SECONDS (8; the nightly stage `memory` gives 600, with sanitizers). A failure names the seed and the last events.
Without Xvfb or xdotool the test is skipped.
"""

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from session import ANSWER_SECONDS, Failure, Hands, START_SECONDS, Viewer, x_key, Xvfb  # noqa: E402: the path is set above
from tap import arguments, Tap  # noqa: E402

EXAMPLES = ("five-point-pshift.json", "route-blocks.json", "hand-written.json")
EVENTS = 25  # of a call of xdotool
SHOWN = 60  # last words of a failure
RUN_SECONDS = 120
ENDS = ("Q", "Escape")  # rare, because the viewer is started again


def keys_of(root):
    with open(os.path.join(root, "viz/control/keys.def"), encoding="utf-8") as file:
        rows = [line.split('"')[1] for line in file if line.startswith(("CM_KEY(", "CM_KEY_AS("))]
    return [x_key(key) for key in " ".join(rows).split() if key not in ENDS]


def event(dice, keys, window):
    """The words of one event for xdotool."""
    kind = dice.random()
    move = ["mousemove", "--window", window, str(dice.randrange(1200)), str(dice.randrange(800))]
    if kind < 0.5:
        return ["key", dice.choice(keys)]
    if kind < 0.55:
        return ["key", dice.choice("0123456789")]
    if kind < 0.552:
        return ["key", x_key(dice.choice(ENDS))]
    if kind < 0.7:
        return move + ["click", str(dice.choice((1, 1, 1, 2, 3)))]
    if kind < 0.8:
        return move + ["click", str(dice.choice((4, 5, 6, 7)))]
    if kind < 0.9:
        return move + ["mousedown", "1"] + ["mousemove_relative", "--", str(dice.randrange(-300, 300)), str(dice.randrange(-200, 200)),
                                            "mouseup", "1"]
    if kind < 0.98:
        return move
    return ["windowsize", window, str(dice.randrange(120, 1390)), str(dice.randrange(80, 890))]


def disturb(viewer, dice, keys, until):
    """Sends events until the time is over or the viewer has ended. Returns the last words."""
    hands = Hands(viewer)
    words = []
    while time.monotonic() < until and viewer.process.poll() is None:
        words = [word for _ in range(EVENTS) for word in event(dice, keys, hands.window)]
        subprocess.run(["xdotool"] + words, env=viewer.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=RUN_SECONDS, check=False)  # it fails if the viewer has just ended
    return words


def run_once(view, traces, dice, keys, folder, display, until):
    chosen = [dice.choice(traces)] + (["--compare", dice.choice(traces)] if dice.random() < 0.3 else [])
    scratch = tempfile.mkdtemp(dir=folder)
    with Viewer(view, chosen, scratch, "x11", display) as viewer:
        viewer.event("start", START_SECONDS)
        words = disturb(viewer, dice, keys, until)
        expected = (0,)
        if viewer.process.poll() is None:
            viewer.interrupt()
            expected = (0, 130)
        code = viewer.ended(4 * ANSWER_SECONDS)
        if code not in expected:
            yield "%s: exit code %d: %s" % (" ".join(chosen), code, viewer.messages()[:4000])
            yield "the last events: %s" % " ".join(words[-SHOWN:])
    shutil.rmtree(scratch)


def check(view, root, dice, folder, seconds):
    keys = keys_of(root)
    traces = []
    for name in EXAMPLES:
        traces.append(os.path.join(folder, name + ".trace"))
        subprocess.run([view, os.path.join(root, "programs/examples", name), "--nodes", "16", "--trace", traces[-1], "--screenshot",
                        os.path.join(folder, "first.png")], check=True, timeout=RUN_SECONDS, stdin=subprocess.DEVNULL)
    until = time.monotonic() + seconds
    with Xvfb() as xvfb:
        while time.monotonic() < until:
            problems = list(run_once(view, traces, dice, keys, folder, xvfb.display, until))
            if problems:
                return problems
    return []


def main(given):
    view, root = os.path.abspath(given[0]), os.path.realpath(given[1])
    seed = int(given[2] if len(given) > 2 else os.environ.get("CM_TEST_SEED", "200"))
    seconds = float(os.environ.get("CM_WINDOW_SECONDS", "8"))
    tap = Tap()
    missing = [tool for tool in ("Xvfb", "xdotool") if shutil.which(tool) is None]
    name = "random events for %g s" % seconds
    print("# seed %d" % seed, flush=True)
    if missing:
        tap.skip(name, "%s not found" % " and ".join(missing))
        return tap.done()
    with tempfile.TemporaryDirectory(prefix="cm200-random-") as folder:
        try:
            problems = check(view, root, random.Random(seed), folder, seconds)
        except (Failure, OSError, ValueError, subprocess.SubprocessError) as problem:
            problems = ["%s: %s" % (type(problem).__name__, problem)]
    tap.report(name, problems)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main(arguments(__doc__, 2)))
