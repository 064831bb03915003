"""The reference of the C library: Doxygen reads all public headers without a warning and finds every function's text.

usage: check-reference.py DOXYGEN DOXYFILE PUBLIC_HEADER...

DOXYFILE writes HTML; here a copy of it writes XML into a folder of its own.
"""

import glob
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import source
from tap import Tap, arguments


def run(doxygen, doxyfile, folder):
    text = source.read(doxyfile)
    for key, value in (("OUTPUT_DIRECTORY", folder), ("GENERATE_HTML", "NO"), ("GENERATE_XML", "YES")):
        text = re.sub(r"(?m)^%s *=.*$" % key, "%s = %s" % (key, value), text)
    copy = os.path.join(folder, "Doxyfile")
    with open(copy, "w", encoding="utf-8") as file:
        file.write(text)
    return subprocess.run([doxygen, copy], capture_output=True, text=True, check=False)


def text_of(member):
    return " ".join("".join(part.itertext()) for name in ("briefdescription", "detaileddescription", "inbodydescription")
                    for part in member.findall(name))


def functions(folder):
    """Name -> the longest text of each function in the XML."""
    found = {}
    for path in glob.glob(os.path.join(folder, "xml", "*_8h.xml")):
        for member in ElementTree.parse(path).iter("memberdef"):
            if member.get("kind") == "function":
                name, text = member.find("name").text, text_of(member)
                found[name] = max(found.get(name, ""), text, key=len)
    return found


def main(given):
    doxygen, doxyfile = given[:2]
    headers = [header for header in given[2:] if header.endswith(".h")]
    declared = {name for header in headers for name, _, _ in source.api_declarations(source.read(header))}
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        done = run(doxygen, doxyfile, folder)
        problems = (done.stdout + done.stderr).splitlines()
        tap.report("Doxygen reads the public headers without a warning",
                   problems or (["exit code %d" % done.returncode] if done.returncode else []))
        found = functions(folder)
    tap.report("the reference has every public function (%d)" % len(declared),
               ("%s is missing" % name for name in sorted(declared - found.keys())))
    tap.report("every public function has a text in it",
               ("%s: \"%s\"" % (name, found[name].strip()) for name in sorted(declared & found.keys())
                if not found[name].strip()))
    return tap.done()


if __name__ == "__main__":
    sys.exit(main(arguments(__doc__, 2)))
