"""Workloads: from a file, from a dict, or built step by step."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, Union

from ._library import ffi, lib
from .errors import assignments, chars, check, new_error, text_of, words

Source = Union[str, "os.PathLike[str]", Mapping[str, Any], "Workload", "Builder"]


class Workload:
    """A workload that is read and checked. `source` is a path, a dict of format "cm200-workload/1", or a Builder.

    Paths in a file are relative to its folder, paths in a dict to the current folder. `param` gives integers for some of the
    workload's parameters.
    """

    def __init__(self, source: Source, param: Mapping[str, int] | None = None) -> None:
        given, _kept = words(assignments(param or {}))
        out, err = ffi.new("struct cm_workload **"), new_error()
        count = len(param or {})
        if isinstance(source, Workload):
            source = source._source
        if isinstance(source, Builder):
            source = source.to_dict()
        if isinstance(source, Mapping):
            text = json.dumps({"format": "cm200-workload/1", **source}).encode()
            name, content = ffi.new("char[]", b"workload"), ffi.new("char[]", text)
            file = ffi.new("struct cm_file_text *", (name, content, len(text)))
            check(lib.cm_workload_parse_with(file, given, count, out, err), err)
        else:
            check(lib.cm_workload_read_with(chars(source, "the path of a workload"), given, count, out, err), err)
        self._source = source
        self._c = ffi.gc(out[0], lib.cm_workload_destroy)

    @property
    def name(self) -> str:
        return text_of(lib.cm_workload_name(self._c))

    def __repr__(self) -> str:
        return "Workload(%r)" % self.name


class Builder:
    """A builder of a workload. Each kind of step is a method. `cm200 help steps` lists the kinds::

        w = Builder("ring", machine="configs/cm200.json", nodes=8)
        w.array("a", [64], "int32", init={"index": True})
        w.array("b", like="a")
        w.cshift(dst="b", src="a", dim=1, distance=1)
        result = cm200.run(w)

    A kind that takes a list has the list as its only positional argument (`w.pshift([...], setup="auto")`). Keys next to
    the list are keyword arguments. Names that Python reserves end in `_` (`from_`).
    """

    def __init__(self, name: str, *, machine: str | None = None, nodes: int | None = None, check: bool = True,
                 **others: Any) -> None:
        self._made: dict[str, Any] = {"name": name, "arrays": {}, "steps": [], "check": check, **others}
        if machine is not None:
            self._made["machine"] = os.fspath(machine)
        if nodes is not None:
            self._made["nodes"] = nodes

    def array(self, name: str, shape: list[int] | None = None, type: str = "real32", *, like: str | None = None,
              **others: Any) -> Builder:
        """Adds an array of a shape, whose first index varies fastest, or an array like another one."""
        self._made["arrays"][name] = {**({"like": like} if like is not None else {"shape": shape, "type": type}), **others}
        return self

    def scalar(self, name: str, value: float) -> Builder:
        self._made.setdefault("scalars", {})[name] = value
        return self

    def parameter(self, name: str, value: int) -> Builder:
        self._made.setdefault("parameters", {})[name] = value
        return self

    def repeat(self, times: int, steps: Builder) -> Builder:
        """Adds the steps of another builder, to be repeated."""
        self._made["steps"].append({"repeat": {"times": times, "steps": steps._made["steps"]}})
        return self

    def step(self, kind: str, body: Any = None, **keys: Any) -> Builder:
        """Adds a step of any kind. `keys` are the keys of the step, or the keys next to its list `body`."""
        plain = {key.rstrip("_"): value for key, value in keys.items()}
        self._made["steps"].append({kind: plain} if body is None else {kind: body, **plain})
        return self

    def __getattr__(self, kind: str) -> Any:
        if kind.startswith("_"):
            raise AttributeError(kind)

        def add(body: Any = None, **keys: Any) -> Builder:
            return self.step(kind, body, **keys)
        return add

    def to_dict(self) -> dict[str, Any]:
        return dict(self._made)
