"""The house rules that a program can check: sizes, the direction of includes, documented symbols, complete lists of files and rooms.

usage: check-structure.py SOURCE_ROOT PUBLIC_HEADER...
"""

import os
import re
import sys

import source
from tap import Tap, arguments

MAX_FILE_LINES = 800
MAX_FUNCTION_LINES = 60
MAX_P90_LINES = 26
MAX_PARAMETERS = 6  # of a function of the product; what travels together is a struct
MAX_FOLDER_FILES = 50  # of the product
MAX_COLUMNS = 100  # of code and comments; clang-format wraps code, and leaves comments as they are


# What each room may include; docs/architecture.md shows it. Arrows run one way: base <- isa <- sim <- programs <- fortran <- cli;
# sim <- trace <- {diff, explain, viz, cli}; programs <- debug <- console <- {cli, viz}; base <- shell <- {cli, viz}; base <- processes
# <- cli; sim <- report <- {families of programs, trace, figure, cli, viz}. In sim: host <- lanes <- {executor, machine} <- router;
# executor and machine need each other's structs. In fortran: source <- check <- host <- machine <- run <- write. In viz: model <- draw
# <- control <- {app, web}.
SIM = ("sim/host", "sim/lanes", "sim/executor", "sim/machine", "sim/router")
CORE = ("base", "isa", "sim/machine", "sim/router", "programs/system")
FAMILIES = tuple("programs/" + room for room in
                 ("alltoall", "collective", "elementwise", "fft", "gather", "matmul", "network", "pshift",
                  "qcd", "reshape", "sort", "stencil", "transpose", "validation", "workload"))
LIBRARY = ("base", "isa") + SIM + ("programs/system", "report") + FAMILIES
FORTRAN = ("fortran/source", "fortran/check", "fortran/host", "fortran/machine", "fortran/run", "fortran/write")
# What commands do. cli/ has their options, and prints: these rooms include neither cli/ nor shell/.
COMMANDS = ("sweep", "diff", "figure", "lesson", "explain", "shifts")
VIEW = ("viz/model", "viz/draw", "viz/control", "viz/app")
ALLOWED = {
    "base": ("base",),
    "report": ("base", "sim/machine", "report"),
    "isa": ("base", "isa"),
    "sim/host": ("base", "sim/host"),
    "sim/lanes": ("base", "isa", "sim/host", "sim/lanes"),
    "sim/executor": ("base", "isa", "sim/lanes", "sim/executor", "sim/machine"),
    "sim/machine": ("base", "isa", "sim/host", "sim/lanes", "sim/executor", "sim/machine"),
    "sim/router": ("base", "sim/host", "sim/machine", "sim/router"),
    "programs/system": CORE,
    "programs/pshift": CORE + ("report", "programs/pshift",),
    "programs/elementwise": CORE + ("programs/elementwise",),
    "programs/stencil": CORE + ("report", "programs/pshift", "programs/elementwise", "programs/stencil"),
    "programs/alltoall": CORE + ("programs/alltoall",),
    "programs/collective": CORE + ("programs/collective",),
    "programs/sort": CORE + ("programs/alltoall", "programs/sort",),
    "programs/matmul": CORE + ("programs/alltoall", "programs/matmul"),
    "programs/qcd": CORE + ("report", "programs/pshift", "programs/qcd"),
    "programs/reshape": CORE + ("report", "programs/reshape",),
    "programs/gather": CORE + ("programs/gather",),
    "programs/network": CORE + ("report", "programs/network",),
    "programs/fft": CORE + ("report", "programs/reshape", "programs/fft"),
    "programs/transpose": CORE + ("programs/reshape", "programs/transpose"),
    "programs/workload": LIBRARY,
    "programs/validation": LIBRARY,
    "fortran/source": CORE + ("fortran/source",),
    "fortran/check": LIBRARY + FORTRAN[:2],
    "fortran/host": LIBRARY + FORTRAN[:3],
    "fortran/machine": LIBRARY + FORTRAN[:4],
    "fortran/run": LIBRARY + FORTRAN[:5],
    "fortran/write": LIBRARY + FORTRAN,
    "trace": ("base", "report", "isa", "sim/machine", "sim/router", "trace"),
    "debug": LIBRARY + ("debug",),
    "shell": ("base", "shell"),
    "console": LIBRARY + FORTRAN + ("debug", "shell", "console"),
    "processes": ("base", "processes"),
    "viz/model": ("base", "report", "trace") + VIEW[:1],
    "viz/draw": ("base", "report", "trace") + VIEW[:2],
    "viz/control": ("base", "report", "trace") + VIEW[:3],
    "viz/app": LIBRARY + FORTRAN + ("trace", "debug", "shell", "console") + VIEW,
    "viz/web": ("base", "report", "trace") + VIEW[:3] + ("viz/web",),
    "sweep": LIBRARY + ("figure", "sweep"),
    "diff": ("base", "report", "trace", "diff"),
    "figure": ("base", "report", "trace", "figure"),
    "lesson": LIBRARY + FORTRAN + ("lesson",),
    "explain": LIBRARY + ("trace", "explain"),
    "shifts": LIBRARY + ("figure", "shifts"),
    "cli": LIBRARY + FORTRAN + ("trace", "debug", "shell", "console", "processes") + COMMANDS + ("cli",),
    "tests": LIBRARY + FORTRAN + VIEW + ("trace", "debug", "console", "viz/web", "shell", "processes") + COMMANDS + ("cli", "tests"),
}

