"""Machine descriptions: the numbers of the simulated hardware, each with its status."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from .errors import InputError, assignments, chars, check, new_error, text_of, words
from ._library import ffi, lib

_STATUS = {lib.CM_NUMBER_UNMARKED: "unmarked", lib.CM_NUMBER_STATED: "stated", lib.CM_NUMBER_DERIVED: "derived",
           lib.CM_NUMBER_FITTED: "fitted", lib.CM_NUMBER_ASSUMED: "assumed", lib.CM_NUMBER_SET: "set"}


class Machine(Mapping[str, int]):
    """A machine description, which is immutable: `machine["memory.page_words"]` is a number of it.

    Machine() is the CM-200, Machine("cm2") the CM-2. Other names are "cm200-first-fit" and "cube8". Any other text or
    path is a file of format "cm200-machine/1".
    """

    def __init__(self, source: str | os.PathLike[str] = "cm200") -> None:
        self._config = ffi.new("struct cm_config *")
        err = new_error()
        check(lib.cm_config_read(chars(source, "the name of a machine"), self._config, err), err)
        self._index = {text_of(lib.cm_config_at(self._config, i).path): i for i in range(lib.cm_config_count())}

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (text_of(lib.cm_version()), bytes(ffi.buffer(self._config)))

    @property
    def name(self) -> str:
        return text_of(self._config.name)

    @property
    def clock_hz(self) -> int:
        return int(self._config.clock_hz)

    def __getitem__(self, path: str) -> int:
        return int(lib.cm_config_at(self._config, self._index[path]).value)

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._index)

    def __repr__(self) -> str:
        return "Machine(%r)" % self.name

    def status(self, path: str) -> str:
        """Status of a number: stated, derived, fitted, assumed, unmarked, or set (by `changed`)."""
        return _STATUS[lib.cm_config_at(self._config, self._index[path]).status]

    def changed(self, numbers: Mapping[str, int]) -> Machine:
        """Returns a machine with some numbers changed. Raises InputError for an unknown key, or for contradictory numbers."""
        made = object.__new__(Machine)
        made._config, made._index = ffi.new("struct cm_config *"), self._index
        made._config[0] = self._config[0]
        sets, _kept = words(assignments(numbers))
        err = new_error()
        check(lib.cm_config_set(made._config, sets, len(numbers), err), err)
        return made

    @property
    def _limits(self) -> Any:
        return ffi.new("struct cm_imp_limits *", {"slots": self._config.transposer_slots,
                                                  "loop_depth": self._config.sequencer_loop_depth})


def _restored(version: str, numbers: bytes) -> Machine:
    """A machine from the numbers that another process of the same release has pickled."""
    made = Machine()
    if version != text_of(lib.cm_version()) or len(numbers) != len(ffi.buffer(made._config)):
        raise InputError("the machine was pickled by release %s; this is %s" % (version, text_of(lib.cm_version())))
    ffi.buffer(made._config)[:] = numbers
    return made
