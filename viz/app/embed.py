"""Writes C source with the bytes of files, so that a program carries them.

usage: embed.py OUTPUT.c FILE...
"""

import os
import sys


def main():
    output, files = sys.argv[1], sys.argv[2:]
    lines = ["/* Written by viz/app/embed.py. */", '#include "demo.h"', ""]
    rows = []
    for number, path in enumerate(files):
        with open(path, "rb") as file:
            data = file.read()
        lines.append("static const char file_%d[] = {" % number)
        lines += ["    " + " ".join("%d," % (byte if byte < 128 else byte - 256) for byte in data[i:i + 24])
                  for i in range(0, len(data), 24)]
        lines.append("};")
        rows.append('    {"%s", file_%d, sizeof file_%d},' % (os.path.splitext(os.path.basename(path))[0], number, number))
    lines += ["const struct cm_demo_file cm_demo_files[] = {"] + rows + ["    {NULL, NULL, 0},", "};", ""]
    with open(output, "w", encoding="ascii") as file:
        file.write("\n".join(lines))


main()