# Files of a folder that call each other in circles, with the reason. None as files: whichever of the folder.
CIRCLES = {
    "cli": [("a lesson runs commands by their names and is one of them; help lists all", {"cmd_lesson.c", "commands.c", "help.c"})],
    "debug": [("the observer reports each point, and the stop there begins or ends the observation", {"debug.c", "observe.c"})],
    "fortran/source": [("statements contain statements, and included files are read like files", None)],
    "fortran/check": [("expressions contain expressions, and statements contain statements", None)],
    "fortran/host": [("expressions contain expressions", None)],
    "fortran/machine": [("expressions contain expressions", None)],
    "fortran/run": [("subprograms call subprograms, and expressions contain expressions", None)],
    "fortran/write": [("interfaces contain units, and expressions contain expressions", None)],
    "programs/elementwise": [("the code of a vector asks for the place of an element at an offset", {"compile.c", "near.c"})],
    "sim/executor": [("operations are deferred, and executed when another one needs their results",
                      {"block_cache.c", "deferred.c", "deferred_chain.c", "deferred_store.c", "execute.c", "indexed.c"})],
    "sim/machine": [("workers that agree over several processes end a run as the sequencer does",
                     {"machine.c", "sequencer.c", "sram.c"})],
    "sim/router": [("threads that share a run handle the events of one, and trade what crosses between processes",
                    {"router.c", "share.c", "state.c", "trade.c"})],
    "viz/control": [("keys begin tours and steps of programs, which press keys and say what they do",
                     {"control.c", "program.c", "tour.c"})],
    "viz/model": [("the model keeps answers, and loads are computed from others of its answers", {"model.c", "model_loads.c"})],
}
ROOMS = sorted(ALLOWED, key=len, reverse=True)


def room_of(path):
    for room in ROOMS:
        if path.startswith(room + "/"):
            return room
    return None


def c_files(root):
    """All C files of the rooms, as paths relative to the root."""
    found = []
    for top in sorted({room.split("/")[0] for room in ROOMS}):
        for folder, _, names in os.walk(os.path.join(root, top)):
            found += [os.path.relpath(os.path.join(folder, name), root)
                      for name in sorted(names) if name.endswith((".c", ".h", ".def"))]
    return found


