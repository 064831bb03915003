"""Manual pages in the man macros."""

import re


def text(words):
    """One or more lines of running text."""
    words = words.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return re.sub(r"^\.", "\\&.", words, flags=re.M)


class Page:
    def __init__(self, name, section, date, version, summary):
        self.lines = ['.TH "%s" "%d" "%s" "cm200 %s" "CM\\-200 simulator"' % (name.upper(), section, date, version)]
        self.heading("name")
        self.lines.append("%s \\- %s" % (text(name), text(summary)))

    def heading(self, title):
        self.lines.append(".SH %s" % text(title).upper())

    def paragraph(self, words):
        self.lines += ([] if self.lines[-1].startswith(".SH") else [".PP"]) + [text(words)]

    def synopsis(self, usage):
        self.lines.append(".nf")
        for line in usage:
            program, _, rest = line.partition(" ")
            self.lines.append("\\fB%s\\fR %s" % (text(program), text(rest)))
        self.lines.append(".fi")

    def option(self, option):
        value = "\\fI%s\\fR" % text(option.argument) if option.argument else ""
        after = "[=%s]" % value if option.optional else " " + value if value else ""
        before = "\\fB\\-%s\\fR, " % option.letter if option.letter else ""
        self.lines += [".TP", "%s\\fB\\-\\-%s\\fR%s" % (before, text(option.name), after), text(" ".join(option.help))]

    def entry(self, left, right):
        self.lines += [".TP", "\\fB%s\\fR" % text(left), text(right)]

    def examples(self, lines):
        self.lines += [".RS 4", ".nf"] + [text(line.strip()) for line in lines if line.strip()] + [".fi", ".RE"]

    def see_also(self, names):
        self.heading("see also")
        self.lines.append(",\n".join("\\fB%s\\fR(%d)" % (text(name), section) for name, section in names))

    def finish(self):
        return "\n".join(self.lines) + "\n"
