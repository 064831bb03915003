"""Converts a data file to C source, so that the library contains the data and reads no file at run time.

usage: generate.py rows CSV OUTPUT.c          the published timings, as the table behind programs/validation/published.h
       generate.py facts CSV OUTPUT.c         the published rates of whole kernels, likewise
"""

import csv
import os
import sys

FACTS = ("id", "machine", "nodes", "kernel", "type", "quantity", "value", "unit", "source", "remark")
COLUMNS = ("rank", "length", "cshift_elapsed_ms", "pshift_elapsed_ms", "cshift_cm_ms", "pshift_cm_ms", "note")


def stop(path, message):
    sys.exit("%s: %s" % (path, message))


def heading(path):
    return "/* Made from %s by generate.py; change that file instead. */\n" % os.path.basename(path)


def c_string(text):
    if not text.isascii() or not text.isprintable():
        raise ValueError("a note has characters beyond printable ASCII")
    return '"%s"' % text.replace("\\", "\\\\").replace('"', '\\"')


def c_time(text):
    if not 0 < float(text) < 1e6:
        raise ValueError("%r is not a time in milliseconds" % text)
    return repr(float(text))


def c_row(row):
    return "    {.rank = %d, .length = %d, .note = %s,\n     .times = {[CM_LIBRARY_PSHIFT] = {%s, %s}, " \
           "[CM_LIBRARY_CSHIFT] = {%s, %s}}},\n" % (
               int(row["rank"]), int(row["length"]), c_string(row["note"]),
               c_time(row["pshift_elapsed_ms"]), c_time(row["pshift_cm_ms"]),
               c_time(row["cshift_elapsed_ms"]), c_time(row["cshift_cm_ms"]))


def c_fact(row):
    nodes = int(row["nodes"]) if row["nodes"] != "?" else 0
    texts = ["    .%s = %s" % (name, c_string(row[name] or "")) for name in FACTS if name != "nodes"]
    return "    {.nodes = %d,\n%s},\n" % (nodes, ",\n".join(texts))


def table(path, columns, one, kind, name):
    with open(path, encoding="utf-8", newline="") as file:
        lines = [line for line in file if not line.startswith("#")]
    reader = csv.DictReader(lines, strict=True)
    if tuple(reader.fieldnames or ()) != columns:
        stop(path, "expected the columns %s" % ", ".join(columns))
    text, count = "", 0
    for row in reader:
        try:
            text += one(row)
        except (TypeError, ValueError) as fault:
            stop(path, "data row %d: %s" % (count + 1, fault))
        count += 1
    return (heading(path) + '#include "programs/validation/published.h"\n#include "programs/validation/published_data.h"\n\n'
            "const struct %s %ss[] = {\n%s};\nconst uint32_t %s_count = %d;\n" % (kind, name, text, name, count))


def main(arguments):
    if len(arguments) == 3 and arguments[0] == "rows":
        text = table(arguments[1], COLUMNS, c_row, "cm_published_row", "cm_published_row")
    elif len(arguments) == 3 and arguments[0] == "facts":
        text = table(arguments[1], FACTS, c_fact, "cm_published_fact", "cm_published_fact")
    else:
        sys.exit(__doc__)
    with open(arguments[-1], "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main(sys.argv[1:])
