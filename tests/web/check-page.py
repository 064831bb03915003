#!/usr/bin/env python3
"""Opens the browser page from disk in headless Chromium, runs examples in it, and compares their JSON with the native program's.

usage: check-page.py CM200 WEB ROOT [--pictures FOLDER]

CM200 is the native program, WEB the folder that `ninja web` made, ROOT the source tree. Looks, too, that errors are marked in the
editor, a run can be stopped, links, reloads and Back keep what was done, lessons can be done at three widths, the console has no
errors, and the page is small and starts quickly.
Skipped where Chromium, its driver or Selenium are missing.
"""
import gzip
import json
import os
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tap  # noqa: E402: the path is set above

GIVEN = tap.arguments(__doc__, 3, programs=["chromium", "chromedriver"], modules=["selenium"])

from browser import start_browser  # noqa: E402: without Selenium the check was skipped above
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import Select, WebDriverWait  # noqa: E402

from page_lessons import check_lessons  # noqa: E402: the path is set above
from page_state import check_debugger, check_state  # noqa: E402
from page_viewer import check_viewer  # noqa: E402

EXAMPLES = [("five-point-pshift.json", ""), ("five-point-pshift.json", "2048"), ("reshape.json", ""), ("fft.json", ""),
            ("sort.json", ""), ("fortran/life.fcm", "")]
PAGE_FILES = ("debug.js", "index.html", "link.js", "page.css", "page.js", "program.js", "unpack.js", "view.js", "viewer.css", "viewer.js")
# Gzipped, with the viewer, without the glyphs of dense displays and the lessons.
PAGE_BYTES = 680_000
FIRST_RUN_SECONDS = 3


class Page:
    def __init__(self, driver, address):
        self.driver = driver
        self.address = address

    def find(self, name):
        return self.driver.find_element(By.ID, name)

    def open(self, fragment="", keeps=False):
        """Opens the page, with what the browser has stored of it only if `keeps`."""
        self.driver.get("about:blank")
        if not keeps:
            self.driver.execute_cdp_cmd("Storage.clearDataForOrigin", {"origin": "file://", "storageTypes": "local_storage"})
        self.driver.get(self.address + fragment)
        self.wait(lambda: self.state() != "loading")

    def state(self):
        return self.find("state").text

    def wait(self, condition, seconds=120):
        WebDriverWait(self.driver, seconds, 0.02).until(lambda _: condition())

    def type(self, name, text):
        self.driver.execute_script("cm200Page.show(arguments[0], arguments[1])", name, text)

    def run(self):
        self.find("run").click()
        self.wait(lambda: self.find("run").is_enabled())
        return self.driver.execute_script("return cm200Page.result()")


def native_result(cm200, root, example, nodes):
    command = [cm200, "run", "programs/examples/" + example, "--json", "--threads", "1"] + (["--nodes", nodes] if nodes else [])
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=True, timeout=120).stdout


def without_host(text):
    result = json.loads(text)
    result.pop("host", None)
    return result


def check_examples(checks, page, cm200, root):
    for example, nodes in EXAMPLES:
        Select(page.find("example")).select_by_value("programs/examples/" + example)
        Select(page.find("nodes")).select_by_value(nodes)
        result = page.run()
        problems = []
        if not result:
            problems.append("no result: %s %s" % (page.state(), page.find("error").text))
        elif without_host(result) != without_host(native_result(cm200, root, example, nodes)):
            problems.append("another result than natively")
        elif len(page.driver.find_elements(By.CSS_SELECTOR, "#view-tables table")) < 2:
            problems.append("no tables")
        checks.report("%s %s in the page" % (example, nodes and "on %s nodes" % nodes), problems)
    Select(page.find("nodes")).select_by_value("")


def check_errors(checks, page):
    page.type("programs/examples/bad.json", '{\n  "format": "cm200-workload/1",\n  "nodes": 64\n  "steps": []\n}\n')
    page.run()
    marked = page.driver.execute_script("return document.querySelector('#marks > mark').textContent")
    problems = [] if "bad.json:4:3: " in page.find("error").text and "^" in page.find("error").text else [page.find("error").text]
    if marked != '  "steps": []':
        problems.append("marked: %r" % marked)
    checks.report("an error has its line, its caret and its mark", problems)
    page.type("programs/examples/bad.fcm", "      PROGRAM P\n      INTEGER I\n      I = J +\n      END\n")
    page.run()
    problems = [] if "bad.fcm:3:" in page.find("error").text else [page.find("error").text]
    checks.report("so has one of a program", problems)


