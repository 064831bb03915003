"""What programs print: streamed within bounds of memory and of --max-output, and a reader that goes away ends every command.

usage: check-output.py BUILD SOURCE_ROOT
"""

import os
import resource
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "faults"))

import cases as case_list  # noqa: E402: the path is set above
from run import Bench  # noqa: E402
from tap import Tap, arguments  # noqa: E402

SECONDS = 120
SMALL = 64 << 10  # kB of memory that a program that streams may take; it prints as much as that
LARGE = 400 << 10  # kB, where the output is kept: up to 64 MiB, as text and as JSON
DEFAULT_BYTES = 64 << 20
FOREVER = "program t\n10 print *, 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'\ngoto 10\nend\n"
LOOP = "program t\ndo i = 1, 30000\nprint *, 'line', i\nend do\n10 goto 10\nend\n"
PRINTER = FOREVER.replace("program t", "subroutine smooth(u, n)\ninteger n\nreal u(n, n)")
KEPT = "program t\ninteger :: i\ndo i = 1, 2000\nwrite (*, '(I5, A)', advance='no') i, 'x'\nend do\nprint *, 'end'\nend\n"
MANY = "program t\nprint *, (1, i = 1, 2000000000)\nend\n"
LINES = "program t\nprint '(50000(100(''abcdefghijklmnopqrstuvwxyz'' /)))'\nend\n"
CLOSED = 128 + signal.SIGPIPE
END = 3  # exit code of a program that is refused


class Programs:
    def __init__(self, build, folder):
        self.cm200 = os.path.join(build, "cm200")
        self.folder = folder

    def write(self, text):
        path = os.path.join(self.folder, "p.f90")
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        return path

    def __call__(self, text, *options, command=("run",)):
        """Returns the exit code, the length of the output, its last bytes, the messages, and the memory it took in kB."""
        words = [self.cm200, *command, *options, self.write(text)]
        length, last = 0, b""
        with tempfile.TemporaryFile() as messages:
            process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=messages)
            while chunk := process.stdout.read(1 << 20):
                length, last = length + len(chunk), (last + chunk)[-100:]
            process.stdout.close()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            messages.seek(0)
            return process.returncode, length, last, messages.read().decode(), usage.ru_maxrss


def expect(*pairs):
    return ["%r, expected %r" % pair for pair in pairs if pair[0] != pair[1]]


def bounds(tap, run, sanitized):
    code, length, _, err, peak = run(FOREVER, "-t", "1")
    problems = expect((code, END), (length, DEFAULT_BYTES))
    problems += [] if "p.f90:2:" in err and "--max-output" in err else [err]
    problems += [] if sanitized or peak < SMALL else ["%d kB of memory" % peak]
    tap.report("output without end stops at 64 MiB, in little memory", problems)
    problems = []
    for text, bytes_ in (("1", 1), ("1000", 1000), ("3k", 3 << 10), ("2M", 2 << 20)):
        code, length, _, err, _ = run(FOREVER, "-t", "1", "--max-output", text)
        problems += expect((code, END), (length, bytes_)) + ([] if "more than %d bytes" % bytes_ in err else [err])
    tap.report("--max-output is the number of bytes", problems)
    problems = []
    for text in ("0", "0k", "k", "1kk", "-1", "1.5M", "1T", "9999999999G", "0x10"):
        code, length, _, err, _ = run(FOREVER, "--max-output=" + text)
        problems += expect((code, 2), (length, 0)) + ([] if "as in 4096, 64k" in err else [err])
    tap.report("a wrong size is refused", problems)
    code, length, _, err, peak = run(FOREVER, "-t", "1", "--json")
    problems = expect((code, END), (length, 0)) + ([] if sanitized or peak < LARGE else ["%d kB of memory" % peak])
    tap.report("output that is kept takes bounded memory", problems)
    code, length, _, err, peak = run(LINES, "-t", "1")
    problems = expect((code, END), (length, DEFAULT_BYTES)) + ([] if sanitized or peak < SMALL else ["%d kB of memory" % peak])
    tap.report("a statement of many lines is streamed", problems)
    code, length, _, err, _ = run(MANY, "-t", "1")
    tap.report("a statement of too many items is refused", expect((code, END), (length, 0)) +
               ([] if "p.f90:2:" in err and "items" in err else [err]))
    code, _, out, err, peak = run(PRINTER, "12", "--check", command=("lesson",))
    problems = expect((code, 1), (err, "")) + ([] if b"p.f90:4:" in out and b"prints more" in out else [out])
    problems += [] if sanitized or peak < SMALL else ["%d kB of memory" % peak]
    tap.report("the judge of lessons stops a program that prints without end", problems)


def while_running(tap, run):
    """What is printed arrives while the program goes on, and Ctrl-C ends it also if nobody reads."""
    problems = []
    for text, reads in ((LOOP, False), (FOREVER, False)):
        process = subprocess.Popen([run.cm200, "run", "-t", "1", run.write(text)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        first = os.read(process.stdout.fileno(), 100)
        problems += [] if len(first) == 100 and process.poll() is None else ["%r first" % first]
        process.send_signal(signal.SIGINT)
        try:
            process.wait(timeout=SECONDS)
            problems += expect((process.returncode, 130), (process.stderr.read(), b"cm200: interrupted\n"))
        except subprocess.TimeoutExpired:
            process.kill()
            problems += ["does not end"]
        process.communicate()
    tap.report("output arrives while a program runs, and a signal ends it while nobody reads", problems)
    code, _, last, err, _ = run(KEPT, "-t", "1", "--quiet")
    tap.report("lines that are continued stay whole", expect((code, 0), (last[-17:], b" 1999x 2000x end\n")) + ([err] if err else []))


def closed_pipes(tap, bench):
    """Every command with a standard output whose reader is gone, and no longer than a run by itself."""
    for case in case_list.cases(False):
        reference = bench.reference(case)
        ends = os.pipe()
        os.close(ends[0])
        outcome = bench.run(case, stdout=os.fdopen(ends[1], "wb"))
        expected = CLOSED if reference.out else case.code
        problems = expect((outcome.code, expected))
        problems += [] if outcome.err == reference.err else ["a message: %r" % outcome.err]
        problems += ["%s is half written" % name for name, content in outcome.files.items()
                     if content not in (reference.files.get(name), case.outputs.get(name))]
        tap.report("a closed pipe ends %s" % case.name, problems)


def closed_program(tap, run):
    with subprocess.Popen([run.cm200, "run", run.write(FOREVER)], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.read(1000)
        process.stdout.close()
        code, err = process.wait(timeout=SECONDS), process.stderr.read()
    tap.report("a closed pipe ends a program that prints", expect((code, CLOSED), (err, b"")))


def main():
    build, root = arguments(__doc__, 2)[:2]
    build = os.path.abspath(build)
    with open(os.path.join(build, "cm200"), "rb") as file:
        sanitized = b"__asan_init" in file.read()
    tap = Tap()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory() as folder:
        run = Programs(build, folder)
        bounds(tap, run, sanitized)
        while_running(tap, run)
        closed_program(tap, run)
        closed_pipes(tap, Bench(build, os.path.abspath(root), ""))
    return tap.done()


sys.exit(main())
