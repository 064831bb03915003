"""Pictures of the viewer as PNG files in memory. No window and no fonts are needed: the module has its glyphs."""

from __future__ import annotations

import json
import os
import struct
import threading
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from ._library import ffi, lib
from .errors import Error, InputError, chars, integer, text_of

_GLYPHS = os.path.join(os.path.dirname(os.path.realpath(__file__)), "glyphs.bin")
_lock = threading.Lock()  # the library has one viewer
_prepared: list[bool] = []

MAX_SIDE = 16384


class Picture(bytes):
    """The bytes of a PNG file. A notebook shows the picture."""

    def _repr_png_(self) -> bytes:
        return bytes(self)

    def __repr__(self) -> str:
        return "Picture(%d bytes)" % len(self)


def draw(paths: list[str], made_of: Mapping[str, Any], options: Mapping[str, str], keys: list[str], size: tuple[int, int],
         scale: int) -> Picture:
    """Draws one trace, or two, as the viewer does."""
    w, h = (integer("the size", side) * scale for side in size)
    if scale not in (1, 2):
        raise InputError("the scale is %r; it can be 1 or 2" % (scale,))
    if not (0 < w <= MAX_SIDE and 0 < h <= MAX_SIDE):
        raise InputError("the size is %d x %d pixels; each side can be 1 to %d" % (w, h, MAX_SIDE))
    with _lock:
        _prepare()
        _open(paths)
        for name, value in options.items():
            name = name.replace("_", "-")
            if not lib.cm_web_set(chars(name, "an option"), chars(value, "the value of an option")):
                raise InputError("the viewer has no option %s=%s" % (name, value), hint="cm200-view --help lists them")
        for key in keys:
            if not lib.cm_web_key(chars(key, "a key"), False):
                raise InputError("the key %s has no meaning here" % key, hint="cm200-view --keys lists the keys")
        pixels = lib.cm_web_draw(w, h, scale)
        if pixels == ffi.NULL:
            raise Error(text_of(lib.cm_web_text()))
        rows = np.frombuffer(ffi.buffer(pixels, 4 * w * h), "u1").reshape(h, w, 4)[:, :, :3].reshape(h, 3 * w)
        return _png(rows, w, h, json.dumps(made_of) if made_of else "")


def _prepare() -> None:
    """Gives the library the table of glyphs, once."""
    if _prepared:
        return
    try:
        with open(_GLYPHS, "rb") as file:
            table = file.read()
    except FileNotFoundError:
        table = b""
    if not table:
        raise Error("this build of cm200 draws no pictures: SDL2_ttf or the fonts of DejaVu were missing when it was made",
                    hint="on Debian: apt-get install libsdl2-dev libsdl2-ttf-dev libpng-dev fonts-dejavu-core")
    lib.cm_web_glyphs(_copied(table), len(table))
    _prepared.append(True)


def _open(paths: list[str]) -> None:
    bytes_of = []
    for path in paths:
        with open(path, "rb") as file:
            bytes_of.append(file.read())
    arguments: list[Any] = [part for content in bytes_of for part in (_copied(content), len(content))]
    if not lib.cm_web_open(*arguments, *([] if len(paths) == 2 else [ffi.NULL, 0])):
        raise InputError(text_of(lib.cm_web_text()))
    for path, name in zip(paths, ("file", "second-file")):
        lib.cm_web_set(name.encode(), chars(os.path.basename(path), "the path of a trace"))


def _copied(data: bytes) -> Any:
    """A copy that the library frees."""
    memory = lib.malloc(max(len(data), 1))
    if memory == ffi.NULL:
        raise MemoryError
    ffi.memmove(memory, data, len(data))
    return ffi.cast("uint8_t *", memory)


def _png(rows: np.ndarray, w: int, h: int, source: str) -> Picture:
    """A PNG file of rows of bytes R, G, B. The text "Source" says what the picture is of, as in files of cm200-view."""
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    filtered = np.zeros((h, 3 * w + 1), "u1")
    filtered[:, 1:] = rows
    text = [chunk(b"tEXt", b"Source\0" + source.encode("latin-1", "replace"))] if source else []
    return Picture(b"".join([b"\x89PNG\r\n\x1a\n", chunk(b"IHDR", struct.pack(">IIBBBBB", w, h, 8, 2, 0, 0, 0)), *text,
                             chunk(b"IDAT", zlib.compress(filtered.tobytes(), 6)), chunk(b"IEND", b"")]))
