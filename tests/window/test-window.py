"""cm200-view as a person uses it: on SDL's drivers without a screen, and in a window of an Xvfb, driven by xdotool.

usage: test-window.py CM200_VIEW SOURCE_ROOT

The viewer writes its state to --log-state; the checks compare that, the pictures that it saves, and the pixels of the
screen. Without Xvfb or xdotool the tests that need them are skipped with a reason. Every wait has a limit, and the
Xvfb is ended in any case.
"""

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from pictures import read_png, read_screen  # noqa: E402: the path is set above
from session import Failure, Hands, START_SECONDS, Viewer, x_key, Xvfb  # noqa: E402
from tap import Tap, usage_error  # noqa: E402

SIZE = (1280, 800)
RUN_SECONDS = 120
FIRST_EXCHANGE = 1980  # of five-point-pshift.json


def close_politely(display, window):
    """Sends the window what a window manager sends when its close button is pressed: WM_DELETE_WINDOW (ICCCM, 4.2.8)."""
    class Message(ctypes.Structure):
        _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int),
                    ("display", ctypes.c_void_p), ("window", ctypes.c_ulong), ("message_type", ctypes.c_ulong),
                    ("format", ctypes.c_int), ("data", ctypes.c_long * 5), ("pad", ctypes.c_long * 24)]
    x = ctypes.CDLL("libX11.so.6")
    x.XOpenDisplay.restype = ctypes.c_void_p
    x.XInternAtom.restype = ctypes.c_ulong
    x.XInternAtom.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]
    x.XSendEvent.argtypes = [ctypes.c_void_p, ctypes.c_ulong, ctypes.c_int, ctypes.c_long, ctypes.c_void_p]
    x.XCloseDisplay.argtypes = [ctypes.c_void_p]
    connection = x.XOpenDisplay(display.encode())
    message = Message(type=33, window=window, format=32,
                      message_type=x.XInternAtom(connection, b"WM_PROTOCOLS", 0))
    message.data[0] = x.XInternAtom(connection, b"WM_DELETE_WINDOW", 0)
    x.XSendEvent(connection, window, 0, 0, ctypes.byref(message))
    x.XCloseDisplay(connection)


class Tests:
    def __init__(self, view, root, folder):
        self.view, self.root, self.folder = view, root, folder
        self.tap = Tap()
        self.traces = {}

    def trace(self, example, *options):
        """A trace of an example, recorded once."""
        key = (example,) + options
        if key not in self.traces:
            path = os.path.join(self.folder, "run-%d.trace" % len(self.traces))
            subprocess.run([self.view, os.path.join(self.root, "programs/examples", example), "--trace", path,
                            "--screenshot", os.path.join(self.folder, "first.png"), *options],
                           check=True, timeout=RUN_SECONDS, stdin=subprocess.DEVNULL)
            self.traces[key] = path
        return self.traces[key]

    def headless(self, *options):
        """The picture that --screenshot draws of the trace of the tests."""
        path = os.path.join(self.folder, "headless.png")
        subprocess.run([self.view, self.trace("five-point-pshift.json"), "--screenshot", path, *options], check=True,
                       timeout=RUN_SECONDS, stdin=subprocess.DEVNULL,
                       env=dict(os.environ, SDL_VIDEODRIVER="none-such"))
        with open(path, "rb") as file:
            return file.read()

    def scratch(self):
        return tempfile.mkdtemp(dir=self.folder)

    def check(self, name, test, *arguments):
        problems = []
        try:
            problems.extend(test(*arguments) or ())
        except (Failure, OSError, ValueError, KeyError, subprocess.SubprocessError) as problem:
            problems.append("%s: %s" % (type(problem).__name__, problem))
        self.tap.report(name, problems)


def saved_pictures(folder):
    return sorted(name for name in os.listdir(folder) if name.endswith(".png"))


def no_display(tests):
    environment = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
    environment.update(SDL_VIDEODRIVER="x11", LC_ALL="C")
    done = subprocess.run([tests.view, tests.trace("five-point-pshift.json")], env=environment, capture_output=True,
                          text=True, timeout=RUN_SECONDS, stdin=subprocess.DEVNULL, check=False)
    if done.returncode != 4:
        yield "exit code %d, expected 4" % done.returncode
    if "--screenshot" not in done.stderr:
        yield "the message does not name --screenshot: " + done.stderr


