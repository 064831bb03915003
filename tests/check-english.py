"""The words that people read are plain English: README, manual, comments, messages, help.

usage: check-english.py SOURCE_ROOT              check the files of COVERED; prints TAP
       check-english.py SOURCE_ROOT PATTERN...   list what is found in other files: sim/* 'cli/*.c'
       check-english.py SOURCE_ROOT --table      print the table of CONTRIBUTING.md

Checked are the prose of Markdown, comments and string literals of C and Python, and the whole text of shell scripts,
build files and JSON. A phrase may go over the end of a line. Not checked are code, program output and `code` in Markdown,
tables that tests/check-machine.py and others compare with their source, and the expected output of golden cases.

Two rules hold for comments of the product's C alone: no ";" (code in backquotes or indented by four blanks aside), and
a comment above a function begins with a verb in the third person, "True if" or "True unless". Above several functions the
verb may be in the plural, or the comment begins with "These functions" and the like. A verb is what begins comments of the tree with an s at its end, so the rule misses plural nouns.
"""

import fnmatch
import io
import os
import re
import sys
import tokenize

import source
from tap import Tap, arguments

# What is checked, as patterns of paths; * includes /. Generated files and golden output are never checked.
COVERED = (
    ".ci/*",
    "CONTRIBUTING.md",
    "README.md",
    "base/*",
    "cli/*",
    "console/*",
    "debug/*",
    "diff/*",
    "docs/*.md",
    "explain/*",
    "figure/*",
    "isa/*",
    "lesson/*",
    "fortran/*",
    "programs/*",
    "programs/examples/README.md",
    "report/*",
    "research/*",
    "scripts/*",
    "shell/*",
    "shifts/*",
    "sim/*",
    "sweep/*",
    "tests/*.md",
    "tests/*.py",
    "tests/*meson.build",
    "trace/*",
    "viz/*",
)

# Phrase as CONTRIBUTING.md shows it, what to write instead, and the regular expression, for text with single blanks. The
# expressions are narrow: a phrase that is also good English is left alone.
WORDS = (
    ("told", "reported, printed, shown, described", r"told(?! (apart|from|otherwise)\b)"),
    ("tells of, tells what", "describes, reports, shows, says", r"tells? of|tells (how|what|where|why|which|when|whether|who)"),
    ("anew", "again, new", r"anew"),
    ("beside", "next to, besides, in addition to", r"beside"),
    ("whereto, whereof", "where, to which, of which", r"where(to|of|in|with)"),
    ("otherwise than", "not as, differently from", r"otherwise than|(lie|lies|lay) otherwise"),
    ("others than, another than", "other than, different from", r"(others|another) than"),
    ("is no X, are no X", "is not an X (there is no X is fine)",
     r"(?<!there )(is|are|was|were) no(?! (longer|more|less|fewer|larger|smaller|longer|shorter|higher|lower|better|worse|later|"
     r"earlier|faster|slower|one)\b)"),
    ("is none, there is none", "there is no X, the X is missing", r"(is|are|was|were|be) none"),
    ("what came of", "the result of", r"(came|comes|become|becomes|became) of(?! age)"),
    ("came to lie", "is, was placed", r"(came|comes|come) to (lie|stand)"),
    ("stands in, stands where", "is in, is where (stands for X is fine)",
     r"stands? (in|on|where|ahead|behind|before|above|below|there|here)(?! for)"),
    ("for want of", "for lack of, because there is no", r"for want of"),
    ("can be had", "is available, can be computed", r"(can|could|to) be had"),
    ("speaks of", "mentions, is about", r"(?<!to )(speak|speaks|spoke) of"),
    ("the other way about", "the opposite, the other way round", r"other way about"),
)

