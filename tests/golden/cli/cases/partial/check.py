"""Ctrl-C at random times: what is in FILE.partial is what the complete steps took."""

import csv
import json
import os
import random
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
    """Starts cm200, sends it the signal at some time after the file `sign` has grown, by which it is at its steps;
    returns the exit code and what it said."""
    run = subprocess.Popen(["cm200", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 30
    while time.monotonic() < until and (not os.path.exists(sign) or os.path.getsize(sign) < 1000):
        time.sleep(0.01)
    time.sleep(wait)
    run.send_signal(number)
    if twice:
        run.send_signal(number)
    begun = time.monotonic()
    out, err = run.communicate(timeout=60)
    expect("it took %.1f s to end" % (time.monotonic() - begun), time.monotonic() - begun < 20)
    return run.returncode, out, err


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


random.seed()
for number, code in ((signal.SIGINT, 130), (signal.SIGINT, 130), (signal.SIGTERM, 143)):
    workload(random.random() / 2, number, code)
program(random.random() / 2)
sweep()
remove("r.json.partial")
code, out, err = interrupted(["run", "-q", "--machine", MACHINE, "-o", "r.json", "--trace", "t.trace", "w.json"],
                             "t.trace.part", 0, twice=True)
expect("twice", code == 130 and not os.path.exists("r.json"))
lines = subprocess.run(["timeout", "--signal=INT", "1.5", "cm200", "run", "-q", "--progress=0.2", "--machine", MACHINE, "w.json"],
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stderr.splitlines()
expect("progress: %s" % lines, any(line.startswith("cm200: step ") and line.endswith(" left") for line in lines))
print("; ".join(problems) or "right")
