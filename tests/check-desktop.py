"""The viewer on a desktop, and releases: menu entries, icon, AppStream, the type of traces; what --version prints.

usage: check-desktop.py SOURCE_ROOT CM200

desktop-file-validate, appstreamcli and update-mime-database judge the files; without one of them its subtest is skipped.
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

import source
from tap import Tap, arguments

MIME = "{http://www.freedesktop.org/standards/shared-mime-info}"
LIBRARIES = {"PDF": "libcairo.so", "line editing": "libedit.so"}


def judged(*command):
    """What a program says against files; None without the program."""
    if shutil.which(command[0]) is None:
        return None
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return [done.stdout] if done.returncode != 0 else []


def report(tap, name, problems, program):
    if problems is None:
        tap.skip(name, "no %s" % program)
    else:
        tap.report(name, problems)


def entries(path):
    """The keys of a desktop file."""
    return dict(line.split("=", 1) for line in source.read(path).splitlines() if "=" in line and line[0] != "#")


def entry_problems(folder, metainfo):
    types = {element.get("type") for element in tree.parse(os.path.join(folder, "cm200-view-mime.xml")).iter(MIME + "mime-type")}
    for path in sorted(glob.glob(os.path.join(folder, "*.desktop"))):
        keys, name = entries(path), os.path.basename(path)
        if keys["Exec"].split()[0] != "cm200-view" or keys["TryExec"] != "cm200-view":
            yield "%s: does not start cm200-view" % name
        if not os.path.exists(os.path.join(folder, keys["Icon"] + ".svg")):
            yield "%s: no icon %s.svg" % (name, keys["Icon"])
        if "MimeType" in keys and not set(keys["MimeType"].strip(";").split(";")) <= types:
            yield "%s: opens %s, of which cm200-view-mime.xml has only %s" % (name, keys["MimeType"], sorted(types))
    if not os.path.exists(os.path.join(folder, metainfo.findtext("launchable"))):
        yield "AppStream: no file %s" % metainfo.findtext("launchable")
    if {element.text for element in metainfo.iter("mediatype")} != types:
        yield "AppStream: mediatypes are not %s" % sorted(types)


def menu_problems(cm200, folder):
    """The arguments of the entry in menus are options of the viewer: it can't be without any."""
    help_text = subprocess.run([cm200 + "-view", "--help"], capture_output=True, text=True, check=True).stdout
    words = entries(os.path.join(folder, "cm200-view.desktop"))["Exec"].split()[1:]
    return ["cm200-view has no %s" % word for word in words if not re.search(r"^ +%s\b" % re.escape(word), help_text, re.M)] \
        or ([] if words else ["the entry starts cm200-view without an argument, which is wrong usage"])


def mime_problems(folder, cm200, root):
    """The database takes the type, and its magic number is that of a trace that was written now."""
    if shutil.which("update-mime-database") is None:
        return None
    with tempfile.TemporaryDirectory() as scratch:
        packages = os.path.join(scratch, "mime", "packages")
        os.makedirs(packages)
        shutil.copy(os.path.join(folder, "cm200-view-mime.xml"), packages)
        done = subprocess.run(["update-mime-database", os.path.join(scratch, "mime")], capture_output=True, text=True, check=False,
                              env=dict(os.environ, XDG_DATA_DIRS=scratch))
        problems = [done.stderr] if done.returncode != 0 or done.stderr else []
        if "application/x-cm200-trace" not in source.read(os.path.join(scratch, "mime", "types")):
            problems.append("the database has no application/x-cm200-trace")
        trace = os.path.join(scratch, "t.trace")
        subprocess.run([cm200, "run", "--quiet", "--trace", trace, os.path.join(root, "programs/examples/five-point-pshift.json")],
                       check=True)
        match = next(tree.parse(os.path.join(folder, "cm200-view-mime.xml")).iter(MIME + "match"))
        with open(trace, "rb") as file:
            file.seek(int(match.get("offset")))
            if file.read(len(match.get("value"))) != match.get("value").encode():
                problems.append("a trace does not begin with %s" % match.get("value"))
    return problems


