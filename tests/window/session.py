"""A cm200-view that a test drives: started on a video driver, watched through its --log-state, ended whatever happens."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
START_SECONDS = 30
ANSWER_SECONDS = 15
SCREEN = (1400, 900)


# X's names of keys, where they are not SDL's.
X_NAMES = {"Backspace": "BackSpace", "Space": "space", "PageUp": "Prior", "PageDown": "Next", ",": "comma", ".": "period", "-": "minus",
           "+": "plus"}


def x_key(key):
    last = "+" if key.endswith("+") else key.split("+")[-1]
    held = key[:-len(last)].split("+")[:-1]
    name = X_NAMES.get(last, last.lower() if len(last) == 1 else last)
    return "+".join([word.lower() for word in held] + [name])


class Failure(Exception):
    """What was expected and did not come."""


def end(process):
    """Ends a process that may have ended already."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


class Xvfb:
    """A screen of its own on a free display number; `screen` is its frame buffer file."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="cm200-xvfb-")
        read, write = os.pipe()
        self.process = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", "%dx%dx24" % SCREEN, "-nolisten", "tcp", "-noreset",
             "-fbdir", self.folder],
            pass_fds=(write,), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as pipe:
            number = pipe.readline().strip()  # empty when Xvfb ends without a display
        self.display = ":" + number
        self.screen = os.path.join(self.folder, "Xvfb_screen0")
        if not number:
            self.close()
            raise Failure("Xvfb does not start")

    def close(self):
        end(self.process)
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Viewer:
    """A running viewer. Its working folder, where pictures go, is `folder`."""

    def __init__(self, program, arguments, folder, driver, display=None):
        self.folder = folder
        self.log = os.path.join(folder, "state.jsonl")
        self.read = 0
        environment = {key: value for key, value in os.environ.items() if key.endswith("SAN_OPTIONS")}
        environment["LSAN_OPTIONS"] = "print_suppressions=0:suppressions=" + os.path.join(HERE, "leaks.supp")
        environment.update(PATH="/usr/bin:/bin", LC_ALL="C", HOME=folder, SDL_VIDEODRIVER=driver)
        if display:
            environment["DISPLAY"] = display
        self.environment = environment
        if os.path.exists(self.log):
            os.remove(self.log)
        self.errors = open(os.path.join(folder, "stderr"), "w+", encoding="utf-8")
        self.process = subprocess.Popen([program, "--log-state", self.log] + arguments, cwd=folder, env=environment,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.errors)

    def lines(self):
        if not os.path.exists(self.log):
            return []
        with open(self.log, encoding="utf-8") as file:
            text = file.read()
        return [json.loads(line) for line in text[:text.rfind("\n") + 1].splitlines()]

    def wait(self, what, holds, seconds=ANSWER_SECONDS):
        """The first line after those seen before for which `holds` does; it and those before count as seen."""
        until = time.monotonic() + seconds
        while True:
            lines = self.lines()
            for line in lines[self.read:]:
                self.read = line["line"] + 1
                if holds(line):
                    return line
            if time.monotonic() > until or (self.process.poll() is not None and len(self.lines()) == len(lines)):
                raise Failure("%s did not come; the last line is %s; messages: %s"
                              % (what, lines[-1] if lines else "missing", self.messages()))
            time.sleep(0.01)

    def event(self, name, seconds=ANSWER_SECONDS):
        return self.wait("the event \"%s\"" % name, lambda line: line["event"] == name, seconds)

    def messages(self):
        self.errors.seek(0)
        return self.errors.read().strip()

    def ended(self, seconds=ANSWER_SECONDS):
        """Its exit code."""
        try:
            return self.process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            raise Failure("it does not end") from None

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)

    def close(self):
        end(self.process)
        self.errors.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Hands:
    """Keyboard and mouse of a display, through xdotool."""

    def __init__(self, viewer):
        self.viewer = viewer
        self.window = self.tool("search", "--sync", "--onlyvisible", "--pid", str(viewer.process.pid)).split()[0]
        self.tool("windowmove", "--sync", self.window, "0", "0") if self.place() != (0, 0) else None
        self.tool("windowfocus", "--sync", self.window)

    def tool(self, *arguments):
        done = subprocess.run(["xdotool"] + list(arguments), env=self.viewer.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=START_SECONDS, check=False)
        if done.returncode != 0:
            raise Failure("xdotool %s: %s" % (" ".join(arguments), done.stderr.strip()))
        return done.stdout

    def place(self):
        """Where the window's corner lies on the screen."""
        shell = dict(line.split("=") for line in self.tool("getwindowgeometry", "--shell", self.window).split())
        return int(shell["X"]), int(shell["Y"])

    def key(self, name):
        self.tool("key", name)

    def move(self, x, y):
        self.tool("mousemove", "--window", self.window, str(x), str(y))

    def press(self, button=1):
        self.tool("mousedown", str(button))

    def release(self, button=1):
        self.tool("mouseup", str(button))

    def click(self, button=1):
        self.tool("click", str(button))
