"""The viewer in the page: its picture, pixel by pixel, against that of the native program, after the same keys and at the same cycles."""
import base64
import os
import struct
import subprocess
import tempfile
import zlib

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

SIZE = (960, 600)
PICTURE = """const canvas = document.querySelector(".viewer canvas"), { width, height } = canvas;
    const copy = Object.assign(document.createElement("canvas"), { width, height });
    const context = copy.getContext("2d", { willReadFrequently: true });
    context.drawImage(canvas, 0, 0);
    const data = context.getImageData(0, 0, width, height).data;
    let text = "";
    for (let i = 0; i < data.length; i += 32768) text += String.fromCharCode(...data.subarray(i, i + 32768));
    return [width, height, btoa(text)];"""


def read_png(path):
    """(width, height, bytes R, G, B) of a PNG of the native program: 8 bits, RGB, no filters, not interlaced."""
    with open(path, "rb") as file:
        data = file.read()
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, height, *form = struct.unpack(">IIBBBBB", data[at + 8:at + 21])
            assert form == [8, 2, 0, 0, 0], form
        elif kind == b"IDAT":
            packed += data[at + 8:at + 8 + length]
        at += 12 + length
    plain, row = zlib.decompress(packed), 3 * width + 1
    assert all(plain[y * row] == 0 for y in range(height)), "a filter"
    return width, height, b"".join(plain[y * row + 1:(y + 1) * row] for y in range(height))


def picture(driver):
    width, height, text = driver.execute_script(PICTURE)
    pixels = base64.b64decode(text)
    rgb = bytearray(3 * width * height)
    for channel in range(3):
        rgb[channel::3] = pixels[channel::4]
    assert pixels[3::4].count(255) == width * height, "it is not opaque"
    return width, height, bytes(rgb)


def differences(got, want):
    if got[:2] != want[:2]:
        return ["%dx%d pixels, not %dx%d" % (got[:2] + want[:2])]
    if got[2] == want[2]:
        return []
    count = sum(got[2][i:i + 3] != want[2][i:i + 3] for i in range(0, len(got[2]), 3))
    return ["%d of %d pixels differ from the native program's" % (count, got[0] * got[1])]


def native(cm200, root, options, size=SIZE):
    """The picture that cm200-view makes with options."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "picture.png")
        subprocess.run([cm200 + "-view", *options, "--size", "%dx%d" % size, "--screenshot", path], cwd=root, check=True,
                       capture_output=True, timeout=120)
        return read_png(path)


class Viewer:
    """What the page shows and the native program's picture of the same."""

    def __init__(self, driver, wait, cm200, root):
        self.driver, self.wait, self.cm200, self.root = driver, wait, cm200, root

    def script(self, code, *values):
        return self.driver.execute_script("const viewer = window.cm200Page ? cm200Page.viewer : window.cm200Exported; " + code, *values)

    def settled(self):
        """After the next frame, with nothing left to draw."""
        self.wait(lambda: self.script("return viewer !== null && viewer.drawn > 0 && !viewer.waiting && !viewer.module._cm_web_changed()"))

    def fix(self):
        self.script("viewer.size = arguments[0]; viewer.resized = true; viewer.update();", list(SIZE))
        self.settled()

    def button(self, text):
        found = [b for b in self.driver.find_elements(By.CSS_SELECTOR, ".viewer-tools button") if b.text == text]
        self.driver.execute_script("arguments[0].click()", found[0])
        self.settled()

    def compare(self, options, scale=1):
        self.settled()
        more = ["--scale", str(scale)] if scale != 1 else []
        return differences(picture(self.driver), native(self.cm200, self.root, [*options, *more]))


def check_steps(checks, view, runs):
    view.fix()
    checks.report("the picture is the native program's", view.compare(runs))
    view.button("Step \u2192")
    view.button("Step \u2192")
    view.button("\u2190 Step")
    checks.report("steps go by exchanges", view.compare([*runs, "--press", "Ctrl+Right"]))
    view.script("viewer.scrub.value = 2500; viewer.scrub.dispatchEvent(new Event('input'));")
    problems = view.compare([*runs, "--at-cycle", "2500"])
    checks.report("the slider goes to a cycle", problems)
    canvas = view.driver.find_element(By.CSS_SELECTOR, ".viewer canvas")
    canvas.send_keys("tmw", Keys.ARROW_RIGHT, Keys.SHIFT + "n")
    checks.report("keys do what they do in the program", view.compare([*runs, "--at-cycle", "2500", "--press", "T M W Right Shift+N"]))
    canvas.send_keys("v", "h")
    checks.report("help lists the keys", view.compare([*runs, "--at-cycle", "2500", "--press", "T M W Right Shift+N V H"]))
    canvas.send_keys("h")


