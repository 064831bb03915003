#!/bin/sh
# Installs into an empty folder and uses what lies there as a stranger would. Prints TAP.
#
# usage: check-install.sh BUILD SOURCE_ROOT PREFIX CXX CC...
# PREFIX is the configured one; CC the compiler, with the sanitizer's option if the library was built with one. CXX the
# C++ compiler, words in one argument; without one (empty) the subtests of C++ are skipped.
set -u

build=$1
source=$2
prefix=$3
cxx=$4
shift 4

count=0
stage=$(mktemp -d "${TMPDIR:-/tmp}/cm200-install.XXXXXX")
trap 'rm -rf "$stage"' EXIT
log=$stage/log

# One subtest: runs a command, shows the end of its output when it fails.
try() {
    name=$1
    shift
    count=$((count + 1))
    if "$@" >"$log" 2>&1 </dev/null; then
        echo "ok $count - $name"
        return 0
    fi
    echo "not ok $count - $name"
    tail -n 30 "$log" | sed 's/^/# /'
    return 1
}

finish() {
    echo "1..$count"
    exit 0
}

try "the install succeeds" meson install -C "$build" --no-rebuild --quiet --destdir "$stage/root" || finish
tree=$stage/root$prefix
PKG_CONFIG_PATH=$(dirname "$(find "$tree" -name cm200.pc | head -n 1)")
libdir=$(dirname "$PKG_CONFIG_PATH")
export PKG_CONFIG_PATH
LD_LIBRARY_PATH=$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

# The .pc file names the configured prefix; what lies in the staging folder is reached by redefining it.
flags() { pkg-config --define-variable=prefix="$tree" "$@" cm200; }

has_files() {
    for file in bin/cm200 share/cm200/configs/cm200.json share/cm200/configs/machine.schema.json \
        share/cm200/configs/workload.schema.json share/cm200/programs/examples/five-point-pshift.json; do
        [ -f "$tree/$file" ] || { echo "missing: $file"; find "$tree" -type f; return 1; }
    done
}

data_files() { (cd "$1" && find . -type f \( -name '*.json' -o -name '*.imp' \) | sort); }
same_folder() {
    data_files "$source/$1" >"$stage/want" && data_files "$tree/share/cm200/$1" >"$stage/have" &&
        diff "$stage/want" "$stage/have"
}

headers_compile() {
    fault=0
    for header in "$tree"/include/cm200/*.h "$tree"/include/cm200/*/*.h "$tree"/include/cm200/*/*/*.h; do
        printf '#include "%s"\ntypedef int cm_not_empty;\n' "$header" >"$stage/header.c"
        # shellcheck disable=SC2046  # flags are words
        "$@" -std=c11 -Wall -Wextra -Werror -pedantic -fsyntax-only $(flags --cflags) "$stage/header.c" ||
            { echo "$header does not compile alone"; fault=1; }
    done
    return $fault
}

build_consumer() {
    # shellcheck disable=SC2046
    "$@" -std=c11 -Wall -Wextra -Werror -pedantic -o "$stage/consumer" "$source/tests/install/consumer.c" \
        $(flags --cflags) $(flags --libs)
}

cxx_headers_compile() {
    fault=0
    for header in "$tree"/include/cm200/*.h "$tree"/include/cm200/*/*.h "$tree"/include/cm200/*/*/*.h; do
        printf '#include "%s"\n' "$header" >"$stage/header.cc"
        # shellcheck disable=SC2046
        "$@" -std=c++11 -Wall -Wextra -Werror -pedantic -fsyntax-only $(flags --cflags) "$stage/header.cc" ||
            { echo "$header does not compile alone"; fault=1; }
    done
    return $fault
}

build_cxx_consumer() {
    # shellcheck disable=SC2046
    "$@" -std=c++11 -Wall -Wextra -Werror -pedantic -o "$stage/consumer-cxx" "$source/tests/install/consumer.cc" \
        $(flags --cflags) $(flags --libs)
}

