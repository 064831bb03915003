"""Writes Fortran modules as C strings. Parts for several types are written out for each type.

usage: embed.py NAME=FILE ... -o OUTPUT

Text between the lines `!each` and `!end each` is written once for each type, with TYPE, SUFFIX, PART and WORDS
replaced. `!each real` and `!each complex` select these types. In `!each real`, COMPLEX is the complex type of the same kind.
Comments are left out. The output defines `const char NAME_module[]` for each file.
"""

import sys

TYPES = (
    {"SUFFIX": "r4", "TYPE": "real(4)", "COMPLEX": "complex(4)", "PART": "real(4)", "WORDS": "1"},
    {"SUFFIX": "r8", "TYPE": "real(8)", "COMPLEX": "complex(8)", "PART": "real(8)", "WORDS": "2"},
    {"SUFFIX": "c4", "TYPE": "complex(4)", "PART": "real(4)", "WORDS": "2"},
    {"SUFFIX": "c8", "TYPE": "complex(8)", "PART": "real(8)", "WORDS": "4"},
)


def expanded(lines):
    """The lines with each part for several types written out."""
    result, part, kind = [], None, None
    for line in lines:
        if line.startswith("!each"):
            part, kind = [], line[5:].strip()
        elif line.startswith("!end each"):
            for words in TYPES:
                if kind and not words["TYPE"].startswith(kind):
                    continue
                for text in part:
                    for word, value in words.items():
                        text = text.replace(word, value)
                    result.append(text)
            part = None
        else:
            (result if part is None else part).append(line)
    return result


def text_of(path):
    with open(path, encoding="ascii") as file:
        lines = expanded(file.read().splitlines())
    return "".join(line + "\n" for line in lines if line.strip() and not line.strip().startswith("!"))


def main(arguments):
    if "-o" not in arguments[:-1]:
        sys.stderr.write(__doc__.strip() + "\n")
        sys.exit(2)
    output = arguments[arguments.index("-o") + 1]
    with open(output, "w", encoding="ascii") as file:
        file.write("/* Made by tests/fortran/order/embed.py. */\n")
        for argument in arguments[:arguments.index("-o")]:
            name, path = argument.split("=", 1)
            data = text_of(path).encode("ascii") + b"\0"
            file.write("\nextern const char %s_module[];\nconst char %s_module[] = {\n" % (name, name))
            for at in range(0, len(data), 16):
                file.write("    " + ", ".join(str(byte) for byte in data[at:at + 16]) + ",\n")
            file.write("};\n")


main(sys.argv[1:])
