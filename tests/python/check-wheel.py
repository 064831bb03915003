"""`pip install .`: the wheel has the module alone, the sources stay as they were, and the module works in a fresh environment.

usage: check-wheel.py CM200 SOURCE_ROOT

Nothing is fetched: the wheel is built and installed with what this system has. The build runs in a copy of the sources.
"""

import glob
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))

from tap import Tap, arguments, skip_all  # noqa: E402

# What is not part of the sources: build folders, and what tools keep.
LEFT_OUT = shutil.ignore_patterns("build*", ".git", "__pycache__", "obj-*", ".ci")
OWN = """
import os, sys
import cm200
result = cm200.run(sys.argv[1], machine="cm2")
assert result.checked and result.arrays["dst"].shape == (64, 64), result
assert cm200.run({"name": "x", "nodes": 2, "arrays": {"a": {"shape": [4], "type": "real32", "init": {"index": True}}, "b": {"like": "a"}},
                  "steps": [{"copy": {"dst": "b", "src": "a"}}]}).arrays["b"].sum() == 6
assert cm200.run(sys.argv[2]).output
cm200.run(sys.argv[1], trace="x.trace")
drawn = os.path.getsize(os.path.join(os.path.dirname(cm200.__file__), "glyphs.bin")) > 0
assert not drawn or cm200.Trace("x.trace").picture()[:4] == b"\\x89PNG"
print(cm200.__version__, cm200.__file__)
"""


def files(root):
    return sorted(os.path.relpath(os.path.join(folder, name), root) for folder, _, names in os.walk(root) for name in names)


def ran(*words, **options):
    return subprocess.run(words, capture_output=True, text=True, check=False, **options)


def missing(python):
    """Modules that pip or the build needs and this interpreter lacks."""
    names = ["pip", "mesonpy", "cffi", "numpy", "ensurepip", "venv"]
    return [name for name in names if ran(python, "-c", "import " + name).returncode != 0]


def main():
    root = os.path.realpath(arguments(__doc__, 2, programs=["meson", "ninja"])[1])
    python = sys.executable
    lacking = missing(python)
    if lacking:
        skip_all("%s lacks: %s" % (python, ", ".join(lacking)))
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        sources, wheels, venv, away = (os.path.join(folder, name) for name in ("sources", "wheels", "venv", "away"))
        shutil.copytree(root, sources, symlinks=True, ignore=LEFT_OUT)
        os.mkdir(away)
        before = files(sources)
        env = {**os.environ, "CCACHE_BASEDIR": folder, "CCACHE_NOHASHDIR": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        env.pop("PYTHONPATH", None)
        done = ran(python, "-m", "pip", "wheel", "--no-index", "--no-build-isolation", "--no-deps", "-w", wheels, sources, env=env)
        if not tap.report("a wheel is built without a network", [] if done.returncode == 0 else [done.stdout + done.stderr]):
            return tap.done()
        after = files(sources)
        tap.report("the sources are as they were", ["%s appeared or vanished" % name for name in sorted(set(before) ^ set(after))])
        wheel = glob.glob(os.path.join(wheels, "cm200-*.whl"))[0]
        with zipfile.ZipFile(wheel) as archive:
            names = archive.namelist()
        foreign = [name for name in names if not name.startswith("cm200") or ".data/" in name]
        wanted = ["cm200/" + name for name in ("__init__.py", "kinds.py", "py.typed", "_library.pyi", "glyphs.bin")]
        tap.report("it has the module alone", foreign + ["%s is missing" % name for name in wanted if name not in names])
        done = ran(python, "-m", "venv", "--system-site-packages", venv)
        inside = os.path.join(venv, "bin", "python")
        if done.returncode == 0:
            done = ran(inside, "-m", "pip", "install", "--no-index", wheel, env=env)
        tap.report("it is installed in a fresh environment", [] if done.returncode == 0 else [done.stdout + done.stderr])
        examples = os.path.join(root, "programs", "examples")
        done = ran(inside, "-c", OWN, os.path.join(examples, "five-point-pshift.json"), os.path.join(examples, "fortran", "heat.fcm"),
                   cwd=away, env=env)
        good = done.returncode == 0 and venv in done.stdout
        tap.report("there it runs workloads, programs and machines by name, and draws", [] if good else [done.stdout + done.stderr])
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
