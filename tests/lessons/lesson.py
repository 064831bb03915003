"""Lessons as docs/lessons/README.md describes them: blocks, results in the text, expressions."""

import glob
import json
import operator
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

FENCE = re.compile(r"^```(.*)$")
RESULT = re.compile(r"([\w.,+-]*[\w+-])(\**)<!--= (.*?) -->")
BLOCKS = ("command", "question", "picture", "task")
COMPARISONS = {"<": operator.lt, ">": operator.gt, "==": operator.eq}
SENTENCE_END = re.compile(r"(?<=[.?!:])\s+|\n\n+|\n(?=[|#*-])")


class Broken(Exception):
    """What is wrong with a lesson, or with an expression."""


class Block:
    def __init__(self, line, words, lines):
        self.line, self.kind, self.lines = line, words[0], lines
        self.name = words[1] if len(words) > 1 else None
        self.page = None

    def command(self):
        """The words behind "$ "."""
        if not self.lines or not self.lines[0].startswith("$ "):
            raise Broken("line %d: the first line of a %s is \"$ \" and a command" % (self.line + 1, self.kind))
        return self.lines[0][2:].split()

    def quoted(self):
        return self.lines[1:]

    def pairs(self):
        """[(key, value)] of a question or a task; a value goes on in lines that begin with blanks."""
        found = []
        for number, line in enumerate(self.lines, self.line + 1):
            if line.startswith(" ") and found:
                found[-1][1] += " " + line.strip()
            elif re.match(r"[a-z]+: ", line):
                found.append([*line.split(": ", 1)])
            else:
                raise Broken("line %d: expected \"key: value\"" % number)
        return [(key, value.strip()) for key, value in found]

    def value(self, key, fallback=None):
        values = [value for name, value in self.pairs() if name == key]
        return values[0] if values else fallback


class Lesson:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.text = file.read()
        self.path, self.folder = path, os.path.basename(os.path.dirname(path))
        self.blocks, self.plain, self.pages = [], [], []
        self._read()

    def _read(self):
        """Blocks, and the text with all fences blanked out, lines kept."""
        lines, open_at = self.text.split("\n"), None
        self.title = lines[0]
        for number, line in enumerate(lines):
            fence = FENCE.match(line)
            self.plain.append("" if fence or open_at is not None else line)
            if fence and open_at is None:
                open_at, words = number, fence.group(1).split()
            elif fence:
                if words and words[0] in BLOCKS:
                    block = Block(open_at + 1, words, lines[open_at + 1:number])
                    block.page = len(self.pages)
                    self.blocks.append(block)
                open_at = None
            elif open_at is None and line.startswith("## "):
                self.pages.append(line[3:])

    def of(self, kind):
        return [block for block in self.blocks if block.kind == kind]

    def results(self):
        """(line, shown, expression, sentence) of each result."""
        text = "\n".join(self.plain)
        at = 0
        ends = [match.span() for match in SENTENCE_END.finditer(text)] + [(len(text), len(text))]
        for first, last in ends:
            sentence = text[at:first]
            for match in RESULT.finditer(sentence):
                line = text.count("\n", 0, at + match.start()) + 1
                plain = re.sub(r"<!--.*?-->", "", sentence)
                yield line, match.group(1), match.group(3), " ".join(plain.split())
            at = last


def lessons(root):
    """All, in order."""
    paths = glob.glob(os.path.join(root, "docs", "lessons", "[0-9][0-9]-*", "lesson.md"))
    return [Lesson(path) for path in sorted(paths)]


def at_pointer(value, pointer):
    for token in pointer.split("/")[1:]:
        token = token.replace("~1", "/").replace("~0", "~")
        value = value[int(token)] if isinstance(value, list) else value[token]
    return value


class Expression:
    """Evaluates; `results` maps a command's name to its JSON result, `root` is where files are."""

    def __init__(self, text, results, root):
        self.words, self.at = text.split(), 0
        self.results, self.root = results, root

    def value(self):
        value = self._sum()
        sign = self._next("<", ">", "==")
        if sign is not None:  # a claim: true or false
            value = COMPARISONS[sign](value, self._sum())
        if self.at != len(self.words):
            raise Broken("\"%s\" is left over" % " ".join(self.words[self.at:]))
        return value

    def _next(self, *which):
        if self.at < len(self.words) and (not which or self.words[self.at] in which):
            self.at += 1
            return self.words[self.at - 1]
        if not which:
            raise Broken("the expression ends too early")
        return None

    def _sum(self):
        value = self._product()
        while (sign := self._next("+", "-")) is not None:
            other = self._product()
            value = value + other if sign == "+" else value - other
        return value

    def _product(self):
        value = self._atom()
        while (sign := self._next("*", "/")) is not None:
            other = self._atom()
            value = value * other if sign == "*" else value / other
        return value

    def _atom(self):
        word = self._next()
        if word == "(":
            value = self._sum()
            if self._next(")") is None:
                raise Broken("expected )")
            return value
        if word in ("least", "most"):
            return self._extreme(min if word == "least" else max)
        name, colon, pointer = word.partition(":")
        if not colon:
            return float(word)
        value = at_pointer(self._document(name), pointer)
        if isinstance(value, (list, dict)):
            return len(value)
        return int(value) if isinstance(value, bool) else value

    def _extreme(self, choose):
        """Of the numbers of the next word, in which @ stands for every index of a list."""
        name, _, pointer = self._next().partition(":")
        before, _, after = pointer.partition("/@")
        return choose(at_pointer(member, after) for member in at_pointer(self._document(name), before))

    def _document(self, name):
        if name.endswith(".json"):
            with open(os.path.join(self.root, name), encoding="utf-8") as file:
                return json.load(file)
        if name not in self.results:
            raise Broken("there is no command \"%s\"" % name)
        return self.results[name]


def shown_as(value, like):
    """The value, written as `like` is: with as many decimals, with or without commas."""
    if isinstance(value, bool):
        return like if value else "not true"
    if isinstance(value, str):
        return value
    decimals = len(like.partition(".")[2])
    return "%.*f" % (decimals, value + 1e-12) if "," not in like and abs(value) < 1e4 else "{:,.{}f}".format(value + 1e-12, decimals)


def same(value, shown):
    return shown_as(value, shown).replace(",", "") == shown.replace(",", "")