def screenshot(tests):
    tests.headless("--at-cycle", "1200")
    picture = read_png(os.path.join(tests.folder, "headless.png"))
    if (picture.width, picture.height) != SIZE:
        yield "%d x %d pixels" % (picture.width, picture.height)
    if picture.colours() < 16:
        yield "%d colours: nothing is drawn" % picture.colours()
    tests.headless("--at-cycle", "1200", "--scale", "2")
    double = read_png(os.path.join(tests.folder, "headless.png"))
    if (double.width, double.height) != (2 * SIZE[0], 2 * SIZE[1]):
        yield "%d x %d pixels at scale 2" % (double.width, double.height)


def same_picture(tests, driver, display):
    """What the window's key S saves is, byte for byte, what --screenshot draws."""
    for options, keys in (((), "Ctrl+Right T"), (("--at-cycle", "2000", "--panel", "cube"), "W T T"),
                          (("--palette", "grey", "--size", "900x700"), "M H")):
        folder = tests.scratch()
        options = list(options)
        with Viewer(tests.view, [tests.trace("five-point-pshift.json"), "--press", keys + " S Q"] + options, folder,
                    driver, display) as viewer:
            code = viewer.ended(RUN_SECONDS)
            if code != 0:
                yield "exit code %d: %s" % (code, viewer.messages())
                continue
        names = saved_pictures(folder)
        if len(names) != 1:
            yield "saved %s" % names
            continue
        with open(os.path.join(folder, names[0]), "rb") as file:
            if file.read() != tests.headless("--press", keys, *options):
                yield "another picture than headless with %s and keys %s" % (options, keys)


