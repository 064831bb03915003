#!/usr/bin/env python3
"""Compares cm200 as WebAssembly, run by Node.js, with the native program: the same JSON, output, messages and exit codes.

usage: check-wasm.py CM200 WEB ROOT [--speed]

CM200 is the native program, WEB the folder that `ninja web` made, ROOT the source tree. Results are equal but for the time on
the host. --speed runs a PSHIFT and programs of arithmetic on 2,048 nodes and asks for a fifth of the native speed of one thread.
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
    ["run", "no-such-file.json"], ["help", "run"], ["layout", "reshape.json"],
    ["help", "step", "fft"],
    ["run", "five-point-pshift.json", "--threads", "1", "--explain", "--set", "memory.page_words=x"],
    ["run", "five-point-pshift.json", "--nodes", "65536"], ["run", "fortran/primes.fcm", "--quiet"],
]
SPEED = {"nodes": 2048, "shape": [2048, 512], "least": 0.2}
# Statements of a loop, and the type of its arrays.
SPEED_PROGRAMS = {
    "products, REAL": ("real", ["a = a * b + c", "b = a * 0.25 + c * 0.5", "c = c * 0.5 + b"]),
    "products, REAL*8": ("real*8", ["a = a * b + c", "b = a * 0.25 + c * 0.5", "c = c * 0.5 + b"]),
    "quotients and roots, REAL": ("real", ["a = a / b + c", "b = sqrt(a) / (c + 1)", "c = sqrt(c + b)"]),
    "quotients and roots, REAL*8": ("real*8", ["a = a / b + c", "b = sqrt(a) / (c + 1)", "c = sqrt(c + b)"]),
    "integers": ("integer", ["a = mod(a * 7 + b, 1009)", "b = ieor(a, b) / 3 + c", "c = max(a, b) - c"]),
    "masks": ("real", ["where (a > b)", "a = a - 0.5", "elsewhere", "a = a + c * 0.25", "end where"]),
    "EXP and SIN": ("real", ["b = exp(-a)", "a = sin(b) + c"]),
    "shifts of a program": ("real", ["b = cshift(a, dim=1, shift=1) + cshift(a, dim=2, shift=-1)", "a = b * 0.5"]),
}


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


def speed_workload(folder):
    return json.dumps({
        "format": "cm200-workload/1", "name": "speed", "machine": os.path.join(folder, "../../configs/cm200.json"),
        "nodes": SPEED["nodes"],
        "arrays": {"src": {"shape": SPEED["shape"], "type": "real32", "init": {"random": 1}},
                   **{name: {"like": "src"} for name in "nesw"}},
        "steps": [{"repeat": {"times": 20, "steps": [{"pshift": [
            {"type": "cshift", "dst": dst, "src": "src", "dim": dim, "distance": distance}
            for dst, dim, distance in (("n", 1, -1), ("s", 1, 1), ("e", 2, 1), ("w", 2, -1))]}]}}],
    })


def speed_program(kind, statements):
    """A program that executes the statements 20 times."""
    return "\n".join([
        "program speed", "%s, array(%d, %d) :: a, b, c" % (kind, *SPEED["shape"]), "integer i",
        "a = 2", "b = 3", "c = 4", "do i = 1, 20", *statements, "end do", "print *, sum(a), sum(b), sum(c)", "end", ""])


def check_ratio(report, name, path, programs, folder):
    """The native program and that of the page in turns; the least of five times of each."""
    seconds = [[], []]
    for _ in range(5):
        for program, times in zip(programs, seconds):
            result = run(program + ["run", path, "--json", "--threads", "1"], folder)
            if result.returncode != 0:
                report("speed of %s" % name, [result.stderr])
                return
            times.append(json.loads(result.stdout)["host"]["wall_seconds"])
    native, wasm = map(min, seconds)
    print("# %s: %.3f s natively, %.3f s as WebAssembly: %.2f of the native speed" % (name, native, wasm, native / wasm))
    report("%s on 2,048 nodes at no less than %g of the native speed" % (name, SPEED["least"]),
           [] if native / wasm >= SPEED["least"] else ["%.2f" % (native / wasm)])


def check_speed(report, programs, folder):
    with tempfile.TemporaryDirectory() as work:
        files = {"four shifts": ("shifts.json", speed_workload(folder))}
        for number, (name, (kind, statements)) in enumerate(SPEED_PROGRAMS.items()):
            files[name] = ("speed%d.f90" % number, speed_program(kind, statements))
        for name, (file_name, text) in files.items():
            path = os.path.join(work, file_name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            check_ratio(report, name, path, programs, folder)


def main():
    given = tap.arguments(__doc__, 3, programs=["node"])
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
