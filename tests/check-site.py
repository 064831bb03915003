"""The documentation as static pages (scripts/site): every page is there, every link leads somewhere, the search finds, and it works
from disk.

usage: check-site.py SOURCE_ROOT
"""

import glob
import html.parser
import importlib.machinery
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

from tap import Tap, arguments

ROOT = os.path.realpath(arguments(__doc__, 1, programs=["lowdown"])[0])
SCRIPT = os.path.join(ROOT, "scripts", "site")
VOID = {"meta", "link", "img", "input", "br", "hr"}
KNOWN = VOID | set("""html head title body nav main script ol ul li h1 h2 h3 h4 a p pre code table thead tbody tr th td div em strong del
blockquote sup""".split())
SEARCHES = """
const fs = require("fs");
const index = eval(fs.readFileSync(process.argv[1] + "/search-index.js", "utf8") + "cm200Index");
const { search } = require(process.argv[1] + "/search.js");
console.log(JSON.stringify(JSON.parse(process.argv[2]).map((query) => search(index, query))));
"""


class Reader(html.parser.HTMLParser):
    """Links, names and faults of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.ids, self.faults, self.open = [], set(), [], []
        self.feed(text)
        self.faults += ["%s is not closed" % tag for tag in self.open]

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.links += [given[key] for key in ("href", "src") if key in given]
        self.ids |= {given["id"]} if "id" in given else set()
        if tag not in KNOWN or given.get("type") == "module":
            self.faults.append("<%s> in line %d" % (tag, self.getpos()[0]))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append("</%s> in line %d" % (tag, self.getpos()[0]))


def make(folder, *words):
    return subprocess.run([sys.executable, SCRIPT, *words, folder], capture_output=True, text=True, check=False)


def read_pages(folder):
    found = {}
    for path in glob.glob(os.path.join(folder, "**", "*.html"), recursive=True):
        with open(path, encoding="utf-8") as file:
            found[os.path.relpath(path, folder)] = Reader(file.read())
    return found


def missing_pages(pages):
    """Pages of docs/ that no page leads to."""
    for path in glob.glob(os.path.join(ROOT, "docs", "**", "*.md"), recursive=True):
        name = os.path.relpath(path, ROOT)
        name = name[:-len("README.md")] + "index.html" if name.endswith("README.md") else name[:-len(".md")] + ".html"
        if name not in pages:
            yield "%s is missing" % name


def link_problems(folder, pages):
    for name, page in pages.items():
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme in ("http", "https", "mailto"):
                continue
            target = os.path.normpath(os.path.join(os.path.dirname(name), urllib.parse.unquote(parts.path))) if parts.path else name
            if parts.scheme or target.startswith("..") or not os.path.isfile(os.path.join(folder, target)):
                yield "%s: %s" % (name, link)
            elif parts.fragment and urllib.parse.unquote(parts.fragment) not in pages[target].ids:
                yield "%s: %s has no such heading" % (name, link)


def disk_problems(folder):
    """A page from disk may not fetch, nor load anything of another place."""
    for name in ("search.js", "style.css"):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            text = file.read()
        yield from ("%s has %s" % (name, word) for word in ("fetch(", "XMLHttpRequest", "import(", "http:", "https:", "url(") if word in text)
    with open(os.path.join(folder, "index.html"), encoding="utf-8") as file:
        text = file.read()
    yield from ("index.html has no %s" % name for name in ("search-index.js", "search.js", "style.css") if './%s"' % name not in text)


def search_problems(folder):
    """Each query finds the page that it must, among the first results; all words must be there."""
    wanted = {"pshift": "docs/programs/pshift.html", "Valiant routing": "route.html", "notebook": "docs/python.html", "page_words": "docs/machine.html",
              "sha256sums": "docs/packaging.html", "breakpo": "docs/debug.html"}
    queries = [*wanted, "pshift zzzzz", ""]
    done = subprocess.run(["node", "-e", SEARCHES, folder, json.dumps(queries)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        yield done.stderr
        return
    results = dict(zip(queries, json.loads(done.stdout)))
    for query, page in wanted.items():
        if not any(page in link for _, link in results[query]):
            yield "%r finds %s" % (query, [link for _, link in results[query]])
    yield from ("%r finds something" % query for query in ("pshift zzzzz", "") if results[query])


def refusal_problems():
    """Links that lead nowhere are named, and nothing is written."""
    loader = importlib.machinery.SourceFileLoader("site_script", SCRIPT)
    script = importlib.util.module_from_spec(importlib.util.spec_from_loader("site_script", loader))
    loader.exec_module(script)
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "docs"))
        for name, text in (("README.md", "# Start\n\n[one](docs/README.md#there) [two](docs/x.md) [three](docs/README.md#not-there) [four](../out.md)\n"),
                           ("docs/README.md", "# Manual\n\n## There\n\n[back](../README.md)\n")):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        script.ROOT = folder
        pages, broken = script.collect("lowdown")
    if set(pages) != {"README.md", "docs/README.md"}:
        yield "pages: %s" % sorted(pages)
    if len(broken) != 3 or not all(any(word in problem for problem in broken) for word in ("docs/x.md", "#not-there", "../out.md")):
        yield "broken: %s" % broken


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as outer:
        folder, build = os.path.join(outer, "site"), os.path.join(outer, "build")
        done = make(folder, "--build", build)
        if not tap.report("the pages are written", [] if done.returncode == 0 else [done.stderr]):
            return tap.done()
        pages = read_pages(folder)
        tap.report("every page of the manual is there", missing_pages(pages))
        tap.report("every link leads to a file or a heading of the site", link_problems(folder, pages))
        tap.report("the pages are whole HTML", ("%s: %s" % (name, fault) for name, page in pages.items() for fault in page.faults))
        tap.report("they work from disk", disk_problems(folder))
        if shutil.which("node"):
            tap.report("the search finds pages by words and their beginnings", search_problems(folder))
        else:
            tap.skip("the search finds pages by words and their beginnings", "not installed: node")
        os.makedirs(os.path.join(build, "web"))
        for name in ("index.html", "program.js"):
            with open(os.path.join(build, "web", name), "w", encoding="utf-8") as file:
                file.write("<html></html>")
        done = make(folder, "--build", build)
        linked = [name for name, page in read_pages(folder).items() if any(link.endswith("try/index.html") for link in page.links)]
        problems = [] if done.returncode == 0 and os.path.exists(os.path.join(folder, "try", "program.js")) else [done.stderr or "no try/"]
        tap.report("the page for browsers is at try/, and every page leads to it", problems + ([] if len(linked) == len(pages) else [
            "%d of %d pages" % (len(linked), len(pages))]))
        tap.report("links that lead nowhere are refused", refusal_problems())
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
