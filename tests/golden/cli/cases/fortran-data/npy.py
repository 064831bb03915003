"""Writes a.npy and its variants, and prints .npy files: without NumPy."""

import struct
import sys


def write(path, shape, values, letter="f", fortran=False):
    kind = {"f": "<f4", "d": "<f8"}[letter]
    head = "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }" % (kind, fortran, shape)
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        file.write(struct.pack("<%d%s" % (len(values), letter), *values))


def show(path):
    with open(path, "rb") as file:
        data = file.read()
    end = 10 + struct.unpack("<H", data[8:10])[0]
    letter = {"<f4": "f", "<c8": "f", "<i4": "i"}[eval(data[10:end])["descr"]]
    print(path, data[10:end].decode().strip(), struct.unpack("<%d%s" % ((len(data) - end) // 4, letter), data[end:]))


if len(sys.argv) > 1:
    for name in sys.argv[1:]:
        show(name)
else:
    write("a.npy", (4, 8), range(32))
    write("f.npy", (4, 8), [8 * i + j for j in range(8) for i in range(4)], fortran=True)
    write("d.npy", (4, 8), range(32), "d")
    write("h.npy", (4,), [5, 6, 7, 8])
    write("large.npy", (8, 16), range(128))
