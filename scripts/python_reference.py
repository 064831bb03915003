"""Writes the methods of the Python module that follow from lists: a method for each kind of step, from the tables that
`cm200 help --json` prints, and one for each instruction, from isa/isa.def. scripts/reference calls it."""

import json
import keyword
import re
import textwrap

WIDTH = 120
ORDINALS = ("first", "second", "third", "fourth", "fifth")

KINDS = '''"""A method for each kind of step of a workload. Written by scripts/reference, from the tables of the workload's reader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict, TypeVar, Union

from .made import Steps

K = TypeVar("K", bound="Kinds")
Integer = Union[int, str]  # a text is an expression of parameters, as "$L"
Number = Union[float, str]
Value = Union[float, str, Sequence[float]]  # a number, [re, im], or the name of a scalar or an array
'''
MNEMONICS = '''"""A method for each instruction of an IMP. Written by scripts/reference, from isa/isa.def."""

from __future__ import annotations

from typing import TypeVar, Union

from .made import Lines

M = TypeVar("M", bound="Mnemonics")
Operand = Union[int, str]


class Mnemonics(Lines):
    """The instructions. docs/imp.md describes them."""
'''


def python_name(name):
    return name + "_" if keyword.iskeyword(name) else name


def type_of(key):
    """The annotation of a key. Forms that the schema describes are lists, objects or anything."""
    form = key["form"]
    if key["type"] == "name":
        return "Literal[%s]" % ", ".join(json.dumps(name) for name in key["names"])
    plain = {"integer": "Integer", "integer of either sign": "Integer", "number": "Number", "number, scalar or array": "Value",
             "name of an array": "str", "text": "str", "true or false": "bool"}.get(key["type"])
    if plain:
        return plain
    if form.startswith("name of") and "list of" in form:
        return "Union[str, Sequence[str]]"
    if form.startswith(("list of", "[")):
        return "Sequence[Any]"
    if form.startswith("object"):
        return "Mapping[str, Any]"
    return "str" if form.startswith("name of") else "Any"


def paragraphs(lines, indent):
    """Lines of text, wrapped. Backslashes and quotes need no escape in the tables; a new one would end this script."""
    assert not any("\\" in line or '"""' in line for line in lines), lines
    return "\n".join(textwrap.fill(line, WIDTH, initial_indent=indent, subsequent_indent=indent + "    ",
                                   break_long_words=False, break_on_hyphens=False) if line else "" for line in lines)


def sentence(text):
    return text[0].upper() + text[1:] + "."


def described(keys):
    """A line for each key: its meaning, its form, and what holds if it is missing."""
    for name, key in keys.items():
        plain = key["type"] in ("true or false", "text", "name", "name of an array")
        form = "" if plain else " (%s)" % key["form"]
        missing = "" if key["required"] or key["default"] is None else " Default: %s." % key["default"]
        yield "%s: %s%s.%s" % (python_name(name), key["meaning"], form, missing)


def fit(start, items, end):
    """Items between start and end, in lines that are indented to the first item. Lines break between items alone."""
    lines = [start]
    for number, item in enumerate(items):
        item += "," if number < len(items) - 1 else end
        if number and len(lines[-1]) + 1 + len(item) > WIDTH:
            lines.append(" " * len(start) + item)
        else:
            lines[-1] += (" " if number else "") + item
    return "\n".join(lines)


def signature(name, parameters):
    return fit("    def %s(" % name, parameters, ") -> K:")


def parameter(name, key):
    kind = type_of(key)
    return "%s: %s" % (python_name(name), kind if key["required"] else "%s | None = None" % kind)


def items_type(name, kind):
    """The type of an entry of a kind that takes a list, as pshift."""
    made = []
    for suffix, base, total, wanted in (("Required", "TypedDict", "", True), ("", None, ", total=False", False)):
        rows = ["    %s: %s" % (key, type_of(body)) for key, body in kind["keys"].items() if body["required"] == wanted]
        made.append("\n\nclass %s%s(%s%s):\n    %s\n\n%s\n" % (
            name.capitalize(), suffix, base or name.capitalize() + "Required", total,
            '"""An entry of the list of a step %s%s."""' % (name, ": the keys that it must have" if wanted else ""), "\n".join(rows)))
    return "".join(made)


def method(name, kind):
    keys, outer = kind["keys"], kind["outer_keys"]
    lines = [sentence(kind["summary"]), ""]
    if kind["list"]:
        lines += ["entries: a list of dicts with these keys:", *("    " + line for line in described(keys)), *described(outer)]
        first, own = ["self: K", "entries: Sequence[%s]" % name.capitalize()], outer
    else:
        lines += [*described(keys), *described(outer)]
        first, own = ["self: K"], {**keys, **outer}
    ordered = sorted(own.items(), key=lambda item: not item[1]["required"])
    text = signature(python_name(name), first + (["*"] if own else []) + [parameter(key, body) for key, body in ordered])
    body = paragraphs(lines, "        ").lstrip()
    passed = (['"%s"' % name] + (["list(entries)"] if kind["list"] else [])
              + ["%s=%s" % (python_name(key), python_name(key)) for key in own])
    return '%s\n        """%s\n        """\n%s\n' % (text, body, fit("        return self.step(", passed, ")"))


def array_method(keys):
    parameters = [parameter(name, key) for name, key in keys.items()]
    text = signature("array", ["self: K", "name: str", *parameters[:2], "*", *parameters[2:]])
    body = paragraphs(["Adds an array of a shape, whose first index varies fastest, or an array like another one.", "",
                       *described(keys)], "        ").lstrip()
    return '%s\n        """%s\n        """\n%s\n' % (
        text, body, fit("        return self._array(name, {", ['"%s": %s' % (name, python_name(name)) for name in keys], "})"))


def make_kinds(tables):
    """kinds.py. A kind with steps inside is written by hand (Builder.repeat)."""
    kinds = {name: kind for name, kind in tables["steps"].items()
             if not any(key["schema"] == "inner_steps" for key in kind["keys"].values())}
    text = KINDS + "".join(items_type(name, kind) for name, kind in kinds.items() if kind["list"])
    text += '\n\nclass Kinds(Steps):\n    """Arrays and every kind of step. docs/steps.md has an example of each."""\n'
    methods = [array_method(tables["keys"]["array"])] + [method(name, kind) for name, kind in kinds.items()]
    return text + "".join("\n" + one for one in methods)


def make_mnemonics(source):
    """mnemonics.py. The instruction loop is written by hand (ImpText.loop)."""
    text = MNEMONICS
    for name, operands, effect in re.findall(r'^CM_OP\(\w+, "(\w+)", \w+,\s*((?:\w+,\s*){5})((?:"[^"]*"\s*)+),\s*"', source, re.M):
        if name == "loop":
            continue
        kinds = [kind.lower() for kind in re.sub(r"\s", "", operands).split(",") if kind not in ("", "NONE")]
        names = [python_name(kind if kinds.count(kind) == 1 else "%s_%s" % (ORDINALS[kinds[:i].count(kind)], kind))
                 for i, kind in enumerate(kinds)]
        meaning = "".join(re.findall(r'"([^"]*)"', effect))
        text += '\n    def %s(%s) -> M:\n        """%s"""\n        return self.instruction(%s)\n' % (
            python_name(name), ", ".join(["self: M"] + ["%s: Operand" % one for one in names]),
            paragraphs([meaning + "."], "        ").strip(), ", ".join(['"%s"' % name] + names))
    return text
