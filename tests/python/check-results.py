"""The Python module: results without machines, copies, pickles and other processes, CM Fortran programs, pictures, step methods.

usage: check-results.py CM200 SOURCE_ROOT, with the module in PYTHONPATH
"""

import concurrent.futures
import copy
import gc
import inspect
import json
import multiprocessing
import os
import pickle
import re
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib

from common import CM200, ROOT, Skipped, example, expect, printed, program, refused, run_tests

import cm200
import numpy as np

PAGE = os.sysconf("SC_PAGE_SIZE")


def resident():
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * PAGE


def ring(**others):
    work = cm200.Builder("ring", nodes=8, **others)
    work.parameter("far", 1).array("a", [64], "int32", init={"index": True}).array("b", like="a")
    return work.cshift(dst="b", src="a", dim=1, distance="$far")


def test_memory():
    """a result keeps no machine: twenty of them take little more than their arrays"""
    for keep, most in ((False, 0.5e6), (True, 1.5e6)):
        cm200.run(example("matmul.json"), keep=keep)
        before, kept = resident(), []
        for _ in range(20):
            kept.append(cm200.run(example("matmul.json"), keep=keep))
        each = (resident() - before) / len(kept)
        arrays = sum(values.nbytes for values in kept[0].arrays.values())
        expect(each < arrays + most, "%.0f bytes a result, of which arrays %d" % (each, arrays))


def test_close():
    """a closed result has no arrays, and everything else; a closed run is refused"""
    with cm200.run(ring()) as result:
        expect(result.arrays["b"][0] == 1, "arrays")
    refused(cm200.InputError, lambda: result.arrays)
    expect(result.cycles == sum(result.cycles_by_cause.values()) and result.to_dict()["cycles"] == result.cycles, "cycles")
    with cm200.Run(ring()) as run:
        refused(KeyError, lambda: run.execute(keep=["c"]))  # before the run, which can be executed afterwards
        kept = run.execute(keep=["b"])
        mine = np.empty(64, "i4")
        expect(list(kept.arrays) == ["b"] and run.arrays.read("a", out=mine) is mine and mine[5] == 5, "names")
        expect(kept.arrays.read("b", out=mine) is mine and mine[5] == 6, "read")
    refused(cm200.InputError, lambda: run.arrays["a"])
    refused(KeyError, lambda: kept.arrays["a"])
    long, ended, after = cm200.Run(cm200.Builder("long", nodes=8).array("a", [64]).array("b", like="a").repeat(
        10**9, cm200.Builder("inner").cshift(dst="b", src="a", dim=1, distance=1))), [], []

    def execute():
        try:
            long.execute()
        except KeyboardInterrupt:
            ended.append(True)
        after.append(cm200.run(ring()).cycles)
    thread = threading.Thread(target=execute, daemon=True)
    thread.start()
    time.sleep(0.3)
    long.close()
    thread.join(60)
    expect(ended and after == [result.cycles], "closing a run that another thread executes: %s %s" % (ended, after))
    refused(cm200.InputError, lambda: kept.arrays.read("b", out=np.empty(63, "i4")))
    run.close()


def same(one, other):
    expect(one.to_dict() == other.to_dict() and str(one) == str(other) and repr(one) == repr(other), "another result")
    expect(set(one.arrays) == set(other.arrays), "other arrays")
    expect(all(np.array_equal(one.arrays[name], other.arrays[name]) for name in one.arrays), "other values")


def test_copies():
    """results, workloads, machines, IMPs, traces and errors are copied and pickled"""
    result = cm200.run(example("five-point-pshift.json"))
    for copied in (copy.copy(result), copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
        same(copied, result)
    machine = cm200.Machine("cm2").changed({"exchange.cycles": 77})
    here = os.getcwd()
    for copier in (copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))):
        os.chdir(ROOT)
        sources = (ring(), ring().to_dict(), cm200.Workload(ring(), {"far": 5}), cm200.Program("programs/examples/fortran/heat.fcm"),
                   cm200.Workload(os.path.join("programs", "examples", "five-point-pshift.json")))
        copies = [copier(source) for source in sources]
        want = [cm200.run(source).cycles for source in sources]
        expect([cm200.run(copied).cycles for copied in copies] == want, "files")
        expect(cm200.run(copies[2]).arrays["b"][0] == 5, "param")
        other = copier(machine)
        expect(dict(other) == dict(machine) and other.name == machine.name and other.status("exchange.cycles") == "set", "machine")
        imp = cm200.Imp(".imp x\n    halt\n", machine)
        expect(copier(imp).image == imp.image, "IMP")
    pickled = pickle.dumps(sources)
    os.chdir("/")
    expect([cm200.run(source).cycles for source in pickle.loads(pickled)] == want, "pickles are for any folder")
    os.chdir(here)
    error = refused(cm200.InputError, lambda: cm200.run({"name": "x", "arrays": {"a": {"shape": [4], "type": "rael"}}, "steps": []}))
    failed = cm200.CheckFailed("wrong data", file="w.json", line=3)
    failed.result = result
    for one in (error, failed):
        other = pickle.loads(pickle.dumps(one))
        expect(type(other) is type(one) and str(other) == str(one) and other.hint == one.hint and other.line == one.line, "error")
    same(pickle.loads(pickle.dumps(failed)).result, result)
    refused(cm200.InputError, lambda: pickle.loads(pickle.dumps(machine).replace(cm200.__version__.encode(), b"9" * len(cm200.__version__))))


