"""The manual pages and completions: every option, key and kind of step is in them, and no other.

usage: check-handbook.py CM200 HANDBOOK SOURCE_ROOT

HANDBOOK is the folder that scripts/manual wrote; it reads help texts, this test the tables of `cm200 help --json`. Completion
of bash and fish is asked for by a shell; zsh's is only read.
"""

import json
import os
import re
import shutil
import subprocess
import sys

from tap import Tap, arguments

BASH = """source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _cm200
printf '%s\\n' "${COMPREPLY[@]}"
"""


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def differences(what, wanted, found):
    wanted, found = set(wanted), set(found)
    return ["%s: missing: %s" % (what, " ".join(sorted(wanted - found)))] * bool(wanted - found) + \
        ["%s: unknown: %s" % (what, " ".join(sorted(found - wanted)))] * bool(found - wanted)


def terms(page):
    """The words in bold of a page's lists, without escapes."""
    return {re.sub(r"\\f.|\\", "", line).replace("(aq", "'")
            for line in re.findall(r"^\.TP.*\n(.*)$", page, re.M)}


def offered_by_bash(handbook, *words):
    done = subprocess.run(["bash", "-c", BASH, "bash", os.path.join(handbook, "cm200"), *words], capture_output=True, text=True,
                          check=True)
    return set(done.stdout.split())


class Check:
    def __init__(self, tap, cm200, handbook, root):
        self.tap, self.handbook = tap, handbook
        self.tables = json.loads(subprocess.run([cm200, "help", "--json"], capture_output=True, text=True, check=True).stdout)
        machine = json.loads(read(root, "configs", "cm200.json"))
        self.machine_keys = ["clock_hz"] + ["%s.%s" % (section, key) for section, keys in machine.items()
                                            if isinstance(keys, dict) and section != "clock_hz" for key in keys]

    def options(self, command):
        return ["--" + option["name"] for option in command["options"]]

    def page(self, name):
        return read(self.handbook, "man", "man" + name[-1], name)

    def each_command(self, what, found_of):
        problems = []
        for command in self.tables["commands"]:
            problems += differences(command["name"], self.options(command), found_of(command["name"]))
        self.tap.report(what, problems)

    def pages_of_commands(self):
        self.each_command("every option of every command is on its page, and no other", lambda name: re.findall(
            r"^(?:\\fB-\w\\fR, )?\\fB(--[\w-]+)\\fR", self.page("cm200-%s.1" % name).replace("\\-", "-"), re.M))
        page = self.page("cm200.1").replace("\\-", "-")
        self.tap.report("every command is on the page of cm200", [
            command["name"] for command in self.tables["commands"]
            if "cm200-%s\\fR(1)" % command["name"] not in page or "\\fBcm200 %s" % command["name"] not in page])

    def pages_of_formats(self):
        found = {term for term in terms(self.page("cm200-machine.5")) if re.fullmatch(r"clock_hz|[a-z_]+\.(?!json)[a-z_0-9]+", term)}
        self.tap.report("every key of a machine is on its page, and no other", differences("cm200-machine.5", self.machine_keys, found))
        page = self.page("cm200-steps.5").replace("\\-", "-")
        parts = re.split(r"^\.SH\n(.*)\n", page, flags=re.M)
        sections = dict(zip(parts[1::2], parts[2::2]))
        problems = differences("kinds", self.tables["steps"], set(sections) - {"NAME", "DESCRIPTION", "NOTES"})
        for kind, step in self.tables["steps"].items():
            keys = list(step["keys"]) + list(step["outer_keys"])
            problems += differences(kind, keys, terms(sections.get(kind, "")))
        self.tap.report("every kind of step and every key of it is on its page, and no other", problems)

    def examples(self):
        problems = []
        for folder, _, names in os.walk(os.path.join(self.handbook, "man")):
            problems += ["%s: %s" % (name, line) for name in names for line in read(folder, name).splitlines()
                         if re.search(r"(?<![\w/])(programs/examples|configs|docs/lessons|build)/", line.replace("\\&", ""))]
        self.tap.report("examples name installed files", problems)

    def pages_are_clean(self):
        if shutil.which("mandoc") is None:
            self.tap.skip("mandoc has nothing to say about the pages", "no mandoc")
            return
        pages = [os.path.join(folder, name) for folder, _, names in os.walk(os.path.join(self.handbook, "man")) for name in names]
        done = subprocess.run(["mandoc", "-Tlint", "-Wwarning", *pages], capture_output=True, text=True, check=False)
        self.tap.report("mandoc has nothing to say about the pages", done.stdout.splitlines()[:20])

    def bash(self):
        self.each_command("bash offers every option of every command, and no other", lambda name: {
            word for word in offered_by_bash(self.handbook, "cm200", name, "-") if word.startswith("--")})
        problems = differences("commands", [command["name"] for command in self.tables["commands"]] + ["help", "--help", "--version"],
                               offered_by_bash(self.handbook, "cm200", ""))
        problems += differences("steps", self.tables["steps"], offered_by_bash(self.handbook, "cm200", "help", "step", ""))
        problems += differences("--set", [key + "=" for key in self.machine_keys],
                                offered_by_bash(self.handbook, "cm200", "run", "--set", ""))
        problems += differences("--topology", self.tables["steps"]["shift"]["keys"]["topology"]["names"],
                                offered_by_bash(self.handbook, "cm200", "shift", "--topology", ""))
        problems += differences("--topology=", ["hypercube"],
                                offered_by_bash(self.handbook, "cm200", "shift", "--topology", "=", "hyp"))
        self.tap.report("bash offers commands, kinds of steps, keys of machines and names", problems)

    def fish(self):
        if shutil.which("fish") is None:
            self.tap.skip("fish offers every option of every command, and no other", "no fish")
            return

        def offered(name):
            script = "complete -e -c cm200; source %s; complete -C 'cm200 %s --'" % (os.path.join(self.handbook, "cm200.fish"), name)
            done = subprocess.run(["fish", "--no-config", "-c", script], capture_output=True, text=True, check=True)
            return {line.split("\t")[0].rstrip("=") for line in done.stdout.splitlines()}
        self.each_command("fish offers every option of every command, and no other", offered)

    def zsh(self):
        text = read(self.handbook, "_cm200")
        parts = dict(re.findall(r"^    ([\w-]+)\) _arguments(.*?);;$", text, re.M | re.S))
        self.each_command("zsh knows every option of every command, and no other",
                          lambda name: set(re.findall(r'"\*(--[\w-]+)', parts.get(name, ""))))
        if shutil.which("zsh") is None:
            self.tap.skip("zsh reads its file", "no zsh")
            return
        done = subprocess.run(["zsh", "-n", os.path.join(self.handbook, "_cm200")], capture_output=True, text=True, check=False)
        self.tap.report("zsh reads its file", done.stderr.splitlines() or ([] if done.returncode == 0 else ["exit %d" % done.returncode]))


def main():
    cm200, handbook, root = arguments(__doc__, 3)
    tap = Tap()
    check = Check(tap, cm200, handbook, root)
    check.pages_of_commands()
    if os.path.isdir(os.path.join(handbook, "man", "man5")):
        check.pages_of_formats()
    else:
        tap.skip("pages of file formats", "no lowdown")
    check.examples()
    check.pages_are_clean()
    check.bash()
    check.fish()
    check.zsh()
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
