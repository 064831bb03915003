"""Results of runs. A result is plain data: it can be copied, pickled and sent to other processes."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ._library import ffi, lib
from .errors import Buffer, InputError, check, new_error, text_of

if TYPE_CHECKING:
    from .run import Run

CAUSES = [text_of(lib.cm_cause_name(cause)) for cause in range(lib.CM_CAUSE_COUNT)]

_TABLE = """<table class="cm200" style="font-size: 90%%">
<caption style="text-align: left">%s on %s, %s nodes: <b>%s cycles</b>, %s</caption>
<tr><th style="text-align: left">cause</th><th>cycles</th><th>share</th><th></th></tr>
%s</table>"""
_ROW = """<tr><td style="text-align: left">%s</td><td>%s</td><td>%.1f %%</td><td style="text-align: left; width: 20em">\
<div style="background: #3b6fa0; height: 0.8em; width: %.2f%%"></div></td></tr>
"""


class Values(Mapping[str, np.ndarray]):
    """Values of the arrays of a finished run, by name, in Fortran order. The names of a Fortran program's arrays may have
    upper-case letters."""

    def __init__(self, values: dict[str, np.ndarray]) -> None:
        self._values = values

    def read(self, name: str, out: np.ndarray | None = None) -> np.ndarray:
        """Returns an array, or copies it into `out`, which must have its shape and type."""
        values = self[name]
        if out is None:
            return values
        if out.shape != values.shape or out.dtype != values.dtype or not out.flags.writeable:
            raise InputError("out for array %s is not a writeable %s array of shape %s" % (name, values.dtype, values.shape))
        out[...] = values
        return out

    def __getitem__(self, name: str) -> np.ndarray:
        return self._values[name] if name in self._values else self._values[name.lower()]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


class Result:
    """Result of a run. Cycles are exact integers. `seconds` is time of the simulated machine.

    `elapsed_seconds` includes the front end, which works while the machine works. The machine itself is gone: `arrays` has
    the arrays' values, which `close` frees. `with cm200.run(...) as result:` closes it at the end.
    """

    def __init__(self, run: Run, keep: bool | Iterable[str] = True) -> None:
        result = lib.cm_run_result(run._handle)
        self.workload, self.machine = text_of(result.workload), text_of(result.machine)
        self.nodes, self.clock_hz = int(result.nodes), int(result.clock_hz)
        self.cycles, self.exchanges = int(result.total.cycles), int(result.total.exchanges)
        self.seconds = self.cycles / self.clock_hz
        self.elapsed_seconds = int(result.total.elapsed_cycles) / self.clock_hz
        self.checked, self.mismatches = bool(result.checked), int(result.mismatches)
        self.timing_only, self.wall_seconds = bool(result.timing_only), float(result.wall_seconds)
        self._causes = causes_of(result)
        buffer, err = Buffer(), new_error()
        status = lib.cm_result_json(result, buffer.c, err)
        self._json = buffer.take()
        check(status, err)
        buffer = Buffer()
        lib.cm_result_summary(result, 0, buffer.c)
        self._summary = buffer.take().decode()
        self._values: Values | None = Values(_kept(run, keep))

    @property
    def arrays(self) -> Values:
        if self._values is None:
            raise InputError("the result is closed: its arrays are gone")
        return self._values

    def close(self) -> None:
        """Frees the arrays' values. Everything else stays."""
        self._values = None

    def __enter__(self) -> Result:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    @property
    def cycles_by_cause(self) -> dict[str, int]:
        return dict(self._causes)

    def to_dict(self) -> dict[str, Any]:
        """The result in format "cm200-result/1". docs/workload.md lists the keys."""
        made: dict[str, Any] = json.loads(self._json)
        return made

    @property
    def steps(self) -> list[dict[str, Any]]:
        """Results of the steps, as in to_dict()["steps"]."""
        return list(self.to_dict()["steps"])

    @property
    def output(self) -> str:
        """The text that CM Fortran programs of the run have printed."""
        return "".join(line + "\n" for step in self.steps for line in step.get("output", []))

    def __str__(self) -> str:
        return self._summary

    def __repr__(self) -> str:
        return "Result(%r on %r, %d nodes: %d cycles)" % (self.workload, self.machine, self.nodes, self.cycles)

    def _repr_html_(self) -> str:
        """What a notebook shows: why each cycle was spent, the most frequent cause first."""
        causes = sorted(((cycles, name) for name, cycles in self._causes.items() if cycles), reverse=True)
        most = causes[0][0] if causes else 1
        rows = "".join(_ROW % (html.escape(name), format(cycles, ","), 100 * cycles / self.cycles, 100 * cycles / most)
                       for cycles, name in causes)
        return _TABLE % (html.escape(self.workload), html.escape(self.machine), format(self.nodes, ","),
                         format(self.cycles, ","), _time(self.seconds), rows)


def causes_of(result: Any) -> dict[str, int]:
    """Cycles by cause of a struct cm_result."""
    return {name: int(result.total.by_cause[i]) for i, name in enumerate(CAUSES)}


def _kept(run: Run, keep: bool | Iterable[str]) -> dict[str, np.ndarray]:
    names = [] if keep is False else list(run.arrays) if keep is True else [keep] if isinstance(keep, str) else list(keep)
    return {name: run.arrays[name] for name in names}


def _time(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return "%.3g %s" % (seconds / size, unit)
    return "%.3g µs" % (seconds / 1e-6)
