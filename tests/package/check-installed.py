"""What is installed from the Debian packages works, for a user without a build folder: scripts/test-package runs this.

usage: check-installed.py README MANUAL

Runs in a bare system, as a user without rights, in that user's home; README is the project's README.md,
MANUAL its docs/README.md. Prints TAP.
"""

import glob
import gzip
import json
import os
import pty
import re
import select
import struct
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.dirname(HERE))

from tap import Tap, arguments  # noqa: E402: the path is set above

DATA = "/usr/share/cm200"
EXAMPLES = DATA + "/programs/examples"
FIVE_POINT = EXAMPLES + "/five-point-pshift.json"
HOST = re.compile(r"real-time factor.*|, \d+ threads?")


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, **more)


def failure(done):
    """A problem for a command that failed; none otherwise."""
    if done.returncode == 0:
        return []
    return ["%s: exit code %d\n%s%s" % (" ".join(done.args), done.returncode, done.stdout[-800:], done.stderr[-800:])]


def version_problems():
    done = run("cm200", "--version")
    lines = done.stdout.splitlines()
    if not re.match(r"cm200 [0-9.]+ \(commit [0-9a-f]{7,}\)$", lines[0]):
        yield "no commit: %s" % lines[0]
    parts = {line[2:16].strip(): line[17:] for line in lines[1:]}
    for name in ("viewer", "PDF", "line editing", "Python module"):
        if parts[name].startswith("no"):
            yield "%s: %s" % (name, parts[name])
    if parts["data"] != DATA:
        yield "data: %s" % parts["data"]


def page(number):
    """The text of an argument's file."""
    with open(sys.argv[number], encoding="utf-8") as file:
        return file.read()


def readme():
    return page(1)


def first_run_problems():
    """The output in README.md is that of the installed program with the installed example."""
    shown = re.search(r"^\$ build/cm200 (run \S+)\n(.*?)^```", readme(), re.M | re.S)
    words = shown.group(1).split()
    done = run("cm200", *words[:-1], os.path.join(DATA, words[-1]))
    want, have = (HOST.sub("", text).strip() for text in (shown.group(2), done.stdout))
    return failure(done) + (["README.md shows\n%s\nand it prints\n%s" % (want, have)] if want != have else [])


def own_workload_problems():
    """ring.json of README.md."""
    with open("ring.json", "w", encoding="utf-8") as file:
        file.write(re.search(r"^```json\n(.*?)^```", readme(), re.M | re.S).group(1))
    problems = failure(run("cm200", "run", "ring.json"))
    if not problems:
        import numpy
        if numpy.load("b.npy").tolist() != [(i + 1) % 64 for i in range(64)]:
            problems.append("b.npy is not a shifted by one: %s" % numpy.load("b.npy"))
    return problems


def readme_command_problems():
    """Other examples: the Fortran program, the commands of the manual's table, the lessons."""
    table = re.findall(r"^\| `cm200 ((?:reshape|shift|route|fft|lesson) [^`]*)`", page(2), re.M)
    if len(table) < 5:
        yield "the manual has only %s" % table
    for words in table:
        done = run("cm200", *words.split(), *(["--nodes", "8"] if words.startswith(("shift", "route")) else []))
        yield from failure(done)
    program = re.search(r"^    build/cm200 run --profile (\S+)", readme(), re.M).group(1)
    yield from failure(run("cm200", "run", "--profile", os.path.join(DATA, program)))
    yield from failure(run("cm200", "lesson"))
    yield from failure(run("cm200", "validate", "--table", "1"))


def example_problems():
    files = sorted(glob.glob(EXAMPLES + "/*.json") + glob.glob(EXAMPLES + "/fortran/*.fcm"))
    if len(files) < 30:
        yield "only %d examples" % len(files)
    for path in files:
        yield from failure(run("cm200", "check", path))


def help_problems():
    """Every example file that a command's help names is there."""
    commands = [command["name"] for command in json.loads(run("cm200", "help", "--json").stdout)["commands"]]
    for command in commands:
        text = run("cm200", command, "--help").stdout
        for path in re.findall(r"\S*(?:programs/examples|configs)/[\w./-]+\.\w+", text.partition("\nexamples:")[2]):
            if not os.path.exists(path):
                yield "cm200 %s --help: no file %s" % (command, path)


def manual_problems():
    """man finds and formats each page without a warning."""
    pages = sorted(glob.glob("/usr/share/man/man[157]/cm200*.gz"))
    if len(pages) < 26:
        yield "only %d pages" % len(pages)
    for path in pages:
        name, section = re.match(r".*/(.*)\.(\d)\.gz", path).groups()
        done = run("man", "--warnings", "--pager=cat", section, name, env=dict(os.environ, MANWIDTH="80"))
        yield from failure(done)
        if done.stderr:
            yield "%s: %s" % (path, done.stderr[:300])
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for named in re.findall(r"(?:%s|(?<![\w/])build|(?<![\w/])programs/examples|(?<![\w/])configs)/[\w./-]+" % DATA,
                                    file.read().replace("\\-", "-").replace("\\&", "")):
                if not named.startswith(DATA):
                    yield "%s: names %s, which only a source tree has" % (path, named)
                elif not os.path.exists(named.rstrip(".")):
                    yield "%s: no file %s" % (path, named)
    done = run("man", "--pager=cat", "cm200-run")
    for word in ("SYNOPSIS", "OPTIONS", "EXAMPLES", "--timing-only", FIVE_POINT):
        if word not in re.sub(".\b", "", done.stdout):
            yield "man cm200-run does not print %s" % word


