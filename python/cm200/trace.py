"""Traces as NumPy arrays."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

from ._library import ffi, lib
from .errors import chars, check, new_error, NoMemory, text_of
from .picture import Picture, draw
from .result import CAUSES

NONE = 2**32 - 1  # value of step, imp, pc and pattern
NEVER = 2**64 - 1  # value of cycles and packets

_EVENT = np.dtype([("first_cycle", "u8"), ("end_cycle", "u8"), ("address", "u8"), ("other", "u8"), ("phase", "u4"), ("step", "u4"),
                   ("imp", "u4"), ("pc", "u4"), ("pattern", "u4"), ("page_faults", "u4")])
_PACKET = np.dtype([("created_cycle", "u8"), ("arrived_cycle", "u8"), ("queueing_cycles", "u8"), ("header_cycles", "u8"),
                    ("body_cycles", "u8"), ("source", "u4"), ("destination", "u4"), ("words", "u4"), ("hops", "u4")])
_HOP = np.dtype([("packet", "u8"), ("asked_cycle", "u8"), ("first_cycle", "u8"), ("end_cycle", "u8"), ("blocked_by", "u8"),
                 ("node", "u4"), ("dimension", "u4"), ("channel", "u4"), ("unused", "u4")])
_STEP = np.dtype([("first_cycle", "u8"), ("end_cycle", "u8"), ("op", "O"), ("where", "O")])

PHASES = [text_of(lib.cm_trace_phase_name(phase)) for phase in range(lib.CM_TRACE_PHASE_COUNT)]


class Trace:
    """A trace that `run(trace=FILE)` or `cm200 run --trace FILE` wrote. An interval of cycles is [first, end), by default
    the whole run."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.path.abspath(path)
        out, err = ffi.new("struct cm_trace **"), new_error()
        check(lib.cm_trace_open(chars(path, "the path of a trace"), out, err), err)
        self._c = ffi.gc(out[0], lib.cm_trace_close)
        info = lib.cm_trace_information(self._c)
        self.workload, self.machine = text_of(info.workload), text_of(info.machine)
        self.nodes, self.dimensions, self.channels = int(info.nodes), int(info.dimensions), int(info.channels)
        self.clock_hz, self.cycles = int(info.clock_hz), int(info.cycles)
        self.complete, self.notice = bool(info.complete), text_of(info.notice) or None
        self.exchanges = int(info.exchanges)
        made_of = text_of(info.made_of)
        self.made_of: dict[str, Any] = json.loads(made_of) if made_of else {}

    def __reduce__(self) -> tuple[Any, ...]:
        return Trace, (self.path,)

    def _end(self, end: int | None) -> int:
        return self.cycles if end is None else end

    def events(self, first: int = 0, end: int | None = None) -> np.ndarray:
        """The instructions that begin before `end`, in order. PHASES names their phases."""
        count = lib.cm_python_events(self._c, first, self._end(end), ffi.NULL, 0)
        rows = np.zeros(count, _EVENT)
        lib.cm_python_events(self._c, first, self._end(end), _rows(rows, "event"), count)
        return rows

    def packets(self) -> np.ndarray:
        """The packets of the router that were recorded individually. The number of a row is the number of the packet."""
        rows = np.zeros(lib.cm_trace_information(self._c).packets, _PACKET)
        lib.cm_python_packets(self._c, _rows(rows, "packet"))
        return rows

    def hops(self, first: int = 0, end: int | None = None) -> np.ndarray:
        """Hops: packets that cross or wait for a channel. `blocked_by` is the packet that held the channel, or NEVER."""
        count = lib.cm_python_hops(self._c, first, self._end(end), ffi.NULL, 0)
        rows = np.zeros(count, _HOP)
        if lib.cm_python_hops(self._c, first, self._end(end), _rows(rows, "hop"), count) == NEVER:
            raise NoMemory("out of memory")
        return rows

    def channel_busy(self, first: int = 0, end: int | None = None) -> np.ndarray:
        """Busy cycles of every channel, as an array of node x dimension x channel."""
        busy = np.zeros((self.nodes, self.dimensions, self.channels), "u8")
        lib.cm_trace_channel_busy(self._c, first, self._end(end), ffi.cast("uint64_t *", busy.ctypes.data))
        return busy

    def cycles_by_phase(self, first: int = 0, end: int | None = None) -> dict[str, int]:
        counts = ffi.new("uint64_t[]", len(PHASES))
        lib.cm_trace_by_phase(self._c, first, self._end(end), counts)
        return dict(zip(PHASES, counts))

    def cycles_by_cause(self, first: int = 0, end: int | None = None) -> dict[str, int]:
        counts = ffi.new("uint64_t[]", len(CAUSES))
        lib.cm_trace_by_cause(self._c, first, self._end(end), counts)
        return dict(zip(CAUSES, counts))

    def steps(self) -> np.ndarray:
        """The steps of the workload. A step that ran several times has several rows."""
        count = lib.cm_trace_information(self._c).steps
        rows = np.zeros(count, _STEP)
        for i in range(count):
            step = lib.cm_trace_step_at(self._c, i)
            rows[i] = (step.first_cycle, step.end_cycle, text_of(step.op), text_of(step.where))
        return rows

    def picture(self, *, compare: Trace | None = None, at_cycle: int | None = None, panel: str | None = None, keys: str = "",
                size: tuple[int, int] = (1280, 800), scale: int = 1, **options: str) -> Picture:
        """The picture of `cm200-view --screenshot`, as the bytes of a PNG file, which a notebook shows.

        compare: a second trace, shown next to this one. at_cycle: None is the first exchange or packet. keys: keys to press
        first, as "Space T P". size: in points, of `scale` pixels each (1 or 2). Other options have the names of cm200-view's,
        with values that are text: layout, palette, load, theme, span, range, pin.
        """
        chosen = {**({"panel": panel} if panel else {}), **options, **({} if at_cycle is None else {"at-cycle": str(at_cycle)})}
        return draw([self.path] + ([compare.path] if compare is not None else []), self.made_of, chosen, keys.split(), size, scale)

    def __repr__(self) -> str:
        return "Trace(%r on %r, %d nodes: %d cycles)" % (self.workload, self.machine, self.nodes, self.cycles)


def _rows(array: np.ndarray, kind: str) -> Any:
    return ffi.cast("struct cm_python_%s *" % kind, array.ctypes.data)
