#!/usr/bin/env python3
"""Compares cm200 as WebAssembly, run by Node.js, with the native program: the same JSON, output, messages and exit codes.

usage: check-wasm.py CM200 WEB ROOT [--speed]

CM200 is the native program, WEB the folder that `ninja web` made, ROOT the source tree. Results are equal but for the time on
the host. --speed also runs a PSHIFT on 2,048 nodes and asks for a fifth of the native speed of one thread.
"""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tap  # noqa: E402

# Command lines in programs/examples; each runs on its own nodes and on 2,048.
RUNS = [
    ["five-point-pshift.json"], ["five-point-cshift.json"], ["reshape.json"], ["fft.json"], ["gather.json"], ["sort.json"],
    ["route-bit-reversal.json"], ["hand-written.json"], ["fortran/heat.fcm", "--max-cycles", "100000000"], ["fortran/life.fcm"],
    ["fortran/jacobi.fcm", "-O1"],
]
# Everything that a user reads, not only JSON.
TEXTS = [
    ["run", "no-such-file.json"], ["check", "../../configs/cm200.json"], ["help", "run"], ["layout", "reshape.json"],
    ["compile", "five-point-pshift.json"], ["run", "five-point-pshift.json", "--threads", "1", "--explain", "--set", "memory.page_words=x"],
    ["run", "five-point-pshift.json", "--nodes", "65536"], ["run", "fortran/primes.fcm", "--quiet"],
]
SPEED = {"nodes": 2048, "shape": [2048, 1024], "least": 0.2}


def run(command, folder):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)


def without_host(text):
    """The result without what differs between two runs of one program."""
    result = json.loads(text)
    result.pop("host", None)
    return result


def difference(native, wasm, as_json):
    if native.returncode != wasm.returncode:
        yield "exit %d, natively %d: %s" % (wasm.returncode, native.returncode, wasm.stderr[-500:])
        return
    if native.stderr != wasm.stderr:
        yield "stderr\n%s\nnatively\n%s" % (wasm.stderr[-500:], native.stderr[-500:])
    if as_json and native.returncode == 0:
        if without_host(native.stdout) != without_host(wasm.stdout):
            yield "another result than natively"
    elif native.stdout != wasm.stdout:
        yield "stdout\n%s\nnatively\n%s" % (wasm.stdout[-500:], native.stdout[-500:])


def check_speed(report, programs, folder):
    shape = SPEED["shape"]
    workload = {
        "format": "cm200-workload/1", "name": "speed", "machine": os.path.join(folder, "../../configs/cm200.json"),
        "nodes": SPEED["nodes"],
        "arrays": {"src": {"shape": shape, "type": "real32", "init": {"random": 1}},
                   **{name: {"like": "src"} for name in "nesw"}},
        "steps": [{"repeat": {"times": 20, "steps": [{"pshift": [
            {"type": "cshift", "dst": dst, "src": "src", "dim": dim, "distance": distance}
            for dst, dim, distance in (("n", 1, -1), ("s", 1, 1), ("e", 2, 1), ("w", 2, -1))]}]}}],
    }
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, "speed.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(workload, file)
        seconds = []
        for program in programs:
            times = []
            for _ in range(5):
                result = run(program + ["run", path, "--json", "--threads", "1"], folder)
                if result.returncode != 0:
                    report("speed", [result.stderr])
                    return
                times.append(json.loads(result.stdout)["host"]["wall_seconds"])
            seconds.append(min(times))
    ratio = seconds[0] / seconds[1]
    print("# 2,048 nodes: %.3f s natively, %.3f s as WebAssembly: %.2f of the native speed" % (*seconds, ratio))
    report("2,048 nodes at no less than %g of the native speed" % SPEED["least"],
           [] if ratio >= SPEED["least"] else ["%.2f" % ratio])


def main():
    given = tap.arguments(__doc__, 3)
    cm200, web, root = map(os.path.abspath, given[:3])
    checks = tap.Tap()
    folder = os.path.join(root, "programs", "examples")
    wasm = ["node", os.path.join(web, "cm200-cli.js")]
    if "--speed" in given:
        check_speed(checks.report, ([cm200], wasm), folder)
        return checks.done()
    for arguments in RUNS:
        for nodes in ([], ["--nodes", "2048"]):
            command = ["run", *arguments, *nodes, "--json", "--threads", "1"]
            native, other = run([cm200, *command], folder), run(wasm + command, folder)
            checks.report(" ".join(command), difference(native, other, True))
    for command in TEXTS:
        checks.report(" ".join(command), difference(run([cm200, *command], folder), run(wasm + command, folder), False))
    return checks.done()


if __name__ == "__main__":
    sys.exit(main())
