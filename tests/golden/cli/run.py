"""Golden tests of the command line: one folder for each case, with `cmd`, its expected output and exit code.

usage: run.py CM200 SOURCE_ROOT [--rebaseline] [--cases=FOLDER] [CASE...]

`cmd` is run by sh in a copy of its folder, with cm200 on the PATH and the source folder in $ROOT. Its standard output,
standard error output and exit code must be those of expected.out, expected.err and expected.code (missing: empty, and
0). Numbers of the host (wall time, real-time factor), of the release and the source folder's path are first replaced by words. A case
may have a file expected.failure with the reason why it is known to fail.

--cases names another folder of cases (tests/golden/view/cases has those of cm200-view).
--rebaseline writes the present output of the commands into the case folders; read the difference before you keep it.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(os.path.dirname(HERE)))

from tap import Tap, usage_error  # noqa: E402: the path is set above

TIMEOUT_SECONDS = 60
HOST_NUMBERS = (
    (re.compile(r'("wall_seconds": |"real_time_factor": )[-+.0-9e]+'), r"\1HOST"),
    (re.compile(r'("version": ")\d+\.\d+\.\d+"'), r'\1RELEASE"'),  # tests/check-release.py looks at it
    (re.compile(r'("wall_seconds": .*"executor": )"[a-z0-9]+"'), r"\1HOST"),
    (re.compile(r'"machine_values": \{[^}]*\}'), '"machine_values": {...}'),  # test_result looks at them
    (re.compile(r'("command": |"commit": )("[^"]*"|null)'), r"\1HOST"),
    (re.compile(r"real-time factor [-+.0-9e]+ \([-+.0-9e]+ [a-z]+ on this host\)"), "real-time factor HOST"),
)
PARTS = ("out", "err", "code")


def environment(cm200, root):
    """A small one, so that locale, colours and the user's settings don't matter."""
    kept = {key: value for key, value in os.environ.items() if key.endswith("SAN_OPTIONS")}
    path = os.path.dirname(os.path.abspath(cm200)) + ":/usr/bin:/bin"
    return dict(kept, PATH=path, ROOT=root, LC_ALL="C", NO_COLOR="1", HOME="/nonexistent")


def normalise(data, root):
    return without_host(data.decode("utf-8", "backslashreplace").replace(root, "ROOT"))


def without_host(text):
    for pattern, word in HOST_NUMBERS:
        text = pattern.sub(word, text)
    return text


def run(case, cm200, root):
    """What the case's command does now, by part."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = os.path.join(scratch, "case")
        shutil.copytree(case, folder, ignore=shutil.ignore_patterns("expected.*", "cmd"))
        shell = subprocess.Popen(["sh", os.path.join(case, "cmd")], cwd=folder, env=environment(cm200, root),
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 start_new_session=True)
        try:
            out, err = shell.communicate(timeout=TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(shell.pid, signal.SIGKILL)  # what it started, too
            shell.communicate()
            raise
    return {"out": normalise(out, root), "err": normalise(err, root), "code": "%d\n" % shell.returncode}


def expected(case, part):
    path = os.path.join(case, "expected." + part)
    if not os.path.exists(path):
        return "0\n" if part == "code" else ""
    with open(path, encoding="utf-8") as file:
        return without_host(file.read())


def rebaseline(case, found):
    for part in PARTS:
        path = os.path.join(case, "expected." + part)
        if found[part] == ("0\n" if part == "code" else ""):
            if os.path.exists(path):
                os.remove(path)
            continue
        with open(path, "w", encoding="utf-8") as file:
            file.write(found[part])


def differences(case, found):
    for part in PARTS:
        wanted = expected(case, part)
        if wanted != found[part]:
            yield "expected.%s:\n%s\nfound:\n%s" % (part, wanted, found[part])


def report(tap, name, case, found):
    problems = list(differences(case, found))
    known = os.path.join(case, "expected.failure")
    if not os.path.exists(known):
        tap.report(name, problems)
        return
    with open(known, encoding="utf-8") as file:
        reason = file.read().strip()
    tap.count += 1
    print("%s %d - %s # TODO %s" % ("not ok" if problems else "ok", tap.count, name, reason))


def main(arguments):
    options = [argument for argument in arguments if argument.startswith("--")]
    words = [argument for argument in arguments if not argument.startswith("--")]
    cases = os.path.join(HERE, "cases")
    for option in options:
        if option.startswith("--cases="):
            cases = os.path.abspath(option[len("--cases="):])
        elif option != "--rebaseline":
            usage_error(__doc__)
    if len(words) < 2:
        usage_error(__doc__)
    cm200, root = words[0], os.path.realpath(words[1])
    names = words[2:] or sorted(os.listdir(cases))
    tap = Tap()
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup ignores it, and so would the programs
    for name in names:
        case = os.path.join(cases, name)
        try:
            found = run(case, cm200, root)
        except subprocess.TimeoutExpired:
            tap.report(name, ["no end within %d seconds" % TIMEOUT_SECONDS])
            continue
        if "--rebaseline" in options:
            rebaseline(case, found)
        report(tap, name, case, found)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
