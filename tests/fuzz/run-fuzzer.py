"""Lets a libFuzzer target run for a while, from seed files. Prints TAP.

usage: run-fuzzer.py PROGRAM TARGET ARTIFACT_FOLDER SEED...

A SEED is a file, or a folder of files. CM_FUZZ_SECONDS is the time it gets (6). CM_FUZZ_CORPUS is a folder in which the inputs that reach new code are kept, by
target; without it they are dropped. What made it fail is kept in the artifact folder; to see it again:
PROGRAM --target=TARGET FILE. The fuzzer's dictionary has the names and the short strings of all .def lists of the source tree.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import arguments  # noqa: E402: the path is set above

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
WORD_MAX = 40  # characters of an entry of the dictionary
# The entropic schedule takes up to 95 % of the time where inputs reach 80,000 features, as fuzz_console's do.
ENTROPIC = "-entropic=0"
MEMORY_LIMIT_MB = 2048
INPUT_LIMIT_SECONDS = 10  # longer on one input counts as a hang
END_LIMIT_SECONDS = 120  # for starting, reading the seeds and ending; the fuzzer's own clock stops where a target blocks its signal


def words_of(text):
    """The names and strings of a .def list, without its comments and its help texts."""
    text = re.sub(r"/\*.*?\*/|^\s*#.*?$", " ", text, flags=re.S | re.M)
    for string, name in re.findall(r'"((?:[^"\\\n]|\\.)*)"|\b([A-Za-z_][\w.]*)', text):
        word = re.sub(r"\\(.)", r"\1", string) or name
        if 1 < len(word) <= WORD_MAX and word.isascii() and word.count(" ") <= 1:
            yield word


def make_dictionary(path):
    words = set()
    for here, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if not name.startswith((".", "build"))]
        for name in names:
            if name.endswith(".def"):
                words.update(words_of(open(os.path.join(here, name), encoding="utf-8").read()))
    with open(path, "w", encoding="ascii") as file:
        for word in sorted(words):
            file.write('"%s"\n' % re.sub(r'[\\"]', lambda found: "\\" + found.group(), word))


def make_corpus(folder, seeds):
    for number, seed in enumerate(seeds):
        paths = [os.path.join(seed, name) for name in os.listdir(seed)] if os.path.isdir(seed) else [seed]
        for path in paths:
            shutil.copy(path, os.path.join(folder, "%03d-%s" % (number, os.path.basename(path))))


def run(program, target, artifacts, seeds, seconds):
    with tempfile.TemporaryDirectory(prefix="cm200-fuzz.") as scratch:
        folder, dictionary = os.path.join(scratch, "seeds"), os.path.join(scratch, "words")
        os.mkdir(folder)
        make_corpus(folder, seeds)
        make_dictionary(dictionary)
        corpora = [folder]
        if os.environ.get("CM_FUZZ_CORPUS"):
            corpora.insert(0, os.path.join(os.environ["CM_FUZZ_CORPUS"], target))
            os.makedirs(corpora[0], exist_ok=True)
        command = [program, "--target=" + target, "-max_total_time=%s" % seconds, "-timeout=%d" % INPUT_LIMIT_SECONDS,
                   "-dict=" + dictionary, ENTROPIC, "-rss_limit_mb=%d" % MEMORY_LIMIT_MB, "-artifact_prefix=%s/" % artifacts,
                   "-print_final_stats=1"] + corpora
        try:
            return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  encoding="utf-8", errors="replace", check=False, timeout=float(seconds) + END_LIMIT_SECONDS)
        except subprocess.TimeoutExpired as error:
            text = (error.stdout or b"").decode("utf-8", "replace")
            return subprocess.CompletedProcess(command, -1, text + "\nrun-fuzzer: it did not end; killed\n", "")


def main(given):
    program, name, artifacts, seeds = given[0], given[1], given[2], given[3:]
    seconds = os.environ.get("CM_FUZZ_SECONDS", "6")
    finished = run(program, name, artifacts, seeds, seconds)
    units = re.search(r"stat::number_of_executed_units:\s*(\d+)", finished.stdout)
    if finished.returncode == 0:
        print("ok 1 - %s found nothing in %s s (%s inputs)" % (name, seconds, units.group(1) if units else "?"))
    else:
        print("not ok 1 - %s found something (exit code %d)" % (name, finished.returncode))
        print("".join("# %s\n" % line for line in finished.stdout.splitlines()[-40:]), end="")
        sys.stderr.write(finished.stdout)
    print("1..1")
    return 0


if __name__ == "__main__":
    sys.exit(main(arguments(__doc__, 3)))