class Window:
    """The tests of one session with the window, in their order."""

    def __init__(self, tests, xvfb, viewer):
        self.tests, self.xvfb, self.viewer = tests, xvfb, viewer
        self.start = viewer.wait("the start", lambda line: line["event"] == "start", START_SECONDS)
        self.hands = Hands(viewer)
        self.away()

    def away(self):
        """The pointer leaves the window, so that nothing is under it."""
        self.hands.tool("mousemove", "1390", "890")
        time.sleep(0.2)

    def press(self, key):
        """A key of the keyboard; returns the state after it."""
        self.hands.key(x_key(key))
        return self.viewer.event("key " + key)

    def screen(self, size=SIZE):
        time.sleep(0.3)  # the server draws when it comes to it
        x, y = self.hands.place()
        return read_screen(self.xvfb.screen).part(x, y, *size)

    def strip_x(self, part):
        """Where a part 0..1 of the time axis lies."""
        left, right = self.start["strip"]
        return int(left + part * (right - left))

    def middle(self, place):
        x, y, w, h = self.start["places"][place]
        return x + w // 2, y + h // 2

    def opens(self):
        if not self.start["message"]:
            yield "it does not name the key of the help"
        if self.start["cycle"] != FIRST_EXCHANGE:
            yield "it opens at cycle %d, not at the first exchange" % self.start["cycle"]
        self.press("Home")
        self.tests.headless("--press", "Home")
        found = self.screen().differences(read_png(os.path.join(self.tests.folder, "headless.png")))
        if found != 0:
            yield "%s pixels of the screen are not those of --screenshot" % found

    def sleeps(self):
        before = len(self.viewer.lines())
        with open("/proc/%d/stat" % self.viewer.process.pid, encoding="ascii") as file:
            ticks = sum(map(int, file.read().rsplit(")", 1)[1].split()[11:13]))
        time.sleep(1)
        with open("/proc/%d/stat" % self.viewer.process.pid, encoding="ascii") as file:
            ticks = sum(map(int, file.read().rsplit(")", 1)[1].split()[11:13])) - ticks
        if len(self.viewer.lines()) != before:
            yield "something happens: %s" % self.viewer.lines()[before:]
        if ticks > 0.2 * os.sysconf("SC_CLK_TCK"):
            yield "it takes %d clock ticks in a second without events" % ticks

    def steps(self):
        at = self.press("Home")["cycle"]
        if at != 0:
            yield "Home goes to cycle %d" % at
        for key, least in (("Right", 1), ("Shift+Right", 1), ("Ctrl+Right", 1), ("PageDown", 1)):
            line = self.press(key)
            if line["cycle"] < at + least or (key == "Right" and line["cycle"] != at + 1):
                yield "%s goes from cycle %d to %d" % (key, at, line["cycle"])
            at = line["cycle"]
        for key in ("PageUp", "Ctrl+Left", "Shift+Left", "Left"):
            line = self.press(key)
            if line["cycle"] > at or (key == "Left" and at > 0 and line["cycle"] != at - 1):
                yield "%s goes from cycle %d to %d" % (key, at, line["cycle"])
            at = line["cycle"]

    def plays(self):
        self.press("Home")
        began = self.press("Space")
        if not began["playing"]:
            yield "Space does not begin to play"
        until = began["cycle"] + 50
        moved = self.viewer.wait("cycle %d while playing" % until, lambda line: line["cycle"] >= until)
        drawn = moved["frames"] - began["frames"]
        if drawn < 3:
            yield "%d frames drawn on the way to cycle %d" % (drawn, moved["cycle"])
        stopped = self.press("Space")
        time.sleep(0.3)
        last = self.viewer.lines()[-1]
        if stopped["playing"] or last["cycle"] != stopped["cycle"]:
            yield "Space does not pause: cycle %d, later %d" % (stopped["cycle"], last["cycle"])
        faster = self.press(".")["speed"]
        if faster != 2 * stopped["speed"]:
            yield "the speed goes from %g to %g" % (stopped["speed"], faster)
        self.press(",")

    def goes(self):
        for key in "G 1 2 3 4 Return".split():
            line = self.press(key)
        if line["cycle"] != 1234 or line["prompt"]:
            yield "G 1 2 3 4 Return leads to cycle %d" % line["cycle"]
        for key in "G 9 Escape".split():
            line = self.press(key)
        if line["cycle"] != 1234 or line["prompt"]:
            yield "Escape does not close the prompt: %s" % line

    def scrubs(self):
        cycles = self.press("A")["end"]
        y = self.middle("axis")[1]
        for part in (0.25, 0.75):
            self.hands.move(self.strip_x(part), y)
            if part == 0.25:
                self.hands.press()
                line = self.viewer.event("press")
            else:
                at = 0.7 * cycles
                line = self.viewer.wait("the pointer's way", lambda line: line["event"] == "motion" and line["cycle"] > at)
            if abs(line["cycle"] - part * cycles) > 0.01 * cycles:
                yield "at %g of the axis: cycle %d of %d" % (part, line["cycle"], cycles)
        self.hands.move(self.strip_x(0.5), 10)  # out of the strip: the scrubbing goes on
        line = self.viewer.wait("scrubbing outside the strip", lambda line: line["cycle"] < 0.6 * cycles)
        self.hands.release()
        self.viewer.event("release")
        self.hands.move(self.strip_x(0.1), y)
        line = self.viewer.event("motion")
        if abs(line["cycle"] - 0.5 * cycles) > 0.01 * cycles:
            yield "after the release the pointer still scrubs: cycle %d" % line["cycle"]
        self.away()

    def zooms(self):
        self.press("Home")
        whole = self.press("A")
        self.hands.move(self.strip_x(0.25), self.middle("axis")[1])
        self.hands.click(4)
        line = self.viewer.event("wheel")
        length = whole["end"] - whole["first"]
        if abs((line["end"] - line["first"]) * 2 - length) > 4:
            yield "the wheel zooms from %d cycles to %d" % (length, line["end"] - line["first"])
        # What lies a quarter from the left stays there.
        if abs(line["first"] + (line["end"] - line["first"]) / 4 - length / 4) > 0.01 * length:
            yield "the wheel does not zoom about the pointer: %d to %d" % (line["first"], line["end"])
        closer = self.press("+")
        if abs((closer["end"] - closer["first"]) * 4 - length) > 8:
            yield "+ zooms to %d cycles of %d" % (closer["end"] - closer["first"], length)
        self.press("-")
        back = self.press("A")
        if (back["first"], back["end"]) != (whole["first"], whole["end"]):
            yield "A shows %d to %d" % (back["first"], back["end"])
        self.away()

    def pins(self):
        """The pointer finds a node or channel in the cube's panel; a click pins it, P lets it go."""
        x, y, w, h = self.start["places"]["cube" if "cube" in self.start["places"] else "machine"]
        found = None
        for row in range(1, 12):
            for column in range(1, 12):
                self.hands.move(x + column * w // 12, y + row * h // 12)
                line = self.viewer.event("motion")
                if line["hover"]:
                    time.sleep(0.2)  # the lines of motions on the way may still come
                    found = self.viewer.lines()[-1]["hover"]
                if found:
                    break
            if found:
                break
        if not found:
            yield "nothing is under the pointer anywhere in the map"
            return
        self.hands.click()
        line = self.viewer.event("press")
        if line["pin"] != found:
            yield "a click pins %s, the pointer was over %s" % (line["pin"], found)
        self.viewer.event("release")
        if self.press("P")["pin"]:
            yield "P does not let it go"
        self.away()
        self.press("Ctrl+Right")
        if not self.press("T")["pin"]:
            yield "T pins no channel of an exchange"
        if self.press("P")["pin"]:
            yield "P does not let the channel go"

    def filters(self):
        """Items of the legend hide what they stand for."""
        if self.press("2")["hidden_phases"] != [1] or self.press("F1")["hidden_dimensions"] != [0]:
            yield "2 and F1 hide nothing"
        line = self.press("V")
        if line["hidden_phases"] or line["hidden_dimensions"]:
            yield "V does not show all again"
        x, y, w, h = self.start["places"]["legend"]
        hidden = False
        for down in range(4, h, 8):
            for across in range(8, w, max(w // 12, 12)):
                self.hands.move(x + across, y + down)
                self.hands.click()
                line = self.viewer.event("release")
                hidden = hidden or bool(line["hidden_phases"] or line["hidden_dimensions"])
            if hidden:
                break
        if not hidden:
            yield "no click on the legend hides anything"
        self.away()
        line = self.press("V")
        while line["linear"]:
            line = self.press("X")

    def helps(self):
        before = self.screen()
        self.press("H")
        if self.screen().differences(before) == 0:
            yield "H changes no pixel"
        self.press("H")
        if self.screen().differences(before) != 0:
            yield "closing the help leaves something on the screen"

    def saves(self):
        line = self.press("S")
        line = self.viewer.event("picture")
        names = saved_pictures(self.viewer.folder)
        if len(names) != 1 or names[0] not in line["message"]:
            yield "saved %s; the message is \"%s\"" % (names, line["message"])
        self.press("Home")
        self.press("D")
        self.press("Right")
        self.press("Right")
        line = self.press("D")
        time.sleep(0.2)
        frames = saved_pictures(os.path.join(self.viewer.folder, "cm200-view-frames"))
        if not 3 <= len(frames) <= 4:
            yield "the recording of three frames holds %s" % frames
        self.tests.headless("--at-cycle", "2")
        last = read_png(os.path.join(self.viewer.folder, "cm200-view-frames", frames[-1])) if frames else None
        if last and last.differences(read_png(os.path.join(self.tests.folder, "headless.png"))) != 0:
            yield "the last frame is not the picture of cycle 2"

    def resizes(self):
        self.press("Home")
        self.hands.tool("windowsize", self.hands.window, "1000", "700")
        line = self.viewer.event("resize")
        if line["size"] != [1000, 700]:
            yield "the size is %s" % line["size"]
        self.tests.headless("--size", "1000x700", "--press", "Home")
        found = self.screen((1000, 700)).differences(read_png(os.path.join(self.tests.folder, "headless.png")))
        if found != 0:
            yield "%s pixels are not those of --screenshot at that size" % found
        self.hands.tool("windowsize", self.hands.window, "64", "64")
        self.viewer.wait("a small window", lambda line: line["size"] == [64, 64])
        self.hands.tool("windowsize", self.hands.window, "%d" % SIZE[0], "%d" % SIZE[1])
        self.viewer.wait("the first size", lambda line: tuple(line["size"]) == SIZE)

    def hears_every_key(self):
        """Each key of the table, pressed on the keyboard, reaches the table's row of that name."""
        with open(os.path.join(self.tests.root, "viz/control/keys.def"), encoding="utf-8") as file:
            rows = [line.split('"')[1] for line in file if line.startswith(("CM_KEY(", "CM_KEY_AS("))]
        for key in " ".join(rows).split():
            if key in ("Q", "Escape", "S", "D"):
                continue
            try:
                line = self.press(key)
                if key == "G":
                    line = self.press("Escape")
                if key == "Space":
                    line = self.press("Space")
                if line["playing"]:
                    yield "%s leaves it playing" % key
            except Failure as problem:
                yield "%s: %s" % (key, problem)

    def tests_in_order(self):
        return (("a window shows what --screenshot draws, pixel for pixel", self.opens),
                ("without events the window sleeps", self.sleeps),
                ("keys step by cycle, instruction, exchange and window", self.steps),
                ("Space plays and pauses, and the speed doubles", self.plays),
                ("a cycle can be typed", self.goes),
                ("the pointer scrubs on the time axis until it is released", self.scrubs),
                ("wheel and keys zoom", self.zooms),
                ("what the pointer is over can be pinned", self.pins),
                ("the legend filters, by keys and by clicks", self.filters),
                ("the help comes and goes", self.helps),
                ("pictures and frames are saved", self.saves),
                ("the window takes another size", self.resizes),
                ("every key of the table is heard", self.hears_every_key))


def quits(tests, xvfb, way):
    """Each way to end it; the exit code tells Ctrl-C from the others."""
    with Viewer(tests.view, [tests.trace("five-point-pshift.json")], tests.scratch(), "x11", xvfb.display) as viewer:
        viewer.event("start", START_SECONDS)
        hands = Hands(viewer)
        if way == "Ctrl-C":
            viewer.interrupt()
        elif way == "close":
            close_politely(xvfb.display, int(hands.window))
        else:
            hands.key(way)
        code = viewer.ended()
        expected = 130 if way == "Ctrl-C" else 0
        if code != expected:
            yield "exit code %d, expected %d: %s" % (code, expected, viewer.messages())
        if way == "Ctrl-C" and "interrupted" not in viewer.messages():
            yield "it does not say that it was interrupted"


def blocked(tests):
    """On until a packet waits for a channel: in a congested permutation it comes, in a PSHIFT never."""
    trace = tests.trace("route-bit-reversal.json")
    with Viewer(tests.view, [trace, "--press", "Home B Q"], tests.scratch(), "dummy") as viewer:
        viewer.ended(RUN_SECONDS)
        line = [line for line in viewer.lines() if line["event"] == "key B"][0]
        if line["cycle"] == 0 or " waits for packet " not in line["message"] or not line["pin"]:
            yield "in the permutation: cycle %d, \"%s\"" % (line["cycle"], line["message"])
    with Viewer(tests.view, [tests.trace("five-point-pshift.json"), "--press", "B Q"], tests.scratch(),
                "dummy") as viewer:
        viewer.ended(RUN_SECONDS)
        line = [line for line in viewer.lines() if line["event"] == "key B"][0]
        if line["cycle"] != FIRST_EXCHANGE or not line["message"]:
            yield "in the PSHIFT: cycle %d, \"%s\"" % (line["cycle"], line["message"])


def frames(tests):
    """A sequence holds the pictures of its cycles."""
    folder = os.path.join(tests.scratch(), "frames")
    subprocess.run([tests.view, tests.trace("five-point-pshift.json"), "--frames", folder, "--from", "100", "--to", "400",
                    "--every", "100", "--span", "window"], check=True, timeout=RUN_SECONDS, stdin=subprocess.DEVNULL)
    if sorted(os.listdir(folder)) != ["frame-%06d.png" % i for i in range(3)]:
        yield "the folder holds %s" % sorted(os.listdir(folder))
        return
    with open(os.path.join(folder, "frame-000001.png"), "rb") as file:
        if file.read() != tests.headless("--at-cycle", "200", "--span", "window"):
            yield "the second frame is not the picture of cycle 200"


def with_xvfb(tests):
    missing = [tool for tool in ("Xvfb", "xdotool") if shutil.which(tool) is None]
    if missing:
        tests.tap.skip("a window under Xvfb", "%s not found" % " and ".join(missing))
        return
    with Xvfb() as xvfb:
        tests.check("the same picture on x11, under Xvfb", same_picture, tests, "x11", xvfb.display)
        with Viewer(tests.view, [tests.trace("five-point-pshift.json")], tests.scratch(), "x11",
                    xvfb.display) as viewer:
            window = Window(tests, xvfb, viewer)
            for name, test in window.tests_in_order():
                tests.check(name, test)
        for way in ("q", "Escape", "close", "Ctrl-C"):
            tests.check("%s ends it" % way, quits, tests, xvfb, way)


def main(arguments):
    if len(arguments) != 2:
        usage_error(__doc__)
    with tempfile.TemporaryDirectory(prefix="cm200-window-") as folder:
        tests = Tests(os.path.abspath(arguments[0]), os.path.realpath(arguments[1]), folder)
        tests.check("without a display it says so and names --screenshot", no_display, tests)
        tests.check("a screenshot has its size and its scale", screenshot, tests)
        tests.check("a sequence of frames holds the pictures of its cycles", frames, tests)
        tests.check("it runs on until a packet waits for a channel", blocked, tests)
        tests.check("the same picture on dummy", same_picture, tests, "dummy", None)
        tests.check("the same picture on offscreen", same_picture, tests, "offscreen", None)
        with_xvfb(tests)
        return tests.tap.done()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
