"""The Python module: runs, arrays, errors, sweeps, microprograms, traces, threads and Ctrl-C.

usage: check-python.py CM200 SOURCE_ROOT, with the module in PYTHONPATH

Numbers are compared with what the program cm200 prints, data with NumPy.
"""

import csv
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time

from common import CM200, ROOT, example, expect, printed, refused, run_tests  # first: skips the check without NumPy and cffi

import cm200
import numpy as np

INTERRUPTED = """
import sys, cm200
print("begun", flush=True)
try:
    cm200.run(sys.argv[1], param={"times": 10**9})
except KeyboardInterrupt:
    print("interrupted")
"""


def wide(times):
    return {"name": "long", "machine": os.path.join(ROOT, "configs", "cm200.json"), "nodes": 8,
            "parameters": {"times": times},
            "arrays": {"a": {"shape": [64], "type": "real32", "init": {"index": True}}, "b": {"like": "a"}},
            "steps": [{"repeat": {"times": "$times", "steps": [{"cshift": {"dst": "b", "src": "a", "dim": 1, "distance": 1}}]}}]}


def test_result():
    """a result equals that of cm200 run --json, but for host"""
    for name in ("five-point-pshift.json", "route-bit-reversal.json", "fft.json", "reshape.json"):
        mine = cm200.run(example(name)).to_dict()
        theirs = json.loads(printed("run", "--json", example(name)))
        expect(mine.pop("host") and theirs.pop("host"), "no host")
        expect(mine == theirs, "%s differs" % name)


def test_executor():
    """the executor changes nothing but host.executor"""
    results = [cm200.run(example("compute.json"), executor=name).to_dict() for name in ("loops", "code")]
    expect(results[0]["host"]["executor"] == "loops", "not by loops")
    for result in results:
        result.pop("host")
    expect(results[0] == results[1], "other results")


def test_quantities():
    """cycles, causes, steps and the summary of a result agree"""
    result = cm200.run(example("five-point-pshift.json"))
    told = result.to_dict()
    expect(result.cycles == told["cycles"] == sum(result.cycles_by_cause.values()), "cycles")
    expect(result.cycles_by_cause == told["cycles_by_cause"], "causes")
    expect([step["op"] for step in result.steps] == ["pshift", "combine"], "steps")
    expect(result.checked and result.mismatches == 0 and "%s cycles" % format(result.cycles, ",") in str(result), "summary")


def test_arrays():
    """arrays go in and out, in either order of axes, and a check evaluates on them"""
    random = np.random.default_rng(3)
    for order in "FC":
        src = np.array(random.random((64, 64)), order=order)
        result = cm200.run(example("five-point-pshift.json"), arrays={"src": src})
        want = np.roll(src, 1, 0) + np.roll(src, -1, 1) + np.roll(src, 1, 1) + np.roll(src, -1, 0) - 4 * src
        expect(np.array_equal(result.arrays["src"], src), "what went in")
        expect(np.allclose(result.arrays["dst"], want, rtol=1e-14, atol=1e-14), "what came out")
        expect(result.checked and set(result.arrays) >= {"src", "dst"}, "checked")
        told = result.to_dict()
        expect(list(told["given"]) == ["src"] and "seed" not in told, "provenance")
    out = np.empty((64, 64), order="F")
    expect(result.arrays.read("dst", out=out) is out and np.array_equal(out, result.arrays["dst"]), "out")


def test_types():
    """every type of array has its NumPy type"""
    types = {"real32": "f4", "real64": "f8", "complex64": "c8", "complex128": "c16", "int32": "i4", "logical": "?"}
    for name, dtype in types.items():
        work = cm200.Builder("types", nodes=4)
        work.array("a", [5, 3], name).array("b", like="a").cshift(dst="b", src="a", dim=2, distance=1)
        given = (np.arange(15).reshape(5, 3) % 7).astype(dtype)
        back = cm200.run(work, arrays={"a": given}).arrays["b"]
        expect(back.dtype == np.dtype(dtype) and np.array_equal(back, np.roll(given, -1, 1)), name)


