"""The hash of a PNG's pixels, however they are compressed."""

import hashlib
import struct
import sys
import zlib

with open(sys.argv[1], "rb") as file:
    data = file.read()
at, packed = 8, b""
while at < len(data):
    length, kind = struct.unpack(">I4s", data[at:at + 8])
    packed += data[at + 8:at + 8 + length] if kind == b"IDAT" else b""
    at += 12 + length
print(hashlib.sha256(zlib.decompress(packed)).hexdigest()[:16])
