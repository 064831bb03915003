#!/usr/bin/env python3
"""Writes what the page loads, for one that may be opened from disk.

usage: embed.py ROOT WASM GLYPHS OUT

WASM is the folder of the browser's build, GLYPHS that of the tables of glyphs, OUT the page's folder. There come:

  program.js       the program, and the files that it starts with
  more.js          the program with all commands, which the page loads when another one than those of program.js is run
  view.js          the viewer, which the page loads when a picture is asked for, and its glyphs
  view-2.js        its glyphs for displays of two pixels a point, loaded there
  lessons-data.js  docs/lessons: texts, the files that they run, pictures
  trace.html       the viewer in one file, for `cm200 export --format html`, which puts traces into it

A page opened from disk may not fetch files, so they are text: packed by LZMA, then base64, which a server's compression shrinks
back to what it was. unpack.js undoes it.
"""
import base64
import json
import lzma
import pathlib
import re
import struct
import sys

SHIPPED = ["configs/*.json", "programs/examples/*.json", "programs/examples/*.imp", "programs/examples/fortran/*"]
LEFT_OUT = [".schema.json", "cm200-machines.json", "cm200-first-fit.json"]
# Best of the settings tried for the program's WebAssembly.
FILTER = {"id": lzma.FILTER_LZMA1, "preset": 9 | lzma.PRESET_EXTREME, "lc": 4, "lp": 0, "pb": 0, "dict_size": 1 << 22,
          "nice_len": 273, "depth": 1000}


def pack(parts):
    """Base64 of the parts, packed; the stream's length is in its head, as unpack.js wants it."""
    head = json.dumps([[name, len(content)] for name, content in parts]).encode("utf-8") + b"\n"
    plain = head + b"".join(content for _, content in parts)
    packed = lzma.compress(plain, format=lzma.FORMAT_ALONE, filters=[FILTER])
    return base64.b64encode(packed[:5] + struct.pack("<Q", len(plain)) + packed[13:]).decode("ascii")


def read_lessons(root):
    texts, files = [], {}
    for path in sorted(root.glob("docs/lessons/*/*")):
        name = str(path.relative_to(root))
        if path.name == "lesson.md":
            text = path.read_text(encoding="utf-8")
            texts.append({"path": name, "title": text.split("\n", 1)[0].lstrip("# "), "text": text})
        elif path.suffix == ".png":
            files[name] = base64.b64encode(path.read_bytes()).decode("ascii")
        else:
            files[name] = path.read_text(encoding="utf-8")
    return {"lessons": texts, "files": files}


def shipped(root):
    paths = sorted(path for pattern in SHIPPED for path in root.glob(pattern) if path.is_file())
    return {str(path.relative_to(root)): path.read_text(encoding="utf-8")
            for path in paths if not path.name.endswith(tuple(LEFT_OUT))}


def fill(root, out):
    """web/export.html with what it names: style sheets as they are, scripts without comments and as embedded here."""
    def content(match):
        name = match.group(1)
        text = (root / "web" / name if name.endswith(".css") else out / name).read_text(encoding="utf-8")
        assert "</script" not in text, name
        return text
    text = (root / "web" / "export.html").read_text(encoding="utf-8")
    return re.sub(r"/\*@([\w.-]+)@\*/", content, text)


def main():
    root, wasm, glyphs, out = map(pathlib.Path, sys.argv[1:])
    # The program has the text of a machine, too; in this order it packs best.
    program = pack([("wasm", (wasm / "cm200-small.wasm").read_bytes()), ("script", (wasm / "cm200-small.js").read_bytes()),
                    ("worker", (out / "worker.js").read_bytes()), ("files", json.dumps(shipped(root)).encode("utf-8"))])
    view = wasm / "viz" / "web"
    viewer = pack([("glyphs", (glyphs / "glyphs-1.bin").read_bytes()), ("script", (view / "view-small.js").read_bytes()),
                   ("wasm", (view / "view-small.wasm").read_bytes())])
    (out / "program.js").write_text('window.cm200Program = "%s";\n' % program, encoding="utf-8")
    more = pack([("wasm", (wasm / "cm200-more-small.wasm").read_bytes()), ("script", (wasm / "cm200-more-small.js").read_bytes())])
    (out / "more.js").write_text('window.cm200More = "%s";\n' % more, encoding="utf-8")
    (out / "view.js").write_text('window.cm200View = "%s";\n' % viewer, encoding="utf-8")
    dense = pack([("glyphs", (glyphs / "glyphs-2.bin").read_bytes())])
    (out / "view-2.js").write_text('window.cm200View2 = "%s";\n' % dense, encoding="utf-8")
    (out / "trace.html").write_text(fill(root, out), encoding="utf-8")
    (out / "lessons-data.js").write_text("window.cm200Lessons = %s;\n" % json.dumps(read_lessons(root)), encoding="utf-8")


if __name__ == "__main__":
    main()
