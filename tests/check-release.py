"""scripts/release: one number everywhere, archives that follow from their content, a list of components, and what is refused.

usage: check-release.py SOURCE_ROOT [--whole]

--whole makes the archive of a release twice, in a clone of this repository, and looks into it. It needs git and the history.
"""

import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

from tap import Tap, arguments, skip_all

ROOT = os.path.realpath(arguments(__doc__, 1)[0])
sys.path.insert(0, os.path.join(ROOT, "scripts"))

from releasing import archive, bill, number  # noqa: E402: the path is set above

SECONDS = 1_800_000_000
NAMES = [number.MESON, number.CHANGELOG, "debian/control", *number.PLACES]


def copied(folder):
    """The files that have the number, in a folder of their own."""
    for name in NAMES:
        os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
        shutil.copy(os.path.join(ROOT, name), os.path.join(folder, name))
    return folder


def refusal(call):
    try:
        call()
    except number.Refused as refused:
        return str(refused)
    return ""


def number_problems():
    with tempfile.TemporaryDirectory() as folder:
        copied(folder)
        if not number.notes(folder, "Unreleased"):
            number.write(folder, number.CHANGELOG, number.read(folder, number.CHANGELOG).replace("## [Unreleased]\n", "## [Unreleased]\n\n- x\n"))
        notes = number.notes(folder, "Unreleased")
        number.set_number(folder, "99.1.0", SECONDS)
        if number.of_tree(folder) != "99.1.0" or list(number.differences(folder)):
            yield "after a change: %s %s" % (number.of_tree(folder), list(number.differences(folder)))
        if number.notes(folder, "99.1.0") != notes or number.notes(folder, "Unreleased"):
            yield "the section of the release is %r" % number.notes(folder, "99.1.0")
        if not number.is_released(folder, "99.1.0") or number.is_released(folder, "99.1.1"):
            yield "it is not taken for the release"
        if "## [99.1.0] - 2027-01-15" not in number.read(folder, number.CHANGELOG):
            yield "the date is not that of SOURCE_DATE_EPOCH"
        wrong = {"older": lambda: number.set_number(folder, "98.0.0", SECONDS), "the same": lambda: number.set_number(folder, "99.1.0", SECONDS),
                 "without notes": lambda: number.set_number(folder, "99.2.0", SECONDS), "another form": lambda: number.split("0.9")}
        yield from ("%s is not refused" % what for what, call in wrong.items() if not refusal(call))
        for path in number.PLACES:
            text = number.read(folder, path)
            number.write(folder, path, text.replace("99.1.0", "99.0.0"))
            if len(list(number.differences(folder))) != 1:
                yield "another number in %s is not found" % path
            number.write(folder, path, text)


def fill(folder, order, moment):
    os.makedirs(folder)
    for name in order:
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write("content of " + name)
        os.chmod(path, 0o755 if name.startswith("run") else 0o640 if moment else 0o644)
        os.utime(path, (moment, moment))
    os.symlink("run", os.path.join(folder, "link"))


def archive_problems():
    with tempfile.TemporaryDirectory() as folder:
        names = ["b", "a/c", "run", "a/b"]
        for place, order, moment in (("one", names, 0), ("two", names[::-1], 1_700_000_000)):
            fill(os.path.join(folder, place, "x"), order, moment)
            for ending in ("xz", "gz"):
                archive.pack(os.path.join(folder, place, "x"), os.path.join(folder, place, "x.tar." + ending), SECONDS)
        for ending in ("xz", "gz"):
            one, two = (os.path.join(folder, place, "x.tar." + ending) for place in ("one", "two"))
            if archive.sha256(one) != archive.sha256(two):
                yield "x.tar.%s depends on more than content" % ending
            with tarfile.open(one) as made:
                found = {member.name: (member.mode, member.mtime, member.uid, member.uname) for member in made}
            if set(found) != {"x", "x/a", "x/link", *("x/" + name for name in names)}:
                yield "it has %s" % sorted(found)
            if found["x/run"] != (0o755, SECONDS, 0, "") or found["x/b"] != (0o644, SECONDS, 0, ""):
                yield "modes and times: %s" % found
        with open(os.path.join(folder, "two", "x", "b"), "a", encoding="utf-8") as file:
            file.write(".")
        archive.pack(os.path.join(folder, "two", "x"), two, SECONDS)
        if archive.sha256(one) == archive.sha256(two):
            yield "another content makes the same archive"
        shutil.rmtree(os.path.join(folder, "one", "x"))
        archive.sums(os.path.join(folder, "one"), "SHA256SUMS")
        done = subprocess.run(["sha256sum", "-c", "--strict", "SHA256SUMS"], cwd=os.path.join(folder, "one"), capture_output=True, text=True,
                              check=False)
        if done.returncode != 0 or done.stdout.count(": OK") != 2:
            yield "SHA256SUMS: " + done.stdout + done.stderr


