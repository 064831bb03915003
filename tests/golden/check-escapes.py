"""Control characters of a program from others: escaped on a terminal, whole in files and pipes.

usage: check-escapes.py CM200 SOURCE_ROOT
"""

import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from tap import Tap, arguments  # noqa: E402: the path is set above
from terminal import Terminal  # noqa: E402

# A title, a bell, colours, bold, a carriage return, a C1 control, a bidirectional mark, and plain text that stays.
HOSTILE = "a\x1b]0;PWNED\x07\x1b[31m\x1b[1mred\rb\x9b2J\u202eé"
ESCAPED = r"a\x1b]0;PWNED\x07\x1b[31m\x1b[1mred\rb\u009b2J\u202eé"
PROGRAM = "program t\nprint *, '%s'\nend\n" % HOSTILE


def commands(root):
    machine = ["-m", os.path.join(root, "configs/cube8.json"), "--nodes", "4"]
    return {
        "run": ["run", "-q", *machine, "esc.f90"],
        "run of a workload": ["run", "w.json"],
        "run --explain": ["run", "--explain", *machine, "esc.f90"],
        "run --profile": ["run", "--profile", *machine, "esc.f90"],
        "compile": ["compile", *machine, "esc.f90"],
        "compile --to fortran": ["compile", "--to", "fortran", "esc.f90"],
        "compile --to tree": ["compile", "--to", "tree", "esc.f90"],
        "check": ["check", "bad.f90"],
        "debug": ["debug", *machine, "esc.f90"],
    }


def make(folder, root):
    with open(os.path.join(folder, "esc.f90"), "w", encoding="utf-8", newline="") as file:
        file.write(PROGRAM)
    with open(os.path.join(folder, "bad.f90"), "w", encoding="utf-8", newline="") as file:
        file.write(PROGRAM.replace("print *,", "print , "))
    with open(os.path.join(folder, "w.json"), "w", encoding="utf-8") as file:
        json.dump({"format": "cm200-workload/1", "machine": os.path.join(root, "configs/cube8.json"), "nodes": 4,
                   "arrays": {}, "steps": [{"program": {"file": "esc.f90"}}]}, file)


def seen_on_terminal(cm200, words, folder):
    terminal = Terminal([cm200, *words], folder)
    if words[0] == "debug":
        terminal.wait("(cm200)", 10)
        terminal.type("continue\n")
        terminal.wait("(cm200)", 10)
        terminal.type("list\nquit\n")
    terminal.end()
    return terminal.seen


def controls(text):
    """Characters that a terminal obeys, except newlines, tabs and what the line editor types."""
    return {c for c in text.replace("\r\n", "\n") if (ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160 or c == "\u202e"}


def main():
    cm200, root = arguments(__doc__, 2)[:2]
    cm200, root = os.path.abspath(cm200), os.path.abspath(root)
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        make(folder, root)
        for name, words in commands(root).items():
            seen = seen_on_terminal(cm200, words, folder)
            found = controls(seen)
            if name == "debug":
                found -= {"\r"} if "PWNED\x07" not in seen else set()
            tap.report("no control character on a terminal: %s" % name,
                       ["%r in %r" % (sorted(found), seen[-600:])] if found else [])
        for name in ("run", "compile --to fortran"):
            seen = seen_on_terminal(cm200, commands(root)[name], folder)
            tap.report("they are escaped: %s" % name, [] if ESCAPED in seen else [repr(seen)])
            words = [cm200, *commands(root)[name]]
            piped = subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, check=False).stdout
            tap.report("a pipe gets the bytes: %s" % name, [] if HOSTILE.encode() in piped else [repr(piped)])
        subprocess.run([cm200, "compile", "--to", "fortran", "-o", "out.f90", "esc.f90"], cwd=folder, check=False)
        with open(os.path.join(folder, "out.f90"), "rb") as file:
            tap.report("a file gets the bytes", [] if HOSTILE.encode() in file.read() else ["other bytes"])
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
