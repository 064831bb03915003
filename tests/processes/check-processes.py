"""One machine over several processes: results, traces and arrays are those of one process, and faults are reported once.

usage: check-processes.py CM200 SOURCE_ROOT [--all]

Examples run on 2, 4 or 8 processes with 1 or 2 threads, each in one of these ways; with --all, each in all of them, and more of
them. Where the program has MPI, some run under mpirun, too.
"""

import array
import glob
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from tap import Tap, arguments, percent  # noqa: E402: the path is set above

TIMEOUT_SECONDS = 300
WAYS = [(processes, threads) for processes in (2, 4, 8) for threads in (1, 2)]
# All kinds of steps, in examples that take less than a fifth of a second.
QUICK = ("collective", "compute", "end-off", "fall-back", "fft-canonical", "fft", "five-point-pshift", "gather", "lookup", "matmul",
         "qcd", "relaxation", "reshape", "route-blocks", "sort", "stencil-nine-point", "transpose", "call-relax",
         "fortran/figure-5", "fortran/life", "fortran/conjugate-gradients")
TRACED = ("five-point-pshift", "fft", "sort", "route-blocks", "fortran/figure-5")
HOST_KEYS = ("command", "threads", "executor", "wall_seconds", "real_time_factor", "processes", "messages", "message_bytes",
             "message_waits")
MPI_ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}


class Runs:
    def __init__(self, cm200, root, folder):
        self.cm200 = os.path.abspath(cm200)
        self.root = root
        self.folder = folder

    def example(self, name):
        ending = ".fcm" if name.startswith("fortran/") else ".json"
        return os.path.join(self.root, "programs", "examples", name + ending)

    def run(self, *words, before=()):
        return subprocess.run([*before, self.cm200, *words], stdin=subprocess.DEVNULL, capture_output=True, check=False,
                              timeout=TIMEOUT_SECONDS, env={**os.environ, **MPI_ENVIRONMENT}, cwd=self.folder)


def without_host(value):
    """A result without what depends on the host."""
    if isinstance(value, dict):
        return {key: without_host(part) for key, part in value.items() if key not in HOST_KEYS}
    return [without_host(part) for part in value] if isinstance(value, list) else value


def result(done):
    return without_host(json.loads(done.stdout)) if done.returncode == 0 else (done.returncode, done.stdout, done.stderr)


def check_examples(tap, runs, names, every):
    for number, name in enumerate(names):
        path = runs.example(name)
        alone = runs.run("run", "--json", "--threads", "1", path)
        problems = []
        for processes, threads in WAYS if every else [WAYS[number % len(WAYS)]]:
            done = runs.run("run", "--json", "--processes", str(processes), "--threads", str(threads), path)
            if result(done) != result(alone) or done.stderr != alone.stderr:
                problems.append("%d processes, %d threads: another result\n%s" % (processes, threads, done.stderr.decode()))
        tap.report("%s gives the same result" % name, problems)


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def check_traces(tap, runs, names):
    for number, name in enumerate(names):
        files = [os.path.join(runs.folder, "%d.cmtrace" % count) for count in (1, 2, 8)]
        for count, path in zip((1, 2, 8), files):
            runs.run("run", "--quiet", "--processes", str(count), "--trace", path, "--trace-window", "1000:3000",
                     runs.example(name))
        first = contents(files[0])
        problems = ["%s differs" % path for path in files[1:] if contents(path) != first]
        tap.report("%s gives the same trace, byte for byte" % name, problems)


def check_saves(tap, runs):
    paths = [os.path.join(runs.folder, "saved-%d.npy" % count) for count in (1, 4)]
    for count, path in zip((1, 4), paths):
        runs.run("run", "--quiet", "--processes", str(count), "--save", "dst=" + path, runs.example("five-point-pshift"))
    tap.report("the array that is saved is the same, byte for byte",
               ["they differ"] if contents(paths[0]) != contents(paths[1]) else [])