MARKED_TABLE = re.compile(r"^<!-- (?!end)[\w ]+ -->\n.*?^<!-- end[\w ]* -->$", re.M | re.S)
FENCED = re.compile(r"^( *)```.*?^\1```", re.M | re.S)
INDENTED = re.compile(r"(?<=\n\n)((?: {4,}[^\n]*\n)(?:\n? {4,}[^\n]*\n)*)")
INLINE_CODE = re.compile(r"`[^`]*`")
LINK_TARGET = re.compile(r"\]\([^)]*\)")
COMMENT = re.compile(source.COMMENT_OR_STRING.pattern, re.S)
ABOVE_FUNCTION = re.compile(
    r"^/\*((?:(?!\*/).)*)\*/\n(?!typedef|#|struct \w+ \{|enum \w+ \{)(?:CM_\w+ )*(?:\w+ )*\w+[ *\n]+\w+\([^;{]*\)[^;{]*[;{]", re.S | re.M)
NOT_VERBS = {"as", "is", "its", "this", "was", "has", "always", "whereas", "less"}
EXPRESSIONS = [(shown, re.compile(r"\b(?:%s)\b" % found, re.I)) for shown, _, found in WORDS]


def blank(text, keep):
    """The text with all but the spans of `keep` replaced by a mark that no phrase goes over; line ends stay."""
    out, at = [], 0
    for first, end in keep:
        out += [re.sub(r"[^\n]", "\0", text[at:first]), text[first:end]]
        at = end
    return "".join(out) + re.sub(r"[^\n]", "\0", text[at:])


def markdown(text):
    for pattern in (MARKED_TABLE, FENCED, INDENTED, INLINE_CODE, LINK_TARGET):
        text = pattern.sub(lambda match: re.sub(r"[^\n]", "\0", match.group(0)), text)
    return text


def joined(text, spans):
    """Spans with those that only white space and quotation marks part put together: literals that the compiler joins."""
    out = []
    for first, end in spans:
        if out and text[first] == '"' and text[out[-1][1] - 1] == '"' and not text[out[-1][1]:first].strip():
            out[-1][1] = end
        else:
            out.append([first, end])
    return out


def c_code(text):
    spans = joined(text, [match.span() for match in source.COMMENT_OR_STRING.finditer(text) if match.group(0)[0] in '"/'])
    prose = blank(text, spans)
    # Marks of comments, and of literals that go on in the next line, are as white as blanks.
    prose = re.sub(r"^([ \t]*)(\*+/?|//)", lambda match: match.group(1) + " " * len(match.group(2)), prose, flags=re.M)
    return re.sub(r'"(\s+)"', lambda match: " " + match.group(1) + " ", prose)


def python_code(text):
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    spans = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.COMMENT, tokenize.STRING) and not token.string.startswith(("r'", 'r"')):
            spans.append((starts[token.start[0] - 1] + token.start[1], starts[token.end[0] - 1] + token.end[1]))
    return re.sub(r"^[ \t\0]*#", lambda match: " " * len(match.group(0)), blank(text, spans), flags=re.M)


def script(text):
    return re.sub(r"^[ \t]*#", lambda match: " " * len(match.group(0)), text, flags=re.M)


def prose(path, text):
    """The text with everything blanked out that nobody reads as English, character by character."""
    if path.endswith(".md"):
        return markdown(text)
    if path.endswith((".c", ".h", ".def", ".cc")):
        return c_code(text)
    if path.endswith(".py") or text.startswith("#!/usr/bin/env python3"):
        return python_code(text)
    return script(text)


def flattened(text):
    """(The text with each run of white space as one blank, the line of each of its characters)."""
    flat, lines, line = [], [], 1
    for part in re.findall(r"\s+|\S+", text):
        flat.append(" " if part.isspace() else part)
        lines += [line] * len(flat[-1])
        line += part.count("\n")
    return "".join(flat), lines


def problems(path, text):
    flat, lines = flattened(prose(path, text))
    found = []
    for phrase, expression in EXPRESSIONS:
        for match in expression.finditer(flat):
            line = lines[match.start()]
            found.append((line, "%s:%d: \"%s\" (%s)" % (path, line, match.group(0), phrase)))
    return [problem for _, problem in sorted(found)]


def is_product(path):
    return path.endswith((".c", ".h", ".def")) and not path.startswith("tests/")


