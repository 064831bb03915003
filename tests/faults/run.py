"""Makes one call after the other fail in small commands, and sees that each gives the same result or none.

usage: run.py BUILD SOURCE_ROOT SHIM [OPTIONS]

  --kind KIND     only these points: alloc, write, signal, standard (may be given several times)
  --case NAME     only this command (may be given several times)
  --part I/N      only part I (0 to N-1) of N of the points, and a quarter of "standard"; I may be "auto": the number of
                  commits, so that each commit tests another part; below 100, CM_TEST_PERCENT makes N larger
  --jobs N        commands at the same time (all processors)
  --list          print the commands and exit

BUILD holds the programs, SHIM is the library of shim.c. Points:

  alloc     each allocation fails once, and each change of memory's protection
  write     each open, read, write, fsync, rename and close fails with ENOSPC, EIO, EINTR, or moves one byte
  signal    SIGINT, SIGTERM and SIGHUP before and after each of these calls
  standard  each set of the standard descriptors closed; the standard output a closed pipe, a full device; a small address
            space, file size and number of open files; a folder that cannot be written

Each time the command must end by itself with a documented exit code. Exit code 0 means the same output and files as
without the fault. Another means one message, and every output whole: as before, or as without the fault. Nothing else is left,
but FILE.part or FILE.partial of a trace that ends early, and the journal of a sweep.
"""

import argparse
import concurrent.futures
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import Tap, percent  # noqa: E402

import cases as case_list  # noqa: E402

SECONDS = 120  # after which a command counts as hanging
HOST = re.compile(rb'^.*("host|host |on this host| s of host|"seconds"|threads).*\n', re.M)  # times differ in every run
FILE_CALLS = ("open", "read", "write", "sync", "rename", "close")
ERRORS = {"open": ("EMFILE", "EIO"), "read": ("EIO", "EINTR", "short"), "write": ("ENOSPC", "EIO", "EINTR", "short"),
          "sync": ("EIO", "EINTR"), "rename": ("EIO",), "close": ("EIO",), "thread": ("EAGAIN",)}
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
FOUND_BY_SANITIZER = 99
TRACE = b"CM200TRC"  # how one begins


class Outcome:
    def __init__(self, code, out, err, files):
        self.code, self.out, self.err, self.files = code, out, err, files