def check_parts(tap, runs):
    """A file in C order of more than one part: read where it is by each process, and written part by part."""
    shape = (1030, 1200)
    header = ("{'descr': '<f8', 'fortran_order': False, 'shape': %r, }" % (shape,)).encode()
    header += b" " * (63 - (10 + len(header)) % 64) + b"\n"
    with open(os.path.join(runs.folder, "values.npy"), "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
        array.array("d", range(shape[0] * shape[1])).tofile(file)
    with open(os.path.join(runs.folder, "parts.json"), "w", encoding="utf-8") as file:
        json.dump({"format": "cm200-workload/1", "machine": os.path.join(runs.root, "configs", "cm200.json"), "nodes": 64,
                   "arrays": {"a": {"shape": shape, "type": "real64", "init": {"npy": "values.npy"}}, "b": {"like": "a"}},
                   "steps": [{"cshift": {"dst": "b", "src": "a", "dim": 2, "distance": 5}}], "check": True}, file)
    alone = runs.run("run", "--json", "--save", "b=one.npy", "parts.json")
    four = runs.run("run", "--json", "--processes", "4", "--save", "b=four.npy", "parts.json")
    problems = [] if result(alone) == result(four) and json.loads(four.stdout)["checked"] else ["another result"]
    with open(os.path.join(runs.folder, "four.npy"), "rb") as file:
        file.seek(128)
        values = array.array("d", file.read())
    wrong = sum(values[i + shape[0] * k] != i * shape[1] + (k + 5) % shape[1]
                for i in range(shape[0]) for k in range(shape[1]))
    if wrong or contents(os.path.join(runs.folder, "one.npy")) != contents(os.path.join(runs.folder, "four.npy")):
        problems.append("%d elements of the file are wrong" % wrong)
    tap.report("a file of values is read, and one written, in parts", problems)


COMMANDS = (
    ("shift", "--by", "5", "--topology", "mesh", "--words", "100", "--nodes", "64"),
    ("fft", "--array", "4096", "--transform", "forward", "--nodes", "64"),
    ("reshape", "--from", "64x64", "--to", "16x256", "--nodes", "64"),
    ("route", "--pattern", "bit-reversal", "--nodes", "64"),
)


def check_commands(tap, runs):
    for words in COMMANDS:
        alone, four = runs.run(*words, "--json"), runs.run(*words, "--json", "--processes", "4")
        tap.report("cm200 %s gives the same result" % words[0],
                   [] if alone.returncode == 0 and result(alone) == result(four)
                   else ["exit codes %d and %d\n%s%s" % (alone.returncode, four.returncode, alone.stderr.decode(),
                                                         four.stderr.decode())])


def expect(tap, name, done, code, *texts):
    said = done.stderr.decode("utf-8", "backslashreplace")
    problems = [] if done.returncode == code else ["exit code %d, expected %d" % (done.returncode, code)]
    problems += ["%r is said %d times, expected once:\n%s" % (text, said.count(text), said)
                 for text in texts if said.count(text) != 1]
    tap.report(name, problems)


def check_refusals(tap, runs, before=(), option="--processes"):
    """Mistakes are reported once. Under mpirun, `before` is a function of the number of processes."""
    def run(count, *words):
        return runs.run(*words, before=before(count)) if before else runs.run(*words, option, str(count))

    with open(os.path.join(runs.folder, "bad.json"), "w", encoding="utf-8") as file:
        file.write('{"format": "cm200-workload/1", "arrays": 3}')
    kind = "mpirun" if before else "--processes"
    example = runs.example("relaxation")
    expect(tap, kind + ": a bad workload is reported once", run(4, "run", "bad.json"), 3, "bad.json:1:")
    expect(tap, kind + ": a number of processes that is not a power of two is refused", run(3, "run", example), 2,
           "must be a power of two", "hint: ")
    expect(tap, kind + ": more processes than nodes are refused", run(8, "run", "--nodes", "4", example), 3,
           "8 processes for 4 nodes", "hint: use at most 4 processes")
    expect(tap, kind + ": a fault of a program is reported once", run(4, "run", faulty(runs)), 3, "twice before an exchange")
    expect(tap, kind + ": a file that is missing is reported once", run(4, "run", "nowhere.json"), 4, "nowhere.json")


def faulty(runs):
    """A workload whose microprogram loads a slot twice."""
    with open(os.path.join(runs.folder, "twice.imp"), "w", encoding="utf-8") as file:
        file.write(".imp twice\n.address a\n    aarg r0, a\n    load A.3, [r0]\n    load A.3, [r0]\n    halt\n")
    path = os.path.join(runs.folder, "twice.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"format": "cm200-workload/1", "machine": os.path.join(runs.root, "configs", "cm200.json"), "nodes": 64,
                   "arrays": {"a": {"shape": [64], "type": "real32"}}, "steps": [{"imp": {"file": "twice.imp", "arguments": {"a": "a"}}}]}, file)
    return path


