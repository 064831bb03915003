"""Runs: a workload on a machine, executed once."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Union

import numpy as np

from ._library import ffi, lib
from .errors import Buffer, CheckFailed, InputError, assignments, chars, check, integer, new_error, text_of, words
from .machine import Machine
from .result import Result, causes_of
from .workload import Program, Source, Workload, is_program

Machines = Union[Machine, str, "os.PathLike[str]", None]

_DTYPES = {lib.CM_TYPE_REAL32: np.dtype("f4"), lib.CM_TYPE_REAL64: np.dtype("f8"), lib.CM_TYPE_COMPLEX64: np.dtype("c8"),
           lib.CM_TYPE_COMPLEX128: np.dtype("c16"), lib.CM_TYPE_INT32: np.dtype("i4"), lib.CM_TYPE_LOGICAL: np.dtype("?")}
_TYPES = {dtype: kind for kind, dtype in _DTYPES.items()}


class Arrays(Mapping[str, np.ndarray]):
    """The arrays of a run by name: those of the workload, or of a CM Fortran program's main program. `arrays["a"]` reads an
    array from the nodes into a new array in Fortran order. `arrays.read("a", out=...)` reads it into an array of the caller."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def _found(self) -> Iterator[Any]:
        """The arrays that exist now: those of a program may be allocated later."""
        i, array = 0, ffi.new("struct cm_python_array *")
        while lib.cm_python_array_at(self._run._handle, i, array):
            yield i, text_of(array.name), tuple(array.shape[a] for a in range(array.rank)), _DTYPES[array.type]
            i += 1

    def _like(self, name: str) -> tuple[int, tuple[int, ...], np.dtype]:
        for wanted in (name, name.lower()):
            for i, found, shape, dtype in self._found():
                if found == wanted:
                    return i, shape, dtype
        raise KeyError(name)

    def read(self, name: str, out: np.ndarray | None = None) -> np.ndarray:
        """Reads the values of an array. `out` must have its shape and type, in Fortran order. Without data: zeros."""
        i, shape, dtype = self._like(name)
        if out is None:
            out = np.zeros(shape, dtype, order="F")
        elif out.shape != shape or out.dtype != dtype or not out.flags.f_contiguous or not out.flags.writeable:
            raise InputError("out for array %s is not a writeable %s array of shape %s in Fortran order" % (name, dtype, shape))
        err = new_error()
        with _Use(self._run._handle):
            status = lib.cm_python_array_read(self._run._handle, i, ffi.cast("void *", out.ctypes.data), err)
        check(status, err)
        return out

    def write(self, name: str, values: Any) -> None:
        """Sets an array before the run. Values in Fortran order and of the array's type are not copied in between."""
        i, shape, dtype = self._like(name)
        values = np.asarray(values)
        if values.shape != shape:
            raise InputError("array %s has shape %s, the values %s" % (name, shape, values.shape))
        if not np.can_cast(values.dtype, dtype, "same_kind"):
            raise InputError("array %s is %s, the values are %s" % (name, dtype, values.dtype))
        values = _converted(name, values, dtype)
        err = new_error()
        with _Use(self._run._handle):
            status = lib.cm_python_array_give(self._run._handle, i, ffi.cast("void *", values.ctypes.data), err)
        check(status, err)

    def __getitem__(self, name: str) -> np.ndarray:
        return self.read(name)

    def __iter__(self) -> Iterator[str]:
        return (name for _, name, _, _ in self._found())

    def __len__(self) -> int:
        return sum(1 for _ in self._found())


