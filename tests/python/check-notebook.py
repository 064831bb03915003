"""The notebook python/examples/five-figures.ipynb: five figures, by its own cells, and as Jupyter runs it.

usage: check-notebook.py CM200 SOURCE_ROOT, with the module in PYTHONPATH
"""

import ast
import base64
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))

from tap import Tap, arguments, has_module  # noqa: E402

FIGURES = 5


def code_of(cell):
    return "".join(cell["source"])


def is_picture(data):
    """True for a PNG file that is more than one colour: such a file takes a few hundred bytes."""
    return data[:4] == b"\x89PNG" and len(data) > 5000


def run_cell(text, names, pyplot):
    """Runs a cell as a notebook does. Returns the pictures that it shows: figures, and a last expression that is one."""
    tree = ast.parse(text)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) and not text.rstrip().endswith(";") else None
    exec(compile(tree, "cell", "exec"), names)  # pylint: disable=exec-used
    shown = []
    value = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last is not None else None  # pylint: disable=eval-used
    if hasattr(value, "_repr_png_"):
        shown.append(value._repr_png_())
    for number in pyplot.get_fignums():
        buffer = io.BytesIO()
        pyplot.figure(number).savefig(buffer, format="png")
        shown.append(buffer.getvalue())
    pyplot.close("all")
    return shown


def run_plainly(notebook):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    names, shown = {}, []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            with contextlib.redirect_stdout(io.StringIO()):
                shown += run_cell(code_of(cell), names, pyplot)
    return shown


def run_by_jupyter(path, folder):
    """Returns the pictures in the notebook's outputs, and problems."""
    done = subprocess.run([sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--output-dir", folder, "--output", "done",
                           path], capture_output=True, text=True, check=False, cwd=folder,
                          env={**os.environ, "HOME": folder, "JUPYTER_PLATFORM_DIRS": "1"})
    if done.returncode != 0:
        return [], [done.stderr[-4000:]]
    with open(os.path.join(folder, "done.ipynb"), encoding="utf-8") as file:
        cells = json.load(file)["cells"]
    data = [output.get("data", {}) for cell in cells for output in cell.get("outputs", [])]
    bars = sum("text/html" in one for one in data)
    pictures = [base64.b64decode("".join(one["image/png"])) for one in data if "image/png" in one]
    return pictures, [] if bars == 1 else ["%d results shown as bars" % bars]


def main():
    root = os.path.realpath(arguments(__doc__, 2, modules=["numpy", "cffi", "matplotlib"])[1])
    path = os.path.join(root, "python", "examples", "five-figures.ipynb")
    with open(path, encoding="utf-8") as file:
        notebook = json.load(file)
    import cm200
    if not os.path.exists(os.path.join(os.path.dirname(cm200.__file__), "glyphs.bin")):
        print("1..0 # SKIP the viewer is not built")
        return 0
    tap = Tap()
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    tap.report("the notebook is kept without outputs", ["a cell has outputs" for cell in code if cell["outputs"] or cell["execution_count"]])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["MPLCONFIGDIR"] = folder
        shown = run_plainly(notebook)
        good = len(shown) == FIGURES and all(map(is_picture, shown))
        tap.report("its cells draw five figures", [] if good else ["sizes: %s" % [len(one) for one in shown]])
        if has_module("nbconvert") and has_module("ipykernel"):
            shown, problems = run_by_jupyter(path, folder)
            good = len(shown) == FIGURES and all(map(is_picture, shown))
            tap.report("Jupyter draws them, too", problems or ([] if good else ["sizes: %s" % [len(one) for one in shown]]))
        else:
            tap.skip("Jupyter draws them, too", "python3-nbconvert or python3-ipykernel is not installed")
        os.chdir("/")
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
