"""Pictures as rows of (red, green, blue) bytes: PNG files, and the screen of an Xvfb.

This uses no code of the viewer: PNG is decoded with zlib alone, and the screen is read from the frame buffer file of Xvfb,
which has the format of xwd.
"""

import struct
import zlib


class Picture:
    """width, height, and `rows`: a bytes object of 3 * width a row."""

    def __init__(self, width, height, rows):
        self.width, self.height, self.rows = width, height, rows

    def part(self, x, y, width, height):
        return Picture(width, height, [row[3 * x:3 * (x + width)] for row in self.rows[y:y + height]])

    def differences(self, other):
        """How many pixels are not the same; None when the sizes differ."""
        if (self.width, self.height) != (other.width, other.height):
            return None
        count = 0
        for mine, theirs in zip(self.rows, other.rows):
            if mine != theirs:
                count += sum(mine[i:i + 3] != theirs[i:i + 3] for i in range(0, len(mine), 3))
        return count

    def colours(self):
        return len({row[i:i + 3] for row in self.rows for i in range(0, len(row), 3)})


def unfilter(kind, row, before):
    """PNG's filters (RFC 2083, section 6), 3 bytes a pixel."""
    out = bytearray(row)
    for i, value in enumerate(row):
        left = out[i - 3] if i >= 3 else 0
        up = before[i]
        if kind == 1:
            add = left
        elif kind == 2:
            add = up
        elif kind == 3:
            add = (left + up) // 2
        else:
            corner = before[i - 3] if i >= 3 else 0
            guess = left + up - corner
            near = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))
            add = near[2]
        out[i] = (value + add) & 255
    return bytes(out)


def read_png(path):
    with open(path, "rb") as file:
        data = file.read()
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise ValueError("%s is not a PNG file" % path)
    at, header, body, ended = 8, None, b"", False
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        chunk = data[at + 8:at + 8 + length]
        if zlib.crc32(kind + chunk) != struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0]:
            raise ValueError("%s: a chunk is damaged" % path)
        header = chunk if kind == b"IHDR" else header
        body += chunk if kind == b"IDAT" else b""
        ended = kind == b"IEND"
        at += 12 + length
    width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", header)
    if (depth, colour, interlaced) != (8, 2, 0) or not ended:
        raise ValueError("%s is not 8 bits a channel, RGB, whole" % path)
    raw, stride, rows = zlib.decompress(body), 1 + 3 * width, []
    before = bytes(3 * width)
    for y in range(height):
        kind, row = raw[y * stride], raw[y * stride + 1:(y + 1) * stride]
        before = row if kind == 0 else unfilter(kind, row, before)
        rows.append(before)
    return Picture(width, height, rows)


def read_screen(path):
    """The frame buffer of `Xvfb -fbdir`: the XWD header (X11/XWDFile.h), its colour map, then the pixels."""
    with open(path, "rb") as file:
        data = file.read()
    words = struct.unpack(">25I", data[:100])
    header, width, height, order, bits, stride, colours = (
        words[0], words[4], words[5], words[7], words[11], words[12], words[19])
    if bits != 32 or order != 0:
        raise ValueError("the screen has %d bits a pixel, byte order %d" % (bits, order))
    start, rows = header + 12 * colours, []
    for y in range(height):
        row = data[start + y * stride:start + y * stride + 4 * width]
        out = bytearray(3 * width)
        out[0::3], out[1::3], out[2::3] = row[2::4], row[1::4], row[0::4]
        rows.append(bytes(out))
    return Picture(width, height, rows)
