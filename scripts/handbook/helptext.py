"""What `PROGRAM --help` and `PROGRAM COMMAND --help` say, as data."""

import json
import re
import subprocess

OPTION = re.compile(r"^  (?:-(?P<letter>\w), |    )--(?P<name>[\w-]+)(?P<rest>.*)$")
SECTION = re.compile(r"^(commands|options|examples|exit codes):(?: (.*))?$")
ENTRY_COLUMN = 26


class Option:
    """name and letter are without dashes; argument is "" for a flag; optional: the value follows "=" or is not given."""

    def __init__(self, match):
        self.name, self.letter = match["name"], match["letter"]
        rest = match["rest"]
        at = ENTRY_COLUMN - (match.end() - len(rest))
        fits = at > 0 and len(rest) > at and rest[at - 1] == " "
        called, self.help = (rest[:at], [rest[at:]]) if fits else (rest, [])
        called = called.strip()
        self.optional = called.startswith("[=")
        self.argument = called.strip("[=]") if self.optional else called

    @property
    def takes_file(self):
        return "FILE" in self.argument

    @property
    def takes_folder(self):
        return "FOLDER" in self.argument


class HelpText:
    """usage is lines, about paragraphs, options a list, others the lines of further sections by their titles."""

    def __init__(self, text):
        self.usage, self.about, self.options, self.others = [], [], [], {}
        section = None
        for line in text.splitlines():
            if line.startswith("usage: "):
                self.usage.append(line[len("usage: "):])
            elif line.startswith("       ") and not self.about:
                self.usage.append(line.strip())
            elif match := SECTION.match(line):
                section = match[1]
                self.others[section] = [match[2]] if match[2] else []
            elif section is None:
                self.about.append(line)
            elif section == "options":
                self.add_to_options(line)
            else:
                self.others[section].append(line)
        self.about = "\n".join(self.about).strip()

    def add_to_options(self, line):
        if match := OPTION.match(line):
            self.options.append(Option(match))
        elif line.strip() and self.options:
            self.options[-1].help.append(line.strip())


def ask(program, *words):
    return subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout


def of(program, *words):
    return HelpText(ask(program, *words, "--help"))


def json_of(cm200):
    """The tables of `cm200 help --json`."""
    return json.loads(ask(cm200, "help", "--json"))
