#!/usr/bin/env python3
"""Writes program.js: the program and the files that it starts with, for a page that may be opened from disk.

usage: embed.py ROOT SCRIPT WASM OUT LESSONS

LESSONS, lessons-data.js, has docs/lessons: texts, the files that they run, pictures.

A page opened from disk may not fetch files, so the WebAssembly is text: gzipped, then base64, which a server's compression shrinks
back to what it was.
"""
import base64
import gzip
import json
import pathlib
import sys

SHIPPED = ["configs/*.json", "programs/examples/*.json", "programs/examples/*.imp", "programs/examples/fortran/*"]
LEFT_OUT = [".schema.json", "cm200-machines.json", "cm200-first-fit.json"]


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


def main():
    root, script, wasm, out, lessons = map(pathlib.Path, sys.argv[1:])
    paths = sorted(path for pattern in SHIPPED for path in root.glob(pattern) if path.is_file())
    program = {
        "script": script.read_text(encoding="utf-8"),
        "worker": (root / "web" / "worker.js").read_text(encoding="utf-8"),
        "gzippedWasm": base64.b64encode(gzip.compress(wasm.read_bytes(), 9, mtime=0)).decode("ascii"),
        "files": {str(path.relative_to(root)): path.read_text(encoding="utf-8")
                  for path in paths if not path.name.endswith(tuple(LEFT_OUT))},
    }
    lessons.write_text("window.cm200Lessons = %s;\n" % json.dumps(read_lessons(root)), encoding="utf-8")
    out.write_text("window.cm200Program = %s;\n" % json.dumps(program), encoding="utf-8")


if __name__ == "__main__":
    main()
