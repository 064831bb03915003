"""Grids of runs."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from .errors import integer
from .machine import Machine
from .run import Machines, Run
from .workload import Source, Workload


def sweep(workload: Source, grid: Mapping[str, Iterable[int]], *, machine: Machines = None, timing_only: bool = True,
          threads: int | None = 1, nodes: int | None = None) -> np.ndarray:
    """Runs a workload at every point of a grid, and returns a structured array with a row for each run.

    The last name of the grid varies fastest. A name with a dot, and clock_hz, is a number of the machine. "nodes" is the
    number of nodes. Any other name is a parameter of the workload. The fields of a row are the names of the grid (dots
    stay: table["memory.page_words"]), cycles, seconds, elapsed_seconds, exchanges, and each cause of cycles as
    "cycles.CAUSE".
    """
    axes = {name: [integer(name, value) for value in values] for name, values in grid.items()}
    base = machine if isinstance(machine, Machine) or machine is None else Machine(machine)
    shape = 1
    for values in axes.values():
        shape *= len(values)
    table: np.ndarray | None = None
    workloads: dict[tuple[int, ...], Workload] = {}
    params = [name for name in axes if not _of_machine(name) and name != "nodes"]
    for row, point in enumerate(itertools.product(*axes.values())):
        at = dict(zip(axes, point))
        key = tuple(at[name] for name in params)
        if key not in workloads:
            workloads = {key: Workload(workload, {name: at[name] for name in params})}
        numbers = {name: value for name, value in at.items() if _of_machine(name)}
        with Run(workloads[key], machine=base, set=numbers, nodes=at.get("nodes", nodes), threads=threads,
                 timing_only=timing_only) as run:
            quantities, causes = run._quantities()
        if table is None:
            table = np.zeros(shape, _fields(axes, causes))
        table[row] = (*point, *quantities, *causes.values())
    return table if table is not None else np.zeros(0, _fields(axes, {}))


def _of_machine(name: str) -> bool:
    return "." in name or name == "clock_hz"


def _fields(axes: Mapping[str, Any], causes: Mapping[str, int]) -> list[tuple[str, str]]:
    return [(name, "i8") for name in axes] + [("cycles", "u8"), ("seconds", "f8"), ("elapsed_seconds", "f8"), ("exchanges", "u8")] + [
        ("cycles.%s" % cause, "u8") for cause in causes]
