#!/usr/bin/env python3
"""Weak and strong scaling over processes, and what they come to on many hosts.

usage: scale.py CM200 [--bench BENCH_PROCESSES] [--largest N] [--processes LIST] [--repeat N] [--mpirun] [--save FILE] [--load FILE]

Runs PSHIFT of an array of 16 real32 elements a node in all four directions (five arrays, all elements checked), one thread a process,
on 2^16 nodes to 2^N (22), by each number of processes (1,2,4). The model of docs/scale.md is made from the runs of as many processes as
there are processors and from the link alone (BENCH_PROCESSES prints its table); it is printed next to all runs, and its predictions.

  --mpirun      several processes under mpirun instead of --processes
  --save FILE   what was measured, as JSON; --load FILE: from there, without measuring
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time

MACHINE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "configs", "cm200.json")
SMALLEST = 16  # log2 of the nodes
ELEMENTS = 16  # of a node
ARRAYS = 5
# A host and a network to predict for; assumptions, not measurements.
CORES, MEMORY_GIB = 16, 128
NETWORK_LATENCY, NETWORK_BANDWIDTH = 2e-6, 12.5e9  # seconds; bytes a second of a host: 100 Gbit/s
HOSTS = (1, 4, 16, 64, 256, 1024, 4096)


def workload(dimensions):
    rows = dimensions // 2
    shape = [4 << rows, 4 << (dimensions - rows)]
    shifts = [{"type": "cshift", "dst": name, "src": "a", "dim": axis, "distance": distance}
              for name, axis, distance in (("n", 1, -1), ("s", 1, 1), ("w", 2, -1), ("e", 2, 1))]
    arrays = {name: {"shape": shape, "type": "real32"} for name in ("a", "n", "s", "w", "e")}
    arrays["a"]["init"] = {"random": 1}
    return {"format": "cm200-workload/1", "name": "scaling", "nodes": 1 << dimensions, "arrays": arrays,
            "steps": [{"pshift": shifts}], "check": True}


def proportional_kib(pid):
    """Memory of a process and its children, pages that several share counted in parts."""
    total, left = 0, [pid]
    while left:
        one = left.pop()
        try:
            with open("/proc/%d/smaps_rollup" % one, encoding="ascii") as file:
                total += sum(int(line.split()[1]) for line in file if line.startswith("Pss:"))
            with open("/proc/%d/task/%d/children" % (one, one), encoding="ascii") as file:
                left += [int(word) for word in file.read().split()]
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            pass
    return total


def run(cm200, dimensions, processes, mpirun):
    """One run: seconds from start to exit, of the step alone, of processors; bytes of memory; messages."""
    sets = ["--set", "network.dimensions=%d" % max(dimensions, 11), "--set", "transposer.slots=64"]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "scaling.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(workload(dimensions), file)
        words = [cm200, "run", "--json", "--threads", "1", "--machine", MACHINE, *sets, path]
        if processes > 1:
            words = ["mpirun", "--oversubscribe", "-n", str(processes), *words] if mpirun else [*words, "--processes", str(processes)]
        before, begin, most = os.times(), time.monotonic(), 0
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
            while child.poll() is None:
                most = max(most, proportional_kib(child.pid))
                time.sleep(0.02)
            out, errors = child.communicate()
        seconds, after = time.monotonic() - begin, os.times()
    if child.returncode != 0:
        sys.exit("scale.py: %s\n%s" % (" ".join(words), errors.decode()))
    result = json.loads(out)
    if not result["checked"] or result["mismatches"] != 0:
        sys.exit("scale.py: %s: the arrays are wrong" % " ".join(words))
    host = result["host"]
    return {"dimensions": dimensions, "processes": processes, "cycles": result["cycles"], "exchanges": result["exchanges"],
            "seconds": seconds, "step_seconds": host["wall_seconds"],
            "processor_seconds": after.children_user + after.children_system - before.children_user - before.children_system,
            "bytes": most * 1024, "messages": host.get("messages", 0), "message_bytes": host.get("message_bytes", 0),
            "waits": host.get("message_waits", 0)}


def measure(options):
    runs = []
    for dimensions in range(SMALLEST, options.largest + 1, 2):
        for processes in options.counts:
            several = [run(options.cm200, dimensions, processes, options.mpirun) for _ in range(options.repeat)]
            runs.append(min(several, key=lambda one: one["seconds"]))
            print("measured: 2^%d nodes, %d processes, %.2f s" % (dimensions, processes, runs[-1]["seconds"]), file=sys.stderr)
    lines = subprocess.run([options.bench], capture_output=True, check=True, text=True).stdout if options.bench else ""
    link = [[float(word) for word in line.split()] for line in lines.splitlines() if line.split()[0].isdigit()]
    return {"cores": os.cpu_count(), "mpirun": options.mpirun, "runs": runs, "link": link}


def between(points, x):
    """y at x by straight lines through the points' logarithms; beyond them y grows as x."""
    if x <= points[0][0]:
        return points[0][1] * x / points[0][0]
    if x >= points[-1][0]:
        return points[-1][1] * x / points[-1][0]
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if x <= x1:
            return y0 * (y1 / y0) ** (math.log(x / x0) / math.log(x1 / x0))
    return points[-1][1]


