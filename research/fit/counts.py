"""Events of the 54 cells, counted by the simulator; each machine is counted once and kept in a file."""

import hashlib
import json
import os
import stat
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numpy as np

from . import streams
from .mechanisms import KNOWN

ROUTINES = ("PSHIFT", "CSHIFT")
REFRESH = ("memory.refresh_interval_cycles", "memory.refresh_cycles")


class Cells:
    """What is published: 54 cells, PSHIFT and CSHIFT of a row by turns."""

    def __init__(self, document):
        rows = document["rows"]
        self.cycles = np.array([1e-3 * document["clock_hz"] * row[routine.lower()]["cm_ms"]["published"]
                                for row in rows for routine in ROUTINES])
        self.rank = np.array([row["rank"] for row in rows for _ in ROUTINES])
        self.length = np.array([row["length"] for row in rows for _ in ROUTINES])
        self.row = np.repeat(np.arange(len(rows)), 2)
        self.routine = np.tile([0, 1], len(rows))
        self.count = len(self.cycles)

    def name(self, i):
        return "%s, rank %d, length %d" % (ROUTINES[self.routine[i]], self.rank[i], self.length[i])


def cache_folder(wanted):
    """The folder for counts: of this user alone where it is below the system's temporary folder."""
    if wanted:
        os.makedirs(wanted, exist_ok=True)
        return wanted
    folder = os.path.join(tempfile.gettempdir(), "cm200-refit-%d" % os.getuid())
    os.makedirs(folder, mode=0o700, exist_ok=True)
    found = os.lstat(folder)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        sys.exit("research/refit: %s belongs to someone else; give another folder with --cache" % folder)
    return folder


class Counter:
    """Counts on one machine file with one program."""

    def __init__(self, program, machine, cache, settings=()):
        self.program, self.machine, self.folder = program, machine, cache_folder(cache)
        with open(machine, encoding="utf-8") as file:
            description = json.load(file)
        self.name, self.numbers = description["name"], numbers_of(description)
        for setting in settings:
            key, _, value = setting.partition("=")
            self.numbers[key] = int(value)
        self.settings = tuple(settings)
        # By its numbers: not by their sources, nor by the settings, which are part of each machine's own key.
        self.hash = hashlib.sha256(json.dumps(numbers_of(description), sort_keys=True).encode())
        with open(program, "rb") as file:
            self.hash.update(file.read())
        self.known = {}

    def probes(self, costs):
        """Costs set to 1 cycle, so that the cycles of a cause are the count of its events; where two keys are charged to
        one cause for one event, only the first."""
        keys = {}
        for cost in KNOWN + tuple(costs):
            for i, key in enumerate(cost.keys):
                keys[key] = 1 if cost.shares is None or i == 0 else 0
        return ["%s=%d" % item for item in sorted(keys.items())]

    def structure(self, settings, costs):
        """The settings that change counts: all but costs and refresh, which takes a share of all cycles."""
        held = {key for cost in KNOWN + tuple(costs) for key in cost.keys} | set(REFRESH)
        kept = [s for s in self.settings + tuple(settings) if s.partition("=")[0] not in held]
        return tuple(sorted(dict(s.partition("=")[::2] for s in kept).items()))

    def read(self, structure, costs):
        """The program's report on all cells of a machine, from the cache if it is there."""
        settings = ["%s=%s" % item for item in structure] + self.probes(costs)
        settings += ["memory.refresh_cycles=0", "memory.refresh_interval_cycles=0"]
        digest = self.hash.copy()
        digest.update("\n".join(settings).encode())
        path = os.path.join(self.folder, digest.hexdigest()[:32] + ".json")
        try:
            with open(path, encoding="utf-8") as file:
                return json.load(file)
        except (OSError, ValueError):
            pass
        command = [self.program, "validate", "--json", "--threads", "1", "--machine", self.machine]
        for setting in settings:
            command += ["--set", setting]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, check=False)
        if done.returncode not in (0, 1):  # 1: a bound is missed, of course
            sys.exit("research/refit: %s failed:\n%s" % (" ".join(command), done.stderr))
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=self.folder, delete=False) as file:
            file.write(done.stdout)
        os.replace(file.name, path)
        return json.loads(done.stdout)

    def causes(self, structure, costs):
        """Cycles by cause of each cell, with every cost at 1 cycle."""
        key = (structure, tuple(self.probes(costs)))
        if key not in self.known:
            document = self.read(structure, costs)
            self.known[key] = [row[routine.lower()]["cycles_by_cause"] for row in document["rows"]
                               for routine in ROUTINES]
        return self.known[key]

    def prefetch(self, structures):
        """Runs what is not yet counted, as many at a time as the host has processors."""
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda item: self.causes(*item), sorted(set(structures), key=str)))

    def cells(self):
        return Cells(self.read((), ()))


