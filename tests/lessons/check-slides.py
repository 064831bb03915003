"""`cm200 lesson --slides`: one page that needs nothing else, with every heading, question, answer, picture and task of the lessons. In a
browser, if there is one: keys go on and back, answers come by a further key, no slide is higher than the screen, and paper has a
page for each slide. CM_TEST_PERCENT sets how many lessons the browser shows.

usage: check-slides.py CM200 SOURCE_ROOT
"""

import base64
import html.parser
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "web"))

from lesson import Expression, lessons  # noqa: E402: the path is set above
from tap import Tap, arguments, cases  # noqa: E402

LIMIT_SECONDS = 120
SIZE = 1280, 720
EMPTY = {"img", "meta", "br"}
KEYS = {"on": "\ue014", "back": "\ue012", "end": "\ue010", "home": "\ue011"}


class Page(html.parser.HTMLParser):
    """The slides of a page, [(class, text)], and what is wrong with its tags."""

    def __init__(self, text):
        super().__init__()
        self.open, self.slides, self.problems, self.pictures = [], [], [], 0
        self.feed(text)
        self.problems += ["<%s> is not closed" % tag for tag in self.open]

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if tag == "section":
            self.slides.append([values.get("class"), ""])
        if tag == "img":
            self.pictures += base64.b64decode(values["src"].partition("base64,")[2])[:4] == b"\x89PNG"
        for key in ("src", "href"):
            if not values.get(key, "data:").startswith("data:"):
                self.problems.append("%s of <%s> is %s" % (key, tag, values[key][:80]))
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.problems.append("</%s> closes nothing" % tag)

    def handle_data(self, data):
        if "section" in self.open:
            self.slides[-1][1] += data


def make(cm200, words, folder, root):
    """(exit code, path, messages) of a page of slides, made from another folder."""
    path = os.path.join(folder, "slides.html")
    done = subprocess.run([cm200, "lesson", *words, "--slides", path], cwd=root, capture_output=True, encoding="utf-8",
                          timeout=LIMIT_SECONDS, check=False)
    return done.returncode, path, done.stdout + done.stderr


def plain(text):
    """Words without marks, code, emphasis and blanks."""
    return "".join(re.sub(r"<!--.*?-->|[`*]", "", text).split())


def contents(cm200, root, number, lesson, folder):
    code, path, messages = make(cm200, [str(number)], folder, root)
    if code != 0 or messages:
        yield "exit code %d: %s" % (code, messages)
        return
    with open(path, encoding="utf-8") as file:
        page = Page(file.read())
    yield from page.problems
    everything = plain(" ".join(text for _, text in page.slides))
    for paragraph in "\n".join(lesson.plain[1:]).split("\n\n"):
        if not re.match(r"\s*(\||!\[|\* |    )", paragraph) and "](" not in paragraph and \
                plain(re.sub(r"^## ", "", paragraph.strip("\n"))) not in everything:
            yield "no slide has: %s" % paragraph
    results = {}
    for block in lesson.of("command"):
        if block.name:
            done = subprocess.run([cm200, *block.command()[1:], "--json"], cwd=root, capture_output=True, encoding="utf-8", check=False)
            results[block.name] = json.loads(done.stdout)
        if plain("$ " + " ".join(block.command())) not in everything:
            yield "no slide has the command %s" % " ".join(block.command())
    asked = [plain(text) for kind, text in page.slides if kind == "question"]
    for block in lesson.of("question"):
        value = Expression(block.value("answer"), results, root).value()
        shown = value if isinstance(value, str) else "%d" % value if value == int(value) else "%.2f" % value
        if not any(plain(block.value("ask")) in text for text in asked):
            yield "no slide asks: %s" % block.value("ask")
        if plain(shown + block.value("unit", "")) not in everything:
            yield "no slide answers %s" % shown
    if page.pictures != len(lesson.of("picture")):
        yield "%d pictures, expected %d" % (page.pictures, len(lesson.of("picture")))
    tasks = [text for kind, text in page.slides if kind == "task"]
    if len(tasks) != 1 or "%s points" % lesson.of("task")[0].value("points") not in tasks[0]:
        yield "tasks: %s" % tasks


def course(cm200, root, every, folder):
    """All lessons in one file, and what is refused."""
    code, path, messages = make(cm200, [], folder, root)
    with open(path, encoding="utf-8") as file:
        page = Page(file.read())
    titles = [plain(text) for kind, text in page.slides if kind == "title"]
    if code != 0 or messages or len(titles) != len(every) or any(plain(lesson.title[2:]) not in titles[i] for i, lesson in enumerate(every)):
        yield "exit code %d, %s %s" % (code, titles, messages)
    yield from page.problems
    code, _, messages = make(cm200, ["3", "--check", "a.json"], folder, root)
    if code != 2 or "cannot be combined" not in messages:
        yield "with --check: exit code %d: %s" % (code, messages)
    code, _, messages = make(cm200, ["99"], folder, root)
    if code != 2:
        yield "of no lesson: exit code %d: %s" % (code, messages)


