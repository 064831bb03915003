"""What the shared library exports is what the public headers declare CM_API, and what releases promised.

usage: check-symbols.py NM READELF ABI_FOLDER LIBRARY PUBLIC_HEADER...

ABI_FOLDER/symbols-X.Y.txt lists what release X.Y added.
"""

import glob
import os
import re

import subprocess
import sys

import source
from tap import Tap, arguments

# What linkers, sanitizers and coverage put into any shared library.
TOOLCHAIN_PREFIXES = ("_", "asan.", "llvm_", "lprof")


def exported(nm, library):
    run = subprocess.run([nm, "-D", "--defined-only", library], capture_output=True, text=True, check=True)
    names = (line.split()[-1] for line in run.stdout.splitlines() if line.strip() and " A " not in line)
    return {name.split("@")[0]: name.partition("@@")[2] for name in names if not name.startswith(TOOLCHAIN_PREFIXES)}


def promised(folder):
    """The release that added each symbol, and the newest release."""
    releases = {}
    for path in glob.glob(os.path.join(folder, "symbols-*.txt")):
        release = re.search(r"symbols-(.*)\.txt", path)[1]
        releases.update((name, release) for name in source.read(path).split())
    return releases, max(releases.values(), key=lambda release: [int(part) for part in release.split(".")])


def check_versions(tap, found, folder):
    releases, newest = promised(folder)
    major, minor = newest.split(".")
    following = "CM200_%s.%d" % (major, int(minor) + 1)
    tap.report("the library exports every symbol of the releases",
               ("%s was in release %s; it may go only with a new soname (docs/library.md)" % (name, releases[name])
                for name in sorted(releases.keys() - found.keys())))
    tap.report("every symbol has the version of the release that added it",
               ("%s has version %s" % (name, found[name] or "-") for name in sorted(found)
                if found[name] != ("CM200_" + releases[name] if name in releases else following)))


def check_soname(tap, readelf, library):
    dynamic = subprocess.run([readelf, "-d", library], capture_output=True, text=True, check=True).stdout
    name = re.search(r"SONAME.*\[(.*)\]", dynamic)
    tap.report("the soname is libcm200.so.0", [] if name and name[1] == "libcm200.so.0" else [str(name and name[1])])


def main(given):
    nm, readelf, folder, library = given[:4]
    headers = [header for header in given[4:] if header.endswith(".h")]
    declared = {}
    for header in headers:
        for name, line, _ in source.api_declarations(source.read(header)):
            declared[name] = "%s:%d" % ("/".join(header.split("/")[-2:]), line + 1)
    found = exported(nm, library)
    tap = Tap()
    tap.report("every symbol that the library exports is declared in a public header",
               ("%s is exported, but no public header declares it CM_API" % name
                for name in sorted(found.keys() - declared.keys())))
    tap.report("the library exports every symbol that a public header declares",
               ("%s: %s is declared CM_API, but the library does not export it" % (declared[name], name)
                for name in sorted(declared.keys() - found.keys())))
    tap.report("there is something to compare", [] if declared else ["no public header declares anything"])
    tap.report("every exported symbol begins with cm_",
               ("%s" % name for name in sorted(found) if not name.startswith("cm_")))
    check_versions(tap, found, folder)
    check_soname(tap, readelf, library)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main(arguments(__doc__, 4)))
