"""PNG files of the viewer, compared without the number of the release that they name."""

import re
import struct

RELEASE = re.compile(rb'("version": "|cm200 )\d+\.\d+\.\d+')


def content(data):
    """The chunks of a PNG file: kind, and data with the release replaced by a word. Checksums follow from the data."""
    place, chunks = 8, [data[:8]]
    while place + 8 <= len(data):
        length, kind = struct.unpack(">I4s", data[place:place + 8])
        body = data[place + 8:place + 8 + length]
        chunks.append((kind, RELEASE.sub(rb"\1RELEASE", body) if kind == b"tEXt" else body))
        place += 12 + length
    return chunks + [data[place:]]
