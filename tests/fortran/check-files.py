"""Files and units: programs read and write the same as those that gfortran makes of them, byte for byte; and what a program may not open.

usage: check-files.py CM200 SOURCE_ROOT
"""

import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import Tap, arguments  # noqa: E402: the path is set above

SECONDS = 120
FLAGS = ["-O1", "-fno-range-check", "-w", "-fdec", "-fallow-invalid-boz", "-fd-lines-as-comments"]
REFUSED = """program refused
  integer :: ios
  character(80) :: message
  open (10, file='%s', iostat=ios, iomsg=message)
  print *, ios, trim(message)
  if (ios == 0) write (10, *) 'written'
end program
"""
FAULTS = (
    ("a program does not delete its source", "program p\nopen (10, file='p.f90', action='read')\nclose (10, status='delete')\nend\n",
     b"is the program's source"),
    ("a group of a format without end needs an edit descriptor for data", "program p\nwrite (*, '(*(\"\"))')\nend\n",
     b"an edit descriptor for data is missing"),
    ("the name of a NAMELIST may be long", "program p\ninteger :: i = 1\nnamelist /%s/ i\nwrite (*, nml=%s)\nend\n" % (2 * ("g" * 300,)),
     b"&" + 300 * b"G" + b"\n"),
)
ENDLESS = "program endless\n%s\n10 write (11%s) 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'\ngoto 10\nend\n"
FAR = "program far\nopen (11, file='far', access='direct', recl=1000)\nwrite (11, rec=2000000000) 'x'\nend\n"


def run(words, folder, given=b""):
    done = subprocess.run(words, cwd=folder, input=given, capture_output=True, timeout=SECONDS, check=False)
    return done.returncode, done.stdout, done.stderr


def files_of(folder, but):
    """Names and contents of the files that a program has left."""
    found = {}
    for name in sorted(os.listdir(folder)):
        if name not in but:
            with open(os.path.join(folder, name), "rb") as file:
                found[name] = file.read()
    return found