def semicolons(path, text):
    """Places of ";" in comments."""
    found = []
    for match in COMMENT.finditer(text):
        if not match.group(0).startswith("/*"):
            continue
        first = text.count("\n", 0, match.start()) + 1
        comment = INLINE_CODE.sub(lambda code: re.sub(r"[^\n]", " ", code.group(0)), match.group(0))
        found += ["%s:%d: \";\" in a comment" % (path, first + i) for i, line in enumerate(comment.split("\n"))
                  if ";" in line and not re.match(r" *\*? {4,}", line)]
    return found


# What else begins comments above functions: a state, a subject of several functions, the file where they are.
ALLOWED = re.compile(r"True (if|unless) |(These|All|The) (first |two |first two |second )?functions? |Each \w+s |[\w./, ]+\.[ch]\b")


def first_words(text):
    """(line, first word, comment) of each comment above a function."""
    for match in ABOVE_FUNCTION.finditer(text):
        comment = re.sub(r"\s*\n \*? ?", " ", match.group(1)).strip()
        word = re.match(r"(?:[\w./, ]+\.[ch]: )?(?:`[^`]*` )?(\w+)", comment)
        if not comment.startswith("----"):
            yield text.count("\n", 0, match.start()) + 1, word.group(1).lower() if word else "", comment


def without_verb(paths, texts):
    """Comments above functions that begin without a verb."""
    found = [(path, line, word, comment) for path in paths for line, word, comment in first_words(texts[path])]
    verbs = {word for _, _, word, _ in found if word.endswith("s") and word not in NOT_VERBS}
    return ["%s:%d: \"%s\"" % (path, line, comment[:60]) for path, line, word, comment in found
            if word not in verbs and word + "s" not in verbs and not ALLOWED.match(comment)]


def is_read(path):
    """Files with words of ours: not pictures, golden output, other people's data."""
    return path.endswith((".md", ".c", ".h", ".def", ".cc", ".py", ".sh", ".json", "meson.build", "meson_options.txt")) or \
        os.path.dirname(path) in ("scripts", "research", ".ci")


def files(root):
    for folder, names, here in os.walk(root):
        # Build folders hold a build.ninja; golden cases hold the output of programs; build-web has the source of cJSON.
        names[:] = sorted(name for name in names if name not in (".git", "cases", "results", "build-web") and
                          not os.path.exists(os.path.join(folder, name, "build.ninja")))
        for name in sorted(here):
            path = os.path.relpath(os.path.join(folder, name), root)
            if is_read(path) and path != os.path.join("tests", "check-english.py"):
                yield path


def table():
    return ["| %s | %s |" % (", ".join("`%s`" % word for word in shown.split(", ")), instead) for shown, instead, _ in WORDS]


def check(root):
    tap = Tap()
    paths = list(files(root))
    for pattern in COVERED:
        chosen = [path for path in paths if fnmatch.fnmatch(path, pattern)]
        found = [problem for path in chosen for problem in problems(path, source.read(os.path.join(root, path)))]
        tap.report("plain English in %s (files: %d)" % (pattern, len(chosen)),
                   found if chosen else ["no file matches; mend COVERED of tests/check-english.py"])
    product = [path for path in paths if is_product(path)]
    texts = {path: source.read(os.path.join(root, path)) for path in product}
    tap.report("no \";\" in a comment of the product", [place for path in product for place in semicolons(path, texts[path])])
    tap.report("a comment above a function begins with a verb", without_verb(product, texts))
    guide = source.read(os.path.join(root, "CONTRIBUTING.md"))
    tap.report("CONTRIBUTING.md has the list of words", ["missing: %s" % row for row in table() if row not in guide])
    return tap.done()


def main(given):
    root, patterns = os.path.realpath(given[0]), given[1:]
    if patterns == ["--table"]:
        print("\n".join(["| Avoid | Write |", "|---|---|"] + table()))
        return 0
    if not patterns:
        return check(root)
    for path in files(root):
        if any(fnmatch.fnmatch(path, pattern) for pattern in patterns):
            print("".join("%s\n" % problem for problem in problems(path, source.read(os.path.join(root, path)))), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(arguments(__doc__, 1)))