def icon_problems(path):
    icon = tree.parse(path).getroot()
    box = [float(number) for number in icon.get("viewBox").split()]
    if box[2] != box[3]:
        yield "it is not a square"
    if any(name.endswith("href") for element in icon.iter() for name in element.keys()):
        yield "it refers to other files"


def version_problems(root, metainfo, version):
    places = {
        "AppStream": metainfo.find("releases/release").get("version"),
        "debian/changelog": re.match(r"cm200 \(([^)-]*)", source.read(os.path.join(root, "debian/changelog"))).group(1),
    }
    return ["%s: %s, but --version prints %s" % (place, found, version) for place, found in places.items() if found != version]


def feature_problems(cm200, lines):
    """The features printed are those of the program: what it is linked with, and what is next to it."""
    features = dict((line[2:16].strip(), line[17:]) for line in lines)
    linked = subprocess.run(["ldd", cm200], capture_output=True, text=True, check=True).stdout
    for name, library in LIBRARIES.items():
        if (library in linked) == features[name].startswith("no"):
            yield "%s: %s, but ldd prints:\n%s" % (name, features[name], linked)
    if os.path.exists(cm200 + "-view") == features["viewer"].startswith("no"):
        yield "viewer: %s" % features["viewer"]


def commit_problems(root):
    """An archive's commit is that of its file COMMIT, also where it is unpacked inside another history; without it, none."""
    with tempfile.TemporaryDirectory() as outer:
        script = os.path.join(outer, "cm200-0.1.0", "scripts", "commit")
        os.makedirs(os.path.dirname(script))
        shutil.copy(os.path.join(root, "scripts/commit"), script)
        if shutil.which("git") is not None:
            for words in (("init", "-q"), ("-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-qm", "x", "--allow-empty")):
                subprocess.run(("git", "-C", outer) + words, check=True, stderr=subprocess.DEVNULL)
        for written, words, want in ((None, (), ""), ("0123456789ab 1994-06-01\n", (), "0123456789ab 1994-06-01"),
                                     ("0123456789ab 1994-06-01\n", ("--only",), "0123456789ab")):
            if written is not None:
                with open(os.path.join(outer, "cm200-0.1.0", "COMMIT"), "w", encoding="utf-8") as file:
                    file.write(written)
            done = subprocess.run((script,) + words, capture_output=True, text=True, check=False)
            if done.returncode != 0 or done.stdout != want + "\n":
                yield "COMMIT is %r; scripts/commit %s prints %r %s" % (written, " ".join(words), done.stdout, done.stderr)


def main(given):
    root, cm200 = os.path.realpath(given[0]), os.path.realpath(given[1])
    folder = os.path.join(root, "viz/desktop")
    metainfo_path = os.path.join(folder, "local.cm200.viewer.metainfo.xml")
    metainfo = tree.parse(metainfo_path)
    version = subprocess.run([cm200, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()
    tap = Tap()
    desktop = sorted(glob.glob(os.path.join(folder, "*.desktop")))
    report(tap, "entries of menus are valid", judged("desktop-file-validate", *desktop), "desktop-file-validate")
    report(tap, "AppStream's data is valid", judged("appstreamcli", "validate", "--no-net", metainfo_path), "appstreamcli")
    report(tap, "traces have a type that is known by their first bytes", mime_problems(folder, cm200, root), "update-mime-database")
    tap.report("entries, icon, types and AppStream's data name each other", entry_problems(folder, metainfo))
    tap.report("the icon is one square file", icon_problems(os.path.join(folder, "cm200-view.svg")))
    if os.path.exists(cm200 + "-view"):
        tap.report("the entry in menus starts the viewer with something to show", menu_problems(cm200, folder))
    tap.report("the release has the same number everywhere", version_problems(root, metainfo, version[0].split()[1]))
    tap.report("an archive's commit is its own", commit_problems(root))
    tap.report("--version prints what the program was built with", feature_problems(cm200, version[1:]))
    return tap.done()


if __name__ == "__main__":
    sys.exit(main(arguments(__doc__, 2)))
