"""Every lesson in the browser page: its commands give what the native program gives, questions take the right answer, and the task
passes its solution and not its reference. Used by check-page.py."""
import json
import subprocess

from selenium.webdriver.common.by import By

from page_viewer import check_pictures

COMMAND_SECONDS = 60


def native(cm200, root, words):
    threads = [] if "--table" in words or words[0] not in ("run", "shift", "route", "reshape", "fft") else ["--threads", "1"]
    done = subprocess.run([cm200, *words, *threads, "--json"], cwd=root, capture_output=True, text=True, timeout=COMMAND_SECONDS)
    return done.stdout


def without_host(result):
    return {key: value for key, value in result.items() if key != "host"}


def hidden(page):
    """How many blocks of text are hidden, and how many notes in their place are not."""
    return page.driver.execute_script("""
        const blocks = [...document.querySelectorAll("#lessons article :is(p, li, table):not(.note)")];
        return [blocks.filter((block) => block.hidden).length, document.querySelectorAll("#lessons .wait:not([hidden])").length];""")


def run_commands(page, cm200, root, problems):
    for block in page.driver.find_elements(By.CSS_SELECTOR, "#lessons .command"):
        buttons = block.find_elements(By.CSS_SELECTOR, "button[data-command]")
        if not buttons:
            continue
        line = block.find_element(By.TAG_NAME, "input").get_property("value")
        page.driver.execute_script("arguments[0].click()", buttons[0])
        page.wait(buttons[0].is_enabled, COMMAND_SECONDS)
        output = block.find_element(By.CLASS_NAME, "output").text
        if not output.strip() or "cm200: " in output:
            problems.append("%s prints %r" % (line, output[:200]))
        name = buttons[0].get_attribute("data-command")
        got = page.driver.execute_script("return JSON.stringify(cm200LessonsPage.results()[arguments[0]] ?? null)", name)
        words = line.split(" ")[1:]
        if name != words[0] and without_host(json.loads(got) or {}) != without_host(json.loads(native(cm200, root, words))):
            problems.append("%s gives another result than natively" % line)


def answer_questions(page, problems):
    for form in page.driver.find_elements(By.CSS_SELECTOR, "#lessons .question"):
        right = page.driver.execute_script("""
            const form = arguments[0], answer = cm200LessonsPage.evaluate(form.dataset.answer);
            const say = (text) => { form.querySelector("input").value = text; form.requestSubmit(); return form.dataset.right; };
            return [say(String(typeof answer === "number" ? answer * 3 + 7 : answer + "x")), say(String(answer))];""", form)
        if right != ["false", "true"]:
            problems.append("%s: judged %s" % (form.find_element(By.TAG_NAME, "p").text[:80], right))


def do_task(page, root, problems):
    for task in page.driver.find_elements(By.CSS_SELECTOR, "#lessons .task"):
        solution = task.get_attribute("data-solution")
        start, check = task.find_elements(By.TAG_NAME, "button")
        verdicts = []
        for step in ("reference", "solution"):
            if step == "reference":
                page.driver.execute_script("arguments[0].click()", start)
            else:
                with open("%s/%s" % (root, solution), encoding="utf-8") as file:
                    page.type(solution, file.read())
            page.driver.execute_script("arguments[0].click()", check)
            page.wait(check.is_enabled, COMMAND_SECONDS)
            verdicts.append(task.get_attribute("data-passed"))
        if verdicts != ["false", "true"]:
            problems.append("the task judged its reference and its solution %s: %s" % (verdicts, task.text[-300:]))


def check_lessons(checks, page, cm200, root):
    page.open()
    count = page.driver.execute_script("return cm200Lessons.lessons.length")
    for number in range(count):
        page.driver.execute_script("cm200LessonsPage.open(arguments[0])", number)
        title = page.driver.find_element(By.CSS_SELECTOR, "#lessons h2").text
        before, problems = hidden(page), []
        run_commands(page, cm200, root, problems)
        after = hidden(page)
        if before[0] == 0 or before[0] != before[1] or after != [0, 0]:
            problems.append("text that tells results is hidden before they are there, and no longer: %s, then %s" % (before, after))
        answer_questions(page, problems)
        do_task(page, root, problems)
        check_pictures(page, root, problems)
        broken = page.driver.execute_script("""return [...document.querySelectorAll("#lessons img")]
            .filter((img) => !img.complete || img.naturalWidth === 0).map((img) => img.alt)""")
        problems += ["no picture: %s" % alt for alt in broken]
        checks.report("lesson %s in the page" % title, problems)
    checks.report("there are lessons", [] if count >= 11 else ["%d" % count])
