"""The manual pages: one for each command, from its help; one for each file format, from its page in docs/."""

import os
import re
import subprocess

from . import helptext, roff

# Page in docs/: (name, section, what it is). The test of the manual says that every key is on its page.
FORMATS = {
    "workload.md": ("cm200-workload", 5, "workloads of the CM-200 simulator, and results"),
    "steps.md": ("cm200-steps", 5, "the steps of a workload and their keys"),
    "machine.md": ("cm200-machine", 5, "machine descriptions of the CM-200 simulator"),
    "imp.md": ("cm200-imp", 5, "microprograms (IMPs) of the CM-200 simulator"),
    "trace-file.md": ("cm200-trace", 5, "the format of traces of the CM-200 simulator"),
    "export.md": ("cm200-exports", 5, "traces in the formats of other programs"),
    "fortran.md": ("cm200-fortran", 7, "CM Fortran on the CM-200 simulator"),
}
LINK = re.compile(r"\[([^]]+)\]\(([^)\s]+)\)")
PICTURE = re.compile(r"^!\[[^]]*\]\([^)]*\)\s*$", re.M)
HEAD = re.compile(r"^# .*\n")
COMMENT = re.compile(r"^<!--.*?-->\n", re.M | re.S)
TABLE = re.compile(r"^\|.*\|\n\|[-:| ]+\|\n(?:\|.*\|\n)+", re.M)
TERM = re.compile(r'^(?:\.LP\n)?(.+)\n\.if n \\\n\.sp -1v\n\.if t \\\n\.sp -0\.25v\n\.IP "" 5n\n', re.M)  # lowdown's
CELL = re.compile(r"(?<!\\)\|")
SOURCE_PATH = re.compile(r"(?<![\w/])(?=(?:programs/examples|configs)/|docs/lessons\b)")
DOCS_PAGE = re.compile(r"(?<![\w/])docs/(\w+\.md)")
OF_SOURCES = re.compile(r"(?<![\w/])(?:docs|fortran|isa|programs|scripts|sim|tests|trace)/(?!examples)\w")
NOTE = """
# NOTES

Files in docs, fortran, isa, programs, scripts, sim, tests and trace are part of the sources of cm200, and are not installed.
"""


