"""Errors of the library as exceptions, and conversions that every module needs."""

from __future__ import annotations

import operator
import os
from collections.abc import Mapping
from typing import Any

from ._library import ffi, lib


class Error(Exception):
    """An error of the library. `file`, `line` and `column` (from 1) are None if there is no place."""

    def __init__(self, message: str, *, file: str | None = None, line: int | None = None, column: int | None = None,
                 hint: str | None = None, text: str | None = None) -> None:
        super().__init__(text or message)
        self.message, self.file, self.line, self.column, self.hint = message, file, line, column, hint


class InputError(Error, ValueError):
    """A bad machine, workload, microprogram, trace or option."""


class Fault(Error):
    """The simulated program faulted."""


class CheckFailed(Error):
    """The check of a run found wrong data. The run is complete, and `result` is its result."""

    result: Any = None


class FileError(Error, OSError):
    """Reading or writing failed."""


class NoMemory(Error, MemoryError):
    """The host refused memory."""


_CLASSES = {lib.CM_CHECK_FAILED: CheckFailed, lib.CM_USAGE: InputError, lib.CM_BAD_INPUT: InputError, lib.CM_FAULT: Fault,
            lib.CM_IO: FileError, lib.CM_NO_MEMORY: NoMemory}


def new_error() -> Any:
    """A struct cm_error, for calls of the library."""
    return ffi.new("struct cm_error *")


def text_of(chars: Any) -> str:
    return "" if chars == ffi.NULL else ffi.string(chars).decode("utf-8", "replace")


def check(status: int, err: Any) -> None:
    """Raises the error of a call, if it failed."""
    if status == lib.CM_OK:
        return
    if status == lib.CM_INTERRUPTED:
        raise KeyboardInterrupt
    message, file, hint, source = (text_of(part) for part in (err.message, err.file, err.hint, err.source))
    place = ":".join([file] + [str(number) for number in (err.line, err.column) if number])
    lines = ["%s: %s" % (place, message) if file else message]
    if source:
        lines += ["    " + source, "    " + " " * err.caret + "^"]
    if hint:
        lines.append("hint: " + hint)
    raise _CLASSES.get(status, Error)(message, file=file or None, line=err.line or None, column=err.column or None,
                                      hint=hint or None, text="\n".join(lines))


class Buffer:
    """A struct cm_buffer for calls that append text."""

    def __init__(self) -> None:
        self.c = ffi.new("struct cm_buffer *")
        lib.cm_buffer_init(self.c)

    def take(self) -> bytes:
        good = lib.cm_buffer_ok(self.c)
        data = bytes(ffi.buffer(self.c.data, self.c.length)) if self.c.data != ffi.NULL else b""
        lib.cm_buffer_finish(self.c)
        if not good:
            raise NoMemory("out of memory")
        return data


def chars(text: str | bytes | os.PathLike[str], what: str) -> bytes:
    """The bytes of a path or a name for the library, which ends a text at its first NUL."""
    encoded = os.fsencode(text)
    if b"\0" in encoded:
        raise InputError("%s has a NUL byte: %r" % (what, text))
    return encoded


def integer(what: str, value: Any) -> int:
    """An integer, or a number that equals one; others are refused rather than cut."""
    try:
        return operator.index(value)
    except TypeError:
        pass
    try:
        if not isinstance(value, (str, bytes)) and float(value).is_integer():
            return int(value)
    except (TypeError, ValueError, OverflowError):
        pass
    raise InputError("%s is %r, expected an integer" % (what, value))


def assignments(numbers: Mapping[str, Any]) -> list[str]:
    """NAME=VALUE of each number, for the library."""
    return ["%s=%d" % (name, integer(name, value)) for name, value in numbers.items()]


def words(texts: list[str]) -> tuple[Any, list[Any]]:
    """Returns texts as a `const char *const *`, and the objects that own its memory."""
    kept = [ffi.new("char[]", chars(text, "a name")) for text in texts]
    return (ffi.new("const char *[]", kept) if kept else ffi.NULL), kept
