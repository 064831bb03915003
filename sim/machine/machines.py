"""Writes the machine descriptions that the library contains as C source, with their names.

usage: machines.py OUTPUT.c FILE.json...     the name of a machine is that of its file, without the suffix
"""

import os
import sys


def c_bytes(path):
    with open(path, "rb") as file:
        data = file.read()
    lines = [", ".join("%d" % (byte if byte < 128 else byte - 256) for byte in data[i:i + 24]) for i in range(0, len(data), 24)]
    return ",\n    ".join(lines), len(data)


def main(output, paths):
    text = '/* Made by machines.py. */\n#include "sim/machine/machines.h"\n\n'
    rows = ""
    for number, path in enumerate(paths):
        numbers, length = c_bytes(path)
        text += "static const char text_%d[] = {\n    %s, 0};\n" % (number, numbers)
        rows += '    {"%s", text_%d, %d},\n' % (os.path.splitext(os.path.basename(path))[0], number, length)
    text += "\nconst struct cm_known_machine cm_known_machines[] = {\n%s};\n" % rows
    text += "const uint32_t cm_known_machine_count = %d;\n" % len(paths)
    with open(output, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