class Pages:
    """version and date are strings; data is the folder of installed examples and machines."""

    def __init__(self, cm200, viewer, root, version, date, data):
        self.cm200, self.viewer, self.root = cm200, viewer, root
        self.version, self.date, self.data = version, date, data
        self.commands = [command["name"] for command in helptext.json_of(cm200)["commands"]]

    def installed(self, line):
        """Examples, machines and lessons by their places; pages of docs/ by the names of their manual pages."""
        return SOURCE_PATH.sub(self.data + "/", DOCS_PAGE.sub(manual_page, line))

    def begin(self, name, section, summary):
        return roff.Page(name, section, self.date, self.version, summary)

    def body(self, page, text):
        page.heading("description")
        for paragraph in text.about.split("\n\n"):
            page.paragraph(self.installed(paragraph))
        page.heading("options")
        for option in text.options:
            option.help = [self.installed(line) for line in option.help]
            page.option(option)
        if "examples" in text.others:
            page.heading("examples")
            page.examples([self.installed(line) for line in text.others["examples"]])

    def exit_status(self, page, lines):
        page.heading("exit status")
        for part in re.split(r"; *", " ".join(line.strip() for line in lines)):
            code, _, meaning = part.partition(" ") if not part.startswith("128") else part.partition(" ended")
            page.entry(code, meaning if not part.startswith("128") else "ended" + meaning)

    def command(self, name, summary, exits):
        text = helptext.of(self.cm200, name)
        page = self.begin("cm200-%s" % name, 1, summary)
        page.heading("synopsis")
        page.synopsis(text.usage)
        self.body(page, text)
        self.exit_status(page, exits)
        page.see_also([("cm200", 1), ("cm200-workload", 5), ("cm200-machine", 5)])
        return page.finish()

    def program(self, tables):
        text = helptext.of(self.cm200)
        page = self.begin("cm200", 1, "simulate a Thinking Machines CM-200, cycle by cycle")
        page.heading("synopsis")
        page.synopsis(text.usage)
        page.heading("description")
        page.paragraph(text.about)
        page.heading("commands")
        for command in tables["commands"]:
            page.entry("cm200 %s" % " ".join([command["name"], command["operands"]]).strip(), command["summary"])
        page.entry("cm200 help steps", "list the kinds of steps of a workload; cm200 help step NAME shows the keys of one")
        page.entry("cm200 help --json", "print commands, options, kinds of steps and keys for programs")
        page.heading("options")
        for option in text.options:
            page.option(option)
        page.heading("examples")
        page.examples([self.installed(line) for line in text.others["examples"]])
        self.exit_status(page, text.others["exit codes"])
        page.heading("files")
        page.entry(self.data + "/configs", "machine descriptions, and JSON Schemas of machines and workloads")
        page.entry(self.data + "/programs/examples", "workloads and CM Fortran programs")
        page.see_also([("cm200-%s" % name, 1) for name in self.commands] + [("cm200-view", 1)] +
                      sorted((name, section) for name, section, _ in FORMATS.values()))
        return page.finish(), text.others["exit codes"]

    def view(self):
        text = helptext.of(self.viewer)
        page = self.begin("cm200-view", 1, "show what a run of the CM-200 simulator did, cycle by cycle")
        page.heading("synopsis")
        page.synopsis(text.usage)
        self.body(page, text)
        page.heading("keys")
        page.examples(helptext.ask(self.viewer, "--keys").splitlines())
        self.exit_status(page, text.others["exit codes"])
        page.see_also([("cm200", 1), ("cm200-trace", 5)])
        return page.finish()

    def format(self, lowdown, file):
        """A page of docs/ by lowdown: links within the documentation become plain words."""
        name, section, summary = FORMATS[file]
        with open(os.path.join(self.root, "docs", file), encoding="utf-8") as source:
            text = source.read()
        text = PICTURE.sub("", COMMENT.sub("", HEAD.sub("", text, count=1)))
        text = LINK.sub(lambda link: link[0] if link[2].startswith("http") else plain_link(*link.groups()), text)
        text = self.installed(TABLE.sub(as_list, text))
        if OF_SOURCES.search(text):
            text += NOTE
        text = "# NAME\n\n%s - %s\n\n# DESCRIPTION\n\n%s" % (name, summary, re.sub(r"^#(#+) ", r"\1 ", text, flags=re.M))
        meta = ["title=%s" % name.upper(), "section=%d" % section, "source=cm200 %s" % self.version, "date=%s" % self.date,
                "volume=CM-200 simulator"]
        words = [lowdown, "-s", "-Tman", "--parse-no-super", "--parse-no-intraemph"] + ["-M" + word for word in meta]
        made = subprocess.run(words, input=text, capture_output=True, text=True, check=True).stdout
        made = re.sub(r"^(\.S[HS]\n.*\n)\.LP\n", r"\1", made, flags=re.M)  # a heading begins a paragraph
        made = TERM.sub(r".TP 5\n\1\n", made)
        return made.replace("\\fC", "\\fB")  # which terminals have

    def make(self, lowdown):
        """All pages, by file name. Without a viewer or lowdown theirs are left out."""
        tables = helptext.json_of(self.cm200)
        made = {}
        made["cm200.1"], exits = self.program(tables)
        for command in tables["commands"]:
            made["cm200-%s.1" % command["name"]] = self.command(command["name"], command["summary"], exits)
        if self.viewer:
            made["cm200-view.1"] = self.view()
        for file, (name, section, _) in FORMATS.items() if lowdown else ():
            made["%s.%d" % (name, section)] = self.format(lowdown, file)
        return made


def plain_link(words, target):
    page = FORMATS.get(os.path.basename(target.partition("#")[0]))
    return "%s (%s(%d))" % (words, page[0], page[1]) if page and page[0] not in words else words


def manual_page(found):
    return "%s(%d)" % FORMATS[found[1]][:2] if found[1] in FORMATS else found[0]


def cells(row):
    return [cell.strip().replace("\\|", "|") for cell in CELL.split(row)[1:-1]]


def as_list(table):
    """A table as a list of terms, since a terminal is too narrow for most: the first cell, then the others with titles."""
    titles, _, *rows = table[0].splitlines()
    titles, made = cells(titles), []
    for row in map(cells, rows):
        others = [(title, cell) for title, cell in zip(titles[1:], row[1:]) if cell not in ("", "-")]
        words = [cell if number == 0 else "%s: %s" % (title, cell) for number, (title, cell) in enumerate(others)]
        made.append("%s\n: %s\n" % (row[0] or "-", "; ".join(words) or "-"))
    return "\n".join(made)
