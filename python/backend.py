"""The back end of `pip install .` and of other builders of wheels: meson-python, cleaned up after.

Version 0.12, Debian 12's, leaves a file in the folder of the sources.
"""

import functools
import os

import mesonpy

_LEFT = ".mesonpy-native-file.ini"


def __getattr__(name):
    hook = getattr(mesonpy, name)
    if not name.startswith("build_"):
        return hook

    @functools.wraps(hook)
    def cleaned(*arguments, **options):
        try:
            return hook(*arguments, **options)
        finally:
            if os.path.exists(_LEFT):
                os.remove(_LEFT)
    return cleaned
