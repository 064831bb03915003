"""What workloads and microprograms are made of: lists of steps, of arrays and of instructions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

S = TypeVar("S", bound="Steps")
L = TypeVar("L", bound="Lines")


class Steps:
    """Arrays and steps of a workload, in order. kinds.py has a method for each kind of step."""

    def __init__(self) -> None:
        self._arrays: dict[str, Any] = {}
        self._steps: list[Any] = []

    def step(self: S, kind: str, body: Any = None, /, **keys: Any) -> S:
        """Adds a step of any kind. `keys` are the keys of the step, or the keys next to its list `body`."""
        given = _given({key.rstrip("_"): value for key, value in keys.items()})
        self._steps.append({kind: given} if body is None else {kind: body, **given})
        return self

    def _array(self: S, name: str, keys: Mapping[str, Any]) -> S:
        given = _given(keys)
        self._arrays[name] = given if "like" in given else {"type": "real32", **given}
        return self


def _given(keys: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in keys.items() if value is not None}


class Lines:
    """Lines of a microprogram in assembly text. mnemonics.py has a method for each instruction."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def instruction(self: L, mnemonic: str, *operands: Any) -> L:
        """Adds an instruction. Each mnemonic is also a method."""
        self._lines.append("    %s %s" % (mnemonic, ", ".join(str(operand) for operand in operands)))
        return self
