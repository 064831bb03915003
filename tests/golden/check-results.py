"""Golden results: the cost of every example, to the cycle, and the microprograms of some.

usage: check-results.py CM200 SOURCE_ROOT [--rebaseline] [NAME...]

Each workload of programs/examples has its result (`cm200 run --json`, without `host`) in results/NAME.json. The result must
be the same with one thread, with two (also on 1,024 nodes, because few nodes are not spread over threads), and without data,
apart from the keys that say that there were no data. Each listed setup has its assembly text in results/NAME-SETUP.imp. NAME is the example's
path without ".json", "/" replaced by "-".

--rebaseline writes the present results and prints what changed; read that before you keep it.
"""

import glob
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
RESULTS = os.path.join(HERE, "results")
sys.path.insert(0, os.path.dirname(HERE))

from tap import Tap, usage_error  # noqa: E402: the path is set above

TIMEOUT_SECONDS = 120
DIFFERENCES_SHOWN = 20

# Too large to move their data in a test; what they cost is the same without.
TIMING_ONLY = ("timing-",)

# Example, setup and machine settings of the microprograms kept as text. QCD unrolled is 4,894 lines; looped it is short.
COMPILED = (
    ("five-point-pshift", "unrolled"),
    ("five-point-pshift", "looped"),
    ("end-off", "unrolled"),
    ("end-off", "looped"),
    ("qcd", "looped"),
)

# What a run without data can't know, or must say.
OF_DATA = ("checked", "mismatches", "timing_only", "value", "extreme", "location")

COUNTERS = ("cycles", "exchanges", "loads", "stores", "page_faults", "words_moved_locally", "words_sent", "instructions",
            "flops_per_node")