def shifted(far):
    """A task of another process."""
    return cm200.run(cm200.Workload(ring(), {"far": far}), threads=2)


def wrong(_):
    return cm200.run(example("five-point-pshift.json"), nodes=3)


def test_processes():
    """results and errors come back from processes, forked and spawned, and runs before a fork do no harm"""
    want = [shifted(far) for far in range(4)]
    for way in ("fork", "spawn"):
        with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(way)) as pool:
            for one, other in zip(pool.map(shifted, range(4), timeout=120), want):
                expect(one.cycles == other.cycles and np.array_equal(one.arrays["b"], other.arrays["b"]), way)
            error = refused(cm200.InputError, lambda: pool.submit(wrong, 0).result(120))  # pylint: disable=cell-var-from-loop
            expect("3" in str(error), str(error))


def test_html():
    """a notebook shows the causes of a result as bars"""
    result = cm200.run(example("five-point-pshift.json"))
    text = result._repr_html_()
    rows = re.findall(r"<tr><td[^>]*>(\w+)</td><td>([\d,]+)</td><td>([\d.]+) %</td>.*?width: ([\d.]+)%", text)
    causes = {name: int(cycles.replace(",", "")) for name, cycles, _, _ in rows}
    expect(causes == {name: cycles for name, cycles in result.cycles_by_cause.items() if cycles}, text)
    most = max(causes.values())
    expect(all(abs(float(width) - 100 * causes[name] / most) < 0.01 for name, _, _, width in rows), "widths")
    expect(rows[0][0] == max(causes, key=lambda name: causes[name]), "order")
    odd = cm200.run(cm200.Builder("<b>&", nodes=2).array("a", [4]).fill(array="a", value=1.0))
    expect("<b>&" not in odd._repr_html_() and "&lt;b&gt;&amp;" in odd._repr_html_(), "escapes")


def test_program():
    """a CM Fortran program runs as cm200 run runs it: result, output, arrays in and out, PARAMETERs, options"""
    path = program("heat.fcm")
    for mine, words in ((path, []), (cm200.Program(path, level=2), ["-O2"])):
        result = cm200.run(mine)
        made, theirs = result.to_dict(), json.loads(printed("run", "--json", *words, path))
        for one in (made, theirs):  # the text of the workload that stands for the program may differ
            expect(one.pop("host") and one.pop("workload_sha256"), "no host")
        expect(made == theirs, "level %s differs" % words)
    expect(result.output == printed("run", "--quiet", path) and "heat left" in result.output, result.output)
    with tempfile.TemporaryDirectory() as folder:
        first, last = (os.path.join(folder, name) for name in ("first.npy", "last.npy"))
        start = np.asfortranarray(np.random.default_rng(1).random((16, 16, 16)), "f4")
        np.save(first, start)
        own = os.path.join(folder, "own.fcm")
        with open(own, "w", encoding="ascii") as file:
            file.write("      PROGRAM OWN\n      INTEGER N\n      PARAMETER (N = 4)\n      REAL, ARRAY(N) :: A\n      INTEGER H(3)\n"
                       "      A = A * 2.0\n      H(2) = 7\n      PRINT *, SUM(A)\n      END\n")
        given = np.arange(8, dtype="f4")
        mine = cm200.run(own, param={"N": 8}, arrays={"A": given}, check=True)
        np.save(first, given)
        printed("run", "--quiet", "--param", "N=8", "--load", "A=" + first, "--save", "A=" + last, own)
        expect(np.array_equal(mine.arrays["A"], np.load(last)) and np.array_equal(mine.arrays["a"], 2 * given), "arrays")
        expect(mine.arrays["h"][1] == 7 and mine.checked and list(mine.to_dict()["given"]) == ["a"], "front end, check, provenance")
        expect(float(mine.output) == 2 * given.sum(), mine.output)
        refused(KeyError, lambda: cm200.run(own, arrays={"b": given}))
        refused(cm200.InputError, lambda: cm200.run(own, arrays={"a": given}))
        error = refused(cm200.InputError, lambda: cm200.run(own, param={"M": 8}))
        expect("M" in str(error).upper(), str(error))
        refused(cm200.InputError, lambda: cm200.run(own, param={"N": "8"}))
        refused(cm200.Error, lambda: cm200.run(cm200.Program(path, max_cycles=10)))
        refused(cm200.InputError, lambda: cm200.Program(os.path.join(folder, "own.json")))


