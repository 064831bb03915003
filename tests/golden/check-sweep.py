"""Sweeps against runs made one by one, and sweeps that are killed against one that is not.

usage: check-sweep.py CM200 SOURCE_ROOT [SEED]

The rows of a sweep must hold what `cm200 run --json` says of the same settings. A sweep that is killed ten times at random
moments must end with the same table as one that was left alone. So must a sweep whose journal was damaged at random bits, unless
it is refused.
"""

import csv
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from tap import Tap, arguments  # noqa: E402: the path is set above

TIMEOUT_SECONDS = 300
KILLS = 10
SIGNAL_SECONDS = 2  # until a signal has ended everything; a second is promised, and the host may be busy
DAMAGES = 200  # of which CM_TEST_PERCENT are tried
WORKLOAD = """{
  "format": "cm200-workload/1", "nodes": 16, "parameters": {"L": 16},
  "arrays": { "a": { "shape": ["$L", "$L"], "type": "real32", "init": { "random": 3 } }, "b": { "like": "a" } },
  "steps": [ { "pshift": [ { "type": "cshift", "dst": "b", "src": "a", "dim": 1, "distance": 1 } ] } ]
}
"""


class Sweeps:
    def __init__(self, cm200, folder):
        self.cm200 = cm200
        self.folder = folder
        self.workload = self.path("w.json")
        with open(self.workload, "w", encoding="utf-8") as file:
            file.write(WORKLOAD)

    def path(self, name):
        return os.path.join(self.folder, name)

    def command(self, name, *options):
        return [self.cm200, "sweep", self.workload, "--machine", MACHINE, "--csv", self.path(name), "--quiet", *options]

    def __call__(self, name, *options):
        done = subprocess.run(self.command(name, *options), capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
        return done.returncode, done.stderr

    def rows(self, name):
        with open(self.path(name), encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))