def check_sizes(tap, texts):
    tap.report("no file is longer than %d lines" % MAX_FILE_LINES, (
        "%s: %d lines" % (path, text.count("\n")) for path, text in texts.items()
        if text.count("\n") > MAX_FILE_LINES))
    lengths = []
    long = []
    for path, text in texts.items():
        for name, first, length in source.functions(text) if path.endswith((".c", ".h")) else ():
            if not path.startswith("tests/"):
                lengths.append(length)
            if length > MAX_FUNCTION_LINES:
                long.append("%s:%d: %s has %d lines" % (path, first + 1, name, length))
    tap.report("no function is longer than %d lines" % MAX_FUNCTION_LINES, long)
    p90 = sorted(lengths)[len(lengths) * 9 // 10] if lengths else 0
    tap.report("nine functions of ten have at most %d lines (of %d: %d)" % (MAX_P90_LINES, len(lengths), p90),
               ["the 90th percentile is %d lines" % p90] if p90 > MAX_P90_LINES else [])


def check_parameters(tap, texts):
    tap.report("no function has more than %d parameters" % MAX_PARAMETERS, (
        "%s:%d: %s has %d parameters; pass those that travel together as a struct" % (path, line + 1, name, count)
        for path, text in texts.items() if path.endswith((".c", ".h")) and not path.startswith("tests/")
        for name, line, count in source.parameters(text) if count > MAX_PARAMETERS))


def check_width(tap, texts):
    tap.report("no line is longer than %d columns" % MAX_COLUMNS, (
        "%s:%d: %d columns" % (path, number, len(line))
        for path, text in texts.items() for number, line in enumerate(text.split("\n"), 1)
        if len(line) > MAX_COLUMNS))


def check_folders(tap, texts):
    counts = {}
    for path in texts:
        folder = os.path.dirname(path)
        if folder.split("/")[0] != "tests":
            counts[folder] = counts.get(folder, 0) + 1
    tap.report("no folder has more than %d files" % MAX_FOLDER_FILES, (
        "%s: %d files" % (folder, count) for folder, count in counts.items() if count > MAX_FOLDER_FILES))


def check_openings(tap, texts):
    tap.report("every file opens with a comment on what it is for", (
        "%s:1: expected a comment" % path for path, text in texts.items()
        if not text.startswith(("/*", "//"))))


def include_problem(path, form, target, files):
    room = room_of(path)
    if form == "<":
        if target.startswith("SDL") and room.split("/")[0] not in ("viz", "tests"):
            return "SDL belongs to viz alone"
        if "cJSON" in target and room != "base":
            return "cJSON belongs to base alone; use base/json.h"
        return None
    beside = os.path.normpath(os.path.join(os.path.dirname(path), target))
    resolved = beside if beside in files else os.path.normpath(target)
    if resolved not in files:
        return None  # generated, or the compiler will say that it is missing
    if room_of(resolved) not in ALLOWED[room]:
        return "%s may not include %s" % (room, room_of(resolved))
    return None


def check_includes(tap, texts):
    problems = []
    for path, text in texts.items():
        for line, form, target in source.includes(text):
            problem = include_problem(path, form, target, texts)
            if problem:
                problems.append("%s:%d: %s: %s" % (path, line + 1, target, problem))
    tap.report("includes follow base <- isa <- sim <- programs <- fortran <- cli", problems)


def check_circles(tap, texts):
    """Files of a folder that call each other in circles cannot be read one after the other; mostly a part of its own is missing."""
    product = {path: text for path, text in texts.items() if path.endswith(".c") and not path.startswith("tests/")}
    definers = {}
    for path, text in product.items():
        for name in source.external_functions(text):
            definers.setdefault(name, set()).add(path)
    arrows = {}
    for path, text in product.items():
        used = set().union(*(definers[name] for name in source.used_names(text) if len(definers.get(name, ())) == 1))
        arrows[path] = {other for other in used if other != path and os.path.dirname(other) == os.path.dirname(path)}
    problems = []
    for circle in source.circles(arrows):
        folder = os.path.dirname(min(circle))
        names = {os.path.basename(path) for path in circle}
        if not any(files is None or names <= files for _, files in CIRCLES.get(folder, ())):
            problems.append("%s: %s call each other in a circle; move what they share to a file of its own" % (
                folder, ", ".join(sorted(names))))
    tap.report("no files of a folder call each other in circles, but for recursions", problems)


def is_documented(lines, first, last):
    """A comment above the declaration, on its line, or above its group of lines without a gap."""
    if any("/*" in line or "*/" in line for line in lines[first:last + 1]):
        return True
    above = first - 1
    while above >= 0 and lines[above].strip():
        if lines[above].rstrip().endswith("*/"):
            return True
        above -= 1
    return False


def check_documented(tap, root, headers):
    problems = []
    for path in headers:
        text = source.read(os.path.join(root, path))
        lines = text.split("\n")
        for name, first, last in source.api_declarations(text):
            if not is_documented(lines, first, last):
                problems.append("%s:%d: %s has no comment" % (path, first + 1, name))
    tap.report("every public symbol is documented", problems)


def check_public(tap, root, headers):
    """A CM_API mark outside the public headers exports what nobody can include; a public header needs public ones."""
    problems = []
    for path in headers:
        for line, form, target in source.includes(source.read(os.path.join(root, path))):
            resolved = os.path.normpath(os.path.join(os.path.dirname(path), target))
            if form == '"' and resolved not in headers and not target.endswith(".def"):
                problems.append("%s:%d: a public header includes %s, which is not public" % (path, line + 1, target))
    tap.report("public headers include public headers only", problems)


def check_umbrella(tap, root, headers):
    """cm200.h includes every other public header."""
    included = {target for _, _, target in source.includes(source.read(os.path.join(root, "cm200.h")))}
    tap.report("cm200.h includes every public header",
               ("%s is not included" % path for path in headers if path != "cm200.h" and path not in included))


def check_marks(tap, texts, headers):
    problems = [
        "%s:%d: %s is marked CM_API, but the header is not public" % (path, first + 1, name)
        for path, text in texts.items() if path.endswith(".h") and path not in headers and room_of(path) in LIBRARY
        for name, first, _ in source.api_declarations(text)]
    tap.report("CM_API is used in public headers only", problems)


def check_file_lists(tap, root, texts):
    """Meson takes lists, not patterns: a file that nobody listed would silently not be built."""
    problems = []
    for path in texts:
        if not path.endswith(".c") or path.startswith("tests/install/"):
            continue
        folder, name = os.path.split(path)
        stem = name[:-2]
        while folder and not os.path.exists(os.path.join(root, folder, "meson.build")):
            folder, parent = os.path.split(folder)
            name = parent + "/" + name
        listed = source.read(os.path.join(root, folder, "meson.build")) if folder else ""
        # A test may be listed by its stem, or by the name that its program has for it: 'matmul' for test-matmul.c.
        names = (name, stem, re.sub("^(test|bench)-", "", stem))
        if not re.search(r"'(?:%s)'" % "|".join(map(re.escape, names)), listed):
            problems.append("%s is not listed in %s/meson.build" % (path, folder))
    tap.report("every C file is listed in its folder's meson.build", problems)


def check_data_lists(tap, root):
    problems = []
    for room, top in (("configs", "configs"), ("programs", "programs/examples")):
        listed = source.read(os.path.join(root, room, "meson.build"))
        for folder, _, names in os.walk(os.path.join(root, top)):
            for path in (os.path.relpath(os.path.join(folder, name), os.path.join(root, room)) for name in sorted(names)):
                if path.endswith((".json", ".imp", ".fcm")) and "'%s'" % path not in listed:
                    problems.append("%s/%s is not installed by its meson.build" % (room, path))
    tap.report("every configuration and example is installed", problems)


def rooms_named(names):
    """Rooms of a cell in docs/architecture.md: "library" is all of it, "fortran" all rooms in the folder."""
    found = set()
    for name in names:
        found.update(LIBRARY if name == "library" else (room for room in ALLOWED if room == name or room.startswith(name + "/")))
    return found


def check_room_table(tap, root):
    """The table of rooms in docs/architecture.md has every room, and what it may include."""
    problems, seen = [], {"tests"}
    for line in source.read(os.path.join(root, "docs/architecture.md")).split("\n"):
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        rooms = set(re.findall(r"`([^`]+)`", cells[0])) & set(ALLOWED) if len(cells) == 3 else set()
        if not rooms:
            continue
        seen |= rooms
        allowed = set().union(*(ALLOWED[room] for room in rooms)) - rooms
        stated = rooms_named(re.findall(r"[\w/]+", cells[2])) - rooms
        problems += ["%s: the table has %s, ALLOWED has not" % (cells[0], room) for room in sorted(stated - allowed)]
        problems += ["%s: the table lacks %s" % (cells[0], room) for room in sorted(allowed - stated)]
    problems += ["%s is not in the table" % room for room in sorted(set(ALLOWED) - seen)]
    tap.report("docs/architecture.md has the rooms and their arrows", problems)


def main(given):
    root = os.path.realpath(given[0])
    headers = [os.path.relpath(os.path.realpath(path), root) for path in given[1:] if path.endswith(".h")]
    texts = {path: source.read(os.path.join(root, path)) for path in c_files(root)}
    tap = Tap()
    check_sizes(tap, texts)
    check_parameters(tap, texts)
    check_width(tap, texts)
    check_folders(tap, texts)
    check_openings(tap, texts)
    check_includes(tap, texts)
    check_circles(tap, texts)
    check_public(tap, root, headers)
    check_umbrella(tap, root, headers)
    check_marks(tap, texts, headers)
    check_documented(tap, root, headers)
    check_file_lists(tap, root, texts)
    check_data_lists(tap, root)
    check_room_table(tap, root)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main(arguments(__doc__, 1)))
