"""Exchanges that overlap other work: every example with exchange.overlap 1 next to 0.

usage: check-overlap.py CM200 SOURCE_ROOT [NAME...]

With 1 a run must pass its check as with 0, on one thread and on two, and count the same without data; its causes must add up
to its cycles, and what exchanges took, hidden or not, to exchanges times exchange.cycles. It must not take more cycles than
with 0, and the examples that are listed must take less. Nor may small random shifts, spreads, reductions and scans.
"""

import glob
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from tap import Tap, arguments, cases  # noqa: E402: the path is set above

TIMEOUT_SECONDS = 120
ON = ("--set", "exchange.overlap=1")

# Compiled exchanges, of each family that orders its transfers for it.
FASTER = ("five-point-pshift", "end-off", "qcd", "stencil-five-point", "stencil-nine-point", "stencil-27", "collective")

# Items that rest between dimensions take more exchanges.
LONGER = ("collective",)

# One exchange in each call, which nothing can hide. The call has up to this many cycles more, of control.
ALONE = {"figure-8": 300}

RANDOM = 400  # workloads, of which CM_TEST_PERCENT are tried

# Too large to move their data in a test.
TIMING_ONLY = ("timing-",)


def run(cm200, path, *options):
    done = subprocess.run([cm200, "run", "--json", "--quiet", *options, path], stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=TIMEOUT_SECONDS, check=False)
    if done.returncode != 0:
        raise RuntimeError("cm200 %s %s: %s" % (" ".join(options), path, done.stderr.decode("utf-8", "backslashreplace")))
    return json.loads(done.stdout)


def counted(result):
    """What a run without data must count too."""
    keys = ("cycles", "cycles_by_cause", "hidden_cycles", "exchanges", "words_sent")
    return [{key: part.get(key) for key in keys} for part in [result, *result["steps"]]]


def faults(cm200, name, path):
    """What is wrong with an example, as texts."""
    timing = ("--timing-only",) if name.startswith(TIMING_ONLY) else ()
    off = run(cm200, path, *timing)
    on = run(cm200, path, *ON, *timing)
    if "hidden_cycles" in off:
        yield "hidden cycles without overlap"
    if (on["checked"], on["mismatches"]) != (off["checked"], off["mismatches"]) or on["mismatches"] != 0:
        yield "checked %s with %d mismatches, without overlap %s with %d" % (on["checked"], on["mismatches"], off["checked"],
                                                                            off["mismatches"])
    for part in [on, *on["steps"]]:
        causes = part["cycles_by_cause"]
        if sum(causes.values()) != part["cycles"]:
            yield "causes add up to %d, cycles are %d" % (sum(causes.values()), part["cycles"])
    each = off["cycles_by_cause"]["exchange"] // max(off["exchanges"], 1)
    if on["cycles_by_cause"]["exchange"] + on["hidden_cycles"] != each * on["exchanges"]:
        yield "%d waited and %d hidden cycles of %d exchanges" % (on["cycles_by_cause"]["exchange"], on["hidden_cycles"],
                                                                 on["exchanges"])
    if on["exchanges"] < off["exchanges"] or (name not in LONGER and on["exchanges"] != off["exchanges"]):
        yield "%d exchanges, without overlap %d" % (on["exchanges"], off["exchanges"])
    with open(path, encoding="utf-8") as file:
        needs_data = any("call" in step for step in json.load(file)["steps"])
    if not needs_data and counted(run(cm200, path, *ON, "--timing-only")) != counted(on):
        yield "counts differ without data"
    if not timing and counted(run(cm200, path, *ON, "--threads", "2")) != counted(on):
        yield "counts differ on two threads"
    if on["cycles"] > off["cycles"] + ALONE.get(name, 0) or (name in FASTER and on["cycles"] >= off["cycles"]):
        yield "%d cycles, without overlap %d" % (on["cycles"], off["cycles"])


def random_step(dice, rank):
    """A step between arrays a and b of a rank."""
    dim = dice.randint(1, rank)
    kind = dice.choice(("pshift", "spread", "reduce", "scan"))
    if kind == "pshift":
        dims = dice.sample(range(1, rank + 1), dice.randint(1, rank))
        return {"pshift": [{"type": "cshift", "dst": "bcd"[i], "src": "a", "dim": d, "distance": dice.choice((-2, -1, 1, 2))}
                           for i, d in enumerate(dims)], "setup": dice.choice(("auto", "looped"))}
    if kind == "spread":
        return {"spread": {"dst": "b", "src": "a", "dim": dim, "from": 1}}
    body = {"op": dice.choice(("sum", "max", "min")), "src": "a", "dim": dim, "dst": "b"}
    return {kind: body}


def random_workload(dice, root):
    rank = dice.randint(1, 3)
    shape = [dice.choice((2, 4, 5, 8, 16, 32)) for _ in range(rank)]
    axes = [dice.choice(("news", "serial")) for _ in range(rank)]
    return {"format": "cm200-workload/1", "machine": os.path.join(root, "configs", "cm200.json"), "check": True,
            "nodes": dice.choice((2, 4, 16, 64, 256)),
            "arrays": {"a": {"shape": shape, "type": dice.choice(("real32", "real64", "int32")), "axes": axes,
                             "init": {"random": dice.randrange(100)}}, **{name: {"like": "a"} for name in "bcd"}},
            "steps": [random_step(dice, rank)]}


def random_faults(cm200, root, dice):
    """Problems of random workloads; those that are refused without overlap do not count."""
    tried = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "w.json")
        while tried < cases(RANDOM):
            workload = random_workload(dice, root)
            with open(path, "w", encoding="utf-8") as file:
                json.dump(workload, file)
            try:
                off = run(cm200, path)
            except RuntimeError:
                continue
            tried += 1
            on = run(cm200, path, *ON)
            if on["cycles"] > off["cycles"] or on["mismatches"] != 0:
                yield "%d cycles, without overlap %d, %d mismatches: %s" % (on["cycles"], off["cycles"], on["mismatches"],
                                                                            json.dumps(workload))


def main():
    cm200, root, *names = arguments(__doc__, 2)
    cm200 = os.path.abspath(cm200)
    tap = Tap()
    folder = os.path.join(root, "programs", "examples")
    for path in sorted(glob.glob(os.path.join(folder, "**", "*.json"), recursive=True)):
        name = os.path.relpath(path, folder)[:-len(".json")].replace(os.sep, "-")
        if not names or name in names:
            tap.report("%s runs as well with exchanges that overlap" % name, faults(cm200, name, path))
    seed = random.randrange(1 << 30)
    if not names:
        tap.report("random workloads take no more cycles with overlap (seed %d)" % seed,
                   random_faults(cm200, os.path.abspath(root), random.Random(seed)))
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
