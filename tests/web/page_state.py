"""What the page keeps: links to a state, reloads, Back, edits that another file replaces. And lessons at three widths. Used by
check-page.py."""
import subprocess
import time

from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

WIDTHS = (390, 768, 1024)
EXAMPLE = "programs/examples/five-point-pshift.json"
OTHER = "programs/examples/sort.json"
HOSTILE = {"text=AAAA": "damaged", "file=../secret": "wrong value", "colour=red": "unknown part", "lesson=99": "99",
           "text=" + "A" * 300000: "more than", "z%00": "unknown part"}
PLACE = "return JSON.stringify(cm200LessonsPage.place())"


def value(page, name):
    return page.find(name).get_property("value")


def edit(page, text):
    page.driver.execute_script("""const text = document.getElementById("text");
        text.value = arguments[0]; text.dispatchEvent(new Event("input"));""", text)


def choose(page, example, accept):
    """Chooses an example. The question whether to replace edits must come, and is answered."""
    asked = page.driver.execute_script("""let asked = ""; window.confirm = (text) => { asked = text; return arguments[1]; };
        const example = document.getElementById("example"); example.value = arguments[0]; example.dispatchEvent(new Event("change"));
        return asked;""", example, accept)
    assert "which you have changed" in asked, asked


def check_edits(checks, page):
    """Edits are replaced only after a question, and Undo and Back bring them back."""
    page.open()
    mine, problems = value(page, "text").replace("PSHIFT", "shift") + "\n", []
    edit(page, mine)
    choose(page, OTHER, accept=False)
    if value(page, "text") != mine or value(page, "name") != EXAMPLE:
        problems.append("refused, and replaced all the same")
    choose(page, OTHER, accept=True)
    if value(page, "name") != OTHER:
        problems.append("not replaced: %s" % value(page, "name"))
    page.find("undo").click()
    if value(page, "text") != mine or page.find("undo").is_displayed():
        problems.append("Undo: %s" % value(page, "name"))
    choose(page, OTHER, accept=True)
    page.driver.back()
    page.wait(lambda: value(page, "name") == EXAMPLE)
    if value(page, "text") != mine:
        problems.append("Back brings another text")
    checks.report("edits are replaced after a question, and come back", problems)


def check_reload(checks, page):
    page.open()
    mine, problems = value(page, "text") + "\n\n", []
    edit(page, mine)
    Select(page.find("nodes")).select_by_value("64")
    page.driver.execute_script("""document.getElementById("set").value = "memory.page_words=512"; cm200LessonsPage.open(2);""")
    form = page.driver.find_element(By.CSS_SELECTOR, "#lessons .question")
    page.driver.execute_script("""arguments[0].querySelector("input").value = "42"; arguments[0].requestSubmit();
        document.querySelectorAll("#lessons article > *")[12].scrollIntoView();""", form)
    place = page.driver.execute_script(PLACE)
    page.open(keeps=True)
    page.wait(lambda: page.driver.execute_script("return cm200LessonsPage.place() !== null"))
    if page.driver.execute_script(PLACE) != place:
        problems.append("place %s, then %s" % (place, page.driver.execute_script(PLACE)))
    told = page.driver.find_element(By.CSS_SELECTOR, "#lessons .question [role=status]")
    if "42" not in page.driver.execute_script("return arguments[0].textContent", told):
        problems.append("the answer is gone")
    if (value(page, "text"), value(page, "nodes"), value(page, "set")) != (mine, "64", "memory.page_words=512"):
        problems.append("text, nodes or settings are gone: %s %s" % (value(page, "nodes"), value(page, "set")))
    page.driver.execute_script("cm200LessonsPage.open(3)")
    edit(page, mine + "later")
    time.sleep(0.5)  # the state is saved a moment after the last key
    page.driver.back()
    page.wait(lambda: page.driver.execute_script("return cm200LessonsPage.place().lesson") == "3")
    page.driver.forward()
    page.wait(lambda: page.driver.execute_script("return cm200LessonsPage.place().lesson") == "4")
    if value(page, "text") != mine + "later":
        problems.append("Back and forward lose an edit")
    page.open("#file=" + OTHER, keeps=True)
    page.wait(lambda: value(page, "name") == OTHER)
    if "42" not in page.driver.execute_script("return JSON.stringify(cm200LessonsPage.answers())"):
        problems.append("a link makes the page forget answers")
    edit(page, mine)
    page.driver.refresh()
    page.wait(lambda: page.state() != "loading")
    page.wait(lambda: value(page, "text") == mine)
    checks.report("program, settings, answers and place stay over a reload, and Back goes back", problems)


