"""Compares what the shared library exports with what the public headers declare CM_API: no leak, none missing.

usage: check-symbols.py NM LIBRARY PUBLIC_HEADER...
"""

import subprocess
import sys

import source
from tap import Tap, arguments

# What linkers, sanitizers and coverage put into any shared library.
TOOLCHAIN_PREFIXES = ("_", "asan.", "llvm_", "lprof")


def exported(nm, library):
    run = subprocess.run([nm, "-D", "--defined-only", library], capture_output=True, text=True, check=True)
    names = (line.split()[-1].split("@")[0] for line in run.stdout.splitlines() if line.strip())
    return {name for name in names if not name.startswith(TOOLCHAIN_PREFIXES)}


def main(given):
    nm, library, headers = given[0], given[1], [h for h in given[2:] if h.endswith(".h")]
    declared = {}
    for header in headers:
        for name, line, _ in source.api_declarations(source.read(header)):
            declared[name] = "%s:%d" % ("/".join(header.split("/")[-2:]), line + 1)
    found = exported(nm, library)
    tap = Tap()
    tap.report("every symbol that the library exports is declared in a public header",
               ("%s is exported, but no public header declares it CM_API" % name
                for name in sorted(found - declared.keys())))
    tap.report("the library exports every symbol that a public header declares",
               ("%s: %s is declared CM_API, but the library does not export it" % (declared[name], name)
                for name in sorted(declared.keys() - found)))
    tap.report("there is something to compare", [] if declared else ["no public header declares anything"])
    tap.report("every exported symbol begins with cm_",
               ("%s" % name for name in sorted(found) if not name.startswith("cm_")))
    return tap.done()


if __name__ == "__main__":
    sys.exit(main(arguments(__doc__, 2)))