def _converted(name: str, values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The values in the type of an array. A value that the type does not have is refused; reals are rounded."""
    if values.dtype == dtype:
        return np.asarray(values, order="F")
    with np.errstate(over="ignore", invalid="ignore"):
        converted = np.asarray(values, dtype, order="F")
    wrong = converted != values if dtype.kind == "i" else np.isinf(converted) & ~np.isinf(values)
    if wrong.any():
        place = tuple(int(i) for i in np.argwhere(wrong)[0])
        kind = text_of(lib.cm_type_name(_TYPES[dtype]))
        raise InputError("array %s is %s, which does not have the value %r at %r" % (name, kind, values[place], list(place)))
    return converted


class Run:
    """A workload that is laid out on a machine, to be executed once. `cm200.run` makes and executes one in a single call.

    The caller may set arrays before `execute`, and read them from the nodes afterwards. `close` frees the machine, which
    also goes with the last reference to the run. `with Run(...) as run:` closes it at the end.
    """

    def __init__(self, workload: Source, *, machine: Machines = None, set: Mapping[str, int] | None = None,
                 nodes: int | None = None, threads: int | None = None, timing_only: bool = False, check: bool | None = None,
                 param: Mapping[str, Any] | None = None, trusted: bool = False, executor: str | None = None) -> None:
        if check and isinstance(workload, (str, os.PathLike)) and is_program(workload):
            workload = Program(workload, check=True)
        description = workload if isinstance(workload, Workload) and not param else Workload(workload, param)
        if machine is None and not description.names_machine:
            machine = Machine()
        config = machine._config if isinstance(machine, Machine) else ffi.NULL
        path = ffi.NULL if machine is None or isinstance(machine, Machine) else ffi.new("char[]", chars(machine, "the path of a machine"))
        sets, _kept = words(assignments(set or {}))
        by = ffi.NULL if executor is None else ffi.new("char[]", chars(executor, "the name of an executor"))
        options = ffi.new("struct cm_run_options *", {
            "machine": path, "sets": sets, "set_count": len(set or {}), "nodes": integer("nodes", nodes or 0),
            "threads": integer("threads", threads or 0), "executor": by, "timing_only": timing_only, "no_check": check is False,
            "trusted": trusted or isinstance(description._source, Program), "files_anywhere": trusted, "config": config})
        out, err = ffi.new("struct cm_run **"), new_error()
        _check(lib.cm_run_create(description._c, options, out, err), err)
        self._c = out[0]
        # The run is destroyed before the workload, also if the collector finds both in one cycle.
        self._end = weakref.finalize(self, _destroy, self._c, description._c)
        self._executed = False
        self._grows = isinstance(description._source, Program)  # a program may allocate arrays while it runs

    @property
    def _handle(self) -> Any:
        """The run of the library."""
        if not self._end.alive:
            raise InputError("the run is closed")
        return self._c

    def close(self) -> None:
        """Frees the machine and its arrays. Results stay. Another thread that executes the run gets KeyboardInterrupt."""
        if self._end.alive:
            _Use.interrupt(self._c)
            self._end()

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    @property
    def arrays(self) -> Arrays:
        return Arrays(self)

    def execute(self, trace: str | os.PathLike[str] | None = None, trace_window: tuple[int, int] | None = None, *,
                keep: bool | Iterable[str] = True) -> Result:
        """Runs the steps, and saves arrays as the workload asks. Other Python threads run meanwhile. Ctrl-C stops the run.

        `trace` names a file that records the run cycle by cycle (see Trace). In `trace_window`, a pair of cycles, the words
        on the wires are recorded, too. keep: the arrays whose values the result copies from the nodes: True for all, False
        for none, or names. Raises CheckFailed if the check found wrong data.
        """
        if self._executed:
            raise InputError("this run was executed before", hint="make another Run")
        if not self._grows and not isinstance(keep, bool):
            keep = [keep] if isinstance(keep, str) else list(keep)
            for name in keep:
                self.arrays._like(name)  # a wrong name fails now, not after the run
        self._executed = True
        with _Use(self._handle):
            try:
                self._execute(trace, trace_window)
            except CheckFailed as failed:
                failed.result = Result(self, keep)
                raise
            return Result(self, keep)

    def _quantities(self) -> tuple[tuple[int, float, float, int], dict[str, int]]:
        """Runs the steps. Returns cycles, seconds, elapsed seconds and exchanges, and the cycles by cause."""
        with _Use(self._handle):
            self._executed = True
            self._execute(None, None)
            result = lib.cm_run_result(self._c)
            cycles, clock = int(result.total.cycles), int(result.clock_hz)
            return ((cycles, cycles / clock, int(result.total.elapsed_cycles) / clock, int(result.total.exchanges)),
                    causes_of(result))

    def _execute(self, trace: str | os.PathLike[str] | None, trace_window: tuple[int, int] | None) -> None:
        recorder = _Recorder(self, trace, trace_window) if trace is not None else None
        err = new_error()
        status = _interruptible(lambda: lib.cm_run_execute(self._c, err), lambda: lib.cm_run_interrupt(self._c))
        complete = status in (lib.CM_OK, lib.CM_CHECK_FAILED)
        if recorder is not None:
            recorder.finish(complete)
        if status == lib.CM_OK:
            status = lib.cm_run_save(self._c, err)
        _check(status, err)


_check = check


def run(workload: Source, *, machine: Machines = None, set: Mapping[str, int] | None = None,
        arrays: Mapping[str, Any] | None = None, nodes: int | None = None, threads: int | None = None,
        timing_only: bool = False, check: bool | None = None, param: Mapping[str, Any] | None = None, trusted: bool = False,
        trace: str | os.PathLike[str] | None = None, trace_window: tuple[int, int] | None = None,
        keep: bool | Iterable[str] = True, executor: str | None = None) -> Result:
    """Runs a workload (a path, a dict or a Builder) or a CM Fortran program (a path, a Program), and returns its Result.

    machine: a Machine, a name or a file, instead of the workload's. A dict without a machine, and a program, run on the CM-200.
    set: numbers of the machine to change. arrays: initial values of arrays, instead of their "init". timing_only: count
    cycles, move no data. check: False, do not compare with a direct evaluation; True, also compare the statements of a
    program. param: values for the workload's parameters or the program's PARAMETERs. trusted: the workload may write files
    outside its folder. keep: the arrays whose values the result has: True for all, or names. executor:
    "loops", "code", "avx2", "avx512" or "auto" (docs/speed.md). Raises an Error with the place and a hint, or
    KeyboardInterrupt.
    """
    with Run(workload, machine=machine, set=set, nodes=nodes, threads=threads, timing_only=timing_only, check=check,
             param=param, trusted=trusted, executor=executor) as prepared:
        for name, values in (arrays or {}).items():
            prepared.arrays.write(name, values)
        return prepared.execute(trace, trace_window, keep=keep)


class _Use:
    """A use of a run by a call of the library: `with _Use(run):`. When Python ends, it destroys runs that daemon threads still
    use. Such a run is interrupted first, and its thread stops for good at the end of its call."""

    _lock = threading.RLock()  # the collector may destroy a run at any time
    _uses: dict[int, _Use] = {}
    _ended = False
    _own = threading.local()  # depth: how many uses of this thread are within each other

    def __init__(self, run: Any) -> None:
        self._run, self._done = run, threading.Event()

    def __enter__(self) -> None:
        # Python's end waits for a use that is registered, so its thread must not stop within it.
        depth = getattr(_Use._own, "depth", 0)
        with _Use._lock:
            stops = depth == 0 and _Use._stops()
            if not stops:
                _Use._uses[id(self)] = self
        if stops:
            threading.Event().wait()
        _Use._own.depth = depth + 1

    def __exit__(self, *_: Any) -> None:
        _Use._own.depth -= 1
        with _Use._lock:
            _Use._uses.pop(id(self), None)
        self._done.set()
        if _Use._own.depth == 0 and _Use._stops():
            threading.Event().wait()

    @staticmethod
    def _stops() -> bool:
        """Whether this thread stops for good: Python ends with its main thread, after all threads but daemons."""
        return _Use._ended and threading.current_thread() is not threading.main_thread()

    @staticmethod
    def interrupt(run: Any) -> bool:
        """Ends all uses of a run. Returns True if there were some."""
        with _Use._lock:
            uses = [use for use in _Use._uses.values() if use._run == run]
        for use in uses:
            lib.cm_run_interrupt(run)
            use._done.wait()
        return bool(uses)

    @staticmethod
    def end(run: Any) -> None:
        """Ends all uses of a run. A run that is still used is destroyed at the end of Python alone."""
        with _Use._lock:
            _Use._ended = _Use._ended or any(use._run == run for use in _Use._uses.values())
        _Use.interrupt(run)


def _destroy(run: Any, workload: Any) -> None:
    _Use.end(run)
    lib.cm_run_destroy(run)
    del workload  # the run needs it until then


def _interruptible(work: Any, interrupt: Any) -> int:
    """Calls the library in another thread, so that the main thread, which alone receives Ctrl-C, can interrupt it."""
    if threading.current_thread() is not threading.main_thread():
        return int(work())
    status: list[int] = []
    done = threading.Event()

    def execute() -> None:
        try:
            status.append(int(work()))
        finally:
            done.set()
    threading.Thread(target=execute, daemon=True).start()
    try:
        done.wait()
    except KeyboardInterrupt:
        interrupt()
        done.wait()  # Thread.join would return at once after an interrupted join
        raise
    return status[0]


class _Recorder:
    """The recording of a run into a file."""

    def __init__(self, run: Run, path: str | os.PathLike[str], window: tuple[int, int] | None) -> None:
        result = lib.cm_run_result(run._handle)
        made_of = Buffer()
        lib.cm_result_made_of(result, made_of.c)
        self._kept = [ffi.new("char[]", chars(path, "the path of a trace")), ffi.new("char[]", made_of.take())]
        options = ffi.new("struct cm_recorder_options *", {
            "path": self._kept[0], "workload": result.workload, "made_of": self._kept[1],
            "detail_first": window[0] if window else 0, "detail_end": window[1] if window else 0})
        out, err = ffi.new("struct cm_recorder **"), new_error()
        machine = lib.cm_system_machine(lib.cm_run_system(run._handle))
        _check(lib.cm_recorder_create(machine, options, out, err), err)
        self._c = ffi.gc(out[0], lib.cm_recorder_destroy)
        lib.cm_run_observe(run._handle, lib.cm_recorder_observer(self._c))

    def finish(self, complete: bool) -> None:
        err = new_error()
        _check(lib.cm_recorder_finish(self._c, complete, err), err)
