"""A script of the tests without its arguments prints its usage and exits with 2, where optional programs are missing, too.

usage: check-usage.py SOURCE_ROOT

Scripts run as on a bare machine, so that one that looks for a program or module before its arguments is found anywhere. The
scripts that a new user calls first refuse unknown options, and setup says what to run where it cannot install.
"""

import glob
import os
import re
import subprocess
import sys
import tempfile

import bare
import source
from tap import Tap, arguments


def problems_of(path, environment):
    done = subprocess.run([sys.executable, path], stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", env=environment,
                          check=False)
    if done.returncode != 2:
        yield "it ends with exit code %s" % done.returncode
    if "usage: " not in done.stderr or "Traceback" in done.stderr:
        yield "it prints: %s" % done.stderr[-300:]


def run(environment, *command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", env=environment, check=False)


def option_problems(root, environment, name):
    """Yields what is wrong with --help and with an unknown option, neither of which may start any work."""
    script = os.path.join(root, "scripts", name)
    done = run(environment, script, "--help")
    if done.returncode != 0 or "scripts/" + name not in done.stdout or done.stderr:
        yield "--help exits with %d: %s%s" % (done.returncode, done.stdout[:300], done.stderr[-300:])
    done = run(environment, script, "--no-such-option")
    if done.returncode != 2 or "--no-such-option" not in done.stderr or len(done.stderr.splitlines()) != 1:
        yield "--no-such-option exits with %d: %s" % (done.returncode, done.stderr[-300:])


def replace_program(folder, name, script):
    path = os.path.join(folder, "bin", name)
    if os.path.lexists(path):
        os.remove(path)
    if script:
        with open(path, "w", encoding="ascii") as file:
            file.write("#!/bin/sh\n%s\n" % script)
        os.chmod(path, 0o755)


def advice_problems(root, folder, environment, *options):
    """Yields what is wrong with the lines of setup for a user without root and sudo, on a machine without any library."""
    for name, script in (("id", "echo 1000"), ("sudo", None), ("pkg-config", "exit 1"), ("apt-get", "exit 1")):
        replace_program(folder, name, script)
    done = run(environment, os.path.join(root, "scripts", "setup"), "--build", os.path.join(folder, "build"), *options)
    lines = [line.split() for line in done.stderr.splitlines() if "apt-get install" in line]
    if done.returncode != 2 or len(lines) != 2 or any(line[:2] != ["As", "root:"] for line in lines):
        yield "exit code %d:\n%s" % (done.returncode, done.stderr)
        return
    required, optional = lines
    if "libcjson-dev" not in required or "libsdl2-dev" not in optional:
        yield "required and optional packages are not apart:\n%s" % done.stderr
    for package, line in (("check", required), ("libfftw3-dev", required), ("jq", optional), ("gtkwave", optional)):
        if (package in line) != ("--tests" in options):
            yield "%s belongs to --tests:\n%s" % (package, done.stderr)


def main(given):
    root, tap = given[0], Tap()
    with tempfile.TemporaryDirectory() as folder:
        environment = bare.environment(folder)
        for path in sorted(glob.glob(os.path.join(root, "tests", "**", "*.py"), recursive=True)):
            if re.search(r'^(usage: |    parser\.add_argument\("[a-z])', source.read(path), re.M):
                tap.report("%s prints its usage" % os.path.relpath(path, root), problems_of(path, environment))
        for name in ("demo", "setup"):
            tap.report("scripts/%s prints help and refuses unknown options" % name, option_problems(root, environment, name))
        tap.report("setup without root prints a line for what is required and one for what is optional",
                   advice_problems(root, folder, environment))
        tap.report("setup asks for what tests need with --tests alone", advice_problems(root, folder, environment, "--tests"))
    return tap.done()


if __name__ == "__main__":
    sys.exit(main(arguments(__doc__, 1)))