examples_build() {
    for example in "$tree"/share/cm200/programs/examples/c/*.c; do
        # shellcheck disable=SC2046
        "$@" -std=c11 -Wall -Wextra -Werror -pedantic -o "$stage/$(basename "$example" .c)" "$example" \
            $(flags --cflags) $(flags --libs) || return 1
    done
}
# What it prints is what the program prints for the same workload: cycles, and cycles by cause.
example_runs_a_workload() {
    workload=$tree/share/cm200/programs/examples/five-point-pshift.json
    "$stage/run-workload" "$workload" >"$stage/own" || return 1
    cat "$stage/own"
    "$tree/bin/cm200" run --json "$workload" >"$stage/result.json" || return 1
    python3 - "$stage/own" "$stage/result.json" <<'PYTHON'
import json, sys
lines = open(sys.argv[1]).read().split("\n")
result = json.load(open(sys.argv[2]))
own = {name: int(cycles) for cycles, name in (line.split() for line in lines[1:] if line)}
assert lines[0] == "%s: %d cycles" % (result["workload"], result["cycles"]), lines[0]
assert own == {name: cycles for name, cycles in result["cycles_by_cause"].items() if cycles}, own
PYTHON
}
example_prints_errors() {
    "$stage/run-workload" "$stage/missing.json" >"$stage/out" 2>"$stage/err"
    [ $? -eq 4 ] && grep -q "missing.json: cannot open it" "$stage/err"
}
# The workload that does what the example does: what it is made of differs, and nothing else.
same_trace_as_run() {
    cp "$source/tests/install/traced-pshift.json" "$stage/w.json" && cp "$tree/share/cm200/configs/cm200.json" "$stage" || return 1
    (cd "$stage" && ./traced-pshift own.trace && "$tree/bin/cm200" run --quiet --trace run.trace w.json &&
        { "$tree/bin/cm200" diff run.trace own.trace --json >diff.json; [ $? -eq 1 ]; }) || return 1
    python3 - "$stage/diff.json" <<'PYTHON'
import json, sys
diff = json.load(open(sys.argv[1]))
assert {row["path"] for row in diff["made_of"]} == {"/parameters", "/workload_sha256"}, diff["made_of"]
for group in ("totals", "causes", "steps", "channels", "other"):
    assert diff[group] == [], (group, diff[group])
assert diff["first_difference"] is None, diff["first_difference"]
PYTHON
}
# Every line that the examples print is in the page about them.
page_quotes_examples() {
    (cd "$stage" && ./run-workload "$tree/share/cm200/programs/examples/five-point-pshift.json" &&
        ./traced-pshift own.trace) >"$stage/printed" || return 1
    [ -s "$stage/printed" ] && ! grep -vxF -f "$source/docs/library.md" "$stage/printed"
}
exports_own_trace() {
    (cd "$stage" && for format in chrome vcd; do
        "$tree/bin/cm200" export own.trace --format $format -o "own.$format" && [ -s "own.$format" ] || return 1
    done)
}
views_own_trace() { (cd "$stage" && "$tree/bin/cm200-view" own.trace --screenshot own.png && [ -s own.png ]); }

# The consumer prints TAP of its own; here it is one subtest, so its lines are searched.
run_consumer() { "$stage/$1" "$tree/share/cm200/configs/cm200.json" >"$stage/tap" && cat "$stage/tap" && ! grep -q '^not ok' "$stage/tap" && grep -q '^1\.\.' "$stage/tap"; }

version_matches() { "$tree/bin/cm200" --version | grep -F "$(pkg-config --modversion cm200)"; }
shows_its_keys() { (cd / && "$tree/bin/cm200-view" --keys); }
compares_with_published() { (cd / && "$tree/bin/cm200" validate --table 1 --quiet) && [ -f "$tree/share/cm200/programs/validation/pshift-timings.csv" ]; }
runs_what_it_emits() {
    (cd / && for command in "shift --nodes 8 --by 3" "route --nodes 8 --pattern complement" "reshape --from 16 --to 4x4 --nodes 4"; do
        # shellcheck disable=SC2086  # options are words
        "$tree/bin/cm200" $command --emit >"$stage/emitted.json" &&
            "$tree/bin/cm200" run --quiet "$stage/emitted.json" || return 1
    done)
}
runs_example() { (cd / && "$tree/bin/cm200" run "$tree/share/cm200/programs/examples/five-point-pshift.json"); }

try "programs, configurations, schemas and examples are installed" has_files
try "every configuration is installed" same_folder configs
try "every example is installed" same_folder programs/examples
try "every public header compiles by itself as C11" headers_compile "$@"
try "a program builds against the installed library by pkg-config" build_consumer "$@" &&
    try "that program runs" run_consumer consumer
has_symbol_versions() { readelf -V "$stage/consumer" | grep -F CM200_0.1; }
try "a program asks for the versions of the symbols that it uses" has_symbol_versions
try "the C examples build against the installed library" examples_build "$@" && {
    try "the example that runs a workload prints what cm200 run counts" example_runs_a_workload
    try "the example prints the library's errors" example_prints_errors
    try "the trace of the example has the events of cm200 run" same_trace_as_run
    try "docs/library.md has what the examples print" page_quotes_examples
    try "cm200 export reads the trace of the example" exports_own_trace
    if [ -x "$tree/bin/cm200-view" ]; then try "cm200-view draws the trace of the example" views_own_trace; fi
}
# shellcheck disable=SC2086  # words
if [ -n "$cxx" ]; then
    try "every public header compiles by itself as C++" cxx_headers_compile $cxx
    try "a C++ program builds against the installed library" build_cxx_consumer $cxx &&
        try "that program runs, too" run_consumer consumer-cxx
else
    count=$((count + 1))
    echo "ok $count - the installed headers serve C++ # SKIP no C++ compiler"
fi
try "the installed cm200 tells its version" version_matches
try "the installed cm200 runs an installed example" runs_example
try "the installed cm200 runs what its commands emit" runs_what_it_emits
if [ -x "$build/cm200-view" ]; then try "the installed cm200-view runs" shows_its_keys; fi
has_handbook() {
    for file in man/man1/cm200-run.1 bash-completion/completions/cm200 zsh/site-functions/_cm200 \
        fish/vendor_completions.d/cm200.fish fish/vendor_completions.d/cm200-view.fish; do
        [ -f "$tree/share/$file" ] || { echo "missing: $file"; return 1; }
    done
}
# What is installed has no build folder next to it, so an example that its help names must be where it says.
help_names_installed_files() {
    for word in $(cd / && "$tree/bin/cm200" run --help | sed -n '/^examples:/,$p' | grep -o '[^ ]*programs/examples/[^ ]*'); do
        case $word in /*) [ -f "$word" ] || return 1 ;; *) echo "not installed: $word"; return 1 ;; esac
    done
}
# The interpreter that the module is for, as python/meson.build chooses it.
for python in python3 /usr/bin/python3; do "$python" -c 'import cffi, numpy' 2>/dev/null && break; done
module_is_read() {
    folder=$(dirname "$(dirname "$(find "$tree" -name '_library*.so')")")
    (cd / && PYTHONPATH=$folder "$python" -c 'import sys, cm200
print(cm200.run(sys.argv[1], machine="cm2").cycles, cm200.__file__)' "$tree/share/cm200/programs/examples/five-point-pshift.json") || return 1
    # Below some prefixes Python looks in no folder.
    "$python" -c 'import os, site, sys
folder, prefix = sys.argv[1:]
read = [*site.getsitepackages(), site.getusersitepackages()]
looks = [one for one in read if os.path.relpath(one, prefix).split(os.sep)[0] in ("lib", "lib64")]
sys.exit("%s is none of %s" % (folder, looks) if looks and folder not in looks else 0)' "${folder#"$stage/root"}" "$prefix"
}
if [ -n "$(find "$tree" -name '_library*.so')" ]; then try "Python finds the installed module, which runs an installed example" module_is_read; fi
if [ -d "$build/docs/man" ]; then try "manual pages and completions are installed" has_handbook; fi
try "examples in the installed help are installed files" help_names_installed_files
try "the installed cm200 has the published timings" compares_with_published
finish