def rgb(data):
    """Pixels of a PNG file of cm200."""
    place, packed, size = 8, b"", None
    while place < len(data):
        length, kind = struct.unpack(">I4s", data[place:place + 8])
        if kind == b"IHDR":
            size = struct.unpack(">II", data[place + 8:place + 16])
        if kind == b"IDAT":
            packed += data[place + 8:place + 8 + length]
        place += 12 + length
    rows = np.frombuffer(zlib.decompress(packed), "u1").reshape(size[1], -1)
    expect(not rows[:, 0].any(), "a filter")
    return rows[:, 1:].reshape(size[1], size[0], 3)


def test_picture():
    """pictures are those of cm200-view, pixel by pixel"""
    viewer = CM200 + "-view"
    if not os.path.exists(viewer) or not os.path.exists(os.path.join(os.path.dirname(cm200.__file__), "glyphs.bin")):
        raise Skipped("the viewer is not built")
    with tempfile.TemporaryDirectory() as folder:
        path, second, drawn = (os.path.join(folder, name) for name in ("one.trace", "two.trace", "x.png"))
        cm200.run(example("five-point-pshift.json"), trace=path)
        cm200.run(example("route-bit-reversal.json"), trace=second)
        for trace, options, words in (
                (path, {}, []),
                (path, {"at_cycle": 1000, "panel": "machine", "palette": "viridis"},
                 ["--at-cycle", "1000", "--panel", "machine", "--palette", "viridis"]),
                (second, {"scale": 2, "theme": "light", "size": (900, 600), "pin": "3"},
                 ["--scale", "2", "--theme", "light", "--size", "900x600", "--pin", "3"])):
            done = subprocess.run([viewer, trace, "-o", drawn, *words], capture_output=True, text=True, check=False)
            if done.returncode == 4 and "fonts" in done.stderr:
                raise Skipped("the fonts are missing")
            expect(done.returncode == 0, done.stderr)
            picture = cm200.Trace(trace).picture(**options)
            with open(drawn, "rb") as file:
                expect(np.array_equal(rgb(picture), rgb(file.read())), "%s differs" % words)
            expect(b"Source\0{" in picture and picture._repr_png_() == picture, "what it is of")
        trace = cm200.Trace(path)
        refused(cm200.InputError, lambda: trace.picture(panel="nothing"))
        refused(cm200.InputError, lambda: trace.picture(keys="Nothing"))
        refused(cm200.InputError, lambda: trace.picture(size=(0, 10)))
        refused(cm200.InputError, lambda: trace.picture(scale=3))
        expect(rgb(trace.picture(compare=cm200.Trace(path), size=(640, 400))).shape == (400, 640, 3), "two")


def test_kinds():
    """each kind of step is a method with its keys, and makes the example of its help"""
    tables = json.loads(printed("help", "--json"))
    for name, kind in tables["steps"].items():
        made = getattr(cm200.Builder("x"), name)
        if name == "repeat":
            continue
        given = json.loads(kind["example"])
        keys = {**({} if kind["list"] else kind["keys"]), **kind["outer_keys"]}
        expect(set(key.rstrip("_") for key in inspect.signature(made).parameters) - {"entries"} == set(keys), "keys of %s" % name)
        expect(all(key in made.__doc__ for key in kind["keys"]), "documentation of %s" % name)
        body = given.pop(name)
        passed = {**({} if kind["list"] else body), **given}
        passed = {key + "_" if key == "from" else key: value for key, value in passed.items()}
        steps = made(*([body] if kind["list"] else []), **passed).to_dict()["steps"]
        expect(steps == [json.loads(kind["example"])], "%s: %s" % (name, steps))
    error = refused(AttributeError, lambda: cm200.Builder("x").pshft([]))
    expect(error.name == "pshft", "pshft")
    refused(TypeError, lambda: cm200.Builder("x").cshift(dst="a", src="b", dim=1))
    array = inspect.signature(cm200.Builder("x").array).parameters
    expect(set(array) == {"name", *tables["keys"]["array"]}, "array")


def test_mnemonics():
    """each instruction is a method"""
    with open(os.path.join(ROOT, "isa", "isa.def"), encoding="utf-8") as file:
        names = re.findall(r'^CM_OP\(\w+, "(\w+)"', file.read(), re.M)
    expect(len(names) > 50 and all(callable(getattr(cm200.ImpText, name, None)) for name in names), "names")
    text = cm200.ImpText("x", address=["a"]).aarg("r0", "a").fload64("f1", "[r0]").fma64("f2", "f1", "f1", "f1")
    text.loadi("A", "[r0]", "[r0+1]", 2, 1).move("[r0]", "[r0+8]", 4, 1, 1).halt()
    expect("fma64 f2, f1, f1, f1" in re.sub(" +", " ", cm200.Imp(text).text), cm200.Imp(text).text)
    refused(AttributeError, lambda: text.laod("A.1", "[r0]"))


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