class Program:
    def __init__(self, cm200, root):
        self.cm200 = os.path.abspath(cm200)
        self.root = root

    def __call__(self, *arguments):
        done = subprocess.run([self.cm200, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=TIMEOUT_SECONDS, check=False)
        if done.returncode != 0:
            raise RuntimeError("cm200 %s: exit code %d\n%s" % (" ".join(arguments), done.returncode,
                                                               done.stderr.decode("utf-8", "backslashreplace")))
        return done.stdout.decode("utf-8")

    def examples(self):
        """Name and path of each workload. That of examples/lesson is for a cube of eight nodes, and its lesson is tested."""
        folder = os.path.join(self.root, "programs", "examples")
        for path in sorted(glob.glob(os.path.join(folder, "**", "*.json"), recursive=True)):
            if os.path.basename(os.path.dirname(path)) != "lesson":
                yield os.path.relpath(path, folder)[:-len(".json")].replace(os.sep, "-"), path

    def result(self, path, *options):
        """The result of a run without what differs from run to run; files of the tree are named from its root."""
        text = self("run", "--json", "--quiet", *options, path)
        result = json.loads(text.replace(os.path.join(self.root, ""), ""))
        for key in ("host",) + PROVENANCE:
            del result[key]
        return result

    def text(self, example, setup):
        """The assembly text of an example, every PSHIFT set up as named."""
        source = os.path.join(self.root, "programs", "examples", example + ".json")
        with open(source, encoding="utf-8") as file:
            workload = json.load(file)
        workload["machine"] = os.path.normpath(os.path.join(os.path.dirname(source), workload["machine"]))
        for step in workload["steps"]:
            if "pshift" in step:
                step["setup"] = setup
        with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
            json.dump(workload, file)
            file.flush()
            return self("compile", file.name)

# What a result says of its making is looked at by test_result; kept results would all change with the release.
PROVENANCE = ("version", "workload_sha256", "overrides", "machine_values")


def differences(wanted, found, where=""):
    """Where two JSON documents differ, as JSON pointers with both values."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        for key in list(wanted) + [key for key in found if key not in wanted]:
            if key not in found or key not in wanted:
                yield "%s/%s: %s" % (where, key, "missing" if key not in found else "new: %s" % found[key])
            else:
                yield from differences(wanted[key], found[key], "%s/%s" % (where, key))
    elif isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        for i, pair in enumerate(zip(wanted, found)):
            yield from differences(*pair, "%s/%d" % (where, i))
    elif wanted != found or type(wanted) is not type(found):
        yield "%s: expected %s, found %s" % (where or "/", json.dumps(wanted), json.dumps(found))


def line_differences(wanted, found):
    wanted, found = wanted.splitlines(), found.splitlines()
    if len(wanted) != len(found):
        yield "expected %d lines, found %d" % (len(wanted), len(found))
    for number, (old, new) in enumerate(zip(wanted, found), 1):
        if old != new:
            yield "line %d: expected %r, found %r" % (number, old, new)


def shortened(problems):
    problems = list(problems)
    rest = len(problems) - DIFFERENCES_SHOWN
    return problems[:DIFFERENCES_SHOWN] + (["and %d more" % rest] if rest > 0 else [])


def without_data(result):
    stripped = {key: value for key, value in result.items() if key not in OF_DATA}
    stripped["steps"] = [{key: value for key, value in step.items() if key not in OF_DATA} for step in result["steps"]]
    return stripped


def planned_times(steps, times=1):
    """How often each leaf of a workload's steps runs, in order."""
    for step in steps:
        repeat = step.get("repeat")
        if repeat:
            yield from planned_times(repeat["steps"], times * repeat["times"])
        else:
            yield times


def sum_problems(result, workload):
    """What does not add up in a result."""
    steps = result["steps"]
    for where, part in [("in all", result)] + [(step["where"], step) for step in steps]:
        total = sum(part["cycles_by_cause"].values())
        if total != part["cycles"]:
            yield "%s: the causes add up to %d, cycles are %d" % (where, total, part["cycles"])
        if part["words_sent"] != part["channels"]["total_words"]:
            yield "%s: %d words sent, %d on channels" % (where, part["words_sent"], part["channels"]["total_words"])
    for name in COUNTERS:
        if sum(step[name] for step in steps) != result[name]:
            yield "%s: the steps add up to %d, in all there are %d" % (name, sum(s[name] for s in steps), result[name])
    for cause, cycles in result["cycles_by_cause"].items():
        total = sum(step["cycles_by_cause"][cause] for step in steps)
        if total != cycles:
            yield "%s: the steps add up to %d, in all there are %d" % (cause, total, cycles)
    wanted = list(planned_times(workload["steps"]))
    if [step["times"] for step in steps] != wanted:
        yield "times: expected %s, found %s" % (wanted, [step["times"] for step in steps])


def golden(name):
    try:
        with open(os.path.join(RESULTS, name), encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return None


def golden_result(name):
    text = golden(name + ".json")
    return {} if text is None else json.loads(text)


def fits_any_nodes(workload):
    """A mesh has the nodes that it has; a route of an array and all-to-all communication want all nodes full."""
    return (not any("mesh" in array for array in workload["arrays"].values()) and
            not any("array" in step.get("route", {}) or "alltoall" in step for step in workload["steps"]))


def needs_data(workload):
    """What a subroutine does depends on its data."""
    return any("call" in step for step in workload["steps"])


def check_example(tap, program, name, path):
    with open(path, encoding="utf-8") as file:
        workload = json.load(file)
    quick = None if needs_data(workload) else program.result(path, "--timing-only")
    full = quick if name.startswith(TIMING_ONLY) else program.result(path, "--threads", "1")
    wanted = golden_result(name)
    tap.report("%s gives the kept result" % name, shortened(differences(wanted, full)))
    tap.report("%s: causes, steps and times add up" % name, sum_problems(full, workload))
    if name.startswith(TIMING_ONLY):
        return
    two = program.result(path, "--threads", "2")
    tap.report("%s gives the same with two threads" % name, shortened(differences(full, two)))
    if fits_any_nodes(workload):
        one = program.result(path, "--nodes", "1024", "--threads", "1")
        two = program.result(path, "--nodes", "1024", "--threads", "2")
        tap.report("%s gives the same with two threads on 1,024 nodes" % name, shortened(differences(one, two)))
    if quick is not None:
        tap.report("%s costs the same without data" % name,
                   shortened(differences(without_data(full), without_data(quick))))


def check_text(tap, program, example, setup):
    wanted = golden("%s-%s.imp" % (example, setup))
    found = program.text(example, setup)
    problems = ["no text is kept"] if wanted is None else shortened(line_differences(wanted, found))
    tap.report("%s compiles to the kept text, %s" % (example, setup), problems)


def keep(name, text, changes):
    """Writes a golden file, if it changed, and says how."""
    changes = list(changes)
    if golden(name) == text:
        return
    with open(os.path.join(RESULTS, name), "w", encoding="utf-8") as file:
        file.write(text)
    print("%s:" % name)
    for change in shortened(changes) or ["the file's form"]:
        print("  %s" % change)


def rebaseline(program, chosen):
    os.makedirs(RESULTS, exist_ok=True)
    kept = set()
    for name, path in program.examples():
        kept.add(name + ".json")
        if chosen and name not in chosen:
            continue
        option = ("--timing-only",) if name.startswith(TIMING_ONLY) else ()
        result = program.result(path, *option)
        old = golden_result(name)
        keep(name + ".json", json.dumps(result, indent=2, ensure_ascii=False) + "\n",
             differences(old, result) if old else ["new"])
    for example, setup in COMPILED:
        name = "%s-%s.imp" % (example, setup)
        kept.add(name)
        if chosen and example not in chosen:
            continue
        text, old = program.text(example, setup), golden(name)
        keep(name, text, ["new"] if old is None else line_differences(old, text))
    for name in sorted(set(os.listdir(RESULTS)) - kept):
        os.remove(os.path.join(RESULTS, name))
        print("%s: removed, nothing makes it any more" % name)


def main(arguments):
    words = [argument for argument in arguments if not argument.startswith("--")]
    options = [argument for argument in arguments if argument.startswith("--")]
    if len(words) < 2 or any(option != "--rebaseline" for option in options):
        usage_error(__doc__)
    program, chosen = Program(words[0], os.path.realpath(words[1])), words[2:]
    if options:
        rebaseline(program, chosen)
        return 0
    tap = Tap()
    names = set()
    for name, path in program.examples():
        names.add(name + ".json")
        if not chosen or name in chosen:
            check_example(tap, program, name, path)
    for example, setup in COMPILED:
        names.add("%s-%s.imp" % (example, setup))
        if not chosen or example in chosen:
            check_text(tap, program, example, setup)
    tap.report("every kept file belongs to an example",
               ["%s: nothing makes it; run with --rebaseline" % name for name in sorted(set(os.listdir(RESULTS)) - names)])
    return tap.done()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