def same_as_a_run(sweeps, row):
    """What differs between a row and the result of the run that it stands for."""
    options = ["--param", "L=" + row["param.L"], "--nodes", row["option.nodes"],
               "--set", "memory.page_words=" + row["memory.page_words"]]
    with open(sweeps.workload, encoding="utf-8") as file:
        workload = json.load(file)
    workload["steps"][0]["setup"] = row["steps/0/pshift/setup"]
    path = sweeps.path("one.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(workload, file)
    done = subprocess.run([sweeps.cm200, "run", path, "--machine", MACHINE, "--json", *options], capture_output=True,
                          text=True, timeout=TIMEOUT_SECONDS)
    if done.returncode != 0:
        return [] if row["error"] and row["error"] in done.stderr else ["run %s: %s" % (row["run"], done.stderr)]
    result = json.loads(done.stdout)
    expected = {"cycles": result["cycles"], "exchanges": result["exchanges"], "nodes": result["nodes"],
                "steps/0/path": result["steps"][0]["path"], "parameters/L": result["parameters"]["L"],
                "version": result["version"], "mismatches": result["mismatches"],
                "channels/max_load": result["channels"]["max_load"]}
    expected.update(("cycles_by_cause/" + cause, n) for cause, n in result["cycles_by_cause"].items())
    expected.update(("machine_values/" + key, n) for key, n in result["machine_values"].items())
    return ["run %s: %s is %s, expected %s" % (row["run"], key, row.get(key), value)
            for key, value in expected.items() if row.get(key) != str(value)]


def grid(tap, sweeps):
    code, err = sweeps("grid.csv", "--over", "memory.page_words=64:1024:*4", "--over", "param.L=8:24:8", "--over",
                       "option.nodes=1,16,3", "--over", "steps/0/pshift/setup=unrolled,looped", "--json-lines",
                       sweeps.path("grid.jsonl"), "--figure", sweeps.path("grid.svg"), "--x", "param.L", "--group",
                       "option.nodes", "--columns", "all")
    problems = [] if code == 2 and "have the same x" in err else ["exit %d: %s" % (code, err)]
    tap.report("a figure whose lines would meet is refused, and nothing is lost", problems)
    code, err = sweeps("grid.csv", "--over", "memory.page_words=64:1024:*4", "--over", "param.L=8:24:8", "--over",
                       "option.nodes=1,16,3", "--over", "steps/0/pshift/setup=unrolled,looped", "--json-lines",
                       sweeps.path("grid.jsonl"), "--columns", "all")
    rows = sweeps.rows("grid.csv")
    problems = [] if code == 3 else ["exit %d, expected 3 for nodes 3: %s" % (code, err)]
    problems += [] if len(rows) == 54 else ["%d rows" % len(rows)]
    order = [(int(r["memory.page_words"]), int(r["param.L"]), r["option.nodes"], r["steps/0/pshift/setup"]) for r in rows]
    expected = [(p, l, n, s) for p in (64, 256, 1024) for l in (8, 16, 24) for n in ("1", "16", "3")
                for s in ("unrolled", "looped")]
    problems += [] if order == expected else ["the rows are in another order"]
    tap.report("the grid is there, its first axis slowest", problems)
    tap.report("each row is what the same run by itself gives", [p for row in rows for p in same_as_a_run(sweeps, row)])
    with open(sweeps.path("grid.jsonl"), encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    problems = ["line %d" % i for i, line in enumerate(lines) if line["run"] != i or ("result" in line) == ("error" in line)]
    problems += ["run %s" % row["run"] for row, line in zip(rows, lines)
                 if "result" in line and str(line["result"]["cycles"]) != row["cycles"]]
    tap.report("a line of JSON for each run, with the same cycles", problems)


TRAFFIC = """{
  "format": "cm200-workload/1", "nodes": 16, "arrays": {}, "check": true,
  "steps": [ { "route": { "pattern": "random", "words": 4, "rate": 0.1, "measure": 1000 } } ]
}
"""


def flat(value, path=""):
    """Every value of a result, by its path."""
    if isinstance(value, (dict, list)):
        parts = value.items() if isinstance(value, dict) else enumerate(value)
        return {k: v for key, part in parts for k, v in flat(part, "%s/%s" % (path, key) if path else str(key)).items()}
    return {path: value}


def same_value(cell, value):
    if isinstance(value, bool):
        return cell == str(int(value))
    if isinstance(value, (int, float)):
        return float(cell) == value
    return cell == (value or "")


def traffic(tap, sweeps):
    """Numbers of a result as columns and axes."""
    pshift, sweeps.workload = sweeps.workload, sweeps.path("traffic.json")
    with open(sweeps.workload, "w", encoding="utf-8") as file:
        file.write(TRAFFIC)
    over = ("--over", "steps/0/route/rate=0.1:0.9:0.4", "--over", "steps/0/route/seed=1,2", "--json-lines", sweeps.path("t.jsonl"))
    code, err = sweeps("t.csv", *over)
    rows = sweeps.rows("t.csv")
    with open(sweeps.path("t.jsonl"), encoding="utf-8") as file:
        results = [flat(json.loads(line)["result"]) for line in file]
    problems = [] if code == 0 and len(rows) == 6 else ["exit %d: %s" % (code, err)]
    problems += [key + " is missing" for key in ("cycles", "cycles_by_cause/router", "steps/0/latency/mean", "steps/0/saturated",
                                                 "steps/0/throughput_words_per_node_cycle") if key not in rows[0]]
    problems += ["%d columns" % len(rows[0])] if len(rows[0]) > 50 else []
    problems += [key for key in rows[0] if key.startswith("machine_values")]
    problems += ["run %s: %s is %s, expected %s" % (row["run"], key, row[key], result[key]) for row, result in zip(rows, results)
                 for key in row if key in result and not same_value(row[key], result[key])]
    with open(sweeps.path("t.csv.made_by.json"), encoding="utf-8") as file:
        made_by = json.load(file)
    problems += ["made_by: " + key for key, value in made_by["same"].items()
                 if any(result[key] != value for result in results)]
    problems += ["made_by has no " + key for key in results[0] if key.startswith("machine_values/") and key not in made_by["same"]]
    tap.report("a table of traffic has latency, throughput and verdict, and next to it what all rows share", problems)
    code, err = sweeps("t.csv", *over, "--columns", "steps/0/latency,steps/0/throughput,steps/0/busiest/0/words", "--figure",
                       sweeps.path("t.svg"), "--x", "steps/0/route/rate", "--y", "steps/0/throughput", "--group",
                       "steps/0/route/seed", "--title", "Traffic", "--x-title", "load", "--y-title", "taken")
    rows = sweeps.rows("t.csv") if code == 0 else [{}]
    expected = ["run", "steps/0/route/rate", "steps/0/route/seed"] + [
        key for key in results[0] if key.startswith(("steps/0/latency/", "steps/0/throughput_words")) or key.endswith("busiest/0/words")]
    problems = [] if sorted(rows[0]) == sorted(expected) else ["exit %d: %s %s" % (code, err, sorted(rows[0]))]
    with open(sweeps.path("t.svg"), encoding="utf-8") as file:
        drawn = file.read()
    problems += ["the figure has no " + word for word in (">Traffic<", ">load<", ">taken<", "<polyline") if word not in drawn]
    tap.report("any number of a result is a column and an axis", problems)
    code, err = sweeps("t.csv", *over, "--columns", "steps/0/latency/men")
    problems = [] if code == 2 and "steps/0/latency/mean" in err else ["exit %d: %s" % (code, err)]
    code, err = sweeps("t.csv", *over, "--figure", sweeps.path("t.svg"), "--x", "steps/0/rate")
    problems += [] if code == 2 and "steps/0/route/rate" in err else ["exit %d: %s" % (code, err)]
    tap.report("a column that no run has is refused, and those that there are are listed", problems)
    sweeps.workload = pshift


def killed(tap, sweeps, seed):
    """A sweep that takes about a second, killed again and again."""
    options = ("--over", "memory.page_words=16:2016:1", "--over", "param.L=32")
    start = time.monotonic()
    code, err = sweeps("whole.csv", *options)
    seconds = time.monotonic() - start
    dice = random.Random(seed)
    kills = 0
    while kills < KILLS:
        process = subprocess.Popen(sweeps.command("killed.csv", *options), stderr=subprocess.DEVNULL, start_new_session=True)
        time.sleep(dice.uniform(0.2, 1.5) * seconds / KILLS)
        done = process.poll() is not None
        (os.kill if kills % 2 else os.killpg)(process.pid, signal.SIGKILL) if not done else None
        process.wait()
        if done:
            break
        kills += 1
        time.sleep(0.05)  # the kernel ends the workers of a killed sweep
    again, _ = sweeps("killed.csv", *options)
    with open(sweeps.path("whole.csv"), "rb") as one, open(sweeps.path("killed.csv"), "rb") as other:
        same = one.read() == other.read()
    problems = [] if code == 0 and again == 0 else ["exits %d and %d: %s" % (code, again, err)]
    problems += [] if same else ["the tables differ"]
    problems += ["the journal is left"] if os.path.exists(sweeps.path("killed.csv.journal")) else []
    problems += [] if kills >= 2 else ["killed %d times only" % kills]
    tap.report("killed %d times (seed %d): the same table" % (kills, seed), problems)


def interrupted(tap, sweeps):
    options = ("--over", "memory.page_words=16:40016:1", "--over", "param.L=64")
    process = subprocess.Popen(sweeps.command("i.csv", *options), stderr=subprocess.PIPE, text=True)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    err = process.communicate(timeout=TIMEOUT_SECONDS)[1]
    problems = [] if process.returncode == 130 and "goes on" in err else ["exit %d: %s" % (process.returncode, err)]
    problems += [] if os.path.getsize(sweeps.path("i.csv.journal")) > 1000 else ["nothing is in the journal"]
    code, err = sweeps("i.csv", "--over", "memory.page_words=16,32")
    problems += [] if code == 3 and "another sweep" in err else ["another sweep: exit %d: %s" % (code, err)]
    tap.report("Ctrl-C keeps what is done, and another sweep does not take it for its own", problems)


class Damages:
    """A journal whose sweep is complete, and what the same command makes of damaged copies of it."""

    OPTIONS = ("--over", "memory.page_words=64,256", "--over", "param.L=8:24:8", "--over", "option.nodes=1,16,3", "--jobs", "2")

    def __init__(self, sweeps):
        self.sweeps = sweeps
        self.path = sweeps.path("damaged.csv.journal")
        # The figure is refused, so the journal stays.
        sweeps("damaged.csv", *self.OPTIONS, "--figure", sweeps.path("damaged.svg"), "--x", "param.L")
        with open(self.path, "rb") as file:
            self.journal = file.read()
        self.code, _ = sweeps("damaged.csv", *self.OPTIONS)
        self.table = self.read_table()

    def read_table(self):
        with open(self.sweeps.path("damaged.csv"), "rb") as file:
            return file.read()

    def go_on(self, journal):
        """The problems of a sweep that goes on from a journal, and its messages."""
        with open(self.path, "wb") as file:
            file.write(journal)
        code, err = self.sweeps("damaged.csv", *self.OPTIONS)
        if code not in (self.code, 3, 4) or "memory" in err:
            return ["exit %d: %s" % (code, err)], err
        if os.path.exists(self.path):  # refused
            os.unlink(self.path)
            return ([] if code == 3 and "damaged.csv.journal:1:" in err else ["exit %d: %s" % (code, err)]), err
        return ([] if self.read_table() == self.table else ["another table: %s" % err]), err

    def flip(self, dice):
        bytes_ = bytearray(self.journal)
        flips = [dice.randrange(8 * len(bytes_)) for _ in range(dice.choice((1, 1, 1, 2, 5, 40)))]
        for bit in flips:
            bytes_[bit // 8] ^= 1 << bit % 8
        return bytes(bytes_), flips


def damaged(tap, sweeps, seed):
    damages = Damages(sweeps)
    dice = random.Random(seed)
    problems = [] if damages.code == 3 and damages.journal.count(b"\n") == 19 else ["no complete journal to damage"]
    for _ in range(max(1, DAMAGES * int(os.environ.get("CM_TEST_PERCENT", "100")) // 100)):
        journal, flips = damages.flip(dice)
        problems += ["bits %s: %s" % (flips, problem) for problem in damages.go_on(journal)[0]]
    tap.report("a journal with flipped bits gives the same table or is refused (seed %d)" % seed, problems)


def named_damage(tap, sweeps):
    damages = Damages(sweeps)
    lines = damages.journal.splitlines(keepends=True)
    done = next(i for i, line in enumerate(lines) if b'"cycles": ' in line)  # runs that are refused have none
    cases = {
        "a changed digit": (lines[:done] + [lines[done].replace(b'"cycles": ', b'"cycles": 9')] + lines[done + 1:],
                            [str(done + 1)]),
        "two lines": (lines[:3] + [b"\n", b"{}\n"] + lines[5:], ["4", "5"]),
        "joined lines": (lines[:7] + [lines[7][:-1]] + lines[8:], ["8"]),
        "a line that is there twice": (lines + lines[3:4], []),
        "lines in another order": (lines[:1] + lines[:0:-1], []),
        "a last line cut off": (lines[:-1] + [lines[-1][:-9]], []),
        "twenty empty lines": (lines + [b"\n"] * 20, ["20", "27"]),
    }
    problems = []
    for name, (changed, expected) in cases.items():
        found, err = damages.go_on(b"".join(changed))
        problems += ["%s: %s" % (name, problem) for problem in found]
        problems += ["%s: line %s is not named: %s" % (name, line, err) for line in expected
                     if "damaged.csv.journal:%s:" % line not in err]
        problems += ["%s: %s" % (name, err)] if not expected and "damaged line" in err else []
    tap.report("damaged lines of a journal are named and run again", problems)
    changed = [lines[0].replace(b'"runs"', b'"rums"')] + lines[1:]
    found, err = damages.go_on(b"".join(changed))
    problems = found + ([] if "journal:1:" in err and "remove" in err else [err])
    tap.report("a journal with a damaged head is refused", problems)


def stopped(tap, sweeps):
    """A signal ends the runs that a sweep is making, also in a worker process that is stopped."""
    path = sweeps.path("long.json")
    workload = json.loads(WORKLOAD)
    workload["steps"] = [{"repeat": {"times": 1000000000, "steps": workload["steps"] * 2}}]
    with open(path, "w", encoding="utf-8") as file:
        json.dump(workload, file)
    problems = []
    for number, stop_workers in ((signal.SIGINT, False), (signal.SIGTERM, True)):
        command = [sweeps.cm200, "sweep", path, "--machine", MACHINE, "--csv", sweeps.path("long.csv"), "--quiet", "--jobs", "2",
                   "--over", "param.L=8,16,24"]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        workers = []
        while len(workers) < 2 and process.poll() is None:
            with open("/proc/%d/task/%d/children" % (process.pid, process.pid), encoding="utf-8") as file:
                workers = [int(word) for word in file.read().split()]
        time.sleep(0.2)
        for worker in workers if stop_workers else []:
            os.kill(worker, signal.SIGSTOP)
        begin = time.monotonic()
        process.send_signal(number)
        err = process.communicate(timeout=TIMEOUT_SECONDS)[1]
        seconds = time.monotonic() - begin
        problems += [] if process.returncode == 128 + number else ["exit %d: %s" % (process.returncode, err)]
        problems += [] if seconds < SIGNAL_SECONDS else ["signal %d: %.1f s" % (number, seconds)]
        problems += ["worker %d is left" % worker for worker in workers if os.path.exists("/proc/%d" % worker)]
    tap.report("one signal ends long runs, and workers that are stopped", problems)


def main():
    global MACHINE
    given = arguments(__doc__, 2)
    MACHINE = os.path.join(given[1], "configs", "cm200.json")
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        sweeps = Sweeps(os.path.abspath(given[0]), folder)
        grid(tap, sweeps)
        traffic(tap, sweeps)
        killed(tap, sweeps, int(given[2]) if len(given) > 2 else random.randrange(1 << 30))
        interrupted(tap, sweeps)
        damaged(tap, sweeps, int(given[2]) if len(given) > 2 else random.randrange(1 << 30))
        named_damage(tap, sweeps)
        stopped(tap, sweeps)
    return tap.done()


sys.exit(main())
