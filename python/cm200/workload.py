"""Workloads: from a file, from a dict, from a CM Fortran program, or built step by step."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, Union

from ._library import ffi, lib
from .errors import InputError, assignments, chars, check, new_error, text_of, words
from .kinds import Kinds

Source = Union[str, "os.PathLike[str]", Mapping[str, Any], "Workload", "Builder", "Program"]

lib.cm_fortran_register()


class Workload:
    """A workload that is read and checked. `source` is a path, a dict of format "cm200-workload/1", a Builder or a Program.

    Paths in a file are relative to its folder, paths in a dict to the current folder. `param` gives integers for some of the
    workload's parameters, and numbers for PARAMETERs of a CM Fortran program. A workload can be copied and pickled: a copy
    of a file's workload reads the file again.
    """

    def __init__(self, source: Source, param: Mapping[str, Any] | None = None) -> None:
        self._source: str | Mapping[str, Any] | Program
        self._param: dict[str, Any] = dict(param or {})
        if isinstance(source, Workload):
            self._source, self._param = source._source, {**source._param, **self._param}
        elif isinstance(source, (str, os.PathLike)):
            self._source = Program(source) if is_program(source) else os.fspath(source)
        else:
            self._source = source.to_dict() if isinstance(source, Builder) else source
        self._c = ffi.gc(self._read(), lib.cm_workload_destroy)

    def _read(self) -> Any:
        source, param = self._source, self._param
        if isinstance(source, Program):
            source, param = source._workload(param), {}
        given, _kept = words(assignments(param))
        out, err = ffi.new("struct cm_workload **"), new_error()
        if isinstance(source, Mapping):
            text = json.dumps({"format": "cm200-workload/1", **source}).encode()
            name, content = ffi.new("char[]", b"workload"), ffi.new("char[]", text)
            file = ffi.new("struct cm_file_text *", (name, content, len(text)))
            check(lib.cm_workload_parse_with(file, given, len(param), out, err), err)
        else:
            check(lib.cm_workload_read_with(chars(source, "the path of a workload"), given, len(param), out, err), err)
        return out[0]

    def __reduce__(self) -> tuple[Any, ...]:
        source = os.path.abspath(self._source) if isinstance(self._source, str) else self._source
        return Workload, (source, self._param)

    @property
    def name(self) -> str:
        return text_of(lib.cm_workload_name(self._c))

    @property
    def names_machine(self) -> bool:
        """True if the workload itself can say which machine it is for, as files and some dicts do."""
        return isinstance(self._source, str) or (isinstance(self._source, Mapping) and "machine" in self._source)

    def __repr__(self) -> str:
        return "Workload(%r)" % self.name


def is_program(path: str | os.PathLike[str]) -> bool:
    """True if a file of this name is a CM Fortran program: .fcm, .f90 and so on."""
    return bool(lib.cm_fortran_is_source_name(chars(path, "the path of a workload")))


class Program:
    """A CM Fortran program with options of its compiler: `run(Program("jacobi.fcm", level=2))`.

    level: 0, each shift by itself; 1, neighbouring shifts in one PSHIFT; 2, shifted operands are read in place. check: compare
    each array statement with a direct evaluation. cshift_order: "cm" or "f90", the order of CSHIFT's arguments without keywords.
    max_cycles: the program is stopped when it takes more.
    """

    def __init__(self, path: str | os.PathLike[str], *, level: int = 0, check: bool = False, cshift_order: str | None = None,
                 max_cycles: int | None = None) -> None:
        self.path, self.check = os.fspath(path), check
        if not is_program(self.path):
            raise InputError("%s does not have the suffix of a CM Fortran program, as .fcm" % self.path)
        self._options = {"level": level, "cshift_order": cshift_order, "max_cycles": max_cycles}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "path": os.path.abspath(self.path)}

    def _workload(self, param: Mapping[str, Any]) -> dict[str, Any]:
        options = {key: value for key, value in self._options.items() if value}
        parameters = {"parameters": {name: _number(name, value) for name, value in param.items()}} if param else {}
        return {"name": os.path.basename(self.path), "arrays": {}, **({"check": True} if self.check else {}),
                "steps": [{"program": {"file": self.path, **options, **parameters}}]}

    def __repr__(self) -> str:
        return "Program(%r)" % self.path


def _number(name: str, value: Any) -> Any:
    """A value of a PARAMETER as JSON has it, also of NumPy's scalars."""
    value = value.item() if hasattr(value, "item") else value
    if not isinstance(value, (bool, int, float)):
        raise InputError("PARAMETER %s is %r, expected a number, True or False" % (name, value))
    return value


class Builder(Kinds):
    """A builder of a workload. Each kind of step is a method. `cm200 help steps` lists the kinds::

        w = Builder("ring", machine="configs/cm200.json", nodes=8)
        w.array("a", [64], "int32", init={"index": True})
        w.array("b", like="a")
        w.cshift(dst="b", src="a", dim=1, distance=1)
        result = cm200.run(w)

    A kind that takes a list has the list as its only positional argument (`w.pshift([...], setup="auto")`). Keys next to
    the list are keyword arguments. Names that Python reserves end in `_` (`from_`). A number may be an expression of
    parameters, as "$L". Keys of the workload itself, such as "save", are keyword arguments of Builder.
    """

    def __init__(self, name: str, *, machine: str | os.PathLike[str] | None = None, nodes: int | None = None, check: bool = True,
                 **others: Any) -> None:
        super().__init__()
        self._made: dict[str, Any] = {"name": name, "check": check, **others}
        if machine is not None:
            self._made["machine"] = os.fspath(machine)
        if nodes is not None:
            self._made["nodes"] = nodes

    def scalar(self, name: str, value: float) -> Builder:
        self._made.setdefault("scalars", {})[name] = value
        return self

    def parameter(self, name: str, value: int) -> Builder:
        self._made.setdefault("parameters", {})[name] = value
        return self

    def repeat(self, times: int | str, steps: Builder) -> Builder:
        """Adds the steps of another builder, to be repeated."""
        return self.step("repeat", {"times": times, "steps": steps._steps})

    def to_dict(self) -> dict[str, Any]:
        """The workload in format "cm200-workload/1", as an independent copy."""
        made: dict[str, Any] = json.loads(json.dumps({**self._made, "arrays": self._arrays, "steps": self._steps}))
        return made