def check_play(checks, view):
    problems = []
    before = view.script("return viewer.cycle")
    view.script("viewer.speed.value = '8'; viewer.speed.dispatchEvent(new Event('change')); viewer.play.click();")
    view.wait(lambda: view.script("return viewer.cycle") >= before + 200, 20)
    if view.script("return viewer.play.textContent") != "Pause":
        problems.append("the button does not say Pause")
    view.script("viewer.play.click();")
    view.settled()
    stopped = view.script("return viewer.cycle")
    if view.script("return viewer.playing") or view.script("return viewer.cycle") != stopped:
        problems.append("it plays on")
    checks.report("play moves on at its speed, and stops", problems)


def check_mouse(checks, view):
    """A press on the time strip scrubs there; the same cycle natively."""
    view.script("""viewer.key("Escape"); const at = viewer.canvas.getBoundingClientRect();
        const send = (kind, x, y) => viewer.canvas.dispatchEvent(new PointerEvent(kind,
          { pointerId: 1, button: 0, bubbles: true, clientX: at.left + x, clientY: at.top + y }));
        viewer.canvas.setPointerCapture = () => {};
        const strip = arguments[0]; send("pointermove", strip[0], strip[1]); send("pointerdown", strip[0], strip[1]);
        send("pointerup", strip[0], strip[1]); send("pointerleave", strip[0], strip[1]);""", [SIZE[0] // 2, SIZE[1] * 0.63])
    view.settled()
    cycle = view.script("return viewer.cycle")
    problems = [] if cycle > 1000 and not view.script("return viewer.playing") else ["cycle %s" % cycle]
    checks.report("a press on a time strip goes there", problems)


def check_compare(checks, page, view):
    Select(page.find("example")).select_by_value("programs/examples/five-point-cshift.json")
    page.run()
    view.driver.execute_script("arguments[0].click()", page.find("compare"))
    view.wait(lambda: view.script("return viewer !== null && viewer.module._cm_web_value(4) === 2"))
    view.fix()
    runs = ["programs/examples/five-point-pshift.json", "--compare", "programs/examples/five-point-cshift.json"]
    checks.report("two runs and their difference", view.compare([*runs, "--span", "visible"]))


def check_dense(checks, page, view, runs):
    """A display of two pixels a point."""
    metrics = {"width": 1400, "height": 900, "deviceScaleFactor": 2, "mobile": False}
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    view.fix()
    view.wait(lambda: view.script("return viewer.sharp === true && viewer.scale === 2"))
    checks.report("sharp text on a dense display", view.compare([*runs, "--span", "visible"], 2))
    page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def check_viewer(checks, page, cm200, root):
    if not os.path.exists(cm200 + "-view"):
        checks.report("cm200-view is built, to compare with", ["it is missing"])
        return
    page.open()
    view = Viewer(page.driver, page.wait, cm200, root)
    early = page.driver.execute_script("return window.cm200View !== undefined")
    page.run()
    page.find("tab-wires").click()
    view.settled()
    checks.report("the viewer is loaded when it is asked for", ["it was there before"] if early else [])
    runs = ["programs/examples/five-point-pshift.json"]
    check_steps(checks, view, runs)
    check_play(checks, view)
    check_mouse(checks, view)
    check_compare(checks, page, view)
    check_dense(checks, page, view, ["programs/examples/five-point-pshift.json", "--compare", "programs/examples/five-point-cshift.json"])


def check_pictures(page, root, problems):
    """Each picture of an open lesson, live, against its file, in a window that has the room for it."""
    size = page.driver.get_window_size()
    page.driver.set_window_size(3200, 1200)
    for button in page.driver.find_elements(By.CSS_SELECTOR, "#lessons button[data-picture]"):
        line = button.get_attribute("data-picture")
        page.driver.execute_script("arguments[0].click()", button)
        page.wait(button.is_enabled, 300)
        file = line.split("--screenshot ")[1].split()[0]
        problems += ["%s: %s" % (file, text) for text in differences(picture(page.driver), read_png(os.path.join(root, file)))]
    page.driver.set_window_size(size["width"], size["height"])