def check_stop(checks, page):
    page.type("programs/examples/long.fcm",
              "      PROGRAM P\n      INTEGER I, J\n      J = 0\n      DO I = 1, 2000000000\n      J = MOD(J + I, 7)\n      END DO\n"
              "      PRINT *, J\n      END\n")
    page.find("run").click()
    time.sleep(0.5)
    problems = [] if page.state() == "running" else ["not running: %s" % page.state()]
    page.find("text").send_keys(Keys.ESCAPE)
    page.wait(lambda: page.find("run").is_enabled(), 5)
    if page.state() != "stopped":
        problems.append(page.state())
    checks.report("a run can be stopped, and the page stays alive", problems)


def check_link(checks, page):
    text = '{ "format": "cm200-workload/1", "name": "\u00fcber" }\n'
    page.type("programs/examples/linked.json", text)
    page.find("link").click()
    page.wait(lambda: "#" in page.driver.current_url)
    fragment = "#" + page.driver.current_url.split("#", 1)[1]
    page.open(fragment)
    problems = []
    if page.find("text").get_property("value") != text or page.find("name").get_property("value") != "programs/examples/linked.json":
        problems.append("another workload: %s" % page.find("text").get_property("value"))
    checks.report("a link carries the workload", problems)


def check_start(checks, page, cm200, root):
    best = None
    for _ in range(3):
        began = time.monotonic()
        page.open()
        result = page.run()
        seconds = time.monotonic() - began
        best = seconds if best is None else min(best, seconds)
    print("# first run %.2f s after the page is opened" % best)
    problems = [] if result else ["no result: " + page.find("error").text]
    checks.report("the first run ends within %d s of opening" % FIRST_RUN_SECONDS,
                  problems + ([] if best <= FIRST_RUN_SECONDS else ["%.2f s" % best]))


def check_size(checks, web):
    sizes = {name: len(gzip.compress(pathlib.Path(web, name).read_bytes(), 9))
             for name in PAGE_FILES}
    print("# gzipped: %s" % ", ".join("%s %d" % item for item in sizes.items()))
    total = sum(sizes.values())
    checks.report("the page has at most %d bytes, gzipped" % PAGE_BYTES, [] if total <= PAGE_BYTES else ["%d bytes" % total])


def take_pictures(page, folder):
    os.makedirs(folder, exist_ok=True)
    page.open()
    page.run()
    for scheme in ("light", "dark"):
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        for tab in ("text", "tables", "wires"):
            page.find("tab-" + tab).click()
            if tab == "wires":
                page.wait(lambda: page.driver.execute_script("return cm200Page.viewer !== null && cm200Page.viewer.drawn > 0"))
            page.driver.save_screenshot(os.path.join(folder, "%s-%s.png" % (scheme, tab)))
    page.type("programs/examples/bad.json", '{\n  "format": "cm200-workload/1",\n  "nodes": 64\n  "steps": []\n}\n')
    page.run()
    page.driver.save_screenshot(os.path.join(folder, "error.png"))


def main():
    cm200, web, root = map(os.path.abspath, GIVEN[:3])
    driver = start_browser()
    checks = tap.Tap()
    check_size(checks, web)
    try:
        page = Page(driver, pathlib.Path(web, "index.html").as_uri())
        check_start(checks, page, cm200, root)
        check_examples(checks, page, cm200, root)
        check_errors(checks, page)
        check_stop(checks, page)
        check_link(checks, page)
        check_state(checks, page)
        check_debugger(checks, page, cm200, root)
        check_viewer(checks, page, cm200, root)
        check_lessons(checks, page, cm200, root)
        if "--pictures" in GIVEN:
            take_pictures(page, GIVEN[GIVEN.index("--pictures") + 1])
        checks.report("the console has no errors", [entry["message"] for entry in driver.get_log("browser")
                                                    if entry["level"] in ("SEVERE", "WARNING")])
    finally:
        driver.quit()
    return checks.done()


if __name__ == "__main__":
    sys.exit(main())
