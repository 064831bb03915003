"""Ctrl-C at random times: what is in FILE.partial is what the complete steps took."""

import csv
import json
import os
import random
import re
import signal
import subprocess
import sys
import time

MACHINE = sys.argv[1]
KEYS = ("cycles", "cycles_by_cause", "exchanges", "loads", "stores", "page_faults", "words_sent", "channels")
problems = []


def expect(what, right):
    if not right:
        problems.append(what)


def interrupted(words, sign, wait, number=signal.SIGINT, twice=False):
    """Starts cm200, sends it the signal at some time after the file `sign` has grown, by which it is at its steps, or after
    its first line of progress (None); returns the exit code and what it said."""
    run = subprocess.Popen(["cm200", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 30
    before = run.stderr.readline() if sign is None else ""
    while sign not in (None, "/dev/null") and time.monotonic() < until and (not os.path.exists(sign) or os.path.getsize(sign) < 1000):
        time.sleep(0.01)
    time.sleep(wait)
    run.send_signal(number)
    if twice:
        run.send_signal(number)
    begun = time.monotonic()
    out, err = run.communicate(timeout=60)
    expect("it took %.1f s to end" % (time.monotonic() - begun), time.monotonic() - begun < 20)
    return run.returncode, out, before + err


def load(name):
    with open(name) as file:
        return json.load(file)


def remove(*names):
    for name in names:
        if os.path.exists(name):
            os.remove(name)


def complete_steps(done):
    """The result of a workload that has exactly so many steps."""
    workload = load("w.json")
    body = workload["steps"][0]["repeat"]["steps"]
    steps = body[:done % len(body)]
    if done >= len(body):
        steps = [{"repeat": {"times": done // len(body), "steps": body}}] + steps
    workload["steps"] = steps
    with open("complete.json", "w") as file:
        json.dump(workload, file)
    out = subprocess.run(["cm200", "run", "--json", "--machine", MACHINE, "complete.json"], stdout=subprocess.PIPE, check=True).stdout
    return json.loads(out)


def by_op(result):
    sums = {}
    for step in result["steps"]:
        if step["times"] > 0:
            times, cycles = sums.get(step["op"], (0, 0))
            sums[step["op"]] = (times + step["times"], cycles + step["cycles"])
    return sums


def workload(wait, number, code):
    remove("r.json.partial", "t.trace.partial")
    found, out, err = interrupted(["run", "-q", "--machine", MACHINE, "-o", "r.json", "--trace", "t.trace", "w.json"], "t.trace.part", wait, number)
    expect("exit code %d" % found, found == code)
    expect("a file of the run is left: %s" % os.listdir("."), not any(os.path.exists(n) for n in ("r.json", "t.trace", "t.trace.part")))
    partial = load("r.json.partial")
    expect("not marked", partial["partial"] is True and partial["steps_total"] == 300000000)
    expect("nothing was done", partial["steps_done"] > 0)
    whole = complete_steps(partial["steps_done"])
    for key in KEYS:
        expect("%s after %d steps" % (key, partial["steps_done"]), partial[key] == whole[key])
    expect("steps", by_op(partial) == by_op(whole))
    expect("causes of the steps", all(sum(s["cycles_by_cause"].values()) == s["cycles"] for s in partial["steps"]))
    shown = subprocess.run(["cm200", "export", "t.trace.partial", "--format", "csv"], capture_output=True, text=True, check=True)
    expect("export says nothing of the end", "no end" in shown.stderr)
    expect("trace", len(list(csv.reader(shown.stdout.splitlines()))) == 64 * 6 * 2 + 1)


def program(wait):
    remove("f.json.partial")
    found, out, err = interrupted(["run", "-q", "-n", "16", "--machine", MACHINE, "-o", "f.json", "--trace", "f.trace", "j.fcm"],
                                  "f.trace.part", wait)
    partial = load("f.json.partial")
    step = partial["steps"][0]
    expect("program", found == 130 and partial["partial"] is True and not os.path.exists("f.json"))
    expect("lines of the program", sum(line["cycles"] for line in step["lines"]) == partial["cycles"] == step["cycles"] > 0)
    expect("output of the program", out.splitlines() == step["output"])
    body = {line["line"]: line["times"] for line in step["lines"]}
    expect("times of its lines: %s" % body, body[6] - body.get(7, 0) in (0, 1))


def sweep():
    words = ["sweep", "w.json", "--machine", MACHINE, "--timing-only", "--over", "steps/0/repeat/times=%s",
             "--over", "memory.page_words=256,512", "--over", "memory.store_cycles=2:101:1", "--csv", "s.csv", "-q"]
    words[6] = words[6] % "10,20"
    found, out, err = interrupted(words, "s.csv.journal", 0)
    expect("sweep: exit code %d" % found, found == 130 and not os.path.exists("s.csv"))
    rows = list(csv.DictReader(open("s.csv.partial", newline="")))
    expect("sweep: rows", 0 < len(rows) < 400 and all(row["partial"] == "%d of 400 runs" % len(rows) for row in rows))
    subprocess.run(["cm200", *words], check=True)
    whole = {row["run"]: row for row in csv.DictReader(open("s.csv", newline=""))}
    expect("sweep: all rows", len(whole) == 400 and not os.path.exists("s.csv.partial"))
    for row in rows:
        del row["partial"]
        expect("sweep: run " + row["run"], row == whole[row["run"]])


def rows_of(name):
    with open(name, newline="") as file:
        return list(csv.DictReader(file))


def shift_table(wait):
    """The rows of the q that were counted are those of a whole table of these q, in each of the files."""
    remove("t.csv.partial", "t.json.partial", "t.svg.partial", "t.csv.partial.made_by.json")
    words = ["shift", "--machine", MACHINE, "--nodes", "2048", "--by"]
    found, out, err = interrupted([*words, "all", "--csv", "t.csv", "-o", "t.json", "--figure", "t.svg"], "/dev/null", 0.3 + wait)
    expect("shift: exit code %d, printed %r" % (found, out[:80]), found == 130 and out == "")
    expect("shift: files", not any(os.path.exists(n) for n in ("t.csv", "t.json", "t.svg", "t.csv.made_by.json")))
    rows, result = rows_of("t.csv.partial"), load("t.json.partial")
    done = result["q_done"]
    expect("shift: q", 0 < done < 2047 and int(rows[-1]["q"]) == done and result["q_total"] == 2047)
    expect("shift: mark", result["partial"] is True and all(r.pop("partial") == "%d of 2047 q" % done for r in rows))
    with open("t.svg.partial", encoding="utf-8") as file:
        expect("shift: title", "partial: %d of 2047 q" % done in file.read())
    load("t.csv.partial.made_by.json")
    subprocess.run(["cm200", *words, "1:%d" % done, "-q", "--csv", "part.csv", "-o", "part.json"], check=True)
    expect("shift: rows", rows == rows_of("part.csv"))
    for row in result["shifts"]:
        del row["partial"]
    expect("shift: rows of JSON", result["shifts"] == load("part.json")["shifts"])


def routed_batch(wait):
    """All to all on 1,024 nodes, interrupted: packets that arrived until then are those of the whole run."""
    remove("c.csv.partial", "p.csv.partial")
    words = ["route", "-q", "--machine", MACHINE, "-n", "1024", "-p", "all-to-all", "--words", "64", "--csv", "c.csv", "--packets", "p.csv"]
    found, out, err = interrupted([*words, "--progress=0.05"], None, wait / 5)
    expect("route: exit code %d: %s" % (found, err), found == 130 and not os.path.exists("c.csv") and not os.path.exists("p.csv"))
    channels, packets = rows_of("c.csv.partial"), rows_of("p.csv.partial")
    marks = {row["partial"] for row in channels + packets}
    expect("route: marks %s" % marks, len(marks) == 1)
    word_times = int(marks.pop().split()[2])
    arrived = [int(row["arrived"]) for row in packets]
    expect("route: packets", len(packets) > 0 and max(arrived) <= word_times)
    expect("route: channels", len(channels) == 1024 * 10 * 2 and max(int(row["words"]) for row in channels) <= word_times)
    hops = sum(int(row["hops"]) for row in packets)
    expect("route: words", hops * 64 <= sum(int(row["words"]) for row in channels))
    for row in packets:
        distance = bin(int(row["source"]) ^ int(row["destination"])).count("1")
        if int(row["hops"]) != distance or int(row["latency"]) < distance:
            expect("route: packet %s" % row, False)


def rates(wait):
    """Of several rates those that ended are in the table, as a run of these rates alone has them."""
    remove("l.csv.partial", "r.csv")
    words = ["route", "-q", "--machine", MACHINE, "-n", "64", "-p", "random", "--words", "8", "--measure", "20000", "--rate"]
    found, out, err = interrupted([*words, "0.001:0.3:0.001", "--csv", "l.csv", "--progress=0.2"], None, 0.5 + wait)
    rows = rows_of("l.csv.partial")
    expect("rates: exit code %d" % found, found == 130 and not os.path.exists("l.csv"))
    expect("rates: time left: %s" % err, ", rate " in err and " of 300, " in err and " left" in err)
    expect("rates: mark", rows and all(row.pop("partial") == "%d of 300 rates" % len(rows) for row in rows))
    subprocess.run(["cm200", *words, "0.001:%.3f:0.001" % (len(rows) / 1000 + 0.0001), "--csv", "r.csv"], check=True)
    expect("rates: rows", rows == rows_of("r.csv"))


def one_step():
    """A run of one step tells the time left from its cycles; of a program without end nothing."""
    version = subprocess.run(["cm200", "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    slow = re.search("sanitizers +no\n", version) is None  # by ten times; half a second counts its cycles
    sort = {"format": "cm200-workload/1", "nodes": 2048, "steps": [{"sort": {"dst": "b", "src": "a", "dim": 1}}],
            "arrays": {"a": {"shape": [1048576, 1 if slow else 8], "type": "real64", "init": {"random": 7}}, "b": {"like": "a"}}}
    with open("sort.json", "w") as file:
        json.dump(sort, file)
    run = subprocess.run(["timeout", "--signal=INT", "5", "cm200", "run", "-q", "--progress=0.3", "--machine", MACHINE, "sort.json"],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    lines = [line for line in run.stderr.splitlines() if line.startswith("cm200: step 0 of 1, ")]
    expect("one step: %s" % lines, lines and all(line.endswith(" left") for line in lines[1:]))


random.seed()
for number, code in ((signal.SIGINT, 130), (signal.SIGINT, 130), (signal.SIGTERM, 143)):
    workload(random.random() / 2, number, code)
program(random.random() / 2)
sweep()
shift_table(random.random() / 2)
routed_batch(random.random() / 2)
rates(random.random() / 2)
one_step()
remove("r.json.partial")
code, out, err = interrupted(["run", "-q", "--machine", MACHINE, "-o", "r.json", "--trace", "t.trace", "w.json"],
                             "t.trace.part", 0, twice=True)
expect("twice", code == 130 and not os.path.exists("r.json"))
lines = subprocess.run(["timeout", "--signal=INT", "1.5", "cm200", "run", "-q", "--progress=0.2", "--machine", MACHINE, "w.json"],
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stderr.splitlines()
expect("progress: %s" % lines, any(line.startswith("cm200: step ") and line.endswith(" left") for line in lines))
print("; ".join(problems) or "right")
