#!/usr/bin/env python3
"""The page that `cm200 export --format html` writes, opened from disk in headless Chromium.

usage: check-export.py CM200 WEB ROOT

CM200 is the native program, in whose folder `ninja web` made WEB/trace.html. Pictures are compared with those of cm200-view, pixel by
pixel; how fast a run of 2,048 nodes plays is printed, not judged.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tap  # noqa: E402: the path is set above

GIVEN = tap.arguments(__doc__, 3, programs=["chromium", "chromedriver"], modules=["selenium"])

from browser import start_browser  # noqa: E402: without Selenium the check was skipped above
import page_viewer  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402

BESIDE_TRACE_BYTES = 1_500_000
LONGEST_START_SECONDS = 30


class Exported:
    """Pages in one folder, and the browser that opens them."""

    def __init__(self, cm200, root, folder):
        self.cm200, self.root, self.folder = cm200, root, folder
        self.driver = start_browser()

    def wait(self, condition, seconds=LONGEST_START_SECONDS):
        WebDriverWait(self.driver, seconds, 0.05).until(lambda _: condition())

    def record(self, example, *options):
        path = os.path.join(self.folder, os.path.basename(example).replace(".json", ".trace"))
        subprocess.run([self.cm200, "run", "--quiet", example, "--trace", path, *options], cwd=self.root, check=True, timeout=120)
        return path

    def open(self, traces):
        page = os.path.join(self.folder, "a page, & more.html")
        more = ["--compare", traces[1]] if len(traces) > 1 else []
        subprocess.run([self.cm200, "export", traces[0], "--format", "html", "-o", page, *more], check=True, timeout=120)
        self.driver.get(pathlib.Path(page).as_uri())
        view = page_viewer.Viewer(self.driver, self.wait, self.cm200, self.root)
        view.settled()
        view.fix()
        return view, page

    def console(self):
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]


def check_one(checks, exported):
    trace = exported.record("programs/examples/five-point-pshift.json", "--set", "exchange.cycles=130")
    view, page = exported.open([trace])
    size = os.path.getsize(page) - os.path.getsize(trace)
    checks.report("a page has at most %d bytes more than its trace" % BESIDE_TRACE_BYTES,
                  [] if size <= BESIDE_TRACE_BYTES else ["%d bytes" % size])
    print("# %d bytes more than the trace of %d" % (size, os.path.getsize(trace)))
    checks.report("the page shows what cm200-view shows", view.compare([trace]))
    view.button("Step \u2192")
    checks.report("steps go by exchanges", view.compare([trace, "--press", "Ctrl+Right"]))
    view.driver.find_element("css selector", ".viewer canvas").send_keys("tmw")
    view.settled()
    checks.report("keys do what they do in the program", view.compare([trace, "--press", "Ctrl+Right T M W"]))
    view.driver.execute_script("location.hash = 'cycle=1500&panel=cube&file=another'")
    view.settled()
    options = view.driver.execute_script("return window.cm200Exported.options()")
    checks.report("an address chooses cycle and panel", [] if (options["at-cycle"], options["panel"]) == ("1500", "cube") else [options])
    view.driver.execute_script("location.hash = 'panel=all'")
    view.settled()
    made_of = view.driver.execute_script("return document.getElementById('made-of').textContent")
    checks.report("the page says what made it", [] if '"exchange.cycles"' in made_of else [made_of[:200]])


def check_two(checks, exported):
    traces = [exported.record("programs/examples/five-point-%s.json" % way) for way in ("pshift", "cshift")]
    view, _ = exported.open(traces)
    checks.report("two runs and their difference", view.compare([traces[0], "--compare", traces[1]]))


def check_speed(checks, exported):
    view, _ = exported.open([exported.record("programs/examples/five-point-pshift.json", "--nodes", "2048")])
    view.script("viewer.size = [1920, 1080]; viewer.resized = true; viewer.update();")
    view.settled()
    before, begin = view.script("return viewer.drawn"), time.monotonic()
    view.script("viewer.play.click();")
    time.sleep(2)
    frames = (view.script("return viewer.drawn") - before) / (time.monotonic() - begin)
    print("# 2,048 nodes at 1920x1080 play with %.0f frames a second" % frames)
    checks.report("2,048 nodes play", [] if frames > 1 else ["%.1f frames a second" % frames])


def check_damage(checks, exported):
    """A page whose trace is cut short says so."""
    trace = exported.record("programs/examples/fft.json")
    _, page = exported.open([trace])
    text = pathlib.Path(page).read_text(encoding="utf-8")
    at = text.index(">", text.index('id="trace-1"')) + 1
    pathlib.Path(page).write_text(text[:at] + "AAAA" + text[text.index("</script>", at):], encoding="utf-8")
    exported.driver.get(pathlib.Path(page).as_uri())
    note = lambda: exported.driver.execute_script("return document.querySelector('.viewer-note').textContent")  # noqa: E731
    exported.wait(lambda: note() != "")
    checks.report("a damaged trace is refused", [] if "trace" in note() else [note()])


def check_old_browser(checks, exported):
    """Without WebAssembly the page says what is missing, instead of nothing."""
    trace = exported.record("programs/examples/fft.json")
    page = os.path.join(exported.folder, "old.html")
    subprocess.run([exported.cm200, "export", trace, "--format", "html", "-o", page], check=True, timeout=120)
    exported.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": "delete window.WebAssembly"})
    exported.driver.get(pathlib.Path(page).as_uri())
    note = lambda: exported.driver.execute_script("return document.querySelector('.viewer-note').textContent")  # noqa: E731
    exported.wait(lambda: note() != "")
    checks.report("a browser without WebAssembly gets a message", [] if note() == "This browser has no WebAssembly." else [note()])


def main():
    cm200, root = os.path.abspath(GIVEN[0]), os.path.abspath(GIVEN[2])
    checks = tap.Tap()
    with tempfile.TemporaryDirectory() as folder:
        exported = Exported(cm200, root, folder)
        try:
            check_one(checks, exported)
            check_two(checks, exported)
            check_speed(checks, exported)
            checks.report("no error on the console", exported.console())
            check_damage(checks, exported)
            check_old_browser(checks, exported)
        finally:
            exported.driver.quit()
    return checks.done()


if __name__ == "__main__":
    sys.exit(main())