def check_picture_link(checks, page):
    """A link with a cycle, a pin and settings shows the same picture."""
    page.open()
    page.driver.execute_script("""document.getElementById("set").value = "memory.page_words=512";""")
    Select(page.find("nodes")).select_by_value("8")
    page.run()
    cycles = page.driver.execute_script("return JSON.parse(cm200Page.result()).cycles")
    page.find("tab-wires").click()
    page.wait(lambda: page.driver.execute_script("return cm200Page.viewer !== null && cm200Page.viewer.drawn > 0"))
    page.driver.execute_script("""const module = cm200Page.viewer.module;
        const set = (name, text) => module.ccall("cm_web_set", "number", ["string", "string"], [name, text]);
        set("at-cycle", "200"); set("pin", "3:1:0"); set("panel", "cube"); set("range", "absolute");""")
    options = page.driver.execute_script("return cm200Page.viewer.options()")
    page.find("link").click()
    page.wait(lambda: "#" in page.driver.current_url)
    fragment = "#" + page.driver.current_url.split("#", 1)[1]
    page.open(fragment)
    page.wait(lambda: page.driver.execute_script("return cm200Page.viewer !== null && cm200Page.viewer.drawn > 0"))
    page.wait(lambda: page.driver.execute_script("return cm200Page.viewer.cycle") == 200)
    problems = ["the link has %d characters" % len(fragment)] if len(fragment) > 300 else []
    if page.driver.execute_script("return cm200Page.viewer.options()") != options:
        problems.append("%s, then %s" % (options, page.driver.execute_script("return cm200Page.viewer.options()")))
    if page.driver.execute_script("return JSON.parse(cm200Page.result()).cycles") != cycles:
        problems.append("another run")
    checks.report("a link shows the same cycle, pin and panel of the same run", problems)


def check_hostile_links(checks, page):
    problems = []
    for fragment, told in HOSTILE.items():
        page.open("#" + fragment)
        page.wait(lambda: page.find("error").is_displayed(), 5)
        if told not in page.find("error").text:
            problems.append("%.30s: %s" % (fragment, page.find("error").text[:100]))
    checks.report("a bad link is refused at once, with the reason", problems)


def check_commands(checks, page):
    """A command of a lesson can be changed and run, and stopped. Indented lines are code."""
    problems = []
    page.open()
    page.driver.execute_script("cm200LessonsPage.open(0)")
    block = page.driver.find_element(By.CSS_SELECTOR, "#lessons .command")
    run = block.find_element(By.CSS_SELECTOR, "button[data-command]")
    for command, told in (("cm200 shift -n 8 --by 7 --words 64", "7"), ("cm200 help run", "usage: cm200 run")):
        page.driver.execute_script("arguments[0].querySelector('input').value = arguments[1]; arguments[0].requestSubmit()", block, command)
        page.wait(run.is_enabled)
        text = page.driver.execute_script("return arguments[0].querySelector('.output').textContent", block)
        if told not in text:
            problems.append("%s: %s" % (command, text[:200]))
    long = "cm200 route -n 2048 --pattern random --rate 0.1 --warmup 100000 --measure 100000000"
    page.driver.execute_script("arguments[0].querySelector('input').value = arguments[1]; arguments[0].requestSubmit()", block, long)
    page.wait(lambda: page.find("stop").is_enabled() and page.find("stop").is_displayed())
    page.find("stop").click()
    page.wait(run.is_enabled, 5)
    page.driver.execute_script("cm200LessonsPage.open(1)")
    code = page.driver.execute_script("return [...document.querySelectorAll('#lessons article > pre')].map((pre) => pre.textContent)")
    if not any("exchange" in text and "halt" in text for text in code):
        problems.append("lesson 2 does not show its listing as code")
    checks.report("commands of lessons can be changed, run and stopped", problems)