def read_files(folder, case):
    """Every file below the folder, by its path in it. Results of the case are without the times of the host."""
    found = {}
    for here, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(here, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = file.read()
    for name in case.outputs:
        if name.endswith(".json") and name in found:
            found[name] = HOST.sub(b"", found[name])
    return found


class Bench:
    """Runs cases in fresh folders, and keeps what each gives without a fault."""

    def __init__(self, build, root, shim):
        self.build, self.root, self.shim = build, root, shim
        self.references, self.counts = {}, {}

    def content(self, name, source):
        """The bytes of an input or of an output that is there before."""
        if isinstance(source, bytes):
            return source
        if isinstance(source, case_list.Case):
            return self.reference(source).files[name]
        with open(os.path.join(self.root, source), "rb") as file:
            return file.read()

    def fill(self, folder, case):
        """Writes what the case finds; returns it, by name."""
        files = {name: self.content(name, source) for name, source in case.inputs.items()}
        files.update({name: self.content(name, source) for name, source in case.outputs.items() if source is not None})
        for name, content in files.items():
            os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
            with open(os.path.join(folder, name), "wb") as file:
                file.write(content)
        return files

    def run(self, case, variables=None, prepare=None, **options):
        """The case in a new folder; `prepare` is called in the new process, with the folder as the current one."""
        with tempfile.TemporaryDirectory(prefix="cm200-fault-") as folder:
            self.fill(folder, case)
            os.chmod(folder, 0o777)
            environment = dict(os.environ, LD_PRELOAD=self.shim, LC_ALL="C", HOME="/nonexistent", SDL_VIDEODRIVER="dummy")
            environment["ASAN_OPTIONS"] = ("verify_asan_link_order=0:exitcode=%d:allocator_may_return_null=1:detect_leaks=1"
                                           % FOUND_BY_SANITIZER)
            environment["UBSAN_OPTIONS"] = "halt_on_error=1:exitcode=%d" % FOUND_BY_SANITIZER
            environment.update(variables or {})
            words = [os.path.join(self.build, case.words[0])] + case.words[1:]
            options.setdefault("stdout", subprocess.PIPE)
            options.setdefault("stderr", subprocess.PIPE)
            process = subprocess.Popen(words, stdin=subprocess.PIPE, cwd=folder, env=environment,
                                       preexec_fn=prepare, **options)
            try:
                out, err = process.communicate(case.stdin, timeout=SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                return Outcome("hangs", b"", b"", {})
            os.chmod(folder, 0o777)
            return Outcome(process.returncode, HOST.sub(b"", out or b""), err or b"", read_files(folder, case))

    def reference(self, case):
        """What the case gives without a fault; also counts its calls."""
        if case.name not in self.references:
            with tempfile.NamedTemporaryFile() as counts:
                self.references[case.name] = self.run(case, {"CM_FAULT_COUNTS": counts.name})
                text = open(counts.name, encoding="ascii").read()
            self.counts[case.name] = {kind: int(number) for kind, number in re.findall(r"(\w+) (\d+)", text)}
        return self.references[case.name]

    def before(self, case):
        with tempfile.TemporaryDirectory() as folder:
            return self.fill(folder, case)


def allowed_codes(case, kind, action):
    """The exit codes that such a fault may end in, next to that without it."""
    if kind == "alloc":
        return (5,)
    if action.startswith("SIG"):
        number = int(getattr(signal, action.rstrip("+")))
        return (128 + number, -number) + ((5,) if case.workers else ())
    return {"EINTR": (), "short": (), "EAGAIN": (5,)}.get(action, (4,))


def problems_of(bench, case, outcome, codes, is_signal=False, heard=True):
    """What is wrong with how the case ended; `heard`: whether its standard output and error could be read."""
    reference, old = bench.reference(case), bench.before(case)
    if outcome.code == "hangs":
        yield "does not end"
        return
    if outcome.code == FOUND_BY_SANITIZER:
        yield "a sanitizer's finding:\n" + outcome.err.decode("utf-8", "replace")[:3000]
        return
    if outcome.code not in codes + (case.code,):
        yield "exit code %s, expected %s: %r" % (outcome.code, " or ".join(map(str, codes + (case.code,))), outcome.err[-300:])
    if outcome.code == case.code:
        if outcome.files != reference.files:
            yield "exit code %d, but other files: %s" % (case.code, describe(outcome.files, reference.files))
        if heard and outcome.out != reference.out and not (is_signal and case.session):
            yield "exit code %d, but another output: %r" % (case.code, difference(outcome.out, reference.out))
        return
    if heard and not is_signal and not 1 <= outcome.err.count(b"\n") <= 5:
        yield "exit code %s with %d lines of messages: %r" % (outcome.code, outcome.err.count(b"\n"), outcome.err[:300])
    lines = outcome.out[:outcome.out.rfind(b"\n") + 1]  # a line that was cut off may be one of the host's times
    if heard and not case.by_file and not reference.out.startswith(lines):
        yield "exit code %s, and part of an output: %r" % (outcome.code, difference(outcome.out, reference.out))
    for name, content in outcome.files.items():
        if content in (old.get(name), reference.files.get(name)):
            continue
        whole = name[:name.rfind(".part")]
        if name.endswith(".journal") and name[:-8] in case.outputs:
            continue  # of a sweep that goes on later
        if name[len(whole):] in (".part", ".partial") and whole in case.outputs and "trace" in name and content.startswith(TRACE):
            continue
        yield "%s is left with %d bytes" % (name, len(content))
    for name in old:
        if name not in outcome.files:
            yield "%s is gone" % name


def difference(one, other):
    """The first line in which two outputs differ."""
    lines, wanted = one.split(b"\n"), other.split(b"\n")
    for i, line in enumerate(lines):
        if i >= len(wanted) or line != wanted[i]:
            return line[:200] + b" for " + (wanted[i][:200] if i < len(wanted) else b"nothing")
    return b"it ends after %d lines of %d" % (len(lines), len(wanted))


def describe(files, wanted):
    return ", ".join("%s (%s bytes for %s)" % (name, len(files.get(name, b"")) if name in files else "no",
                                               len(wanted[name]) if name in wanted else "none")
                     for name in sorted(set(files) | set(wanted)) if files.get(name) != wanted.get(name))


# ---- points ---------------------------------------------------------------------------------------------------------------

def points(bench, case, kind):
    """CM_FAULT and the exit codes it may end in, for each point of the kind."""
    bench.reference(case)
    counts = bench.counts[case.name]
    calls = {"alloc": ("alloc", "protect"), "write": FILE_CALLS + ("thread",), "signal": FILE_CALLS}[kind]
    for call in calls:
        if kind == "alloc":
            actions = ("ENOMEM",)
        elif kind == "signal":
            actions = [s.name + after for s in SIGNALS for after in ("", "+")]
        else:
            actions = ERRORS[call]
        for number in range(1, counts[call] + 1):
            for action in actions:
                # Without executable memory, loops execute everything.
                codes = () if call == "protect" else allowed_codes(case, kind, action)
                yield "%s:%d:%s" % (call, number, action), codes


def in_part(name, number, part):
    """Spread by a fixed hash, so that every part has points of all commands."""
    value = number * 2654435761 + sum(ord(c) * 131 ** i for i, c in enumerate(name))
    return part is None or (value >> 7) % part[1] == part[0]


def check_points(tap, bench, pool, case, kind, part):
    chosen = [point for i, point in enumerate(points(bench, case, kind)) if in_part(case.name, i, part)]

    def one(point):
        fault, codes = point
        outcome = bench.run(case, {"CM_FAULT": fault})
        return ["%s: %s" % (fault, what)
                for what in problems_of(bench, case, outcome, codes, is_signal=kind == "signal")]

    problems = [what for found in pool.map(one, chosen) for what in found]
    tap.report("%s: %s, %d points" % (kind, case.name, len(chosen)), problems)


# ---- the standard descriptors, limits -------------------------------------------------------------------------------------

def close_all(descriptors):
    def prepare():
        for descriptor in descriptors:
            os.close(descriptor)
    return prepare


def limit(what, amount):
    return lambda: resource.setrlimit(what, (amount, amount))


def read_only():
    """As nobody, in a folder that nobody may write. The programs stay readable."""
    os.chmod(".", 0o555)
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)


def nobody_reaches(path):
    """Whether read_only() leaves programs in a folder out of reach."""
    path = os.path.realpath(path)
    while os.getuid() == 0 and path != "/":
        if not os.stat(path).st_mode & 0o001:
            return True
        path = os.path.dirname(path)
    return False


def standard_runs(bench, case, sanitized):
    """(What is done, exit codes, whether it can be heard, arguments of Bench.run)."""
    for number in range(1, 8):
        closed = [d for d in range(3) if number >> d & 1]
        yield ("descriptors %s closed" % closed, (4,), False, {"prepare": close_all(closed)})
    yield "the standard output is full", (4,), False, {"stdout": open("/dev/full", "wb")}
    ends = os.pipe()
    os.close(ends[0])
    yield "the standard output is a closed pipe", (128 + signal.SIGPIPE,), False, {"stdout": os.fdopen(ends[1], "wb")}
    for size in () if sanitized else (8, 16, 24, 32, 48, 64):
        yield ("address space of %d MiB" % size, (5, 127), True, {"prepare": limit(resource.RLIMIT_AS, size << 20)})
    for size in (0, 1, 100, 1000, 10000):
        yield "files of at most %d bytes" % size, (4,), True, {"prepare": limit(resource.RLIMIT_FSIZE, size)}
    for count in (3, 4, 5, 6):
        yield "%d descriptors" % count, (4, 127), True, {"prepare": limit(resource.RLIMIT_NOFILE, count)}
    if case.outputs and not nobody_reaches(bench.build):
        yield "a folder that cannot be written", (4,), True, {"prepare": read_only}


def check_standard(tap, bench, pool, case, sanitized, part):
    def one(run):
        what, codes, heard, options = run
        outcome = bench.run(case, **options)
        if outcome.code == 127:
            return []  # the loader found no room: the program did not start
        return ["%s: %s" % (what, text) for text in problems_of(bench, case, outcome, codes, heard=heard)]

    quarter = part and (part[0] % 4, 4 if percent() >= 100 else 12)
    runs = [run for i, run in enumerate(standard_runs(bench, case, sanitized)) if in_part(case.name, i, quarter)]
    problems = [what for found in pool.map(one, runs) for what in found]
    tap.report("standard: %s, %d runs" % (case.name, len(runs)), problems)


def missing_of(bench, cases):
    """Commands and kinds of steps that no case has."""
    listed = json.loads(subprocess.run([os.path.join(bench.build, "cm200"), "help", "--json"], capture_output=True, check=True).stdout)
    commands = {case.words[1] for case in cases}
    texts = [bench.content(name, source) for case in cases for name, source in case.inputs.items() if name.endswith(".json")]
    for command in listed["commands"]:
        if command["name"] not in commands:
            yield "no case has the command %s" % command["name"]
    for step in listed["steps"]:
        if not any(b'"%s":' % step.encode() in text for text in texts):
            yield "no case has the step %s" % step


def part_of(text, root):
    if text is None:
        return None
    number, of = text.split("/")
    of = str(int(of) * 100 // percent())
    if number == "auto":
        git = shutil.which("git")
        commits = git and subprocess.run([git, "-C", root, "rev-list", "--count", "HEAD"], capture_output=True, text=True)
        number = int(commits.stdout) % int(of) if commits and commits.returncode == 0 else 0
        print("# part %d of %s: all of it with --part %d/%s" % (number, of, number, of))
    return int(number), int(of)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build")
    parser.add_argument("root")
    parser.add_argument("shim")
    parser.add_argument("--kind", action="append")
    parser.add_argument("--case", action="append")
    parser.add_argument("--part")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    build = os.path.realpath(arguments.build)
    bench = Bench(build, os.path.realpath(arguments.root), os.path.realpath(arguments.shim))
    chosen = [case for case in case_list.cases(os.path.exists(os.path.join(build, "cm200-view")))
              if not arguments.case or case.name in arguments.case]
    if arguments.list:
        for case in chosen:
            print("%-18s %s" % (case.name, " ".join(case.words)))
        return 0
    sanitized = b"__asan_init" in open(os.path.join(build, "cm200"), "rb").read()
    part = part_of(arguments.part, arguments.root)
    tap = Tap()
    if not arguments.case:
        tap.report("every command and kind of step has a case", missing_of(bench, chosen))
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for case in chosen:
            outcome = bench.reference(case)
            fine = tap.report("without a fault: %s" % case.name,
                              [] if outcome.code == case.code else ["exit code %s: %s" % (outcome.code, outcome.err)])
            for kind in arguments.kind or ("alloc", "write", "signal", "standard"):
                if fine and kind == "standard":
                    check_standard(tap, bench, pool, case, sanitized, part)
                elif fine:
                    check_points(tap, bench, pool, case, kind, part)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
