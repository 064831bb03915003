"""The tables of docs/fidelity.md, research/fit.md, research/fpu-grain.md and research/linpack.md are what the commands above them print.

usage: check-fidelity.py CM200 SOURCE_ROOT [--slow] [--write]

A block begins with `<!-- run: COMMAND -->`, or `<!-- slow run: COMMAND -->` for a command that takes minutes, and ends with
`<!-- end of run -->`; between them is what the command prints: tables as Markdown, other text in a fence. `build/cm200` and
`research/refit` of this source tree are meant. Fast blocks are checked, with --slow the slow ones instead; the exit code is
then 1 when one differs or its command fails. Fits are sums of many numbers: the last digit of a number may be off by one.
--write puts in what the commands print.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from tap import Tap, arguments, usage_error

GIVEN = arguments(__doc__, 2, modules=["numpy"])  # which research/refit needs

PAGES = ("docs/fidelity.md", "research/fit.md", "research/fpu-grain.md", "research/linpack.md")
BLOCK = re.compile(r"(<!-- (slow )?run: (.*?) -->\n)(.*?)(<!-- end of run -->)", re.S)
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")
TIMEOUT_SECONDS = 1800


class Runner:
    def __init__(self, cm200, root, cache):
        refit = [sys.executable, os.path.join(root, "research", "refit"), "--program", cm200, "--cache", cache]
        self.root = root
        self.words = (("research/refit", " ".join(shlex.quote(word) for word in refit)),
                      ("build/cm200", shlex.quote(cm200)))

    def output(self, command):
        """What a block is to hold, and why it can't be made, or None."""
        for word, meant in self.words:
            command = re.sub(r"(^|[|(;] *)%s\b" % re.escape(word), lambda match, to=meant: match[1] + to, command)
        done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=self.root, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False,
                              env=dict(os.environ, LC_ALL="C.UTF-8", NO_COLOR="1"))
        text = done.stdout.rstrip() + "\n"
        if not re.search(r"^\|", text, re.M):
            text = "```\n%s```\n" % text
        why = "exit code %d: %s" % (done.returncode, done.stderr) if done.returncode != 0 or done.stderr else None
        return text, why


def same(one, other):
    """Whether two lines differ at most in the last digit of numbers."""
    if NUMBER.sub("#", one) != NUMBER.sub("#", other):
        return one == other
    for a, b in zip(NUMBER.findall(one), NUMBER.findall(other)):
        digits = len(a.partition(".")[2])
        if len(b.partition(".")[2]) != digits or ("." not in a and a != b):
            return False
        if abs(float(a) - float(b)) > 1.01 * 10.0 ** -digits:
            return False
    return True


def differences(kept, printed):
    kept, printed = kept.strip().split("\n"), printed.strip().split("\n")
    if len(kept) != len(printed):
        yield "%d lines, the command prints %d" % (len(kept), len(printed))
    for one, other in zip(kept, printed):
        if not same(one, other):
            yield "page:    %s\nprinted: %s" % (one, other)


def replace(path, begin, printed):
    """Puts new output into the block with this first line; the page may have been edited while the command ran."""
    with open(path, encoding="utf-8") as file:
        page = file.read()
    page = BLOCK.sub(lambda match: match[1] + printed + match[5] if match[1] == begin else match[0], page)
    with open(path, "w", encoding="utf-8") as file:
        file.write(page)


def main(given):
    slow, write = "--slow" in given, "--write" in given
    given = [argument for argument in given if not argument.startswith("--")]
    if len(given) != 2:
        usage_error(__doc__)
    cm200, root = (os.path.realpath(argument) for argument in given)
    tap = Tap()
    with tempfile.TemporaryDirectory() as cache:
        runner = Runner(cm200, root, os.environ.get("CM_REFIT_CACHE", cache))
        blocks = []
        for page in PAGES:
            with open(os.path.join(root, page), encoding="utf-8") as file:
                blocks += [(page, match) for match in BLOCK.finditer(file.read()) if (match[2] is not None) == slow]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            outputs = list(pool.map(lambda block: runner.output(block[1][3]), blocks))
        for (page, match), (printed, why) in zip(blocks, outputs):
            if write:
                replace(os.path.join(root, page), match[1], printed)
            problems = [why] if why else []
            if not write:
                problems += list(differences(match[4], printed))[:20]
            tap.report("%s: %s" % (page, match[3].replace("#", "")), problems)
    tap.done()
    return 1 if slow and tap.failed else 0


if __name__ == "__main__":
    sys.exit(main(GIVEN))
