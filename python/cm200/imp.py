"""Microprograms (IMPs)."""

from __future__ import annotations

import os
from typing import Any

from ._library import ffi, lib
from .errors import Buffer, chars, check, new_error
from .machine import Machine
from .mnemonics import Mnemonics


class Imp:
    """A microprogram, assembled and verified for a machine (the CM-200 by default).

    Its source is assembly text, an SRAM image (bytes), or an ImpText.
    """

    def __init__(self, source: str | bytes | ImpText, machine: Machine | None = None, name: str = "imp") -> None:
        self._machine, self._name = machine or Machine(), name
        limits = self._machine._limits
        out, err = ffi.new("struct cm_imp **"), new_error()
        if isinstance(source, bytes):
            check(lib.cm_imp_decode(chars(name, "the name of a microprogram"), source, len(source), limits, out, err), err)
        else:
            text = str(source).encode()
            check(lib.cm_imp_assemble(chars(name, "the name of a microprogram"), text, len(text), limits, out, err), err)
        self._c = ffi.gc(out[0], lib.cm_imp_destroy)

    def __reduce__(self) -> tuple[Any, ...]:
        return Imp, (self.image, self._machine, self._name)

    @property
    def text(self) -> str:
        """Assembly text, which assembles to the same microprogram."""
        buffer = Buffer()
        lib.cm_imp_disassemble(self._c, buffer.c)
        return buffer.take().decode()

    @property
    def image(self) -> bytes:
        """The SRAM image, as `cm200 asm` writes it."""
        buffer, err = Buffer(), new_error()
        status = lib.cm_imp_encode(self._c, buffer.c, err)
        image = buffer.take()
        check(status, err)
        return image

    @property
    def words(self) -> int:
        """Words of the sequencer's SRAM that the code takes."""
        return int(lib.cm_imp_words(self._c))

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the image to a file, for a step `imp` of a workload."""
        with open(path, "wb") as file:
            file.write(self.image)


class ImpText(Mnemonics):
    """A builder of a microprogram. Each instruction is a method whose arguments are operands of the assembler (docs/imp.md)::

        t = ImpText("swap", address=["a"])
        t.aarg("r0", "a")
        with t.loop(2):
            t.load("A.1", "[r0]")
            t.exchange()
            t.unload("[r0]", "B.1")
            t.aadd("r0", 1)
        t.halt()
        imp = Imp(t)
    """

    def __init__(self, name: str, *, address: list[str] | None = None, scalar: list[str] | None = None) -> None:
        super().__init__()
        self._lines.append(".imp " + name)
        self._loops = 0
        for directive, names in (("address", address), ("scalar", scalar)):
            if names:
                self._lines.append(".%s %s" % (directive, ", ".join(names)))

    def loop(self, times: Any) -> _Loop:
        """`with t.loop(8):` executes the instructions inside 8 times."""
        self._loops += 1
        label = "loop_%d" % self._loops
        self._lines.append("%s: loop %s" % (label, times))
        return _Loop(self, label)

    def __str__(self) -> str:
        return "\n".join(self._lines) + "\n"


class _Loop:
    def __init__(self, text: ImpText, label: str) -> None:
        self._text, self._label = text, label

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: Any) -> None:
        self._text.instruction("next", self._label)