def results(words, source, given):
    """What a program prints, and the files it leaves, in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.basename(source)
        shutil.copy(source, folder)
        code, out, err = run([word % {"name": name} for word in words], folder, given)
        return code, out.decode(), files_of(folder, {name}), err.decode()


def differences(wanted, got):
    problems = []
    if wanted[0] != got[0]:
        problems.append("exit %d, not %d: %s" % (got[0], wanted[0], got[3]))
    pairs = zip(wanted[1].splitlines() + [""] * 100, got[1].splitlines())
    problems += ["prints %r, not %r" % (b, a) for a, b in pairs if a != b][:3]
    if wanted[1].count("\n") != got[1].count("\n"):
        problems.append("prints %d lines, not %d" % (got[1].count("\n"), wanted[1].count("\n")))
    if sorted(wanted[2]) != sorted(got[2]):
        problems.append("leaves the files %s, not %s" % (sorted(got[2]), sorted(wanted[2])))
    problems += ["%s differs" % name for name in wanted[2] if got[2].get(name, b"") != wanted[2][name]]
    return problems


def compiled(source, folder, name):
    binary = os.path.join(folder, name)
    code, _, err = run(["gfortran", *FLAGS, "-o", binary, source], folder)
    if code != 0:
        raise RuntimeError(err.decode())
    return binary


def compare(tap, cm200, source):
    """gfortran reads the source itself; then what cm200 runs, and what it writes for gfortran."""
    name = os.path.basename(source)
    given = b""
    if os.path.exists(os.path.splitext(source)[0] + ".in"):
        with open(os.path.splitext(source)[0] + ".in", "rb") as file:
            given = file.read()
    with tempfile.TemporaryDirectory() as folder:
        wanted = results([compiled(source, folder, "own")], source, given)
        levels = [["-O%d" % level, "--nodes", nodes] for level, nodes in ((0, "4"), (2, "64"))]
        for options in levels:
            got = results([cm200, "run", "-q", "--check", *options, "%(name)s"], source, given)
            tap.report("%s does what gfortran's program does, with %s" % (name, " ".join(options)), differences(wanted, got))
        written = os.path.join(folder, "written.f90")
        code, _, err = run([cm200, "compile", "--to", "fortran", "-o", written, source], folder)
        problems = [err.decode()] if code != 0 else []
        if not problems:
            problems = differences(wanted, results([compiled(written, folder, "other")], source, given))
        tap.report("%s as standard Fortran does the same" % name, problems)


def refusals(tap, cm200):
    """Files that a program may not open, and that an option lets it open."""
    with tempfile.TemporaryDirectory() as top:
        folder = os.path.join(top, "program")
        os.mkdir(folder)
        os.mkfifo(os.path.join(folder, "fifo"))
        os.symlink(top, os.path.join(folder, "link"))
        os.symlink(os.path.join(top, "made"), os.path.join(folder, "dangling"))
        names = {"../out": "outside", os.path.join(top, "absolute"): "outside", "link/through": "outside",
                 "dangling": "outside", "fifo": "pipe", "p.f90": "source", "/dev/full": "outside", "/proc/self/mem": "outside"}
        for name, word in names.items():
            source = os.path.join(folder, "p.f90")
            with open(source, "w", encoding="ascii") as file:
                file.write(REFUSED % name)
            code, out, err = run([cm200, "run", "-q", source], top)
            problems = [] if code == 0 and b" 13 " in out and word.encode() in out else ["exit %d: %r %r" % (code, out, err)]
            problems += ["%s was made" % left for left in os.listdir(top) if left != "program"]
            tap.report("%s is refused" % name.replace(top, "/FOLDER"), problems)
        for name in ("../out", "link/through"):
            with open(os.path.join(folder, "p.f90"), "w", encoding="ascii") as file:
                file.write(REFUSED % name)
            code, out, err = run([cm200, "run", "-q", "--allow-anywhere", os.path.join(folder, "p.f90")], folder)
            made = os.path.exists(os.path.join(top, os.path.basename(name)))
            tap.report("--allow-anywhere allows %s" % name, [] if code == 0 and made else ["exit %d: %r %r" % (code, out, err)])
        for name in ("/dev/full", "fifo"):
            with open(os.path.join(folder, "p.f90"), "w", encoding="ascii") as file:
                file.write(REFUSED % name)
            code, out, err = run([cm200, "run", "-q", "--allow-anywhere", os.path.join(folder, "p.f90")], folder)
            tap.report("%s is refused always" % name, [] if code == 0 and b" 13 " in out else ["exit %d: %r %r" % (code, out, err)])


def limits(tap, cm200):
    """A program writes at most what --max-output allows, to files as well, and no file becomes longer."""
    cases = {"formatted": ENDLESS % ("", ", '(A)'"), "unformatted": ENDLESS % ("open (11, form='unformatted')", ""), "far": FAR,
             "scratch": ENDLESS % ("open (11, status='scratch')", ", *")}
    for title, text in cases.items():
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "p.f90"), "w", encoding="ascii") as file:
                file.write(text)
            code, _, err = run([cm200, "run", "-q", "--max-output", "100k", "p.f90"], folder)
            left = sum(len(content) for content in files_of(folder, {"p.f90"}).values())
            good = code == 3 and b"p.f90:" in err and b"102400 bytes" in err and left <= 102400
            tap.report("--max-output bounds files: %s" % title, [] if good else ["exit %d, %d bytes: %r" % (code, left, err)])
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "p.f90"), "w", encoding="ascii") as file:
            file.write("program p\nopen (9, file='kept')\nwrite (9, *) 'line'\nstop 4\nend\n")
        code, _, err = run([cm200, "run", "-q", "p.f90"], folder)
        kept = files_of(folder, {"p.f90"}) == {"kept": b" line\n"}
        tap.report("STOP closes files", [] if code == 4 and kept else ["exit %d: %r" % (code, err)])

    for title, text, wanted in FAULTS:
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "p.f90"), "w", encoding="ascii") as file:
                file.write(text)
            code, out, err = run([cm200, "run", "-q", "p.f90"], folder)
            there = os.path.exists(os.path.join(folder, "p.f90"))
            tap.report(title, [] if wanted in out + err and there else ["exit %d: %r %r" % (code, out, err)])
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "p.f90"), "w", encoding="ascii") as file:
            file.write(REFUSED % "appended")
        code, out, _ = run([cm200, "debug", "p.f90"], folder, b"next 3\nback\ncontinue\n")
        good = b"appended" in out and not files_of(folder, {"p.f90"})
        tap.report("a debugged program, which is executed again, writes no file", [] if good else ["exit %d: %r" % (code, out)])

    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "p.f90"), "w", encoding="ascii") as file:
            file.write(REFUSED % "shared")
        code, out, err = run([cm200, "run", "-q", "--processes", "2", "--nodes", "64", "p.f90"], folder)
        good = code == 0 and b"several processes" in out and not files_of(folder, {"p.f90"})
        tap.report("several processes write no file", [] if good else ["exit %d: %r %r" % (code, out, err)])


def main(given):
    cm200, root = os.path.abspath(given[0]), os.path.abspath(given[1])
    tap = Tap()
    here = os.path.join(root, "tests", "fortran", "files")
    for name in sorted(os.listdir(here)):
        if not name.endswith(".in"):
            compare(tap, cm200, os.path.join(here, name))
    refusals(tap, cm200)
    limits(tap, cm200)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main(arguments(__doc__, 2, programs=["gfortran"])))
