"""The colour maps of the viewer: computes viz/draw/colour_tables.def, and checks the one that is there.

usage: colour-tables.py [--write] SOURCE_ROOT

Cividis (Nunez, Anderton, Renslow, PLOS ONE 13, 2018) and viridis (van der Walt, Smith, 2015) by ten equidistant colours each,
interpolated in CIELAB; grey by equal steps of L*. The two arms of the difference keep a hue and go up in L*. Each table
holds the part of its map whose contrast with the panels' ground is at least 3:1, resampled to equal steps of CIELAB. On the
dark ground L* rises with the value, on the light one it falls.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import Tap, arguments

GROUNDS = {"DARK": 0x12161C, "LIGHT": 0xFFFFFF}  # GROUND of viz/draw/colour_roles.def
SIZE = 256
CIVIDIS = "00204d 00336f 39486b 575c6d 707173 8a8779 a69d75 c4b56c e4cf5b ffea46"
VIRIDIS = "440154 482878 3e4a89 31688e 26828e 1f9e89 35b779 6dcd59 b4de2c fde725"
WHITE = (0.95047, 1.0, 1.08883)  # D65


def linear(byte):
    c = byte / 255
    return c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4


def luminance(rgb):
    return 0.2126 * linear(rgb >> 16) + 0.7152 * linear(rgb >> 8 & 255) + 0.0722 * linear(rgb & 255)


def contrast(a, b):
    """WCAG 2.1, definition of contrast ratio."""
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def to_lab(rgb):
    return lab_of_linear((linear(rgb >> 16), linear(rgb >> 8 & 255), linear(rgb & 255)))


def lab_of_linear(parts):
    r, g, b = parts
    xyz = (0.4124564 * r + 0.3575761 * g + 0.1804375 * b, 0.2126729 * r + 0.7151522 * g + 0.0721750 * b,
           0.0193339 * r + 0.1191920 * g + 0.9503041 * b)
    f = [c ** (1 / 3) if c > (6 / 29) ** 3 else c / (3 * (6 / 29) ** 2) + 4 / 29
         for c in (v / w for v, w in zip(xyz, WHITE))]
    return 116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])


def linear_of(lab):
    """Linear RGB, cut to what a display has."""
    fy = (lab[0] + 16) / 116
    x, y, z = (w * (f ** 3 if f > 6 / 29 else 3 * (6 / 29) ** 2 * (f - 4 / 29))
               for f, w in zip((fy + lab[1] / 500, fy, fy - lab[2] / 200), WHITE))
    return [min(max(c, 0.0), 1.0) for c in (
        3.2404542 * x - 1.5371385 * y - 0.4985314 * z, -0.9692660 * x + 1.8760108 * y + 0.0415560 * z,
        0.0556434 * x - 0.2040259 * y + 1.0572252 * z)]


def from_lab(lab):
    rgb = 0
    for c in linear_of(lab):
        c = 12.92 * c if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055
        rgb = rgb << 8 | int(c * 255 + 0.5)
    return rgb


def mix(a, b, t):
    return tuple(p + (q - p) * t for p, q in zip(a, b))


def distance(a, b):
    return sum((p - q) ** 2 for p, q in zip(a, b)) ** 0.5


def resample(points, ground):
    """Equal steps along a line through CIELAB, from the first of its points that stands out from the ground."""
    fine = [mix(points[i], points[i + 1], k / 400) for i in range(len(points) - 1) for k in range(400)] + [points[-1]]
    fine = [lab_of_linear(linear_of(p)) for p in fine if contrast(from_lab(p), ground) >= 3.02]
    along = [0.0]
    for a, b in zip(fine, fine[1:]):
        along.append(along[-1] + distance(a, b))
    table, k = [], 0
    for i in range(SIZE):
        want = along[-1] * i / (SIZE - 1)
        while k + 2 < len(fine) and along[k + 1] < want:
            k += 1
        table.append(from_lab(mix(fine[k], fine[k + 1], (want - along[k]) / (along[k + 1] - along[k]))))
    return table


def tables():
    anchors = {name: [to_lab(int(c, 16)) for c in text.split()]
               for name, text in (("CIVIDIS", CIVIDIS), ("VIRIDIS", VIRIDIS))}
    anchors["GREY"] = [(0.0, 0.0, 0.0), (100.0, 0.0, 0.0)]
    own = {"DARK": {"LESS": (0x2F5FA8, 0xA8D8FF), "MORE": (0xA8542A, 0xFFD39A), "LAMP": (0xA01010, 0xFF7A5C)},
           "LIGHT": {"LESS": (0x5B93E6, 0x0A2A66), "MORE": (0xD9772E, 0x5C2200), "LAMP": (0xE4604A, 0x6D0000)}}
    made = {}
    for theme, ground in GROUNDS.items():
        for name, points in anchors.items():
            # Below its second colour cividis turns back in hue, and a fifth of the table would be short.
            points = points[1:] if name == "CIVIDIS" else points
            made[theme, name] = resample(points if theme == "DARK" else points[::-1], ground)
        for name, ends in own[theme].items():
            made[theme, name] = resample([to_lab(c) for c in ends], ground)
    return made


def text_of(all_tables):
    lines = ["/* The colour maps, as 0xAARRGGBB, computed by tests/view/colour-tables.py --write.",
             " * CM_VIEW_MAP(theme, name, colours) */"]
    for key, table in all_tables.items():
        lines.append("CM_VIEW_MAP(%s, %s," % key)
        for i in range(0, SIZE, 8):
            lines.append("    " + ", ".join("0xff%06x" % c for c in table[i:i + 8]) + ("," if i + 8 < SIZE else ")"))
    return "\n".join(lines) + "\n"


def check(text, all_tables):
    tap = Tap()
    tap.report("viz/draw/colour_tables.def is what this program computes",
               [] if text == text_of(all_tables) else ["it differs; colour-tables.py --write"])
    for key, table in all_tables.items():
        theme, name = key[0], " ".join(key).lower()
        sign = 1 if theme == "DARK" else -1
        labs = [to_lab(c) for c in table]
        # Fifths of the table: single steps drown in the rounding to bytes.
        fifths = [distance(labs[i], labs[i + 51]) for i in range(0, SIZE - 51, 51)]
        tap.report("%s: equal steps look equally far apart, and lightness %s" % (name, "rises" if sign > 0 else "falls"),
                   (["distances in CIELAB from %.2f to %.2f" % (min(fifths), max(fifths))]
                    if max(fifths) > 1.2 * min(fifths) else []) +
                   ["L* turns at %d" % i for i in range(0, SIZE - 51, 51) if sign * (labs[i + 51][0] - labs[i][0]) <= 0])
        tap.report("%s: every colour has at least 3:1 on the ground" % name,
                   ["%06x: %.2f" % (c, contrast(c, GROUNDS[theme])) for c in table if contrast(c, GROUNDS[theme]) < 3])
    return tap.done()


def main(given):
    write = given[:1] == ["--write"]
    path = os.path.join(given[-1], "viz", "draw", "colour_tables.def")
    all_tables = tables()
    if write:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text_of(all_tables))
        return 0
    with open(path, encoding="utf-8") as file:
        return check(file.read(), all_tables)


if __name__ == "__main__":
    sys.exit(main(arguments(__doc__, 1)))
