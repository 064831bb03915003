"""`cm200 validate --applications` against the predictions that were frozen before the machine was fitted a second time.

usage: check-applications.py PROGRAM FROZEN [--freeze]

The machine of the first fit must give every frozen number again, for as long as the programs that are run stay what
they are. A new fact or form is added with --freeze, which writes the file; a changed number needs a reason.
"""

import json
import math
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tap import Tap, usage_error  # noqa: E402


def simulate(program):
    run = subprocess.run([program, "validate", "--applications", "--json"], capture_output=True, text=True)
    if run.returncode != 0:
        raise SystemExit("validate --applications: exit %d: %s" % (run.returncode, run.stderr))
    return json.loads(run.stdout)


def predictions(result):
    """Of the first fit: {"fact, form, size": number}."""
    return {"%s, %s, %s" % (fact["id"], form["form"], point["size"]): point["first_fit"]
            for fact in result["facts"] for form in fact["simulated"] for point in form["points"]}


def differences(found, frozen):
    for key in sorted(set(found) | set(frozen)):
        if key not in found or key not in frozen:
            yield "%s is only in %s" % (key, "the program's output" if key in found else "the frozen file")
        elif not math.isclose(found[key], frozen[key], rel_tol=1e-9):
            yield "%s: %r, frozen as %r" % (key, found[key], frozen[key])


def explained(result):
    for fact in result["facts"]:
        if bool(fact["simulated"]) == bool(fact["not_simulated"]):
            yield "%s has neither a simulated value nor a reason, or both" % fact["id"]


def main(program, path, freeze):
    result = simulate(program)
    if freeze:
        with open(path, "w", encoding="utf-8") as file:
            json.dump(predictions(result), file, indent=1)
            file.write("\n")
        return 0
    with open(path, encoding="utf-8") as file:
        frozen = json.load(file)
    tap = Tap()
    tap.report("every fact has a simulated value or a reason", explained(result))
    tap.report("the first fit predicts what was frozen", differences(predictions(result), frozen))
    return tap.done()


if __name__ == "__main__":
    arguments = [a for a in sys.argv[1:] if a != "--freeze"]
    if len(arguments) != 2:
        usage_error(__doc__)
    sys.exit(main(*arguments, "--freeze" in sys.argv))