def test_refusals():
    """what the library refuses has a kind, a place and a hint"""
    wrong = {"name": "x", "arrays": {"a": {"shape": [4], "type": "rael"}}, "steps": []}
    error = refused(cm200.InputError, lambda: cm200.run(wrong))
    expect(error.line == 1 and error.column > 1 and "real32" in error.hint and "rael" in error.message, repr(error))
    expect("hint: " in str(error) and "^" in str(error), str(error))
    error = refused(cm200.FileError, lambda: cm200.run("/does/not/exist.json"))
    expect("/does/not/exist.json" in str(error), str(error))
    refused(cm200.InputError, lambda: cm200.Machine().changed({"memory.page_words": 0}))
    refused(cm200.InputError, lambda: cm200.run(example("five-point-pshift.json"), set={"memory.pages": 1}))
    refused(cm200.InputError, lambda: cm200.run(example("five-point-pshift.json"), nodes=3))
    refused(cm200.InputError, lambda: cm200.run(example("five-point-pshift.json"), arrays={"src": np.zeros((3, 3))}))
    refused(cm200.InputError, lambda: cm200.run(example("five-point-pshift.json"), arrays={"src": np.zeros((64, 64), "c16")}))
    refused(KeyError, lambda: cm200.run(example("five-point-pshift.json"), arrays={"nothing": 1}))
    run = cm200.Run(example("five-point-pshift.json"))
    run.execute()
    refused(cm200.InputError, run.execute)
    refused(cm200.Error, lambda: run.arrays.write("src", np.zeros((64, 64))))


def test_machine():
    """a machine has the numbers of its file, and another one some others"""
    machine = cm200.Machine()
    with open(os.path.join(ROOT, "configs", "cm200.json"), encoding="utf-8") as file:
        told = json.load(file)
    expect(machine["exchange.cycles"] == told["exchange"]["cycles"]["value"], "exchange.cycles")
    expect(machine.status("clock_hz") == told["clock_hz"]["status"] and machine.clock_hz == 10_000_000, "clock")
    other = machine.changed({"exchange.cycles": 7})
    expect(other["exchange.cycles"] == 7 and machine["exchange.cycles"] != 7 and other.status("exchange.cycles") == "set", "changed")
    expect(cm200.Machine("cm2").clock_hz == 7_000_000, "CM-2")
    mine = cm200.run(example("five-point-pshift.json"), machine=other).cycles
    expect(mine == cm200.run(example("five-point-pshift.json"), set={"exchange.cycles": 7}).cycles, "runs")


def test_sweep():
    """a sweep's rows equal single runs of the program"""
    table = cm200.sweep(example("five-point-pshift.json"), {"memory.page_words": [256, 512], "exchange.cycles": [100, 150]})
    expect(len(table) == 4, "rows")
    for row in table:
        words = [word for name in ("memory.page_words", "exchange.cycles") for word in ("--set", "%s=%d" % (name, row[name]))]
        told = json.loads(printed("run", "--json", "--timing-only", *words, example("five-point-pshift.json")))
        expect(told["cycles"] == row["cycles"] and told["cycles_by_cause"]["load"] == row["cycles.load"], "row %s" % row)


def test_imp():
    """an IMP made in Python is what its text says, runs, and goes through its image"""
    text = cm200.ImpText("swap", address=["a"])
    text.aarg("r0", "a")
    with text.loop(2):
        text.load("A.1", "[r0]").exchange().unload("[r0]", "B.1").aadd("r0", 1)
    text.halt()
    imp = cm200.Imp(text)
    expect(cm200.Imp(imp.text).image == imp.image and cm200.Imp(imp.image).text == imp.text and imp.words > 0, "text and image")
    error = refused(cm200.InputError, lambda: cm200.Imp(".imp x\n    laod A.1, [r0]\n    halt\n"))
    expect(error.line == 2, str(error))
    with tempfile.TemporaryDirectory() as folder:
        imp.write(os.path.join(folder, "swap.img"))
        work = cm200.Builder("swap", nodes=2, check=False, machine=os.path.join(ROOT, "configs", "cm200.json"))
        work.array("a", [4], "int32", init={"index": True}).imp(file=os.path.join(folder, "swap.img"), arguments={"a": "a"})
        expect(list(cm200.run(work).arrays["a"]) == [2, 3, 0, 1], "data")