def check_widths(checks, page):
    problems = []
    size = page.driver.get_window_size()
    for width in WIDTHS:
        page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500})
        page.open()
        high = page.driver.execute_script("return document.querySelector('#lessons ol').getBoundingClientRect().height")
        wide = page.driver.execute_script("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
        if high < 100 or wide > 1:
            problems.append("%d px: the list is %d px high, and the page is %d px too wide" % (width, high, wide))
        page.driver.execute_script("cm200LessonsPage.open(2)")
        block = page.driver.find_element(By.CSS_SELECTOR, "#lessons .command button[data-command]")
        page.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", block)
        block.click()
        page.wait(block.is_enabled)
        high = page.driver.execute_script("return document.querySelector('#lessons article').getBoundingClientRect().width")
        wide = page.driver.execute_script("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
        if high < width * 0.4 or wide > 1:
            problems.append("%d px: the lesson is %d px wide, and the page is %d px too wide" % (width, high, wide))
    page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    page.driver.set_window_size(size["width"], size["height"])
    checks.report("a lesson can be done at %s px" % ", ".join(map(str, WIDTHS)), problems)


def debugger(page, command):
    """Gives a command to the debugger of the page, and returns its transcript and the state that it shows."""
    if command.startswith("button "):
        page.driver.find_element(By.CSS_SELECTOR, "[data-command='%s']" % command[7:]).click()
    else:
        page.driver.execute_script("const input = document.getElementById('debug-command'); input.value = arguments[0]; "
                                   "input.form.requestSubmit();", command)
    page.wait(lambda: page.driver.find_element(By.CSS_SELECTOR, "[data-command=step]").is_enabled())
    return [page.driver.execute_script("return document.getElementById(arguments[0]).textContent", name)
            for name in ("debug-log", "debug-state")]


def check_debugger(checks, page, cm200, root):
    """Steps forward and back, and shows what `cm200 debug` shows."""
    page.open()
    page.driver.execute_script("cm200Page.show('programs/examples/hand-written.json', "
                               "cm200Page.shipped['programs/examples/hand-written.json'])")
    page.find("tab-debug").click()
    page.wait(lambda: page.driver.find_element(By.CSS_SELECTOR, "[data-command=step]").is_enabled())
    given = ["break exchange", "continue", "step 3", "memory 180 8"]
    problems, shown = [], []
    for command in given + ["button back"]:
        shown.append(debugger(page, command))
    want = subprocess.run([cm200, "debug", "programs/examples/hand-written.json"], input="\n".join(given + ["back"]) + "\n", cwd=root,
                          capture_output=True, text=True, check=False, timeout=60).stdout
    got = shown[-1][0]
    for part in want.split("(cm200) ")[1:]:
        if part.strip() not in got:
            problems.append("%r is not in %r" % (part, got))
    if "=>" not in shown[-1][1] or "r0" not in shown[-1][1] or "exchange" not in shown[1][1]:
        problems.append(shown[-1][1][:300])
    if "unknown" not in debugger(page, "no-such-command")[0]:
        problems.append("a wrong command is not named: %s" % debugger(page, "help step")[0][-200:])
    if "cycle 0" not in debugger(page, "button back start")[0]:
        problems.append("not at the start")
    checks.report("the page steps through a program, forward and back, as cm200 debug does", problems)


def check_state(checks, page):
    for check in (check_edits, check_reload, check_picture_link, check_hostile_links, check_commands, check_widths):
        check(checks, page)