def bill_problems(text, release, digest):
    """SPDX 2.3 in JSON: what its schema requires, and relationships that name what is there."""
    made = json.loads(text)
    for key in ("spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace", "creationInfo"):
        if not made.get(key):
            yield "%s is missing" % key
    if made["spdxVersion"] != "SPDX-2.3" or not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", made["creationInfo"]["created"]):
        yield "version or date"
    names = {made["SPDXID"], *(one["SPDXID"] for one in made["packages"])}
    if len(names) != len(made["packages"]) + 1 or not all(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", name) for name in names):
        yield "identifiers: %s" % sorted(names)
    for one in made["packages"]:
        yield from ("%s has no %s" % (one["name"], key) for key in ("name", "downloadLocation", "licenseConcluded", "versionInfo") if not one.get(key))
    for one in made["relationships"]:
        yield from ("%s is not there" % one[end] for end in ("spdxElementId", "relatedSpdxElement") if one[end] not in names)
    related = {one["relatedSpdxElement"] for one in made["relationships"]}
    yield from ("%s has no relationship" % name for name in names - related - {made["SPDXID"]})
    own = next(one for one in made["packages"] if one["name"] == "cm200")
    if own["versionInfo"] != release or own["checksums"] != [{"algorithm": "SHA256", "checksumValue": digest}]:
        yield "the archive: %s" % own


def usage_problems():
    script = os.path.join(ROOT, "scripts", "release")
    for words in (["1.0", "folder"], ["--without", "everything", "99.0.0", "folder"], ["99.0.0"], ["--build", "/nonexistent", "99.0.0", "folder"]):
        done = subprocess.run([script, *words], capture_output=True, text=True, check=False)
        if done.returncode != 2 or not done.stderr:
            yield "%s: exit code %d: %s" % (words, done.returncode, done.stderr)


def git(folder, *words):
    return subprocess.run(["git", "-C", folder, *words], capture_output=True, text=True, check=True).stdout.strip()


def release_of(clone, build, out, release, *words):
    return subprocess.run([os.path.join(clone, "scripts", "release"), "--without", "tests,deb,wheel", "--build", build, *words, release, out],
                          capture_output=True, text=True, check=False)


def page_problems(tree, folder, text):
    """The built page is in the archive, is installed from there, and what it contains is among the components."""
    installed = os.path.join(folder, "installed")
    env = {**os.environ, "MESON_BUILD_ROOT": folder, "MESON_SOURCE_ROOT": tree, "MESON_INSTALL_DESTDIR_PREFIX": installed}
    subprocess.run([os.path.join(tree, "scripts", "install-web"), "share/cm200"], env=env, check=True)
    if not os.path.exists(os.path.join(installed, "share/cm200/web/trace.html")):
        yield "the page is not installed"
    if "cJSON in the page" not in text:
        yield "its parts are not among the components"


def whole(tap):
    """A release of what is committed, without packages, built twice, then tagged, then built again from the tag."""
    major, minor, _ = number.split(number.of_tree(ROOT))
    release = "%d.%d.0" % (major, minor + 1)
    name = "cm200-" + release
    with tempfile.TemporaryDirectory() as folder:
        clone, out = os.path.join(folder, "clone"), os.path.join(folder, "out")
        subprocess.run(["git", "clone", "-q", "--shared", ROOT, clone], check=True)
        before = git(clone, "rev-parse", "HEAD")
        build = os.path.join(folder, "build")
        os.makedirs(os.path.join(build, "web"))
        number.write(build, "web/trace.html", "<html></html>")
        done = release_of(clone, build, out, release)
        if not tap.report("a release is made, twice the same", [] if done.returncode == 0 else [done.stderr]):
            return
        untouched = git(clone, "rev-parse", "HEAD") == before and not git(clone, "tag") and not git(clone, "status", "--porcelain")
        tap.report("without --tag the repository is as it was", [] if untouched else [git(clone, "log", "--oneline", "-2")])
        path = os.path.join(out, name + ".tar.xz")
        with tarfile.open(path) as made:
            made.extractall(folder)
        tree = os.path.join(folder, name)
        problems = list(number.differences(tree)) + ([] if number.is_released(tree, release) else ["it is not release " + release])
        problems += [] if number.read(tree, "COMMIT").strip() else ["COMMIT is empty"]
        problems += [] if glob.glob(os.path.join(tree, "abi", "symbols-*.txt")) else ["no list of symbols"]
        tap.report("its archive has the number everywhere, its notes and its commit", problems)
        tap.report("its list of components names the archive", bill_problems(
            number.read(out, name + ".spdx.json"), release, archive.sha256(path)))
        tap.report("the built page is part of it", page_problems(tree, folder, number.read(out, name + ".spdx.json")))
        for words, what in ((["--tag", "--once"], "a tagged release is the same"), (["--once"], "the tag makes it again")):
            again = os.path.join(folder, "again" + "-".join(words))
            done = release_of(clone, build, again, release, *words)
            same = done.returncode == 0 and archive.sha256(path) == archive.sha256(os.path.join(again, name + ".tar.xz"))
            tagged = git(clone, "tag") == "v" + release and git(clone, "rev-parse", "v%s^{commit}" % release) == git(clone, "rev-parse", "HEAD")
            tap.report(what, [] if same and tagged else [done.stderr, git(clone, "tag"), git(clone, "log", "--oneline", "-2")])


def main():
    tap = Tap()
    if "--whole" in sys.argv:
        if shutil.which("git") is None or not os.path.exists(os.path.join(ROOT, ".git")):
            skip_all("there is no history")
        whole(tap)
        return tap.done()
    tap.report("every place has the number of meson.build", number.differences(ROOT))
    problems = [] if number.notes(ROOT, "Unreleased") or number.notes(ROOT, number.of_tree(ROOT)) else ["nothing to release"]
    tap.report("CHANGELOG.md has notes for the next release, or for this one", problems)
    tap.report("a new number goes into every place, and the notes into a section of the release", number_problems())
    tap.report("archives follow from content and SOURCE_DATE_EPOCH", archive_problems())
    text = bill.make("1.2.3", "cm200-1.2.3.tar.xz", "00ff", [("libcjson", "1.7.15"), ("SDL2_ttf", "2.20")], True, SECONDS)
    tap.report("the list of components is SPDX 2.3", bill_problems(text, "1.2.3", "00ff"))
    tap.report("scripts/release refuses wrong arguments", usage_problems())
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