def numbers_of(machine):
    """Dotted keys of a machine description, and their values."""
    found = {}
    for section, entry in machine.items():
        if not isinstance(entry, dict) or "value" in entry:
            continue
        for key, number in entry.items():
            found["%s.%s" % (section, key)] = number["value"] if isinstance(number, dict) else number
    return found


def settings_of(mechanism, sizes):
    """The settings of a mechanism in a choice of its sizes."""
    found = dict(setting.partition("=")[::2] for setting in mechanism.settings)
    found.update((key, value) for key, value in sizes.items() if key != "recount")
    first = sizes.get("memory.heap_base_words", 0)
    if first < 0:
        found["memory.heap_base_words"] = first % int(found["memory.page_words"])
    return tuple("%s=%s" % item for item in found.items())


class Counts:
    """A mechanism's cells as numbers: cycles / published = share * (known + events . costs), for each choice of sizes."""

    def __init__(self, counter, mechanism, cells):
        self.mechanism, self.cells = mechanism, cells
        names = [name for name, _ in mechanism.sizes]
        self.choices = [dict(zip(names, values)) for values in product(*(values for _, values in mechanism.sizes))]
        self.settings = [settings_of(mechanism, sizes) for sizes in self.choices]
        structures = [counter.structure(settings, mechanism.costs) for settings in self.settings]
        counter.prefetch((structure, mechanism.costs) for structure in structures)
        known, events = zip(*(self.linear(counter, settings, self.recounted(
            counter, settings, counter.causes(structure, mechanism.costs), sizes.get("recount")))
            for settings, structure, sizes in zip(self.settings, structures, self.choices)))
        self.known, self.events = np.array(known), np.array(events)

    def recounted(self, counter, settings, causes, size):
        """The cells' causes, changed by what the mechanism counts again."""
        if self.mechanism.recount is None:
            return causes
        memory = {key: value for key, value in counter.numbers.items() if key.startswith("memory.")}
        memory.update((key, int(value)) for key, value in (s.split("=") for s in settings) if key in memory)
        cells = self.cells
        found = []
        for i, cell in enumerate(causes):
            place = (int(cells.rank[i]), int(cells.length[i]), ROUTINES[cells.routine[i]])
            change = streams.difference(self.mechanism.recount, place, tuple(sorted(memory.items())), size,
                                        tuple(sorted(cell.items())))
            found.append({cause: cell.get(cause, 0) + change.get(cause, 0) for cause in cell.keys() | change.keys()})
        return found

    def linear(self, counter, settings, causes):
        """known[cell] and events[cell, cost] of one machine, both divided by the published cycles."""
        numbers = dict(counter.numbers)
        numbers.update((key, int(value)) for key, value in (s.split("=") for s in settings))
        interval, cycles = (numbers[key] for key in REFRESH)
        share = interval / (interval - cycles) if interval > 0 else 1.0
        fitted = {key for cost in self.mechanism.costs for key in cost.keys}
        paid = {cause: sum(numbers[key] for key in cost.keys) if cost.shares else numbers[cost.keys[0]]
                for cost in KNOWN if not fitted.intersection(cost.keys) for cause in cost.causes}
        free = {cause for cost in self.mechanism.costs if cost.keys for cause in cost.causes}
        known, events = [], []
        for i, cell in enumerate(causes):
            scale = share / self.cells.cycles[i]
            known.append(scale * sum(n * paid.get(cause, 1) for cause, n in cell.items() if cause not in free))
            events.append([scale * sum(cell.get(cause, 0) for cause in cost.causes)
                           if cost.routine in (None, ROUTINES[self.cells.routine[i]]) else 0.0
                           for cost in self.mechanism.costs])
        return known, events
