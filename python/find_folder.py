"""Prints the folder below a prefix in which this Python looks for modules, relative to the prefix.

usage: python3 find_folder.py PREFIX

If it looks in none, as for /opt/cm200, the folder is the usual one, which PYTHONPATH can name.
"""

import os
import site
import sys


def main(prefix):
    for folder in [*site.getsitepackages(), site.getusersitepackages()]:
        below = os.path.relpath(folder, prefix)
        # /usr/local is not part of the prefix /usr.
        if below.split(os.sep)[0] in ("lib", "lib64"):
            return below
    return os.path.join("lib", "python%d.%d" % sys.version_info[:2], "site-packages")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(main(sys.argv[1]))