def endless(runs):
    """A workload that goes on until it is stopped."""
    with open(runs.example("relaxation"), encoding="utf-8") as file:
        workload = json.load(file)
    workload["machine"] = os.path.join(runs.root, "configs", "cm200.json")
    workload["steps"][0]["repeat"]["times"] = 100000000
    workload["check"] = False
    path = os.path.join(runs.folder, "endless.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(workload, file)
    return path


def children(pid):
    with open("/proc/%d/task/%d/children" % (pid, pid), encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


def runs_still(pid):
    try:
        with open("/proc/%d/stat" % pid, encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def stopped(runs, stop):
    """Starts four processes, lets `stop` stop them; what they said, and their exit code, and the files that are left."""
    command = [runs.cm200, "run", "--processes", "4", "--result", "stopped.json", endless(runs)]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          cwd=runs.folder) as process:
        while len(children(process.pid)) < 3:
            time.sleep(0.01)
        others = children(process.pid)
        time.sleep(0.5)
        stop(process.pid, others)
        said = process.communicate(timeout=60)[1]
    time.sleep(0.1)
    left = [pid for pid in others if runs_still(pid)]
    done = subprocess.CompletedProcess(command, process.returncode, b"", said)
    return done, ["process %d is still there" % pid for pid in left]


def check_ends(tap, runs):
    done, left = stopped(runs, lambda first, others: os.kill(first, signal.SIGINT))
    expect(tap, "Ctrl-C ends all processes as it ends one", done, 130, "cm200: interrupted", "stopped.json.partial")
    done, more = stopped(runs, lambda first, others: os.kill(others[2], signal.SIGKILL))
    expect(tap, "a process that dies is named", done, 4, "process 3 of 4 ended", "signal 9")
    def hold_then_end(first, others):
        os.kill(others[1], signal.SIGSTOP)
        time.sleep(0.2)
        os.kill(first, signal.SIGTERM)

    done, held = stopped(runs, hold_then_end)
    expect(tap, "SIGTERM ends all processes, also one that is stopped", done, 143, "cm200: interrupted")
    done, still = stopped(runs, lambda first, others: os.kill(first, signal.SIGKILL))
    tap.report("no process stays when others end", left + more + held + still)
    tap.report("no file is half written", [name for name in os.listdir(runs.folder)
                                           if name == "stopped.json" or name.startswith(".cm200")])


def check_mpi(tap, runs):
    mpirun = shutil.which("mpirun")
    version = runs.run("--version").stdout.decode()
    has = any(line.split()[0] == "MPI" and line.split()[1] != "no:" for line in version.splitlines() if line.strip())
    if not has or mpirun is None:
        tap.skip("under mpirun", "the program has no MPI, or there is no mpirun")
        return
    for number, name in enumerate(TRACED):
        path, count = runs.example(name), (2, 4, 8)[number % 3]
        alone = runs.run("run", "--json", path)
        done = runs.run("run", "--json", path, before=(mpirun, "-n", str(count)))
        tap.report("mpirun -n %d: %s gives the same result" % (count, name),
                   [] if result(done) == result(alone) else [done.stderr.decode()])
    with open(runs.example("fft"), "rb") as file:
        text = file.read().replace(b"../../configs", os.path.join(runs.root, "configs").encode())
    given = subprocess.run([mpirun, "-n", "4", runs.cm200, "run", "--json", "-"], input=text, capture_output=True, check=False,
                           timeout=TIMEOUT_SECONDS, env={**os.environ, **MPI_ENVIRONMENT}, cwd=runs.folder)
    expected = result(runs.run("run", "--json", runs.example("fft")))
    found = result(given)
    problems = [given.stderr.decode()] if isinstance(found, tuple) or found["cycles"] != expected["cycles"] else []
    tap.report("mpirun -n 4: a workload from standard input runs", problems)
    check_refusals(tap, runs, lambda count: (mpirun, "-n", str(count)))
    other = runs.run("run", runs.example("fft"),
                     before=(mpirun, "-n", "1", runs.cm200, "run", runs.example("qcd"), ":", "-n", "1"))
    check_mpi_signals(tap, runs, mpirun)
    expect(tap, "mpirun: processes that were given different words are refused", other, 3, "different words")


def ranks(mpirun):
    """The processes that an mpirun has started: rank -> process id."""
    found = {}
    for thread in os.listdir("/proc/%d/task" % mpirun):
        with open("/proc/%d/task/%s/children" % (mpirun, thread), encoding="ascii") as file:
            for pid in file.read().split():
                with open("/proc/%s/environ" % pid, "rb") as environment:
                    rank = [word.split(b"=")[1] for word in environment.read().split(b"\0")
                            if word.startswith(b"OMPI_COMM_WORLD_RANK=")]
                found.update({int(rank[0]): int(pid)} if rank else {})
    return found


def check_mpi_signals(tap, runs, mpirun):
    problems = []
    for rank, number in ((0, signal.SIGTERM), (1, signal.SIGTERM), (1, signal.SIGINT)):
        with subprocess.Popen([mpirun, "-n", "2", runs.cm200, "run", endless(runs)], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env={**os.environ, **MPI_ENVIRONMENT},
                              cwd=runs.folder) as process:
            found = {}
            while len(found) < 2 and process.poll() is None:
                time.sleep(0.05)
                found = ranks(process.pid)
            time.sleep(1)
            os.kill(found[rank], number)
            said = process.communicate(timeout=60)[1].decode()
        if process.returncode != 128 + number or "cm200: interrupted" not in said:
            problems.append("signal %d to rank %d: exit code %d: %s" % (number, rank, process.returncode, said))
    tap.report("mpirun: a signal to any process ends all", problems)


def main():
    cm200, root, *options = arguments(__doc__, 2)
    every = "--all" in options
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(cm200, os.path.abspath(root), folder)
        examples = os.path.join(runs.root, "programs", "examples")
        quick = QUICK if percent() >= 100 else QUICK[::2]
        names = quick if not every else sorted(
            os.path.relpath(os.path.splitext(path)[0], examples)
            for path in glob.glob(examples + "/*.json") + glob.glob(examples + "/fortran/*.fcm"))
        check_examples(tap, runs, names, every)
        check_traces(tap, runs, names if every else TRACED)
        check_saves(tap, runs)
        check_parts(tap, runs)
        check_commands(tap, runs)
        check_refusals(tap, runs)
        check_ends(tap, runs)
        check_mpi(tap, runs)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
