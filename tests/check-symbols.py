"""What the shared library exports is what the public headers declare CM_API, and what releases promised. Every function is called
with NULL and 0: destructors take them, and no function prints, exits, aborts, divides by zero or waits.

usage: check-symbols.py NM READELF ABI_FOLDER LIBRARY PUBLIC_HEADER...

ABI_FOLDER/symbols-X.Y.txt lists what release X.Y added.
"""

import ctypes
import glob
import os
import re
import resource
import signal
import subprocess
import sys

import source
from tap import Tap, arguments

ALARM_SECONDS = 20  # that a call with NULL may take on a busy host
ARGUMENTS_MAX = 10  # of a public function; further registers and words of the stack do no harm
RETURNED = signal.SIGUSR1  # a process ends by it, and not by exiting, which the function may do

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


def is_sanitized(library):
    with open(library, "rb") as file:
        content = file.read()
    return any(name in content for name in (b"__asan_init", b"__tsan_init", b"__ubsan_handle"))


def call_with_nulls(function):
    """How a process ends that calls the function, and what it prints. 0: the function returns."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.alarm(ALARM_SECONDS)
        for number, descriptor in ((0, os.open(os.devnull, os.O_RDONLY)), (1, writer), (2, writer)):
            os.dup2(descriptor, number)
        function(*[None] * ARGUMENTS_MAX)
        os.kill(os.getpid(), RETURNED)
    os.close(writer)
    with os.fdopen(reader, "rb") as printed:
        text = printed.read(1000)
    status = os.waitpid(child, 0)[1]
    if not os.WIFSIGNALED(status):
        return "exits with %d" % os.WEXITSTATUS(status), text
    return (0 if os.WTERMSIG(status) == RETURNED else os.WTERMSIG(status)), text


def check_nulls(tap, library, names):
    """A pointer that a header does not allow to be NULL is the caller's fault, and may fault."""
    loaded = ctypes.CDLL(library)
    ends = {name: call_with_nulls(getattr(loaded, name)) for name in sorted(names)}
    tap.report("every destructor takes NULL",
               ("%s: %s" % (name, end) for name, (end, _) in ends.items() if end != 0 and re.search("_(destroy|close)$", name)))
    tap.report("no function that is called with NULL exits, aborts, divides by zero or waits",
               ("%s: %s" % (name, end) for name, (end, _) in ends.items() if end not in (0, signal.SIGSEGV, signal.SIGBUS)))
    tap.report("no function that is called with NULL prints",
               ("%s: %r" % (name, text) for name, (_, text) in ends.items() if text))


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
    if not is_sanitized(library):  # a sanitizer's run-time has to come first
        check_nulls(tap, os.path.realpath(library), found.keys() & declared.keys())
    return tap.done()


if __name__ == "__main__":
    sys.exit(main(arguments(__doc__, 4)))