OWN = """# 1. Mine & <yours>

Text with *emphasis*, **strength**, `code <b>`, a [link](http://example.org) and a * b * c.

```command mine
$ cm200 run a.json --quiet
```

## Points

* one `item`
  in two lines
* another

| a | b |
|---|--:|
| 1 | <2> |

```
plain & fenced
```
"""
WRITTEN = ("<h1>1. Mine &amp; &lt;yours&gt;</h1>", "<em>emphasis</em>, <strong>strength</strong>", "<code>code &lt;b&gt;</code>",
           "a link and a * b * c.", "<h2>Points</h2>", "<li>one <code>item</code>\n  in two lines</li>\n<li>another</li>",
           "<tr><th>a</th><th>b</th></tr>\n<tr><td>1</td><td>&lt;2&gt;</td></tr>", "<pre>plain &amp; fenced\n</pre>")


def own(cm200, root, folder):
    """Lessons of one's own, with all of Markdown, and one that is wrong."""
    lesson = os.path.join(folder, "01-own")
    os.mkdir(lesson)
    with open(os.path.join(root, "docs", "lessons", "01-gray-code", "gray.json"), encoding="utf-8") as file:
        text = file.read().replace("../../../configs/cube8.json", "cube8")
    for name, content in (("a.json", text), ("lesson.md", OWN)):
        with open(os.path.join(lesson, name), "w", encoding="utf-8") as file:
            file.write(content)
    for words in ([lesson], [folder, "1"], [folder]):
        code, path, messages = make(cm200, words, folder, root)
        with open(path, encoding="utf-8") as file:
            made = file.read()
        missing = [part for part in WRITTEN if part not in made]
        if code != 0 or messages or missing or Page(made).problems:
            yield "%s: exit code %d: %s, missing: %s, %s" % (words, code, messages, missing, Page(made).problems)
    with open(os.path.join(lesson, "lesson.md"), "a", encoding="utf-8") as file:
        file.write("\n![a picture](missing.png)\n")
    code, _, messages = make(cm200, [lesson], folder, root)
    if code != 4 or "missing.png" not in messages:
        yield "a missing picture: exit code %d: %s" % (code, messages)


def browser():
    """A browser with a screen of SIZE, or None."""
    if importlib.util.find_spec("selenium") is None or shutil.which("chromium") is None or shutil.which("chromedriver") is None:
        return None
    from browser import start_browser
    driver = start_browser()
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": SIZE[0], "height": SIZE[1], "deviceScaleFactor": 1, "mobile": False})
    return driver


def in_browser(driver, path):
    def press(key):
        driver.switch_to.active_element.send_keys(KEYS[key])

    def shown():
        return driver.execute_script("return [document.querySelectorAll('section.now').length, at,"
                                     "document.querySelectorAll('section.now .step:not(.shown)').length]")
    driver.get("file://" + path)
    count = driver.execute_script("return slides.length")
    steps = driver.execute_script("return document.querySelectorAll('.step').length")
    if shown() != [1, 0, 0]:
        yield "it begins with %s" % shown()
    pressed, hidden = 0, 0
    while shown()[1] < count - 1 and pressed < 2 * (count + steps):
        before = shown()
        press("on")
        pressed += 1
        hidden += shown()[2] < before[2]
        if shown()[1] == before[1] and shown()[2] != before[2] - 1:
            yield "a key does nothing on slide %d" % (before[1] + 1)
            return
        high = driver.execute_script("return document.querySelector('section.now').scrollHeight - innerHeight")
        if high > 0:
            yield "slide %d is %d pixels too high: %s" % (shown()[1] + 1, high, driver.execute_script(
                "return document.querySelector('section.now').innerText.slice(0, 60)"))
    if hidden != steps:
        yield "%d of %d answers came by a key" % (hidden, steps)
    press("back")
    press("home")
    if shown()[1] != 0:
        yield "Home does not go to the beginning"
    press("end")
    if shown()[1] != count - 1 or not driver.current_url.endswith("#%d" % count):
        yield "End does not go to the end: %s" % driver.current_url
    paper = driver.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})
    pages = len(re.findall(rb"/Type\s*/Page\b", base64.b64decode(paper["data"])))
    if pages != count:
        yield "%d pages of paper for %d slides" % (pages, count)


def main(given):
    cm200, root = os.path.realpath(given[0]), os.path.realpath(given[1])
    tap, every = Tap(), lessons(root)
    tried = range(1, len(every) + 1, len(every) // cases(len(every)))
    driver = browser()
    with tempfile.TemporaryDirectory() as folder:
        for number, lesson in enumerate(every, 1):
            tap.report("slides of lesson %s" % lesson.title[2:], contents(cm200, root, number, lesson, folder))
            if number not in tried:
                continue
            if driver is None:
                tap.skip("lesson %d in a browser" % number, "there is no browser with Selenium")
            else:
                tap.report("lesson %d in a browser" % number, in_browser(driver, os.path.join(folder, "slides.html")))
        tap.report("all lessons in one page", course(cm200, root, every, folder))
        tap.report("lessons of one's own", own(cm200, root, folder))
    if driver is not None:
        driver.quit()
    return tap.done()


if __name__ == "__main__":
    sys.exit(main(arguments(__doc__, 2)))
