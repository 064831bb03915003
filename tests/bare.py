#!/usr/bin/env python3
"""Runs a command as on a machine where every optional program and Python module is missing.

usage: bare.py COMMAND [ARGUMENT ...]

PATH becomes a folder of links to all programs in it but the optional ones, and a folder in front of PYTHONPATH hides the optional
modules. Programs that are called by their full path are still there. The exit code is the command's.
"""

import fnmatch
import os
import subprocess
import sys
import tempfile

from tap import arguments, usage_error

# Tests that need one of them are skipped where it is missing. ccache is not here: a build that was configured with it calls it.
PROGRAMS = (
    "appstreamcli", "chromedriver", "chromium", "clang*", "convert", "cppcheck", "debootstrap", "desktop-file-validate",
    "doxygen", "emcc", "ffmpeg", "fish", "fst2vcd", "gcovr", "gfortran*", "gtkwave", "jq", "lowdown", "mandoc", "mpicc*", "mpiexec*",
    "mpirun*", "node", "nodejs", "update-mime-database", "vcd2fst", "xdotool", "Xvfb", "zsh*",
)
MODULES = ("cffi", "jsonschema", "numpy", "PIL", "selenium")


def is_optional(name):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in PROGRAMS)


def link_programs(folder):
    """Fills a folder with links to the programs of PATH, without the optional ones. The first of a name counts, as in PATH."""
    for place in os.environ.get("PATH", os.defpath).split(os.pathsep):
        for name in sorted(os.listdir(place)) if os.path.isdir(place) else []:
            if not is_optional(name) and not os.path.lexists(os.path.join(folder, name)):
                os.symlink(os.path.join(os.path.abspath(place), name), os.path.join(folder, name))


def hide_modules(folder):
    """Writes what Python runs at its start: it notes the optional modules as not found, for import and for find_spec."""
    with open(os.path.join(folder, "sitecustomize.py"), "w", encoding="ascii") as file:
        file.write("import sys\nsys.modules.update(dict.fromkeys(%r))\n" % (MODULES,))


def environment(folder):
    """Returns the environment of a bare machine, whose links and modules are made in an empty folder."""
    programs, modules = os.path.join(folder, "bin"), os.path.join(folder, "modules")
    os.mkdir(programs)
    os.mkdir(modules)
    link_programs(programs)
    hide_modules(modules)
    before = os.environ.get("PYTHONPATH")
    return dict(os.environ, PATH=programs, PYTHONPATH=modules + (os.pathsep + before if before else ""), PYTHONDONTWRITEBYTECODE="1")


def main(command):
    if not command:
        usage_error(__doc__)
    if command[0] in ("-h", "--help"):
        arguments(__doc__, 1)
    with tempfile.TemporaryDirectory(prefix="cm200-bare-") as folder:
        os.chmod(folder, 0o755)  # some tests run programs as another user
        code = subprocess.run(command, env=environment(folder), check=False).returncode
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
