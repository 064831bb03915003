"""The output that README and manual quote is what the programs print.

usage: check-quotes.py BUILD SOURCE_ROOT

A quoted command begins with "$ "; the lines below it, up to the next command or the end of the block, are its output. A
line "..." stands for any lines. Commands run in order, in a folder with programs/, configs/, docs/ and build/, where
five.trace is the trace of the five-point example. Times of the host and its number of threads are not compared. A command
whose output is not quoted must succeed.
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from tap import Tap, usage_error  # noqa: E402: the path is set above

TIMEOUT_SECONDS = 120
COMMAND = re.compile(r"^( *)\$ (.*)$")
HOST = (
    (re.compile(r"real-time factor [-+.0-9e]+ \(.* on this host\)"), "real-time factor HOST"),
    (re.compile(r"\b\d+ threads?\b"), "N threads"),
)
TRACED = ["run", "--quiet", "--trace", "five.trace", "programs/examples/five-point-pshift.json"]


def quotes(text):
    """(line, command, quoted output as lines) of each command."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        match = COMMAND.match(line)
        if not match:
            continue
        indent, output = match.group(1), []
        for below in lines[number + 1:]:
            if COMMAND.match(below) or below.startswith("```") or (below.strip() and not below.startswith(indent)):
                break
            output.append(below[len(indent):])
        while output and not output[-1].strip():
            output.pop()
        yield number + 1, match.group(2), output


def normalise(lines):
    for line in lines:
        for pattern, word in HOST:
            line = pattern.sub(word, line)
        yield line.rstrip()


def fits(quoted, printed):
    if not quoted:
        return not printed
    if quoted[0] == "...":
        return any(fits(quoted[1:], printed[skip:]) for skip in range(len(printed) + 1))
    return bool(printed) and quoted[0] == printed[0] and fits(quoted[1:], printed[1:])


class Shell:
    def __init__(self, build, root, folder):
        for name in ("programs", "configs", "docs"):
            os.symlink(os.path.join(root, name), os.path.join(folder, name))
        os.symlink(build, os.path.join(folder, "build"))
        self.folder = folder
        self.viewer = os.access(os.path.join(build, "cm200-view"), os.X_OK)
        kept = {key: value for key, value in os.environ.items() if key.endswith("SAN_OPTIONS")}
        self.environment = dict(kept, PATH=build + ":/usr/bin:/bin", LC_ALL="C.UTF-8", NO_COLOR="1", HOME="/nonexistent",
                                SDL_VIDEODRIVER="dummy")
        subprocess.run([os.path.join(build, "cm200"), *TRACED], cwd=folder, check=True)

    def missing(self, command):
        """What the command needs and this host lacks."""
        if "jq " in command and shutil.which("jq") is None:
            return "jq is not installed"
        return "cm200-view is not built" if not self.viewer and ("cm200-view" in command or "frames" in command) else None

    def problems(self, command, quoted):
        done = subprocess.run(["sh", "-c", command], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT_SECONDS, check=False)
        printed = done.stdout.decode("utf-8", "backslashreplace").rstrip("\n").split("\n")
        if not quoted:
            return ["exit code %d: %s" % (done.returncode, printed)] if done.returncode != 0 else []
        if fits(list(normalise(quoted)), list(normalise(printed))):
            return []
        return ["quoted:"] + quoted + ["printed:"] + printed


def main(arguments):
    if len(arguments) != 2:
        usage_error(__doc__)
    build, root = (os.path.realpath(argument) for argument in arguments)
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        shell = Shell(build, root, folder)
        pages = glob.glob(os.path.join(root, "docs", "*.md")) + glob.glob(os.path.join(root, "docs", "programs", "*.md"))
        for path in [os.path.join(root, "README.md")] + sorted(pages):
            with open(path, encoding="utf-8") as file:
                text = file.read()
            for line, command, quoted in quotes(text):
                name = "%s:%d: %s" % (os.path.relpath(path, root), line, command.split(" | ")[0].replace("#", ""))
                why = shell.missing(command)
                if why:
                    tap.skip(name, why)
                else:
                    tap.report(name, shell.problems(command, quoted))
    return tap.done()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