def test_trace():
    """tables of a trace equal its export and its result"""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "run.trace")
        result = cm200.run(example("route-bit-reversal.json"), trace=path)
        trace = cm200.Trace(path)
        expect(trace.cycles == result.cycles and trace.complete and trace.nodes == result.nodes, "cycles")
        expect(trace.cycles_by_cause() == result.cycles_by_cause, "causes")
        told = list(csv.DictReader(io.StringIO(printed("export", path, "--format", "csv", "--what", "packets"))))
        packets = trace.packets()
        expect(len(told) == len(packets) > 0, "packets")
        for name, column in (("source", "source_node"), ("destination", "destination_node"), ("hops", "hops"),
                             ("queueing_cycles", "queueing_cycles")):
            expect([int(row[column]) for row in told] == packets[name].tolist(), name)
        hops = trace.hops()
        waits = hops[hops["blocked_by"] != cm200.NEVER]
        expect((waits["asked_cycle"] <= waits["first_cycle"]).all() and len(hops) == packets["hops"].sum(), "hops")
        result = cm200.run(example("five-point-pshift.json"), trace=path)
        trace = cm200.Trace(path)
        events = trace.events()
        expect(len(events) and (events["first_cycle"][1:] >= events["end_cycle"][:-1]).all(), "events")
        expect(sum(trace.cycles_by_phase().values()) == result.cycles and len(trace.steps()) == 2, "phases")
        expect(trace.channel_busy().shape == (trace.nodes, trace.dimensions, trace.channels), "channels")
        expect(trace.made_of["workload_sha256"] == result.to_dict()["workload_sha256"], "made of")


def test_threads():
    """other threads of Python go on while a run runs, and runs in two threads do not meet"""
    ticks, done, cycles = [], threading.Event(), []

    def count():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.001)

    def play():
        cycles.append(cm200.run(wide(20_000), threads=1).cycles)
    counter = threading.Thread(target=count)
    counter.start()
    first = time.monotonic()
    players = [threading.Thread(target=play) for _ in range(2)]
    for player in players:
        player.start()
    for player in players:
        player.join()
    last = time.monotonic()
    done.set()
    counter.join()
    expect(len([tick for tick in ticks if first < tick < last]) >= 3, "%d ticks in %.3f s" % (len(ticks), last - first))
    expect(len(cycles) == 2 and cycles[0] == cycles[1], "cycles")


def test_interrupt():
    """Ctrl-C interrupts a run"""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "long.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"format": "cm200-workload/1", **wide(1)}, file)
        with subprocess.Popen([sys.executable, "-c", INTERRUPTED, path], stdout=subprocess.PIPE, text=True) as child:
            expect(child.stdout.readline() == "begun\n", "not begun")
            time.sleep(0.5)
            child.send_signal(signal.SIGINT)
            told = child.communicate(timeout=60)[0]
        expect(told == "interrupted\n" and child.returncode == 0, "%r, exit code %d" % (told, child.returncode))


DAEMON = """
import sys, threading, time, cm200
W = {"name": "x", "nodes": 8, "arrays": {"a": {"shape": [4096, 8], "type": "real64"}, "b": {"like": "a"}},
     "steps": [{"repeat": {"times": 3000, "steps": [{"cshift": {"dst": "b", "src": "a", "dim": 1, "distance": 1}}]}}]}
def play():
    while True:
        cm200.run(W, threads=int(sys.argv[1]))
threading.Thread(target=play, daemon=True).start()
time.sleep(float(sys.argv[2]))
"""


NESTED = """
import sys, threading, cm200
Use, run, passed = sys.modules["cm200.run"]._Use, object(), threading.Event()
def work():
    with Use(run):
        Use._ended = True
        with Use(run):
            passed.set()
        print("ends", flush=True)
threading.Thread(target=work, daemon=True).start()
passed.wait(10)
Use.interrupt = lambda run: False
while Use._uses:
    pass
"""


def test_exit():
    """Python ends in order while a daemon thread runs"""
    for i in range(12):
        words = [str(1 + i % 2), "%.2f" % (0.05 * (i + 1))]
        done = subprocess.run([sys.executable, "-c", DAEMON, *words], capture_output=True, text=True, check=False, timeout=60)
        expect(done.returncode == 0 and done.stderr == "", "%s: exit code %d: %s" % (words, done.returncode, done.stderr))
    done = subprocess.run([sys.executable, "-c", NESTED], capture_output=True, text=True, check=False, timeout=60)
    expect(done.stdout == "ends\n", "a thread stops within a use that Python waits for: %s" % (done.stdout + done.stderr))