class Model:
    """Seconds of a run, or of its step alone: what a process needs for its nodes, and for messages waits * latency + bytes / bandwidth.
    The first is that of the runs of as many processes as the host has processors, without their messages."""

    def __init__(self, measured, what):
        self.cores = measured["cores"]
        fitted = [one for one in measured["runs"] if one["processes"] == self.cores]
        self.node_bytes = fitted[-1]["bytes"] / (1 << fitted[-1]["dimensions"])
        far = self.cores.bit_length() - 1
        self.far_bytes = fitted[-1]["message_bytes"] / (1 << fitted[-1]["dimensions"]) * self.cores / far
        self.far_waits = fitted[-1]["waits"] / far
        first, last = measured["link"][0], measured["link"][-1]
        self.latency, self.bandwidth = first[0] / (first[2] * 1e9), last[2] * 1e9
        self.points = [((1 << one["dimensions"]) / self.cores,
                        one[what] - one["waits"] * self.latency - one["message_bytes"] / self.bandwidth) for one in fitted]

    def seconds(self, dimensions, processes, cores, latency=None, bandwidth=None):
        """`cores`: for all processes; `bandwidth`: of a process."""
        nodes, far = (1 << dimensions) / processes, processes.bit_length() - 1
        share = max(1.0, processes / cores)
        messages = (self.far_waits * far * (latency or self.latency)
                    + self.far_bytes * far * nodes / (bandwidth or self.bandwidth))
        return between(self.points, nodes) * share + messages


def print_runs(measured, run_model, step_model):
    print("| Nodes | Processes | Run, s | Model | Step, s | Model | Processor s | GiB of all | Bytes a node | MB sent | Words a second |")
    print("|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for one in measured["runs"]:
        nodes, at = 1 << one["dimensions"], (one["dimensions"], one["processes"], measured["cores"])
        words = 4 * ELEMENTS * nodes / one["step_seconds"] / 1e6
        print("| 2^%d | %d | %.2f | %.2f | %.3f | %.3f | %.2f | %.2f | %.0f | %.1f | %.0f M |" % (
            one["dimensions"], one["processes"], one["seconds"], run_model.seconds(*at), one["step_seconds"], step_model.seconds(*at),
            one["processor_seconds"], one["bytes"] / 2**30, one["bytes"] / nodes, one["message_bytes"] / 1e6, words))


def print_scaling(measured):
    """Weak: as many nodes a process. Strong: as many nodes in all."""
    seconds = {(one["dimensions"], one["processes"]): one["step_seconds"] for one in measured["runs"]}
    print("\n| Nodes a process | Processes | Weak scaling | Nodes | Strong scaling |\n|---:|---:|---:|---:|---:|")
    for dimensions, processes in sorted(seconds):
        bits = processes.bit_length() - 1
        if processes > 1 and (dimensions - bits, 1) in seconds:
            ratio = seconds[dimensions - bits, 1] / seconds[dimensions, processes]
            print("| 2^%d | %d | %.2f | | |" % (dimensions - bits, processes, ratio))
        if processes > 1 and (dimensions, 1) in seconds:
            print("| | %d | | 2^%d | %.2f |" % (processes, dimensions, seconds[dimensions, 1] / seconds[dimensions, processes]))


def print_model(name, model):
    compute = ", ".join("2^%.0f: %.3f us" % (math.log2(nodes), seconds / nodes * 1e6) for nodes, seconds in model.points)
    print("\n%s, for each node of a process of so many: %s; %.0f bytes a node; for each far dimension a process sends %.1f bytes of "
          "each of its nodes and waits %.0f times; link: %.1f us, %.2f GB/s" % (
              name, compute, model.node_bytes, model.far_bytes, model.far_waits, model.latency * 1e6, model.bandwidth / 1e9))


def print_predictions(name, model):
    print("\n| %s | " % name + " | ".join("%d" % hosts for hosts in HOSTS) + " |\n|---:|" + "---:|" * len(HOSTS))
    for dimensions in range(20, 31, 2):
        cells = []
        for hosts in HOSTS:
            processes = hosts * CORES
            if model.node_bytes * (1 << dimensions) > hosts * MEMORY_GIB * 2**30:
                cells.append("memory")
            elif (1 << dimensions) // processes < 64:
                cells.append("")
            else:
                cells.append("%.3g" % model.seconds(dimensions, processes, processes, NETWORK_LATENCY, NETWORK_BANDWIDTH / CORES))
        print("| 2^%d | %s |" % (dimensions, " | ".join(cells)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cm200")
    parser.add_argument("--bench")
    parser.add_argument("--largest", type=int, default=22)
    parser.add_argument("--processes", default="1,2,4")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--mpirun", action="store_true")
    parser.add_argument("--save")
    parser.add_argument("--load")
    options = parser.parse_args()
    options.counts = [int(word) for word in options.processes.split(",")]
    if options.load:
        with open(options.load, encoding="utf-8") as file:
            measured = json.load(file)
    else:
        measured = measure(options)
    if options.save:
        with open(options.save, "w", encoding="utf-8") as file:
            json.dump(measured, file, indent=1)
    models = {"run": Model(measured, "seconds"), "step": Model(measured, "step_seconds")}
    print_runs(measured, models["run"], models["step"])
    print_scaling(measured)
    for name, model in models.items():
        print_model(name, model)
    for name, model in models.items():
        print_predictions(name, model)
    return 0


if __name__ == "__main__":
    sys.exit(main())
