# What .ci/run and .ci/nightly share: stages, their logs, the count of tests, and the last line. Sourced by both.
#
# A caller defines a function stage_NAME for each of its stages, sets stage_seconds, and calls run_stages NAME... A stage whose log ends with
# "N passed, N failed, N skipped" adds these to the count. Any other stage counts as one test. A stage that exits with 77
# was skipped, and the last line of its log says why.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
cd "$root"
export CI=true
exec </dev/null

work=$(mktemp -d "${TMPDIR:-/tmp}/cm200-ci.XXXXXX")
chmod 755 "$work" # a test runs programs as nobody
logs=${CI_LOGS:-$work/logs}
mkdir -p "$logs"
near=$root/build-ci # and a name: build folders next to that of setup
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work" "$near"-*' EXIT

# Builds with the same options compile a file once, where ccache is there: Meson looks for it if CC is not set. ccache
# wants the same compiler name and paths, so builds that repeat setup's lie next to setup's.
export CCACHE_DIR=${CCACHE_DIR:-$work/ccache} CCACHE_NOHASHDIR=1
unset CC

passed=0
failed=0
skipped=0
failures=()
summary=$work/summary # one line a stage
: >"$summary"

say() { printf 'ci: %s\n' "$*"; }

# Adds the stage's result to the count, and a line to the summary; NAME CODE SECONDS.
count_stage() {
    local name=$1 code=$2 seconds=$3 log=$logs/$1.log totals verdict=passed
    totals=$(tail -n 1 "$log")
    if [ "$code" -eq 77 ]; then
        verdict=skipped
        skipped=$((skipped + 1))
    elif [[ $totals =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed,\ ([0-9]+)\ skipped$ ]]; then
        passed=$((passed + BASH_REMATCH[1]))
        failed=$((failed + BASH_REMATCH[2]))
        skipped=$((skipped + BASH_REMATCH[3]))
        if [ "$code" -ne 0 ]; then
            verdict=failed
            [ "${BASH_REMATCH[2]}" -gt 0 ] || failed=$((failed + 1))
        fi
    elif [ "$code" -eq 0 ]; then
        passed=$((passed + 1))
        totals=
    else
        verdict=failed
        failed=$((failed + 1))
        totals=
    fi
    if [ "$verdict" = failed ]; then
        failures+=("$name")
        say "the end of the log of $name:"
        tail -n 80 "$log"
    fi
    printf '%-12s %-8s %5d s  %s\n' "$name" "$verdict" "$seconds" "$totals" | tee -a "$summary"
}

# Ends the stage that is running, and notes in its log which of its processes were left.
end_stage() {
    {
        say "this stage was ended after $stage_seconds s; its processes by group, seconds and command:"
        ps -e -o pgid=,etimes=,args= | awk -v group="$stage_group" '$1 == group'
    } >>"$stage_log"
    kill -TERM -- "-$stage_group" || true
    sleep 10
    kill -KILL -- "-$stage_group" 2>/dev/null || true
}

# Runs stages one after the other, each at most stage_seconds long, in a process group of its own. A shell of its own keeps
# set -e alive inside each.
stage_group=
run_stages() {
    local name code began
    for name; do
        began=$SECONDS
        stage_log=$logs/$name.log
        set -m
        (set +m; set -e; "stage_$name") >"$stage_log" 2>&1 &
        stage_group=$!
        set +m
        while kill -0 "$stage_group" 2>/dev/null && [ $((SECONDS - began)) -lt "$stage_seconds" ]; do
            sleep 0.5
        done
        ! kill -0 "$stage_group" 2>/dev/null || end_stage
        code=0
        wait "$stage_group" || code=$?
        stage_group=
        count_stage "$name" "$code" $((SECONDS - began))
    done
}

# A run that is interrupted shows what its stage did last.
interrupted() {
    say "interrupted after $SECONDS s"
    if [ -n "$stage_group" ]; then
        tail -n 40 "$stage_log"
        kill -TERM -- "-$stage_group" 2>/dev/null || true
    fi
    exit 143
}
trap interrupted INT TERM

# Sets `stages` to the ones asked for, or leaves all of them; exits with 2 for an unknown one.
choose_stages() {
    local name
    for name; do
        [[ " ${stages[*]} " == *" $name "* ]] || { say "no stage '$name'; there are: ${stages[*]}" >&2; exit 2; }
    done
    [ $# -eq 0 ] || stages=("$@")
}

# Makes the release build, free of warnings; ends the run if that fails.
set_up() {
    local began=$SECONDS
    CM200_WERROR=yes scripts/setup --ci "$@" || { say "scripts/setup failed"; echo "0 passed, 1 failed, 0 skipped"; exit 1; }
    say "setup: $((SECONDS - began)) s"
}

# Prints the count and ends with 0 if nothing failed.
finish() {
    say "$SECONDS s${failures[*]:+; failed stages: ${failures[*]}}"
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ]
}

# Configures and builds a folder, free of warnings; FOLDER [MESON OPTIONS].
build() {
    local folder=$1
    shift
    meson setup "$folder" . --werror "$@"
    ninja -C "$folder"
}

# Runs a program that prints TAP; fails if one of its tests does.
passes_all() { "$@" | awk '{ print } /^not ok/ { bad = 1 } /^ok/ { good = 1 } END { exit bad || !good }'; }

# ThreadSanitizer's build; TARGETS, or all.
racing=$work/racing
build_racing() {
    [ -e "$racing/build.ninja" ] || CC=clang meson setup "$racing" . --buildtype=debug -Doptimization=1 -Db_ndebug=false \
        -Db_sanitize=thread -Db_lundef=false -Dman=disabled -Dpython=disabled -Dsdl2=disabled
    ninja -C "$racing" "$@"
}