def test_paths():
    """a path or a name with a NUL byte is refused, and nothing is written"""
    with tempfile.TemporaryDirectory() as folder:
        bad = os.path.join(folder, "zz\0b")
        for call in (lambda: cm200.run(wide(1), trace=bad), lambda: cm200.run(bad), lambda: cm200.run(wide(1), machine=bad),
                     lambda: cm200.Trace(bad), lambda: cm200.Machine(bad), lambda: cm200.run(wide(1), set={"clock_hz\0": 1}),
                     lambda: cm200.run(wide(1), param={"times\0x": 1}), lambda: cm200.Imp(".imp x\n halt\n", name="a\0b")):
            expect("NUL" in str(refused(cm200.InputError, call)), "another message")
        expect(os.listdir(folder) == [], os.listdir(folder))
        refused(KeyError, lambda: cm200.run(wide(1)).arrays["a\0b"])


def test_values():
    """values that an array's type does not have are refused, with their place"""
    def give(kind, values):
        work = {"name": "x", "nodes": 4, "arrays": {"a": {"shape": [2, 4], "type": kind}, "b": {"like": "a"}},
                "steps": [{"copy": {"dst": "b", "src": "a"}}]}
        return cm200.run(work, arrays={"a": values}).arrays["b"]

    ints, reals = np.arange(8).reshape(2, 4), np.arange(8.0).reshape(2, 4)
    for bad, kind in ((2**40 + 7, "int32"), (2**31, "int32"), (-2**31 - 1, "int32"), (1e300, "real32"), (-1e39, "real32"),
                      (1e300j, "complex64")):
        values = (ints if kind == "int32" else reals).astype(np.result_type(ints if kind == "int32" else reals, type(bad)))
        values[1, 2] = bad
        error = str(refused(cm200.InputError, lambda: give(kind, values)))  # pylint: disable=cell-var-from-loop
        expect("[1, 2]" in error and kind in error, error)
    refused(cm200.InputError, lambda: give("int32", np.full((2, 4), 2**32 - 1, "u4")))
    refused(cm200.InputError, lambda: give("int32", np.full((2, 4), 2**63, "u8")))
    for good, kind in ((np.full((2, 4), 2**31 - 1), "int32"), (np.full((2, 4), np.inf), "real32"), (np.full((2, 4), 3e38), "real32"),
                       (np.full((2, 4), 0.1), "real32"), (ints, "real64")):
        back = give(kind, good)
        expect(np.array_equal(back, good.astype(back.dtype)), kind)
    expect(np.isnan(give("real32", np.full((2, 4), np.nan))).all(), "NaN")


def test_integers():
    """numbers of machines and parameters are integers, or refused"""
    path = example("five-point-pshift.json")
    for call in (lambda: cm200.run(path, set={"exchange.cycles": 102.5}), lambda: cm200.run(wide(1), param={"times": 1.5}),
                 lambda: cm200.Machine().changed({"exchange.cycles": 1023.9}), lambda: cm200.run(path, nodes=2.5),
                 lambda: cm200.sweep(path, {"memory.page_words": np.linspace(256, 1024, 4) + 0.5}),
                 lambda: cm200.sweep(path, {"nodes": np.linspace(1, 2, 3)}), lambda: cm200.run(path, set={"clock_hz": float("nan")}),
                 lambda: cm200.run(path, set={"clock_hz": "7"}), lambda: cm200.run(path, threads=1.5)):
        expect("integer" in str(refused(cm200.InputError, call)), "another message")
    row = cm200.sweep(path, {"exchange.cycles": np.linspace(100, 200, 3)})[1]
    expect(row["exchange.cycles"] == 150 and row["cycles"] == cm200.run(path, set={"exchange.cycles": np.int64(150)}).cycles, "150")


def test_examples():
    """the examples run"""
    folder = os.path.join(ROOT, "python", "examples")
    with tempfile.TemporaryDirectory() as place:
        for name in sorted(os.listdir(folder)):
            if name.endswith(".py"):
                done = subprocess.run([sys.executable, os.path.join(folder, name), "--quick"], cwd=place, capture_output=True,
                                      text=True, check=False)
                expect(done.returncode == 0 and done.stdout, "%s: %s" % (name, done.stderr))


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
