"""The number of a release. meson.build has it; the files below repeat it for people and tools that read them alone."""

import os
import re
import time

MESON = "meson.build"
CHANGELOG = "CHANGELOG.md"
FORM = re.compile(r"(\d+)\.(\d+)\.(\d+)")
# The other places: path, and a pattern whose first group is the number.
PLACES = {
    "CITATION.cff": r"^version: (\S+)$",
    "debian/changelog": r"\Acm200 \(([^)-]+)-",
    "viz/desktop/local.cm200.viewer.metainfo.xml": r'<release version="([^"]+)"',
}


class Refused(Exception):
    """A release that cannot be made."""


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def write(root, path, text):
    with open(os.path.join(root, path), "w", encoding="utf-8") as file:
        file.write(text)


def of_tree(root):
    return re.search(r"^  version: '([^']+)'", read(root, MESON), re.M)[1]


def split(number):
    match = FORM.fullmatch(number)
    if match is None:
        raise Refused("the number of a release has the form 0.9.0, not %s" % number)
    return tuple(int(part) for part in match.groups())


def differences(root):
    """Places whose number is not that of meson.build."""
    number = of_tree(root)
    for path, pattern in PLACES.items():
        match = re.search(pattern, read(root, path), re.M)
        found = match[1] if match else "nothing"
        if found != number:
            yield "%s has %s, but %s has %s" % (path, found, MESON, number)


def notes(root, number):
    """The section of CHANGELOG.md about a release, or about what is not released yet. None: there is no such section."""
    found = re.search(r"^## \[%s\][^\n]*\n(.*?)(?=^## \[|\Z)" % re.escape(number), read(root, CHANGELOG), re.M | re.S)
    return found[1].strip() if found else None


def is_released(root, number):
    """True if the tree is that of the release: every place has the number, and CHANGELOG.md its section."""
    return of_tree(root) == number and not list(differences(root)) and bool(notes(root, number))


def substitute(root, path, pattern, text):
    """Replaces the one place of a pattern in a file."""
    changed, count = re.subn(pattern, lambda match: match.expand(text), read(root, path), flags=re.M)
    if count != 1:
        raise Refused("%s has %d places for the number of the release, expected 1" % (path, count))
    write(root, path, changed)


def set_number(root, number, seconds):
    """Writes the number into all places, and gives CHANGELOG.md a section with what was not released before."""
    wanted, present = split(number), split(of_tree(root))
    if wanted <= present:
        raise Refused("release %s is not newer than %s, which %s has" % (number, of_tree(root), MESON))
    if not notes(root, "Unreleased"):
        raise Refused("%s has nothing under [Unreleased]" % CHANGELOG)
    moment = time.gmtime(seconds)
    day = time.strftime("%Y-%m-%d", moment)
    substitute(root, MESON, r"^  version: '[^']+'", "  version: '%s'" % number)
    substitute(root, CHANGELOG, r"^## \[Unreleased\]$", "## [Unreleased]\n\n## [%s] - %s" % (number, day))
    substitute(root, "CITATION.cff", r"^version: \S+$", "version: " + number)
    substitute(root, "viz/desktop/local.cm200.viewer.metainfo.xml", r"^  <releases>$",
               '  <releases>\n    <release version="%s" date="%s"/>' % (number, day))
    entry = "cm200 (%s-0upstream1) unstable; urgency=medium\n\n  * New release; CHANGELOG.md has what changed.\n\n" % number
    maintainer = re.search(r"^Maintainer: (.*)$", read(root, "debian/control"), re.M)[1]
    entry += " -- %s  %s\n\n" % (maintainer, time.strftime("%a, %d %b %Y %H:%M:%S +0000", moment))
    write(root, "debian/changelog", entry + read(root, "debian/changelog"))