# A shell without a person's settings, and what switches its completion on.
BASH = (("/bin/bash", "--norc", "-i"), b". /usr/share/bash-completion/bash_completion\n")
ZSH = (("/usr/bin/zsh", "-f", "-i"), b"autoload -Uz compinit && compinit -u -D\n")


def typed(keys, shell, seconds=20):
    """What a terminal with this shell shows after these keys."""
    command, begin = shell
    child, terminal = pty.fork()
    if child == 0:
        os.execve(command[0], command, dict(os.environ, TERM="dumb", PS1="$ ", HOME="/nonexistent"))
    output = b""
    for part in (begin,) + keys + (b"\nexit\n",):
        os.write(terminal, part)
        time.sleep(0.7)
    end = time.time() + seconds
    while time.time() < end and select.select([terminal], [], [], 2)[0]:
        try:
            more = os.read(terminal, 65536)
        except OSError:
            break
        if not more:
            break
        output += more
    os.waitpid(child, 0)
    os.close(terminal)
    return output.decode("utf-8", "replace")


def completion_problems(shell=BASH):
    """Tab, typed on a terminal: a command, an option, a machine key, an option of the viewer."""
    for keys, want in (
            ((b"cm200 swe\t", b"--help | head -n 1\n"), "usage: cm200 sweep"),
            ((b"echo cm200; cm200 run --timing-o\t", FIVE_POINT.encode() + b" --quiet && echo do''ne\n"), "done"),
            ((b"cm200 run --set memory.page_w\t", b"\x01echo \n"), "memory.page_words"),
            ((b"cm200-view --ke\t", b"| head -n 3\n"), "--keys")):
        output = typed(keys, shell)
        if want not in output.replace("\a", ""):
            yield "%s: no %r in\n%s" % (keys, want, output)


def zsh_problems():
    return completion_problems(ZSH)


def fish_problems():
    """What fish says that it would complete."""
    for line, want in (("cm200 swe", "sweep"), ("cm200 run --timing-o", "--timing-only"), ("cm200 lay", "layout"),
                       ("cm200 run --set memory.page_w", "memory.page_words="), ("cm200-view --ke", "--keys")):
        done = run("fish", "-c", "complete -C '%s'" % line)
        yield from failure(done)
        found = [row.split("\t")[0] for row in done.stdout.splitlines()]
        if found != [want]:
            yield "%s: fish completes %s, not %s" % (line, found, want)


def python_problems():
    done = run("python3", "-c", "import cm200; r = cm200.run(%r); print(r.cycles, cm200.__file__)" % FIVE_POINT)
    yield from failure(done)
    if not done.stdout.startswith("5625 /usr/lib/python3/dist-packages/"):
        yield "it prints %s" % done.stdout
    scripts = sorted(glob.glob("/usr/share/doc/python3-cm200/examples/*.py"))
    if len(scripts) < 3:
        yield "only %d examples" % len(scripts)
    for path in scripts:
        yield from failure(run("python3", path, "--quick"))


def picture_problems():
    """Pictures without a display: PNG of a run and of the tour, SVG, PDF; a trace from a file."""
    environment = {key: value for key, value in os.environ.items() if key != "DISPLAY"}
    yield from failure(run("cm200", "run", "--quiet", "--trace", "t.trace", FIVE_POINT))
    for words, begin in (([FIVE_POINT, "--screenshot", "run.png"], b"\x89PNG"), (["t.trace", "--screenshot", "t.png"], b"\x89PNG"),
                         (["--demo", "--screenshot", "tour.png"], b"\x89PNG"), (["t.trace", "--screenshot", "t.svg"], b"<"),
                         (["t.trace", "--screenshot", "t.pdf"], b"%PDF")):
        done = run("cm200-view", *words, env=environment)
        yield from failure(done)
        with open(words[-1], "rb") as file:
            data = file.read()
        if not data.startswith(begin) or len(data) < 5000:
            yield "%s is not a picture: %d bytes, %r" % (words[-1], len(data), data[:8])
        if begin == b"\x89PNG" and struct.unpack(">II", data[16:24])[0] < 640:
            yield "%s: %s" % (words[-1], struct.unpack(">II", data[16:24]))


def library_problems():
    """A C program is built with cm200.pc, runs with the shared library, and finds its machine."""
    source = "/usr/share/doc/libcm200-dev/examples/consumer.c"
    flags = run("pkgconf", "--cflags", "--libs", "cm200").stdout.split()
    yield from failure(run("gcc", "-std=c11", "-Wall", "-Werror", source, "-o", "consumer", *flags))
    done = run("./consumer", DATA + "/configs/cm200.json")
    yield from failure(done)
    if "not ok" in done.stdout or "\nok " not in "\n" + done.stdout:
        yield done.stdout
    if "libcm200.so.0 => /" not in run("ldd", "consumer").stdout:
        yield "it is not linked with the shared library"


def main():
    arguments(__doc__, 2)
    tap = Tap()
    os.chdir(os.path.expanduser("~"))
    for name, problems in (
            ("cm200 --version prints the commit, and every part is there", version_problems),
            ("README.md shows what its first run prints", first_run_problems),
            ("the workload of README.md runs", own_workload_problems),
            ("its other commands run", readme_command_problems),
            ("every example is accepted where it is installed", example_problems),
            ("files that help names are there", help_problems),
            ("man shows every page without a warning, and pages name installed files", manual_problems),
            ("Tab completes commands, options and machine keys in bash", completion_problems),
            ("the same in zsh", zsh_problems),
            ("the same in fish", fish_problems),
            ("Python imports the module, and its examples run", python_problems),
            ("the viewer draws PNG, SVG and PDF without a display", picture_problems),
            ("a C program builds with the library and runs", library_problems)):
        tap.report(name, problems())
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
